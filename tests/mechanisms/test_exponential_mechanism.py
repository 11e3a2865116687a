"""mechanisms/_noisy_max.py: parameters, probabilities, and that draws follow them."""

import math
import pickle
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded
from numpy.typing import NDArray
from samplers.goodness_of_fit import LIMIT, REJECTED
from scipy.stats import chisquare

from cydp import ExponentialMechanism, PermuteAndFlip, PureDP
from cydp.sensitivity import count

Floats = NDArray[np.float64]
MECHANISMS = [ExponentialMechanism, PermuteAndFlip]
each = pytest.mark.parametrize("kind", MECHANISMS)

LUNCH = [27, 23, 9, 0]
TOP = 2**60 + 1  # no float64
DTYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")


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
    one, other = (either(epsilon=1, sensitivity=1) for either in MECHANISMS)
    assert one != other
    assert m.__dataclass_params__.frozen
    stated = kind(epsilon=1, sensitivity=count(relation="change-one"))
    assert stated.relation == stated.loss.relation == "change-one"
    # Scores that only rise fall when a record changes: half the noise is for one that comes.
    for norm in (1, count()):
        m = kind(epsilon=1, sensitivity=norm, monotonic=True)
        assert m.relation == m.loss.relation == "add-remove"


def test_losses() -> None:
    for epsilon in ("1", "0.1", 2 * Fraction(2) ** 4000, Fraction(1, 10**400)):
        exponential = ExponentialMechanism(epsilon=epsilon, sensitivity=1).loss
        monotonic = PermuteAndFlip(epsilon=epsilon, monotonic=True, sensitivity=1).loss
        assert exponential.epsilon == monotonic.epsilon == Fraction(epsilon)
        assert exponential.rho == Fraction(epsilon) ** 2 / 8
        assert PermuteAndFlip(epsilon=epsilon, sensitivity=1).loss.rho == PureDP(epsilon).rho


def p_value(drawn: NDArray[np.int64], probabilities: Floats) -> float:
    """Return the chi-square tail of what was drawn; rare candidates are counted as one."""
    counts, wanted = np.bincount(drawn, minlength=len(probabilities)), probabilities * len(drawn)
    rare = wanted < 50
    if wanted[rare].sum() < 50:  # with the least of the others
        rare[np.argmin(np.where(rare, np.inf, wanted))] = True
    counts = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(wanted[~rare], wanted[rare].sum())
    return float(chisquare(counts, wanted).pvalue)


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
    if name == "normal":
        (other,) = {ExponentialMechanism, PermuteAndFlip} - {kind}
        mutants = {
            "half the noise": kind(epsilon=2, monotonic=True, sensitivity=1),
            "twice the noise": kind(epsilon=1, sensitivity=1),
            "the other distribution": other(epsilon=1, monotonic=True, sensitivity=1),
        }
        fit = [told for told, mutant in mutants.items()
               if p_value(drawn, mutant.probabilities(scores)) >= REJECTED]  # fmt: skip
        assert fit == []


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


def test_permute_and_flip_is_what_it_says() -> None:
    """The best score's coin always lands, so every order ends."""
    m = PermuteAndFlip(epsilon=1, sensitivity=1)
    for scores in ([0], [1, 1], [0, -1, -2], [3, 2.5, 1, 1, -4], LUNCH, [TOP, TOP - 3, 0.5]):
        weights = [Fraction(math.exp(max((s - max(scores)) / 2, -700))) for s in scores]
        expected = [float(p) for p in permute_and_flip(weights)]
        assert np.allclose(m.probabilities(scores), expected, rtol=1e-13, atol=1e-300)


@each
def test_probabilities_of_many_equal_candidates(kind: Any) -> None:
    for m in (1, 2, 63, 64, 65, 1000, 30_000):
        probabilities = kind(epsilon=1, sensitivity=1).probabilities(np.ones(m))
        assert np.allclose(probabilities * m, 1, rtol=1e-10)


@each
def test_probabilities_keep_the_shape_and_the_rows(kind: Any) -> None:
    scores, m = np.random.default_rng(1).normal(size=(2, 3, 5)), kind(epsilon=2, sensitivity=3)
    probabilities = m.probabilities(scores)
    assert probabilities.shape == scores.shape
    assert np.array_equal(probabilities[1, 2], m.probabilities(scores[1, 2].tolist()))
    assert np.allclose(probabilities, m.probabilities(scores + 100), rtol=1e-12)


@each
def test_extreme_rates_give_probabilities(kind: Any, seeded: Seeded) -> None:
    for epsilon in ("1e-400", "1e-308", "1e-300", "1", "1e300", "1e400"):
        m = kind(epsilon=epsilon, sensitivity=1)
        for scores in ([1e308, -1e308], [5e-324, 0.0], [math.inf, 0.0], [math.nan, 1.0]):
            probabilities = m.probabilities(scores)
            assert math.isclose(probabilities.sum(), 1)
            drawn = m.release(np.tile(scores, (200, 1)), rng=seeded(1))
            assert set(drawn.tolist()) == set(np.flatnonzero(probabilities).tolist())
    # The difference of the scores is no float; its product with the rate is 1.
    odds = math.exp(-1)
    found = kind(epsilon="1e-308", sensitivity=1).probabilities([1e308, -1e308])
    assert found[1] == pytest.approx(odds / (1 + odds) if kind is MECHANISMS[0] else odds / 2)


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
def test_release_of_every_dtype(kind: Any) -> None:
    m = kind(epsilon=1000, sensitivity=1)
    for dtype in (*DTYPES, "f2", "f4", "f8", ">f8", ">i8", ">u8"):
        scores = np.array([[1, 9, 3], [9, 0, 0]]).astype(dtype)
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
def test_error_bounds_hold(kind: Any) -> None:
    """The score's distance from the best exceeds the bound as rarely as it says."""
    rng = np.random.default_rng(1)
    for monotonic in (False, True):
        m = kind(epsilon=1, sensitivity=2, monotonic=monotonic)
        for confidence in (0.5, 0.95, "0.999"):
            bound = m.error_bound(confidence, candidates=30)
            miss = 1 - float(Fraction(confidence))
            scale = float(m.scale)
            assert math.isclose(bound, scale * math.log(30 / miss), rel_tol=1e-9)
            for scores in (rng.normal(size=30) * 9, np.append(0, np.full(29, -bound - 1e-9))):
                far = scores < scores.max() - bound
                assert m.probabilities(scores)[far].sum() <= miss


@each
def test_extreme_error_bounds(kind: Any) -> None:
    m = kind(epsilon=1, sensitivity=1)
    assert m.error_bound(1 - Fraction(1, 10**400), candidates=2) > 1800
    assert m.error_bound(candidates=10**400) > 1800
