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

BOUNDS = [(2, 5), (-3, 4), (0, 110), (0, 300), (-7, -2)]
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


@pytest.mark.parametrize("bounds", BOUNDS)
def test_bounded_answers(bounds: tuple[int, int]) -> None:
    """b - a for a sum and a maximum, (b - a) / n for a mean of n, infinity without a bound."""
    a, b = bounds
    change = {"relation": "change-one", "missing": False}
    assert sensitivity.sum(bounds, **change) == b - a
    assert sensitivity.maximum(bounds) == sensitivity.minimum(bounds) == b - a
    for n in (1, 10, 1000):
        assert sensitivity.mean(bounds, n, **change) == Fraction(b - a, n)
    assert sensitivity.sum((a, None)) == sensitivity.minimum((1, None)) == math.inf


def test_ranges_of_ages() -> None:
    change = {"relation": "change-one", "missing": False}
    assert sensitivity.mean((0, 110), 1000, **change) == Fraction("0.11")
    assert sensitivity.mean((0, 300), 1000, **change) == Fraction("0.3")


def test_histograms() -> None:
    assert sensitivity.histogram() == 1
    assert sensitivity.histogram(relation="change-one") == 2


def test_the_survey_of_books() -> None:
    assert sensitivity.count() == 1
    assert sensitivity.queries(sensitivity.count(), sensitivity.histogram()) == 2
    assert sensitivity.sum((0, 7)) == 7  # the books that one person owns
    assert sensitivity.mean((0, 7), empty="3.5") == Fraction("3.5")
    assert sensitivity.mean((0, 7), empty=0) == 7


@pytest.mark.parametrize("k", [1, 5, 100])
def test_k_counts(k: int) -> None:
    """Lap(k / epsilon), at once or by splitting epsilon."""
    together = sensitivity.queries(*[sensitivity.count()] * k)
    at_once = cydp.DiscreteLaplace(epsilon=1, sensitivity=together)
    split = cydp.calibrate(
        lambda epsilon: cydp.DiscreteLaplace(epsilon=epsilon, sensitivity=1), PureDP(1), count=k
    )
    assert together == k == at_once.scale == split.scale


def test_five_complaints() -> None:
    for epsilon in (Fraction(1, 2), Fraction(1), Fraction(3)):
        assert cydp.DiscreteLaplace(epsilon=epsilon, sensitivity=5).scale == 5 / epsilon
        assert cydp.Laplace(epsilon=epsilon, sensitivity=5).scale == pytest.approx(
            float(5 / epsilon), rel=1e-9
        )


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


@pytest.mark.parametrize("k", [1, 2, 4, 10])
def test_groups_and_repetition(k: int) -> None:
    """k epsilon for a group of k, and for k releases."""
    one = PureDP("0.1")
    assert cydp.group_privacy(one, k).epsilon == Fraction(k, 10)
    assert cydp.sequential(*[one] * k).epsilon == Fraction(k, 10)


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
    assert round(local.error_bound(count=1000)) == 61
    p = local.probabilities(1)
    assert p[1] / p[0] == pytest.approx(math.e)


READ = [(read, books, sex) for read in (0, 1) for books in (0, 3, 7) for sex in "mf"]


@pytest.mark.parametrize(
    ("answer", "largest"),
    [
        (lambda table: sum(read for read, _, _ in table), 1),
        (lambda table: [sum(sex == s for _, _, sex in table) for s in "mf"], 1),
        (
            lambda table: [
                sum(r for r, _, _ in table),
                *(sum(x == s for *_, x in table) for s in "mf"),
            ],
            2,
        ),
        (
            lambda table: [
                sum((r, x) == (i, s) for r, _, x in table) for i in (0, 1) for s in "mf"
            ],
            1,
        ),
        (lambda table: sum(books for _, books, _ in table), 7),
    ],
    ids=["read", "sexes", "both", "two by two", "books"],
)
def test_the_survey_among_all_small_tables(answer: Any, largest: int) -> None:
    assert sensitivity.of(answer, READ, 2) == largest


def test_complaints_by_their_rows() -> None:
    complaints = sensitivity.count(max_rows=5)
    assert cydp.DiscreteLaplace(epsilon="1/2", sensitivity=complaints).scale == 10


def test_a_choice_without_votes() -> None:
    choice = cydp.mechanisms.UniformChoice(count=4)
    assert choice.probabilities().tolist() == [0.25] * 4
    assert choice.loss == PureDP(0)


def test_the_table_of_the_laplace_law() -> None:
    """Mean, median, mode 0; variance 2 b**2; skewness 0; excess kurtosis 3; entropy ln(2 e b)."""
    noise = cydp.Laplace(epsilon="1/2", sensitivity=7)
    assert noise.mean == noise.median == noise.mode == noise.skewness == 0
    assert noise.kurtosis == pytest.approx(3, rel=1e-9)
    entropy = noise.entropy + math.log(noise.step)
    assert entropy == pytest.approx(math.log(2 * math.e * 14), rel=1e-9)


def test_the_table_of_the_gaussian_law() -> None:
    noise = cydp.Gaussian(sigma=3, sensitivity=1)
    assert noise.mean == noise.median == noise.mode == noise.skewness == 0
    assert noise.variance == pytest.approx(9, rel=1e-9)
    assert noise.kurtosis == pytest.approx(0, abs=1e-9)
    entropy = noise.entropy + math.log(noise.step)
    assert entropy == pytest.approx(math.log(2 * math.pi * math.e * 9) / 2, rel=1e-9)


def test_an_interval_of_outputs() -> None:
    noise = cydp.Laplace(epsilon=1, sensitivity=1)
    one, other = (noise.cdf(11.2, value=f) - noise.cdf(4.7, value=f) for f in (8, 7))
    assert 1 / math.e <= one / other <= math.e


def test_a_share_of_the_rows() -> None:
    shared = cydp.sampling.publish_share([1, 2, 3], "1/100", exposes_rows=True)
    assert (shared.loss.epsilon, shared.loss.delta) == (0, Fraction(1, 100))
