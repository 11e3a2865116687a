# SPDX-License-Identifier: MIT
"""exact/_bins.py: bins are kept by plain parameters, and nothing of the data with them."""

import gc
import weakref

import numpy as np
import pytest

import cydp
from cydp import exact
from cydp.exact import _bins, _grid


class Secret:
    """What a dtype may have as metadata: any object, even the data."""


BINS = (_bins._equal_bins, _bins._given_bins)


@pytest.fixture(autouse=True)
def _forget():
    forget()


def forget():
    for cache in (*BINS, _grid._kept_grid):
        cache.cache_clear()


def sizes():
    return [cache.cache_info().currsize for cache in BINS]


CALLS = [
    lambda x: exact.histogram(x, 4, (0, 4)),
    lambda x: exact.histogram(x, [0, 1, 4]),
    lambda x: exact.histogram(x, np.array([0.0, 1, 4])),
    lambda x: exact.histogram([1.0], x),
    lambda x: cydp.histogram(x, 4, (0, 4), epsilon=1),
]


def test_metadata_of_a_dtype_is_not_kept():
    for call in CALLS:
        secret = Secret()
        gone = weakref.ref(secret)
        x = np.array([0.5, 1, 3]).astype(np.dtype(np.float64, metadata={"rows": secret}))
        assert x.dtype.metadata["rows"] is secret
        call(x)
        del x, secret
        gc.collect()
        assert gone() is None
        assert sizes() == [0, 0]


def test_a_plain_dtype_is_kept():
    exact.histogram(np.array([0.5]), 4, (0, 4))
    exact.histogram(np.array([0.5]), [0, 1, 4])
    assert sizes() == [1, 1]


def test_a_range_may_be_a_list():
    x, ends = np.array([0.5, 1, 3]), [0, 4]
    pairs = [exact.histogram(x, 4, (0, 4)), exact.histogram(x, 4, ends)]
    assert sizes() == [1, 0]  # one entry for both
    ends[1] = 8  # what the caller changes afterwards changes nothing that is kept
    pairs.append(exact.histogram(x, 4, [0, 4]))
    for counts, edges in pairs:
        assert counts.tolist() == np.histogram(x, 4, (0, 4))[0].tolist()
        assert edges.tolist() == [0, 1, 2, 3, 4]
    assert exact.histogram(x, 4, ends)[1].tolist() == [0, 2, 4, 6, 8]
    assert sizes() == [2, 0]
