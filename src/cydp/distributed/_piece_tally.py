# SPDX-License-Identifier: MIT
"""The exact answers of pieces of a table: sparse integers that any engine can add up.

docs/distributed.md, "What crosses the wire".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Labels, Records
from cydp._columns.table import Table
from cydp._columns.tables import open_table
from cydp._extras import import_extra
from cydp.distributed._label_bytes import OTHER_KEYS, decode, encode
from cydp.distributed._outline import Integers, Outline, dense
from cydp.exact import _arrow_tables as tables
from cydp.exact._label_sets import find_labels
from cydp.releases._tally import Tally

__all__ = ["PieceTally", "add_up", "from_table", "merged", "refuse_again"]

_TWICE = "a piece must be counted once: some are there twice, as of a task that ran twice"
_COLUMNS = "table must have the columns key, low and high, of integers of 64 bits"
_TAG_BYTES = 5  # so that tags of millions of pieces add up in int64
_PLACE, _PIECE = 4, 8  # bytes in a key of bytes
_CONTROL = b"\xff" * _PLACE


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PieceTally:
    """The exact answers of some pieces of a table. NOT private.

    A worker makes one of each piece. They add up by `+`, exactly, in any order; or an engine adds
    up the tables that `to_arrow` makes. A pickle carries them.

    Attributes
    ----------
    fingerprint : str
        Of the plan.
    number : int
        Of the run.
    pieces : int
        How many pieces the table has.
    done : frozenset of int
        The pieces that were counted.
    outline : Outline
        What exact answers there are.
    labels : tuple of ndarray
        The keys that were found, sorted, if keys are not public; a column each.
    places, low, high : ndarray of int64, shape (n,)
        The answers that are not 0: their places among all answers, and their halves of 32 bits, of
        which the high one has the sign.

    Examples
    --------
    >>> import cydp
    >>> plan = cydp.distributed.prepare(cydp.value_counts, [], keys=["a", "b"], epsilon=1)
    >>> reader = plan.pay(None).reader
    >>> first = reader.tally(["a", "b", "a"], piece=0, pieces=2)
    >>> first + reader.tally(["b", "c"], piece=1, pieces=2)
    <tally of 2 of 2 pieces: exact, NOT private>

    """

    fingerprint: str
    number: int
    pieces: int
    done: frozenset[int]
    outline: Outline
    labels: tuple[NDArray[Any], ...]
    places: Integers
    low: Integers
    high: Integers

    def __add__(self, other: object) -> PieceTally:
        if not isinstance(other, PieceTally):
            return NotImplemented
        if self.of_run != other.of_run:
            raise ValueError("tallies must be of one run, and of one number of pieces, to be added")
        return merged([self, other])

    @property
    def of_run(self) -> tuple[str, int, int]:
        """What tallies must have in common to be added: plan, run and number of pieces."""
        return self.fingerprint, self.number, self.pieces

    def to_arrow(self) -> Any:
        """Return the tally as a table, which an engine can add up by its column `key`.

        Returns
        -------
        pyarrow.Table
            `key`, `low` and `high`, int64: an answer is low + high * 2**32. A piece has one more
            row, with a negative key, by which `Reader.from_arrow` knows that it was added once. If
            keys are not public, `key` is binary. It is NOT private.

        Raises
        ------
        ImportError
            If pyarrow is not installed.

        Notes
        -----
        Privacy cost: none by itself, because the result is not private: docs/distributed.md.

        Examples
        --------
        >>> import cydp
        >>> plan = cydp.distributed.prepare(cydp.value_counts, [], keys=["a", "b"], epsilon=1)
        >>> tally = plan.pay(None).reader.tally(["b", "b", "z"], piece=0, pieces=4)
        >>> table = tally.to_arrow()
        >>> table["key"].to_pylist(), table["low"].to_pylist()
        ([-1, 1], [1, 2])

        """
        return import_extra("pyarrow", "to_arrow").table(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the table of `to_arrow`."""
        done = np.array(sorted(self.done), np.int64)
        ones, tags = np.ones_like(done), np.full_like(done, _tag_of(self.of_run))
        low, high = np.concatenate([ones, self.low]), np.concatenate([tags, self.high])
        keys: Any = np.concatenate([-1 - done, self.places])
        if self.outline.kinds is not None:
            keys = _as_bytes(keys, self.labels, self.outline)
        columns = {"key": keys, "low": low, "high": high}
        return tables.export(columns, {"pieces": self.pieces}, requested_schema)

    def __repr__(self) -> str:
        done, pieces = len(self.done), self.pieces
        return f"<tally of {done:,} of {pieces:,} pieces: exact, NOT private>"


