# SPDX-License-Identifier: MIT
"""All small tables of a universe, and which of them are neighbours. docs/teach/sensitivity.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, islice, product
from typing import Any, TypeAlias

import numpy as np

__all__ = ["SmallTables", "Table", "read_universe"]

Table: TypeAlias = tuple[int, ...]
"""A table, of the places of its records in the universe."""

_Pairs: TypeAlias = Iterable[tuple[Table, Table]]
_Rule: TypeAlias = Callable[[Table, Sequence[Table]], _Pairs]

_MOST_TABLES = 10**6
_MOST_PAIRS = 10**7
_MOST_RECORDS = 1000  # in a table


def _added(base: Table, grown: Sequence[Table]) -> _Pairs:
    """Pair a table with those that have one record more."""
    return ((base, table) for table in grown)


def _changed(_base: Table, grown: Sequence[Table]) -> _Pairs:
    """Pair tables that have all records but one in common."""
    return combinations(grown, 2)


# By relation: from a table, and those with one record more in the same place, to neighbours.
_NEIGHBOURS: dict[str, tuple[_Rule, ...]] = {
    "add-remove": (_added,),
    "change-one": (_changed,),
    "add-remove-or-change": (_added, _changed),
}


def read_universe(universe: Iterable[Any]) -> tuple[Any, ...]:
    """Return the records that tables are made of.

    Raises
    ------
    TypeError, ValueError
        Unless they are hashable, each of them once, at least one and at most a million.

    Examples
    --------
    >>> read_universe(np.arange(3)), read_universe("ab")
    ((0, 1, 2), ('a', 'b'))

    """
    entries = universe.tolist() if isinstance(universe, np.ndarray) else universe
    try:
        records = tuple(islice(entries, _MOST_TABLES + 1))
    except TypeError:
        raise TypeError(
            f"universe must be a list of the records that a table may have, not "
            f"{type(universe).__name__}"
        ) from None
    if not 1 <= len(records) <= _MOST_TABLES:
        number = "none" if not records else f"more than {_MOST_TABLES:,}"
        raise ValueError(f"universe must have from 1 to {_MOST_TABLES:,} records, not {number}")
    try:
        different = len(set(records))
    except TypeError:
        raise TypeError(
            "universe must have hashable records, such as numbers, strings or tuples"
        ) from None
    if different < len(records):
        raise ValueError("universe must have each record once: some of its records are equal")
    return records


@dataclass(frozen=True, slots=True)
class SmallTables:
    """The tables of `smallest` to `n` records from a universe.

    Attributes
    ----------
    n_records : int
        How many records the universe has.
    smallest, n : int
        The least and the largest number of records in a table.
    relation : str
        Which tables are neighbours.
    ordered : bool
        Whether tables with the same records in another order are different.

    """

    n_records: int
    smallest: int
    n: int
    relation: str
    ordered: bool

    def check(self) -> None:
        """Raise a ValueError if there are too many tables, or no neighbours among them."""
        if not 0 <= self.smallest <= self.n <= _MOST_RECORDS or not self.n:
            raise ValueError(
                f"smallest and n must be 0 <= smallest <= n, and n from 1 to {_MOST_RECORDS:,}, "
                f"not smallest={self.smallest} and n={self.n}"
            )
        tables, pairs = sum(map(self._count, self._asked)), self._count_pairs()
        if tables > _MOST_TABLES or pairs > _MOST_PAIRS:
            raise ValueError(
                f"there are {_about(tables)} tables of {self.sizes} records and {_about(pairs)} "
                f"pairs of neighbours, more than {_MOST_TABLES:,} and {_MOST_PAIRS:,}: give a "
                f"smaller universe than one of {self.n_records:,} records, or a smaller n"
                + (", or ordered=False" if self.ordered else "")
            )
        if not pairs:
            raise ValueError(
                f"no two tables of {self.sizes} records are neighbours under {self.relation!r}: "
                "'add-remove' needs n above smallest, 'change-one' a universe of two records"
            )

    @property
    def sizes(self) -> str:
        """How many records a table has, in words."""
        return str(self.n) if self.n == self.smallest else f"{self.smallest} to {self.n}"

    @property
    def _asked(self) -> range:
        """The sizes of tables that have neighbours."""
        is_grown = _added in _NEIGHBOURS[self.relation]  # the empty one, too
        return range(max(self.smallest, 0 if is_grown else 1), self.n + 1)

    def _of_size(self, size: int) -> Iterable[Table]:
        universe = range(self.n_records)
        if self.ordered:
            return product(universe, repeat=size)
        return combinations_with_replacement(universe, size)

    def __iter__(self) -> Iterator[Table]:
        """Yield the tables that have neighbours, the smallest first."""
        for size in self._asked:
            yield from self._of_size(size)

    def pairs(self) -> Iterator[tuple[Table, Table]]:
        """Yield neighbours, small tables first."""
        for size, rules in self._rules():
            for base in self._of_size(size):
                for grown in self._grown(base):
                    for rule in rules:
                        yield from rule(base, grown)

    def _grown(self, base: Table) -> Iterator[list[Table]]:
        """Yield the tables with one record more, for each place where it may be."""
        universe = range(self.n_records)
        if not self.ordered:
            yield [tuple(sorted((*base, record))) for record in universe]
            return
        for place in range(len(base) + 1):
            yield [(*base[:place], record, *base[place:]) for record in universe]

    def _count(self, size: int) -> int:
        """Return the number of tables of one size."""
        records = self.n_records
        return records**size if self.ordered else math.comb(records + size - 1, size)

    def _count_pairs(self) -> int:
        """Return the number of pairs; one of ordered tables counts for each place of the record."""
        records, pairs = self.n_records, 0
        of_rule: dict[_Rule, int] = {
            _added: records,
            _changed: records * (records - 1) // 2,
        }
        for size, rules in self._rules():
            places = size + 1 if self.ordered else 1
            pairs += self._count(size) * places * sum(map(of_rule.__getitem__, rules))
        return pairs

    def _rules(self) -> Iterator[tuple[int, list[_Rule]]]:
        """Yield the sizes to which a record is added, and which tables are then neighbours."""
        for size in range(max(self.smallest - 1, 0), self.n):
            rules = _NEIGHBOURS[self.relation]
            yield size, [rule for rule in rules if rule is _changed or size >= self.smallest]


def _about(number: int) -> str:
    """Return a number for people; a long one by its power of ten."""
    return f"{number:,}" if number < 10**15 else f"about 10**{int(number.bit_length() * 0.30103)}"
