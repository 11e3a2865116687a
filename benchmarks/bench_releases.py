"""Releases of the examples' tables, beside diffprivlib's and OpenDP's: time, error, lines of code.

epsilon is 1. Neighbours differ by a person or a visitor, whose rows of two days count; in rows
that end in "of n", as in diffprivlib, the number of rows is public and a person has other data.
Parameters were seen before, and nobody's budget is charged. OpenDP searches the scale of its noise
in each release of Polars; "OpenDP, Polars, resolved" did so before, and only reads and draws.
"OpenDP, vector" is its way on numpy arrays: users give the scale of the noise, nothing is searched.
"""

import csv
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import rivals
from foreign.questions import BOUNDS, DAYS, LEVELS, QS
from harness import in_turn, sizes
from harness.code import lines
from harness.environments import FOREIGN

import cydp

DATA = Path(__file__).parents[1] / "examples" / "data"
CALLS = 20  # in a turn; slow ways make fewer, and are multiplied
VECTOR = "OpenDP, vector"
RUNS = {"cydp": 1000, "diffprivlib": 1000, "OpenDP": 200, VECTOR: 1000}  # for an error
LIBRARIES = {"diffprivlib": "diffprivlib_releases.py", "OpenDP": "opendp_releases.py"}


def read(name: str, **columns: str) -> dict[str, Any]:
    with (DATA / name).open() as file:
        rows = [*csv.DictReader(file)]
    return {
        new: np.array([float(row[old]) for row in rows], np.int64) for new, old in columns.items()
    }


PEOPLE = read("pums.csv", age="age", sex="sex", educ="educ", income="income", married="married")
VISITS = read(
    "restaurant_week.csv", visitor="VisitorId", euros="Money spent (euros)", day="Day"
)  # fmt: skip
CLAMPED = PEOPLE["income"].clip(*BOUNDS)


def count(people: Any) -> Any:
    return cydp.count(people["age"][people["married"] == 1], epsilon=1)


def sum(people: Any) -> Any:
    return cydp.sum(people["income"], BOUNDS, epsilon=1)


def mean(people: Any) -> Any:
    return cydp.mean(people["income"], BOUNDS, epsilon=1)


def mean_of_n(people: Any) -> Any:
    return cydp.mean(people["income"], BOUNDS, missing=0, relation="change-one", epsilon=1)


def variance(people: Any) -> Any:
    return cydp.variance(people["income"], BOUNDS, epsilon=1)


def variance_of_n(people: Any) -> Any:
    return cydp.variance(people["income"], BOUNDS, missing=0, relation="change-one", epsilon=1)


def median(people: Any) -> Any:
    return cydp.median(people["income"], BOUNDS, epsilon=1)


def median_of_n(people: Any) -> Any:
    return cydp.median(people["income"], BOUNDS, relation="change-one", epsilon=1)


def quantiles(people: Any) -> Any:
    return cydp.quantile(people["income"], QS, BOUNDS, epsilon=1)


def quantiles_of_n(people: Any) -> Any:
    return cydp.quantile(people["income"], QS, BOUNDS, relation="change-one", epsilon=1)


def histogram(people: Any) -> Any:
    return cydp.histogram(people["age"], 10, (0, 100), epsilon=1)


def histogramdd(people: Any) -> Any:
    return cydp.histogramdd([people["age"], people["sex"]], (5, 2), [(0, 100), (0, 2)], epsilon=1)


def value_counts(people: Any) -> Any:
    return cydp.value_counts(people["educ"], LEVELS, epsilon=1)


def means(people: Any) -> Any:
    income = {"income": BOUNDS}
    return cydp.group_by(people, "educ", keys=LEVELS, count=False, means=income, epsilon=1)


def counts_and_means(people: Any) -> Any:
    income = {"income": BOUNDS}
    return cydp.group_by(people, "educ", keys=LEVELS, means=income, missing=0, epsilon=1)


def visits_by_day(visits: Any) -> Any:
    return cydp.group_by(visits, "day", keys=DAYS, user="visitor", max_partitions=2, epsilon=1)


