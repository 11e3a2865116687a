"""Intervals of cydp.local cover as docs/local.md says: by exact chances of reports."""

import csv
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from samplers.goodness_of_fit import LIMIT
from scipy.signal import fftconvolve
from scipy.stats import binom, nbinom

from cydp.local import CategorySurvey, NumberEstimate, NumberSurvey, Tally
from cydp.mechanisms._frequency_oracle import ReportOdds
from cydp.testing import SeededGenerator

Floats = NDArray[np.float64]
Ends = tuple[Floats, Floats]

LONG = pytest.mark.long
MOST = 0.96
RESPONSE, UNARY = "randomized-response", "unary-encoding"
CASES = [  # people, epsilon, labels, method, share of those with the label
    (600, 1, 2, RESPONSE, 0.3), (1000, 2, 4, RESPONSE, 0.25), (2000, 1, 10, RESPONSE, 0.01),
    (600, 1, 50, UNARY, 0.02), (1000, 2, 100, UNARY, 0), (2000, 1, 11, UNARY, 0.1),
    *(
        pytest.param(*case, marks=LONG)
        for case in (
            (1000, 0.5, 2, RESPONSE, 0), (1000, 1, 2, RESPONSE, 1), (5000, 3, 20, RESPONSE, 0.5),
            (1000, 0.5, 1000, UNARY, 0.5), (5000, 3, 1000, UNARY, 0.001),
            (5000, 4, 1000, UNARY, 0.3),
        )
    ),
]  # fmt: skip
each_case = pytest.mark.parametrize(("n", "epsilon", "k", "method", "share"), CASES)


def odds_of(epsilon: float, k: int, method: Any) -> ReportOdds:
    return CategorySurvey(range(k), epsilon=epsilon, method=method).mechanism._odds


def chances(odds: ReportOdds, n: int, t: int) -> Floats:
    """P(h) for h = 0 .. n, if t of n people have the label."""
    p, w = map(float, odds)
    true, false = binom.pmf(np.arange(t + 1), t, p), binom.pmf(np.arange(n - t + 1), n - t, w)
    return np.convolve(true, false)


def covered(ends: Ends, true: float) -> NDArray[np.bool_]:
    low, high = ends
    return (low <= true + 1e-9) & (true - 1e-9 <= high)


@each_case
def test_counts_are_covered_exactly_as_often_as_stated(
    n: int, epsilon: float, k: int, method: str, share: float
) -> None:
    odds, t, h = odds_of(epsilon, k, method), round(n * share), np.arange(n + 1.0)
    masses = chances(odds, n, t)
    assert masses.sum() == pytest.approx(1)
    assert 0.95 <= masses[covered(odds.estimate(h, n).interval(), t)].sum() < MOST


@pytest.mark.parametrize(("method", "k"), [(RESPONSE, 3), (UNARY, 12)])
def test_reports_of_a_survey_are_covered(method: Any, k: int) -> None:
    """From labels to intervals, with the sampler that draws reports: 1,000 people, 500 times."""
    survey = CategorySurvey(range(k), epsilon=1, method=method)
    people = np.repeat(np.arange(k), [700, 200, *[0] * (k - 3), 100])
    rng, rounds = SeededGenerator(8), 500
    reports = survey.reports(np.tile(people, rounds), rng=rng).reshape(rounds, 1000, -1).squeeze()
    true = np.bincount(people, minlength=k)
    inside = np.zeros(k, int)
    for each in reports:
        inside += covered(survey.estimate(each).interval(), true)  # type: ignore[arg-type]
    exact = [
        chances(survey.mechanism._odds, 1000, t)[
            covered(survey.mechanism._odds.estimate(np.arange(1001.0), 1000).interval(), t)
        ].sum()
        for t in true
    ]
    for found, share in zip(inside.tolist(), exact, strict=True):
        assert min(binom.cdf(found, rounds, share), binom.sf(found - 1, rounds, share)) > LIMIT
    # Intervals that are shifted by a quarter of their width are found out.
    low, high = survey.estimate(reports[0]).interval()
    shift = (high - low).min() / 4
    shifted = sum(
        covered(tuple(end + shift for end in survey.estimate(each).interval()), true)  # type: ignore[arg-type]
        for each in reports
    )
    assert binom.cdf(int(np.min(shifted)), rounds, min(exact)) < LIMIT / 10


def sum_chances(survey: NumberSurvey, n: int, radius: int) -> Floats:
    """P(noise of n reports = -radius .. radius steps): the difference of negative binomials."""
    q = math.exp(-1 / float(survey.mechanism.scale))  # type: ignore[union-attr]
    middle, reach = n * q / (1 - q), 3 * radius + 20 / (1 - q)
    counts = np.arange(max(0, int(middle - reach)), int(middle + reach) + 1)
    masses = nbinom.pmf(counts, n, 1 - q)
    both = fftconvolve(masses, masses[::-1])
    assert both.sum() == pytest.approx(1, abs=1e-7)
    return both[len(counts) - 1 - radius : len(counts) + radius]


