# SPDX-License-Identifier: MIT
"""The rows that `group_by` reads, and its exact answers by key: counts, sums, means, quantiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds
from cydp._columns.declared import Labels, Records
from cydp._columns.keys import Keys, compared_with
from cydp._columns.pieces import Totals
from cydp._numbers.bounds import Pair
from cydp._numbers.rational import as_exact, format_number
from cydp.exact._clamped_sum import sum_groups
from cydp.exact._contributions import PairNumbers
from cydp.exact._grid import Grid, centre_of, public_grid
from cydp.exact._label_sets import LabelSets, find_labels
from cydp.exact._lookup import match_labels
from cydp.exact._sorted_units import sort_groups
from cydp.exact._time_grid import SteppedTimes, read_time_grid
from cydp.releases._answers import MEDIAN
from cydp.releases._cells import count_codes
from cydp.releases._format import format_parameter
from cydp.releases._missing import Missing, fill_absent, held_still, is_absent, read_missing
from cydp.releases._quantile_list import QuantileList
from cydp.releases._quantile_query import Quantiles, read_quantiles
from cydp.releases._ranked_grid import (
    holds_integers,
    moves_fractions,
    ranked_grid,
    rounds_numbers,
)
from cydp.releases._release import ADDED, recorded
from cydp.releases._rows import Codes, Key, Rows
from cydp.releases._tally import Tally, add_arrays
from cydp.releases._unit import Unit
from cydp.releases._user_pairs import UserPairs

__all__ = [
    "FoundTally",
    "GroupRows",
    "Summary",
    "columns_of",
    "distances_by_key",
    "exact_summary",
    "open_numbers",
    "read_summaries",
]


@recorded
@dataclass(frozen=True, slots=True, repr=False)
class Summary:
    """A sum, a mean or quantiles of a column, by key.

    Attributes
    ----------
    kind : str
        "sum", "mean" or "quantile".
    column : str
    grid : Grid
        The bounds, in steps.
    filled : int or None
        What a missing number counts as, in steps; None: it does not count.
    qs : tuple of Fraction
        Which quantiles.
    several : bool
        Whether a list of quantiles was given, even if it is of one.
    counts_rows : bool
        Whether the rows that count for a mean are counted beside its sum. They are not if "n"
        counts them.
    recursive : bool
        Whether the quantiles are chosen by halves, and not each alone.
    most : int or None
        The size to which the sum of each user in each key is clamped, in steps; None: it is not.
    fractions : bool
        Whether the step of quantiles is 1, though the column does not declare that it holds
        integers.

    """

    kind: str
    column: str
    grid: Grid
    filled: int | None
    qs: tuple[Fraction, ...] = ()
    several: bool = False
    counts_rows: bool = False
    recursive: bool = field(default=False, metadata=ADDED)
    most: int | None = field(default=None, metadata=ADDED)
    fractions: bool = field(default=False, metadata=ADDED)

    @property
    def ranks_rounded(self) -> bool:
        """Whether it ranks numbers that may have been rounded."""
        is_ranked = self.kind == "quantile"
        return is_ranked and rounds_numbers(self.grid, fractions=self.fractions)

    @property
    def listed(self) -> QuantileList:
        """How the quantiles are chosen."""
        return QuantileList(self.qs, self.grid, self.recursive, f"{self.name}_")

    @property
    def name(self) -> str:
        """The name of the released column."""
        is_median = self.qs == (MEDIAN,) and not self.several
        return f"{'median' if is_median else self.kind}_{self.column}"

    @property
    def shift(self) -> int:
        """The number to subtract from each number, in steps."""
        return centre_of(self.grid) if self.kind == "mean" else 0

    @property
    def rows_name(self) -> str:
        """The name of the part that counts the rows of a mean, which no column can have."""
        return f"rows of {self.name}"

    def words_of(self, q: Fraction) -> str:
        """Return the name of a quantile for people."""
        if q == MEDIAN:
            return f"median_{self.column}"
        # No percentage has a "_", so that the names of two columns never meet.
        return f"q{format_number(q * 100)}_{self.column}" if self.several else self.name

    def __repr__(self) -> str:
        parameters: dict[str, Any] = {"grid": self.grid, "filled": self.filled}
        if self.kind == "quantile":
            parameters["qs"] = self.qs if self.several else self.qs[0]
        if self.recursive:
            parameters["method"] = "recursive"
        if self.most is not None:
            parameters["max_sum_per_user"] = as_exact(self.most * self.grid.step)
        parts = (f"{name}={format_parameter(each)}" for name, each in parameters.items())
        return f"{self.kind}({self.column!r}, {', '.join(parts)})"


def read_summaries(
    count: bool, sums: Any, means: Any, quantiles: Any, missing: Missing, integers: Sequence[str]
) -> tuple[Summary, ...]:
    """Return the summaries that arguments of `group_by` ask for.

    `integers` are the columns that are declared as such.
    """
    found = (
        *(_summary("sum", *each, missing) for each in _items(sums, "sums")),
        *(_mean(*each, missing, count) for each in _items(means, "means")),
        *(
            _quantiles(name, each, missing, integers=name in integers)
            for name, each in _items(quantiles, "quantiles")
        ),
    )
    if not count and any(each.kind == "mean" and not each.counts_rows for each in found):
        raise ValueError("count must be True if missing is a number: it is what means divide by")
    return found


def columns_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns of numbers that `group_by` reads, and the arguments that name them."""
    arguments = "sums", "means", "quantiles"
    return {name: each for each in arguments for name, _ in _items(given[each], each)}


