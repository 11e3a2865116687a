"""A signalling NaN is a NaN: its conversion warns nobody, in any shape."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cydp
from cydp import ExponentialMechanism, Gaussian, Laplace, PermuteAndFlip, Snapping, exact

SIGNALLING = np.frombuffer(np.uint32(0x7FA00000).tobytes(), np.float32)
BOTH = np.concatenate([SIGNALLING, np.ones(1, np.float32)])
SHAPES: dict[str, Callable[[], Any]] = {
    "list": lambda: [SIGNALLING[0], np.float32(1)],
    "mixed list": lambda: [1.0, SIGNALLING[0]],
    "array": lambda: BOTH,
    "pandas": lambda: pd.Series(BOTH),
    "nullable": lambda: pd.Series(pd.arrays.FloatingArray(BOTH, np.zeros(2, bool))),
    "polars": lambda: pl.Series(BOTH),
    "pyarrow": lambda: pa.array(BOTH),
}
CALLS: dict[str, Callable[[Any], object]] = {
    "histogram": lambda x: cydp.histogram(x, 4, (0, 4), epsilon=1),
    "exact.histogram": lambda x: exact.histogram(x, 4, (0, 4)),
    "clamped_sum": lambda x: exact.clamped_sum(x, (0, 1)),
    "grouped_clamped_sum": lambda x: exact.grouped_clamped_sum([0, 0], x, 1, (0, 1)),
    "HistogramAccumulator": lambda x: exact.HistogramAccumulator(4, (0, 4)).update(x),
    "GroupedAccumulator": lambda x: exact.GroupedAccumulator(1, sums={"a": (0, 1)}).update(
        [0, 0], a=x
    ),
    "Laplace": lambda x: Laplace(epsilon=1, sensitivity=1).release(x),
    "Gaussian": lambda x: Gaussian(sensitivity=1, rho=1).release(x),
    "Snapping": lambda x: Snapping(epsilon=1, sensitivity=1, bounds=(-100, 100)).release(x),
    "ExponentialMechanism": lambda x: ExponentialMechanism(epsilon=1, sensitivity=1).release(x),
    "PermuteAndFlip": lambda x: PermuteAndFlip(epsilon=1, sensitivity=1).release(x),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", CALLS)
def test_nobody_is_warned(name: str, shape: str) -> None:
    column = SHAPES[shape]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CALLS[name](column)
