# SPDX-License-Identifier: MIT
"""The sensitivity of a function of your own, among all small tables. docs/teach/sensitivity.md."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import format_number, read_integer
from cydp._numbers.rounding import root_above
from cydp.sensitivity import Sensitivity, count
from cydp.teach.sensitivity._small_tables import SmallTables, Table, read_universe

__all__ = ["ExhaustiveSensitivity", "of"]


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
        """On how many tables f was called."""
        return self._search.n_tables

    @property
    def n_pairs(self) -> int:
        """How many pairs of neighbours were compared."""
        return self._search.n_pairs

    def report(self) -> str:
        """Return in words what was searched and found, and where it is only a lower bound.

        Examples
        --------
        >>> from cydp.teach.sensitivity import of
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
        return _exhaustive_of, (Fraction(self), self.relation, self.norm, self._search)


def _exhaustive_of(
    number: Fraction, relation: str | None, norm: int, search: Search
) -> ExhaustiveSensitivity:
    """Return the sensitivity that a search has found."""
    new: ExhaustiveSensitivity = Fraction.__new__(ExhaustiveSensitivity, number)
    new._relation, new._norm, new._l2, new._search = relation, norm, number, search
    return new


_Answer: TypeAlias = tuple[Fraction, ...]
_Units: TypeAlias = tuple[int, ...]

_CHECKED = 1000  # tables, about, that f is asked for in another order too
_SAME = Fraction(1, 2**30)  # the relative difference that rounding may make
_SHOWN = 200  # characters of a table in an error


