"""Neighbouring tables that seek the worst case, and every release of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cydp
from cydp.models import linear_regression
from cydp.publishing import contingency_tables, hierarchy
from cydp.workloads import linear_queries, marginals, range_counts

__all__ = [
    "CASES", "CELLS", "PROTECTED", "SLOTS", "Case", "Rows", "Table", "columns_of", "corner_rows",
    "crowd", "other_rows", "seek_rows", "table_of",
]  # fmt: skip

HALF = 3
CELLS = 2 * HALF  # of each pair of tables
LIMITS = {"max_partitions": 2, "max_rows_per_partition": 2}
MAX_ROWS, PROMISED = 2, 3
CROWD = 6  # so many rows of other units that a quantile is beyond the rows that change
SLOTS = {"row": 1, "promise": 3, "user": 6, "contained": 6}  # most rows of the unit that differs
DOMAINS = {"third": (HALF, (0, HALF)), "half": ["low", "top"]}
PROTECTED = ("row", "promise", "user", "contained")

Table = dict[str, Any]


def unit_arguments(protected: str, by_partition: bool) -> dict[str, Any]:
    """Return the arguments of a release that name its unit."""
    if protected == "row":
        return {}
    if protected == "promise":
        return {"max_rows_per_unit": PROMISED}
    limits = LIMITS if by_partition else {"max_rows": MAX_ROWS}
    unit = {"unit": ("household", "person")} if protected == "contained" else {}
    return {"user": "unit", **unit, **limits}


@dataclass(frozen=True)
class Case:
    """A release. `call` takes a table of this many pairs of tables, which have partitions apart.

    `alone`: one pair of tables at a time, as for a release without partitions, or of few.
    """

    call: Callable[..., Any]
    by_partition: bool = True
    bounds: tuple[float, float] = (-4, 10)
    alone: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    privacy: Mapping[str, Any] = field(default_factory=lambda: {"rho": 1})

    def release(self, table: Table, pairs: int, relation: str, protected: str) -> Any:
        """Return the release of a table."""
        unit = unit_arguments(protected, self.by_partition)
        return self.call(table, pairs, relation=relation, **self.privacy, **self.parameters, **unit)


def _number(function: Callable[..., Any], bounds: Any, **parameters: Any) -> Case:
    def call(table: Table, pairs: int, **arguments: Any) -> Any:
        return function(table, column="x", bounds=bounds, **arguments)

    return Case(call, False, bounds, True, parameters)


def _count(table: Table, pairs: int, **arguments: Any) -> Any:
    return cydp.count(table, column="x", **arguments)


def _histogram(table: Table, pairs: int, **arguments: Any) -> Any:
    return cydp.histogram(
        table, pairs * CELLS, (0, pairs * CELLS), column="place", **arguments
    )  # fmt: skip


def _histogram_by(table: Table, pairs: int, **arguments: Any) -> Any:
    return cydp.histogram(
        table, CELLS, (0, CELLS), column="cell", by="pair", by_keys=np.arange(pairs), **arguments
    )


def _pairs_and_halves(pairs: int) -> dict[str, Any]:
    return {"pair": np.arange(pairs), "half": ["low", "top"]}


def _histogram_by_two(table: Table, pairs: int, **arguments: Any) -> Any:
    return cydp.histogram(
        table, HALF, (0, HALF), column="third", by=["pair", "half"],
        by_keys=_pairs_and_halves(pairs), **arguments,
    )  # fmt: skip


def _histogramdd(table: Table, pairs: int, **arguments: Any) -> Any:
    return cydp.histogramdd(
        table, (pairs, CELLS), [(0, pairs), (0, CELLS)], columns=["pair", "cell"], **arguments
    )


def _value_counts(table: Table, pairs: int, **arguments: Any) -> Any:
    return cydp.value_counts(table, np.arange(pairs * CELLS), column="place", **arguments)


def _group_by(bounds: Any, **parameters: Any) -> Case:
    def call(table: Table, pairs: int, **arguments: Any) -> Any:
        return cydp.group_by(
            table, "place", keys=np.arange(pairs * CELLS), sums={"x": bounds}, means={"x": bounds},
            quantiles={"x": ([0.25, 0.5], bounds)}, **arguments,
        )  # fmt: skip

    return Case(call, bounds=bounds, parameters=parameters)


def _quantiles_by(qs: list[float]) -> Case:
    def call(table: Table, pairs: int, **arguments: Any) -> Any:
        return cydp.group_by(
            table, "place", keys=np.arange(pairs * CELLS), count=False,
            quantiles={"x": (qs, (-4, 10))}, **arguments,
        )  # fmt: skip

    return Case(call)


def _group_by_two(table: Table, pairs: int, **arguments: Any) -> Any:
    keys = {"pair": np.arange(pairs), "label": [f"cell {i}" for i in range(CELLS)]}
    return cydp.group_by(table, ["pair", "label"], keys=keys, sums={"x": (-4, 10)}, **arguments)


def _unknown(table: Table, pairs: int, **arguments: Any) -> Any:
    return cydp.group_by(table, "place", means={"x": (-4, 10)}, **arguments)


def _few_bins(table: Table, pairs: int, **arguments: Any) -> Any:
    return cydp.histogram(table, HALF, (0, HALF), column="third", **arguments)


def _few_keys(keys: list[str]) -> Case:
    def call(table: Table, pairs: int, **arguments: Any) -> Any:
        return cydp.value_counts(table, keys, column="half", **arguments)

    return Case(call, alone=True)


def _group_by_few(keys: list[int], bounds: Any, **parameters: Any) -> Case:
    def call(table: Table, pairs: int, **arguments: Any) -> Any:
        return cydp.group_by(
            table, "third", keys=keys, sums={"x": bounds}, means={"x": bounds}, **arguments
        )

    return Case(call, bounds=bounds, alone=True, parameters=parameters)


def _means(table: Table, pairs: int, **arguments: Any) -> Any:
    return cydp.group_by(
        table, "place", keys=np.arange(pairs * CELLS), means={"x": (-4, 10)}, **arguments
    )


def _sum_and_mean(table: Table, pairs: int, **arguments: Any) -> Any:
    return cydp.group_by(
        table, "place", keys=np.arange(pairs * CELLS), count=False, sums={"x": (-7, 7)},
        means={"x": (-4, 10)}, **arguments,
    )  # fmt: skip


def _bounds(table: Table, pairs: int, **arguments: Any) -> Any:
    return cydp.bounds(table, column="x", **arguments)


def _ranges(column: str, cells: int, branching: int, levels: int) -> Case:
    def call(table: Table, pairs: int, **arguments: Any) -> Any:
        return range_counts(
            table, cells, (0, cells), column=column, branching=branching, levels=levels, **arguments
        )

    return Case(call, alone=True)


def _queries(matrix: Any, column: str, strategy: str) -> Case:
    cells = len(matrix[0])

    def call(table: Table, pairs: int, **arguments: Any) -> Any:
        return linear_queries(
            table, matrix, cells, (0, cells), column=column, strategy=strategy, **arguments
        )

    return Case(call, alone=True)


def _tables(**parameters: Any) -> Case:
    def call(table: Table, pairs: int, **arguments: Any) -> Any:
        return contingency_tables(table, DOMAINS, ["third", "half"], **arguments)

    return Case(call, False, alone=True, parameters=parameters)


def _hierarchy(**parameters: Any) -> Case:
    regions = {"low": [0, 1, 2], "top": [3, 4, 5]}

    def call(table: Table, pairs: int, **arguments: Any) -> Any:
        return hierarchy(table, ["half", "cell"], regions, **arguments)

    return Case(call, False, alone=True, parameters=parameters)


def _marginals(*sets: Any, strategy: str = "tables") -> Case:
    def call(table: Table, pairs: int, **arguments: Any) -> Any:
        return marginals(table, DOMAINS, list(sets), **arguments)

    return Case(call, False, alone=True, parameters={"strategy": strategy})


def _regression(table: Table, pairs: int, **arguments: Any) -> Any:
    return linear_regression(table, {"cell": (0, HALF)}, {"x": (-4, 10)}, **arguments)


def _pure(case: Case) -> Case:
    return replace(case, privacy={"epsilon": 1})


NEAR, FAR, BELOW, ODD = (-4, 10), (50, 60), (-60, -50), (0.1, 0.7)  # ODD: of an odd number of steps
ROUNDED_UP = (-0.1, 0.32)  # the farthest square is 0.01 released steps below an integer

LOPSIDED = [0.1, 0.5, 0.95]  # 0.2 and 0.9 of the ranges beside the median

CASES: dict[str, Case] = {
    "count": Case(_count, False, alone=True),
    "count, pure": _pure(Case(_count, False, alone=True)),
    "sum": _number(cydp.sum, NEAR),
    "sum, pure": _pure(_number(cydp.sum, NEAR)),
    "sum, far from 0": _number(cydp.sum, FAR),
    "sum, far below 0": _number(cydp.sum, BELOW),
    "sum, filled": _number(cydp.sum, FAR, missing=55),
    "mean": _number(cydp.mean, NEAR),
    "mean, pure": _pure(_number(cydp.mean, ODD)),
    "mean, filled": _number(cydp.mean, FAR, missing=50),
    "variance": _number(cydp.variance, NEAR),
    "variance, filled": _number(cydp.variance, FAR, missing=55),
    "quantile": _number(cydp.quantile, NEAR, q=[0.1, 0.5]),
    "quantile, pure": _pure(_number(cydp.quantile, NEAR, q=0.9)),
    "quantile, filled": _number(cydp.quantile, FAR, q=0.25, missing=55),
    "quantiles by halves": _number(cydp.quantile, NEAR, q=LOPSIDED, method="recursive"),
    "quantiles by halves, pure": _pure(
        _number(cydp.quantile, NEAR, q=LOPSIDED, method="recursive")
    ),
    "quantiles alone": _number(cydp.quantile, NEAR, q=[0.1, 0.5], method="independent"),
    "quantile, interval": _number(cydp.quantile, NEAR, q=0.25, interval="1/2"),
    "histogram": Case(_histogram),
    "histogram, pure": _pure(Case(_histogram)),
    "histogram, by": Case(_histogram_by),
    "histogram, by two columns": Case(_histogram_by_two),
    "histogramdd": Case(_histogramdd),
    "value_counts": Case(_value_counts),
    "group_by": _group_by(NEAR),
    "group_by, pure": _pure(_group_by(NEAR)),
    "group_by, far from 0": _group_by(FAR),
    "group_by, far below 0": _group_by(BELOW),
    "group_by, filled": _group_by(FAR, missing=50),
    "group_by, two columns": Case(_group_by_two),
    "group_by, quantiles by halves": _quantiles_by([0.25, 0.5, 0.8]),
    "group_by, quantiles by halves, pure": _pure(_quantiles_by([0.25, 0.5, 0.8])),
    "group_by, unknown keys": Case(_unknown, privacy={"epsilon": 4, "delta": 0.5}),
    "group_by, unknown keys before": Case(
        _unknown, privacy={"epsilon": 4, "delta": 0.5}, parameters={"selection": "optimal"}
    ),
    "histogram, rows in all": Case(_histogram_by, False),
    "value_counts, rows in all": Case(_value_counts, False),
    "group_by, rows in all": replace(_group_by(NEAR), by_partition=False),
    "group_by, rows in all, pure": _pure(replace(_group_by(FAR), by_partition=False)),
    "group_by, rows in all, unknown keys": Case(
        _unknown, False, privacy={"epsilon": 4, "delta": 0.5}
    ),
    "group_by, rows in all, unknown keys before": Case(
        _unknown, False, privacy={"epsilon": 4, "delta": 0.5}, parameters={"selection": "optimal"}
    ),
    "histogram, three bins": Case(_few_bins, alone=True),
    "value_counts, two keys": _pure(_few_keys(["low", "top"])),
    "value_counts, one key": _few_keys(["top"]),
    "group_by, three keys": _group_by_few([0, 1, 2], NEAR),
    "group_by, two keys, pure": _pure(_group_by_few([0, 1], NEAR)),
    "group_by, one key, filled": _group_by_few([0], FAR, missing=50),
    "bounds": Case(_bounds, alone=True),
    "range_counts": _ranges("cell", CELLS, 2, 2),
    "range_counts, three bins": _ranges("third", HALF, 2, 2),
    "range_counts, three bins, pure": _pure(_ranges("third", HALF, 2, 3)),
    "range_counts, a node of one bin": _ranges("cell", CELLS, CELLS - 1, 2),
    "linear_queries, identity": _queries(np.eye(HALF), "third", "identity"),
    "linear_queries, tree": _queries(np.eye(CELLS), "cell", "tree"),
    "linear_queries, workload": _queries(np.eye(CELLS), "cell", "workload"),
    "linear_queries, three bins": _pure(_queries(np.eye(HALF), "third", "workload")),
    "linear_queries, prefixes": _queries(np.tri(HALF), "third", "workload"),
    "linear_queries, both signs": _queries([[1, -1, 1], [1, 1, -1]], "third", "workload"),
    "linear_queries, tents": _pure(_queries(np.tri(CELLS), "cell", "tents")),
    "marginals": _marginals("third", "half"),
    "marginals with a total": _marginals("third", "half", ()),
    "marginals with a total, pure": _pure(_marginals("third", ("third", "half"), ())),
    "marginals, joint": _marginals("third", "half", (), strategy="joint"),
    "marginals, joint, pure": _pure(_marginals("third", ("third", "half"), strategy="joint")),
    "contingency_tables": _tables(),
    "contingency_tables, pure": _pure(_tables(split={"third": 2})),
    "contingency_tables of a known total": _tables(total=6),
    "hierarchy": _hierarchy(),
    "hierarchy, pure": _pure(_hierarchy(cells={"third": (HALF, (0, HALF))})),
    "linear_regression": Case(_regression, False, alone=True),
    "linear_regression, pure": _pure(Case(_regression, False, alone=True)),
    "variance, pure": _pure(_number(cydp.variance, NEAR)),
    "variance, filled, pure": _pure(_number(cydp.variance, FAR, missing=55)),
    "variance, rounded up": _number(cydp.variance, ROUNDED_UP),
    "variance, rounded up, pure": _pure(_number(cydp.variance, ROUNDED_UP)),
    "group_by, means": Case(_means),
    "group_by, sum and mean": Case(_sum_and_mean, bounds=(-7, 10)),
}


# Rows


@dataclass
class Rows:
    """Rows of the unit that differs: arrays of shape (pairs, slots)."""

    present: NDArray[np.bool_]
    cell: NDArray[np.int64]  # -1 is outside
    x: NDArray[np.float64]

    def beside(self, others: Rows) -> Rows:
        """Return these rows and others."""
        return Rows(*(
            np.concatenate([getattr(each, name) for each in (self, others)], axis=1)
            for name in ("present", "cell", "x")
        ))  # fmt: skip

    def and_then(self, more: Rows) -> Rows:
        """Return the rows of these pairs of tables, and of more."""
        return Rows(*(
            np.concatenate([getattr(each, name) for each in (self, more)])
            for name in ("present", "cell", "x")
        ))  # fmt: skip

    def shuffled(self, order: NDArray[np.int64]) -> Rows:
        """Return the rows in another order."""
        return Rows(*(np.take_along_axis(each, order, axis=1)
                      for each in (self.present, self.cell, self.x)))  # fmt: skip

    def pair(self, i: int) -> Rows:
        """Return the rows of one pair of tables."""
        return Rows(self.present[i : i + 1], self.cell[i : i + 1], self.x[i : i + 1])

    def hidden(self, keep: NDArray[np.bool_]) -> Rows:
        """Return the rows without some."""
        return Rows(self.present & keep, self.cell, self.x)


def seek_rows(
    random: np.random.Generator, pairs: int, slots: int, bounds: tuple[float, float]
) -> Rows:
    """Return rows of a unit: mostly all of one extreme or two, in as many cells as count."""
    low, high = bounds
    shape = (pairs, slots)
    # Of a square and a number together, two thirds of the width are nearly the farthest.
    between = low + 0.4 * (high - low)
    numbers = np.array([low, high, low - 1e6, high + 1e6, (low + high) / 2, between, np.nan])
    alike = random.choice(numbers, (pairs, 1), p=[0.3, 0.3, 0.05, 0.05, 0.05, 0.05, 0.2])
    other = random.choice(numbers, (pairs, 1))
    is_other = (random.random((pairs, 1)) < 0.15) & (np.arange(slots) % 2 > 0)
    start = random.choice([0, 1, 2, HALF], (pairs, 1), p=[0.4, 0.05, 0.15, 0.4])
    width = random.choice([1, 2, 3], (pairs, 1))
    cells = start + np.arange(slots) % width
    any_cells = random.integers(-1, CELLS, shape)
    is_extreme = random.random((pairs, 1)) < 0.8
    few = random.integers(0, slots + 1, (pairs, 1)) * (random.random((pairs, 1)) < 0.3)
    present = np.where(is_extreme, np.arange(slots) >= few, random.random(shape) < 0.6)
    x = np.where(is_extreme, np.where(is_other, other, alike), random.choice(numbers, shape))
    return Rows(present, np.where(is_extreme, cells, any_cells), x)


def corner_rows(slots: int, bounds: tuple[float, float], after: bool) -> Rows:
    """Return rows of a unit in three pairs of tables that a search seldom meets.

    All rows leave a partition for another one; they are in two partitions, and in one of them
    numbers change, and leave the other; their numbers are two, and become two others.
    """
    low, high = bounds
    far = np.arange(slots) % 4 > 1
    cells = [np.full(slots, int(after)), np.where(far, 1 + after, 0), far + 2 * after]
    x = [np.full(slots, high), np.where(far | after, high, low),
         np.where(far, high, low) + (2 * far - 1) * (1e6 if after else 0)]  # fmt: skip
    return Rows(np.ones((3, slots), np.bool_), np.array(cells), np.array(x, np.float64))


def other_rows(random: np.random.Generator, n: int) -> Table:
    """Return rows of other units, of the first pair of tables."""
    cell = random.integers(-1, CELLS, n)
    return columns_of(
        unit=random.integers(10**6, 10**6 + 3, n), pair=np.where(cell < 0, -1, 0), cell=cell,
        x=random.choice([-50.0, 0, 3, 55, 90, np.nan], n),
    )  # fmt: skip


def crowd(random: np.random.Generator, pairs: int, bounds: tuple[float, float]) -> Table:
    """Return rows of other units, each of its own: none, or some of one number, in each cell."""
    number = random.choice([*bounds, np.nan], (pairs, CELLS))
    pair, cell = (each.repeat(CROWD, axis=None) for each in np.indices((pairs, CELLS)))
    x = number.repeat(CROWD, axis=None)
    kept = ~np.isnan(x)
    unit = pairs + np.arange(len(x))
    return columns_of(unit=unit[kept], pair=pair[kept], cell=cell[kept], x=x[kept])


def table_of(rows: Rows, others: Table | None = None, place: int = 0) -> Table:
    """Return a table in which pair i has unit i; other rows stand before and behind `place`."""
    pair, slot = np.nonzero(rows.present)
    cell = rows.cell[pair, slot]
    own = columns_of(unit=pair, pair=np.where(cell < 0, -1, pair), cell=cell, x=rows.x[pair, slot])
    if others is None:
        return own
    return {name: np.concatenate([others[name][:place], own[name], others[name][place:]])
            for name in own}  # fmt: skip


LABELS = np.array([*(f"cell {i}" for i in range(CELLS)), "elsewhere"])


def columns_of(unit: Any, pair: Any, cell: Any, x: Any) -> Table:
    """Return all columns of a table, from those that determine them."""
    return {
        "unit": unit, "pair": pair, "cell": cell, "x": x, "label": LABELS[cell],
        "place": np.where(cell < 0, -1, pair * CELLS + cell), "third": np.where(
            cell < 0, -1, cell % HALF), "half": np.where(cell < HALF, "low", "top"),
    }  # fmt: skip
