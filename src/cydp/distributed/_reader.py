# SPDX-License-Identifier: MIT
"""What goes to workers: it counts the rows of one piece. docs/distributed.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp._columns.masks import Mask, both_present
from cydp._numbers.rational import read_integer
from cydp.distributed._outline import sparse
from cydp.distributed._piece_tally import PieceTally, from_table
from cydp.exact._label_hashes import hash_rows, identify_users
from cydp.exact._user_identifiers import identify_labels
from cydp.releases._left_out import LEFT_OUT

if TYPE_CHECKING:
    from cydp.distributed._plan import ReleasePlan

__all__ = ["MOST_PIECES", "Reader"]

MOST_PIECES = 2**31 - 1  # whose halves add up in int64
_HALF = np.uint64(32)
_SHUFFLE = np.uint64(1)  # apart from all other uses of the key


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reader:
    """The part of a paid run that counts, on any worker. A pickle carries it.

    It has the plan, the number of the run, and its secret key; it can neither pay nor draw.

    Attributes
    ----------
    plan : ReleasePlan
    number : int
        Of the run.

    Examples
    --------
    >>> import cydp
    >>> visits = {"shop": ["a", "b", "a", "b"], "person": [1, 2, 1, 2]}
    >>> plan = cydp.distributed.prepare(
    ...     cydp.group_by, visits, "shop", keys=["a", "b"], user="person", max_partitions=1,
    ...     epsilon=1,
    ... )
    >>> reader = plan.pay(None).reader
    >>> reader.tally(visits, piece=0, pieces=1)
    <tally of 1 of 1 pieces: exact, NOT private>

    """

    plan: ReleasePlan
    number: int
    _key: bytes = field(repr=False)

    @explain_arguments
    def tally(
        self, table: Any, *, piece: Integer, pieces: Integer, users_in_one_piece: bool = False
    ) -> PieceTally:
        """Return the exact answers of one piece of the table.

        Parameters
        ----------
        table : table or column
            The rows of the piece, in a table of any kind with the columns and the types of the
            plan. It may be empty.
        piece : int >= 0
            Which piece it is: each is counted once.
        pieces : int >= 1
            How many pieces the table has.
        users_in_one_piece : bool, default False
            The caller's promise that all rows of each user are in one piece, as after a shuffle by
            users that the engine has made. Default: rows of users are refused in another piece than
            the one that `pieces_of` says.

        Returns
        -------
        PieceTally
            NOT private.

        Raises
        ------
        TypeError, ValueError
            If a parameter is not allowed, or if the columns have other types than in the plan: no
            row is read then. And for rows of users in a piece that they do not belong to.

        Notes
        -----
        Privacy cost: the run has paid for it, as long as the tally goes nowhere but to the driver.

        Examples
        --------
        >>> import cydp
        >>> plan = cydp.distributed.prepare(cydp.sum, [], (0, 9), epsilon=1)
        >>> plan.pay(None).reader.tally([5.0, 7.0], piece=1, pieces=3)
        <tally of 1 of 3 pieces: exact, NOT private>

        """
        of_run, place = self._of_run(pieces), read_integer(piece, "piece")
        if not 0 <= place < of_run[2]:
            raise ValueError(f"piece must be from 0 to pieces - 1, {of_run[2] - 1}, not {place}")
        if not isinstance(users_in_one_piece, bool):
            kind = type(users_in_one_piece).__name__
            raise TypeError(f"users_in_one_piece must be True or False, not {kind}")
        source = self.plan._open(table)
        if source.users is not None and not users_in_one_piece:
            self._check_users(table, place, of_run[2])
        exact = self.plan.query.read(source, None if source.users is None else self._words)
        outline = self.plan._outline
        labels, places, low, high = sparse(exact, outline)
        return PieceTally(*of_run, frozenset([place]), outline, labels, places, low, high)

    @explain_arguments
    def pieces_of(self, table: Any, pieces: Integer) -> NDArray[np.int32]:
        """Return the piece that each row belongs to, so that all rows of a user are in one piece.

        Parameters
        ----------
        table : table or column
            Any rows, in a table with the columns and the types of the plan.
        pieces : int >= 1
            How many pieces the table has.

        Returns
        -------
        ndarray of int32, shape (n,)
            From 0 on, by a keyed hash of the user's value: the same for a number or a text of any
            type and library. Rows without a user are in any piece.

        Raises
        ------
        TypeError, ValueError
            If a parameter is not allowed, if the columns have other types than in the plan, or if
            the release has no users.

        Notes
        -----
        Privacy cost: none by itself, because the result is not private.

        Examples
        --------
        >>> import cydp
        >>> visits = {"person": ["ann", "bob", "ann"]}
        >>> plan = cydp.distributed.prepare(
        ...     cydp.count, visits, user="person", max_rows=1, epsilon=1
        ... )
        >>> first, _, third = plan.pay(None).reader.pieces_of(visits, 100)
        >>> bool(first == third)
        True

        """
        *_, count = self._of_run(pieces)
        found, present = self._places_of(table, count)
        if present is None:
            return found
        anywhere = np.arange(len(found)) % count
        return np.where(present, found, anywhere.astype(np.int32))

    @explain_arguments
    def from_arrow(self, table: Any, *, pieces: Integer) -> PieceTally:
        """Return the tally of a table that `PieceTally.to_arrow` has made, or of an engine's sum.

        Parameters
        ----------
        table : table
            One table of tallies, several one below the other, or the sums of `low` and `high` by
            `key`, of any library, in integers of 64 bits.
        pieces : int >= 1
            How many pieces the table has.

        Returns
        -------
        PieceTally
            NOT private.

        Raises
        ------
        TypeError, ValueError
            If it is no such table, if a piece is in it twice, or if one is of another run, plan or
            number of pieces.

        Examples
        --------
        >>> import cydp
        >>> plan = cydp.distributed.prepare(cydp.value_counts, [], keys=["a", "b"], epsilon=1)
        >>> reader = plan.pay(None).reader
        >>> table = reader.tally(["a"], piece=0, pieces=2).to_arrow()
        >>> reader.from_arrow(table, pieces=2)
        <tally of 1 of 2 pieces: exact, NOT private>

        """
        return from_table(table, self._of_run(pieces), self.plan._outline)

    def _may_count(self, table: Any) -> Mask:
        """Return which rows of users may count in the whole table; None: any of them.

        A partition that does not count among some of a user's rows does not among all of them. The
        rows are in memory, or are read once.
        """
        source, outline = self.plan._open(table), self.plan._outline
        if LEFT_OUT in outline.shapes or outline.kinds is not None:
            return None  # the others are counted, or tell that there is a key
        source.told = []
        self.plan.query.read(source, self._words)
        return np.logical_or.reduce(source.told) if source.told else None

    def _places_of(self, table: Any, pieces: int) -> tuple[NDArray[np.int32], Mask]:
        """Return the piece of each row's user, and which rows have one."""
        users = self.plan._open(table).users
        if users is None:
            raise ValueError("user must be in the plan: without it any rows can be in any piece")
        values, present = identify_labels(users)
        hashes = identify_users(values, present, self._words).hashes
        mixed = hash_rows([hashes, np.full_like(hashes, _SHUFFLE)], self._words) >> _HALF
        return (mixed * np.uint64(pieces) >> _HALF).astype(np.int32), present

    def _check_users(self, table: Any, piece: int, pieces: int) -> None:
        """Raise a ValueError for rows of users who belong to another piece."""
        places, present = self._places_of(table, pieces)
        astray = both_present(places != piece, present)
        if astray is not None and astray.any():
            raise ValueError(
                "table must have no rows of users of other pieces: shuffle rows by pieces_of, or "
                "promise that all rows of each user are in one piece by users_in_one_piece=True"
            )

    def _of_run(self, pieces: Integer) -> tuple[str, int, int]:
        count = read_integer(pieces, "pieces")
        if not 1 <= count <= MOST_PIECES:
            raise ValueError(f"pieces must be from 1 to 2**31 - 1, not {count}")
        return self.plan.fingerprint, self.number, count

    @property
    def _words(self) -> NDArray[np.uint64]:
        """The key, by which the rows of users are chosen."""
        return np.frombuffer(self._key, np.uint64)

    def __repr__(self) -> str:
        return f"<reader of {self.plan!r}>"