def euros_by_day(visits: Any) -> Any:
    unit, sums = {"user": "visitor", "max_partitions": 2}, {"euros": (0, 50)}
    return cydp.group_by(visits, "day", keys=DAYS, count=False, sums=sums, epsilon=1, **unit)


def unknown_days(visits: Any) -> Any:
    return cydp.group_by(visits, "day", user="visitor", max_partitions=2, epsilon=1, delta=1e-6)


def by_key(values: Any, keys: Any, wanted: Any, of: Callable[[Any], Any]) -> Any:
    return np.array([of(values[keys == key]) for key in wanted])


class Work(NamedTuple):
    """What is released, and how far half of the answers may be from the exact one."""

    name: str
    exact: Any
    off: float  # three times the root of the mean square that was measured, of the worst library


AVERAGES = by_key(CLAMPED, PEOPLE["educ"], LEVELS, np.mean)
VISITED = by_key(VISITS["day"], VISITS["day"], DAYS, len)
MONEY = by_key(VISITS["euros"].clip(0, 50), VISITS["day"], DAYS, np.sum)
QUARTILES = np.quantile(CLAMPED, QS)
AGES = np.histogram(PEOPLE["age"], 10, (0, 100))[0]
CELLS = np.histogram2d(PEOPLE["age"], PEOPLE["sex"], (5, 2), [(0, 100), (0, 2)])[0]
LEFT_OUT = 82, 2500  # visits and euros of a day that bounding leaves out
WORKS = {
    count: Work("count", PEOPLE["married"].sum(), 4.2),
    sum: Work("sum", CLAMPED.sum(), 900_000),
    mean: Work("mean", CLAMPED.mean(), 1600),
    mean_of_n: Work("mean of n", CLAMPED.mean(), 900),
    variance: Work("variance", CLAMPED.var(), 2.1e8),
    variance_of_n: Work("variance of n", CLAMPED.var(), 3e8),
    median: Work("median", QUARTILES[1], 600),
    median_of_n: Work("median of n", QUARTILES[1], 900),
    quantiles: Work("three quartiles", QUARTILES, 2000),
    quantiles_of_n: Work("three quartiles of n", QUARTILES, 2700),
    histogram: Work("histogram, 10 bins", AGES, 4.2),
    histogramdd: Work("histogramdd, 5 x 2 bins", CELLS, 4.2),
    value_counts: Work("value counts, 16 keys", np.bincount(PEOPLE["educ"])[1:], 4.2),
    means: Work("means by key, 16 keys", AVERAGES, 70_000),
    counts_and_means: Work("counts and means by key, 16 keys", AVERAGES, 70_000),
    visits_by_day: Work("visits by day, two days each", VISITED, LEFT_OUT[0] + 24),
    euros_by_day: Work("euros by day, two days each", MONEY, LEFT_OUT[1] + 800),
    unknown_days: Work("visits by unknown day, two days each", VISITED, LEFT_OUT[0] + 45),
}


VECTORS = {count, sum, mean, histogram, value_counts}  # what opendp_vectors.py has
ON_POINTS = {median, quantiles}  # OpenDP chooses one of few, the same again and again
CLAIMED = {count, sum, mean, mean_of_n, variance, variance_of_n, histogram, histogramdd}
CLAIMED |= {value_counts, means}  # what says how far it is from the exact answer, at most


def numbers(answer: Any) -> Any:
    """What is compared with the exact answer, in the same order."""
    if isinstance(answer, cydp.releases.TableRelease):
        return answer[answer.columns[-1]]
    if isinstance(answer, cydp.releases.HistogramRelease):
        return answer.counts
    if isinstance(answer, tuple):  # diffprivlib's counts, and the edges of a histogram
        return answer[0]
    return np.asarray(answer.value if hasattr(answer, "value") else answer)


def errors(drawn: Any, exact: Any) -> dict[str, Any]:
    """The error of many runs; that about their own mean does not see what bounding leaves out."""
    off = np.abs(drawn - exact)
    found = {
        "RMSE": np.sqrt(np.mean(off**2)),
        "median": np.median(off),
        "RMSE about their mean": np.sqrt(np.mean(drawn.var(0)))
        if np.isfinite(off).all()
        else np.inf,
    }
    texts = {name: f"{value:.4g}" for name, value in found.items()}  # OpenDP's mean may be infinite
    return {"runs": len(drawn), **texts}


