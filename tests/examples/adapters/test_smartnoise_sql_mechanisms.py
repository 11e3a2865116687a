"""examples/adapters/smartnoise_sql_mechanisms.py behind smartnoise-sql's reader."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from examples.adapters.conftest import Record
from examples.adapters.fit import p_value, tail
from examples.adapters.hosts import Way, in_turn, start
from samplers.goodness_of_fit import LIMIT, REJECTED

import cydp

pytestmark = pytest.mark.hosts

HOST = "smartnoise-sql==1.0.10"
QUERY = "SELECT g, COUNT(*) AS n, SUM(x) AS x, SUM(y) AS y FROM t.t GROUP BY g"
GROUPS, ROWS = 2000, 20
DELTA = 1e-6
SUM = {"epsilon": 1.0, "delta": DELTA, "sensitivity": 20.0, "max_contrib": 3}
COUNT = {"epsilon": 0.5, "delta": DELTA, "sensitivity": 1, "max_contrib": 1}
COUNTS = [COUNT, COUNT | {"max_contrib": 4}, COUNT | {"epsilon": 3.0}]
KINDS = ["laplace", "gaussian"]


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> Way:
    return start(tmp_path_factory.mktemp("smartnoise"), "smartnoise_sql_ways.py", HOST)


def test_figures(way: Way, figures: Record) -> None:
    assert HOST.endswith(way("version")())
    query = QUERY.replace(", SUM(y) AS y", "")
    before, after, *answers = in_turn(*(way("query", which, GROUPS, ROWS, "laplace", query)
                                        for which in ("before", "after")))  # fmt: skip
    assert [len(answer) for answer in answers] == [GROUPS] * 2
    figures(HOST, "COUNT and SUM of 2,000 groups", before, after)


@pytest.mark.parametrize("kind", KINDS)
def test_a_query_is_near_the_truth(way: Way, kind: str) -> None:
    """Its errors have the host's scale: twice as much, or half, would be rejected."""
    noisy = np.array(way("query", "after", GROUPS, ROWS, kind, QUERY, 1)())
    assert np.array_equal(noisy[:, 0], np.arange(GROUPS))
    exact = np.column_stack([np.full(GROUPS, ROWS), *way("exact", GROUPS, ROWS)()])
    errors = (noisy[:, 1:] - exact).T
    for error, bound in zip(errors, (1, 100, 20), strict=True):
        given = {"epsilon": 1.0, "delta": DELTA, "sensitivity": bound, "max_contrib": 1}
        scale = way("parameters", "before", kind, given)()["scale"]
        deviation = scale * (math.sqrt(2) if kind == "laplace" else 1)
        assert 0.8 < math.sqrt(np.mean(error**2)) / deviation < 1.25
        assert abs(np.mean(error)) < 0.5 + 5 * deviation / math.sqrt(GROUPS)  # the host truncates


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [SUM, COUNT])
def test_noise_on_the_grid_has_its_distribution(way: Way, kind: str, given: Any) -> None:
    made = way("parameters", "after", kind, given)()
    noise = way("released", "after", kind, 1, [0.0] * 100_000, given)() / made["step"]
    scale = Fraction(str(made["scale"] / made["step"]))
    assert p_value(kind, scale, noise) > LIMIT
    for mutant in (scale * Fraction(20, 21), scale / 3):  # such as one without max_contrib
        assert p_value(kind, mutant, noise) < REJECTED


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [SUM, COUNT, SUM | {"sensitivity": 0.3}])
def test_the_accounting_is_the_hosts_and_the_scale_covers_the_grid(
    way: Way, kind: str, given: Any
) -> None:
    host, made = (way("parameters", which, kind, given)() for which in ("before", "after"))
    for name in ("epsilon", "sensitivity", "max_contrib"):
        assert made[name] == host[name] == given[name]
    assert made["delta"] == host["delta"]
    assert made["scale"] == host["scale"] * 513 / 512
    assert made["accuracy"] == pytest.approx(host["accuracy"] * 513 / 512, rel=1e-9)
    bound, step = Fraction(given["sensitivity"]), Fraction(made["step"])
    assert step <= bound / 2**10
    assert Fraction(math.frexp(made["step"])[0]) == Fraction(1, 2)
    reach = given["max_contrib"] * (bound + step + 2 * bound / 2**13)
    scale = Fraction(made["scale"])
    if kind == "laplace":
        assert reach / scale <= Fraction(given["epsilon"])
        assert reach / Fraction(host["scale"]) > Fraction(given["epsilon"])
    else:
        loss = cydp.accounting.convert(cydp.ZCDP(reach**2 / (2 * scale**2)), delta=str(DELTA))
        assert loss.epsilon <= Fraction(given["epsilon"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", COUNTS)
def test_the_threshold_hides_a_person_alone(way: Way, kind: str, given: Any) -> None:
    """Of a person in max_contrib groups, each group shows with chance delta / max_contrib."""
    host, made = (way("parameters", which, kind, given)() for which in ("before", "after"))
    allowed = Fraction(str(DELTA)) / given["max_contrib"]

    def shown(threshold: float) -> Fraction:
        """P(1 + noise > threshold)."""
        step = Fraction(made["step"])
        least = math.floor((Fraction(threshold) - 1) / step) + 1
        return tail(kind, Fraction(str(made["scale"] / made["step"])), least) / 2

    assert shown(made["threshold"]) <= allowed
    assert shown(made["threshold"]) > allowed / 4
    if kind == "laplace" and given["max_contrib"] == 1:
        assert shown(host["threshold"]) > allowed


@pytest.mark.parametrize("bounds", [(0.0, 20.3), (-20.3, 10.5)])
def test_a_row_changes_a_rounded_sum_by_no_more_than_the_scale_covers(
    way: Way, bounds: tuple[float, float]
) -> None:
    """Sums of up to 2**20 rows in float64, in several orders, with and without a row."""
    rng, cells = np.random.default_rng(5), []
    for n in (0, 1, 1000, 2**20 - 1):
        for _ in range(30 if n <= 1000 else 3):
            rows = rng.uniform(*bounds, n)
            for ordered in (rows, np.sort(rows), np.sort(rows)[::-1]):
                added = np.append(ordered, max(bounds, key=abs))
                cells += [np.cumsum(part)[-1] if len(part) else 0.0 for part in (ordered, added)]
    rounded = way("released", "after", "laplace", None, cells, SUM | {"sensitivity": 20.3})()
    changes = np.abs(np.diff(rounded.reshape(-1, 2))).ravel()
    assert changes.max() > 20.3  # the host's sensitivity
    assert changes.max() <= 20.3 * 513 / 512
    assert np.abs(rounded - cells).max() <= 20.3 / 2**11
    assert np.abs(rounded - cells).max() > 20.3 / 2**13


@pytest.mark.parametrize("kind", KINDS)
def test_no_cell_raises(way: Way, kind: str) -> None:
    """NaN counts as 0, as in the host, and infinite cells are clamped, without a warning."""
    cells = [math.nan, math.inf, -math.inf, 1e308, 3.0]
    noise = way("released", "after", kind, 1, [0.0] * 5, SUM)()
    found = way("released", "after", kind, 1, cells, SUM)()
    step = way("parameters", "after", kind, SUM)()["step"]
    expected = np.array([0, 2.0**52, -(2.0**52), 2.0**52, 3 / step]) * step
    assert found == pytest.approx(expected + noise, rel=1e-15)


@pytest.mark.parametrize("bounds", [(-10.0, 0.0), (-20.0, 5.0)])
def test_bounds_of_any_sign(way: Way, bounds: tuple[float, float]) -> None:
    given = {"epsilon": 1.0, "delta": DELTA, "lower": bounds[0], "upper": bounds[1]}
    made = way("parameters", "after", "laplace", given)()
    assert 0 < made["step"] <= max(map(abs, bounds)) / 2**10


def test_a_query_costs_what_it_did(way: Way) -> None:
    before, after = (way("cost", which, QUERY)() for which in ("before", "after"))
    assert before == after


def test_rare_keys_are_hidden(way: Way) -> None:
    """With a threshold of some 14, groups of 100 show, and groups of 1 do not."""
    query = "SELECT g, COUNT(*) AS n FROM t.t GROUP BY g"
    for rows, shown in ((100, 50), (1, 0)):
        found = way("query", "after", 50, rows, "laplace", query, 1, True)
        assert len(found()) == shown


def test_having_and_order(way: Way) -> None:
    query = QUERY + " HAVING COUNT(*) > 10 ORDER BY SUM(y) DESC"
    for kind in KINDS:
        noisy = np.array(way("query", "after", 50, 100, kind, query, 1)())
        assert 40 < len(noisy) <= 50
        assert np.all(np.diff(noisy[:, 3]) <= 0)


WRONG: list[dict[str, Any]] = [{"epsilon": 1e-9}, {"sensitivity": None}, {"upper": 1, "lower": 0}]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("kind", KINDS)
def test_wrong_parameters_raise_as_the_host_does(way: Way, kind: str, wrong: Any) -> None:
    errors = {way("error", which, kind, SUM | wrong)() for which in ("before", "after")}
    assert errors == {"ValueError"}
