# SPDX-License-Identifier: MIT
"""What one unit can change in all parts of a release at once. docs/releases/units.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from cydp._numbers.rounding import decimal_above
from cydp.releases._parts import ALONE, Aggregate, Joint
from cydp.releases._unit import Unit

__all__ = ["Moves", "RowMoves", "joint_of", "moves_of_tables", "size_of"]


class Size(NamedTuple):
    """How far a row moves a part: the L1 norm, and the square of the L2 norm, in steps."""

    l1: Fraction
    square: Fraction


Moves: TypeAlias = Mapping[str, Size]
"""How far one row moves the parts at once, at most, by their names; others it does not move."""


@dataclass(frozen=True, slots=True)
class RowMoves:
    """What one row can do to the parts of a release, in one partition.

    Attributes
    ----------
    comes : Moves
        Of a row that comes, goes, or ceases to count.
    becomes : sequence of sequences of Moves
        Of a row that becomes another one: of each inner sequence, one that is no smaller than what
        it does to these parts.
    cells : int or None
        How many partitions there are: 1 for answers without partitions; None: it is not public.

    """

    comes: Moves
    becomes: Sequence[Sequence[Moves]]
    cells: int | None = 1


def size_of(distance: Fraction | int) -> Size:
    """Return the size of the move of one number."""
    return Size(Fraction(distance), Fraction(distance) ** 2)


def moves_of_tables(cells: Mapping[str, int]) -> RowMoves:
    """Return what a row does to tables of so many cells each, by name: it is in one of each."""
    moved = {name: Size(Fraction(2), Fraction(2)) for name, each in cells.items() if each > 1}
    return RowMoves(dict.fromkeys(cells, size_of(1)), [[moved]])


def joint_of(unit: Unit, aggregates: Sequence[Aggregate], moves: RowMoves) -> Joint:
    """Return what all parts cost together, of the sum of what each of them can cost alone.

    Parameters
    ----------
    unit : Unit
        Whose rows may become others.
    aggregates : sequence of Aggregate
        With the weights by which they share the privacy.
    moves : RowMoves

    """
    if len(aggregates) < 2:
        return ALONE
    of_row = {
        each.name: Size(each.change.l1 / unit.max_rows, (each.change.l2 / unit.max_rows) ** 2)
        for each in aggregates
    }
    return Joint(*(_largest(unit, aggregates, moves, of_row, norm) for norm in range(2)))


def _largest(
    unit: Unit,
    aggregates: Sequence[Aggregate],
    moves: RowMoves,
    of_row: Mapping[str, Size],
    norm: int,
) -> Fraction:
    """Return the largest sum of weighted sizes, each divided by the largest one of its part."""
    reached = unit.reached(moves.cells)

    def largest(weights: Mapping[str, Fraction]) -> Fraction:
        def cost(move: Moves) -> Fraction:
            return sum(
                (weights[name] * size[norm] for name, size in move.items() if name in weights),
                Fraction(0),
            )

        comes = cost(moves.comes)
        becomes = sum((max(map(cost, each)) for each in moves.becomes), Fraction(0))
        # A partition whose rows cease to count moves as one that has rows of one neighbour alone.
        return max(both * becomes + one * comes for both, one in reached)

    total = sum((each.weight for each in aggregates), Fraction(0))
    weights = {}
    for each in aggregates:
        alone = min(largest({each.name: Fraction(1)}), of_row[each.name][norm])
        if alone:
            weights[each.name] = each.weight / total / alone
    # Where nothing can change, no part needs more than its share.
    return min(decimal_above(largest(weights)) or Fraction(1), Fraction(1))
