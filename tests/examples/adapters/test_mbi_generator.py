"""examples/adapters/mbi_generator.py: noisy marginals that mbi's release estimates from."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from examples.adapters.conftest import Record
from examples.adapters.fit import p_value
from examples.adapters.hosts import Way, in_turn, start
from samplers.goodness_of_fit import LIMIT, REJECTED
from scipy.stats import binom

pytestmark = pytest.mark.hosts

HOST = "mbi==2.0.0"
SCALE, N = 1.5, 200_000


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> Way:
    return start(tmp_path_factory.mktemp("mbi"), "mbi_ways.py", HOST)


def test_the_release_lacks_the_mechanisms(way: Way) -> None:
    version, files = way("release")()
    assert HOST.endswith(version)
    assert "mbi/estimation.py" in files
    assert not [name for name in files if "mechanism" in name or "mst" in name or "aim" in name]


def test_figures(way: Way, figures: Record) -> None:
    before, after, *lengths = in_turn(*(way("marginals", which, 100, 10_000, 100.0)
                                        for which in ("before", "after")))  # fmt: skip
    assert lengths == [[10_000] * 100] * 2
    figures(HOST, "noise of 100 marginals of 10,000 cells", before, after)


@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
def test_the_noise_is_made_of_integers_of_the_distribution(way: Way, kind: str) -> None:
    drawn = way("noise", "after", kind, 1, SCALE, N)()
    assert drawn.dtype == np.float64
    assert p_value(kind, Fraction(SCALE), drawn) > LIMIT
    rounded = np.rint(way("noise", "before", kind, 1, SCALE, N)())
    assert p_value(kind, Fraction(SCALE), rounded) < REJECTED


def test_the_largest_noise_is_added_exactly(way: Way) -> None:
    """What the host adds in float32 is the exact sum of integers, rounded: a function of it."""
    for kind in ("gaussian", "laplace"):
        drawn = way("noise", "after", kind, 1, 2.0**16, 10_000)()
        assert 2**17 < np.abs(drawn).max() < 2**24
        assert np.any(drawn % 2 == 1)
        for count in (1, 2**24 - 1):
            exact = [np.float32(count + int(noise)) for noise in drawn]
            assert np.array_equal(np.float32(count) + drawn.astype(np.float32), exact)


def test_the_host_estimates_from_integers(way: Way) -> None:
    """The model fits three noisy marginals together: it is closer to the truth than they are."""
    rows, sigma = 20_000, 50.0
    exact, measured, found = way("estimate", "after", 1, rows, sigma)()
    assert all(np.array_equal(noisy, np.rint(noisy)) for noisy in measured)
    assert {noisy.dtype for noisy in measured} == {np.dtype(np.float32)}
    noise = np.concatenate(measured) - np.concatenate(exact)
    left = np.concatenate(found) - np.concatenate(exact)
    assert 0.7 * sigma < np.sqrt(np.mean(noise**2)) < 1.3 * sigma
    assert np.sqrt(np.mean(left**2)) < np.sqrt(np.mean(noise**2))
    _, before, host = way("estimate", "before", 1, rows, sigma)()
    assert not np.array_equal(before[0], np.rint(before[0]))
    of_host = np.concatenate(host) - np.concatenate(exact)
    assert np.sqrt(np.mean(left**2)) < 2 * np.sqrt(np.mean(of_host**2))


def test_its_choices_follow_the_hosts_chances(way: Way) -> None:
    chosen, chance = way("choices", 1, 2000)(), 1 / (1 + math.exp(-1))
    assert binom.cdf(chosen, 2000, chance) > LIMIT
    assert binom.sf(chosen - 1, 2000, chance) > LIMIT
    assert binom.sf(chosen - 1, 2000, 0.5) < REJECTED


def test_shapes_are_numpys_and_wrong_arguments_raise(way: Way) -> None:
    calls = [{"scale": 2.0, "size": (2, 3)}, {"scale": np.float64(0.5), "size": 4}]
    wrong = [{"loc": 1.0}, {"loc": np.zeros(2)}, {"scale": 0.0}, {"scale": -1.0},
             {"scale": 2.0**17}, {"scale": math.nan}]  # fmt: skip
    wrong = [given | {"size": 2} for given in wrong] + [{"size": -1}, {"scale": 2.0}]
    found = way("calls", calls + wrong)()
    shapes = [("<f8", (2, 3)), ("<f8", (4,))]
    assert found == (shapes + ["ValueError"] * len(wrong)) * 2
