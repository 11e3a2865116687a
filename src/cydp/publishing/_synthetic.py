# SPDX-License-Identifier: MIT
"""Synthetic rows from tables that agree. docs/publishing.md, "Synthetic tables"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._default_generator import generator_or_default
from cydp._extras import import_extra
from cydp._generator import Generator
from cydp._numbers.rational import read_integer
from cydp.accounting._loss import Loss
from cydp.publishing._integers import Columns, Step
from cydp.releases.output._sheet import Axis, are_times

__all__ = ["SyntheticTable", "columns_of_places", "read_sampling", "synthesize"]

Places = NDArray[np.int64]
"""The place of each row on an axis."""


@dataclass(frozen=True, eq=False, repr=False)
class SyntheticTable(Mapping[str, NDArray[Any]]):
    """Synthetic rows: a mapping of columns by name, which releases take as a table.

    So does polars; pandas and pyarrow take ``to_pandas()`` or ``dict(rows)``. The rows were made
    from released counts alone, at no further privacy cost.

    Attributes
    ----------
    columns : dict of ndarrays, shape (n,) each
    release : ContingencyTables or HierarchyRelease
        The counts that they were sampled from.
    notes : tuple of str
        Such as which columns are independent, because no table links them.

    """

    columns: dict[str, NDArray[Any]]
    release: Any
    notes: tuple[str, ...]

    @property
    def loss(self) -> Loss:
        """Privacy cost of the release; there is no further one."""
        loss: Loss = self.release.loss
        return loss

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values())))

    def to_pandas(self) -> Any:
        """Return the rows as a pandas DataFrame.

        Raises
        ------
        ImportError
            Without pandas.

        """
        return import_extra("pandas", "to_pandas").DataFrame(self.columns)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        # pandas.DataFrame would silently make a frame of the names of columns.
        raise TypeError(
            "a synthetic table is no single array: pass to_pandas(), or dict() of it, to what "
            "takes a frame or a dict of columns"
        )

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __eq__(self, other: object) -> bool:
        return self is other  # arrays have no truth value

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __repr__(self) -> str:
        said = "".join(f"; {note}" for note in self.notes)
        names = ", ".join(self.columns)
        return f"<SyntheticTable: {self.n:,} rows of {names}; {self.loss!r} in all{said}>"


def synthesize(
    release: Any,
    axes: Sequence[Axis],
    tables: Sequence[tuple[Columns, NDArray[np.int64]]],
    order: Sequence[Step],
    n: Integer | None,
    within_bins: str,
    rng: Generator | None,
) -> SyntheticTable:
    """Return synthetic rows.

    Parameters
    ----------
    release : Published
    axes : sequence of Axis
    tables : sequence of (Columns, ndarray)
        The axes of each table, by their places, and its counts. They agree.
    order : sequence of Step
        The tables in the order of a junction tree.
    n, within_bins, rng
        As in `Published.sample`.

    """
    rows, random = read_sampling(axes, n, within_bins, rng)
    total, notes = release.total, _unlinked(axes, tables, order)
    if total == 0 and rows:
        notes = ("the total is 0: rows are uniform over the domains",)
        places = {i: random.integers(0, len(axis), rows) for i, axis in enumerate(axes)}
    elif rows is None or rows == total:
        places = _expand(tables, order, total, random)
    else:
        places = _draw(tables, order, rows, random)
    columns = columns_of_places(axes, places, within_bins, random)
    return SyntheticTable(columns, release, notes)


def read_sampling(
    axes: Sequence[Axis], n: Integer | None, within_bins: str, rng: Generator | None
) -> tuple[int | None, np.random.Generator]:
    """Return the number of rows, and a generator of numpy that reads words of a cydp generator.

    Raises
    ------
    TypeError, ValueError
        If n or within_bins is not allowed; for a bin without an end.

    """
    rows = None if n is None else read_integer(n, "n")
    if rows is not None and rows < 0:
        raise ValueError(f"n must be at least 0, not {rows}")
    if within_bins not in ("uniform", "middle"):
        raise ValueError(f"within_bins must be 'uniform' or 'middle', not {within_bins!r}")
    for axis in axes:
        if axis.edges is None:
            continue
        if axis.edges.dtype.kind == "O":
            raise ValueError(f"bins of {axis.names[0]} must have no time zone to sample from")
        if not np.isfinite(axis.edges).all():
            raise ValueError(f"bins of {axis.names[0]} must have finite edges to sample from")
    return rows, np.random.Generator(cast(Any, generator_or_default(rng)))


def _unlinked(
    axes: Sequence[Axis],
    tables: Sequence[tuple[Columns, Any]],
    order: Sequence[Step],
) -> tuple[str, ...]:
    """Say which columns are independent of each other."""
    groups: list[set[int]] = []
    for step in order:
        columns = set(tables[step.table][0])
        if not columns:
            continue
        linked = [each for each in groups if each & columns]
        groups = [each for each in groups if not each & columns] + [columns.union(*linked)]
    if len(groups) < 2:
        return ()
    words = [", ".join(name for i in sorted(each) for name in axes[i].names) for each in groups]
    return (f"independent of each other, since no table links them: {'; '.join(words)}",)


def _flat(columns: Columns, counts: NDArray[np.int64], shared: Columns) -> Any:
    """Return counts of shape (slices, cells in a slice), and the other axes with their lengths."""
    rest = tuple(each for each in columns if each not in shared)
    ahead = np.transpose(counts, [columns.index(each) for each in (*shared, *rest)])
    sizes = ahead.shape[len(shared) :]
    slices = int(np.prod(ahead.shape[: len(shared)], dtype=np.int64))
    return ahead.reshape(slices, -1), ahead.shape[: len(shared)], rest, sizes


def _expand(
    tables: Sequence[tuple[Columns, NDArray[np.int64]]],
    order: Sequence[Step],
    total: int,
    random: np.random.Generator,
) -> dict[int, Places]:
    """Return rows with exactly these tables: within each slice, they are matched at random."""
    places: dict[int, Places] = {}
    for step in order:
        columns, counts = tables[step.table]
        if not columns:
            continue
        flat, shared_sizes, rest, sizes = _flat(columns, counts, step.shared)
        if not rest:
            continue
        cells = np.repeat(np.arange(flat.size), flat.ravel()) % flat.shape[1]
        at_random = random.permutation(total)
        if step.shared:
            slices = np.ravel_multi_index([places[i] for i in step.shared], shared_sizes)
            at_random = at_random[np.argsort(slices[at_random], kind="stable")]
        found = np.empty(total, np.int64)
        found[at_random] = cells
        places.update(zip(rest, np.unravel_index(found, sizes), strict=True))
    return places


def _draw(
    tables: Sequence[tuple[Columns, NDArray[np.int64]]],
    order: Sequence[Step],
    n: int,
    random: np.random.Generator,
) -> dict[int, Places]:
    """Return independent rows: columns are drawn given the columns shared with earlier tables."""
    places: dict[int, Places] = {}
    for step in order:
        columns, counts = tables[step.table]
        if not columns:
            continue
        flat, shared_sizes, rest, sizes = _flat(columns, counts, step.shared)
        if not rest:
            continue
        ends = np.cumsum(flat.ravel())
        slices = np.zeros(n, np.int64)
        if step.shared:
            slices = np.ravel_multi_index([places[i] for i in step.shared], shared_sizes)
        sums = flat.sum(axis=1)
        ranks = np.cumsum(sums)[slices] - sums[slices] + random.integers(0, sums[slices])
        found = np.searchsorted(ends, ranks, side="right") % flat.shape[1]
        places.update(zip(rest, np.unravel_index(found, sizes), strict=True))
    return places


def columns_of_places(
    axes: Sequence[Axis],
    places: Mapping[int, Places],
    within_bins: str,
    random: np.random.Generator,
) -> dict[str, NDArray[Any]]:
    """Return columns from places on axes: labels, and numbers within bins."""
    columns: dict[str, NDArray[Any]] = {}
    for i, axis in enumerate(axes):
        if axis.edges is None:
            columns |= {
                name: labels[places[i]] for name, labels in zip(axis.names, axis.keys, strict=True)
            }
            continue
        share = 0.5 if within_bins == "middle" else random.random(len(places[i]))
        if are_times(axis.edges):
            columns[axis.names[0]] = _times_within(axis.edges, places[i], share)
            continue
        edges = axis.edges.astype(np.float64)
        left, right = edges[places[i]], edges[places[i] + 1]
        # Never the right edge, which is the next bin's; an empty bin has its left edge alone.
        within = np.minimum(left + share * (right - left), np.nextafter(right, left))
        columns[axis.names[0]] = np.maximum(within, left)
    return columns


def _times_within(
    edges: NDArray[Any], places: NDArray[np.intp], share: float | NDArray[np.float64]
) -> NDArray[Any]:
    """Return times in bins, in the unit of their edges; never the right edge.

    >>> _times_within(np.array(["2024-01-01", "2024-01-08"], "M8[D]"), np.array([0]), 0.5)
    array(['2024-01-04'], dtype='datetime64[D]')
    """
    left, right = edges[places].view(np.int64), edges[places + 1].view(np.int64)
    within = left + (share * (right - left)).astype(np.int64)
    found: NDArray[Any] = np.minimum(within, right - 1).view(edges.dtype)
    return found