def test_sums_are_covered_exactly_as_often_as_stated() -> None:
    for n, (epsilon, width) in product(
        (1, 2, 5, 30, 1000), ((0.1, 10), (1, 10), (1, 100), (4, 20))
    ):
        survey = NumberSurvey((0, width), epsilon=epsilon, step=1)
        bound = survey.error_bound(reports=n)
        low, high = NumberEstimate(Tally(survey, n, (0,))).interval(column="sum")
        assert (low, high) == (-bound, bound)
        assert 0.9499 <= sum_chances(survey, n, int(bound)).sum() < MOST, (n, epsilon, width)


def test_sums_are_covered_as_often_as_asked() -> None:
    for level, (epsilon, width) in product(
        (0.5, 0.8, 0.9, 0.99, 0.999), ((0.1, 10), (1, 100), (4, 20))
    ):
        survey = NumberSurvey((0, width), epsilon=epsilon, step=1)
        for n in (5, 10, 100):
            radius, reach = (int(survey.error_bound(c, reports=n)) for c in (level, 0.9999))
            masses = sum_chances(survey, n, reach)
            assert masses[reach - radius : reach + radius + 1].sum() >= level - 0.0011
            if epsilon < 4:  # so many steps that an interval a twentieth too short is noticed
                shorter = int(radius * 0.95)
                assert masses[reach - shorter : reach + shorter + 1].sum() < level


@pytest.mark.parametrize(
    ("epsilon", "share"),
    [
        (1, 0),
        (1, 0.1),
        *(pytest.param(*each, marks=LONG) for each in product((0.5, 1, 2), (0.1, 0.5))),
    ],
)
def test_sums_of_one_bit_are_covered_at_least_as_often(epsilon: float, share: float) -> None:
    n, survey = 1500, NumberSurvey((10, 30), epsilon=epsilon, method="one-bit")
    p, w = map(float, survey.mechanism._odds)  # type: ignore[union-attr]
    estimates = [NumberEstimate(Tally(survey, n, (h,))) for h in range(n + 1)]
    ends = np.array([each.interval(column="sum") for each in estimates]).T
    t = round(n * share)
    true = 10 * n + 20 * t
    together = binom.pmf(np.arange(n + 1), n, w + t / n * (p - w))  # all have the same number
    inside = covered((ends[0], ends[1]), true)
    assert 0.95 <= together[inside].sum() < MOST
    assert chances(survey.mechanism._odds, n, t)[inside].sum() >= 0.95  # type: ignore[union-attr]
    sums = np.array([each.sum for each in estimates])
    assert (together * sums).sum() == pytest.approx(true)  # unbiased


PUMS = Path(__file__).parents[2] / "examples/data/pums.csv"
AGES, SCHOOLING, INCOMES = ("age", 0, 100), ("educ", 1, 16), ("income", 0, 200_000)


def chances_of_bits(ones: Floats) -> Floats:
    """P(h) of a sum of bits that are 1 with these probabilities, by its characteristic function."""
    n = len(ones)
    distinct, times = np.unique(ones, return_counts=True)
    turns = np.exp(-2j * np.pi * np.arange(n + 1) / (n + 1))
    return np.fft.ifft(np.prod((1 + distinct * (turns[:, np.newaxis] - 1)) ** times, axis=1)).real


@pytest.mark.parametrize(
    ("question", "epsilon", "share"),
    [
        (AGES, 0.5, 95.46), (SCHOOLING, 1, 95.92), (INCOMES, 2, 96.66),
        *(
            pytest.param(*each, marks=LONG)
            for each in (
                (AGES, 1, 95.69), (AGES, 2, 96.21), (SCHOOLING, 0.5, 95.52), (SCHOOLING, 2, 96.56),
                (INCOMES, 0.5, 95.43), (INCOMES, 1, 95.82),
            )
        ),
    ],
)  # fmt: skip
def test_sums_of_real_numbers_by_one_bit_are_covered_as_the_page_says(
    question: tuple[str, int, int], epsilon: float, share: float
) -> None:
    """Of people who differ, exactly."""
    name, lower, upper = question
    with open(PUMS) as file:
        x = np.clip([float(row[name]) for row in csv.DictReader(file)], lower, upper)
    n, survey = len(x), NumberSurvey((lower, upper), epsilon=epsilon, method="one-bit")
    p, w = map(float, survey.mechanism._odds)  # type: ignore[union-attr]
    masses = chances_of_bits(w + (x - lower) / (upper - lower) * (p - w))
    estimates = [NumberEstimate(Tally(survey, n, (h,))) for h in range(n + 1)]
    sums = np.array([each.sum for each in estimates])
    assert (masses.sum(), (masses * sums).sum()) == pytest.approx((1, x.sum()))
    ends = np.array([each.interval(column="sum") for each in estimates]).T
    found = masses[covered((ends[0], ends[1]), x.sum())].sum()
    assert 100 * found == pytest.approx(share, abs=0.006)
    if epsilon <= 1:
        assert 0.95 <= found < MOST
