"""What can be seen of a release besides its answer, for a table and for others like it."""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from releases.shapes import KNOWN, RELEASES, ROWS, SHAPES, UNDECLARED, Columns, outline, values_of

import cydp
from cydp.testing import SeededGenerator

__all__ = [
    "check_draws", "check_imports", "check_order", "check_outlines", "drawn", "neighbours",
    "permutations",
]  # fmt: skip

BUDGETS: dict[type, Any] = {
    cydp.PureDP: cydp.PureDP(10**9), cydp.ZCDP: cydp.ZCDP(10**9),
    cydp.ApproxDP: cydp.ApproxDP(10**9, 0.9),
}  # fmt: skip
OF_EACH_CHARGE = {"seq", "time", "pid", "hash", "previous", "prev_hash", "charge_id"}

ADDED = {"x": 3.5, "n": 9, "word": "ant", "kind": "bee", "who": 1, "name": "a"}
DECLARED: dict[str, list[Any]] = {
    "x": [None, float("nan"), float("inf"), -float("inf"), -0.0, 1e300, 5e-324],
    "n": [None, 2**52, -1], "word": [None, "", "été", "bee"], "kind": [None, "ant"],
    "who": [None, 2**52, -7], "name": [None, "b"],
}  # fmt: skip
LABELS: list[Any] = [
    2**70, -(10**400), [1], {}, True, 7, 7.5, float("nan"), float("inf"), -0.0, "ant", "none", "",
    "\ud800", b"ant", Decimal("1.5"), Decimal("sNaN"), Fraction(1, 3), (1, "a"), ([],), object(),
    date(2020, 1, 2), frozenset([1]), 1j,
]  # fmt: skip
NUMBERS: list[Any] = [2**70, -(10**400), True, Decimal("1e30"), Decimal("NaN"), Fraction(1, 3), 7]


def neighbours(shape: str) -> dict[str, Columns]:
    """Return tables that differ from ROWS in a record, and some that are small."""
    rows = len(ROWS["x"])
    made: dict[str, Columns] = {"plain": ROWS, "none": _without(range(rows))}
    for i in (0, 3, rows - 1):
        made[f"without {i}"] = _without([i])
    made["added"] = {name: [*each, ADDED[name]] for name, each in ROWS.items()}
    made["added first"] = {name: [ADDED[name], *each] for name, each in ROWS.items()}
    made["null added"] = {name: [*each, None] for name, each in ROWS.items()}
    made["one"] = _without(range(1, rows))
    made["all null"] = {name: [None] * rows for name in ROWS}
    for name, entries in ROWS.items():
        made[f"{name} null"] = ROWS | {name: [None] * rows}
        changes = list(DECLARED[name])
        if shape in UNDECLARED and name in ("word", "who"):
            changes += LABELS
        elif shape == "list" and name in ("x", "n"):
            changes += NUMBERS
        for number, entry in enumerate(changes):
            made[f"{name} {number}"] = ROWS | {name: [entry, *entries[1:]]}
    return made


def permutations(number: int) -> dict[str, Columns]:
    """Return tables of the same rows in other orders."""
    made = {"plain": ROWS}
    for seed in range(number):
        order = random.Random(seed).sample(range(len(ROWS["x"])), len(ROWS["x"]))
        made[f"order {seed}"] = {name: [each[i] for i in order] for name, each in ROWS.items()}
    return made


def _without(left_out: Iterable[int]) -> Columns:
    removed = set(left_out)
    return {
        name: [entry for i, entry in enumerate(each) if i not in removed]
        for name, each in ROWS.items()
    }


def outlines(name: str, tables: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return what is seen of the release of each table: its outline, and its ledger's row."""
    plain = RELEASES[name](SHAPES["list"](ROWS))
    with tempfile.TemporaryDirectory() as folder:
        ledger = cydp.BudgetLedger.create(
            Path(folder) / "ledger", BUDGETS[type(plain.loss)], relation=plain.relation,
            privacy_unit=plain.query.unit.name,
        )  # fmt: skip
        seen = {}
        with ledger:
            for table in tables:
                try:
                    seen[table] = outline(
                        RELEASES[name](tables[table], budget=ledger), shapes=name in KNOWN
                    )
                except Exception as error:
                    seen[table] = {"raised": (type(error), str(error), repr(error.__cause__))}
            charges = [entry for entry in ledger.history() if entry["kind"] == "charge"]
    rows: list[Any] = [
        {field: value for field, value in entry.items() if field not in OF_EACH_CHARGE}
        for entry in charges
    ]
    if not rows:
        rows = [None] * len(seen)
    return {table: (each, row) for (table, each), row in zip(seen.items(), rows, strict=True)}


def drawn(name: str, table: Any) -> tuple[dict[str, Any], bytes]:
    """Return the numbers of a seeded release, and the next bytes of the generator."""
    generator = SeededGenerator(5)
    return values_of(RELEASES[name](table, rng=generator)), generator.bytes(16)


def check_outlines(shape: str, tables: dict[str, Columns], names: Iterable[str] = RELEASES) -> None:
    """Raise an AssertionError unless all tables are seen alike."""
    made = {table: SHAPES[shape](columns) for table, columns in tables.items()}
    for name in names:
        seen = outlines(name, made)
        plain = next(iter(seen.values()))
        others = [table for table in seen if seen[table] != plain]
        assert not others, (name, others[:9], _first_difference(plain, seen[others[0]]))


def _first_difference(one: tuple[Any, Any], two: tuple[Any, Any]) -> Any:
    return [
        (field, a.get(field), b.get(field))
        for a, b in zip(one, two, strict=True)
        if a is not None and b is not None
        for field in {**a, **b}
        if a.get(field) != b.get(field)
    ][:2] or (one[1], two[1])


def check_imports(shape: str, first: str, names: Iterable[str] = RELEASES) -> None:
    """Raise an AssertionError if a table imports what the one that is released first did not."""
    made = {table: SHAPES[shape](columns) for table, columns in neighbours(shape).items()}
    imported = modules_after(made.pop(first), names)
    for table, each in made.items():
        assert (added := modules_after(each, names) - imported) == set(), (shape, table, added)


def modules_after(table: Any, names: Iterable[str]) -> set[str]:
    """Return the modules that are imported after releases of a table."""
    for name in names:
        with suppress(ImportError):  # of nanoarrow; what raises is compared elsewhere
            RELEASES[name](table)
    return set(sys.modules)


def check_draws(shape: str, tables: dict[str, Columns], names: Iterable[str] = KNOWN) -> None:
    """Raise an AssertionError if generators of one seed are read further for one of the tables."""
    made = {table: SHAPES[shape](columns) for table, columns in tables.items()}
    for name in names:
        positions = {table: drawn(name, each)[1] for table, each in made.items()}
        others = [table for table in made if positions[table] != positions["plain"]]
        assert not others, (name, others)


def check_order(shape: str, tables: dict[str, Columns], names: Iterable[str] = RELEASES) -> None:
    """Raise an AssertionError if seeded releases of the same rows in another order differ.

    Releases with users are left out: which of a user's rows stay depends on their order.
    """
    made = {table: SHAPES[shape](columns) for table, columns in tables.items()}
    for name in names:
        if RELEASES[name](made["plain"]).query.unit.has_users:
            continue
        plain = drawn(name, made["plain"])
        others = [table for table, each in made.items() if drawn(name, each) != plain]
        assert not others, (name, others)
