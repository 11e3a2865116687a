"""local/_unary_encoding.py: what it promises exactly, bits against exact chances, estimates."""

import itertools
import math
import pickle
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from samplers.goodness_of_fit import LIMIT, REJECTED
from scipy.stats import chi2

from cydp import PrivacyFilter, PureDP
from cydp.accounting import BudgetExceededError, RelationMismatchError
from cydp.local import UnaryEncoding
from cydp.testing import SeededGenerator

CONTEXT = Context(80)


def chance(report: tuple[int, ...], code: int, p: Fraction, w: Fraction) -> Fraction:
    """P(report) for a true code; one outside the categories has no bit of its own."""
    ones = [p if place == code else w for place in range(len(report))]
    return math.prod(
        (one if bit else 1 - one for bit, one in zip(report, ones, strict=True)), start=Fraction(1)
    )


def largest_ratio(k: int, p: Fraction, w: Fraction) -> Fraction:
    """The largest ratio of the chances of a report for two codes, one of them outside."""
    reports = list(itertools.product((0, 1), repeat=k))
    return max(
        chance(report, x, p, w) / chance(report, y, p, w)
        for report in reports for x in range(k + 1) for y in range(k + 1)
    )  # fmt: skip


@pytest.mark.parametrize("k", [2, 3, pytest.param(5, marks=pytest.mark.long)])
def test_no_report_is_more_likely_than_epsilon_allows(k: int) -> None:
    for epsilon in ("1e-30", "0.01", "1", "5", "60"):
        m = UnaryEncoding(epsilon=epsilon, n_categories=k)
        bound = Fraction(CONTEXT.exp(Decimal(epsilon)).next_minus(CONTEXT))
        found = largest_ratio(k, m.p_true, m.p_other)
        assert 1 < found <= bound, epsilon
        excess = bound - 1
        assert excess - (found - 1) <= excess / 10**28 + Fraction(1, 10**78)
        if epsilon != "1e-30":  # a bit that is rarer costs more than epsilon
            assert largest_ratio(k, m.p_true, m.p_other * (1 - Fraction(1, 10**20))) > bound


def test_parameters() -> None:
    m = UnaryEncoding(epsilon=0.1, n_categories=np.int16(300))
    assert (m.epsilon, m.n_categories) == (Fraction(1, 10), 300)
    assert m.loss == PureDP("0.1", relation="change-one")
    assert pickle.loads(pickle.dumps(m)) == m == eval(repr(m))
    assert UnaryEncoding(epsilon=10**9, n_categories=2).p_other > 0


def p_value(bits: NDArray[Any], code: int, m: UnaryEncoding) -> float:
    """Of how often each whole report occurs, by chi-square: exact chances of all 2**k."""
    k = m.n_categories
    found = np.bincount(bits.astype(int) @ (1 << np.arange(k)[::-1]), minlength=2**k)
    chances = [chance(r, code, m.p_true, m.p_other) for r in itertools.product((0, 1), repeat=k)]
    expected = np.array(chances, float) * len(bits)
    return float(chi2.sf(((found - expected) ** 2 / expected).sum(), 2**k - 1))


@pytest.mark.parametrize("code", [0, -1, pytest.param(2, marks=pytest.mark.long), 2**62])
def test_whole_reports_have_their_chances(code: int) -> None:
    m, n = UnaryEncoding(epsilon=1, n_categories=3), 200_000
    bits = m.release(np.full(n, code), rng=SeededGenerator(1))
    assert p_value(bits, code, m) > LIMIT
    others = {0: 1, 2: 0, -1: 0}
    assert p_value(bits, others.get(code, 2), m) < REJECTED  # a truth that is taken for another
    same = np.where(np.arange(3) == code, bits, bits[:, [(code + 1) % 3]])  # bits that depend
    assert p_value(same, code, m) < REJECTED
    late = bits.copy()
    late[:, 1] |= np.arange(n) % 100 == 0  # a bit in a hundred too much
    assert p_value(late, code, m) < REJECTED


def test_packed_bits_are_the_same_bits() -> None:
    for k, n in ((2, 5), (8, 3), (9, 0), (300, 7), (2**18 + 3, 3)):
        m, codes = UnaryEncoding(epsilon=1, n_categories=k), np.arange(n) % k
        bits = m.release(codes, rng=SeededGenerator(3))
        packed = m.release(codes, packed=True, rng=SeededGenerator(3))
        assert bits.shape == (n, k)
        assert packed.shape == (n, -(-k // 8))
        assert np.array_equal(np.unpackbits(packed, axis=1, count=k), bits)
        estimate = m.estimate(bits)
        sums = bits.sum(axis=0)
        for other in (m.estimate(packed), m.estimate_sums(sums, count=n), m.estimate(bits + 0)):
            assert np.array_equal(other.counts, estimate.counts)
            assert np.array_equal(other.interval(), estimate.interval())
    assert m.release(4).shape == (k,)
    assert m.release(np.zeros((2, 1), np.int32)).shape == (2, 1, k)


def test_estimates_are_unbiased() -> None:
    """By expectation: E h = c p + (n - c) w, and the estimate is linear."""
    m = UnaryEncoding(epsilon="0.7", n_categories=4)
    p, w, n = float(m.p_true), float(m.p_other), 1000
    counts = np.array([0, 1, 400, 599])
    h = counts * p + (n - counts) * w
    estimate = m._odds.estimate(h, n)
    assert np.allclose(estimate.counts, counts)
    true = (counts * p * (1 - p) + (n - counts) * w * (1 - w)) / (p - w) ** 2
    assert np.allclose(estimate.variance, true)
    assert m.variance == pytest.approx(1 / 4 / (p - w) ** 2)  # if all are of one category
    unscaled = n * w * (1 - w) / (p - w)  # of a slope that is left out once
    assert not np.allclose(estimate.variance, unscaled, rtol=0.1)


def test_the_budget_pays_before_codes_are_read() -> None:
    m = UnaryEncoding(epsilon=1, n_categories=3)

    class Unread:
        dtype, shape, read = np.dtype(np.int64), (2,), 0

        def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
            type(self).read += 1
            return np.zeros(2, np.int64)

    budget = PrivacyFilter(PureDP(1), relation="change-one")
    m.release(Unread(), budget=budget)  # type: ignore[arg-type]
    assert (budget.spent, Unread.read) == (PureDP(1), 1)
    with pytest.raises(BudgetExceededError):
        m.release(Unread(), budget=budget)  # type: ignore[arg-type]
    with pytest.raises(RelationMismatchError):
        m.release(Unread(), budget=PrivacyFilter(PureDP(9)))  # type: ignore[arg-type]
    assert Unread.read == 1
