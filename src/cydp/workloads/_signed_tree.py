# SPDX-License-Identifier: MIT
"""Running counts by a tree with digits of both signs. docs/workloads.md, "Digits of both signs"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from cydp._generator import Generator
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.releases._release import recorded
from cydp.workloads._running_query import TreeQuery
from cydp.workloads._stream_query import Noise

__all__ = ["SignedTreeQuery"]


@recorded
@dataclass(frozen=True, repr=False)
class SignedTreeQuery(TreeQuery):
    """The total after each step of a stream, by nodes of a tree that are added or taken away.

    The number of a step has digits from ``-((branching - 1) // 2)`` to ``branching // 2``, and each
    digit is so many nodes.

    Attributes
    ----------
    horizon : int
        How many steps there are.
    branching : int
        How many nodes of a level make one of the next.

    """

    strategy: ClassVar[str] = "signed_tree"
    branchings: ClassVar[Sequence[int]] = range(2, 65)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.part.noise, DiscreteLaplace):
            # Totals show a part of the noise of later steps, whose cost in zCDP is not known then.
            raise ValueError(
                "strategy must not be 'signed_tree' with Gaussian noise: it is for epsilon alone"
            )
        self.refuse_noise_that_stops()

    def stream(self) -> SignedTreeStream:
        """Return the tree before the first step."""
        return SignedTreeStream(self.part.noise, self.branching, self.levels)

    def digits(self, step: int) -> list[int]:
        """Return the digits of a step, the lowest one first."""
        found, lowest = [], -((self.branching - 1) // 2)
        while step:
            step, digit = divmod(step - lowest, self.branching)
            found.append(digit + lowest)
        return found

    def squares(self, step: int) -> float:
        """Return the variance of the total after a step, in variances of the noise of a node."""
        return float(sum(map(abs, self.digits(step))))

    @property
    def mean_squares(self) -> float:
        """The mean of `squares` over all steps."""
        return sum(self._sums_of_digits()) / self.horizon

    def _sums_of_digits(self) -> Iterator[int]:
        """Yield the sum of the absolute digits of all steps, for each level."""
        branching, lower = self.branching, (self.branching - 1) // 2
        block, shift = 1, 0
        for _ in range(self.levels):
            shift += lower * block  # a step and this have a usual digit, which is more by `lower`

            def before(end: int, block: int = block) -> int:
                cycles, rest = divmod(end, block * branching)
                digit, part = divmod(rest, block)
                whole = cycles * _apart(branching, lower) + _apart(digit, lower)
                return block * whole + part * abs(digit - lower)

            yield before(shift + self.horizon + 1) - before(shift + 1)
            block *= branching

    @property
    def most_squares(self) -> float:
        """The largest of `squares` over all steps, or more."""
        return float(self.digits(self.horizon)[-1] + (self.levels - 1) * (self.branching // 2))


def _apart(digits: int, lower: int) -> int:
    """Return the sum of abs(digit - lower) over the digits from 0 on."""
    below = min(digits, lower)
    above = digits - below
    return below * lower - below * (below - 1) // 2 + above * (above - 1) // 2


class SignedTreeStream:
    """The noise of nodes that a later total still has, and the exact total."""

    __slots__ = ("_ahead", "_branching", "_digits", "_exact", "_noise", "_sums")

    def __init__(self, noise: Noise, branching: int, levels: int) -> None:
        self._noise, self._branching = noise, branching
        self._exact = 0
        self._digits = [0] * levels
        self._ahead: list[list[int]] = [[]] * levels  # noise of nodes that are not complete
        self._sums = [0] * levels  # the noise in a total

    def step(self, exact: int, rng: Generator | None) -> float:
        """End a step, and return the released total."""
        digits, ahead, sums = self._digits.copy(), self._ahead.copy(), self._sums.copy()
        for height, last in enumerate(digits):
            digits[height] = digit = last + 1
            if digit <= self._branching // 2:
                if digit <= 0:
                    sums[height] += ahead[height][digit - 1]
                else:
                    sums[height] += self._noise.release(0, rng=rng)
                break
            digits[height] = lowest = -((self._branching - 1) // 2)
            ahead[height] = [self._noise.release(0, rng=rng) for _ in range(-lowest)]
            sums[height] = -sum(ahead[height])
        # All or nothing: a step that an error cut short would be counted again by the next call.
        self._digits, self._ahead, self._sums = digits, ahead, sums
        self._exact += exact
        return float(self._exact + sum(sums))
