"""releases/_histogram.py: parameters, what the release says, and its distribution."""

import dataclasses
import math
import pickle
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
def test_sensitivity_follows_the_relation(relation: str, scale: int) -> None:
    """One record more changes one count; one that moves changes two."""
    release = cydp.histogram(AGES, 10, (0, 100), epsilon=0.5, relation=relation)
    assert release.mechanism == cydp.DiscreteLaplace(
        epsilon=0.5, sensitivity=cydp.sensitivity.histogram(relation=relation)
    )
    assert release.mechanism.scale == scale
    assert release.relation == release.mechanism.relation == relation
    assert release.loss == cydp.PureDP(0.5, relation=relation)
    assert release.variance == release.mechanism.variance


def test_given_edges() -> None:
    release = cydp.histogram(AGES, [0, 18, 65, 120], epsilon=1000)
    assert release.counts.tolist() == [0, 6, 1]
    assert release.edges.tolist() == [0, 18, 65, 120]


@pytest.mark.parametrize("x", [[18, 25], (18, 25), np.array([18, 25], np.uint8), [18.0, np.nan, 25],
                               [None, 18, 25, 10**30, -(10**400)],
                               np.ma.array([18, 25, 19], mask=[0, 0, 1])])  # fmt: skip
def test_what_holds_records(x: Any) -> None:
    assert cydp.histogram(x, 2, (0, 40), epsilon=1000).counts.tolist() == [1, 1]


def test_nothing_to_count() -> None:
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


class Unreadable:
    """Says what it is, and fails if its values are read."""

    dtype = np.dtype(float)
    ndim = 1
    shape = (3,)

    def __len__(self) -> int:
        return 3

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("the data was read")

    def __iter__(self) -> Any:
        raise AssertionError("the data was read")


GOOD: dict[str, Any] = {"x": Unreadable(), "bins": 10, "range": (0, 100), "epsilon": 1}
EDGES = GOOD | {"range": None}


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("epsilon", 0, ValueError),
        ("epsilon", -1, ValueError),
        ("epsilon", float("nan"), ValueError),
        ("epsilon", float("inf"), ValueError),
        ("epsilon", 1e-300, ValueError),
        ("epsilon", 1e300, ValueError),
        ("epsilon", "one", ValueError),
        ("epsilon", "1e400000", ValueError),
        ("epsilon", None, TypeError),
        ("epsilon", True, TypeError),
        ("epsilon", [1], TypeError),
        ("epsilon", np.array(1.0), TypeError),
        ("relation", "addremove", ValueError),
        ("relation", None, ValueError),
        ("relation", ["add-remove"], ValueError),
        ("rng", 1, TypeError),
        ("rng", np.random.default_rng(1), TypeError),
        ("bins", 0, ValueError),
        ("bins", -1, ValueError),
        ("bins", 2.5, TypeError),
        ("bins", True, TypeError),
        ("bins", "auto", TypeError),
        ("bins", None, TypeError),
        ("bins", [1], ValueError),
        ("bins", [3, 2, 1], ValueError),
        ("bins", [0, np.nan, 1], ValueError),
        ("bins", [[0, 1], [2, 3]], ValueError),
        ("range", None, ValueError),
        ("range", (1, 0), ValueError),
        ("range", (0, float("nan")), ValueError),
        ("range", (0, float("inf")), ValueError),
        ("range", (0,), ValueError),
        ("range", (0, 1, 2), ValueError),
        ("range", 5, TypeError),
        ("range", (0, "1"), TypeError),
        ("x", np.array([1j]), TypeError),
        ("x", np.array(["1"]), TypeError),
        ("x", np.array([1], object), TypeError),
        ("x", [1, "a"], TypeError),
        ("x", [None, "a"], TypeError),
        ("x", None, TypeError),
        ("x", 5, TypeError),
        ("x", "12", TypeError),
        ("x", {1: 2}, TypeError),
        ("x", iter([1]), TypeError),
        ("x", np.float64(5), ValueError),
        ("x", [[1, 2], [3, 4]], ValueError),
        ("x", np.zeros((2, 2)), ValueError),
        ("x", np.array(5.0), ValueError),
    ],
)
def test_bad_parameters(name: str, value: Any, error: type[Exception]) -> None:
    """Refused with the argument's name, before data is read."""
    with pytest.raises(error, match=f"{name}|scale" if name == "epsilon" else name):
        cydp.histogram(
            **((EDGES if name == "bins" and isinstance(value, list) else GOOD) | {name: value})
        )


