"""Columns in memory, whose keys are looked up in blocks: the answers of all blocks count."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cydp
from cydp._columns.declared import Labels
from cydp._columns.keys import Keys
from cydp.exact import _lookup
from cydp.testing import SeededGenerator

ROWS = 203  # in five blocks, of four rows for each count
K = np.arange(ROWS) % 5 - 1
X = np.ma.MaskedArray(np.linspace(-1, 11, ROWS), np.arange(ROWS) % 6 == 2)
TABLE = {"k": K, "x": X}
KEYS = [0, 1, 3]


def by_key(**summaries: Any) -> Callable[..., Any]:
    return lambda **given: cydp.group_by(TABLE, "k", keys=KEYS, **summaries, **given)


CALLS: dict[str, Callable[..., Any]] = {
    "value_counts": lambda **given: cydp.value_counts(K, KEYS, **given),
    "group_by": by_key(),
    "sums": by_key(sums={"x": (0, 10)}),
    "sums and means": by_key(sums={"x": (0, 10)}, means={"x": (1, 10)}),
    "missing": by_key(means={"x": (0, 10)}, missing=5),
    "histogram": lambda **given: cydp.histogram(X, 4, (0, 10), by=K, by_keys=KEYS, **given),
}


@pytest.mark.parametrize("name", CALLS)
def test_blocks_of_rows_add_up(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def released() -> Any:
        return CALLS[name](epsilon=1, rng=SeededGenerator(1)).to_dict()

    at_once = released()
    monkeypatch.setattr(_lookup, "_CHUNK_ROWS", 1)
    assert released() == at_once


def test_arrays_of_other_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="the same length"):
        next(_lookup.label_blocks([Labels(K)], Keys(KEYS), [X[1:]], 1))
