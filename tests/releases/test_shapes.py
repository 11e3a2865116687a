"""One table is released alike from every container: numbers, keys, and what was drawn for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from releases.shapes import RELEASES, ROWS, SHAPES, Columns, values_of

from cydp._columns.canonical import canonical, label_bytes
from cydp._columns.strings import join_bytes
from cydp.exact import _contributions
from cydp.releases import _group_rows
from cydp.releases._partitions import bound_rows
from cydp.testing import SeededGenerator

SEED = 7


def released(name: str, shape: str, columns: Columns = ROWS) -> tuple[dict[str, Any], bytes]:
    """Return what a seeded release shows, and the stream's next bytes: those after its draws."""
    generator = SeededGenerator(SEED)
    release = RELEASES[name](SHAPES[shape](columns), rng=generator)
    return values_of(release), generator.bytes(16)


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_is_the_same_from_every_shape(name: str) -> None:
    expected = released(name, "list")
    assert expected[0]
    for shape in SHAPES:
        assert released(name, shape) == expected, shape


def by_bits(labels: Any, key: Any) -> Any:
    """Return a word for each label that depends on how the column stores it."""
    if labels.dtype.kind != "O":
        return labels.astype(np.uint64) if labels.dtype.kind == "b" else labels.view(np.uint64)
    encoded = [label_bytes(canonical(label)) for label in labels.tolist()]
    return _contributions._identify(join_bytes(encoded, None)[0], None, key)[1]


def values_alone(values: Any) -> Any:
    """Return which numbers are NaN; masks are forgotten."""
    return np.isnan(np.ma.getdata(values).astype(float))


def draw_for_objects(
    codes: Any, keys: Any, unit: Any, users: Any, generator: Any, **others: Any
) -> Any:
    """Bound the rows of users, and draw a byte more for those that declare no type."""
    if users.type.kind == "objects":
        generator.bytes(1)
    return bound_rows(codes, keys, unit, users, generator, **others)


@pytest.mark.parametrize(
    ("module", "name", "mutant", "release", "shape"),
    [
        (_contributions, "_hash_column", by_bits, "value_counts of n, unknown, user", "numpy"),
        (_group_rows, "is_absent", values_alone, "group_by", "numpy"),
        (_group_rows, "bound_rows", draw_for_objects, "group_by n, user", "polars"),
    ],
)
def test_mutants_are_seen(
    module: Any, name: str, mutant: Any, release: str, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, mutant)
    assert released(release, shape) != released(release, "list")
