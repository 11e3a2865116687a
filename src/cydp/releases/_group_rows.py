# SPDX-License-Identifier: MIT
"""The rows of a grouped release: declared before the charge, and summed by key after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Records
from cydp._columns.label_keys import LabelKeys
from cydp._columns.labels import Labels
from cydp._columns.pieces import Totals, add_pieces
from cydp.exact._label_codes import match_labels
from cydp.exact._label_sets import find_labels
from cydp.releases._partitions import Codes, bound_rows, count_codes
from cydp.releases._rows import Key, Rows, check_lengths
from cydp.releases._tally import Tally, add_arrays
from cydp.releases._unit import Unit

__all__ = ["FoundTally", "GroupRows"]


class GroupRows(Rows):
    """Columns of labels, users and numbers, with public keys or none.

    Parameters
    ----------
    labels : list of Labels
    keys : LabelKeys or None
    users : Labels or None
    numbers : mapping of names to columns

    Raises
    ------
    TypeError, ValueError
        For columns of other types, or of lengths that are known to differ.

    """

    __slots__ = ("keys", "labels", "numbers")

    def __init__(
        self,
        labels: Sequence[Labels],
        keys: LabelKeys | None,
        users: Labels | None,
        numbers: Mapping[str, Any],
    ) -> None:
        super().__init__(users)
        self.labels, self.keys = list(labels), keys
        if keys is not None:
            keys.check(self.labels)
        self.numbers = {name: Records(column, name) for name, column in numbers.items()}
        for other in self.labels[1:]:
            check_lengths(other, self.labels[0])
        for records in self.numbers.values():
            check_lengths(records, self.labels[0])
        check_lengths(self.labels[0], users)

    @property
    def length(self) -> int | None:
        """The number of rows; None for a relation of DuckDB, whose query would run."""
        return self.labels[0].length

    def check_recorded(self) -> None:
        """Refuse keys that are not public, if a ledger might not be able to record them.

        Raises
        ------
        TypeError
            For columns of objects, of which only the records tell what they hold.

        """
        for labels in () if self.keys is not None else self.labels:
            if labels.dtype == object and labels.type.kind != "text":
                raise TypeError(
                    f"{labels.name} must be an array or a column of numbers, text or times, for a "
                    "ledger to record its keys by a charge_id"
                )

    def add(self, exact: Any, unit: Unit, key: Key, *, at_once: bool) -> Totals:
        """Return what a function returns of codes of public keys, added over pieces of the rows.

        Parameters
        ----------
        exact : callable
            Returns answers from the code of each row and the numbers of columns, by their names.
        unit : Unit
            How many partitions and rows of a user count.
        key : ndarray of uint64 or None
            As in `bound_users`.
        at_once : bool
            Whether all rows are read together.

        """

        def read() -> Totals:
            found: Totals = exact(self._codes(unit, key), self.read_numbers())
            return found

        if at_once:
            return read()
        return add_pieces(read, [*self.labels, *self.numbers.values()], self.users)

    def count(self, unit: Unit, key: Key) -> NDArray[np.int64]:
        """Return how many rows of each public key count."""
        n_keys = len(self._public)
        counts: NDArray[np.int64]
        (counts,) = self.add(
            lambda codes, numbers: [count_codes(codes, n_keys)], unit, key, at_once=False
        )
        return counts

    def find(self, unit: Unit, key: Key) -> tuple[tuple[NDArray[Any], ...], Codes, Codes]:
        """Return the keys that occur, the code of each row, and that of one row of each unit."""
        found = find_labels(self.labels)
        codes = self._outside_sample(found.codes, len(found))
        one_row_a_unit = codes
        if self.users is not None:
            codes = one_row_a_unit = bound_rows(codes, found, unit, self.users, key)
            if unit.max_rows > 1:
                one_row_a_unit = bound_rows(codes, found, unit, self.users, key, max_rows=1)
        return found.arrays, codes, one_row_a_unit

    def read_numbers(self) -> dict[str, NDArray[Any]]:
        """Return the columns of numbers by their names."""
        return {name: records.read() for name, records in self.numbers.items()}

    @property
    def _public(self) -> LabelKeys:
        assert self.keys is not None
        return self.keys

    def _codes(self, unit: Unit, key: Key) -> Codes:
        """Return the public key of each row; none for rows that do not count."""
        n_keys = len(self._public)
        codes = self._outside_sample(match_labels(self.labels, self._public), n_keys)
        return codes if self.users is None else bound_rows(codes, n_keys, unit, self.users, key)

    def _outside_sample(self, codes: Codes, n_keys: int) -> Codes:
        return codes if self.sampled is None else np.where(self.sampled, codes, np.uint32(n_keys))


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
                wide = np.zeros(len(found), np.int64)
                wide[codes] = exact
                return wide

            parts = {name: place(exact) for name, exact in tally.parts.items()}
            return replace(tally, parts=parts, keys=found.arrays, units=place(tally.units))

        first, second = spread(self, mine), spread(other, theirs)
        added = Tally.__add__(first, second)
        units = add_arrays(first.units, second.units)
        return FoundTally(self.query, added.parts, found.arrays, units)
