"""Neighbouring tables and rows in another order are seen alike, but for the answer.

Compared are errors, warnings (which are errors here), types, dtypes, shapes, keys and their order,
the ledger's rows, what is drawn from the generator, and what is imported.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from releases.outlines import (
    check_draws,
    check_order,
    check_outlines,
    neighbours,
    permutations,
)
from releases.shapes import KNOWN, RELEASES, SHAPES


def by_shape(names: Iterable[str], turn: int) -> Iterator[tuple[str, list[str]]]:
    """Return each shape with some of the releases: in each turn a release has another shape.

    The turn 0, of short runs, has every third release alone.
    """
    for place, shape in enumerate(SHAPES):
        wanted = [
            name
            for i, name in enumerate(names)
            if (i + turn) % len(SHAPES) == place and (turn or i % 3 == 0)
        ]
        if wanted:
            yield shape, wanted


def test_neighbours_are_seen_alike() -> None:
    for shape, names in by_shape(RELEASES, 0):
        check_outlines(shape, neighbours(shape), names)


def test_as_much_is_drawn_for_neighbours() -> None:
    for shape, names in by_shape([*KNOWN][::-1], 0):
        check_draws(shape, neighbours(shape), names)


def test_the_order_of_rows_shows_in_no_number() -> None:
    for shape, names in by_shape([*RELEASES][::-1], 0):
        check_order(shape, permutations(20), names)
    check_order("list", permutations(20), [name for name in RELEASES if name not in KNOWN])


@pytest.mark.long
@pytest.mark.parametrize("turn", range(1, 5))
def test_tables_of_other_shapes_are_seen_alike(turn: int) -> None:
    for shape, names in by_shape(RELEASES, turn):
        check_outlines(shape, neighbours(shape), names)
        check_draws(shape, neighbours(shape), KNOWN.keys() & {*names})
        check_order(shape, permutations(100), names)
        check_outlines(shape, permutations(10), names)


# Each shape is released in a process of its own, forked from one that has imported no more than
# this module. {names} is a slice of all releases.
IMPORTS = """
import os, sys, traceback, warnings
sys.path.insert(0, {folder!r})
warnings.simplefilter("error")
if {absent!r}:
    sys.modules[{absent!r}] = None  # an import of it raises
from releases.outlines import RELEASES, check_imports, check_outlines, neighbours
failed = []
for shape, first in {pairs!r}:
    child = os.fork()
    if child == 0:
        try:
            names = [*RELEASES]{names}
            check_imports(shape, first, names)
            if {absent!r}:
                check_outlines(shape, neighbours(shape), names[::2])
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        failed.append((shape, first))
sys.exit(str(failed) if failed else 0)
"""


def check_apart(pairs: list[tuple[str, str]], names: str, absent: str) -> None:
    """Raise an AssertionError unless neighbours import the same where a library may be absent."""
    folder = str(Path(__file__).parents[1])
    code = IMPORTS.format(folder=folder, pairs=pairs, names=names, absent=absent)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("absent", ["", "nanoarrow"])
def test_neighbours_import_the_same(absent: str) -> None:
    pairs = [("polars", "none")] if absent else [("numpy", "none"), ("pandas", "plain")]
    check_apart(pairs, "[1::9]", absent)


@pytest.mark.long
@pytest.mark.parametrize("absent", ["", "nanoarrow"])
def test_neighbours_of_all_shapes_import_the_same(absent: str) -> None:
    pairs = [(shape, first) for shape in SHAPES for first in ("plain", "none")]
    check_apart(pairs[::3], "[::2]", absent)
