# SPDX-License-Identifier: MIT
"""Running counts by a tree over the steps, from public parameters alone."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import ClassVar

from cydp._generator import Generator
from cydp.releases._noise_split import Aggregate
from cydp.releases._release import recorded
from cydp.releases._unit import Change, root_above
from cydp.workloads._stream_query import Noise, StreamQuery
from cydp.workloads._tree import parent_variance

__all__ = ["RunningQuery", "TreeQuery"]


@dataclass(frozen=True, repr=False)
class TreeQuery(StreamQuery):
    """The total after each step of a stream, by the nodes of a tree over the steps.

    Attributes
    ----------
    horizon : int
        How many steps there are.
    branching : int
        How many nodes of a level make one of the next.

    """

    branching: int

    @abstractmethod
    def digits(self, step: int) -> list[int]:
        """Return how many nodes of each level make a step, the lowest level first."""

    @property
    def levels(self) -> int:
        """How many levels have a node that is used within the horizon."""
        return len(self.digits(self.horizon))

    def aggregates(self) -> list[Aggregate]:
        """Return the counts of nodes: each row is in one of each level, at most."""
        rows = self.unit.max_rows
        reached = self._most_apart if self.unit.rows_may_become_others else self.levels
        l2 = rows * root_above(Fraction(reached))
        change = Change(Fraction(rows * reached), l2, rows * reached, self.unit.relation)
        return [Aggregate("nodes", change)]

    @property
    def _most_apart(self) -> int:
        """The most nodes that have one of two steps, or a step that is moved to none."""
        levels, highest = self.levels, self.digits(self.horizon)[-1]
        if highest > 1:
            return 2 * levels
        # The highest level has only one such node: it has both steps, or one step is behind it.
        rest = max(self.horizon - self.branching ** (levels - 1), 0)
        return max(2 * (levels - 1), levels + len(self.digits(rest)))


@recorded
@dataclass(frozen=True, repr=False)
class RunningQuery(TreeQuery):
    """The total after each step of a stream, by the nodes of a tree over the steps.

    Attributes
    ----------
    horizon : int
        How many steps there are.
    branching : int
        How many nodes of a level make one of the next.

    """

    strategy: ClassVar[str] = "tree"
    branchings: ClassVar[Sequence[int]] = range(2, 33)

    def stream(self) -> TreeStream:
        """Return the tree before the first step."""
        return TreeStream(self.part.noise, self.branching, self.node_variances)

    def digits(self, step: int) -> list[int]:
        """Return the digits of a step, the lowest one first."""
        found = []
        while step:
            step, digit = divmod(step, self.branching)
            found.append(digit)
        return found

    @property
    def node_variances(self) -> list[float]:
        """The variance of a node's count by its subtree, at each level, in variances of noise."""
        found = [1.0]
        for _ in range(self.levels - 1):
            found.append(parent_variance(self.branching * found[-1]))
        return found

    def squares(self, step: int) -> float:
        """Return the variance of the total after a step, in variances of the noise of a node."""
        return math.fsum(map(mul, self.digits(step), self.node_variances))

    @property
    def mean_squares(self) -> float:
        """The mean of `squares` over all steps."""
        total, block, steps = 0.0, 1, self.horizon + 1
        for variance in self.node_variances:  # the sum of a digit over all numbers up to horizon
            cycles, rest = divmod(steps, block * self.branching)
            digit, part = divmod(rest, block)
            digits = cycles * block * self.branching * (self.branching - 1) // 2
            digits += block * digit * (digit - 1) // 2 + digit * part
            total += variance * digits
            block *= self.branching
        return total / self.horizon

    @property
    def most_squares(self) -> float:
        """The largest of `squares` over all steps, or more where the horizon cuts it short."""
        found, prefix = 0.0, 0
        variances = self.node_variances
        # The largest is at the horizon, or where a digit is one less and all after it are largest.
        for height in range(self.levels - 1, -1, -1):
            block = self.branching**height
            digit = (self.horizon - prefix) // block
            if digit:
                lower = math.fsum((self.branching - 1) * v for v in variances[:height])
                found = max(found, self.squares(prefix) + (digit - 1) * variances[height] + lower)
            prefix += digit * block
        return max(found, self.squares(self.horizon))


class TreeStream:
    """The nodes that are not complete, between two steps.

    A node gets noise once, when its last step is over; a total is the sum of the nodes that make
    its steps.
    """

    __slots__ = ("_branching", "_counts", "_nodes", "_noise", "_sums", "_variances")

    def __init__(self, noise: Noise, branching: int, variances: list[float]) -> None:
        self._noise, self._branching, self._variances = noise, branching, variances
        levels = len(variances)
        self._nodes = [0] * levels  # complete nodes of each level, within the node above
        self._counts = [0] * levels  # the exact sum of their counts
        self._sums = [0.0] * levels  # of their noisy counts

    def step(self, exact: int, rng: Generator | None) -> float:
        """End a step, and return the released total."""
        variances = self._variances
        nodes, counts, sums = self._nodes.copy(), self._counts.copy(), self._sums.copy()
        noisy, below = 0.0, 0.0  # the estimate by the nodes below, and the sum of their variances
        for height, variance in enumerate(variances):
            drawn = self._noise.release(exact, rng=rng)
            noisy = drawn * variance + (noisy * variance / below if height else 0.0)
            nodes[height] += 1
            counts[height] += exact
            sums[height] += noisy
            if nodes[height] < self._branching or height == len(variances) - 1:
                break
            exact, noisy, below = counts[height], sums[height], self._branching * variance
            nodes[height], counts[height], sums[height] = 0, 0, 0.0
        # All or nothing: a step that an error cut short would be counted again by the next call.
        self._nodes, self._counts, self._sums = nodes, counts, sums
        return math.fsum(sums)
