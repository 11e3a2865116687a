"""releases/_unit.py: neighbours are as far apart as the noise is for, never more, and as much.

Noise is replaced by nothing, and both tables draw their sample of rows with the same key, as the
proof of docs/releases/units.md does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from releases.exact_answers import Answers, Recorder, answers, distances, without_noise
from releases.neighbours import (
    CASES,
    CELLS,
    PROTECTED,
    SLOTS,
    Case,
    Rows,
    crowd,
    other_rows,
    seek_rows,
    table_of,
)

from cydp import DiscreteGaussian, DiscreteLaplace
from cydp.exact._grid import Grid
from cydp.releases import (
    _count,
    _group_rows,
    _histogram,
    _mean,
    _partitions,
    _quantile,
    _rows,
    _variance,
)
from cydp.releases import _sum as sums
from cydp.releases._moments import MomentQuery
from cydp.releases._query import Query
from cydp.releases._unit import Change, Unit

RELATIONS = ("add-remove", "change-one")
EITHER = "add-remove-or-change"
ROUNDING = 1e-5  # roots are rounded up to six digits
SMALL = 1e-9  # of squares and roots of floats in this test


def pairs_of_rows(
    random: np.random.Generator, pairs: int, relation: str, protected: str, bounds: Any
) -> tuple[Rows, Rows]:
    """Return the rows of the unit that differs, in both of two neighbouring tables."""
    slots = SLOTS[protected]
    one, two = (seek_rows(random, pairs, slots, bounds) for _ in range(2))
    none = np.zeros((pairs, 1), np.bool_)
    if protected == "row" and relation != "add-remove":
        one.present[:] = two.present[:] = True
    if relation == "add-remove":
        two = one.hidden(none)
    elif relation == EITHER:  # in half of the pairs the unit goes
        two = two.hidden(random.random((pairs, 1)) < 0.5)
    if protected != "contained":
        return one, two
    # `one` and `two` are of one person of a household, before and after.
    rest = seek_rows(random, pairs, slots, bounds)
    order = random.permuted(np.tile(np.arange(2 * slots), (pairs, 1)), axis=1)
    return one.beside(rest).shuffled(order), two.beside(rest).shuffled(order)


class Worst:
    """The largest distances of a part."""

    def __init__(self, change: Change) -> None:
        self.change, self.l1, self.l2, self.coordinates = change, 0.0, 0.0, 0

    def add(self, apart: Any) -> None:
        self.l1 = max(self.l1, apart.l1.max())
        self.l2 = max(self.l2, apart.l2.max())
        self.coordinates = max(self.coordinates, apart.coordinates.max())

    @property
    def is_private(self) -> bool:
        change = self.change
        return (
            self.l1 <= float(change.l1)
            and self.l2 <= float(change.l2) * (1 + SMALL)
            and self.coordinates <= change.coordinates
        )

    @property
    def is_tight(self) -> bool:
        change = self.change
        return (
            self.l1 == float(change.l1)
            and self.l2 >= float(change.l2) * (1 - ROUNDING)
            and self.coordinates == change.coordinates
        )

    def __repr__(self) -> str:
        return f"{self.l1} {self.l2} {self.coordinates}: {self.change}"


def check_mechanisms(query: Query) -> None:
    """Each mechanism has the sensitivity that its part states, in its norm, under its relation."""
    for part in query.parts.values():
        mechanism, change = part.mechanism, part.change
        norm = change.l2 if isinstance(mechanism, DiscreteGaussian) else change.l1
        assert mechanism.sensitivity == norm
        assert mechanism.relation == change.relation == query.relation
        if isinstance(mechanism, DiscreteLaplace):
            assert mechanism.scale == norm / mechanism.epsilon


def compare(worst: dict[str, Worst], case: Case, one: Answers, two: Answers, pairs: int) -> None:
    check_mechanisms(one.query)
    if one.units is not None:
        compare_selections(worst, one, two, pairs)
    if "count" in one.exact and "count" not in one.query.parts:
        assert one.exact["count"] == two.exact["count"], "released without noise"
    for name, part in one.query.parts.items():
        exact = [each.exact[name] for each in (one, two)]
        if one.keys is not None:
            exact = [
                spread(each, by.keys, pairs) for each, by in zip(exact, (one, two), strict=True)
            ]
        apart = distances(part, *exact, pairs, case.width)
        worst.setdefault(name, Worst(part.change)).add(apart)


def spread(values: Any, keys: Any, pairs: int) -> Any:
    """Return values of keys that were found as those of all keys."""
    full = np.zeros(pairs * CELLS + 1, np.int64)
    full[keys] = values
    full[-1] = 0  # of the key -1
    return full[:-1]


def compare_selections(worst: dict[str, Worst], one: Answers, two: Answers, pairs: int) -> None:
    selection: Any = one.query.selection  # type: ignore[attr-defined]
    reached = selection.max_partitions * (1 if one.query.relation == "add-remove" else 2)
    units = [spread(each.units, each.keys, pairs).reshape(pairs, -1) for each in (one, two)]
    each = np.abs(units[0] - units[1])
    change = Change(reached, reached**0.5, reached, one.query.relation)  # type: ignore[arg-type]
    found = worst.setdefault("keys", Worst(change))
    found.l1 = max(found.l1, each.sum(axis=1).max())
    found.l2 = max(found.l2, (each**2).sum(axis=1).max() ** 0.5)
    found.coordinates = max(found.coordinates, (each > 0).sum(axis=1).max())


def seek(
    recorder: Recorder, case: Case, relation: str, protected: str, pairs: int
) -> dict[str, Worst]:
    """Return the worst of many pairs of tables; those with partitions are in one call."""
    random = np.random.default_rng(7)
    one, two = pairs_of_rows(random, pairs, relation, protected, case.bounds)
    worst: dict[str, Worst] = {}
    secrets = random.integers(2**62, size=pairs).tolist()
    if case.by_partition:
        others = crowd(random, pairs, case.bounds)
        tables = [table_of(rows, others, len(others["x"]) // 2) for rows in (one, two)]
        given = [
            answers(recorder, secrets[0], partial(case.release, table, pairs, relation, protected))
            for table in tables
        ]
        compare(worst, case, *given, pairs)
        return worst
    for i in range(pairs):
        if i % 100 == 0:
            others = other_rows(random, 5)
        given = []
        for rows in (one, two):
            table = table_of(rows.pair(i), others, i % 6)
            release = partial(case.release, table, 1, relation, protected)
            given.append(answers(recorder, secrets[i], release))
        compare(worst, case, *given, 1)
    return worst


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with without_noise() as made:
        yield made


def refused(name: str, protected: str) -> bool:
    """Whether there is no such release: nobody knows the units of keys that are not public."""
    return protected == "promise" and "unknown" in name


def settings_under(relations: tuple[str, ...]) -> list[tuple[str, str, str]]:
    return [
        (name, relation, protected)
        for name in CASES
        for relation in relations
        for protected in PROTECTED
        if not refused(name, protected)
    ]


SETTINGS = settings_under(RELATIONS)
# Each kind of change, where the two relations differ.
FEW = [
    ("count", "row"), ("sum, filled", "row"), ("mean, filled", "row"), ("quantile", "row"),
    ("histogram", "user"), ("histogram", "contained"), ("group_by, filled", "row"),
    ("group_by, unknown keys", "user"),
]  # fmt: skip
OF_EITHER = [
    pytest.param(*each, marks=() if (each[0], each[2]) in FEW else pytest.mark.long)
    for each in settings_under((EITHER,))
]


@pytest.mark.parametrize("times", [1, pytest.param(25, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "relation", "protected"), [*SETTINGS, *OF_EITHER])
def test_sensitivities_are_true_and_reached(
    recorder: Recorder, name: str, relation: str, protected: str, times: int
) -> None:
    """The long run has 10**5 pairs for each setting, or for each release of one number.

    Under either relation there are twice as many, so that each has as many as alone.
    """
    case = CASES[name]
    pairs = times * (4000 if case.by_partition else 500) * (2 if relation == EITHER else 1)
    for part, found in seek(recorder, case, relation, protected, pairs).items():
        assert found.is_private, (part, found)
        assert found.is_tight, (part, found)


# Mutants


def all_stay(users: Any, codes: Any, keys: Any, **_: Any) -> Any:
    return codes < (keys if isinstance(keys, int) else len(keys))


def unclamped(sum_of: Callable[..., Any], place: int) -> Callable[..., Any]:
    """Return a sum that clamps to far wider bounds."""

    def add(*given: Any) -> Any:
        grid = given[place]
        wide = Grid(grid.exponent, -(2**40), 2**40)
        return sum_of(*given[:place], wide, *given[place + 1 :])

    return add


def one_row(method: Callable[..., Any]) -> Callable[..., Any]:
    return lambda unit, *given: method(replace(unit, max_rows=1), *given)


def of_rows(bound: Callable[..., Any]) -> Callable[..., Any]:
    """Return a bound that forgets that one row of a user counts where users are counted."""
    return lambda *given, max_rows=None: bound(*given)


def under_one(relation: str, method: Callable[..., Change]) -> Callable[..., Change]:
    """Return a bound that takes one relation for either."""

    def change(unit: Unit, *given: Any) -> Change:
        if unit.relation != EITHER:
            return method(unit, *given)
        return replace(method(replace(unit, relation=relation), *given), relation=EITHER)

    return change


CHANGES = ("change_one_answer", "change_each_partition")


def unshifted(sum_of: Callable[..., Any]) -> Callable[..., Any]:
    """Return a sum by key that forgets the middle of the bounds."""
    names = ("name", "kind", "grid", "filled", "counts_rows", "rows_name")

    def add(summary: Any, *given: Any) -> Any:
        fields = {name: getattr(summary, name) for name in names}
        return sum_of(SimpleNamespace(shift=0, **fields), *given)

    return add


MUTANTS: dict[str, tuple[list[tuple[Any, str, Any]], list[tuple[str, str, str]]]] = {
    "bounding forgotten": (
        [(_rows, "bound_users", all_stay), (_partitions, "bound_users", all_stay)],
        [(name, "add-remove", "user") for name in CASES],
    ),
    "clamp forgotten": (
        [
            (module, name, unclamped(getattr(module, name), place))
            for module, name, place in (
                (sums, "sum_units", 1),
                (_mean, "sum_units", 1),
                (_group_rows, "sum_groups", 2),
            )
        ],
        [(name, "add-remove", "row") for name in ("sum", "mean", "group_by")],
    ),
    "max_rows ignored": (
        [(Unit, name, one_row(getattr(Unit, name))) for name in CHANGES],
        [
            (name, relation, protected)
            for name, relation, protected in SETTINGS
            if protected != "row"
        ],
    ),
    "factor 2 forgotten": (
        [(Unit, "rows_may_become_others", property(lambda unit: False))],
        [
            (name, "change-one", protected)
            for name in ("sum", "mean", "quantile", "histogram", "group_by", "value_counts")
            for protected in PROTECTED
        ],
    ),
    "shift forgotten": (
        [(_mean, "centre_of", lambda grid: 0)],
        [
            *(("mean", "add-remove", protected) for protected in ("row", "promise", "user")),
            *(("mean, filled", "add-remove", protected) for protected in PROTECTED),
            *(("mean, filled", "change-one", protected) for protected in PROTECTED[1:]),
        ],
    ),
    "shift forgotten by key": (
        [(_group_rows, "_sum", unshifted(_group_rows._sum))],
        [
            ("group_by, far from 0", relation, protected)
            for relation in RELATIONS
            for protected in PROTECTED
        ],
    ),
    "a person as a household": (
        [(Unit, "rows_may_become_others", property(lambda unit: unit.relation == "change-one"))],
        [
            (name, "add-remove", "contained")
            for name, case in CASES.items()
            # Elsewhere a row that becomes another changes no more than one that comes.
            if case.by_partition or name.startswith(("sum, pure", "mean", "quantile"))
        ],
    ),
    "a promise as a row": (
        [(Unit, "has_fixed_rows", property(lambda unit: not unit.has_users))],
        [(name, "change-one", "promise") for name in ("sum, filled", "mean, filled")],
    ),
    "only changes": (
        [(Unit, name, under_one("change-one", getattr(Unit, name))) for name in CHANGES],
        [("sum, filled", EITHER, "row")],
    ),
    "only comes or goes": (
        [(Unit, name, under_one("add-remove", getattr(Unit, name))) for name in CHANGES],
        [
            ("sum", EITHER, "row"),
            ("histogram", EITHER, "row"),
            ("group_by, filled", EITHER, "user"),
        ],
    ),
    "a public number of rows": (
        [(MomentQuery, "knows_rows", property(lambda query: query.relation != "add-remove"))],
        [(name, EITHER, "row") for name in ("mean, filled", "variance, filled")],
    ),
    "rows as users": (
        [(_group_rows, "bound_rows", of_rows(_group_rows.bound_rows))],
        [("group_by, unknown keys", relation, "user") for relation in RELATIONS],
    ),
}


SLOW = ("max_rows ignored", "factor 2 forgotten", "a person as a household")  # in many settings


@pytest.mark.parametrize(
    "mutant",
    [pytest.param(each, marks=pytest.mark.long if each in SLOW else ()) for each in MUTANTS],
)
def test_mutants_are_seen(recorder: Recorder, monkeypatch: pytest.MonkeyPatch, mutant: str) -> None:
    changes, settings = MUTANTS[mutant]
    forget_queries()
    for where, name, stand_in in changes:
        monkeypatch.setattr(where, name, stand_in)
    missed = [setting for setting in settings if not is_caught(recorder, *setting)]
    forget_queries()
    assert missed == []
    assert settings


def is_caught(recorder: Recorder, name: str, relation: str, protected: str) -> bool:
    case = CASES[name]
    try:
        worst = seek(recorder, case, relation, protected, 4000 if case.by_partition else 500)
    except AssertionError:  # released without noise
        return True
    return not all(found.is_private for found in worst.values())


def forget_queries() -> None:
    """Let no query be kept that a mutant made, or that the code made before it."""
    for module in (_count, sums, _mean, _quantile, _variance, _histogram):
        for function in vars(module).values():
            for cell in getattr(function, "__closure__", None) or ():
                clear = getattr(cell.cell_contents, "cache_clear", None)
                if clear is not None and function.__name__ == "keep_or_build":
                    clear()