def merged(tallies: Sequence[PieceTally]) -> PieceTally:
    """Return the sum of tallies of one run, of which there is one at least."""
    first, done = tallies[0], frozenset[int]()
    for each in tallies:
        refuse_again(done & each.done)
        done |= each.done
    labels, places = first.labels, [each.places for each in tallies]
    if first.outline.kinds is not None:
        rows = first.outline.rows
        columns = zip(*(each.labels for each in tallies), strict=True)
        found = find_labels([Labels(np.concatenate(each), "keys") for each in columns])
        labels = found.arrays
        ends = np.cumsum([len(each.labels[0]) for each in tallies])[:-1]
        codes = np.split(found.codes.astype(np.int64), ends)
        places = [
            code[own // rows] * rows + own % rows for code, own in zip(codes, places, strict=True)
        ]
    halves = [each.low for each in tallies], [each.high for each in tallies]
    added = _sum_by_place(*map(np.concatenate, (places, *halves)))
    names = ("places", "low", "high")
    return replace(first, done=done, labels=labels, **dict(zip(names, added, strict=True)))


def add_up(
    tallies: Iterable[PieceTally], outline: Outline, query: Any
) -> tuple[frozenset[int], Tally]:
    """Return the pieces that were counted, and their exact answers, all added up.

    Arrays are what int64 can hold: a sum beyond it is the end of its range.
    """
    done, labels, rows = frozenset[int](), (), outline.rows
    if outline.kinds is not None:
        held = list(tallies)
        tallies = [merged(held)] if held else []
        labels = tallies[0].labels if held else labels
        rows *= len(labels[0]) if held else 0
    low, high = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    for tally in tallies:
        refuse_again(done & tally.done)
        done |= tally.done
        low[tally.places] += tally.low  # no place is there twice
        high[tally.places] += tally.high
    return done, dense(query, outline, labels, low, high)


def from_table(table: Any, of_run: tuple[str, int, int], outline: Outline) -> PieceTally:
    """Return the tally that `to_arrow` has exported, or an engine's sum of several."""
    opened = open_table(table, "table")
    if sorted(map(str, opened.names)) != ["high", "key", "low"]:
        raise ValueError(_COLUMNS)
    low, high = (_integers_of(opened, name) for name in ("low", "high"))
    labels: tuple[NDArray[Any], ...] = ()
    if outline.kinds is None:
        keys = _integers_of(opened, "key")
    else:
        labels, keys = _from_bytes(Labels(opened.column("key", "key"), "key"), outline)
    keys, low, high = _sum_by_place(keys, low, high)
    control = keys < 0
    done, places = -1 - keys[control], keys[~control]
    if (low[control] != 1).any():
        raise ValueError(_TWICE)
    if (high[control] != _tag_of(of_run)).any() or (done >= of_run[2]).any():
        raise ValueError("table must be of tallies of this run, and of this number of pieces")
    if outline.kinds is None and (places >= outline.rows).any():
        raise ValueError(OTHER_KEYS)
    halves = low[~control], high[~control]
    return PieceTally(*of_run, frozenset(done.tolist()), outline, labels, places, *halves)


def refuse_again(pieces: frozenset[int]) -> None:
    """Raise a ValueError if there are pieces that were counted before."""
    if pieces:
        raise ValueError(_TWICE)


def _as_bytes(
    keys: Integers, labels: tuple[NDArray[Any], ...], outline: Outline
) -> list[bytes]:
    """Return keys of found labels as bytes: the place of 4 bytes, and the label; or a control key.

    The label of a negative key is itself.
    """
    assert outline.kinds is not None
    found, rows = encode(labels, outline.kinds), outline.rows
    starts = [i.to_bytes(_PLACE, "little") for i in range(rows)]
    return [
        starts[key % rows] + found[key // rows] if key >= 0
        else _CONTROL + (-1 - key).to_bytes(_PIECE, "little")
        for key in keys.tolist()
    ]  # fmt: skip


def _from_bytes(keys: Labels, outline: Outline) -> tuple[tuple[NDArray[Any], ...], Integers]:
    """Return the labels that keys of bytes have, and the keys as places.

    Raises
    ------
    ValueError
        If they are no keys of `_as_bytes`.

    """
    assert outline.kinds is not None
    if keys.type.kind != "bytes":
        raise ValueError(_COLUMNS)
    held = find_labels([keys])
    if (held.codes >= len(held)).any():
        raise ValueError(OTHER_KEYS)
    codes, found, starts = dict[bytes, int](), list[int](), list[int]()
    for key in held.arrays[0].tolist():
        start, label = key[:_PLACE], key[_PLACE:]
        if start == _CONTROL:
            found.append(-1 - int.from_bytes(label, "little"))
            starts.append(0)
        else:
            found.append(codes.setdefault(label, len(codes)))
            starts.append(int.from_bytes(start, "little"))
    at = np.array(found, np.int64)
    if max(starts, default=0) >= outline.rows:
        raise ValueError(OTHER_KEYS)
    columns = decode([*codes], outline.kinds)
    ordered = find_labels([Labels(each, "keys") for each in columns])
    if len(ordered) != len(codes):
        raise ValueError(OTHER_KEYS)
    place = np.append(ordered.codes, 0).astype(np.int64)[at] * outline.rows + np.array(starts)
    return ordered.arrays, np.where(at < 0, at, place)[held.codes]


def _integers_of(table: Table, name: str) -> Integers:
    """Return a column of integers of 64 bits, without nulls."""
    held = Records(table.column(name, name), name)
    if held.dtype.kind not in "iu":
        raise ValueError(_COLUMNS)
    values = held.read()
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError("table must have no nulls")
    return np.asarray(values, np.int64)


def _sum_by_place(places: Integers, low: Integers, high: Integers) -> tuple[Integers, ...]:
    """Return distinct places in their order, and the sums of the halves of each."""
    found, at = np.unique(places, return_inverse=True)
    sums = np.zeros((2, len(found)), np.int64)
    np.add.at(sums[0], at, low)
    np.add.at(sums[1], at, high)
    return found, *sums


def _tag_of(of_run: tuple[str, int, int]) -> int:
    """Return a number of 40 bits, the same for all tallies of a run."""
    return int.from_bytes(sha256(repr(of_run).encode()).digest()[:_TAG_BYTES])