@pytest.mark.parametrize("ours", list(WORKS), ids=lambda ours: ours.__name__)
def bench_release(benchmark: Any, ours: Callable[[Any], Any]) -> None:
    function, work = ours.__name__, WORKS[ours]
    people = "people" in inspect.signature(ours).parameters
    table = PEOPLE if people else VISITS
    benchmark.group = f"release: {work.name}, " + (
        "1,000 rows" if people else "2,849 rows of users"
    )
    code = {"cydp": lines(Path(__file__), function)}
    code |= {name: lines(FOREIGN / file, function) for name, file in LIBRARIES.items()}
    offered = [name for name in LIBRARIES if code[name]]
    assert all(code["cydp"] <= code[name] for name in offered)

    def few(name: str, function_of_ways: str, calls: int) -> Any:
        way = rivals.way(name, function_of_ways, function, table, calls)
        if way:
            way.share = CALLS / calls
        return way

    draws: dict[str, Callable[[], Any] | None] = {
        "cydp": lambda: [ours(table) for _ in range(runs("cydp"))]
    }
    for name in offered:
        again = "release" if name == "diffprivlib" else "resolved_release"
        draws[name] = rivals.way(name, again, function, table, runs(name))
    if ours in VECTORS:
        draws[VECTOR] = rivals.way("OpenDP", "vector_release", function, table, runs(VECTOR))
    for name, draw in draws.items():
        if draw:
            found = checked(draw(), work, varies=not (name == "OpenDP" and ours in ON_POINTS))
            benchmark.extra_info[f"error of {name}"] = errors(found, work.exact)
    benchmark.extra_info["lines of code"] = {name: n for name, n in code.items() if n}
    if code["OpenDP"]:
        context = lines(FOREIGN / LIBRARIES["OpenDP"], "row_context" if people else "user_context")
        benchmark.extra_info["lines of OpenDP's context, besides"] = context

    ways: dict[str, Callable[[], Any] | None] = {
        "cydp": lambda: [ours(table) for _ in range(CALLS)]
    }
    if code["diffprivlib"]:
        ways["diffprivlib"] = few("diffprivlib", "release", CALLS)
    if code["OpenDP"]:
        ways["OpenDP, Polars"] = few("OpenDP", "release", 1 if sizes.SMALL else 2)
        ways["OpenDP, Polars, resolved"] = few("OpenDP", "resolved_release", 4)
    if ours in VECTORS:
        ways[VECTOR] = few("OpenDP", "vector_release", CALLS)
    answers = in_turn.measure(benchmark, ways, rounds=31, per=CALLS)
    for found in answers.values():
        checked(found, work)
    for release in answers["cydp"]:
        assert release.loss == loss_of(ours)
        if ours in CLAIMED:
            off = np.abs(numbers(release) - work.exact)
            assert np.all(off <= release.error_bound("0.999999999999"))


def checked(answers: list[Any], work: Work, *, varies: bool = True) -> Any:
    """Return answers as numbers: near the exact one, and with noise, if they are many.

    A few may be farther off: the chance of one at 12 root mean squares is e^-17. A count has no
    noise with chance 0.46: that 20 are the same is rare enough, that four are is not.
    """
    found = np.array([numbers(answer) for answer in answers], float)
    assert found.shape[1:] == np.shape(work.exact)
    many = len(found) >= CALLS
    assert np.median(np.abs(found - work.exact)) < (1 if many else 4) * work.off
    assert not (many and varies) or np.any(found != found[0])
    return found


def loss_of(ours: Callable[[Any], Any]) -> Any:
    """What the row says that a release costs."""
    relation = "change-one" if ours.__name__.endswith("of_n") else "add-remove"
    if ours is unknown_days:
        return cydp.ApproxDP(1, "1e-6", relation=relation)
    return cydp.PureDP(1, relation=relation)


def runs(name: str) -> int:
    return CALLS if sizes.SMALL else RUNS[name]
