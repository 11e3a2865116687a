# SPDX-License-Identifier: MIT
"""Kinds of released numbers, and their expected errors. docs/releases/explain.md."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cydp._arguments import Number
from cydp.exact._grid import Grid, centre_of
from cydp.mechanisms._noisy_max import ExponentialMechanism
from cydp.releases._parts import Part

__all__ = [
    "OF_X",
    "Answer",
    "HalvedAnswer",
    "MeanAnswer",
    "NoisyAnswer",
    "RankAnswer",
    "SelectedAnswer",
    "VarianceAnswer",
]

OF_X = "in the unit of the data"


@dataclass(frozen=True, slots=True)
class Answer(ABC):
    """Released numbers of one kind.

    Attributes
    ----------
    name : str
        The name of the released column, or of the release.
    cells : int or None
        How many such numbers there are; None: as many as keys are found.
    unit : str
        What the error is in.

    """

    name: str
    cells: int | None
    unit: str

    @property
    def needs_rows(self) -> bool:
        """Whether the error depends on how many rows a number is over."""
        return False

    @abstractmethod
    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the distance from the exact number.

        Parameters
        ----------
        confidence : number between 0 and 1
            The least probability that it holds.
        count : int
            For how many such numbers it holds together.
        rows : int
            How many rows each is over, at least.

        """


@dataclass(frozen=True, slots=True)
class NoisyAnswer(Answer):
    """A number with noise."""

    part: Part

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the error bound of the noise."""
        return self.part.noise.error_bound(confidence, count=count) * self.part.step


@dataclass(frozen=True, slots=True)
class RankAnswer(Answer):
    """A quantile."""

    part: Part
    grid: Grid

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the error in ranks."""
        points = self.grid.highest - self.grid.lowest + 1
        return Fraction(self.part.choice.error_bound(confidence, candidates=points * count))


@dataclass(frozen=True, slots=True)
class HalvedAnswer(Answer):
    """A median by repeated choice of a range."""

    query: Any  # HalvingQuery

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the error in ranks of the last range."""
        return Fraction(self.query.rank_bound(confidence, count))


@dataclass(frozen=True, slots=True)
class SelectedAnswer(Answer):
    """A key that is selected by its count."""

    selection: ExponentialMechanism
    candidates: int

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return by how many rows its count is below that of the best key."""
        return Fraction(self.selection.error_bound(confidence, candidates=self.candidates * count))


@dataclass(frozen=True, slots=True)
class MeanAnswer(Answer):
    """A noisy sum of x - c over a number of rows, noisy or not."""

    total: Part
    rows: Part | None
    grid: Grid

    @property
    def needs_rows(self) -> bool:
        """True."""
        return True

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the error for the worst data."""
        around, apart = _bounds_of([self.total, self.rows], confidence, count)
        grid, farthest = self.grid, _farthest(self.grid)
        most = (around + farthest * apart) / max(rows - apart, Fraction(1))
        rounding = Fraction(1, 2)  # of each number, and so of their mean
        return (min(most, Fraction(grid.highest - grid.lowest)) + rounding) * grid.step


@dataclass(frozen=True, slots=True)
class VarianceAnswer(Answer):
    """A variance from noisy sums and a number of rows, noisy or not."""

    squares: Part
    total: Part
    rows: Part | None
    grid: Grid

    @property
    def needs_rows(self) -> bool:
        """True."""
        return True

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the error for the worst data."""
        parts = [self.total, self.rows, self.squares]
        around, apart, around_squares = _bounds_of(parts, confidence, count)
        grid, farthest, fewest = self.grid, _farthest(self.grid), max(rows - apart, Fraction(1))
        of_mean = (around + farthest * apart) / fewest
        per_step = self.squares.step / grid.step**2
        around_squares = around_squares * per_step + (per_step - 1)  # the sum was rounded down
        of_squares = (around_squares + farthest**2 * apart) / fewest
        most = of_squares + of_mean * (2 * farthest + of_mean)
        width = Fraction(grid.highest - grid.lowest)
        # Rounding changes the standard deviation, of width / 2 at most, by half a step.
        return (min(most, width**2 / 4) + width / 2 + Fraction(1, 4)) * grid.step**2


def _bounds_of(parts: Sequence[Part | None], confidence: Number, count: int) -> list[Fraction]:
    """Return error bounds of parts, in steps, that hold together; 0 for a part without noise."""
    together = count * sum(part is not None for part in parts)
    return [
        Fraction(part.noise.error_bound(confidence, count=together) if part else 0)
        for part in parts
    ]


def _farthest(grid: Grid) -> int:
    centre = centre_of(grid)
    return max(grid.highest - centre, centre - grid.lowest)