_RANKED = "{'income': ([0.25, 0.5], (0, 200_000))}"


def open_numbers(x: Any, name: str, given: Mapping[str, Any]) -> Records | SteppedTimes:
    """Return a column of numbers, or of times if quantiles have bounds that are times.

    Raises
    ------
    TypeError, ValueError
        For a column of another type, and for one that is to be both.

    """
    asked = dict(_items(given["quantiles"], "quantiles")).get(name)
    grid = None
    if asked is not None:
        grid = read_time_grid(_asked_of(name, asked)[1], f"bounds of {name}")
    if grid is None:
        return Records(x, name)
    if any(name in dict(_items(given[each], each)) for each in ("sums", "means")):
        raise TypeError(f"{name} must not be in sums or means if its quantiles are times")
    return grid.open(x, name)


def _items(given: Mapping[str, Any] | None, name: str) -> Iterable[tuple[str, Any]]:
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        example = _RANKED if name == "quantiles" else "{'income': (0, 200_000)}"
        raise TypeError(
            f"{name} must be a dict by column, such as {example}, not {type(given).__name__}"
        )
    return given.items()


def _summary(kind: str, column: str, bounds: Bounds, missing: Missing) -> Summary:
    grid = public_grid(bounds, None, f"bounds of {column}")
    return Summary(kind, column, grid, read_missing(missing, grid))


def _mean(column: str, bounds: Bounds, missing: Missing, count: bool) -> Summary:
    summary = _summary("mean", column, bounds, missing)
    return replace(summary, counts_rows=summary.filled is None or not count)


def _quantiles(column: str, given: Quantiles, missing: Missing, *, integers: bool) -> Summary:
    asked, bounds, step = _asked_of(column, given)
    qs, several = read_quantiles(asked)
    name = f"bounds of {column}"
    grid, filled = ranked_grid(bounds, step, missing, integers=integers, name=name)
    fractions = moves_fractions(grid, integers=integers)
    return Summary("quantile", column, grid, filled, qs, several, fractions=fractions)


def _asked_of(column: str, given: Any) -> tuple[Any, Any, Any]:
    """Return which quantiles of a column are asked for, bounds, and a step or None."""
    if not isinstance(given, tuple | list) or len(given) not in (2, 3):
        raise TypeError(
            "quantiles must be a dict by column of what to find, bounds and perhaps a step, such "
            f"as {_RANKED}"
        )
    if not isinstance(given[1], tuple | list | Pair):  # as of bounds alone, or in another order
        raise TypeError(
            f"quantiles must say which quantile of {column}, and then its bounds, such as "
            f"{{{column!r}: (0.5, (0, 200))}}"
        )
    return given[0], given[1], given[2] if len(given) == 3 else None


