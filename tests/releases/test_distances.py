"""releases/_distances.py: means and variances from distances to both bounds of the numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from releases.exact_answers import answers, without_noise
from scipy.stats import binom

import cydp
from cydp import ApproxDP, BudgetLedger, DiscreteGaussian, DiscreteLaplace, PureDP
from cydp.releases._distances import (
    DISTANCES,
    MeanByDistances,
    VarianceByDistances,
    _combined_bound,
    spread_within,
)
from cydp.testing import SeededGenerator

BOUNDS = (-4, 10)
FUNCTIONS: dict[str, Callable[..., Any]] = {"mean": cydp.mean, "variance": cydp.variance}
VALUES = (None, -9.0, -4.0, 0.1, 3.0, 9.99, 10.0, 77.0)
ALMOST_NEVER = 1e-6


# Privacy


def tables(most: int) -> Iterator[tuple[Any, ...]]:
    for n in range(most + 1):
        yield from itertools.combinations_with_replacement(VALUES, n)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("missing", ["drop", 2])
def test_all_small_neighbours_keep_epsilon(name: str, missing: Any) -> None:
    """The odds of an output move by exp(|change| / scale) at most: exactly epsilon, and reached."""
    given = {"epsilon": "7/10", "missing": missing}
    found: dict[tuple[Any, ...], NDArray[np.int64]] = {}
    with without_noise() as recorder:
        for table in tables(3):
            release = lambda table=table: FUNCTIONS[name](list(table), BOUNDS, **given)  # noqa: E731
            found[table] = answers(recorder, 1, release).exact[DISTANCES]
    (part,) = FUNCTIONS[name]([], BOUNDS, **given).query.parts.values()
    spent = Fraction(0)
    for table, exact in found.items():
        for i in range(len(table)):
            moved = abs(exact - found[table[:i] + table[i + 1 :]]).sum()
            spent = max(spent, Fraction(int(moved)) / part.noise.scale)
    allowed = Fraction(7, 10)
    assert allowed * (1 - Fraction(1, 2**19)) <= spent <= allowed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_users_move_it_by_all_their_rows(name: str) -> None:
    random = np.random.default_rng(1)
    largest = 0.0

    def exact(recorder: Any, secret: int, x: Any, users: Any) -> Any:
        return answers(
            recorder,
            secret,
            lambda: FUNCTIONS[name](x, BOUNDS, user=users, epsilon=1, max_rows=3),
        )

    with without_noise() as recorder:
        for i in range(200):
            x = random.choice([-4, 10, random.uniform(-4, 10)], 12)
            users = random.integers(0, 3, 12)
            some = users != 2
            one = exact(recorder, i, x, users)
            two = exact(recorder, i, x[some], users[some])
            (part,) = one.query.parts.values()
            moved = abs(one.exact[DISTANCES] - two.exact[DISTANCES]).sum()
            largest = max(largest, float(moved / part.change.l1))
    assert 0.99999 < largest <= 1


def test_where_distances_are_used() -> None:
    """Where rows come and go, for Laplace noise, unless the caller splits the privacy."""
    used: list[dict[str, Any]] = [
        {"epsilon": 1}, {"epsilon": 1, "missing": 2}, {"epsilon": 1, "max_rows_per_unit": 3},
        {"epsilon": 1, "user": [1], "max_rows": 3}, {"epsilon": 1, "delta": 1e-6},
    ]  # fmt: skip
    other: list[dict[str, Any]] = [
        {"rho": 1}, {"epsilon": 1, "relation": "change-one"},
        {"epsilon": 1, "relation": "add-remove-or-change"}, {"epsilon": 1, "split": {"sum": 1}},
        {"epsilon": 1, "user": [1], "max_rows": 3, "unit": ("household", "person")},
        {"epsilon": 1, "delta": 1e-6, "noise": "gaussian"}, {"epsilon": 1, "split": {}},
    ]  # fmt: skip
    for function in FUNCTIONS.values():
        for arguments in used:
            release = function([1.0], BOUNDS, **arguments)
            assert list(release.query.parts) == [DISTANCES], arguments
            assert isinstance(release.mechanism, DiscreteLaplace)
            assert release.loss == PureDP(1, relation="add-remove")
        for arguments in other:
            assert DISTANCES not in function([1.0], BOUNDS, **arguments).query.parts, arguments
        assert DISTANCES not in function([1.0], (5, 5), epsilon=1).query.parts


def test_one_width_of_noise_for_the_whole_epsilon() -> None:
    mean, variance = (each([1], (0, 8), epsilon="1/2").query.parts for each in FUNCTIONS.values())
    scales = [float(parts[DISTANCES].noise.scale * parts[DISTANCES].step) for parts in
              (mean, variance)]  # fmt: skip
    assert scales[0] == 16
    assert scales[1] == pytest.approx(128, rel=2**-18)
    assert scales[1] > 128  # rounded up


# Error


@pytest.mark.parametrize("y", [0, 0.3, 0.5, 1])
def test_a_mean_has_half_the_variance_of_a_split(y: float) -> None:
    """By the first derivatives of both: everywhere between the bounds."""
    (part,) = cydp.mean([], (0, 1), epsilon=1).query.parts.values()
    split = cydp.mean([], (0, 1), epsilon=1, split={"sum": 1}).query.parts
    now = part.variance * ((1 - y) ** 2 + y**2)
    before = split["sum"].variance + (y - 0.5) ** 2 * split["count"].variance
    assert now == pytest.approx(before / 2, rel=2e-2)


@pytest.mark.parametrize(("p", "q", "gain"), [(0.25, 0.25, 3), (0.5, 0.5, 4.5), (1, 0, 3.375)])
def test_a_variance_has_a_third_of_the_variance_of_a_split(p: float, q: float, gain: float) -> None:
    """All numbers in the middle; half at each bound; all at one bound."""
    r = 1 - p - q
    (part,) = cydp.variance([], (0, 1), epsilon=1).query.parts.values()
    split = cydp.variance([], (0, 1), epsilon=1, split={"sum": 1}).query.parts
    spread, square, mean = p * q - r**2 / 4, (p + q - r) / 4, (p - q) / 2
    slopes = q - 2 * spread, p - 2 * spread, -r / 2 - 2 * spread
    now = part.variance * sum(each**2 for each in slopes)
    before = (
        split["squares"].variance
        + (2 * mean) ** 2 * split["sum"].variance
        + (2 * mean**2 - square) ** 2 * split["count"].variance
    )
    assert before / now == pytest.approx(gain, rel=1e-2)


def test_the_noise_of_a_variance_is_compared_as_a_whole() -> None:
    """The determinants that turn the noise of distances into that of the sums about c."""
    width = 3.0
    to_sums = np.array([[0.5, -0.5], [1 / width, 1 / width]])
    assert abs(np.linalg.det(to_sums)) == pytest.approx(1 / width)
    rows = [[0.25, 0.25, -0.25], [0.5 / width, -0.5 / width, 0], [1 / width**2] * 3]
    assert abs(np.linalg.det(np.array(rows))) == pytest.approx(1 / (2 * width**3))
    for name, entries in (("mean", 2), ("variance", 3)):
        query = FUNCTIONS[name]([], (0, width), epsilon=1).query
        volume = 1 / width if entries == 2 else 1 / (2 * width**3)
        (part,) = query.parts.values()
        expected = entries * math.log(part.variance) + 2 * math.log(volume)
        assert query.log_noise == pytest.approx(expected)


# Intervals


def test_two_noises_together_stay_within_their_bound() -> None:
    """Against the convolution of two discrete Laplace distributions, for all shares."""
    scale = 40.0
    k = np.arange(-1600, 1601)
    mass = np.exp(-abs(k) / scale)
    mass /= mass.sum()
    for share in (0.5, 0.52, 0.6, 0.75, 0.9, 0.99, 1.0):
        for log_failure in (math.log(0.5), math.log(0.05), math.log(1e-6)):
            bound = scale * float(_combined_bound(np.float64(share), log_failure)) + 1
            beyond = abs(np.add.outer(share * k, (1 - share) * k)) > bound
            missed = mass @ beyond @ mass
            assert missed <= math.exp(log_failure)
            if log_failure > -5:
                assert missed > 0.8 * math.exp(log_failure)  # and is not much wider


def noisy(part: Any, exact: Any, runs: int, seed: int) -> NDArray[np.int64]:
    """Return an exact answer with noise, so often."""
    generator = SeededGenerator(seed)
    drawn = [part.noise.release(np.full(runs, each), rng=generator) for each in exact]
    return np.stack(drawn, axis=-1)


def few(held: int, runs: int, confidence: float) -> bool:
    """Whether so few intervals hold what is stated by a chance below one in a million."""
    return float(binom.cdf(held, runs, confidence)) < ALMOST_NEVER


@pytest.mark.parametrize("n", [1, 10, 10**3, 10**5])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 1.0])
def test_intervals_of_means_hold(share: float, n: int) -> None:
    """10^4 draws of each: as often as stated, and the error before data as well."""
    query = cydp.mean([], (0, 1), epsilon=1).query
    (answer,) = query.answers()
    assert isinstance(answer, MeanByDistances)
    k = round(share * query.width) * n
    true, runs = k / (query.width * n), 10**4
    drawn = noisy(answer.part, (k, query.width * n - k), runs, n)
    for confidence in (0.5, 0.95):
        lower, upper = answer.interval({DISTANCES: drawn}, confidence, 1)
        held = int(((lower <= true) & (true <= upper)).sum())
        assert not few(held, runs, confidence)
        bound = answer.error(confidence, 1, n)
        near = int((abs(answer.values({DISTANCES: drawn}) - true) <= float(bound)).sum())
        assert not few(near, runs, confidence)
        if n == 10**5 and 0 < share < 1:
            assert held < runs * (confidence + 0.02)  # it is not much wider


def test_an_interval_that_is_narrower_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = MeanByDistances._bound
    monkeypatch.setattr(
        MeanByDistances, "_bound", lambda self, share, log: 0.8 * kept(self, share, log)
    )
    with pytest.raises(AssertionError):
        test_intervals_of_means_hold(0.3, 10**3)


@pytest.mark.parametrize("runs", [300, pytest.param(10**4, marks=pytest.mark.long)])
@pytest.mark.parametrize("n", [10, 10**3, 10**5])
@pytest.mark.parametrize("values", [(0.5,), (0.0, 1.0), (1.0,), (0.2, 0.3)])
def test_intervals_of_variances_hold(values: tuple[float, ...], n: int, runs: int) -> None:
    with without_noise() as recorder:
        x = np.resize(values, n)
        made = answers(recorder, 1, lambda: cydp.variance(x, (0, 1), epsilon=1))
    (answer,) = made.query.answers()
    assert isinstance(answer, VarianceByDistances)
    true, missed, far = float(np.var(x)), 0, 0
    drawn = noisy(answer.part, made.exact[DISTANCES], runs, n)
    bound = answer.error("0.95", 1, n)
    for steps in drawn.tolist():
        lower, upper = answer.interval({DISTANCES: steps}, "0.95", 1)
        missed += not lower <= true <= upper
        far += abs(answer.values({DISTANCES: steps}) - Fraction(true)) > bound
    assert not few(runs - missed, runs, 0.95)
    assert not few(runs - far, runs, 0.95)


HALVES = st.integers(0, 40).map(lambda n: Fraction(n, 2))
INTERVALS = st.tuples(HALVES, HALVES).map(lambda ends: (min(ends), max(ends)))
PARTS = st.integers(0, 12).map(lambda n: Fraction(n, 12))


@given(INTERVALS, INTERVALS, INTERVALS, PARTS, PARTS, PARTS)
def test_a_box_of_sums_holds_its_variances(
    p: Any, q: Any, r: Any, i: Fraction, j: Fraction, k: Fraction
) -> None:
    one, two, three = (
        ends[0] + part * (ends[1] - ends[0])
        for ends, part in zip((p, q, r), (i, j, k), strict=True)
    )
    if (total := one + two + three) == 0:
        return
    lower, upper = spread_within(p, q, r)
    spread = (one * two - three**2 / 4) / total**2
    assert lower <= max(spread, 0)
    assert spread <= upper <= Fraction(1, 4)


def test_a_variance_is_least_and_largest_where_its_box_says() -> None:
    """Largest between two ends, of numbers of which half are at each bound; least with all of R."""
    none, one, many = Fraction(0), Fraction(1), Fraction(20)
    assert spread_within((none, many), (one, one), (none, none)) == (0, Fraction(1, 4))
    assert spread_within((one, one), (none, many), (none, none)) == (0, Fraction(1, 4))
    lower, upper = spread_within((many, many), (many, many), (one, many))
    assert (lower, upper) == (300 / Fraction(60) ** 2, Fraction(1599, 4) / 41**2)


@given(st.lists(st.fractions(0, 1, max_denominator=20), min_size=1, max_size=6))
def test_the_spread_is_the_variance(y: list[Fraction]) -> None:
    sums = (
        sum(each**2 for each in y), sum((1 - each) ** 2 for each in y),
        sum(2 * each * (1 - each) for each in y),
    )  # fmt: skip
    assert sum(sums) == len(y)
    mean = sum(y) / Fraction(len(y))
    variance = sum((each - mean) ** 2 for each in y) / len(y)
    ends: Any = [(each, each) for each in sums]
    assert spread_within(*ends) == (variance, variance)


def test_no_noise_moves_a_variance_by_more_than_its_share() -> None:
    """For the error before data: the slopes of the variance add up to 1 at most."""
    p, q = np.meshgrid(*[np.linspace(0, 1, 401)] * 2)
    r = 1 - p - q
    spread = p * q - r**2 / 4
    slopes = abs(q - 2 * spread) + abs(p - 2 * spread) + abs(r / 2 + 2 * spread)
    possible = (r >= 0) & (spread >= 0)
    assert slopes[possible].max() <= 1 + 1e-12


# Values and records


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parts_are_kept_by_what_is_made_of_them(name: str) -> None:
    release = FUNCTIONS[name]([1.0, 2, None, 77], BOUNDS, epsilon=1)
    assert all(each.denominator == 1 for each in map(Fraction, release._distances))
    assert release.to_dict()["exact"][DISTANCES] == [int(each) for each in release._distances]
    with without_noise():
        exact = FUNCTIONS[name]([1.0, 2, None, 10], BOUNDS, epsilon=1)
    assert float(exact.rows) == pytest.approx(3, abs=1e-5)
    assert float(exact.deviations * exact.query.grid.step) == pytest.approx(13 - 3 * 3, abs=1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_pieces_add_up_and_ledgers_keep_them(name: str, tmp_path: Any) -> None:
    x = [1.0, 2, None, 77] * 5
    with BudgetLedger.create(tmp_path / "l", ApproxDP(9, 1e-3), privacy_unit="row") as ledger:
        scope = ledger.scope(charge_id="monday")
        one, two = (FUNCTIONS[name](x, BOUNDS, epsilon=1, budget=scope) for _ in range(2))
        assert one == two
        assert one.exact == two.exact
        assert ledger.spent == ApproxDP(1, 0)


def test_answers_do_not_depend_on_which_bound_is_first() -> None:
    """Mirrored numbers have the mirrored mean, also with few rows."""
    (mean,) = cydp.mean([], (0, 1), epsilon=1).query.answers()
    for pair in ((3, 1), (-5, 4), (0, 0), (-7, -2), (2**40, 1)):
        one = mean.values({DISTANCES: pair})
        assert one + mean.values({DISTANCES: pair[::-1]}) == 1
        assert 0 <= one <= 1
        arrays = mean.values({DISTANCES: np.array([pair])})
        assert arrays.tolist() == pytest.approx([float(one)])


# By key


def test_means_by_key_are_as_for_one() -> None:
    """10^4 keys with the same numbers: intervals, also of all together, hold as often as stated."""
    keys, x = 10**4, [1.0, 2, None, 77]
    table = {"key": np.repeat(np.arange(keys), len(x)), "x": np.array(x * keys, float)}
    release = cydp.group_by(
        table, "key", keys=np.arange(keys), means={"x": BOUNDS}, count=False, epsilon=2,
        rng=SeededGenerator(5),
    )  # fmt: skip
    alone = cydp.mean([], BOUNDS, epsilon=2).query
    assert release.query.parts["mean_x"].noise == alone.parts[DISTANCES].noise
    assert release.steps[0].shape == (keys, 2)
    lower, upper = release.interval(column="mean_x")
    true = (1 + 2 + 10) / 3
    held = int(((lower <= true) & (true <= upper)).sum())
    assert not few(held, keys, 0.95)
    lower, upper = release.interval(column="mean_x", count=keys)
    assert ((lower <= true) & (true <= upper)).all()


def test_means_by_key_are_exact_without_noise() -> None:
    table = {"k": ["a", "a", "b", "a", "c"], "x": [1.0, 4, 2, np.nan, np.nan]}
    filled: dict[str, Any] = {"missing": 7, "count": False}
    for arguments, expected in (({}, [2.5, 2]), (filled, [4, 2])):
        release = cydp.group_by(
            table, "k", keys=["a", "b", "c"], means={"x": BOUNDS}, epsilon=10**6,
            rng=SeededGenerator(1), **arguments,
        )  # fmt: skip
        assert release["mean_x"][:2] == pytest.approx(expected, abs=1e-4)
        lower, upper = release.interval(column="mean_x")
        assert (upper - lower)[:2].max() < 1e-3


def test_all_small_tables_by_key_keep_epsilon() -> None:
    """With counts and sums beside the means: all together cost epsilon, and reach it."""
    rows = [(key, x) for key in ("a", "b", "z") for x in (None, -4.0, 0.1, 10.0)]
    arguments: dict[str, Any] = {
        "keys": ["a", "b"], "sums": {"x": BOUNDS}, "means": {"x": BOUNDS}, "epsilon": "7/10",
    }  # fmt: skip
    found: dict[Any, dict[str, Any]] = {}
    with without_noise() as recorder:

        def exact(table: Any) -> dict[str, Any]:
            columns = {"k": [key for key, _ in table], "x": [x for _, x in table]}
            columns["x"] = np.array(columns["x"], float)
            return answers(recorder, 1, lambda: cydp.group_by(columns, "k", **arguments)).exact

        for n in (1, 2):
            for table in itertools.combinations_with_replacement(rows, n):
                found[table] = exact(table)
    parts = cydp.explain(cydp.group_by, "k", **arguments | {"keys": 2}).query.parts
    assert list(parts) == ["n", "sum_x", "mean_x"]
    spent = 0.0
    for table, one in found.items():
        for i in range(len(table)):
            if rest := table[:i] + table[i + 1 :]:
                spent = max(
                    spent,
                    sum(
                        abs(one[name] - found[rest][name]).sum() / float(part.noise.scale)
                        for name, part in parts.items()
                    ),
                )
    assert spent == pytest.approx(0.7)


def test_which_means_by_key_are_from_distances() -> None:
    """Those that count rows of their own; where the count is shared, that has less noise."""

    def names(**given: Any) -> list[str]:
        query = cydp.explain(cydp.group_by, "k", means={"x": BOUNDS}, **given).query
        is_new = "rows of mean_x" not in query.parts
        assert ("distances" in str(query.to_dict())) == is_new
        return list(query.parts)

    keys: dict[str, Any] = {"keys": 2, "epsilon": 1}
    assert names(**keys) == ["n", "mean_x"]
    assert names(**keys, count=False, missing=1) == ["mean_x"]
    assert names(**keys, relation="change-one") == ["n", "rows of mean_x", "mean_x"]
    assert names(keys=2, rho=1) == ["n", "rows of mean_x", "mean_x"]
    assert names(epsilon=1, delta=1e-6) == ["n", "mean_x"]
    assert names(epsilon=1, delta=1e-6, noise="gaussian") == ["n", "rows of mean_x", "mean_x"]
    shared = cydp.explain(cydp.group_by, "k", means={"x": BOUNDS}, missing=1, **keys).query
    assert "distances" not in str(shared.to_dict())
    counts = cydp.explain(cydp.value_counts, **keys).query
    assert "distances" not in str(counts.to_dict())


def test_found_keys_have_their_distances() -> None:
    """Tallies of pieces with other keys add up to that of all; a ledger keeps what was drawn."""
    table = {"k": ["a"] * 300 + ["b"] * 300, "x": [1.0, 2.0, 9.0] * 200}
    release = cydp.group_by(table, "k", means={"x": (0, 10)}, epsilon=9, delta=0.1)
    assert release.steps[-1].shape == (2, 2)
    assert release["mean_x"] == pytest.approx([4, 4], abs=0.5)


def test_delta_is_left_where_distances_win() -> None:
    assert isinstance(cydp.mean([1], (0, 1), epsilon=1, delta=1e-6).loss, PureDP)
    many: dict[str, Any] = {"epsilon": "1/10", "delta": 0.3}
    for noise, kind in (("laplace", DiscreteLaplace), ("gaussian", DiscreteGaussian)):
        for function in FUNCTIONS.values():
            parts = function([1], (0, 1), noise=noise, **many).query.parts
            assert {type(part.mechanism) for part in parts.values()} == {kind}


def test_a_column_may_be_called_as_the_rows_of_another() -> None:
    table = {"k": ["a"] * 4, "x": [1.0, 2, 1, 2], "x_rows": [100.0, 200, 100, 200]}
    for relation in ("add-remove", "change-one"):
        for names in (["x", "x_rows"], ["x_rows", "x"]):
            made = cydp.group_by(
                table, "k", keys=["a"], count=False, epsilon=10**5, relation=relation,
                means={name: (0, 10 if name == "x" else 1000) for name in names},
            )  # fmt: skip
            assert made["mean_x"][0] == pytest.approx(1.5, abs=1e-2)
            assert made["mean_x_rows"][0] == pytest.approx(150, abs=1)
