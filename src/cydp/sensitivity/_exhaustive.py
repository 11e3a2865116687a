# SPDX-License-Identifier: MIT
"""A sensitivity that was found by looking at all small tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cydp._numbers.rational import format_number
from cydp._sensitivity import Sensitivity

__all__ = ["ExhaustiveSensitivity", "Search", "exhaustive_of"]


@dataclass(frozen=True, slots=True)
class Search:
    """What was searched, and what was found.

    Attributes
    ----------
    neighbours, answers : tuple of two
        The neighbouring tables with the largest change, and f of them.
    n_tables, n_pairs : int
        How many tables f was asked for, and how many pairs were compared.
    n_records : int
        How many records the universe has.
    sizes : str
        How many records a table has, in words.
    omits_empty : bool
        Whether the table without records was left out.
    norm : int
        The norm of the change.

    """

    neighbours: tuple[tuple[Any, ...], tuple[Any, ...]]
    answers: tuple[Any, Any]
    n_tables: int
    n_pairs: int
    n_records: int
    sizes: str
    omits_empty: bool
    norm: int


class ExhaustiveSensitivity(Sensitivity):
    """The largest change of a function among all small tables, as `of` returns it.

    It is a `Sensitivity`: mechanisms take it, and multiples and sums of it are plain ones. Beyond
    the universe and the sizes that were searched it is a lower bound of the sensitivity.
    """

    __slots__ = ("_search",)

    _search: Search

    @property
    def neighbours(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The neighbouring tables with the largest change."""
        return self._search.neighbours

    @property
    def answers(self) -> tuple[Any, Any]:
        """What f returned for the two `neighbours`."""
        return self._search.answers

    @property
    def n_tables(self) -> int:
        """How many tables f was asked for."""
        return self._search.n_tables

    @property
    def n_pairs(self) -> int:
        """How many pairs of neighbours were compared."""
        return self._search.n_pairs

    def report(self) -> str:
        """Return in words what was searched and found, and where it is only a lower bound.

        Examples
        --------
        >>> from cydp.sensitivity import of
        >>> print(of(sum, range(8), 3).report())
        The sensitivity is 7 under 'add-remove', in the L1 norm, among all tables of 0 to 3 records
        from a universe of 8: 165 tables, 360 pairs of neighbours.
        The largest change: f(()) = 0, and f((7,)) = 7.
        For larger tables and other records it is a lower bound: the sensitivity may be larger.

        """
        found = self._search
        (one, other), (a, b) = found.neighbours, found.answers
        omitted = " (non-empty tables alone)" if found.omits_empty else ""
        return (
            f"The sensitivity is {format_number(Fraction(self))} under {self.relation!r}, in the "
            f"L{found.norm} norm, among all tables of {found.sizes} records{omitted}\n"
            f"from a universe of {found.n_records:,}: {found.n_tables:,} tables, "
            f"{found.n_pairs:,} pairs of neighbours.\n"
            f"The largest change: f({one!r}) = {a!r}, and f({other!r}) = {b!r}.\n"
            "For larger tables and other records it is a lower bound: the sensitivity may be "
            "larger."
        )

    def __repr__(self) -> str:
        found = self._search
        (one, other), (a, b) = found.neighbours, found.answers
        return (
            f"<{super().__repr__()} of all tables of {found.sizes} from {found.n_records:,} "
            f"records, a lower bound beyond: f({one!r}) = {a!r}, f({other!r}) = {b!r}>"
        )

    def __reduce__(self) -> tuple[Callable[..., Sensitivity], tuple[Any, ...]]:
        return exhaustive_of, (Fraction(self), self.relation, self.norm, self._search)


def exhaustive_of(
    number: Fraction, relation: str | None, norm: int, search: Search
) -> ExhaustiveSensitivity:
    """Return the sensitivity that a search has found."""
    new: ExhaustiveSensitivity = Fraction.__new__(ExhaustiveSensitivity, number)
    new._relation, new._norm, new._l2, new._search = relation, norm, number, search
    return new
