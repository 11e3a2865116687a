# SPDX-License-Identifier: MIT
"""Released bounds, which stand for a pair of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._numbers.bounds import Pair
from cydp._numbers.rational import float_of
from cydp.releases._answers import Steps
from cydp.releases._parts import Part
from cydp.releases._release import Release, recorded
from cydp.releases.output._sheet import Numbers, Sheet

__all__ = ["BoundsRelease"]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BoundsRelease(Release, Pair):
    """Private bounds (lower, upper), as `bounds` returns them: ``lower, upper = release``.

    Attributes
    ----------
    query : Query
        What was asked: noise, threshold, fallback, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    counts : ndarray of int64
        The noisy number of records in each bin: those of negative numbers, the one of 0, and those
        of positive numbers, in the order of the numbers.

    """

    query: Any
    counts: NDArray[np.int64]

    @property
    def _passed(self) -> NDArray[np.intp]:
        passed: NDArray[np.intp] = np.flatnonzero(self.counts > self.query.threshold)
        return passed

    @property
    def found(self) -> bool:
        """Whether a bin was found; if not, the bounds are the public fallback."""
        return len(self._passed) > 0

    @property
    def value(self) -> tuple[float, float]:
        """The bounds (lower, upper)."""
        passed = self._passed
        if not len(passed):
            lower, upper = map(float_of, self.query.fallback)
            return lower, upper
        edges = np.clip(self.query.edges, -np.finfo(np.float64).max, np.finfo(np.float64).max)
        ends = edges[[passed[0], passed[-1] + 1]]
        zero = len(self.counts) // 2  # the bin of the numbers that count as 0
        if passed[0] == zero:
            ends[0] = 0
        if passed[-1] == zero:
            ends[1] = 0
        return float(ends[0]), float(ends[1])

    def __len__(self) -> int:
        return 2

    def __getitem__(self, place: Any) -> Any:
        return self.value[place]

    @property
    def _part(self) -> Part:
        part: Part = self.query.parts["counts"]
        return part

    @property
    def variance(self) -> float:
        """Variance of the noise in each count."""
        return self._part.variance

    @property
    def _steps(self) -> Steps:
        return {"counts": self.counts}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.value, dtype)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        columns = [
            Numbers(name=name, values=np.asarray(end))
            for name, end in zip(("lower", "upper"), self.value, strict=True)
        ]
        rule = f"A bin is found if its noisy count is above {self.query.threshold:,}."
        if not self.found:
            rule = f"{rule} None was found: the bounds are the public fallback."
        return self._make_sheet((), columns, confidence, simultaneous, notes=(rule,))

    @property
    def _exact(self) -> dict[str, Any]:
        return {"counts": self.counts.tolist()}
