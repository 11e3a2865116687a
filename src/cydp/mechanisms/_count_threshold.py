# SPDX-License-Identifier: MIT
"""A threshold on noisy counts, by which keys that are not public are released with their counts.

docs/releases/key_selection.md has the proofs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.rational import literal_of
from cydp.mechanisms._gaussian import DiscreteGaussian
from cydp.mechanisms._laplace import DiscreteLaplace

__all__ = ["CountThreshold"]

_MOST = 2**61  # a noisy count may end at 2**62


@dataclass(frozen=True, slots=True, repr=False)
class CountThreshold:
    """Keeps each key that has a unit, and a noisy count that is at least a threshold.

    The noisy counts of the keys that are kept may be released with them, for what the noise costs.

    Attributes
    ----------
    noise : DiscreteLaplace or DiscreteGaussian
        The noise of the counts. It is made for all keys of a unit together.
    delta : Fraction
        The probability with which the keys that one unit alone has are kept, at most.
    max_partitions : int or None
        The most keys in which rows of a unit count; None: its rows may lie in any keys.
    max_rows : int
        The most rows of a unit that count, in each of these keys.
    threshold : int
        The least noisy count that is kept, at least 1.

    Raises
    ------
    ValueError
        If the threshold is above 2**61.

    Examples
    --------
    >>> noise = DiscreteLaplace(epsilon=1, sensitivity=1)
    >>> CountThreshold(noise, Fraction(1, 10**9), 1, 1).threshold
    22

    """

    noise: DiscreteLaplace | DiscreteGaussian
    delta: Fraction
    max_partitions: int | None
    max_rows: int
    threshold: int = field(init=False)

    def __post_init__(self) -> None:
        rows, keys = self.max_rows, self.max_partitions
        if keys is not None:
            threshold = max(self._least(keys, rows), 1)
        else:  # all rows in one key, or each in a key of its own: nothing between is more likely
            threshold = max(self._least(1, rows), self._least(rows, 1), rows)
        if threshold > _MOST:
            raise ValueError(
                "epsilon and delta must be larger, or max_partitions smaller: the threshold of "
                "noisy counts would be above 2**61"
            )
        object.__setattr__(self, "threshold", threshold)

    def _least(self, keys: int, rows: int) -> int:
        """Return the least count that this many keys of so many rows reach within delta."""
        # P(noise > isf(each)) <= each: the noise of a key has to be larger.
        least: Any = self.noise.isf(self.delta / keys)  # an int, of integer noise
        return rows + int(least) + 1

    def keeps(self, units: NDArray[np.int64], noisy: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which keys are kept, by their exact numbers of units and their noisy counts."""
        kept: NDArray[np.bool_] = (units > 0) & (noisy >= self.threshold)
        return kept

    def __repr__(self) -> str:
        shown: dict[str, Any] = {
            "threshold": self.threshold,
            "delta": literal_of(self.delta),
            "max_partitions": self.max_partitions,
            "max_rows": self.max_rows,
        }
        return f"CountThreshold({', '.join(f'{name}={each}' for name, each in shown.items())})"