def exact_summary(
    summary: Summary, codes: Codes, n_keys: int, values: NDArray[Any], pairs: UserPairs | None
) -> dict[str, Any]:
    """Return the exact answers of a summary by key, by the names of parts.

    They are sums, in steps, and the number of rows that they are over; or the ranked numbers of all
    its quantiles, by its own name. With `pairs` sums are over all rows of users.
    """
    if summary.kind == "quantile":
        filled = fill_absent(values, summary.filled, summary.grid)
        return {summary.name: sort_groups(codes, filled, n_keys, summary.grid)}
    if pairs is not None:
        filled = fill_absent(values, summary.filled, summary.grid)
        sums, rows = pairs.sums(filled, summary.grid, n_keys, summary.shift, summary.most)
        mean = {summary.name: sums}
        return {summary.rows_name: rows, **mean} if summary.counts_rows else mean
    if summary.filled is None and summary.kind == "sum":
        return {summary.name: sum_groups(codes, values, summary.grid, n_keys)}
    values = held_still(values, summary.filled, summary.grid)
    sums = sum_groups(codes, values, summary.grid, n_keys)
    absent, counted = is_absent(values), codes
    if summary.filled is None:
        counted = np.where(absent, np.uint32(n_keys), codes)
    else:
        sums += summary.filled * count_codes(np.where(absent, codes, np.uint32(n_keys)), n_keys)
        if summary.kind == "sum":
            return {summary.name: sums}
    rows = count_codes(counted, n_keys)
    mean = {summary.name: sums - summary.shift * rows}
    return {summary.rows_name: rows, **mean} if summary.counts_rows else mean


def distances_by_key(summary: Summary, exact: Mapping[str, Any]) -> dict[str, NDArray[np.int64]]:
    """Return the sums of the distances to both bounds, shape (keys, 2), from those of a mean."""
    sums, rows, grid = exact[summary.name], exact[summary.rows_name], summary.grid
    below = sums + (summary.shift - grid.lowest) * rows
    above = (grid.highest - grid.lowest) * rows - below
    return {summary.name: np.stack([below, above], axis=-1)}


