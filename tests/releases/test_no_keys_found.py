"""releases/_group_rows.py: tables of which no key is selected are released, and are empty."""

from __future__ import annotations

from typing import Any

import pytest

import cydp

ASKED: list[dict[str, Any]] = [
    {},
    {"sums": {"x": (0, 5)}},
    {"means": {"x": (0, 5)}},
    {"means": {"x": (0, 5)}, "missing": 1},
    {"quantiles": {"x": ([0.5, 0.1], (0, 5))}},
]
UNITS: list[dict[str, Any]] = [
    {},
    {"user": "who", "max_partitions": 2},
    {"user": "who", "max_partitions": 2, "max_rows_per_partition": 3},
]


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("unit", UNITS, ids=len)
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: "-".join(asked) or "count")
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_table_without_frequent_keys_is_empty(
    rows: int, asked: dict[str, Any], unit: dict[str, Any], relation: str
) -> None:
    """That no key is found must not show as an error, which a record could decide."""
    table = {"key": ["a", "b", "c"][:rows], "x": [1.0, 2.0, 3.0][:rows], "who": [1, 2, 3][:rows]}
    release = cydp.group_by(
        table, "key", epsilon=1, delta=1e-12, relation=relation, **asked, **unit
    )
    assert len(release) == len(release.keys) == 0
    assert all(release[name].shape[0] == 0 for name in release.columns)
    assert repr(release)


def test_no_value_is_frequent() -> None:
    assert cydp.value_counts(["a", "b"], epsilon=1, delta=1e-12).counts.shape == (0,)
