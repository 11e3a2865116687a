"""examples/adapters/jax_privacy_noise.py beside jax_privacy's release, and a stand-in."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from examples.adapters.conftest import Record
from examples.adapters.fit import p_value
from examples.adapters.hosts import Way, in_turn, start
from samplers.goodness_of_fit import LIMIT, REJECTED

pytestmark = pytest.mark.hosts

HOST = "jax-privacy==2.0.0"
SIGMA, N = 1.5, 200_000


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> Way:
    """Without JAX: the function needs numpy only, and nothing of the release is imported."""
    folder = tmp_path_factory.mktemp("jax")
    return start(folder, "jax_privacy_ways.py", HOST, "--no-deps", "randomgen==2.5.1")


def test_the_release_lacks_the_function(way: Way) -> None:
    version, files = way("release")()
    assert HOST.endswith(version)
    assert "jax_privacy/noise_addition.py" in files
    assert not [name for name in files if "discrete_gaussian" in name]


def test_figures(way: Way, figures: Record) -> None:
    arguments = (1e9, 200_001, 5)
    before, after, one, other = in_turn(
        way("steps", "before", *arguments), way("steps", "after", *arguments)
    )
    assert one == other == [200_001] * 5
    figures(f"stand-in for {HOST}", "5 steps of 200,001 parameters", before, after)


def test_the_noise_is_discrete_gaussian(way: Way) -> None:
    drawn = way("noise", "after", 1, SIGMA, N)()
    assert p_value("gaussian", Fraction(SIGMA), drawn) > LIMIT
    wrapped = way("noise", "after", 1, SIGMA, N, True)()  # np.random.Generator, with ours inside
    assert np.array_equal(drawn, wrapped)


def test_the_stand_in_fits_too_and_a_rounded_gaussian_does_not(way: Way) -> None:
    assert p_value("gaussian", Fraction(SIGMA), way("noise", "before", 1, SIGMA, N)()) > LIMIT
    rounded = np.rint(np.random.default_rng(1).normal(0, SIGMA, N))
    assert p_value("gaussian", Fraction(SIGMA), rounded) < REJECTED


def test_calls_return_and_raise_as_the_host_does(way: Way) -> None:
    calls = [
        {"sigma": 100.0, "size": 1}, {"sigma": 1e6, "size": 100},
        {"sigma": np.float64(1e6), "size": np.int64(3), "oversample": 10},
        {"sigma": 1e6, "size": 3, "dtype": np.int32}, {"sigma": 0.0, "size": 3},
        {"sigma": 0, "size": 3, "dtype": "int32"}, {"sigma": 1.0, "size": 0},
        {"sigma": 0, "size": 0}, {"sigma": 1.0, "size": -5}, {"sigma": -1.0, "size": 1},
        {"sigma": 1.0, "size": 1, "oversample": 0}, {"sigma": 1.0, "size": 1, "dtype": float},
        {"sigma": 1.0, "size": 1, "dtype": "no dtype"},
    ]  # fmt: skip
    found, expected = (way("calls", which, calls)() for which in ("after", "before"))
    assert found[1:] == expected[1:]
    assert found[0][:2] == expected[0][:2]  # one draw of 100: it may be 0
    assert "ValueError" in found


def test_where_it_is_stricter(way: Way) -> None:
    """Noise that would wrap in a narrow dtype, and a sigma that no noise has."""
    calls = [
        {"sigma": 1.0, "size": 1, "dtype": np.int16}, {"sigma": 1.0, "size": 1, "dtype": "u8"},
        {"sigma": 2.0**28, "size": 1, "dtype": np.int32}, {"sigma": float("nan"), "size": 1},
        {"sigma": 1e-9, "size": 1}, {"sigma": 2.0**57, "size": 1},
    ]  # fmt: skip
    assert way("calls", "after", calls)() == ["ValueError"] * len(calls)


def test_another_generator_is_not_drawn_from(way: Way) -> None:
    one, other = way("others")()
    assert not np.array_equal(one, other)
