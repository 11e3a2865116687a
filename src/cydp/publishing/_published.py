# SPDX-License-Identifier: MIT
"""Published tables: integers that agree with each other, made from noisy counts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._generator import Generator
from cydp.accounting._loss import Loss
from cydp.publishing._integers import Columns
from cydp.publishing._synthetic import SyntheticTable, synthesize
from cydp.releases._format import counted
from cydp.releases._release import Release
from cydp.releases.output._exportable import Exportable
from cydp.releases.output._sheet import Axis, Numbers, Sheet, keys_of
from cydp.releases.output._words import axis_labels

__all__ = ["Published", "PublishedTable"]

_MADE = (
    "made from noisy counts, without further cost: the closest tables that agree, then the closest "
    "non-negative integers; biased: small counts are too large on average, and large ones too small"
)
_WHY_NONE = "a published count depends on the noise in all counts"


@dataclass(frozen=True, eq=False, repr=False)
class PublishedTable(Exportable):
    """One of the tables that are published together.

    Attributes
    ----------
    release : ContingencyTables or HierarchyRelease
        The tables that it is published with.
    name : str
    counts : ndarray of int64, with a dimension for each axis
        Non-negative integers that agree with the other tables; if the tables are not `consistent`,
        the noisy counts.
    noisy : ndarray of int64 of the same shape
        The noisy counts, which are unbiased.
    axes : tuple of Axis
        The labels or bins of each dimension.

    """

    release: Any
    name: str
    counts: NDArray[np.int64]
    noisy: NDArray[np.int64]
    axes: tuple[Axis, ...]

    @property
    def loss(self) -> Loss:
        """Privacy cost of the whole release; the table is a part of it."""
        loss: Loss = self.release.loss
        return loss

    @property
    def keys(self) -> dict[str, NDArray[Any]]:
        """The labels of each dimension of labels, by column."""
        return {
            name: labels
            for axis in self.axes
            for name, labels in zip(axis.names, axis.keys, strict=False)
        }

    @property
    def edges(self) -> dict[str, NDArray[Any]]:
        """The edges of each dimension of bins, by column."""
        return {axis.names[0]: axis.edges for axis in self.axes if axis.edges is not None}

    def interval(
        self, confidence: Number = 0.95, *, count: Integer = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return intervals that contain the true counts: the noisy counts' intervals, cut at 0.

        They may leave out the published counts.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The intervals hold with at least this probability.
        count : int >= 1, default 1
            The number of cells for which it holds together: 1, or ``counts.size`` for all.

        Returns
        -------
        (lower, upper) : ndarrays of int64, of the shape of counts

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        """
        bound = self.release.query.parts[self.name].noise.error_bound(confidence, count=count)
        bound = min(bound, 2**62)  # int64 would wrap
        return np.maximum(self.noisy - bound, 0), np.maximum(self.noisy + bound, 0)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.counts, dtype)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        together = self.counts.size if simultaneous else 1
        lower, upper = self.interval(confidence, count=together)
        one, several = counted(self.release.query.unit)
        counts = Numbers(
            name="count",
            values=self.counts,
            unit=several,
            singular=one,
            lower=lower,
            upper=upper,
            why_none=_WHY_NONE,
        )
        title = f"{self.release.query.function}, {self.name}"
        sheet: Sheet = self.release._make_sheet(
            self.axes,
            [counts],
            confidence,
            simultaneous,
            title=title,
            notes=self.release._all_notes,
        )
        return sheet

    def _facts(self) -> Mapping[str, Any]:
        return {"table": self.name, **self.release._facts()}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Published(Release):
    """Tables that are released together, and agree.

    Attributes
    ----------
    query : Query
        The query: tables, noise, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    noisy : tuple of ndarrays of int64
        The noisy counts of each table that was measured, flat.

    """

    query: Any
    noisy: tuple[NDArray[np.int64], ...]

    @property
    def tables(self) -> Mapping[str, PublishedTable]:
        """The published tables by their names."""
        return self._tables

    @cached_property
    def _tables(self) -> Mapping[str, PublishedTable]:
        counts, _ = self._made
        noisy, made = self._noisy_by_name, {}
        query = self.query
        for i, (name, shape) in enumerate(zip(query.names, query.shapes, strict=True)):
            if not shape:  # the total alone
                continue
            counted = counts[i].reshape(shape)
            counted.flags.writeable = False
            made[name] = PublishedTable(
                self, name, counted.view(), noisy[name].reshape(shape), self._axes_of(i)
            )
        return MappingProxyType(made)

    @property
    def total(self) -> int:
        """The number of rows: the sum of the counts, the same in every table."""
        return int(self._made[0][0].sum())

    @property
    def consistent(self) -> bool:
        """Whether the tables are made to agree; else their counts are noisy as they are."""
        return True

    @property
    def _all_notes(self) -> tuple[str, ...]:
        return (_MADE, *self.notes) if self.consistent else self.notes

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be kept, such as a total below 0, which counts as 0."""
        return self._made[1]

    def __getitem__(self, name: Any) -> PublishedTable:
        wanted = ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)
        if wanted not in self.tables:
            raise KeyError(f"the tables are {'; '.join(self.tables)}, not {wanted}")
        return self.tables[wanted]

    @property
    def _noisy_by_name(self) -> dict[str, NDArray[np.int64]]:
        return dict(zip(self.query.noisy_names, self.noisy, strict=True))

    @cached_property
    def _made(self) -> tuple[list[NDArray[np.int64]], tuple[str, ...]]:
        """The counts of each table, and notes."""
        return self._make()

    @abstractmethod
    def _make(self) -> tuple[list[NDArray[np.int64]], tuple[str, ...]]:
        """Return the counts of each table, and notes."""

    @abstractmethod
    def _axes_of(self, i: int) -> tuple[Axis, ...]:
        """Return the axes of a table."""

    @abstractmethod
    def _to_sample(self) -> tuple[list[Axis], list[tuple[Columns, NDArray[np.int64]]], Any]:
        """Return all axes, the tables to sample from by the places of their axes, and their order.

        They are as `synthesize` takes them.
        """

    def sample(
        self,
        n: Integer | None = None,
        *,
        within_bins: Literal["uniform", "middle"] = "uniform",
        rng: Generator | None = None,
    ) -> SyntheticTable:
        """Return a synthetic table, sampled from the published counts at no privacy cost.

        Parameters
        ----------
        n : int >= 0, optional
            The number of rows. Default: `total`. Then the tables of the synthetic rows are exactly
            the published ones. With another n, rows are independent draws, and the tables agree on
            average.
        within_bins : {"uniform", "middle"}, default "uniform"
            Where a number of a bin is: anywhere in it, or in its middle.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.

        Returns
        -------
        SyntheticTable
            A mapping of columns by name. Columns that no table links are independent, and `notes`
            say so.

        Raises
        ------
        TypeError, ValueError
            If n or within_bins is not allowed; for a bin without an end.

        Examples
        --------
        >>> import cydp
        >>> data = {"sex": ["f", "m", "m"], "age": [18, 44, 71]}
        >>> published = cydp.publishing.contingency_tables(
        ...     data, {"sex": ["f", "m"], "age": ([0, 18, 65, 120], None)}, ["sex", "age"],
        ...     epsilon=200,
        ... )
        >>> rows = published.sample()
        >>> rows.n, sorted(rows["sex"])
        (3, ['f', 'm', 'm'])

        """
        return synthesize(self, *self._to_sample(), n, within_bins, rng)

    @property
    def variance(self) -> dict[str, float]:
        """Variance of the noise in each noisy count, by table."""
        return {name: part.variance for name, part in self.query.parts.items()}

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> dict[str, int]:
        """Return the distance within which noisy counts are from the true ones, by table.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The intervals hold with at least this probability.
        count : int >= 1, default 1
            The number of cells of a table for which it holds together.

        Returns
        -------
        dict of int
            In rows. It is the bound of the noisy counts: published counts have no bound of their
            own.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        """
        return {
            name: part.noise.error_bound(confidence, count=count)
            for name, part in self.query.parts.items()
        }

    def interval(
        self, confidence: Number = 0.95, *, count: Integer = 1
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return intervals of the true counts, by table, as `PublishedTable.interval` does."""
        ends = {name: each.interval(confidence, count=count) for name, each in self.tables.items()}
        return {name: each[0] for name, each in ends.items()}, {
            name: each[1] for name, each in ends.items()
        }

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        """Return all tables below each other: the name of the table, and a column for each axis."""
        tables = list(self.tables.values())
        names = dict.fromkeys(name for each in tables for axis in each.axes for name in axis.names)
        columns: dict[str, list[Any]] = {"table": [], **{name: [] for name in names}}
        for each in tables:
            found = _labels_of(each)
            size = each.counts.size
            found["table"] = np.full(size, each.name, object)
            for name, parts in columns.items():
                parts.append(found.get(name, np.full(size, None, object)))
        counts = np.concatenate([each.counts.ravel() for each in tables])
        together = counts.size if simultaneous else 1
        ends = zip(*(each.interval(confidence, count=together) for each in tables), strict=True)
        lower, upper = (np.concatenate([each.ravel() for each in end]) for end in ends)
        one, several = counted(self.query.unit)
        numbers = Numbers(
            name="count",
            values=counts,
            unit=several,
            singular=one,
            lower=lower,
            upper=upper,
            why_none=_WHY_NONE,
        )
        keys = tuple(np.concatenate(parts) for parts in columns.values())
        return self._make_sheet(
            [keys_of(keys, tuple(columns), what="cell")],
            [numbers],
            confidence,
            simultaneous,
            notes=self._all_notes,
        )

    @property
    def _exact(self) -> dict[str, Any]:
        return {"noisy": {name: each.tolist() for name, each in self._noisy_by_name.items()}}


def _labels_of(table: PublishedTable) -> dict[str, NDArray[Any]]:
    """Return the labels of all cells by column, bins as words."""
    places = np.unravel_index(np.arange(table.counts.size), table.counts.shape)
    found = {}
    for axis, place in zip(table.axes, places, strict=True):
        columns: Any = axis.keys
        if axis.edges is not None:
            columns = [np.array(words, object) for words in axis_labels(axis, np.arange(len(axis)))]
        for name, labels in zip(axis.names, columns, strict=True):
            found[name] = np.asarray(labels, object)[place]
    return found
