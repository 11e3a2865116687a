# SPDX-License-Identifier: MIT
"""Private histograms and tables by key, with their noise, privacy loss and intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import read_integer
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.releases._answers import Answer, RankAnswer, Steps
from cydp.releases._format import counted
from cydp.releases._key_selection import words_of_selection
from cydp.releases._left_out import LEFT_OUT, note_on
from cydp.releases._noise_split import Part
from cydp.releases._release import Release, recorded, rounded
from cydp.releases.output._sheet import Numbers, Sheet, bins_of, keys_of
from cydp.releases.postprocessing._consistent_sums import fit_sums
from cydp.releases.postprocessing._post_processed import PostProcessing

__all__ = ["HistogramRelease", "TableRelease", "TopCountsRelease"]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HistogramRelease(Release, PostProcessing):
    """A private histogram. `histogram` and `histogramdd` return it.

    Releases can be compared, hashed, copied and pickled. Their arrays are read-only: change a
    copy of `counts`. A release unpacks as numpy's histograms do: ``counts, edges = release``.

    Attributes
    ----------
    query : Query
        The query: noise, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    counts : ndarray of int64, shape (bins,), or (keys, bins), or one dimension for each column
        Noisy counts, in records. They are unbiased, so they may be negative.
    axes : tuple of ndarrays
        The edges of the bins of each column.
    by_columns : tuple of ndarrays
        The keys of the first dimension of counts, by column; empty without `by`.
    names : tuple of str
        The name of the column of each of `axes`, "" where it is not known; empty if none is known.
    by_names : tuple of str
        As `names`, for `by_columns`.

    """

    query: Any
    counts: NDArray[np.int64]
    axes: tuple[NDArray[Any], ...]
    by_columns: tuple[NDArray[Any], ...] = ()
    names: tuple[str, ...] = ()
    by_names: tuple[str, ...] = ()

    @property
    def edges(self) -> Any:
        """The edges of the bins, shape (bins + 1,); for several columns a tuple of them.

        Bin i holds edges[i] <= x < edges[i + 1]; the last bin includes its right edge.
        """
        return self.axes[0] if len(self.axes) == 1 else self.axes

    @property
    def by_keys(self) -> Any:
        """The keys, shape (keys,); for several columns a tuple of them; None without `by`."""
        if not self.by_columns:
            return None
        return self.by_columns[0] if len(self.by_columns) == 1 else self.by_columns

    def __iter__(self) -> Iterator[Any]:
        return iter((self.counts, self.edges))

    @property
    def _part(self) -> Part:
        part: Part
        (part,) = self.query.parts.values()
        return part

    @property
    def variance(self) -> float:
        """Variance of the noise in each count."""
        return self._part.variance

    @property
    def _steps(self) -> Steps:
        return {"counts": self.counts}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.counts, dtype)

    def to_uhi(self) -> Any:
        """Return the histogram as other tools draw it: a PlottableHistogram of UHI.

        Returns
        -------
        object
            `axes`, `values()`, `variances()` (of the noise), `counts()` and `kind`.
            Keys are an axis of categories. ``boost_histogram.Histogram`` takes it too.

        Examples
        --------
        >>> import cydp
        >>> drawable = cydp.histogram([1, 3], 2, (0, 4), epsilon=100).to_uhi()
        >>> list(drawable.axes[0]), drawable.values()
        ([(0.0, 2.0), (2.0, 4.0)], array([1., 1.]))

        """
        from cydp.releases.output._uhi import uhi_of

        return uhi_of(self._sheet(0.95, False), self.variance)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        together = max(self.counts.size, 1) if simultaneous else 1
        lower, upper = self.interval(confidence, count=together)
        one, several = counted(self.query.unit)
        counts = Numbers(
            name="count",
            values=self.counts,
            unit=several,
            singular=one,
            bound=self.error_bound(confidence, count=together),
            lower=lower,
            upper=upper,
        )
        axes = [keys_of(self.by_columns, self.by_names)] if self.by_columns else []
        names = self.names or ("",) * len(self.axes)
        axes += [bins_of(edges, name) for edges, name in zip(self.axes, names, strict=True)]
        return self._make_sheet(axes, [counts], confidence, simultaneous)


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TableRelease(Release, PostProcessing):
    """A private table with a row for each key. `value_counts` and `group_by` return it.

    A column is ``release["n"]``, ``release["sum_income"]`` and so on; `columns` are their names.

    Attributes
    ----------
    query : Query
        The query: noise, privacy unit, split and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    key_names : tuple
        The names of the columns of keys.
    key_columns : tuple of ndarrays, shape (keys,) each
        The keys: given ones in the given order, others sorted.
    steps : tuple of ndarrays of int64
        The noisy answers of each part of the query, in steps; an int for rows that are left out.

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
    def left_out(self) -> int | None:
        """A noisy estimate of how many rows the bounds left out, if it was asked for."""
        left_out: int | None = self._steps.get(LEFT_OUT)
        return left_out

    @property
    def counts(self) -> NDArray[np.int64]:
        """The noisy counts, in rows. They are unbiased, so they may be negative.

        Those of keys that a threshold keeps are at least the threshold, and close to it too high on
        average.
        """
        counts: NDArray[np.int64] = self["n"]
        return counts

    def __len__(self) -> int:
        return len(self.key_columns[0])

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = [each.values(self._steps) for each in self._column(name)]
        return np.stack(found, axis=-1) if name in self.query.several else found[0]

    @property
    def _steps(self) -> Steps:
        return dict(zip(self.query.parts, self.steps, strict=True))

    def _column(self, name: str | None, confidence: Any = None) -> Sequence[Answer]:
        """Return what a column holds: one answer, or an answer for each quantile."""
        columns: dict[str, Sequence[Answer]] = dict(self.query.columns)
        for answers in self.query.columns.values():  # each quantile of a list, too, as it is shown
            columns.update((each.name, (each,)) for each in answers)
        if isinstance(confidence, str) and confidence in columns:
            raise TypeError(f"confidence must be a number: the column is column={confidence!r}")
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

    @explain_arguments
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
        int, float, or ndarray
            In the unit of the column; for means, and for counts of keys that a threshold keeps, an
            array, a bound for each row.

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
        answer = self._column(column, confidence)[0]
        together = self._together(read_integer(count, "count"))
        return rounded(answer.error_bound(self._steps, confidence, together))

    @explain_arguments
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
        answer = self._column(column, confidence)[0]
        together = self._together(read_integer(count, "count"))
        return answer.interval(self._steps, confidence, together)

    def consistent(self) -> dict[str, NDArray[np.float64]]:
        """Return counts and sums that numbers within the bounds can have, at no privacy cost.

        Of each key, counts are not negative, and each sum is within the bounds of a number times
        the count.

        Returns
        -------
        dict of ndarrays, shape (keys,)
            The count "n" and each sum, by the names of columns, in their units. Counts need not be
            integers.

        Raises
        ------
        TypeError
            For a table without counts, or without sums.

        Notes
        -----
        They are the closest such numbers in squares of differences over the variances of the noise.
        In this measure they are never farther from the exact answers than the noisy ones are. They
        are biased.

        Examples
        --------
        >>> import cydp
        >>> people = {"town": ["a", "a", "b"], "income": [10, 20, 30]}
        >>> release = cydp.group_by(
        ...     people, "town", keys=["a", "b", "c"], sums={"income": (0, 50)}, epsilon=1
        ... )
        >>> table = release.consistent()
        >>> bool((table["sum_income"] <= 50 * table["n"] + 1e-9).all())
        True

        """
        sums = [each for each in getattr(self.query, "summaries", ()) if each.kind == "sum"]
        if "n" not in self.columns or not sums:
            raise TypeError("consistent() fits counts and sums: the table must have both")
        bounds = [(min(low, 0), max(high, 0)) for low, high in (each.grid.bounds for each in sums)]
        names = [each.name for each in sums]
        counts, by_name = self.counts.astype(np.float64), [self[name] for name in names]
        variances = np.array([self.variance[name] for name in ("n", *names)])
        n, fitted = fit_sums(counts, np.array(by_name), np.array(bounds, np.float64), variances)
        return {"n": n, **dict(zip(names, fitted, strict=True))}

    def _together(self, count: int) -> int:
        """Return for how many keys an error has to hold, if it is asked for so many."""
        return count

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        together = self._together(max(len(self), 1) if simultaneous else 1)
        steps = self._steps
        one, several = counted(self.query.unit)
        columns: list[Numbers] = []
        for name, answers in self.query.columns.items():
            for each in answers:
                values = each.values(steps)
                if isinstance(each, RankAnswer):
                    bound = each.rank_error(confidence, together)
                    found = Numbers(name=each.name, values=values, bound=bound, bound_unit="ranks")
                else:
                    lower, upper = each.interval(steps, confidence, together)
                    found = Numbers(
                        name=name,
                        values=values,
                        unit=several if name == "n" else "",
                        singular=one,
                        bound=rounded(each.error_bound(steps, confidence, together)),
                        lower=lower,
                        upper=upper,
                    )
                columns.append(found)
        axis = replace(
            keys_of(self.key_columns, self.key_names), are_found=self.query.selection is not None
        )
        notes: tuple[str, ...] = self.query.notes
        if self.left_out is not None:
            notes = (note_on(self.query, self.left_out, confidence), *notes)
        return self._make_sheet([axis], columns, confidence, simultaneous, notes=notes)

    @property
    def _noise_words(self) -> str:
        selection = self.query.selection
        words = [words_of_selection(selection)] if selection is not None else []
        return "; ".join([*words, super()._noise_words])

    @property
    def _exact(self) -> dict[str, Any]:
        return {"steps": {name: np.asarray(part).tolist() for name, part in self._steps.items()}}


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TopCountsRelease(TableRelease):
    """The most frequent of keys that are not public, as `top_k` returns them: a table.

    The keys are in the order of their noisy counts, the largest first. As the largest are taken,
    these counts are too high on average. `error_bound` and `interval` hold for all selected keys
    together, whatever `count` is: so they hold for those with the largest counts, too.

    Attributes
    ----------
    query : FoundTopQuery
        The query: how many keys at most, noise, privacy unit, split and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    key_names : tuple
        The name of the column of keys.
    key_columns : tuple of ndarrays, shape (keys,) each
        The keys: at most k, the one with the largest noisy count first.
    steps : tuple of ndarrays of int64
        The noisy counts.
    found : int
        How many keys were selected, of which these are the ones with the largest counts.

    """

    found: int

    def _together(self, count: int) -> int:
        return max(count, self.found)

    @property
    def _exact(self) -> dict[str, Any]:
        return {**super()._exact, "found": self.found}
