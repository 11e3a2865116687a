# SPDX-License-Identifier: MIT
"""The query of `RunningCounts`, from its public parameters alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from cydp._numbers.rational import read_integer
from cydp.releases._answers import Answer
from cydp.releases._noise_split import Aggregate
from cydp.releases._query import Given, Query
from cydp.releases._release import recorded
from cydp.releases._terms import read_terms, terms_of
from cydp.releases._unit import Change, root_above
from cydp.workloads._chernoff_bounds import SumsAnswer, Terms
from cydp.workloads._tree import parent_variance

_MOST_STEPS = 2**40

__all__ = ["RunningQuery"]


@recorded
@dataclass(frozen=True, repr=False)
class RunningQuery(Query):
    """The total after each step of a stream, by the nodes of a tree over the steps.

    Attributes
    ----------
    horizon : int
        How many steps there are.
    branching : int
        How many nodes of a level make one of the next.

    """

    function: ClassVar[str] = "RunningCounts"

    horizon: int
    branching: int

    @classmethod
    def of(cls, given: Given, source: None) -> Query:
        """Return the query of a stream: with the best tree, unless its branching was given."""
        steps, width = read_integer(given["horizon"], "horizon"), given["branching"]
        if not 1 <= steps <= _MOST_STEPS:
            raise ValueError(f"horizon must be from 1 to 2**40, not {steps}")
        terms = terms_of({**given, "user": None, "max_rows": None}, cls.bounded)
        privacy, unit = read_terms(terms, cls.bounded)
        if width is None:
            tried = [
                cls.least_noisy(privacy, unit, given["noise"], steps, each) for each in range(2, 33)
            ]
            return min(tried, key=lambda query: query.mean_variance)
        width = read_integer(width, "branching")
        if not 2 <= width <= _MOST_STEPS:
            raise ValueError(f"branching must be from 2 to 2**40, not {width}")
        return cls.least_noisy(privacy, unit, given["noise"], steps, width)

    def answers(self) -> list[Answer]:
        """Return the totals."""
        return [SumsAnswer("totals", self.horizon, "rows", (self.terms,))]

    @property
    def terms(self) -> Terms:
        """The noise in a total, at most, whatever the step."""
        return Terms(self.parts["nodes"].noise, np.array(self.most_squares))

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
        highest, rest = divmod(self.horizon, self.branching ** (self.levels - 1))
        if highest > 1:
            return 2 * self.levels
        # The highest level has only one such node: it has both steps, or one step is behind it.
        return max(2 * (self.levels - 1), self.levels + _levels(rest, self.branching))

    @property
    def levels(self) -> int:
        """How many levels have a node that is complete within the horizon."""
        return _levels(self.horizon, self.branching)

    @property
    def node_variances(self) -> list[float]:
        """The variance of a node's count by its subtree, at each level, in variances of noise."""
        found = [1.0]
        for _ in range(self.levels - 1):
            found.append(parent_variance(self.branching * found[-1]))
        return found

    def squares(self, step: int) -> float:
        """Return the variance of the total after a step, in variances of the noise of a node."""
        total = 0.0
        for variance in self.node_variances:
            step, digit = divmod(step, self.branching)
            total += digit * variance
        return total

    @property
    def mean_variance(self) -> float:
        """The mean variance of the totals after all steps, in squared records."""
        total, block, steps = 0.0, 1, self.horizon + 1
        for variance in self.node_variances:  # the sum of a digit over all numbers up to horizon
            cycles, rest = divmod(steps, block * self.branching)
            digit, part = divmod(rest, block)
            digits = cycles * block * self.branching * (self.branching - 1) // 2
            digits += block * digit * (digit - 1) // 2 + digit * part
            total += variance * digits
            block *= self.branching
        return total / self.horizon * self.parts["nodes"].variance

    @property
    def expected_error(self) -> float:
        """The root of `mean_variance`: the typical error of a total, in records."""
        return math.sqrt(self.mean_variance)

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


def _levels(steps: int, branching: int) -> int:
    """Return how many levels have a node that is complete: the digits of a number of steps."""
    levels = 0
    while steps:
        levels, steps = levels + 1, steps // branching
    return levels
