"""releases/_histogram.py: parameters, what the release says, and its distribution."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import cydp
from cydp.testing import SeededGenerator

AGES = np.array([18, 25, 31, 31, 40, 59, 93, np.nan, -5, 1000])


def test_a_release_is_the_counts_plus_the_noise() -> None:
    release = cydp.histogram(AGES, 10, (0, 100), epsilon=0.5, rng=SeededGenerator(1))
    counts, edges = np.histogram(AGES, 10, (0, 100))
    noise = SeededGenerator(1).discrete_laplace(2, 10)
    assert release.counts.dtype == np.int64
    assert np.array_equal(release.counts, counts + noise)
    assert np.array_equal(release.edges, edges)


@pytest.mark.parametrize(("relation", "scale"), [("add-remove", 2), ("change-one", 4)])
def test_the_sensitivity_follows_the_relation(relation: str, scale: int) -> None:
    """One record more changes one count; one that moves changes two."""
    release = cydp.histogram(AGES, 10, (0, 100), epsilon=0.5, relation=relation)
    assert release.mechanism == cydp.DiscreteLaplace(
        epsilon=0.5, sensitivity=cydp.sensitivity.histogram(relation=relation)
    )
    assert release.mechanism.scale == scale
    assert release.relation == release.mechanism.relation == relation
    assert release.loss == cydp.PureDP(0.5, relation=relation)
    assert release.variance == release.mechanism.variance


def test_what_holds_records() -> None:
    columns: list[Any] = [
        [18, 25], (18, 25), np.array([18, 25], np.uint8), [18.0, np.nan, 25],
        [None, 18, 25, 10**30, -(10**400)], np.ma.array([18, 25, 19], mask=[0, 0, 1]),
    ]  # fmt: skip
    for x in columns:
        assert cydp.histogram(x, 2, (0, 40), epsilon=1000).counts.tolist() == [1, 1]
    for x in ([], (), np.array([]), np.array([], np.int32), [np.nan]):
        assert cydp.histogram(x, 2, (0, 40), epsilon=1000).counts.tolist() == [0, 0]


def test_nothing_depends_on_the_records_but_the_counts() -> None:
    """No warning (they are errors here), exception, dtype or shape."""
    seen = {
        (r.counts.dtype, r.counts.shape, r.edges.dtype, r.mechanism, r.relation)
        for x in ([1.0], [np.nan], [np.inf, -np.inf], [1e308, -1e308, 5e-324], [-0.0], [0.1] * 99)
        for r in [cydp.histogram(np.array(x), 7, (0, 1), epsilon=1)]
    }
    assert len(seen) == 1


def test_intervals() -> None:
    release = cydp.histogram(AGES, 10, (0, 100), epsilon=1)
    one, all_ = release.error_bound(0.999), release.error_bound(0.999, count=len(release.counts))
    assert one == release.mechanism.error_bound("0.999")
    assert all_ == release.mechanism.error_bound("0.999", count=10) > one
    lower, upper = release.interval(0.999, count=len(release.counts))
    assert np.array_equal(lower, release.counts - all_)
    assert np.array_equal(upper, release.counts + all_)


def test_intervals_of_the_widest_noise_do_not_wrap() -> None:
    release = cydp.histogram([1], 4, (0, 4), epsilon=Fraction(1, 2**56))
    lower, upper = release.interval(1 - Fraction(1, 10**60))
    assert (lower <= release.counts).all()
    assert (release.counts <= upper).all()


def test_intervals_cover_as_often_as_they_say() -> None:
    """Of four counts together, at least as often as stated, and not if one step narrower."""
    noise = cydp.histogram([1], 4, (0, 4), epsilon=1).mechanism
    bound = noise.error_bound(0.9, count=4)
    within = [(1 - 2 * noise.cdf(-bound - 1 + less)) ** 4 for less in (0, 1)]
    assert within[0] >= 0.9 > within[1]


def p_value(relation: str, scale: Fraction) -> float:
    """Chi-square tail of 20,000 counts against the noise of a scale."""
    release = cydp.histogram(
        [], 20_000, (0, 1), epsilon=1, relation=relation, rng=SeededGenerator(11)
    )
    noise = cydp.DiscreteLaplace(epsilon=1 / scale, sensitivity=1)
    inner = noise.pmf(np.arange(-3, 4))
    probabilities = np.concatenate([[noise.cdf(-4)], inner, [noise.cdf(-4)]])
    found = np.bincount(np.clip(release.counts, -4, 4) + 4, minlength=9)
    expected = probabilities * len(release.counts)
    return float(chi2.sf(((found - expected) ** 2 / expected).sum(), 8))


@pytest.mark.parametrize(("relation", "scale"), [("add-remove", 1), ("change-one", 2)])
def test_the_noise_of_counts_has_the_stated_scale(relation: str, scale: int) -> None:
    assert p_value(relation, Fraction(scale)) > 1e-6
    assert p_value(relation, Fraction(scale, 2)) < 1e-12  # the mutant: half the sensitivity
    assert p_value(relation, Fraction(scale * 21, 20)) < 1e-6


def test_names_of_columns_are_those_that_were_given_as_names() -> None:
    table = {"age": [18, 71, 44], "sex": ["f", "m", "f"]}
    bins: Any = (2, (0, 100))
    named = cydp.histogram(table, *bins, column="age", by="sex", by_keys=["f"], epsilon=1)
    assert (named.names, named.by_names) == (("age",), ("sex",))
    by_dict = cydp.histogram(
        table["age"], *bins, by={"sex": table["sex"]}, by_keys={"sex": ["f"]}, epsilon=1
    )
    assert (by_dict.names, by_dict.by_names) == ((), ("sex",))
    # Labels of the records are no names, though they are strings in a list.
    labels = cydp.histogram(table["age"], *bins, by=table["sex"], by_keys=["f"], epsilon=1)
    array = cydp.histogram(
        table, *bins, column=np.array(table["age"]), by=np.array(table["sex"]), by_keys=["f"],
        epsilon=1,
    )  # fmt: skip
    for unnamed in (labels, array):
        assert (unnamed.names, unnamed.by_names) == ((), ())
    both = cydp.histogramdd({"age": [1], "zip": [2]}, 2, [(0, 4)] * 2, epsilon=1)
    assert both.names == ("age", "zip")
