# SPDX-License-Identifier: MIT
"""The privacy unit: what a release protects, and how far one unit can change exact answers.

docs/releases/units.md has the proofs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from cydp._arguments import Integer
from cydp._numbers.rational import read_integer
from cydp._numbers.rounding import root_above
from cydp._relations import check_relation
from cydp._sensitivity import Sensitivity, sensitivity_of
from cydp.accounting._errors import UnitMismatchError
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._scope import LedgerScope

__all__ = [
    "Change",
    "Unit",
    "UnitName",
    "check_ledger",
    "read_unit",
    "root_above",
    "user_key",
]

UnitName: TypeAlias = str | Sequence[str]
"""The name of a unit, or its name and the names of the units that it contains."""

UserKey: TypeAlias = str | bool | None
"""The name of the column of users; True: a column without a name; None: there is none."""

_ROW = "row"
_ANY_UNIT = "unit"  # of a promise that names none
_MOST = 2**40
_BOUNDS = ("max_rows", "max_partitions", "max_rows_per_partition")  # of the rows of a user


@dataclass(frozen=True, slots=True)
class Change:
    """How far one unit can change the exact answers of one aggregate.

    Attributes
    ----------
    l1, l2 : Fraction
        Bounds of the L1 and of the L2 norm of the change of all answers together, in steps.
    coordinates : int
        In how many answers the unit can make a change.
    relation : str

    """

    l1: Fraction
    l2: Fraction
    coordinates: int
    relation: str

    def sensitivity(self, norm: int) -> Sensitivity:
        """Return the bound as a sensitivity that states its relation; 1 if the change is 0."""
        bound = self.l1 if norm == 1 else self.l2
        return sensitivity_of(bound or Fraction(1), self.relation, 1 if bound == self.l1 else 2)


@dataclass(frozen=True, slots=True)
class Unit:
    """What a release protects.

    Attributes
    ----------
    relation : str
        "add-remove", "change-one" or "add-remove-or-change".
    name : str
        "row", or the name of the unit that a value of the user column stands for.
    contains : tuple of str
        The names of units that lie within one such unit, and are protected as well.
    has_users : bool
        Whether the rows of each unit are known by a column of users, and are bounded.
    max_partitions : int or None
        The most partitions of a unit that count; None: there are no partitions, or a unit is a row.
    max_rows : int
        The most rows of a unit that count, in each of these partitions.
    promised : bool
        Whether `max_rows` rests on the caller's promise about the table.

    """

    relation: str = "add-remove"
    name: str = _ROW
    contains: tuple[str, ...] = ()
    has_users: bool = False
    max_partitions: int | None = None
    max_rows: int = 1
    promised: bool = False

    def change_one_answer(self, most: Fraction | int, width: Fraction | int) -> Change:
        """Return how far a unit can change a single answer.

        Parameters
        ----------
        most : number
            By how much a row that comes or goes can change the answer.
        width : number
            By how much a row that becomes another, or ceases to count, can change it.

        """
        each = self._largest(most, width)
        return Change(self.max_rows * each, self.max_rows * each, 1, self.relation)

    def _largest(self, most: Fraction | int, width: Fraction | int) -> Fraction:
        """Return by how much a row can change an answer under the relation."""
        if self.relation == "add-remove-or-change":
            return max(Fraction(most), Fraction(width))
        return Fraction(width if self.rows_may_become_others else most)

    def change_each_partition(
        self, most: Fraction | int, width: Fraction | int, cells: int | None
    ) -> Change:
        """Return how far a unit can change the answers of all partitions, which are disjoint.

        Parameters
        ----------
        most, width : number
            As in `change_one_answer`, for the answer of one partition.
        cells : int or None
            How many partitions there are; None: that is not public.

        """
        most, width = Fraction(most), Fraction(width)
        if self.max_partitions is None and self.max_rows > 1:  # each row may lie in any partition
            row = replace(self, max_rows=1).change_each_partition(most, width, cells)
            rows, reached = self.max_rows, self.max_rows * row.coordinates
            if cells is not None:
                reached = min(reached, max(cells, 1))
            return Change(rows * row.l1, rows * row.l2, reached, self.relation)
        rows, found = self.max_rows, self.reached(cells)
        l1 = max(both * width + one * most for both, one in found)
        square = max(both * width**2 + one * most**2 for both, one in found)
        coordinates = max(both + one for both, one in found)
        return Change(rows * l1, rows * root_above(square), coordinates, self.relation)

    def reached(self, cells: int | None) -> list[tuple[int, int]]:
        """Return in how many partitions both of two neighbours, and one alone, have rows of a unit.

        All other pairs of such numbers are means of these, or less.

        Parameters
        ----------
        cells : int or None
            How many partitions there are; None: that is not public.

        """
        most = self.max_partitions or 1
        if cells is not None:
            most = min(most, max(cells, 1))
        if not self.rows_may_become_others:
            return [(0, most)]
        either = 2 * most if cells is None else min(2 * most, max(cells, 1))
        both = 2 * most - either
        return [(most, 0), (both, either - both), (0, either)]

    @property
    def has_fixed_rows(self) -> bool:
        """Whether each unit has as many rows in a neighbour under "change-one".

        It has if it is one row. Other units may have fewer rows afterwards: a promise bounds them.
        """
        return not self.has_users and not self.promised

    @property
    def rows_may_become_others(self) -> bool:
        """Whether a neighbour may have another set of rows in place of the unit's rows.

        It may if a unit may change. Under "add-remove" it may if the guarantee is for what a unit
        with bounded rows contains: without one person, others of a household's rows may count.
        """
        is_chosen_anew = self.has_users and bool(self.contains)
        return self.relation != "add-remove" or is_chosen_anew

    @property
    def protected(self) -> tuple[str, ...]:
        """The names of the units that are protected; () for a promise that holds for any unit."""
        is_any = self.promised and self.name == _ANY_UNIT
        return () if is_any else (self.name, *self.contains)

    @property
    def most_reached(self) -> int:
        """The most partitions in which a unit with bounded rows can make a change."""
        return (self.max_partitions or self.max_rows) * (2 if self.rows_may_become_others else 1)

    def check_kept(self, kept: str, whole: str, blocks: int = 1) -> None:
        """Raise a UnitMismatchError unless a ledger may pay.

        Parameters
        ----------
        kept : str
            The unit that the ledger protects, such as "person in one block".
        whole : str
            The unit around it, such as "person"; `kept` itself if the ledger has no such blocks.
        blocks : int, default 1
            How many blocks the release reads.

        """
        names = self.protected
        if kept in names or not names:
            return
        # In one block, what a person has there is all that they have. In several, rows of another
        # block may take the places of rows that are gone, as in a unit that contains others.
        chosen_anew = self.has_users and not self.rows_may_become_others
        if whole in names and (blocks == 1 or not chosen_anew):
            return
        if whole in names:
            raise UnitMismatchError(
                f"the ledger protects {kept!r}, and this release reads {blocks} blocks together: "
                f"without the rows of one block, other rows of the {self.name} may count; say "
                f"unit=({self.name!r}, {kept!r}), which may make the noise larger, or release each "
                "block alone"
            )
        if self.name != _ROW:
            contained = kept if whole == kept or blocks > 1 else whole
            raise UnitMismatchError(
                f"the ledger protects {kept!r}, and this release {self.name!r}: if that is the "
                f"same, or contains it, say so by unit={contained!r} or "
                f"unit=({self.name!r}, {contained!r})"
            )
        raise UnitMismatchError(
            f"the ledger protects {kept!r}, and this release a row: give user=, or promise with "
            f"max_rows_per_unit=k that no {kept!r} has more than k rows"
        )

    @property
    def parameters(self) -> str:
        """The unit as the parameters of a release that describe it."""
        given: dict[str, Any] = {
            "unit": (self.name, *self.contains) if self.contains else self.name
        }
        if self.promised:
            given["max_rows_per_unit"] = self.max_rows
        elif self.max_partitions is not None:
            given |= {
                "max_partitions": self.max_partitions,
                "max_rows_per_partition": self.max_rows,
            }
        elif self.has_users:
            given["max_rows"] = self.max_rows
        return ", ".join(f"{name}={value!r}" for name, value in given.items())

    @property
    def subject(self) -> str:
        """What neighbours differ in, in words."""
        differs = {
            "add-remove": "is in the table or not",
            "change-one": "has these data or others",
            "add-remove-or-change": "is in the table or not, or has other data",
        }[self.relation]
        one = self.name if self.has_users or self.promised else _ROW
        return f"whether one {one} {differs}"

    @property
    def words(self) -> str:
        """What is protected, in words."""
        return self.words_of()

    def words_of(self, *, all_rows: bool = False) -> str:
        """Return what is protected, in words.

        Parameters
        ----------
        all_rows : bool, default False
            Whether all rows of a user count, and are worth a bounded number of rows.

        """
        if self.has_users:
            count = "counts" if self.max_rows == 1 else "count"
            rows = self._rows_that_count
            how = f"all rows count, worth {rows} at most" if all_rows else f"at most {rows} {count}"
            return f"{self.subject}, whatever rows they have: of each {self.name} {how}"
        if self.promised:
            return (
                f"{self.subject}, if none has more than "
                f"{_many(self.max_rows, 'row')}: "
                "that is the caller's promise about the table"
            )
        return (
            f"{self.subject}. A person with several rows is protected less: pass their "
            "column as user="
        )

    def left_out(self, so: str, *, all_rows: bool = False) -> str:
        """Return what the bound of a user's rows may leave out, in words.

        It follows from public parameters: whether rows were left out, and how many, is not said.

        Parameters
        ----------
        so : str
            What that may do to the released numbers.
        all_rows : bool, default False
            As in `words_of`.

        """
        rows, missing = self._rows_that_count, f"rows whose {self.name} is missing"
        what = (
            f"all rows of each {self.name} count, worth {rows} at most, and {missing} are left out"
            if all_rows
            else f"what each {self.name} has beyond {rows} is left out, and so are {missing}"
        )
        return f"{what}, so {so}. Errors and intervals are about the noise alone"

    @property
    def _rows_that_count(self) -> str:
        rows = _many(self.max_rows, "row")
        if self.max_partitions is None:
            return rows
        if self.max_partitions == _MOST:
            return f"{rows} in each partition"
        if self.max_partitions == 1:
            return f"{rows} in one partition"
        return f"{rows} in each of {_many(self.max_partitions, 'partition')}"


def read_unit(
    relation: str,
    user: UserKey,
    unit: UnitName | None,
    bounded: str = "rows",
    **bounds: Integer | None,
) -> Unit:
    """Return the unit that the arguments of a release describe.

    Parameters
    ----------
    relation : {"add-remove", "change-one", "add-remove-or-change"}
    user : str, True or None
        The name of the column of users; True: a column without a name; None: there is none.
    unit : str, or sequence of str, or None
        What a value of `user` stands for, and what that contains. Default: the name of the column,
        or "user".
    bounded : {"rows", "partitions", "partitions or rows", "rows in each partition"}
        What of a user must be bounded: `max_rows`, `max_partitions`, either of them, or neither,
        because a user may count in any number of partitions.
    **bounds : int or None
        `max_rows`, `max_partitions`, `max_rows_per_partition`, `max_rows_per_unit`.

    Raises
    ------
    TypeError, ValueError
        If the arguments do not fit each other.

    """
    check_relation(relation)
    names = _read_names(unit)
    numbers = {name: _read_bound(bounds.get(name), name) for name in _BOUNDS}
    promised = _read_bound(bounds.get("max_rows_per_unit"), "max_rows_per_unit")
    if user is None:
        for name, number in numbers.items():
            if number is not None:
                raise TypeError(f"{name} bounds the rows of a user: give user= as well")
        if promised is not None:
            return Unit(relation, *_named(names, _ANY_UNIT), max_rows=promised, promised=True)
        if names:
            raise TypeError("unit names what user= stands for: give user= as well")
        return Unit(relation)
    if promised is not None:
        raise TypeError("max_rows_per_unit is a promise instead of user=: give one of them")
    # A column that is called "row" does not make its users the unit of a ledger of rows.
    own_name = user if isinstance(user, str) and user != _ROW else "user"
    name, contains = _named(names, own_name)
    in_all = numbers["max_rows"] if bounded in ("rows", "partitions or rows") else None
    partitions, rows = numbers["max_partitions"], numbers["max_rows_per_partition"]
    if bounded == "rows in each partition":
        partitions = partitions or _MOST
    if in_all is None and partitions is None:
        needed = {"rows": "max_rows", "partitions": "max_partitions"}.get(
            bounded, "max_partitions or max_rows"
        )
        raise TypeError(f"{needed} must be given with user=: it bounds what one {name} adds")
    if in_all is None:
        return Unit(relation, name, contains, True, partitions, rows or 1)
    if bounded == "partitions or rows" and (partitions is not None or rows is not None):
        raise TypeError(
            "max_rows bounds the rows of a user in all partitions together: give it, or "
            "max_partitions and max_rows_per_partition"
        )
    return Unit(relation, name, contains, True, None, in_all)


def user_key(user: object) -> UserKey:
    """Return the argument `user` as a query keeps it: a name, or that it is given."""
    return user if user is None or isinstance(user, str) else True


def check_ledger(budget: Any, unit: Unit) -> None:
    """Refuse a ledger that protects another unit than a release does.

    Raises
    ------
    UnitMismatchError
        Unless the release's unit is the ledger's, or contains it, or the caller promises how many
        rows a unit has. A release of several blocks must state that its unit contains a unit in one
        block.

    """
    ledger, blocks = (
        (budget.ledger, len(budget.blocks)) if isinstance(budget, LedgerScope) else (budget, 1)
    )
    if isinstance(ledger, BudgetLedger):
        unit.check_kept(ledger.privacy_unit, ledger._whole_unit, max(blocks, 1))


def _read_names(unit: UnitName | None) -> tuple[str, ...]:
    names = () if unit is None else (unit,) if isinstance(unit, str) else tuple(unit)
    if (unit is not None and not names) or not all(
        isinstance(name, str) and name for name in names
    ):
        raise TypeError("unit must be a name, or names: of the unit and of the units within it")
    return names


def _named(names: tuple[str, ...], default: str) -> tuple[str, tuple[str, ...]]:
    return (names[0], names[1:]) if names else (default, ())


def _read_bound(bound: Integer | None, name: str) -> int | None:
    if bound is None:
        return None
    wanted = "partitions" if name == "max_partitions" else "rows"
    found = getattr(getattr(bound, "query", None), "counted", wanted)  # by a contribution_bound
    if found != wanted:
        how = "with by=" if wanted == "partitions" else "without by="
        raise TypeError(
            f"{name} bounds the {wanted} of a user, and this bound was chosen of their {found}: "
            f"call contribution_bound {how}"
        )
    number = read_integer(bound, name)
    if not 1 <= number <= _MOST:
        raise ValueError(f"{name} must be from 1 to 2**40, not {number}")
    return number


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("s" if number > 1 else "")
