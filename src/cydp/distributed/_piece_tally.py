# SPDX-License-Identifier: MIT
"""The exact answers of pieces of a table: sparse integers that any engine can add up.

docs/distributed.md, "What crosses the wire".
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from cydp._columns.declared import Labels, Records
from cydp._columns.tables import is_tabular, open_table
from cydp._extras import import_extra
from cydp.distributed._label_bytes import OTHER_KEYS, decode, encode
from cydp.distributed._outline import Arrays, Integers, Outline, dense, no_labels
from cydp.exact import _arrow_tables as tables
from cydp.exact._label_sets import find_labels
from cydp.releases._tally import Tally

__all__ = ["PieceTally", "add_up", "from_table"]

_TWICE = "a piece must be counted once: some are there twice, as of a task that ran twice"
_COLUMNS = "table must have the columns key, low and high, of integers of 64 bits without nulls"
_TAG_BYTES = 5  # so that tags of millions of pieces add up in int64
_PLACE, _PIECE = 4, 8  # bytes in a key of bytes
_CONTROL = 2 ** (8 * _PLACE) - 1  # the place of a key of bytes that is a piece's
_MOST = 2**62
_END = b"\xff"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PieceTally:
    """The exact answers of some pieces of a table. NOT private.

    A worker makes one of each piece. They add up by `+` or `sum`, exactly, in any order; or an
    engine adds up the tables that `to_arrow` makes. A pickle carries them.

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
    >>> sum([first, reader.tally(["b", "c"], piece=1, pieces=2)])
    <tally of 2 of 2 pieces: exact, NOT private>

    """

    fingerprint: str
    number: int
    pieces: int
    done: frozenset[int]
    outline: Outline
    labels: Arrays
    places: Integers
    low: Integers
    high: Integers

    def __add__(self, other: object) -> PieceTally:
        if not isinstance(other, PieceTally):
            return NotImplemented
        if self.of_run != other.of_run:
            raise ValueError("tallies must be of one run, and of one number of pieces, to be added")
        return _merged([self, other])

    def __radd__(self, other: int) -> PieceTally:
        """Return the tally itself for 0, at which `sum` begins."""
        return self if type(other) is int and other == 0 else NotImplemented

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
        Privacy cost: none by itself, because the result is not private.

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


def _merged(tallies: Sequence[PieceTally]) -> PieceTally:
    """Return the sum of tallies of one run, of which there is one at least."""
    first, done = tallies[0], set[int]()
    for each in tallies:
        _refuse_again(each.done & done)
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
    low, high = [each.low for each in tallies], [each.high for each in tallies]
    added = _sum_by_place(*map(np.concatenate, (places, low, high)))
    return PieceTally(*first.of_run, frozenset(done), first.outline, labels, *added)


def add_up(
    tallies: Iterable[PieceTally], outline: Outline, query: Any
) -> tuple[frozenset[int], Tally]:
    """Return the pieces that were counted, and their exact answers, all added up.

    Arrays are what int64 can hold: a sum beyond it is the end of its range.
    """
    done, labels, rows = set[int](), no_labels(outline), outline.rows
    if outline.kinds is not None:
        held = list(tallies)
        tallies = [_merged(held)] if held else []
        labels = tallies[0].labels if held else labels
        rows *= len(labels[0])
    low, high = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    for tally in tallies:
        _refuse_again(tally.done & done)
        done |= tally.done
        low[tally.places] += tally.low  # no place is there twice
        high[tally.places] += tally.high
    return frozenset(done), dense(query, outline, labels, low, high)


def from_table(table: Any, of_run: tuple[str, int, int], outline: Outline) -> PieceTally:
    """Return the tally that `to_arrow` has exported, or an engine's sum of several."""
    if outline.kinds is None:
        labels, (columns, _) = no_labels(outline), tables.read(table, "table")
    else:
        labels, columns = _read_bytes(table, outline)
    named = [columns.get(name) for name in ("key", "low", "high")]
    if len(columns) != 3 or any(each is None or each.dtype.kind not in "iu" for each in named):
        raise ValueError(_COLUMNS)
    keys, *halves = _sum_by_place(*(np.asarray(each, np.int64) for each in named))
    control = keys < 0
    done, places = -1 - keys[control], keys[~control]
    if (halves[0][control] != 1).any():
        raise ValueError(_TWICE)
    if (halves[1][control] != _tag_of(of_run)).any() or (done >= of_run[2]).any():
        raise ValueError("table must be of tallies of this run, and of this number of pieces")
    if outline.kinds is None and (places >= outline.rows).any():
        raise ValueError(OTHER_KEYS)
    low, high = (half[~control] for half in halves)
    return PieceTally(*of_run, frozenset(done.tolist()), outline, labels, places, low, high)


