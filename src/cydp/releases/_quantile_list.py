# SPDX-License-Identifier: MIT
"""How several quantiles of a column are chosen, and what that costs: alone, or by halves.

docs/mechanisms/quantile_lists.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from cydp._generator import Generator
from cydp._numbers.rational import as_exact
from cydp._numbers.rounding import root_above
from cydp.accounting._loss import Loss
from cydp.exact._counted_units import CountedUnits
from cydp.exact._grid import Grid
from cydp.exact._sorted_units import SortedUnits
from cydp.mechanisms._quantile import SPREAD_BITS
from cydp.mechanisms._quantile_tree import (
    MOST_TIED,
    QuantileRange,
    choose_by_halves,
    influences,
    levels_of,
    plan_halves,
)
from cydp.releases._answers import ListedError
from cydp.releases._noise_split import Aggregate, Part, Size, split_privacy
from cydp.releases._unit import Change

__all__ = ["Changing", "Method", "QuantileList", "read_method"]

Method: TypeAlias = Literal["auto", "independent", "recursive"]
"""How several quantiles are chosen; "auto": as the error to expect is less."""

_MOST_POINTS = 2**62 >> SPREAD_BITS  # of a grid whose units have places
_MOST_DENOMINATOR = 2**64

Changing: TypeAlias = Callable[[Fraction, Fraction], Change]
"""How far a unit can change scores, from what a row does that comes, and one that changes."""


@dataclass(frozen=True)
class QuantileList:
    """Quantiles of one column, or of one column by key.

    Attributes
    ----------
    qs : tuple of Fraction
    grid : Grid
    is_recursive : bool
        Whether they are chosen by halves, and not each alone.
    name : str
        The names of their parts are this and the place in `qs`.

    """

    qs: tuple[Fraction, ...]
    grid: Grid
    is_recursive: bool
    name: str

    @cached_property
    def order(self) -> list[int]:
        """The places of the quantiles, from the least to the largest."""
        return sorted(range(len(self.qs)), key=self.qs.__getitem__)

    @cached_property
    def names(self) -> list[str]:
        """The names of the parts, in the order of `qs`."""
        return [f"{self.name}{i}" for i in range(len(self.qs))]

    @cached_property
    def ranges(self) -> tuple[QuantileRange, ...]:
        """The ranges from which they are chosen by halves, in `order`."""
        return plan_halves([self.qs[i] for i in self.order])

    @cached_property
    def levels(self) -> list[list[int]]:
        """The places in `order` of the quantiles that are chosen in each level."""
        return levels_of(self.ranges)

    @property
    def words(self) -> str:
        """How they are chosen by halves, in words for a reader."""
        return (
            f"{len(self.qs)} quantiles are chosen in {len(self.levels)} rounds, the middle ones "
            "first, and the others between them"
        )

    @property
    def can_be_recursive(self) -> bool:
        """Whether they can be chosen by halves: public parameters decide."""
        points = self.grid.highest - self.grid.lowest + 1
        several = 1 < len(self.qs) == len(set(self.qs))
        common = math.lcm(*(q.denominator for q in self.qs))
        return several and 1 < points <= _MOST_POINTS and common < _MOST_DENOMINATOR

    def aggregates(self, change: Changing, weight: Fraction) -> list[Aggregate]:
        """Return a choice for each quantile, in the order of `qs`.

        Parameters
        ----------
        change : callable
        weight : Fraction
            Of all of them together.

        """
        if not self.is_recursive:
            each = weight / len(self.qs)
            return [
                Aggregate(name, change(_most(q), Fraction(1)), self.grid.step, each, q)
                for name, q in zip(self.names, self.qs, strict=True)
            ]
        found: list[Aggregate | None] = [None] * len(self.qs)
        each = weight / len(self.levels)
        for place, at in zip(self.order, self.ranges, strict=True):
            l1, square = self._becomes(at)
            of_level = change(_most(at.q), l1)
            if square != l1**2:
                of_level = Change(
                    of_level.l1,
                    change(_most(at.q), root_above(square)).l2,
                    of_level.coordinates,
                    of_level.relation,
                )
            level = f"{self.name}level{at.level}"
            found[place] = Aggregate(
                self.names[place], of_level, self.grid.step, each, at.q, level=level
            )
        return [each for each in found if each is not None]

    def _becomes(self, at: QuantileRange) -> Size:
        """Return how far a row that becomes another moves the scores of the ranges of a level.

        It leaves one range and enters another, or stays in one. The sizes are for ranges of the
        same `_most`, and right for others: docs/mechanisms/quantile_lists.md.
        """
        most = _most(at.q)
        if len(self.levels[at.level]) == 1:
            return Size(Fraction(1), Fraction(1))
        return Size(max(2 * most, Fraction(1)), max(2 * most**2, Fraction(1)))

    def row_moves(self) -> tuple[dict[str, Size], dict[str, Size]]:
        """Return how far a row moves each part: one that comes, and one that becomes another."""
        if not self.is_recursive:
            comes = {name: _most(q) for name, q in zip(self.names, self.qs, strict=True)}
            becomes = dict.fromkeys(self.names, Size(Fraction(1), Fraction(1)))
        else:
            by_place = dict(zip(self.order, self.ranges, strict=True))
            comes = {name: _most(by_place[i].q) for i, name in enumerate(self.names)}
            becomes = {name: self._becomes(by_place[i]) for i, name in enumerate(self.names)}
        return {name: Size(most, most**2) for name, most in comes.items()}, becomes

    def errors(self, parts: Mapping[str, Part]) -> list[ListedError | None]:
        """Return how the error of each follows from those of the choices; None for a single one."""
        if len(self.qs) == 1:
            return [None]
        chosen = [parts[name] for name in self.names]
        points = self.grid.highest - self.grid.lowest + 1
        if not self.is_recursive:
            # They are put in order, so that any of them may be the one that is released.
            widest = max(chosen, key=lambda part: part.choice.scale)
            many = len(chosen)
            return [ListedError(((Fraction(1), widest),), Fraction(0), points, many, many)] * many
        found: list[ListedError | None] = [None] * len(chosen)
        for place, influence in zip(self.order, influences(self.ranges), strict=True):
            missed = tuple((share, chosen[self.order[i]]) for i, share in influence.items())
            # Numbers that share a place are on one side of a cut.
            ties = MOST_TIED * (sum(influence.values(), Fraction(0)) - 1)
            found[place] = ListedError(
                missed, ties, points << SPREAD_BITS, len(missed), len(chosen)
            )
        return found

    def square_error(self, parts: Mapping[str, Part]) -> Fraction:
        """Return the sum of the squares of the errors to expect, in ranks, of a smooth column."""
        scales = [parts[name].choice.scale for name in self.names]
        if not self.is_recursive:
            return sum((scale**2 for scale in scales), Fraction(0))
        found: dict[int, Fraction] = {}
        for i in (i for level in self.levels for i in level):
            at = self.ranges[i]
            ends = (at.lower, 1 - at.q), (at.upper, at.q)
            moved = (share**2 * found[end] for end, share in ends if end is not None)
            found[i] = scales[self.order[i]] ** 2 + sum(moved, Fraction(0))
        return sum(found.values(), Fraction(0))

    def draw(
        self, parts: Mapping[str, Part], records: SortedUnits | CountedUnits, rng: Generator
    ) -> NDArray[np.int64]:
        """Return the quantiles of each group, in steps: shape (quantiles, n_groups).

        They do not fall from a quantile to a larger one. By halves they are chosen of sorted units.
        """
        choices = [parts[self.names[i]].choice for i in self.order]
        if self.is_recursive:
            assert isinstance(records, SortedUnits)
            ordered = choose_by_halves(self.ranges, choices, records, rng)
        else:
            drawn = [parts[name].choice.choose(records, rng) for name in self.names]
            ordered = np.sort(np.stack(drawn), axis=0)
        found = np.empty_like(ordered)
        found[self.order] = ordered
        return found

    def best(self, privacy: Loss, change: Changing, method: Method = "auto") -> QuantileList:
        """Return the list by the method that is asked for, or else by that with the less error.

        Raises
        ------
        ValueError
            If the quantiles cannot be chosen by halves, and are to be; or if no noise fits.

        """
        alone, halves = (
            QuantileList(self.qs, self.grid, each, self.name) for each in (False, True)
        )
        if method == "recursive" and not self.can_be_recursive:
            raise ValueError(
                "method must be 'independent' for quantiles that are not several different ones, "
                f"on a grid of 2 to {_MOST_POINTS:,} points"
            )
        if method != "auto" or not self.can_be_recursive:
            return halves if method == "recursive" else alone

        def square_error(each: QuantileList) -> Fraction:
            parts, _ = split_privacy(privacy, each.aggregates(change, Fraction(1)))
            return each.square_error(parts)

        return min((alone, halves), key=square_error)


def read_method(method: Method) -> Method:
    """Return how quantiles are to be chosen; ValueError for anything but a method."""
    methods = get_args(Method)
    if method not in methods:
        raise ValueError(f"method must be one of {', '.join(map(repr, methods))}, not {method!r}")
    return method


def _most(q: Fraction) -> Fraction:
    """Return how far a row that comes moves a score."""
    return as_exact(max(q, 1 - q))
