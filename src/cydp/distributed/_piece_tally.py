# SPDX-License-Identifier: MIT
"""The exact answers of pieces of a table: sparse integers that any engine can add up.

docs/distributed.md, "What crosses the wire".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._columns.pieces import join_halves
from cydp._extras import import_extra
from cydp.exact import _arrow_tables as tables
from cydp.exact._counted_units import CountedUnits
from cydp.exact._grid import Grid
from cydp.exact._sorted_units import SortedUnits

__all__ = ["Outline", "PieceTally", "add_up", "from_table", "outline_of", "sparse"]

Integers: TypeAlias = NDArray[np.int64]


class Shape(NamedTuple):
    """The shape of an exact answer.

    Attributes
    ----------
    size : tuple of int, or None
        Of an array of int64; None for an int of any size.
    grid : Grid or None
        If the answer counts the points of a grid, for quantiles: one row for each key.

    """

    size: tuple[int, ...] | None
    grid: Grid | None = None


Outline: TypeAlias = tuple[tuple[str, Shape], ...]
"""The names of exact answers, and the shape of each."""

_LOW = 2**32 - 1
_TWICE = "a piece must be counted once: some are there twice, as of a task that ran twice"
_TAG_BYTES = 5  # so that tags of millions of pieces add up in int64


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
    places: Integers
    low: Integers
    high: Integers

    def __add__(self, other: object) -> PieceTally:
        if not isinstance(other, PieceTally):
            return NotImplemented
        if self.of_run != other.of_run:
            raise ValueError("tallies must be of one run, and of one number of pieces, to be added")
        refuse_again(self.done & other.done)
        pairs = zip(self._columns, other._columns, strict=True)
        places, low, high = _sum_by_place(*map(np.concatenate, pairs))
        return replace(self, done=self.done | other.done, places=places, low=low, high=high)

    @property
    def of_run(self) -> tuple[str, int, int]:
        """What tallies must have in common to be added: plan, run and number of pieces."""
        return self.fingerprint, self.number, self.pieces

    @property
    def _columns(self) -> tuple[Integers, Integers, Integers]:
        return self.places, self.low, self.high

    def to_arrow(self) -> Any:
        """Return the tally as a table, which an engine can add up by its column `key`.

        Returns
        -------
        pyarrow.Table
            `key`, `low` and `high`, int64: an answer is low + high * 2**32. A piece has one more
            row, with a negative key, by which `Reader.from_arrow` knows that it was added once. It
            is NOT private.

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
        columns = {
            name: np.concatenate([control, own])
            for name, control, own in zip(
                ("key", "low", "high"), (-1 - done, ones, tags), self._columns, strict=True
            )
        }
        return tables.export(columns, {"pieces": self.pieces}, requested_schema)

    def __repr__(self) -> str:
        done, pieces = len(self.done), self.pieces
        return f"<tally of {done:,} of {pieces:,} pieces: exact, NOT private>"


def outline_of(parts: Mapping[str, Any]) -> Outline:
    """Return the names and the shapes of exact answers.

    >>> outline_of({"count": 3, "n": np.zeros((2, 4), np.int64)})
    (('count', Shape(size=None, grid=None)), ('n', Shape(size=(2, 4), grid=None)))
    """
    return tuple((name, _shape_of(exact)) for name, exact in parts.items())


def _shape_of(exact: Any) -> Shape:
    if isinstance(exact, SortedUnits):
        points = exact.grid.highest - exact.grid.lowest + 1
        return Shape((len(exact.offsets) - 1, points), exact.grid)
    return Shape(getattr(exact, "shape", None))


def sparse(parts: Mapping[str, Any], outline: Outline) -> tuple[Integers, Integers, Integers]:
    """Return the places of the answers that are not 0, and their halves.

    >>> sparse({"n": np.array([0, -1])}, (("n", Shape((2,))),))
    (array([1]), array([4294967295]), array([-1]))
    """
    halves = [_halves_of(parts[name], shape) for name, shape in outline]
    low, high = np.concatenate(halves, axis=1)
    places = np.flatnonzero(low | high)
    return places, low[places], high[places]


def add_up(
    tallies: Iterable[PieceTally], outline: Outline
) -> tuple[frozenset[int], dict[str, Any]]:
    """Return the pieces that were counted, and their exact answers, all added up.

    Arrays are what int64 can hold: a sum beyond it is the end of its range.
    """
    sizes = [_rows_of(shape) for _, shape in outline]
    low, high = np.zeros(sum(sizes), np.int64), np.zeros(sum(sizes), np.int64)
    done: frozenset[int] = frozenset()
    for tally in tallies:
        refuse_again(done & tally.done)
        done |= tally.done
        low[tally.places] += tally.low  # no place is there twice
        high[tally.places] += tally.high
    ends = np.cumsum(sizes)[:-1]
    halves = zip(np.split(low, ends), np.split(high, ends), strict=True)
    return done, {
        name: _exact_of(*pair, shape) for (name, shape), pair in zip(outline, halves, strict=True)
    }


def from_table(table: Any, of_run: tuple[str, int, int], outline: Outline) -> PieceTally:
    """Return the tally that `to_arrow` has exported, or an engine's sum of several."""
    columns, _ = tables.read(table, "table")
    named = [columns.get(name) for name in ("key", "low", "high")]
    if len(columns) != 3 or any(each is None or each.dtype.kind not in "iu" for each in named):
        raise ValueError("table must have the columns key, low and high, of integers of 64 bits")
    keys, low, high = _sum_by_place(*(np.asarray(each, np.int64) for each in named))
    control = keys < 0
    done, places = -1 - keys[control], keys[~control]
    if (low[control] != 1).any():
        raise ValueError(_TWICE)
    if (high[control] != _tag_of(of_run)).any() or (done >= of_run[2]).any():
        raise ValueError("table must be of tallies of this run, and of this number of pieces")
    if (places >= sum(_rows_of(shape) for _, shape in outline)).any():
        raise ValueError("table must have no other keys than the tallies of this run")
    return PieceTally(*of_run, frozenset(done.tolist()), places, low[~control], high[~control])


def refuse_again(pieces: frozenset[int]) -> None:
    """Raise a ValueError if there are pieces that were counted before."""
    if pieces:
        raise ValueError(_TWICE)


def _halves_of(exact: Any, shape: Shape) -> Integers:
    """Return the low and the high halves of answers, shape (2, n)."""
    if shape.size is not None:
        counts = exact if shape.grid is None else CountedUnits.of(exact).counts
        flat = counts.reshape(-1)
        return np.stack([flat & _LOW, flat >> 32])
    first, second = int(exact) & (2**64 - 1), int(exact) >> 64
    return np.array([[first & _LOW, second & _LOW], [first >> 32, second >> 32]], np.int64)


def _exact_of(low: Integers, high: Integers, shape: Shape) -> Any:
    """Return answers from sums of their halves."""
    if shape.size is not None:
        found = join_halves(high, low).reshape(shape.size)
        return found if shape.grid is None else CountedUnits(shape.grid, found)
    first, second = (a + (b << 32) for a, b in zip(low.tolist(), high.tolist(), strict=True))
    return first + (second << 64)


def _rows_of(shape: Shape) -> int:
    return 2 if shape.size is None else math.prod(shape.size)


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
