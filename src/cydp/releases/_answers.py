# SPDX-License-Identifier: MIT
"""Released numbers and their errors, before there is data and after. docs/releases/explain.md."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from cydp._arguments import Number
from cydp._numbers.rational import float_of
from cydp.exact._grid import Grid
from cydp.releases._noise_split import Part

__all__ = [
    "MEDIAN",
    "OF_X",
    "Answer",
    "HalvedAnswer",
    "ListedError",
    "NoisyAnswer",
    "RankAnswer",
    "SelectedAnswer",
    "Steps",
]

MEDIAN = Fraction(1, 2)  # the quantile that is called so
OF_X = "in the unit of the data"

Steps: TypeAlias = Mapping[str, Any]
"""The noisy answers of each part by its name, in steps: an int each, or an array each."""

_MOST = 2**62  # no noisy count is beyond it (DiscreteLaplace.release), and int64 would wrap


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
        The unit of the error.

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
        """Return the distance from the exact number, before there is data.

        Parameters
        ----------
        confidence : number between 0 and 1
            The least probability that it holds.
        count : int
            For how many such numbers it holds together.
        rows : int
            The least number of rows that each number is over.

        """

    def values(self, steps: Steps) -> Any:
        """Return the released numbers: ints or fractions from ints, an array from arrays."""
        raise TypeError(f"{self.name} is no number")

    @abstractmethod
    def error_bound(self, steps: Steps, confidence: Number, count: int) -> Any:
        """Return the distance of the released numbers from the exact ones."""

    @abstractmethod
    def interval(self, steps: Steps, confidence: Number, count: int) -> tuple[Any, Any]:
        """Return the ends of intervals that hold the exact numbers."""


@dataclass(frozen=True, slots=True)
class NoisyAnswer(Answer):
    """A number with noise."""

    part: Part

    @property
    def is_count(self) -> bool:
        """Whether it is a number of rows or users, and so an integer."""
        return self.unit != OF_X and self.part.step == 1

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the error bound of the noise."""
        return self.part.noise.error_bound(confidence, count=count) * self.part.step

    def values(self, steps: Steps) -> Any:
        """Return the noisy numbers."""
        return self._in_unit(steps[self.part.name])

    def error_bound(self, steps: Steps, confidence: Number, count: int) -> Any:
        """Return the error bound of the noise: one for all, unless a threshold has a part in it."""
        if self.part.least is None:
            return self._in_unit(self.part.noise.error_bound(confidence, count=count))
        (lower, upper), found = self.interval(steps, confidence, count), self.values(steps)
        return np.maximum(found - lower, upper - found)

    def interval(self, steps: Steps, confidence: Number, count: int) -> tuple[Any, Any]:
        """Return the numbers minus and plus the error bound."""
        bound, noisy = self.part.noise.error_bound(confidence, count=count), steps[self.part.name]
        if isinstance(noisy, np.ndarray):
            bound = min(bound, _MOST)
        return self._in_unit(self.part.lower_end(noisy, bound)), self._in_unit(noisy + bound)

    def _in_unit(self, steps: Any) -> Any:
        if self.is_count:
            return steps
        step = self.part.step
        return steps * (float_of(step) if isinstance(steps, np.ndarray) else step)


class _Ranked(Answer):
    """A quantile: its error is in ranks, because in the unit of the data it depends on the data."""

    __slots__ = ()

    @abstractmethod
    def rank_error(self, confidence: Number, count: int) -> float:
        """Return by how many ranks a released number misses the quantile, at most."""

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the error in ranks."""
        return Fraction(self.rank_error(confidence, count))

    def error_bound(self, steps: Steps, confidence: Number, count: int) -> Any:
        """Refuse: it would depend on the data."""
        raise TypeError(
            "quantiles have no error bound in the unit of the data: it would depend on the data. "
            "rank_error of a quantile, or cydp.explain, gives their error in ranks, and interval= "
            "of quantile and median releases an interval"
        )

    def interval(self, steps: Steps, confidence: Number, count: int) -> tuple[Any, Any]:
        """Refuse, as `error_bound` does."""
        return self.error_bound(steps, confidence, count), None


@dataclass(frozen=True, slots=True)
class ListedError:
    """How the error of a quantile of a list follows from those of the choices, in ranks.

    Attributes
    ----------
    missed : tuple of (share, Part)
        What each rank that a choice misses by adds.
    ties : Fraction
        What numbers that share a point add.
    points : int
        From how many points each is chosen.
    needed, choices : int
        How many choices the quantile depends on, and how many there are.

    """

    missed: tuple[tuple[Fraction, Part], ...]
    ties: Fraction
    points: int
    needed: int
    choices: int

    def bound(self, confidence: Number, count: int, lists: int) -> float:
        """Return the error bound of so many quantiles together, which are of so many lists."""
        candidates = self.points * min(count * self.needed, lists * self.choices)
        ranks = self.ties
        for share, part in self.missed:
            ranks += share * Fraction(part.choice.error_bound(confidence, candidates=candidates))
        return float_of(ranks)


@dataclass(frozen=True, slots=True)
class RankAnswer(_Ranked):
    """A quantile."""

    part: Part
    grid: Grid
    listed: ListedError | None = None

    @property
    def q(self) -> Fraction:
        """Which quantile."""
        q: Fraction = self.part.choice.q
        return q

    def rank_error(self, confidence: Number, count: int) -> float:
        """Return the error bound of a choice of one point of the grid, or of those of a list."""
        if self.listed is not None:
            lists = count if self.cells is None else min(count, max(self.cells, 1))
            return self.listed.bound(confidence, count, lists)
        points = self.grid.highest - self.grid.lowest + 1
        return self.part.choice.error_bound(confidence, candidates=points * count)

    def values(self, steps: Steps) -> Any:
        """Return the chosen points as floats, or as times."""
        return self.grid.values_of(steps[self.part.name])


@dataclass(frozen=True, slots=True)
class HalvedAnswer(_Ranked):
    """A median by repeated choice of a range."""

    query: Any  # HalvingQuery

    def rank_error(self, confidence: Number, count: int) -> float:
        """Return the error of the last range."""
        bound: float = self.query.rank_bound(confidence, count)
        return bound


@dataclass(frozen=True, slots=True)
class SelectedAnswer(Answer):
    """A key that is selected by its count."""

    selection: Any
    candidates: int

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return by how many rows its count is below the count of the best key."""
        return Fraction(self.error_bound({}, confidence, count))

    def error_bound(self, steps: Steps, confidence: Number, count: int) -> float:
        """Return by how many rows its count is below the count of the best key."""
        bound: float = self.selection.error_bound(confidence, candidates=self.candidates * count)
        return bound

    def interval(self, steps: Steps, confidence: Number, count: int) -> tuple[Any, Any]:
        """Refuse: no number is released."""
        raise TypeError("top_k releases keys, and no number that could have an interval")
