"""mechanisms/_noisy_max.py: parameters, probabilities, and that draws follow them."""

import dataclasses
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded
from numpy.typing import NDArray
from samplers.goodness_of_fit import LIMIT, REJECTED
from scipy.stats import chi2

import cydp
from cydp import ExponentialMechanism, PermuteAndFlip, PrivacyFilter, PureDP
from cydp.testing import SeededGenerator

Floats = NDArray[np.float64]
MECHANISMS = [ExponentialMechanism, PermuteAndFlip]
each = pytest.mark.parametrize("kind", MECHANISMS)

LUNCH = [27, 23, 9, 0]


@each
def test_parameters_are_exact(kind: Any) -> None:
    m = kind(epsilon=0.1, sensitivity=3)
    assert (m.epsilon, m.sensitivity, m.monotonic, m.scale) == (Fraction(1, 10), 3, False, 60)
    assert kind(epsilon=0.1, sensitivity=3, monotonic=True).scale == 30
    assert repr(m) == f"{kind.__name__}(epsilon=0.1, sensitivity=3)"
    assert repr(kind(epsilon=1, monotonic=True, sensitivity=1)).endswith(
        "sensitivity=1, monotonic=True)"
    )
    assert m == kind(epsilon="1/10", sensitivity=3.0)
    assert m != kind(epsilon="1/10", sensitivity=3, monotonic=True)
    assert pickle.loads(pickle.dumps(m)) == m
    assert ExponentialMechanism(epsilon=1, sensitivity=1) != PermuteAndFlip(
        epsilon=1, sensitivity=1
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        m.epsilon = Fraction(2)


def test_losses() -> None:
    for epsilon in ("1", "0.1", 2 * Fraction(2) ** 4000, Fraction(1, 10**400)):
        exponential = ExponentialMechanism(epsilon=epsilon, sensitivity=1).loss
        assert (
            exponential.epsilon
            == PermuteAndFlip(epsilon=epsilon, monotonic=True, sensitivity=1).loss.epsilon
        )
        assert exponential.epsilon == Fraction(epsilon)
        assert exponential.rho == Fraction(epsilon) ** 2 / 8
        assert PermuteAndFlip(epsilon=epsilon, sensitivity=1).loss.rho == Fraction(epsilon) ** 2 / 2


@each
@pytest.mark.parametrize("name", ["epsilon", "sensitivity"])
def test_bad_parameters(kind: Any, name: str) -> None:
    for value in [0, -1, math.nan, math.inf, "x", 10**10**4, "1e400000"]:
        with pytest.raises(ValueError, match=name):
            kind(**{"epsilon": 1, "sensitivity": 1, name: value})
    for value in [True, None, [1], np.array([1.0]), 1j]:
        with pytest.raises(TypeError, match=name):
            kind(**{"epsilon": 1, "sensitivity": 1, name: value})


@each
@pytest.mark.parametrize("value", [1, 0, None, "yes", np.True_])
def test_monotonic_is_a_bool(kind: Any, value: Any) -> None:
    with pytest.raises(TypeError, match="monotonic must be"):
        kind(epsilon=1, monotonic=value, sensitivity=1)


@pytest.mark.parametrize(
    ("epsilon", "textbook", "within"),
    [(0.1, [0.40, 0.33, 0.16, 0.11], 0.01), (1, [0.88, 0.12, 1e-4, 1e-6], 0.005)],
)
def test_the_lunch_vote(
    seeded: Seeded, epsilon: float, textbook: list[float], within: float
) -> None:
    """Computed and drawn, as the lecture rounds: its fourth probability is 0.104."""
    m, n = ExponentialMechanism(epsilon=epsilon, sensitivity=1), 10**5
    probabilities = m.probabilities(LUNCH)
    assert np.allclose(probabilities, textbook, atol=within)
    assert np.allclose(np.log10(probabilities), np.log10(textbook), atol=0.1)
    drawn = m.release(np.tile(LUNCH, (n, 1)), rng=seeded(1))
    assert np.allclose(np.bincount(drawn, minlength=4) / n, textbook, atol=within)
    assert p_value(drawn, probabilities) > LIMIT


def p_value(drawn: NDArray[np.int64], probabilities: Floats) -> float:
    """Return the chi-square tail of what was drawn; rare candidates are counted as one."""
    counts, wanted = np.bincount(drawn, minlength=len(probabilities)), probabilities * len(drawn)
    rare = wanted < 50
    if wanted[rare].sum() < 50:  # with the least of the others
        rare[np.argmin(np.where(rare, np.inf, wanted))] = True
    counts = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(wanted[~rare], wanted[rare].sum())
    return float(chi2.sf(((counts - wanted) ** 2 / wanted).sum(), len(wanted) - 1))


N = 40_000
SCORES = {
    "two": [0.0, 1.0],
    "equal": [3.0] * 40,
    "lunch": [2.7, 2.3, 0.9, 0.0],
    "normal": (np.random.default_rng(1).normal(size=60) * 2).tolist(),
    "one far ahead": [6.0] + [0.0] * 30,
    "not finite": [math.nan, 1.0, -math.inf, 0.5],
    "infinite": [math.inf, 1.0, math.inf],
    "nothing": [-math.inf, math.nan, -math.inf],
}


@each
@pytest.mark.parametrize("name", SCORES)
def test_draws_follow_the_probabilities(seeded: Seeded, kind: Any, name: str) -> None:
    m, scores = kind(epsilon=1, monotonic=name == "normal", sensitivity=1), SCORES[name]
    probabilities = m.probabilities(scores)
    assert math.isclose(probabilities.sum(), 1, rel_tol=1e-12)
    drawn = m.release(np.tile(scores, (N, 1)), rng=seeded(2))
    assert not (np.bincount(drawn, minlength=len(probabilities))[probabilities == 0]).any()
    possible = np.flatnonzero(probabilities)
    assert p_value(np.searchsorted(possible, drawn), probabilities[possible]) > LIMIT


def noisy(scores: Floats, gumbel: bool, uniform: Floats, tie: Callable[[Floats], Any]) -> Any:
    exponential = -np.log1p(-uniform) if gumbel else -np.log(uniform)
    return tie(scores / 2 + (-np.log(exponential) if gumbel else exponential))


def first_within(slack: float) -> Callable[[Floats], Any]:
    """Take the first whose key is within `slack` of the best: who is second is not looked at."""
    return lambda keys: np.argmax(keys >= keys.max(axis=-1, keepdims=True) - slack, axis=-1)


@each
def test_mutants_are_rejected(kind: Any) -> None:
    """Twice the noise; contenders that nobody refines; bits that two candidates share."""
    gumbel, rng = kind is ExponentialMechanism, np.random.default_rng(1)
    scores = np.array(SCORES["normal"][:20])
    probabilities = kind(epsilon=1, sensitivity=1).probabilities(scores)
    uniform = rng.random((10 * N, len(scores)))

    def largest(keys: Floats) -> Any:
        return np.argmax(keys, axis=-1)

    def drawn(u: Floats, tie: Any = largest, s: Floats = scores) -> Any:
        return noisy(s, gumbel, u, tie)

    assert p_value(drawn(uniform), probabilities) > LIMIT
    mutants = {
        "half the noise": drawn(uniform, s=2 * scores),
        "twice the noise": drawn(uniform, s=scores / 2),
        "the second contender dropped": drawn(uniform, first_within(0.06)),
        "5 bits, never refined": drawn((np.floor(uniform * 32) + 0.5) / 32),
        "bits used twice": drawn(np.repeat(uniform[:, ::2], 2, axis=1)),
        "the other distribution": noisy(scores, not gumbel, uniform, largest),
    }
    for name, mutant in mutants.items():
        assert p_value(mutant, probabilities) < REJECTED, name


def permute_and_flip(weights: list[Fraction]) -> list[Fraction]:
    """Return its probabilities by the definition: flip coins in a random order until one lands."""
    m = len(weights)
    probabilities = [Fraction(0)] * m
    for order in permutations(range(m)):
        left = Fraction(1, math.factorial(m))
        for i in order:
            probabilities[i] += left * weights[i]
            left *= 1 - weights[i]
    return probabilities


@pytest.mark.parametrize("scores", [[0], [1, 1], [0, -1, -2], [3, 2.5, 1, 1, -4], LUNCH])
def test_permute_and_flip_is_what_it_says(scores: list[float]) -> None:
    """The best score's coin always lands, so every order ends."""
    m = PermuteAndFlip(epsilon=1, sensitivity=1)
    weights = [Fraction(math.exp((s - max(scores)) / 2)) for s in scores]
    assert np.allclose(
        m.probabilities(scores), [float(p) for p in permute_and_flip(weights)], rtol=1e-13
    )


def test_probabilities_of_many_equal_candidates() -> None:
    for m in (1, 2, 63, 64, 65, 1000, 30_000):
        for kind in MECHANISMS:
            assert np.allclose(
                kind(epsilon=1, sensitivity=1).probabilities(np.ones(m)) * m, 1, rtol=1e-10
            )


@each
def test_probabilities_keep_the_shape_and_the_rows(kind: Any) -> None:
    scores = np.random.default_rng(1).normal(size=(2, 3, 5))
    probabilities = kind(epsilon=2, sensitivity=3).probabilities(scores)
    assert probabilities.shape == scores.shape
    assert np.array_equal(
        probabilities[1, 2], kind(epsilon=2, sensitivity=3).probabilities(scores[1, 2].tolist())
    )
    assert np.allclose(
        probabilities, kind(epsilon=2, sensitivity=3).probabilities(scores + 100), rtol=1e-12
    )


@each
@pytest.mark.parametrize("epsilon", ["1e-400", "1e-300", "1", "1e300", "1e400"])
def test_extreme_rates_give_probabilities(kind: Any, epsilon: str, seeded: Seeded) -> None:
    for scores in ([1e308, -1e308], [5e-324, 0.0], [math.inf, 0.0], [math.nan, 1.0]):
        probabilities = kind(epsilon=epsilon, sensitivity=1).probabilities(scores)
        assert math.isclose(probabilities.sum(), 1)
        drawn = kind(epsilon=epsilon, sensitivity=1).release(
            np.tile(scores, (200, 1)), rng=seeded(1)
        )
        assert set(drawn.tolist()) == set(np.flatnonzero(probabilities).tolist())


@each
def test_integers_are_read_as_they_are(kind: Any) -> None:
    top, m = 2**63 - 1, kind(epsilon=10**6, sensitivity=1)
    for scores, best in [
        (np.array([top - 1, top, -top - 1]), 1),
        (np.array([2**64 - 2, 2**64 - 1, 0], np.uint64), 1),
        (np.array([2**53, 2**53 + 1]), 1),
        ([2**53 + 1, 2**53], 0),
        ([2**62, 2**62 + 1, 0], 1),
    ]:
        assert {m.release(scores) for _ in range(30)} == {best}
        assert math.isclose(m.probabilities(scores)[best], 1)


@each
@pytest.mark.parametrize(
    "dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">f8", ">i8", ">u8"]
)
def test_release_of_every_dtype(kind: Any, dtype: str) -> None:
    scores = np.array([[1, 9, 3], [9, 0, 0]]).astype(dtype)
    m = kind(epsilon=1000, sensitivity=1)
    assert m.release(scores).tolist() == [1, 0]
    assert m.release(scores[::-1, ::-2]).tolist() == [1, 0]
    scores.setflags(write=False)
    assert m.release(scores).dtype == np.int64
    assert type(m.release(scores[0])) is int


@each
def test_release_keeps_shapes(kind: Any) -> None:
    m = kind(epsilon=1, sensitivity=1)
    for shape in [(1, 1), (2, 3, 4), (0, 3), (2, 0, 3)]:
        chosen = m.release(np.zeros(shape))
        assert chosen.shape == shape[:-1]
        assert chosen.dtype == np.int64
    assert m.release([[1, 2], [3, 4]]).shape == (2,)
    assert m.release((5,)) == 0


@each
@pytest.mark.parametrize(
    "scores",
    [
        *[1.0, np.float64(1), None, "12", ["1"], [True], [[1], [1, 2]], [1j], {1: 2}],
        *[np.array(["1"]), np.array([True]), np.array([1j]), np.array([1], "M8[s]")],
        *[np.zeros(2, np.longdouble), np.zeros(()), np.array([1], object)],
        np.ma.array([1.0, 2.0], mask=[0, 1]),
    ],
)
def test_release_takes_numbers_only(kind: Any, scores: Any) -> None:
    budget = PrivacyFilter(PureDP(1))
    for function in (
        kind(epsilon=1, sensitivity=1).probabilities,
        lambda s: kind(epsilon=1, sensitivity=1).release(s, budget=budget),
    ):
        with pytest.raises(TypeError, match="scores must be"):
            function(scores)
    assert budget.spent == PureDP(0)


@each
@pytest.mark.parametrize("scores", [[], [[], []], np.zeros(0), np.zeros((0, 0)), np.zeros((3, 0))])
def test_no_candidate_is_an_error_before_a_charge(kind: Any, scores: Any) -> None:
    budget = PrivacyFilter(PureDP(1))
    with pytest.raises(ValueError, match="at least one candidate"):
        kind(epsilon=1, sensitivity=1).release(scores, budget=budget)
    assert budget.spent == PureDP(0)


class Column:
    """An array that says when it is read."""

    dtype = np.dtype(np.float64)

    def __init__(self, shape: tuple[int, ...], gives: NDArray[Any] | None = None) -> None:
        self.shape, self.gives = shape, gives

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        if self.gives is None:
            raise AssertionError("read")
        return self.gives


@each
def test_a_budget_pays_for_each_row_before_they_are_read(kind: Any) -> None:
    budget = PrivacyFilter(PureDP(1))
    kind(epsilon=0.1, sensitivity=1).release(np.zeros((2, 3, 4)), budget=budget)
    assert budget.spent.epsilon == Fraction(6, 10)
    with pytest.raises(cydp.BudgetExceededError):
        kind(epsilon=0.1, sensitivity=1).release(Column((5, 3)), budget=budget)
    assert budget.spent.epsilon == Fraction(6, 10)
    with pytest.raises(AssertionError, match="read"):
        kind(epsilon=0.1, sensitivity=1).release(Column((4, 3)), budget=budget)
    assert budget.remaining.epsilon == 0  # no refund
    assert kind(epsilon=1, sensitivity=1).release(Column((2,), np.array([0.0, 1e9]))) == 1


@each
def test_a_zcdp_budget_pays_rho(kind: Any) -> None:
    budget = PrivacyFilter(cydp.ZCDP(1))
    kind(epsilon=1, sensitivity=1).release(np.zeros((2, 3)), budget=budget)
    share = Fraction(1, 8) if kind is ExponentialMechanism else Fraction(1, 2)
    assert budget.spent == cydp.ZCDP(2 * share)


@each
def test_a_column_is_what_it_said(kind: Any) -> None:
    with pytest.raises(ValueError, match="shape"):
        kind(epsilon=1, sensitivity=1).release(Column((2,), np.zeros(3)))
    with pytest.raises(ValueError, match="dtype"):
        kind(epsilon=1, sensitivity=1).release(Column((1,), np.array([None])))
    nothing = Column((1,))
    nothing.dtype = None  # type: ignore[assignment]
    with pytest.raises(TypeError, match="scores must be"):
        kind(epsilon=1, sensitivity=1).release(nothing)


@each
@pytest.mark.parametrize("rng", [0, np.random.default_rng(0), "os", cydp.Generator])
def test_release_takes_cydp_generators_only(kind: Any, rng: Any) -> None:
    with pytest.raises(TypeError, match=r"rng must be a cydp\.Generator"):
        kind(epsilon=1, sensitivity=1).release([1, 2], rng=rng)
    with pytest.raises(TypeError, match="seeded"):
        kind(epsilon=1, sensitivity=1).release(
            [1, 2], rng=SeededGenerator(1), budget=PrivacyFilter(PureDP(1))
        )


@each
def test_error_bounds_hold(kind: Any) -> None:
    """The score's distance from the best exceeds the bound as rarely as it says."""
    rng = np.random.default_rng(1)
    for monotonic in (False, True):
        m = kind(epsilon=1, sensitivity=2, monotonic=monotonic)
        for confidence in (0.5, 0.95, "0.999"):
            bound = m.error_bound(confidence, count=30)
            miss = 1 - float(Fraction(confidence))
            scale = float(m.scale)
            assert math.isclose(bound, scale * math.log(30 / miss), rel_tol=1e-9)
            for scores in (rng.normal(size=30) * 9, np.append(0, np.full(29, -bound - 1e-9))):
                far = scores < scores.max() - bound
                assert m.probabilities(scores)[far].sum() <= miss


@each
def test_bad_error_bounds(kind: Any) -> None:
    m = kind(epsilon=1, sensitivity=1)
    for confidence in [0, 1, -0.5, 1.5, math.nan, "x"]:
        with pytest.raises(ValueError, match="confidence"):
            m.error_bound(confidence, count=2)
    with pytest.raises(ValueError, match="count"):
        m.error_bound(count=0)
    for count in (True, 1.5, None):
        with pytest.raises(TypeError, match="count"):
            m.error_bound(count=count)
    assert m.error_bound(1 - Fraction(1, 10**400), count=1) > 1800
    assert m.error_bound(count=10**400) > 1800


@each
def test_messages_show_no_score(kind: Any) -> None:
    for scores in ([123456, "x"], [[123456.5], [1, 2]]):
        with pytest.raises(TypeError) as error:
            kind(epsilon=1, sensitivity=1).release(scores)
        assert "123456" not in str(error.value)
