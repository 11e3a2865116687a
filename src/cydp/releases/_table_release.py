# SPDX-License-Identifier: MIT
"""A release of one row for each key: counts, sums, means and quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._numbers.rational import read_integer
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.releases._format import format_cost
from cydp.releases._release import Release, recorded
from cydp.releases._table_columns import QuantileColumn, TableColumn
from cydp.releases.postprocessing._post_processed import PostProcessing

__all__ = ["TableRelease"]

_SHOWN_ROWS = 20


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TableRelease(Release, PostProcessing):
    """A private table with a row for each key. `value_counts` and `group_by` return it.

    A column is ``release["n"]``, ``release["sum_income"]`` and so on; `columns` are their names.

    Attributes
    ----------
    query : Query
        What was asked: noise, privacy unit, split and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    key_names : tuple
        The names of the columns of keys.
    key_columns : tuple of ndarrays, shape (keys,) each
        The keys: given ones in the given order, others sorted.
    steps : tuple of ndarrays of int64
        The noisy answers of each part of the query, in steps.

    """

    query: Any
    key_names: tuple[Any, ...]
    key_columns: tuple[NDArray[Any], ...]
    steps: tuple[NDArray[np.int64], ...]

    @property
    def keys(self) -> Any:
        """The keys: an array, or for several columns a dict of arrays by their names."""
        if len(self.key_columns) == 1:
            return self.key_columns[0]
        return dict(zip(self.key_names, self.key_columns, strict=True))

    @property
    def columns(self) -> list[str]:
        """The names of the columns of numbers."""
        return list(self.query.columns)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The noisy counts, in rows. They are unbiased, so they may be negative."""
        counts: NDArray[np.int64] = self["n"]
        return counts

    def __len__(self) -> int:
        return len(self.key_columns[0])

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._column(name).values(self._by_part())

    def _by_part(self) -> dict[str, NDArray[np.int64]]:
        return dict(zip(self.query.parts, self.steps, strict=True))

    def _column(self, name: str | None) -> TableColumn:
        columns: dict[str, TableColumn] = self.query.columns
        if name is None:
            return next(iter(columns.values()))
        if name not in columns:
            raise KeyError(f"the columns are {', '.join(columns)}, not {name!r}")
        return columns[name]

    @property
    def variance(self) -> dict[str, float]:
        """Variance of the noise in each part that has noise, in the square of its unit."""
        return {
            name: part.variance
            for name, part in self.query.parts.items()
            if not isinstance(part.mechanism, QuantileMechanism)
        }

    def error_bound(
        self, confidence: Number = 0.95, *, count: Integer = 1, column: str | None = None
    ) -> Any:
        """Return the distance within which the numbers of a column are from the exact answers.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.
        count : int >= 1, default 1
            The number of rows for which it holds together: 1, or ``len(release)`` for all.
        column : str, optional
            The name of a column. Default: the first one.

        Returns
        -------
        int, float, or ndarray of float
            In the unit of the column; for means an array, a bound for each row.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range; for a column of quantiles.
        KeyError
            If there is no such column.

        Examples
        --------
        >>> import cydp
        >>> cydp.value_counts(["a", "b"], ["a", "b"], epsilon=1).error_bound(count=2)
        4

        """
        found = self._column(column)
        return found.error_bound(self._by_part(), confidence, read_integer(count, "count"))

    def interval(
        self, confidence: Number = 0.95, *, count: Integer = 1, column: str | None = None
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return intervals that contain the exact answers; parameters as in `error_bound`.

        Examples
        --------
        >>> import cydp
        >>> lower, upper = cydp.value_counts(["a", "b"], ["a", "b"], epsilon=1).interval()
        >>> upper - lower
        array([6, 6])

        """
        found = self._column(column)
        return found.interval(self._by_part(), confidence, read_integer(count, "count"))

    def __repr__(self) -> str:
        head = (
            f"TableRelease: {len(self):,} keys; {format_cost(self.loss)}, "
            f"relation={self.relation!r}"
        )
        shown = min(len(self), _SHOWN_ROWS)
        labels = [", ".join(str(column[i]) for column in self.key_columns) for i in range(shown)]
        values = [[_format(value) for value in self[name][:shown]] for name in self.columns]
        table = [["", *self.columns], *map(list, zip(labels, *values, strict=True))]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        rows = [
            "  ".join(
                ["", f"{row[0]:<{widths[0]}}"]
                + [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
            )
            for row in table
        ]
        return "\n".join([head, *rows, *(["  ..."] if shown < len(self) else []), *self._errors()])

    def _errors(self) -> list[str]:
        """Return a line with the error bounds of columns, each the largest of its rows."""
        found = []
        for name, column in self.query.columns.items():
            if len(self) > 0 and not isinstance(column, QuantileColumn):
                bound = np.max(column.error_bound(self._by_part(), "0.95", 1))
                found.append(f"{name} within {_format(bound)}")
        return [f"error: {', '.join(found)}, each with 95 % confidence"] if found else []


def _format(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return " ".join(map(_format, value))
    return str(value) if isinstance(value, np.integer) else f"{value:.6g}"