class GroupRows(Rows):
    """Columns of labels, users and numbers, with public keys or none.

    Parameters
    ----------
    labels : list of Labels
    keys : Keys or None
    users : Labels or None
    numbers : mapping of names to Records or SteppedTimes

    Raises
    ------
    TypeError, ValueError
        For columns of other types, or of lengths that are known to differ.

    """

    __slots__ = ("keys", "labels", "numbers")

    def __init__(
        self,
        labels: Sequence[Labels],
        keys: Keys | None,
        users: Labels | None,
        numbers: Mapping[str, Records | SteppedTimes],
    ) -> None:
        if keys is not None:
            labels = compared_with(keys, labels)
        self.labels, self.keys, self.numbers = labels, keys, numbers
        super().__init__([*labels, *self.numbers.values()], users)

    @property
    def integers(self) -> list[str]:
        """The columns of numbers that are declared as integers."""
        return [name for name, each in self.numbers.items() if holds_integers(each)]

    def check_recorded(self) -> None:
        """Refuse keys that are not public, if a ledger might not be able to record them.

        Raises
        ------
        TypeError
            For columns of objects: only the records tell what they hold.

        """
        for labels in () if self.keys is not None else self.labels:
            if labels.dtype == object and labels.type.kind != "text":
                raise TypeError(
                    f"{labels.name} must be an array or a column of numbers, text or times, for a "
                    "ledger to record its keys by a charge_id"
                )

    def add_by_key(
        self,
        exact: Any,
        unit: Unit,
        key: Key,
        *,
        left_out: int | None = None,
        pairs: bool | None = False,
        at_once: bool = False,
    ) -> Totals:
        """Return the answers of a function of codes of public keys, added over pieces of the rows.

        Parameters
        ----------
        exact : callable
            Returns answers from the code of each row, the numbers of columns by their names, how
            many rows are left out, or None, and users beside their keys, or None.
        unit : Unit
            How many partitions and rows of a user count.
        key : ndarray of uint64 or None
            As in `bound_users`.
        left_out : int, optional
            The most rows of a user that are counted as left out. Default: none is counted.
        pairs : bool or None
            Whether users beside their keys are wanted; None: if they have more rows than count.
        at_once : bool
            Whether all rows are read together.

        """

        def read() -> Totals:
            n_keys, matched = len(self._public), match_labels(self.labels, self._public)
            numbers = self.read_numbers()
            codes, users = self._bound_pairs(matched, n_keys, unit, key, numbers, pairs)
            gone = self._gone(matched, codes, n_keys, left_out, key)
            found: Totals = exact(codes, numbers, gone, users)
            return found

        return read() if at_once else self.add(read)

    def count(self, unit: Unit, key: Key) -> NDArray[np.int64]:
        """Return how many rows of each public key count."""
        n_keys = len(self._public)
        counts: NDArray[np.int64]

        def read() -> Totals:
            matched = match_labels(self.labels, self._public)
            return [count_codes(self.bound(matched, n_keys, unit, key), n_keys)]

        (counts,) = self.add(read)
        return counts

    def find(
        self,
        numbers: Mapping[str, NDArray[Any]],
        unit: Unit,
        key: Key,
        left_out: int | None = None,
        *,
        pairs: bool | None = False,
    ) -> tuple[tuple[NDArray[Any], ...], Codes, Codes, int | None, UserPairs | None]:
        """Return the keys that occur, the code of each row, and the code of a row of each unit.

        And how many rows are left out, and users beside their keys, as in `add_by_key`. `numbers`
        are those of `read_numbers`.
        """
        found = find_labels(self.labels)
        codes, users = self._bound_pairs(found.codes, found, unit, key, numbers, pairs)
        one_row_a_unit = codes
        gone = self._gone(found.codes, codes, len(found), left_out, key)
        if self.users is not None and unit.max_rows > 1:
            one_row_a_unit = self.bound(codes, found, unit, key, max_rows=1)
        return found.arrays, codes, one_row_a_unit, gone, users

    def read_numbers(self) -> dict[str, NDArray[Any]]:
        """Return the columns of numbers by their names."""
        return {name: records.read() for name, records in self.numbers.items()}

    @property
    def _public(self) -> Keys:
        assert self.keys is not None
        return self.keys

    def _bound_pairs(
        self,
        matched: Codes,
        keys: int | LabelSets,
        unit: Unit,
        key: Key,
        values: Mapping[str, NDArray[Any]],
        wanted: bool | None,
    ) -> tuple[Codes, UserPairs | None]:
        """Return the codes of rows that count, and users beside the keys in which they count.

        No users if they are not wanted, or, where that is None, if no rows are left out. And none
        if the rows of a user are bounded in all keys together: they would be worth a part of a row
        in each.
        """
        if self.users is None or unit.max_partitions is None or wanted is False:
            return self.bound(matched, keys, unit, key, [*values.values()]), None
        numbers = PairNumbers(len(matched))
        codes = self.bound(matched, keys, unit, key, [*values.values()], pairs=numbers)
        n_keys = keys if isinstance(keys, int) else len(keys)
        if wanted is None and np.array_equal(codes < n_keys, numbers.numbers < numbers.count):
            return codes, None
        return codes, UserPairs(numbers, matched, unit.max_rows)

    def _gone(
        self, matched: Codes, codes: Codes, n_keys: int, left_out: int | None, key: Key
    ) -> int | None:
        if left_out is None:
            return None
        return self.left_out(matched < n_keys, codes < n_keys, left_out, key)


@dataclass(slots=True, eq=False, repr=False)
class FoundTally(Tally):
    """The exact answers by key, of the keys that occur. NOT private.

    Attributes
    ----------
    query, parts
        As in `Tally`.
    keys : tuple of ndarrays
        The columns of keys.
    units : ndarray of int64
        How many units each key has, in rows that count.

    """

    keys: tuple[NDArray[Any], ...]
    units: NDArray[np.int64]

    def __add__(self, other: object) -> FoundTally:
        if not isinstance(other, FoundTally):
            return NotImplemented
        both = zip(self.keys, other.keys, strict=True)
        found = find_labels([Labels(np.concatenate(pair), "keys") for pair in both])
        mine, theirs = found.codes[: len(self.units)], found.codes[len(self.units) :]

        def spread(tally: FoundTally, codes: Codes) -> FoundTally:
            """Return a tally with a place for each key that either has."""

            def place(exact: Any) -> Any:
                if not isinstance(exact, np.ndarray):
                    return exact
                wide = np.zeros((len(found), *exact.shape[1:]), np.int64)
                wide[codes] = exact
                return wide

            parts = {name: place(exact) for name, exact in tally.parts.items()}
            return replace(tally, parts=parts, keys=found.arrays, units=place(tally.units))

        first, second = spread(self, mine), spread(other, theirs)
        added = Tally.__add__(first, second)
        units = add_arrays(first.units, second.units)
        return FoundTally(self.query, added.parts, found.arrays, units)
