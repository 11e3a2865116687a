# SPDX-License-Identifier: MIT
"""A release of one number to which noise was added."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._numbers.rational import as_exact, float_of
from cydp.releases._answers import Steps
from cydp.releases._parts import Part
from cydp.releases._release import Release, recorded
from cydp.releases.output._sheet import Numbers, Sheet

__all__ = ["NumberRelease"]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NumberRelease(Release):
    """A private number: the exact answer plus noise. `count` and `sum` return it.

    Attributes
    ----------
    query : Query
        What was asked: noise, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    steps : int
        The number in steps of its grid, with noise. A count has steps of 1.

    """

    query: Any
    steps: int

    @property
    def _part(self) -> Part:
        part: Part
        (part,) = self.query.parts.values()
        return part

    @property
    def exact(self) -> Fraction:
        """The number, with its noise, as a fraction."""
        return as_exact(self.steps * self._part.step)

    @property
    def value(self) -> int | float:
        """The number, with its noise: an int for a count, else a float in the unit of the data."""
        return self.steps if self.query.is_count else float_of(self.exact)

    @property
    def variance(self) -> float:
        """Variance of the noise, in the square of the unit of the data."""
        return self._part.variance

    @property
    def _steps(self) -> Steps:
        return {self._part.name: self.steps}

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.exact)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.value, dtype)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        is_count = self.query.is_count
        dtype = np.int64 if is_count else np.float64
        lower, upper = (np.asarray(end, dtype) for end in self.interval(confidence))
        number = Numbers(
            name=self.query.function,
            values=np.asarray(self.value, dtype),
            unit="rows" if is_count else "",
            bound=self.error_bound(confidence),
            lower=lower,
            upper=upper,
        )
        return self._make_sheet((), [number], confidence, simultaneous)

    @property
    def _exact(self) -> dict[str, Any]:
        return {"value": str(self.exact)}
