"""releases/output/_uhi.py: histograms for the tools of high-energy physics."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from releases.output.made import KEYS, failing, made, with_counts
from uhi.numpy_plottable import ensure_plottable_histogram
from uhi.typing.plottable import PlottableAxisGeneric, PlottableHistogram, PlottableTraits

mpl.use("agg")

HISTOGRAMS = ["histogram", "one bin", "negative", "histogram by", "two axes", "three axes"]


def check_every_histogram_keeps_to_the_protocol(name: str) -> None:
    release = made(name)
    found: Any = release.to_uhi()
    assert isinstance(found, PlottableHistogram)
    assert ensure_plottable_histogram(found) is found
    assert found.kind == "COUNT"
    assert tuple(map(len, found.axes)) == release.counts.shape
    assert np.array_equal(found.values(), release.counts)
    assert np.array_equal(found.counts(), release.counts)
    assert np.array_equal(found.variances(), np.full(release.counts.shape, release.variance))
    for axis in found.axes:
        assert isinstance(axis, PlottableAxisGeneric)
        assert isinstance(axis.traits, PlottableTraits)
        assert not axis.traits.circular
        assert list(axis) == [axis[i] for i in range(len(axis))]
        with pytest.raises(IndexError):
            axis[len(axis)]
    assert found.axes == release.to_uhi().axes


def test_every_histogram_keeps_to_the_protocol() -> None:
    assert failing(check_every_histogram_keeps_to_the_protocol, HISTOGRAMS) == {}


def test_bins_are_pairs_and_keys_are_categories() -> None:
    keys, bins = made("histogram by").to_uhi().axes
    assert list(keys) == KEYS
    assert keys.traits.discrete
    assert not bins.traits.discrete
    edges = made("histogram by").edges
    assert list(bins) == list(pairwise(edges))
    assert keys != bins


def test_values_are_copies() -> None:
    found = made("histogram").to_uhi()
    found.values()[0] = 10**6
    assert found.values()[0] == made("histogram").counts[0]


@pytest.mark.hosts
def test_boost_histogram_takes_it() -> None:
    bh = pytest.importorskip("boost_histogram")
    for name in HISTOGRAMS:
        release = made(name)
        found = bh.Histogram(release.to_uhi())
        assert np.array_equal(found.values(), release.counts), name
        assert np.array_equal(found.variances(), np.full(release.counts.shape, release.variance))
        assert found.axes[-1].edges.tolist() == release.axes[-1].tolist(), name


@pytest.mark.hosts
def test_mplhep_draws_it() -> None:
    mplhep = pytest.importorskip("mplhep")
    plt = pytest.importorskip("matplotlib.pyplot")
    try:
        release = with_counts([5, -1, 7])
        ax = plt.figure().add_subplot()
        (drawn,) = mplhep.histplot(release.to_uhi(), ax=ax)
        assert drawn.stairs.get_data().values.tolist() == [5, -1, 7]
        assert drawn.stairs.get_data().edges.tolist() == [0, 1, 2, 3]
        heights = [
            segment[1][1] - segment[0][1]
            for lines in drawn.errorbar.lines[2]
            for segment in lines.get_segments()
        ]
        assert np.allclose(heights, 2 * release.variance**0.5)
        flat = plt.figure().add_subplot()
        mplhep.hist2dplot(made("two axes").to_uhi(), ax=flat)
        assert sorted(flat.collections[0].get_array().ravel().tolist()) == sorted(
            made("two axes").counts.ravel().tolist()
        )
    finally:
        plt.close("all")
