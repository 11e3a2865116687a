"""mechanisms/_frequency_oracle.py: intervals of true counts, and exactly how often they cover."""

import copy
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, norm

from cydp import RandomizedResponse
from cydp.mechanisms._frequency_oracle import Estimate, normal_quantile
from cydp.testing import SeededGenerator

Floats = NDArray[np.float64]

NORMAL = 100  # variance of the number of reports from which on coverage is within 95 and 96 %
LARGE = [(600, 2, "1"), (600, 2, "0.01"), (2000, 10, "1"), (1200, 3, "2"), (900, 5, "0.5")]
SMALL = [
    (n, k, epsilon)
    for n in (1, 2, 7, 30, 100) for k in (2, 3, 1000) for epsilon in ("0.1", "2", "6")
]  # fmt: skip


def distribution(m: RandomizedResponse, n: int, t: int) -> Floats:
    """Return the probability of each number of reports of a category that t of n people are in."""
    p = float(m.p_truth)
    w = float((1 - m.p_truth) / (m.n_categories - 1))
    true, false = binom.pmf(np.arange(t + 1), t, p), binom.pmf(np.arange(n - t + 1), n - t, w)
    return np.convolve(true, false)


def variance(m: RandomizedResponse, n: int, t: int) -> float:
    p, w = float(m.p_truth), float((1 - m.p_truth) / (m.n_categories - 1))
    return t * p * (1 - p) + (n - t) * w * (1 - w)


def estimates(m: RandomizedResponse, n: int) -> Estimate:
    """Return the estimates of a category with 0, 1, ..., n reports, all at once."""
    return m._odds.estimate(np.arange(n + 1.0), n)


def intervals(m: RandomizedResponse, n: int, confidence: Any = 0.95) -> tuple[Floats, Floats]:
    return estimates(m, n).interval(confidence)


