"""releases/postprocessing/_consistent_sums.py: counts and sums that are possible and closest."""

from typing import Any

import numpy as np
import pytest

import cydp
from cydp.releases.postprocessing._consistent_sums import fit_sums
from cydp.testing import SeededGenerator

BOUNDS = np.array([[0.0, 10], [-3, 5], [-7, 0]])


def draws(keys: int = 400) -> tuple[Any, Any, Any, Any]:
    """True counts and sums, variances, and noisy ones."""
    random = np.random.default_rng(4)
    n = random.integers(0, 6, keys).astype(float)
    shares = random.choice([0, 0.2, 1], (len(BOUNDS), keys))
    sums = (BOUNDS[:, :1] + shares * (BOUNDS[:, 1:] - BOUNDS[:, :1])) * n
    variances = np.array([2.0, 40, 9, 25])
    noise = random.normal(size=(len(BOUNDS) + 1, keys)) * np.sqrt(variances)[:, None]
    return n, sums, variances, (n + noise[0], sums + noise[1:])


def apart(variances: Any, one: tuple[Any, Any], two: tuple[Any, Any]) -> Any:
    """Squares of differences over variances, summed for each key."""
    both = [np.vstack(each) for each in (one, two)]
    return ((both[0] - both[1]) ** 2 / variances[:, None]).sum(0)


def test_what_is_fitted_is_possible_and_the_closest() -> None:
    """No other count within 10, in steps of 2**-8, with its nearest sums, is closer."""
    _, _, variances, noisy = draws()
    n, s = fit_sums(*noisy, BOUNDS, variances)
    assert (n >= 0).all()
    assert (s >= BOUNDS[:, :1] * n).all()
    assert (s <= BOUNDS[:, 1:] * n).all()
    best = apart(variances, (n, s), noisy)
    for other in np.arange(0, 16, 2**-8):
        sums = np.clip(noisy[1], BOUNDS[:, :1] * other, BOUNDS[:, 1:] * other)
        assert (best <= apart(variances, (np.full_like(n, other), sums), noisy) + 1e-9).all()


def test_it_is_never_farther_from_what_is_true() -> None:
    true_n, true_sums, variances, noisy = draws()
    fitted = fit_sums(*noisy, BOUNDS, variances)
    before, after = (apart(variances, each, (true_n, true_sums)) for each in (noisy, fitted))
    assert (after <= before + 1e-9).all()
    assert after.sum() < 0.8 * before.sum()


def test_what_is_possible_stays() -> None:
    n, sums, variances, _ = draws()
    again = fit_sums(n, sums, BOUNDS, variances)
    assert np.array_equal(again[0], n)
    assert np.array_equal(again[1], sums)


def test_a_release_with_bounds_far_from_0() -> None:
    """A row without a number adds 0, so bounds are taken with 0."""
    table = {"k": ["a", "a", "b"], "x": [150.0, None, 120.0], "y": [1.0, 2.0, 3.0]}
    asked = {"sums": {"x": (100, 200), "y": (-5, 5)}, "means": {"y": (0, 9)}, "epsilon": 1}
    much = asked | {"epsilon": 10**6, "rng": SeededGenerator(1)}
    exact = cydp.group_by(table, "k", keys=list("abcd"), **much)
    assert np.allclose(exact.consistent()["n"], [2, 1, 0, 0])
    assert np.allclose(exact.consistent()["sum_x"], [150, 120, 0, 0], atol=0.01)
    release = cydp.group_by(table, "k", keys=list("abcd"), rng=SeededGenerator(1), **asked)
    found = release.consistent()
    assert list(found) == ["n", "sum_x", "sum_y"]
    assert all(column.shape == (4,) and column.dtype == np.float64 for column in found.values())
    assert (found["sum_x"] >= 0).all()
    assert (found["sum_x"] <= 200 * found["n"]).all()
    assert (np.abs(found["sum_y"]) <= 5 * found["n"]).all()


def test_tables_without_both_are_refused() -> None:
    table = {"k": ["a"], "x": [1.0]}
    for release in (
        cydp.value_counts(["a"], ["a"], epsilon=1),
        cydp.group_by(table, "k", keys=["a"], means={"x": (0, 1)}, epsilon=1),
        cydp.group_by(table, "k", keys=["a"], sums={"x": (0, 1)}, count=False, epsilon=1),
    ):
        with pytest.raises(TypeError, match="fits counts and sums"):
            release.consistent()
