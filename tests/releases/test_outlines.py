"""Neighbouring tables and rows in another order are seen alike, but for the answer.

Compared are errors, warnings (which are errors here), types, dtypes, shapes, keys and their order,
the ledger's rows, what is drawn from the generator, and what is imported.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from releases.outlines import (
    check_draws,
    check_order,
    check_outlines,
    neighbours,
    permutations,
)
from releases.shapes import SHAPES

from cydp import DiscreteLaplace
from cydp.exact._label_codes import match_labels
from cydp.exact._label_sets import find_labels
from cydp.mechanisms._charge_and_draw import charge_and_run
from cydp.releases import _count, _group_rows, _rows, _run
from cydp.releases._presence import is_absent

ORDERS = 100


def few(*names: str, more: tuple[str, ...] = ()) -> list[Any]:
    """Return all shapes; those of `more` are for long runs, and those of no name for slow ones."""

    def mark(shape: str) -> Any:
        return () if shape in names else pytest.mark.long if shape in more else pytest.mark.slow

    return [pytest.param(shape, marks=mark(shape)) for shape in SHAPES]


@pytest.mark.parametrize("shape", few("pandas", more=("list", "objects", "polars Enum", "pyarrow")))
def test_neighbours_are_seen_alike(shape: str) -> None:
    check_outlines(shape, neighbours(shape))


@pytest.mark.parametrize("shape", few("numpy", more=("list", "polars Categorical")))
def test_as_much_is_drawn_for_neighbours(shape: str) -> None:
    check_draws(shape, neighbours(shape))


@pytest.mark.parametrize("shape", few("list", more=("polars Categorical", "pandas nullable")))
def test_the_order_of_rows_shows_in_no_number(shape: str) -> None:
    check_order(shape, permutations(ORDERS))


@pytest.mark.parametrize("shape", few(more=("pandas categories",)))
def test_orders_of_rows_are_seen_alike(shape: str) -> None:
    check_outlines(shape, permutations(ORDERS))


def run_apart(code: str, absent: str | None) -> subprocess.CompletedProcess[str]:
    """Run code in a process where a library may be absent."""
    prelude = f"""
import sys, warnings
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
warnings.simplefilter("error")
absent = {absent!r}
if absent is not None:
    sys.modules[absent] = None  # an import of it raises
from releases.outlines import check_imports, check_outlines, neighbours
"""
    return subprocess.run(
        [sys.executable, "-c", prelude + code], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("shape", few("polars", more=("pandas categories",)))
def test_neighbours_are_seen_alike_without_nanoarrow(shape: str) -> None:
    done = run_apart(f"check_outlines({shape!r}, neighbours({shape!r}))", "nanoarrow")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("first", ["plain", "none"])
@pytest.mark.parametrize("shape", few(more=("pandas objects", "DuckDB enum")))
def test_neighbours_import_the_same(shape: str, first: str) -> None:
    done = run_apart(f"check_imports({shape!r}, {first!r})", None)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("shape", few("pandas"))
def test_neighbours_import_the_same_without_nanoarrow(shape: str) -> None:
    done = run_apart(f"check_imports({shape!r}, 'none')", "nanoarrow")
    assert done.returncode == 0, done.stderr


def test_an_import_that_depends_on_a_null_is_seen() -> None:
    mutant = """
from cydp.releases import _rows
count_present = _rows.count_present
def count(values):
    present = count_present(values)
    if present < len(values):
        import this_module_is_imported
    return present
_rows.count_present = count
import importlib.abc, importlib.machinery
class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name == "this_module_is_imported":
            return importlib.machinery.ModuleSpec(name, self)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        pass
sys.meta_path.insert(0, Finder())
check_imports("numpy", "none")
"""
    done = run_apart(mutant, None)
    assert "this_module_is_imported" in done.stderr


# Mutants


def fail_outside(labels: Any, keys: Any) -> Any:
    """Refuse rows whose label is no key."""
    codes = match_labels(labels, keys)
    if (codes == len(keys)).all():
        raise ValueError("no row has a key")
    return codes


def warn_if_missing(values: Any) -> Any:
    absent = is_absent(values)
    if not absent.any():
        warnings.warn("no number is missing", stacklevel=1)
    return absent


def release_narrow(mechanism: Any, answers: Any, **others: Any) -> Any:
    """Return as few bits as the answers need."""
    noisy = release(mechanism, answers, **others)
    return noisy if np.any(answers) else noisy.astype(np.int32)


def record_rows(query: Any, draw: Any, *given: Any, **named: Any) -> Any:
    """Let a ledger record the number of rows."""
    rows = draw.args[1]
    if isinstance(rows, _group_rows.GroupRows):
        query = replace(query, n_keys=rows._labels[0].length)
    return charge_and_run(query, draw, *given, **named)


def find_in_order_of_rows(labels: Any) -> Any:
    """Sort keys by the first letter of the first row."""
    found = find_labels(labels)
    if found.codes[0] == 0:
        return found
    last = len(found) - 1
    codes = np.where(found.codes > last, found.codes, last - found.codes).astype(np.uint32)
    return type(found)(tuple(each[::-1] for each in found.arrays), codes)


def draw_for_odd(query: Any, rows: Any, generator: Any) -> int:
    number = rows.count(generator)
    if number % 2:
        generator.bytes(1)
    noisy: int = query.parts["count"].noise.release(number, rng=generator)
    return noisy


release = DiscreteLaplace.release

NEIGHBOURS = neighbours("list")


@pytest.mark.parametrize(
    ("module", "mutant", "check"),
    [
        (
            _group_rows, {"match_labels": fail_outside},
            partial(check_outlines, tables=NEIGHBOURS, names=["group_by"]),
        ),
        (
            _rows, {"is_absent": warn_if_missing},
            partial(check_outlines, tables=NEIGHBOURS, names=["mean, user"]),
        ),
        (
            DiscreteLaplace, {"release": release_narrow},
            partial(check_outlines, tables=NEIGHBOURS, names=["group_by"]),
        ),
        (
            _run, {"charge_and_run": record_rows},
            partial(check_outlines, tables=NEIGHBOURS, names=["group_by"]),
        ),
        (
            _group_rows, {"find_labels": find_in_order_of_rows},
            partial(check_order, tables=permutations(ORDERS), names=["group_by, unknown"]),
        ),
        (
            _count, {"_draw": draw_for_odd},
            partial(check_draws, tables=NEIGHBOURS, names=["count of x"]),
        ),
    ],
    ids=["error", "warning", "dtype", "ledger", "order", "draws"],
)  # fmt: skip
def test_what_depends_on_records_is_seen(
    module: Any,
    mutant: dict[str, Any],
    check: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check("list")
    for name, stand_in in mutant.items():
        monkeypatch.setattr(module, name, stand_in)
    with pytest.raises(AssertionError):
        check("list")
