"""One table is released alike from every container: numbers, keys, and what was drawn for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from releases.shapes import RELEASES, ROWS, SHAPES, Columns, values_of

from cydp.testing import SeededGenerator

SEED = 7


def released(name: str, shape: str, columns: Columns = ROWS) -> tuple[dict[str, Any], bytes]:
    """Return what a seeded release shows, and the stream's next bytes: those after its draws."""
    generator = SeededGenerator(SEED)
    release = RELEASES[name](SHAPES[shape](columns), rng=generator)
    return values_of(release), generator.bytes(16)


def offences(step: int) -> list[tuple[str, str]]:
    """Return releases and shapes that differ, of every `step`-th shape, others for each release."""
    found = []
    for place, name in enumerate(RELEASES):
        expected = released(name, "list")
        assert expected[0]
        shapes = [*SHAPES][place % step :: step]
        found += [(name, shape) for shape in shapes if released(name, shape) != expected]
    return found


def test_a_release_is_the_same_from_every_shape() -> None:
    assert offences(4) == []


def test_the_order_of_rows_changes_nothing() -> None:
    """The rows of a user that count are chosen by what they hold, not by where they stand."""
    rng, found = np.random.default_rng(2), []
    for name in RELEASES:
        expected = released(name, "list")
        for _ in range(8):
            order = rng.permutation(len(ROWS["x"]))
            turned = {column: [each[i] for i in order] for column, each in ROWS.items()}
            found += [name] * (released(name, "list", turned) != expected)
    assert found == []


@pytest.mark.long
def test_all_releases_are_the_same_from_all_shapes() -> None:
    assert offences(1) == []