def _refuse_again(pieces: Set[int]) -> None:
    """Raise a ValueError if there are pieces that were counted before."""
    if pieces:
        raise ValueError(_TWICE)


def _as_bytes(keys: Integers, labels: Arrays, outline: Outline) -> list[bytes]:
    """Return keys of found labels as bytes: the place of 4 bytes, and the label; or a control key.

    The label of a negative key is itself.
    """
    assert outline.kinds is not None
    found, rows = encode(labels, outline.kinds), outline.rows
    starts = [i.to_bytes(_PLACE, "little") for i in range(rows)]
    control = _CONTROL.to_bytes(_PLACE, "little")
    return [
        starts[key % rows] + found[key // rows] if key >= 0
        else control + (-1 - key).to_bytes(_PIECE, "little")
        for key in keys.tolist()
    ]  # fmt: skip


def _read_bytes(table: Any, outline: Outline) -> tuple[Arrays, dict[str, Any]]:
    """Return the labels in a table with keys of bytes, and its columns, with places for keys."""
    if hasattr(table, "__arrow_c_stream__") and not is_tabular(table):
        table = import_extra("pyarrow", "from_arrow").table(table)
    opened = open_table(table, "table")
    found = {str(name): opened.column(name, str(name)) for name in opened.names}
    if "key" not in found:
        raise ValueError(_COLUMNS)
    labels, keys = _from_bytes(Labels(found.pop("key"), "key"), outline)
    numbers = {name: Records(each, name).read() for name, each in found.items()}
    if any(isinstance(each, np.ma.MaskedArray) for each in numbers.values()):
        raise ValueError(_COLUMNS)
    return labels, {"key": keys, **numbers}


def _from_bytes(keys: Labels, outline: Outline) -> tuple[Arrays, Integers]:
    """Return the labels that keys of bytes have, and the keys as places.

    Raises
    ------
    ValueError
        If they are no keys of `_as_bytes`.

    """
    assert outline.kinds is not None
    held = find_labels([keys])
    if (held.codes >= len(held)).any() or any(type(each) is not bytes for each in held.arrays[0]):
        raise ValueError(OTHER_KEYS)
    listed = held.arrays[0].tolist()
    starts = np.frombuffer(b"".join([each[:_PLACE].ljust(_PLACE, _END) for each in listed]), "<u4")
    is_label = starts != _CONTROL
    if (starts[is_label] >= outline.rows).any():
        raise ValueError(OTHER_KEYS)
    rest = [each[_PLACE:] for each in listed]
    labels = list(itertools.compress(rest, is_label))
    codes = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    columns = decode([*codes], outline.kinds)
    ordered = find_labels([Labels(each, "keys") for each in columns])
    if len(ordered) != len(codes):
        raise ValueError(OTHER_KEYS)
    of_label = np.array([codes[label] for label in labels], np.int64)
    places = np.empty(len(listed), np.int64)
    places[is_label] = ordered.codes[of_label].astype(np.int64) * outline.rows + starts[is_label]
    places[~is_label] = [-1 - _piece_of(each) for each in itertools.compress(rest, ~is_label)]
    return ordered.arrays, places[held.codes]


def _piece_of(control: bytes) -> int:
    piece = int.from_bytes(control, "little")
    if len(control) != _PIECE or piece > _MOST:
        raise ValueError(OTHER_KEYS)
    return piece


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
