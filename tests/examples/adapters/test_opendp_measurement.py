"""examples/adapters/opendp_measurement.py beside OpenDP's own measurement."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from examples.adapters.conftest import Record
from examples.adapters.fit import p_value
from examples.adapters.hosts import Way, in_turn, start
from samplers.goodness_of_fit import LIMIT, REJECTED

pytestmark = pytest.mark.hosts

HOST = "opendp==0.16.0"
N = 200_000


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> Way:
    return start(tmp_path_factory.mktemp("opendp"), "opendp_ways.py", HOST)


def test_figures(way: Way, figures: Record) -> None:
    assert HOST.endswith(way("version")())
    before, after, *drawn = in_turn(*(way("release", which, 10.0, [0] * 100_000)
                                      for which in ("before", "after")))  # fmt: skip
    assert [len(noise) for noise in drawn] == [100_000] * 2
    figures(HOST, "100,000 integers, scale 10", before, after)


@pytest.mark.parametrize("scale", [1.5, 40.25])
def test_the_noise_is_discrete_laplace(way: Way, scale: float) -> None:
    noise = np.array(way("release", "after", scale, [7] * N, 1)()) - 7
    assert p_value("laplace", Fraction(scale), noise) > LIMIT
    assert p_value("laplace", Fraction(scale) * Fraction(11, 10), noise) < REJECTED


@pytest.mark.parametrize("scale", [1.0, 0.1, 3.0, 1e6, 7.3])
def test_the_map_is_epsilon_rounded_up(way: Way, scale: float) -> None:
    distances = [0, 1, 2, 3, 7, 1000, 2**40 + 1]
    for distance, loss in zip(distances, way("losses", "after", scale, distances)(), strict=True):
        exact = distance / Fraction(str(scale))
        assert loss >= exact
        assert loss == 0 or math.nextafter(loss, 0) < exact
    host = way("losses", "before", scale, distances)()
    assert np.allclose(way("losses", "after", scale, distances)(), host, rtol=1e-12)


def test_it_chains_with_opendps_transformations(way: Way) -> None:
    words = ["red"] * 1000 + ["blue"] * 500
    noisy, loss, true = way("counts", "after", 2.0, words, 3, 1)()
    assert np.allclose(noisy, [1000, 0, 500], atol=60)  # exp(-30)
    assert min(noisy) >= 0
    assert (loss, true) == (1.5, True)
    assert way("counts", "before", 2.0, words, 3)()[1:] == (1.5, True)


def test_sums_that_leave_int64_are_clamped(way: Way) -> None:
    noisy = way("release", "after", 100.0, [2**63 - 1, -(2**63)] * 100, 1)()
    assert max(noisy[1::2]) < 0 < min(noisy[::2])
    assert noisy.count(2**63 - 1) > 20
    assert noisy.count(-(2**63)) > 20
    assert len(set(noisy)) > 50


def test_wrong_spaces_scales_inputs_and_distances_raise(way: Way) -> None:
    calls = [{"space": "floats"}, {"space": "one number"}, {"space": "L2"}, {"scale": 0.0},
             {"scale": -1.0}, {"scale": math.nan}, {"scale": 2.0**57}, {"scale": "no number"},
             {"distance": -1}, {"values": ["text"]}, {"values": None}, {"values": [0.5]},
             {"values": [2**63]}]  # fmt: skip
    found = way("errors", "after", calls)()
    assert [name for name, _ in found if name == "nothing"] == []
    assert "must have Vec<i32> or Vec<i64>" in found[0][1]
    assert "must have Vec<i32> or Vec<i64>" in found[1][1]
    assert "must have L1Distance<i32> or L1Distance<i64>" in found[2][1]
    host = way("errors", "before", calls[8:])()
    assert [name for name, _ in found[8:]] == [name for name, _ in host]
