# SPDX-License-Identifier: MIT
"""Tables made from released counts, and the methods that make them.

docs/releases/postprocessing.md has the definitions and proofs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._numbers.rational import read_integer
from cydp.accounting._loss import Loss
from cydp.releases.output._exportable import Exportable
from cydp.releases.output._sheet import Numbers, Sheet
from cydp.releases.postprocessing._steps import (
    Step,
    add_step,
    apply_steps,
    biases_of,
    has_shares,
    read_totals,
    words_of_steps,
)

__all__ = ["PostProcessed", "PostProcessing"]

_INT64 = np.iinfo(np.int64)


class PostProcessing:
    """The methods that make tables from released counts, at no privacy cost.

    They leave sums, means and quantiles of a table by keys out, and `notes` say so. For a table
    without counts, each method raises a TypeError.
    """

    __slots__ = ()

    def nonnegative(self) -> PostProcessed:
        """Return the closest table of integers without negative counts, and with the same total.

        Each count is lowered by a threshold, and is 0 below it: see Notes.

        Returns
        -------
        PostProcessed
            In a histogram by keys, the histogram of each key keeps its total. A total below 0 gives
            zeros, and `notes` say so. After `with_total`, or before it, the total is the given one,
            and the table is the closest to the counts before both.

        Raises
        ------
        TypeError, ValueError
            For shares, and after ``with_total(n)`` with a public n below 0.

        Notes
        -----
        No other table of non-negative integers with this total is closer in L2. Each count is
        within 1 of the closest table of real numbers. The result is biased: small counts are too
        large on average, and large ones too small.

        References
        ----------
        .. [1] Michelot, "A finite algorithm for finding the projection of a point onto the
           canonical simplex of R^n", 1986.

        Examples
        --------
        >>> import cydp
        >>> ages = [18, 25, 31, 31]
        >>> release = cydp.histogram(ages, [0, 20, 30, 40], epsilon=1)
        >>> table = release.nonnegative()
        >>> bool((table.counts >= 0).all()), table.steps
        (True, ('nonnegative',))

        """
        return self._add("nonnegative")

    def with_total(self, n: Integer | Sequence[Integer] | Any) -> PostProcessed:
        """Return the closest table of integers that sums to n.

        All counts move by the same, to within 1.

        Parameters
        ----------
        n : int, released count, or for a histogram by keys a sequence with one for each key
            The total, which must be public, or released: then give the release itself, not its
            `value`. Under "add-remove" ``len(data)`` is neither: it leaks, as its difference
            between neighbours is 1. Under "change-one" it is public.

        Returns
        -------
        PostProcessed
            Its counts are unbiased if n is the true total of the table. After `nonnegative`, or
            before it, no count is negative, and a released n below 0 counts as 0. `notes` say so,
            and where else a total is not kept: in a table without counts, or where a released n
            would bring a count out of int64.

        Raises
        ------
        TypeError, ValueError
            If n is no integer, or not one for each key; for a public n with which a count would
            leave int64, or below 0 with `nonnegative`; for shares.

        Examples
        --------
        >>> import cydp
        >>> release = cydp.value_counts(["a", "b", "b"], ["a", "b"], epsilon=1)
        >>> int(release.with_total(3).counts.sum())
        3

        """
        release, _ = self._chain()
        tables = _tables_of(release)
        return self._add(("with_total", read_totals(n, _has_keys(release), *tables.shape)))

    def normalized(self) -> PostProcessed:
        """Return the shares of counts in the total of their table, as floats.

        Returns
        -------
        PostProcessed
            Its `shares` are in [0, 1] after `nonnegative`; without it, shares of negative counts
            are negative. Where the total is not above 0 they are zeros, and `notes` say so.

        Raises
        ------
        TypeError
            For shares.

        Examples
        --------
        >>> import cydp
        >>> release = cydp.histogram([1, 1, 3], 2, (0, 4), epsilon=100)
        >>> release.nonnegative().normalized().shares
        array([0.66666667, 0.33333333])

        """
        return self._add("normalized")

    def rounded(self, base: Integer) -> PostProcessed:
        """Return the nearest multiples of a base; ties go to even multiples.

        Parameters
        ----------
        base : int from 1 to 2**63 - 1
            Such as 5 or 10.

        Returns
        -------
        PostProcessed
            Where the nearest multiple is not in int64, the count becomes the last multiple in
            int64, and `notes` say so.

        Raises
        ------
        TypeError, ValueError
            If base is no such integer; for shares.

        Examples
        --------
        >>> import cydp
        >>> cydp.histogram([1] * 17, 2, (0, 4), epsilon=100).rounded(5).counts
        array([15,  0])

        """
        factor = read_integer(base, "base")
        if not 1 <= factor <= _INT64.max:
            raise ValueError("base must be an integer from 1 to 2**63 - 1")
        return self._add(("rounded", factor))

    def clamped(self, lower: Integer | None = None, upper: Integer | None = None) -> PostProcessed:
        """Return the counts, clamped to bounds; None is no bound.

        Unlike `nonnegative`, clamping at 0 makes the total too large on average.

        Parameters
        ----------
        lower, upper : int, optional
            At least one, in int64; lower <= upper.

        Returns
        -------
        PostProcessed

        Raises
        ------
        TypeError, ValueError
            If a bound is no such integer; for shares.

        Examples
        --------
        >>> import cydp
        >>> cydp.histogram([1] * 17, 2, (0, 4), epsilon=100).clamped(1, 9).counts
        array([9, 1])

        """
        bounds = [
            None if bound is None else _read_int64(bound, name)
            for bound, name in ((lower, "lower"), (upper, "upper"))
        ]
        low, high = bounds
        if low is None and high is None:
            raise ValueError("lower or upper must be given")
        if low is not None and high is not None and low > high:
            raise ValueError(f"lower must not be above upper, but {low} > {high}")
        return self._add(("clamped", low, high))

    def _chain(self) -> tuple[Any, tuple[Step, ...]]:
        """Return the release, and what was done to its counts.

        Raises
        ------
        TypeError
            If it has no counts.

        """
        if not _has_counts(self):
            raise TypeError("the table has no counts to post-process: group_by(..., count=True)")
        return self, ()

    def _add(self, step: Step) -> PostProcessed:
        release, steps = self._chain()
        if has_shares(steps):
            raise TypeError("shares cannot be processed further: let normalized() be the last step")
        return PostProcessed(release, add_step(steps, step))


@dataclass(frozen=True, eq=False, repr=False)
class PostProcessed(Exportable, PostProcessing):
    """Counts, or shares, that were made from a release without further privacy cost.

    It is made by `nonnegative`, `with_total`, `normalized`, `rounded` and `clamped` of a histogram
    or a table, and has them too. Objects can be compared, hashed, copied and pickled; their arrays
    are read-only. A table of bins unpacks as histograms do: ``counts, edges = table``.

    Attributes
    ----------
    release : HistogramRelease or TableRelease
        The release, with its counts as they were.
    steps : tuple
        The steps, in order: names, or tuples of a name and its parameters, such as
        ``("nonnegative", ("with_total", 100))``.
    notes : tuple of str
        Notes where a result is not as its step says, such as a total below 0, which is not kept;
        and the columns of the release that are not in it.

    """

    release: Any
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = field(init=False)
    _numbers: NDArray[Any] = field(init=False)

    def __post_init__(self) -> None:
        numbers, notes = apply_steps(_tables_of(self.release), self.steps)
        if left_out := _columns_but_counts(self.release):
            notes = (*notes, f"left out, and in release alone: {', '.join(left_out)}")
        shaped = numbers.reshape(self.release.counts.shape)
        shaped.flags.writeable = False
        object.__setattr__(self, "_numbers", shaped.view())
        object.__setattr__(self, "notes", notes)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The counts, in the shape of the release's counts; there are none after `normalized`."""
        if has_shares(self.steps):
            raise AttributeError("these are shares: see shares, and release.counts")
        return self._numbers

    @property
    def shares(self) -> NDArray[np.float64]:
        """The shares, in the shape of the counts; there are some after `normalized` alone."""
        if not has_shares(self.steps):
            raise AttributeError("these are counts: see counts, and normalized()")
        return self._numbers

    @property
    def edges(self) -> Any:
        """The edges of the bins, as the histogram has them."""
        return self.release.edges

    @property
    def by_keys(self) -> Any:
        """The keys of the first dimension, as the histogram has them; None without `by`."""
        return self.release.by_keys

    @property
    def keys(self) -> Any:
        """The keys, as the table has them."""
        return self.release.keys

    @property
    def loss(self) -> Loss:
        """Privacy cost of the release; there is no further one."""
        loss: Loss = self.release.loss
        return loss

    @property
    def relation(self) -> str:
        """The relation of neighbours, such as "add-remove"."""
        return str(self.release.relation)

    @property
    def unit(self) -> str:
        """What is protected, in words."""
        return str(self.release.unit)

    @property
    def biased(self) -> bool:
        """Whether the numbers differ from the true ones on average.

        `with_total` alone leaves counts unbiased if its n is the true total, unless a threshold
        has selected their keys.
        """
        return bool(self._biases)

    @property
    def _biases(self) -> tuple[str, ...]:
        parts = self.release.query.parts.values()
        kept = ("counts just above a threshold",) if any(each.least for each in parts) else ()
        return (*kept, *biases_of(self.steps))

    @property
    def made_by(self) -> str:
        """How it was made, and whether it is biased, in words."""
        biases = self._biases
        bias = f"biased: {'; '.join(biases)}" if biases else "unbiased if that is the true total"
        return f"made from noisy counts by {words_of_steps(self.steps)}; {bias}"

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> NoReturn:
        """Refuse: how far a step moves a count depends on the noise in all counts.

        `interval` has intervals that hold the true counts, and ``release.error_bound`` the
        error bound of the noisy counts.

        Raises
        ------
        TypeError
            Always.

        """
        raise TypeError(
            "post-processed numbers have no error bound, because each depends on the noise in all "
            "counts: interval() of a table of counts has intervals of the true counts, and "
            "release.error_bound() has the bound of the noisy counts"
        )

    def interval(
        self, confidence: Number = 0.95, *, count: Integer = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return intervals that contain the true counts: the release's intervals, cut at 0.

        They may leave out the post-processed counts.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.
        count : int >= 1, default 1
            The number of cells for which it holds together: 1, or ``counts.size`` for all.

        Returns
        -------
        (lower, upper) : ndarrays of int64, of the shape of counts
            The ends of the intervals, in rows.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range; for shares.

        Examples
        --------
        >>> import cydp
        >>> release = cydp.histogram([1] * 17, 2, (0, 4), epsilon=100)
        >>> release.nonnegative().interval()
        (array([17,  0]), array([17,  0]))

        """
        if has_shares(self.steps):
            raise TypeError(
                "shares have no intervals, because the noise in the total is in all of them: "
                "release.interval() has intervals of the true counts"
            )
        column = {} if _is_histogram(self.release) else {"column": "n"}
        lower, upper = self.release.interval(confidence, count=count, **column)
        return _cut(lower), _cut(upper)

    def __iter__(self) -> Iterator[Any]:
        if not _is_histogram(self.release):
            raise TypeError("a table by keys does not unpack: see keys and counts")
        return iter((self._numbers, self.edges))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._numbers, dtype)

    def __eq__(self, other: object) -> bool:
        if type(other) is not PostProcessed:
            return NotImplemented
        return self.steps == other.steps and bool(self.release == other.release)

    def __hash__(self) -> int:
        return hash((PostProcessed, self.release, self.steps))

    def __reduce__(self) -> tuple[Any, ...]:
        # The numbers follow from the release and the steps, and cannot contradict them.
        return PostProcessed, (self.release, self.steps)

    def to_uhi(self) -> Any:
        """Return a histogram as other tools draw it: a PlottableHistogram of UHI.

        Returns
        -------
        object
            As from `HistogramRelease.to_uhi`, with these numbers and without variances.

        Raises
        ------
        TypeError
            For a table by keys, which has no bins, and for shares, which are no counts.

        Examples
        --------
        >>> import cydp
        >>> table = cydp.histogram([1, 3], 2, (0, 4), epsilon=100).nonnegative()
        >>> table.to_uhi().values(), table.to_uhi().variances()
        (array([1., 1.]), None)

        """
        from cydp.releases.output._uhi import uhi_of

        if not _is_histogram(self.release):
            raise TypeError("a table by keys has no bins, and is no histogram of UHI")
        if has_shares(self.steps):
            raise TypeError(
                "shares are no counts, and no histogram of UHI: take to_uhi() before normalized(), "
                "and let the tool that draws it divide by the total"
            )
        return uhi_of(self._sheet(0.95, False), None)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        sheet: Sheet = self.release._sheet(confidence, simultaneous)
        bias = " (biased)" if self.biased else ""
        return replace(
            sheet,
            title=f"{sheet.title}, {words_of_steps(self.steps)}{bias}",
            columns=(self._column(sheet),),
            notes=(
                self.made_by,
                *self.notes,
                *self.release.query.standing_notes,
            ),
        )

    def _column(self, sheet: Sheet) -> Numbers:
        if has_shares(self.steps):
            why = "the noise in the total is in all shares"
            return Numbers(name="share", values=self._numbers, why_none=why)
        name = "count" if _is_histogram(self.release) else "n"
        (noisy,) = (column for column in sheet.columns if column.name == name)
        return Numbers(
            name=name,
            values=self._numbers,
            unit=noisy.unit,
            singular=noisy.singular,
            lower=_cut(noisy.lower),
            upper=_cut(noisy.upper),
            why_none="a post-processed count depends on the noise in all counts",
        )

    def _facts(self) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = self.release._facts()
        return {
            **facts,
            "made_by": self.made_by,
            "biased": self.biased,
            "noisy_counts": self.release.counts.tolist(),
        }

    def _chain(self) -> tuple[Any, tuple[Step, ...]]:
        return self.release, self.steps


def _cut(ends: Any) -> NDArray[np.int64]:
    """Return the ends of intervals of counts, with 0 for negative ones."""
    cut: NDArray[np.int64] = np.maximum(ends, 0)
    return cut


def _is_histogram(release: Any) -> bool:
    return hasattr(release, "axes")


def _columns_but_counts(release: Any) -> list[str]:
    """Return the columns of a table that post-processing leaves out."""
    return [] if _is_histogram(release) else [name for name in release.columns if name != "n"]


def _has_counts(release: Any) -> bool:
    return _is_histogram(release) or "n" in release.columns


def _has_keys(release: Any) -> bool:
    """Whether each key has a table of its own."""
    return _is_histogram(release) and bool(release.by_columns)


def _tables_of(release: Any) -> NDArray[np.int64]:
    """Return the noisy counts with a row for each table."""
    counts: NDArray[np.int64] = release.counts
    if not _has_keys(release):
        return counts.reshape(1, counts.size)
    return counts.reshape(len(counts), math.prod(counts.shape[1:]))


def _read_int64(value: Integer, name: str) -> int:
    number = read_integer(value, name)
    if not _INT64.min <= number <= _INT64.max:
        raise ValueError(f"{name} must be in int64")
    return number