def test_a_range_beside_edges_is_refused() -> None:
    with pytest.raises(ValueError, match="range must be None"):
        cydp.histogram(**(GOOD | {"bins": [0, 1]}))


def test_the_buffer_that_must_not_be_read_is_read_when_all_is_well() -> None:
    with pytest.raises(AssertionError, match="the data was read"):
        cydp.histogram(**GOOD)


def test_no_message_shows_a_record() -> None:
    for x in ([123456, "a"], np.array(["123456"]), [[123456, 1]], np.array([123456], object)):
        with pytest.raises((TypeError, ValueError)) as error:
            cydp.histogram(x, 2, (0, 1), epsilon=1)  # type: ignore[arg-type]
        assert "123456" not in str(error.value)


def test_intervals() -> None:
    release = cydp.histogram(AGES, 10, (0, 100), epsilon=1)
    one, all_ = release.error_bound(0.999), release.error_bound(0.999, count=len(release.counts))
    assert one == release.mechanism.error_bound("0.999")
    assert all_ == release.mechanism.error_bound("0.999", count=10) > one
    lower, upper = release.interval(0.999, count=len(release.counts))
    assert np.array_equal(lower, release.counts - all_)
    assert np.array_equal(upper, release.counts + all_)
    with pytest.raises(ValueError, match="confidence"):
        release.interval(1)


def test_intervals_of_the_widest_noise_do_not_wrap() -> None:
    release = cydp.histogram([1], 4, (0, 4), epsilon=Fraction(1, 2**56))
    lower, upper = release.interval(1 - Fraction(1, 10**60))
    assert (lower <= release.counts).all()
    assert (release.counts <= upper).all()


def test_intervals_cover_as_often_as_they_say() -> None:
    rng, n = SeededGenerator(9), 4000
    misses = 0
    for _ in range(n):
        lower, upper = cydp.histogram([1], 4, (0, 4), epsilon=1, rng=rng).interval(0.9, count=4)
        truth = [0, 1, 0, 0]
        misses += not ((lower <= truth) & (truth <= upper)).all()
    # The least bound of integers covers 0.9 to 0.96; 6 standard deviations beside that.
    assert n * 0.03 < misses < n * 0.1 + 6 * math.sqrt(n * 0.09)


def test_the_repr_says_what_it_is() -> None:
    text = repr(cydp.histogram(AGES, 4, (0, 100), epsilon="1/3", relation="change-one"))
    for part in ("4 bins", "epsilon=1/3", "'change-one'", "DiscreteLaplace", "scale 6",
                 "95 %", "[0, 25)", "[75, 100]"):  # fmt: skip
        assert part in text
    assert len(text.splitlines()) == 3 + 1 + 4 + 1
    long = repr(cydp.histogram(AGES, 10**5, (0, 100), epsilon=1))
    assert len(long.splitlines()) == 3 + 1 + 21 + 1


def test_releases_pickle_and_are_frozen() -> None:
    release = cydp.histogram(AGES, 4, (0, 100), epsilon=1)
    again = pickle.loads(pickle.dumps(release))
    assert again == release
    assert np.array_equal(again.counts, release.counts)
    assert (again.mechanism, again.relation) == (release.mechanism, release.relation)
    with pytest.raises(dataclasses.FrozenInstanceError):
        release.relation = "x"  # type: ignore[misc]


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
def test_the_noise_has_the_stated_scale(relation: str, scale: int) -> None:
    assert p_value(relation, Fraction(scale)) > 1e-6
    assert p_value(relation, Fraction(scale, 2)) < 1e-12  # the mutant: half the sensitivity
    assert p_value(relation, Fraction(scale * 21, 20)) < 1e-6
