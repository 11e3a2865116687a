# SPDX-License-Identifier: MIT
"""Several private contingency tables, which know their errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._numbers.rational import read_integer
from cydp.releases._format import counted
from cydp.releases._release import Release, recorded
from cydp.releases.output._sheet import Numbers, Sheet, bins_of, keys_of
from cydp.releases.output._words import axis_labels

__all__ = ["MarginalsRelease"]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MarginalsRelease(Release):
    """Private contingency tables of one table. `marginals` returns it.

    ``release["sex"]`` and ``release["sex", "age"]`` are tables, and ``release["total"]``, without
    columns, is a number. `names` has the names.

    Attributes
    ----------
    query : MarginalsQuery
        The query: tables, noise, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    tables : tuple of ndarrays of int64
        What was released: the noisy counts of each table, with a dimension for each of its columns,
        as they were before they were made consistent; one table of all columns; or the differences
        of `query.residuals`.
    domains : tuple of ndarrays
        The keys of each column, or the edges of its bins, in the order of ``query.sizes``.

    """

    query: Any
    tables: tuple[NDArray[np.int64], ...]
    domains: tuple[NDArray[Any], ...]

    @property
    def names(self) -> list[str]:
        """The names of the tables: their columns with commas between; "total" without columns."""
        return list(self.query.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.query.names)

    def __getitem__(self, columns: str | tuple[str, ...]) -> Any:
        return _number_of(self._released[self._place(columns)])

    def domain(self, column: str) -> NDArray[Any]:
        """Return the keys of a column, or the edges of its bins.

        Raises
        ------
        KeyError
            If no table has such a column.

        """
        names = list(self.query.sizes)
        if column not in names:
            raise KeyError(f"the columns are {', '.join(names)}, not {column!r}")
        return self.domains[names.index(column)]

    def _place(self, columns: str | tuple[str, ...]) -> int:
        name = columns if isinstance(columns, str) else ", ".join(columns) or "total"
        if name not in self.query.names:
            raise KeyError(f"the tables are {self.query.names}, not {name!r}")
        place: int = self.query.names.index(name)
        return place

    @cached_property
    def _released(self) -> list[NDArray[Any]]:
        if not self.query.combines:
            return list(self.tables)
        found = self.query.fitted(self.tables)
        for table in found:
            table.flags.writeable = False
        return [*found]

    @property
    def expected_error(self) -> dict[str, float]:
        """The root of the variance of each count, by table, in records."""
        errors: dict[str, float] = self.query.expected_error
        return errors

    @property
    def variance(self) -> dict[str, float]:
        """Variance of the noise in each count, by table; exact, whether made consistent or not."""
        variances: dict[str, float] = self.query.variance
        return variances

    def error_bound(
        self, confidence: Number = 0.95, *, count: Integer = 1
    ) -> dict[str, int | float]:
        """Return the distance within which counts are from the true counts, by table.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds; for counts that are made of several noisy ones by
            Chernoff's bound.
        count : int >= 1, default 1
            The number of cells for which it holds together.

        Returns
        -------
        dict of int, or of float for counts that are floats
            In records.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> from cydp.workloads import marginals
        >>> marginals({"x": ["a"]}, {"x": ["a", "b"]}, ["x", ()], epsilon=1).error_bound()
        {'x': 3, 'total': 7}

        """
        together, found = read_integer(count, "count"), {}
        for each in self.query.answers():
            bound = each.error_bound({}, confidence, together)
            found[each.name] = bound if isinstance(bound, int) else bound.item()
        return found

    def interval(
        self, confidence: Number = 0.95, *, count: Integer = 1
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return intervals that contain the true counts, by table; parameters as in `error_bound`.

        Examples
        --------
        >>> from cydp.workloads import marginals
        >>> release = marginals({"x": ["a"]}, {"x": ["a", "b"]}, ["x"], epsilon=1)
        >>> lower, upper = release.interval()
        >>> upper["x"] - lower["x"]
        array([6, 6])

        """
        bounds = self.error_bound(confidence, count=count)
        pairs = list(zip(bounds, bounds.values(), self._released, strict=True))
        return (
            {name: _number_of(table - bound) for name, bound, table in pairs},
            {name: _number_of(table + bound) for name, bound, table in pairs},
        )

    @property
    def _exact(self) -> dict[str, Any]:
        return {"tables": [table.tolist() for table in self.tables]}

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        """Return a row for each cell of each table, with the name of the table."""
        sizes = [table.size for table in self._released]
        bounds = self.error_bound(confidence, count=sum(sizes) if simultaneous else 1)
        values = np.concatenate([table.reshape(-1) for table in self._released])
        bound = np.repeat(list(bounds.values()), sizes)
        cells = [cell for columns in self.query.columns for cell in self._cells(columns)]
        names = np.repeat(np.array(self.query.names, object), sizes)
        one, several = counted(self.query.unit)
        counts = Numbers(
            name="count",
            values=values,
            unit=several,
            singular=one,
            bound=bound,
            lower=values - bound,
            upper=values + bound,
        )
        return self._make_sheet(
            [keys_of((names, np.array(cells, object)), ("table", "cell"), what="cell")],
            [counts],
            confidence,
            simultaneous,
            notes=self.query.notes,
        )

    def _cells(self, columns: tuple[str, ...]) -> list[str]:
        """Return a text for each cell of a table."""
        cells = [""]
        for column in columns:
            domain, size = self.domain(column), self.query.sizes[column]
            if len(domain) == size:
                labels = [str(key) for key in domain]
            else:
                (labels,) = axis_labels(bins_of(domain), np.arange(size))
            cells = [f"{cell}, {label}" if cell else label for cell in cells for label in labels]
        return cells


def _number_of(table: Any) -> Any:
    """Return a table, or the number of a table of no columns."""
    return table if np.ndim(table) else table.item()