@explain_arguments
def of(
    f: Callable[[tuple[Any, ...]], Any],
    universe: Iterable[Any],
    n: Integer,
    *,
    norm: int = 1,
    relation: str = "add-remove",
    smallest: Integer = 0,
    ordered: bool = False,
) -> ExhaustiveSensitivity:
    """Find the sensitivity of a function of your own among all small tables, by trying all of them.

    Parameters
    ----------
    f : callable
        It takes a table, a tuple of records, and returns a number, or a tuple, a list or an array
        of numbers, as many for each table. Numbers are exact: a float means its binary value. f
        must be deterministic.
    universe : iterable
        The records that a table may have: numbers, strings, tuples or whatever is hashable, each of
        them once. They are toy records, which errors show, and never people's records.
    n : int >= 1
        The most records of a table.
    norm : {1, 2}, default 1
        1: the L1 norm of a change of the answers. 2: the L2 norm, for Gaussian mechanisms alone.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.
    smallest : int >= 0, default 0
        The fewest records of a table. With 1, f need not be defined for the empty table, and pairs
        with it are left out.
    ordered : bool, default False
        Whether f may depend on the order of the records. Default: it must not, so that each
        multiset is one table. That is checked for some thousand tables.

    Returns
    -------
    ExhaustiveSensitivity
        A `Sensitivity`, in the unit of f, which mechanisms take. Its `neighbours` and their
        `answers` have the largest change; `report()` says what was searched. An irrational L2 norm
        is rounded up to six digits.

    Raises
    ------
    TypeError, ValueError
        For bad parameters; if there are more than a million tables or ten million pairs, before f
        is called; if f fails, returns no finite numbers, or depends on the order.

    Notes
    -----
    Beyond this universe and n it is a lower bound: the global sensitivity is the largest change
    over all tables [1]_; these are a few of them. It refutes a sensitivity that is too small, and
    a proof is needed for one that is large enough.

    References
    ----------
    .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, section 3.3.

    Examples
    --------
    >>> books = of(lambda table: sum(table) / len(table), range(8), 3, smallest=1)
    >>> books == 3.5, books.neighbours, books.answers
    (True, ((0,), (0, 7)), (0.0, 3.5))
    >>> of(lambda table: (table.count("f"), table.count("m")), "fm", 3, relation="change-one") == 2
    True

    """
    if not callable(f):
        raise TypeError(f"f must be a function of a table, not {type(f).__name__}")
    records = read_universe(universe)
    Sensitivity(1, norm=norm)  # checks the norm
    if not isinstance(ordered, bool):
        raise TypeError(f"ordered must be True or False, not {type(ordered).__name__}")
    tables = SmallTables(
        len(records),
        read_integer(smallest, "smallest"),
        read_integer(n, "n"),
        str(count(relation=relation).relation),
        ordered,
    )
    tables.check()
    asked = _Asked(f, records)
    ratios = {table: asked.answer(table) for table in tables}
    if not ordered:
        asked.check_order(ratios)
    scale = math.lcm(*{each.denominator for answer in ratios.values() for each in answer})
    # Integers, since their differences are exact and quick.
    units = {
        table: tuple(each.numerator * (scale // each.denominator) for each in answer)
        for table, answer in ratios.items()
    }
    is_number = len(asked.example) == 1  # both norms of it are the same
    distance = _of_numbers if is_number else _l1 if norm == 1 else _squared_l2
    largest, found, n_pairs = -1, None, 0
    for one, other in tables.pairs():
        change = distance(units[one], units[other])
        n_pairs += 1
        if change > largest:
            largest, found = change, (one, other)
    assert found is not None  # there are neighbours
    for places in found:
        asked.check_repeated(places, ratios)
    one, other = map(asked.table, found)
    search = Search(
        (one, other), (_plain(f(one)), _plain(f(other))), len(units), n_pairs, len(records),
        tables.sizes, tables.smallest > 0, norm,
    )  # fmt: skip
    if is_number or norm == 1:
        return _exhaustive_of(Fraction(largest, scale), relation, 1, search)
    return _exhaustive_of(root_above(Fraction(largest, scale**2)), relation, 2, search)


def _of_numbers(one: _Units, other: _Units) -> int:
    return abs(one[0] - other[0])


def _l1(one: _Units, other: _Units) -> int:
    return sum(map(abs, map(operator.sub, one, other)))


def _squared_l2(one: _Units, other: _Units) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


class _Asked:
    """A function and its universe.

    Parameters
    ----------
    f : callable
    records : tuple
        The universe.

    """

    def __init__(self, f: Callable[..., Any], records: tuple[Any, ...]) -> None:
        self._f, self._records = f, records
        self.example: _Answer = ()  # the first answer

    def table(self, places: Table) -> tuple[Any, ...]:
        """Return a table as f takes it."""
        return tuple(self._records[place] for place in places)

    def answer(self, places: Table) -> _Answer:
        """Return the exact answer for a table.

        Raises
        ------
        TypeError, ValueError
            If f fails, or returns anything else than as many finite numbers as before.

        """
        table = self.table(places)
        try:
            given = self._f(table)
        except Exception as error:
            hint = "" if table else ": smallest=1 leaves the empty table out"
            raise ValueError(
                f"f failed for {_show(table)}, a table of {len(table)} records, with "
                f"{type(error).__name__}: {error}{hint}"
            ) from error
        answer = _read_answer(given, table)
        self.example = self.example or answer
        if len(answer) != len(self.example):
            raise ValueError(
                f"f must return as many numbers for each table, not {len(answer)} for "
                f"{_show(table)} and {len(self.example)} for others"
            )
        return answer

    def check_repeated(self, places: Table, answers: dict[Table, _Answer]) -> None:
        """Raise a ValueError if f returns something else when it is asked again."""
        if self.answer(places) != answers[places]:
            raise ValueError(
                f"f must be deterministic, but it returned two answers for "
                f"{_show(self.table(places))}"
            )

    def check_order(self, answers: dict[Table, _Answer]) -> None:
        """Raise a ValueError if f is found to depend on the order of records."""
        tables = [table for table in answers if len(table) > 1]
        for table in tables[:: -(-len(tables) // _CHECKED) or 1]:
            for order in {table[::-1], table[1:] + table[:1]} - {table}:
                if not _is_same(self.answer(order), answers[table]):
                    self.check_repeated(table, answers)
                    raise ValueError(
                        f"f must not depend on the order of records, but it differs for "
                        f"{_show(self.table(table))} and {_show(self.table(order))}: pass "
                        "ordered=True, or compute with fractions if only rounding differs"
                    )


def _read_answer(given: Any, table: tuple[Any, ...]) -> _Answer:
    if isinstance(given, np.ndarray):
        given = given.ravel().tolist()
    numbers = given if isinstance(given, tuple | list) else (given,)
    if not numbers:
        raise ValueError(f"f must return at least one number, and returned none for {_show(table)}")
    place = "" if numbers is not given else f"{type(given).__name__} of "
    return tuple(_read_number(number, table, place) for number in numbers)


def _read_number(number: Any, table: tuple[Any, ...], place: str = "") -> Fraction:
    if isinstance(number, int | np.integer | np.bool_):
        return Fraction(int(number))
    if not isinstance(number, float | np.floating | Fraction | Decimal):
        raise TypeError(
            "f must return a number, or a tuple, a list or an array of numbers, and returned "
            f"{place}{type(number).__name__} for {_show(table)}"
        )
    try:
        return Fraction(*number.as_integer_ratio())
    except (OverflowError, ValueError):
        raise ValueError(
            f"f must return finite numbers, and returned {number} for {_show(table)}: the "
            "sensitivity is infinite there; clamp to bounds, or leave the empty table out by "
            "smallest=1"
        ) from None


def _plain(given: Any) -> Any:
    """Return scalars of numpy as numbers of Python, which are shown shorter."""
    if type(given) is tuple:
        return tuple(map(_plain, given))
    return given.item() if isinstance(given, np.generic) else given


def _is_same(one: _Answer, other: _Answer) -> bool:
    return all(abs(a - b) <= _SAME * max(abs(a), abs(b)) for a, b in zip(one, other, strict=True))


def _show(table: tuple[Any, ...]) -> str:
    shown = repr(table)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