def test_an_estimate_is_that_of_its_number_of_reports() -> None:
    """The tests below ask for all numbers of reports at once."""
    for n, k, epsilon in ((7, 3, "2"), (30, 2, "0.1"), (100, 1000, "6")):
        m = RandomizedResponse(epsilon=epsilon, n_categories=k)
        every, (low, high) = estimates(m, n), intervals(m, n)
        for h in (0, 1, n // 2, n):
            one = m.estimate(np.repeat([0, 1], [h, n - h]))
            assert (one.counts[0], one.variance[0]) == (every.counts[h], every.variance[h])
            assert (one.interval()[0][0], one.interval()[1][0]) == (low[h], high[h])


def coverage(
    m: RandomizedResponse, n: int, ends: tuple[Floats, Floats], least: float = 0
) -> list[float]:
    """Return the coverage of true counts from 0 to n at which reports vary by so much."""
    low, high = ends
    counts = sorted({0, 1, 2, n // 20, n // 3, n // 2, n - 1, n} & set(range(n + 1)))
    return [
        float(distribution(m, n, t)[(low <= t) & (t <= high)].sum())
        for t in counts if variance(m, n, t) >= least
    ]  # fmt: skip


@pytest.mark.parametrize(("n", "k", "epsilon"), LARGE)
def test_coverage_is_what_was_asked_for(n: int, k: int, epsilon: str) -> None:
    """Also of error bounds, where reports vary most; mutants of the interval are found out."""
    m = RandomizedResponse(epsilon=epsilon, n_categories=k)
    p, w = float(m.p_truth), float((1 - m.p_truth) / (k - 1))
    for confidence, most in ((0.9, 0.92), (0.95, 0.96), (0.99, 0.993)):
        found = coverage(m, n, intervals(m, n, confidence), NORMAL)
        assert len(found) > 2
        assert confidence <= min(found) <= max(found) < most
    h = np.arange(n + 1)
    counts, rest = (h - n * w) / (p - w), p * (n * w + (k - 2) * h)  # p and w swapped
    swapped = 1.96 * np.sqrt(rest) / (p - w)
    proven = m.hoeffding_bound(reports=n)
    assert min(coverage(m, n, (counts - proven, counts + proven), NORMAL)) > 0.992
    if k > 2:  # of two categories p w is w p
        assert max(coverage(m, n, (counts - swapped, counts + swapped), NORMAL)) > 0.96
    low, high = intervals(m, n)
    assert max(coverage(m, n, (low + 3, high + 3), NORMAL)) < 0.96
    narrow = np.minimum(counts - low, high - counts) * 0.95
    assert min(coverage(m, n, (counts - narrow, counts + narrow), NORMAL)) < 0.95
    worst = max((0, n), key=lambda t: variance(m, n, t))
    off = np.abs(counts - worst)
    inside = lambda bound: float(distribution(m, n, worst)[off <= bound].sum())  # noqa: E731
    assert 0.95 <= inside(m.error_bound(reports=n)) < 0.96
    assert 0.9 <= inside(m.error_bound(0.9, reports=n)) < 0.92
    assert inside(proven) > 0.992


def test_hoeffdings_bound_is_that_of_the_formula() -> None:
    m = RandomizedResponse(epsilon=1, n_categories=3)
    slope = 1 / float(m.p_truth - (1 - m.p_truth) / 2)
    for confidence, n in ((0.5, 10), (0.95, 1000)):
        formula = math.sqrt(n * math.log(2 / (1 - confidence)) / 2) * slope
        assert formula < m.hoeffding_bound(confidence, reports=n) < formula * (1 + 2**-30)


def test_few_reports_are_covered_too_often_rather_than_too_rarely() -> None:
    """And the usual interval, count +- z sqrt(variance), is caught on the same cases."""
    usual, rare = [], []
    for n, k, epsilon in SMALL:
        m = RandomizedResponse(epsilon=epsilon, n_categories=k)
        for confidence, least in ((0.9, 0.9), (0.95, 0.938), (0.99, 0.964)):
            if min(coverage(m, n, intervals(m, n, confidence))) < least:
                rare.append((n, k, epsilon, confidence))
        counts, about = estimates(m, n)
        width = 1.96 * np.sqrt(about)
        usual += coverage(m, n, (counts - width, counts + width))
    assert rare == []
    assert min(usual) < 0.1


def test_ends_solve_their_equation() -> None:
    """At each end, h is z standard deviations and a half from its expectation."""
    m, n = RandomizedResponse(epsilon="0.7", n_categories=7), 500
    p, w = float(m.p_truth), float((1 - m.p_truth) / 6)
    h = np.arange(2, n + 1)
    for confidence in (0.5, 0.95, 1 - Fraction(1, 10**12)):
        z = -norm.ppf(float(1 - Fraction(confidence)) / 2)
        for ends, side in zip(intervals(m, n, confidence), (1, -1), strict=True):
            t = ends[2:]
            deviation = np.sqrt(t * p * (1 - p) + (n - t) * w * (1 - w))
            assert np.allclose(side * (h - n * w - t * (p - w)) - 0.5, z * deviation, atol=1e-6)


def test_an_estimate_is_a_pair_and_more() -> None:
    m = RandomizedResponse(epsilon=1, n_categories=4)
    estimate = m.estimate(m.release([0, 1, 2, 3] * 250, rng=SeededGenerator(1)))
    counts, about = estimate
    assert counts is estimate.counts
    assert about is estimate.variance
    assert len(estimate) == 2
    low, high = estimate.interval()
    assert low.shape == high.shape == (4,)
    assert low.dtype == high.dtype == np.float64
    assert (low < counts).all()
    assert (counts < high).all()
    for again in (pickle.loads(pickle.dumps(estimate)), copy.deepcopy(estimate)):
        assert type(again) is Estimate
        assert np.array_equal(again.interval(), (low, high))
    assert repr(estimate).startswith("<Estimate: counts [")


def test_intervals_of_extreme_epsilons() -> None:
    for epsilon, reports in (("1e-1200", [0]), ("1e-200", []), ("1e-100", [0, 1, 1, 0]),
                             (600, [0, 1, 1, 0]), (600, [])):  # fmt: skip
        m: Any = RandomizedResponse(epsilon=epsilon, n_categories=3)
        estimate, truth = m.estimate(np.array(reports, int)), np.bincount(reports, minlength=3)
        for confidence in ("1e-300", 0.95, 1 - Fraction(1, 10**400)):
            low, high = estimate.interval(confidence)
            assert (low < high).all()  # and none is NaN
            assert confidence == "1e-300" or ((low <= truth) & (high >= truth)).all()


def test_quantiles() -> None:
    for miss in ("0.5", "0.05", "1e-9", "1e-200", "1e-303"):
        z = normal_quantile(1 - Fraction(miss))
        assert z == pytest.approx(norm.isf(float(miss) / 2), rel=1e-9)
    assert 42 < normal_quantile(1 - Fraction(1, 10**400)) < 43
    assert normal_quantile(Fraction(1, 10**400)) == 0
