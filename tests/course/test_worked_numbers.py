"""The numbers that texts of a first course print, computed by cydp.

The texts: an exercise sheet of Imperial College's "Privacy Engineering", slides on "Global
differential privacy" and on "Data security and privacy", section notes with exercises, and an
introduction to differential privacy for practitioners. Their sentences are not repeated here.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import PureDP, sensitivity

VOTES = [27, 23, 9, 0]  # for four dishes


@pytest.mark.parametrize(
    ("epsilon", "printed"),
    [("0.1", [0.40, 0.33, 0.16, 0.10]), (1, [0.88, 0.12, 1e-4, 1e-6])],
)
def test_votes(epsilon: str | int, printed: list[float]) -> None:
    """At 0.1 the slide prints 0.11 for the last, so that its figures sum to 1; it is 0.1043."""
    found = cydp.ExponentialMechanism(epsilon=epsilon, sensitivity=1).probabilities(VOTES)
    weights = [math.exp(float(Fraction(epsilon)) * votes / 2) for votes in VOTES]
    assert found == pytest.approx(np.array(weights) / sum(weights), rel=1e-12)
    for ours, theirs in zip(found, printed, strict=True):
        digits = -math.floor(math.log10(theirs)) if theirs < 0.01 else 2
        assert round(ours, digits) == theirs
    assert epsilon == 1 or round(found[3], 4) == 0.1043


def test_bounded_answers() -> None:
    """b - a for a sum and a maximum, (b - a) / n for a mean of n, infinity without a bound."""
    change = {"relation": "change-one", "missing": False}
    for bounds in [(2, 5), (-3, 4), (0, 110), (0, 300), (-7, -2)]:
        width = bounds[1] - bounds[0]
        assert sensitivity.sum(bounds, **change) == width
        assert sensitivity.maximum(bounds) == sensitivity.minimum(bounds) == width
        for n in (1, 10, 1000):
            assert sensitivity.mean(bounds, n, **change) == Fraction(width, n)
    assert sensitivity.sum((2, None)) == sensitivity.minimum((1, None)) == math.inf


def test_the_survey_of_books() -> None:
    assert sensitivity.histogram() == sensitivity.count() == 1
    assert sensitivity.histogram(relation="change-one") == 2
    assert sensitivity.queries(sensitivity.count(), sensitivity.histogram()) == 2
    assert sensitivity.sum((0, 7)) == 7  # the books that one person owns
    assert sensitivity.mean((0, 7), empty="3.5") == Fraction("3.5")
    assert sensitivity.mean((0, 7), empty=0) == 7


def test_k_counts() -> None:
    """Lap(k / epsilon), at once or by splitting epsilon."""
    for k in (1, 5, 100):
        together = sensitivity.queries(*[sensitivity.count()] * k)
        at_once = cydp.DiscreteLaplace(epsilon=1, sensitivity=together)
        split = cydp.calibrate(
            lambda epsilon: cydp.DiscreteLaplace(epsilon=epsilon, sensitivity=1), PureDP(1), count=k
        )
        assert together == k == at_once.scale == split.scale
        one = PureDP("0.1")  # k epsilon for a group of k, and for k releases
        assert cydp.group_privacy(one, k).epsilon == Fraction(k, 10)
        assert cydp.accounting.sequential(*[one] * k).epsilon == Fraction(k, 10)
    complaints = sensitivity.count(max_rows=5)
    assert cydp.DiscreteLaplace(epsilon="1/2", sensitivity=complaints).scale == 10
    assert cydp.Laplace(epsilon=3, sensitivity=5).scale == pytest.approx(5 / 3, rel=1e-9)


def test_f_is_5_and_its_sensitivity_7() -> None:
    """The variance is 2 * 14**2."""
    assert cydp.DiscreteLaplace(epsilon="1/2", sensitivity=7).scale == 14
    assert cydp.Laplace(epsilon="1/2", sensitivity=7).variance == pytest.approx(392, rel=1e-9)
    discrete = cydp.DiscreteLaplace(epsilon="1/2", sensitivity=7).variance
    assert discrete == pytest.approx(392 - 1 / 6, abs=1e-3)  # on integers it is a sixth less


@pytest.mark.parametrize(("epsilon", "ratio"), [(10, 22026), (2, 7.389)])
def test_what_epsilon_allows(epsilon: int, ratio: float) -> None:
    noise = cydp.DiscreteLaplace(epsilon=epsilon, sensitivity=1)
    assert round(noise.pmf(0) / noise.pmf(1), 3 if ratio < 10 else 0) == ratio


def test_546_of_23450() -> None:
    """The two answers differ by one person: e times as likely, or as unlikely."""
    noise = cydp.DiscreteLaplace(epsilon=1, sensitivity=1)
    ratios = [noise.pmf(answer - 546) / noise.pmf(answer - 547) for answer in range(500, 600)]
    assert max(ratios) == pytest.approx(math.e)
    assert min(ratios) == pytest.approx(1 / math.e)


def test_local_noise_is_larger() -> None:
    """1,000 people at epsilon 1: within 3 where one party adds noise, else within 61."""
    local = cydp.RandomizedResponse(epsilon=1)
    assert cydp.DiscreteLaplace(epsilon=1, sensitivity=1).error_bound() == 3
    assert round(local.error_bound(reports=1000)) == 61
    p = local.probabilities(1)
    assert p[1] / p[0] == pytest.approx(math.e)


READ = [(read, books, sex) for read in (0, 1) for books in (0, 3, 7) for sex in "mf"]


def test_the_survey_among_all_small_tables() -> None:
    def read(table: Any) -> int:
        return sum(read for read, _, _ in table)

    def sexes(table: Any) -> list[int]:
        return [sum(sex == each for *_, sex in table) for each in "mf"]

    def both(table: Any) -> list[int]:
        return [read(table), *sexes(table)]

    def two_by_two(table: Any) -> list[int]:
        return [sum((r, x) == (i, s) for r, _, x in table) for i in (0, 1) for s in "mf"]

    def books(table: Any) -> int:
        return sum(owned for _, owned, _ in table)

    answers = (read, 1), (sexes, 1), (both, 2), (two_by_two, 1), (books, 7)
    for answer, largest in answers:
        assert cydp.teach.sensitivity.of(answer, READ, 2) == largest, answer


def test_a_choice_without_votes() -> None:
    choice = cydp.mechanisms.UniformChoice(count=4)
    assert choice.probabilities().tolist() == [0.25] * 4
    assert choice.loss == PureDP(0)


def test_the_tables_of_both_laws() -> None:
    """Of Laplace noise: variance 2 b**2; excess kurtosis 3; entropy ln(2 e b)."""
    b, e = 14, math.e
    for noise, variance, kurtosis, entropy in (
        (cydp.Laplace(epsilon="1/2", sensitivity=7), 2 * b**2, 3, 2 * e * b),
        (cydp.Gaussian(sigma=3, sensitivity=1), 9, 0, math.sqrt(2 * math.pi * e * 9)),
    ):
        assert noise.mean == noise.median == noise.mode == noise.skewness == 0
        assert noise.variance == pytest.approx(variance, rel=1e-9)
        assert noise.kurtosis == pytest.approx(kurtosis, rel=1e-9, abs=1e-9)
        assert noise.entropy + math.log(noise.step) == pytest.approx(math.log(entropy), rel=1e-9)


def test_an_interval_of_outputs() -> None:
    noise = cydp.Laplace(epsilon=1, sensitivity=1)
    one, other = (noise.cdf(11.2, value=f) - noise.cdf(4.7, value=f) for f in (8, 7))
    assert 1 / math.e <= one / other <= math.e


def test_a_share_of_the_rows() -> None:
    shared = cydp.teach.publish_share([1, 2, 3], "1/100", exposes_rows=True)
    assert (shared.loss.epsilon, shared.loss.delta) == (0, Fraction(1, 100))
