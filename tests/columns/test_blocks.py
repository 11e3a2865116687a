"""Blocks of rows hold every value once, but for masked ones, in any layout and dtype."""

import itertools
from typing import Any

import numpy as np
import pytest

from cydp._columns.blocks import blocks, paired_blocks

F64, I64 = np.dtype(np.float64), np.dtype(np.int64)
VALUES = np.arange(24, dtype=np.int16)
LAYOUTS: dict[str, Any] = {
    "native": VALUES.astype(np.float64),
    "another dtype": VALUES,
    "another byte order": VALUES.astype(">i2"),
    "strided": np.repeat(VALUES, 2)[::2],
    "backwards": VALUES[::-1],
    "transposed": VALUES.reshape(4, 6).T,
    "no dimensions": np.array(7, np.int16),
    "empty": VALUES[:0],
    "empty table": VALUES[:0].reshape(0, 3),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_blocks_hold_what_no_mask_hides(layout: str) -> None:
    values = LAYOUTS[layout]
    masks = [np.zeros(values.shape, bool), np.asarray(values % 3 == 0), np.ones(values.shape, bool)]
    masked = [values, *(np.ma.array(values, mask=mask) for mask in masks)]
    for given, rows in itertools.product(masked, (1, 5, 24, 1000)):
        parts = [block.copy() for block in blocks(given, F64, rows)]
        assert all(part.dtype == F64 and part.flags.c_contiguous for part in parts)
        found = sorted(np.concatenate([np.empty(0), *parts]).tolist())
        assert found == sorted(np.ma.array(given).compressed().tolist())


def test_what_needs_no_conversion_is_one_block() -> None:
    values = LAYOUTS["native"]
    (block,) = blocks(values, F64, 5)
    assert np.shares_memory(block, values)
    assert len(block) == 24


@pytest.mark.parametrize("rows", [1, 5, 1000])
def test_pairs_stay_together(rows: int) -> None:
    codes = np.ma.array(VALUES, mask=VALUES % 3 == 0)
    numbers = np.ma.array(VALUES[::-1] / 2, mask=VALUES % 5 == 0)
    expected = [
        (int(code), float(number))
        for code, number in zip(VALUES, VALUES[::-1] / 2, strict=True)
        if code % 3 and code % 5
    ]
    found = [
        pair
        for pair_of_blocks in paired_blocks((codes, numbers), (I64, F64), rows)
        for pair in zip(*(block.tolist() for block in pair_of_blocks), strict=True)
    ]
    assert sorted(found) == expected
    assert list(paired_blocks((VALUES[:0], VALUES[:0]), (I64, F64), rows)) == []
