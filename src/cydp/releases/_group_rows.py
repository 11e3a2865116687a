# SPDX-License-Identifier: MIT
"""The rows of a grouped release: declared before the charge, and summed by key after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Records
from cydp._columns.label_keys import LabelKeys
from cydp._columns.labels import Labels
from cydp._columns.pieces import Totals, add_pieces
from cydp._generator import Generator
from cydp.exact._clamped_sum import sum_groups
from cydp.exact._contributions import sample_key
from cydp.exact._label_codes import match_labels
from cydp.exact._label_sets import find_labels
from cydp.exact._sorted_units import sort_groups
from cydp.releases._group_query import GroupQuery, Summary
from cydp.releases._partitions import Codes, bound_rows, count_codes
from cydp.releases._presence import fill_absent, is_absent
from cydp.releases._rows import check_lengths

__all__ = ["GroupRows", "Released"]

Released = tuple[tuple[NDArray[Any], ...] | None, tuple[NDArray[np.int64], ...]]
"""The columns of keys that were selected, if they are not public; the noisy steps of each part."""


class GroupRows:
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

    __slots__ = ("_keys", "_labels", "_numbers", "_users")

    def __init__(
        self,
        labels: Sequence[Labels],
        keys: LabelKeys | None,
        users: Labels | None,
        numbers: Mapping[str, Any],
    ) -> None:
        self._labels, self._keys, self._users = list(labels), keys, users
        if keys is not None:
            keys.check(self._labels)
        self._numbers = {name: Records(column, name) for name, column in numbers.items()}
        for other in self._labels[1:]:
            check_lengths(other, self._labels[0])
        for records in self._numbers.values():
            check_lengths(records, self._labels[0])
        check_lengths(self._labels[0], users)

    def check_recorded(self) -> None:
        """Refuse keys that are not public, if a ledger might not be able to record them.

        Raises
        ------
        TypeError
            For columns of objects, of which only the records tell what they hold.

        """
        for labels in () if self._keys is not None else self._labels:
            if labels.dtype == object and labels.type.kind != "text":
                raise TypeError(
                    f"{labels.name} must be an array or a column of numbers, text or times, for a "
                    "ledger to record its keys by a charge_id"
                )

    def release(self, query: GroupQuery, generator: Generator) -> Released:
        """Return keys and noisy answers; the data is read here."""
        if self._keys is None:
            return self._release_found(query, generator)
        n_keys = len(self._keys)
        key = sample_key(self._users, generator)
        if any(summary.kind == "quantile" for summary in query.summaries):  # all rows are ranked
            return None, self._answer(query, self._codes(query, generator, key), n_keys, generator)

        def exact() -> Totals:
            codes = self._codes(query, generator, key)
            return list(_exact(query, codes, n_keys, self._read_numbers()).values())

        totals = add_pieces(exact, [*self._labels, *self._numbers.values()], self._users)
        answers = dict(zip(query.parts, totals, strict=True))
        return None, _add_noise(query, answers, lambda summary: None, generator)

    def _release_found(self, query: GroupQuery, generator: Generator) -> Released:
        """Select keys among those that occur, and release these."""
        assert query.selection is not None
        found = find_labels(self._labels)
        codes, one_row_a_unit = found.codes, found.codes
        if self._users is not None:
            codes = bound_rows(codes, found, query.unit, self._users, generator)
            one_row_a_unit = codes
            if query.unit.max_rows > 1:
                one_row_a_unit = bound_rows(
                    codes, found, query.unit, self._users, generator, max_rows=1
                )
        units = count_codes(one_row_a_unit, len(found))
        kept = np.flatnonzero(query.selection.release(units, rng=generator))
        places = np.full(len(found) + 1, len(kept), np.uint32)
        places[kept] = np.arange(len(kept), dtype=np.uint32)
        selected = tuple(column[kept] for column in found.arrays)
        return selected, self._answer(query, places[codes], len(kept), generator)

    def _codes(
        self, query: GroupQuery, generator: Generator, key: NDArray[np.uint64] | None
    ) -> Codes:
        """Return the public key of each row; none for rows that do not count."""
        assert self._keys is not None
        codes = match_labels(self._labels, self._keys)
        if self._users is None:
            return codes
        return bound_rows(codes, len(self._keys), query.unit, self._users, generator, key=key)

    def _answer(
        self, query: GroupQuery, codes: Codes, n_keys: int, generator: Generator
    ) -> tuple[NDArray[np.int64], ...]:
        """Return noisy answers from the codes of all rows."""
        numbers = self._read_numbers()

        def rank(summary: Summary) -> Any:
            filled = fill_absent(numbers[summary.column], summary.filled, summary.grid)
            return sort_groups(codes, filled, n_keys, summary.grid)

        return _add_noise(query, _exact(query, codes, n_keys, numbers), rank, generator)

    def _read_numbers(self) -> dict[str, NDArray[Any]]:
        return {name: records.read() for name, records in self._numbers.items()}


def _exact(
    query: GroupQuery, codes: Codes, n_keys: int, numbers: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[np.int64]]:
    """Return the counts and sums of a query by the names of its parts, in their order."""
    exact: dict[str, NDArray[np.int64]] = {}
    if query.has_count:
        exact["n"] = count_codes(codes, n_keys)
    for summary in query.summaries:
        if summary.kind != "quantile":
            exact |= _sum(summary, codes, n_keys, numbers[summary.column])
    return exact


def _add_noise(
    query: GroupQuery,
    exact: Mapping[str, NDArray[np.int64]],
    rank: Callable[[Summary], Any],
    generator: Generator,
) -> tuple[NDArray[np.int64], ...]:
    """Return noisy answers, and the quantiles that are chosen among ranked records."""
    noisy: dict[str, NDArray[np.int64]] = {}

    def add_noise(name: str) -> None:
        noisy[name] = query.parts[name].noise.release(exact[name], rng=generator)

    if query.has_count:
        add_noise("n")
    for summary in query.summaries:
        if summary.kind == "quantile":
            records = rank(summary)
            for i in range(len(summary.qs)):
                name = summary.quantile_name(i)
                noisy[name] = query.parts[name].choice.choose(records, generator)
            continue
        if summary.counts_rows:
            add_noise(summary.rows_name)
        add_noise(summary.name)
    return tuple(noisy[name] for name in query.parts)


def _sum(
    summary: Summary, codes: Codes, n_keys: int, values: NDArray[Any]
) -> dict[str, NDArray[np.int64]]:
    """Return the sums of a summary, in steps, and the number of rows that they are over."""
    sums = sum_groups(codes, values, summary.grid, n_keys)
    if summary.filled is None and summary.kind == "sum":
        return {summary.name: sums}
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
