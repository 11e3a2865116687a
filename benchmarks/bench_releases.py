"""Releases of the examples' tables, beside diffprivlib's and OpenDP's: lines, time and error.

epsilon is 1. Neighbours differ by a person or a visitor, whose rows of two days count; in rows
that end in "of_n", as in diffprivlib, the number of rows is public and a person has other data.
"""

import csv
import inspect
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import in_turn
import numpy as np
import pytest
import rival_releases as rivals
from rival_releases import BOUNDS, DAYS, LEVELS, QS

import cydp

DATA = Path(__file__).parents[1] / "examples" / "data"
CALLS, RUNS = 20, 1000  # in a round; for an error
pytestmark = pytest.mark.filterwarnings("ignore")  # what rivals say of their own future


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


AVERAGES = by_key(CLAMPED, PEOPLE["educ"], LEVELS, np.mean)
VISITED = by_key(VISITS["day"], VISITS["day"], DAYS, len)
QUARTILES = np.quantile(CLAMPED, QS)
EXACT: dict[Callable[[Any], Any], Any] = {
    count: PEOPLE["married"].sum(),
    sum: CLAMPED.sum(),
    mean: CLAMPED.mean(),
    mean_of_n: CLAMPED.mean(),
    variance: CLAMPED.var(),
    variance_of_n: CLAMPED.var(),
    median: QUARTILES[1],
    median_of_n: QUARTILES[1],
    quantiles: QUARTILES,
    quantiles_of_n: QUARTILES,
    histogram: np.histogram(PEOPLE["age"], 10, (0, 100))[0],
    histogramdd: np.histogram2d(PEOPLE["age"], PEOPLE["sex"], (5, 2), [(0, 100), (0, 2)])[0],
    value_counts: np.bincount(PEOPLE["educ"])[1:],
    means: AVERAGES,
    counts_and_means: AVERAGES,
    visits_by_day: VISITED,
    euros_by_day: by_key(VISITS["euros"].clip(0, 50), VISITS["day"], DAYS, np.sum),
    unknown_days: VISITED,
}


def numbers(answer: Any) -> Any:
    """What is compared with the exact answer, in the same order."""
    if isinstance(answer, cydp.releases.TableRelease):
        return answer[answer.columns[-1]]
    if isinstance(answer, cydp.HistogramRelease):
        return answer.counts
    if isinstance(answer, tuple):  # diffprivlib's histograms
        return answer[0]
    if hasattr(answer, "to_series"):
        keys = [name for name in answer.columns if name in ("sex", "bin", "educ", "day")]
        found = answer.sort(keys[::-1]) if keys else answer
        if len(keys) == 2:
            return found.sort(keys)[:, -1].to_numpy().reshape(5, 2)
        return found[:, -1].to_numpy() if keys else found.to_numpy().squeeze()
    return np.asarray(answer.value if hasattr(answer, "value") else answer)


def lines(function: Callable[[Any], Any]) -> int:
    """How many lines of code a function's body has."""
    code = inspect.getsource(function).splitlines()[1:]
    return len([line for line in code if line.strip()])


def errors(draw: Callable[[], Any], exact: Any) -> str:
    """The error of many runs; that about their own mean does not see what bounding leaves out."""
    drawn = np.array([numbers(draw()) for _ in range(RUNS)], float)
    off = np.abs(drawn - exact)
    return (
        f"RMSE {np.sqrt(np.mean(off**2)):.4g}, median {np.median(off):.4g}, "
        f"about its mean {np.sqrt(np.mean(drawn.var(0))):.4g}"
    )


def often(call: Callable[[], Any]) -> Callable[[], Any]:
    def calls() -> Any:
        for _ in range(CALLS):
            answer = call()
        return answer

    return calls


@pytest.mark.parametrize("ours", list(EXACT), ids=lambda ours: ours.__name__)
def bench_release(benchmark: Any, ours: Callable[[Any], Any]) -> None:
    name, exact = ours.__name__, EXACT[ours]
    people = "people" in inspect.signature(ours).parameters
    table = PEOPLE if people else VISITS
    benchmark.group = f"{CALLS} times {name}"
    draws: dict[str, Callable[[], Any]] = {"cydp": lambda: ours(table)}
    code = {"cydp": f"{lines(ours)}"}
    theirs = getattr(rivals, f"diffprivlib_{name}", None)
    if theirs and rivals.tools:
        draws["diffprivlib"] = lambda: theirs(table)
        code["diffprivlib"] = f"{lines(theirs)}"
        assert lines(ours) <= lines(theirs)
    ways = {library: often(draw) for library, draw in draws.items()}
    answers = in_turn.measure(benchmark, ways, rounds=31)
    query = getattr(rivals, f"opendp_{name}", None)
    if query and rivals.dp and rivals.pl:
        frame = rivals.pl.LazyFrame(table)
        prepared = query(frame).resolve()  # for the error alone: it searches the scale once
        draws["OpenDP"] = lambda: prepared(frame).collect()
        context = lines(rivals.row_context if people else rivals.user_context)
        code["OpenDP"] = f"{lines(query)} and {context} of the context"
        assert lines(ours) <= lines(query)
        seconds = timeit.repeat(lambda: query(frame).release().collect(), number=1, repeat=5)
        low, median, high = np.percentile(seconds, [25, 50, 75]) * 1e3
        benchmark.extra_info["OpenDP"] = f"{median:.3g} ms ({high - low:.2g}) each"
        answers["OpenDP"] = query(frame).release().collect()
    assert all(numbers(answer).shape == np.shape(exact) for answer in answers.values())
    for library, draw in draws.items():
        benchmark.extra_info[f"{library}, {RUNS} runs"] = (
            f"{errors(draw, exact)}; lines {code[library]}"
        )
