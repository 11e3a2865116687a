# SPDX-License-Identifier: MIT
"""The query of `RunningCounts`, whatever gets noise, from its public parameters alone."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from cydp._generator import Generator
from cydp._numbers.rational import read_integer
from cydp.mechanisms._gaussian import DiscreteGaussian
from cydp.mechanisms._laplace import MOST_UNSATURATED_SCALE, DiscreteLaplace
from cydp.releases._answers import Answer
from cydp.releases._noise_split import Part
from cydp.releases._query import Given, Query
from cydp.releases._terms import read_terms, terms_of
from cydp.workloads._chernoff_bounds import SumsAnswer, Terms

__all__ = ["Noise", "StreamQuery", "best_of"]

Noise: TypeAlias = DiscreteLaplace | DiscreteGaussian

_MOST_STEPS = 2**40


class Stream(Protocol):
    """A stream between two steps: the exact counts that will have noise, and noisy ones."""

    def step(self, exact: int, rng: Generator | None) -> float:
        """End a step, and return the released total; nothing changes if an error cuts it short."""
        ...


@dataclass(frozen=True, repr=False)
class StreamQuery(Query):
    """The total after each step of a stream, by sums of steps that have noise.

    Attributes
    ----------
    horizon : int
        How many steps there are.

    """

    function: ClassVar[str] = "RunningCounts"
    strategy: ClassVar[str]  # which sums have noise
    branchings: ClassVar[Sequence[int]] = ()  # of a tree: which are tried

    horizon: int

    @classmethod
    def of(cls, given: Given, source: None) -> StreamQuery:
        """Return the query of a stream: with the best branching, unless it was given."""
        steps, width = read_integer(given["horizon"], "horizon"), given["branching"]
        if not 1 <= steps <= _MOST_STEPS:
            raise ValueError(f"horizon must be from 1 to 2**40, not {steps}")
        if width is not None:
            if not cls.branchings:
                raise ValueError(f"branching is of trees: the strategy is {cls.strategy!r}")
            width = read_integer(width, "branching")
            if not 2 <= width <= _MOST_STEPS:
                raise ValueError(f"branching must be from 2 to 2**40, not {width}")
        written = terms_of({**given, "user": None, "max_rows": None}, cls.bounded)
        privacy, unit = read_terms(written, cls.bounded)
        widths = cls.branchings if width is None else [width]
        own = [[steps, each] for each in widths] or [[steps]]
        terms = privacy, unit, given["noise"]
        return best_of([partial(cls.least_noisy, *terms, *each) for each in own])

    @abstractmethod
    def stream(self) -> Stream:
        """Return the stream before its first step."""

    @abstractmethod
    def squares(self, step: int) -> float:
        """Return the variance of the total after a step, in variances of the noise."""

    @property
    @abstractmethod
    def mean_squares(self) -> float:
        """The mean of `squares` over all steps."""

    @property
    @abstractmethod
    def most_squares(self) -> float:
        """The largest of `squares` over all steps, or more."""

    def refuse_noise_that_stops(self) -> None:
        """Refuse noise that ends where int64 does, for sums to which it is added beyond int64.

        Raises
        ------
        ValueError
            For Laplace noise of a scale above 2**52.

        """
        noise = self.part.noise
        if isinstance(noise, DiscreteLaplace) and noise.scale > MOST_UNSATURATED_SCALE:
            raise ValueError(f"strategy cannot be {self.strategy!r}: the scale is above 2**52")

    @property
    def rounding_error(self) -> float:
        """How far a total may be off besides the noise, in records."""
        return 0.0

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What the query shows: its strategy, and its fields."""
        return {"strategy": self.strategy, **super().parameters}

    @property
    def part(self) -> Part:
        """The sums of steps that have noise."""
        (found,) = self.parts.values()
        return found

    @property
    def terms(self) -> Terms:
        """The noise in a total, at most, whatever the step."""
        return Terms(self.part.noise, np.array(self.most_squares))

    def variance(self, step: int) -> float:
        """Return the variance of the total after a step, in squared records."""
        return self.part.noise.variance * self.squares(step)

    @property
    def mean_variance(self) -> float:
        """The mean variance of the totals after all steps, in squared records."""
        return self.part.noise.variance * self.mean_squares

    @property
    def expected_error(self) -> float:
        """The root of `mean_variance`: the typical error of a total, in records."""
        return math.sqrt(self.mean_variance)

    def answers(self) -> list[Answer]:
        """Return the totals."""
        terms, rounding = (self.terms,), self.rounding_error
        return [SumsAnswer("totals", self.horizon, "rows", terms, rounding)]


def best_of(makers: Sequence[Callable[[], StreamQuery]]) -> StreamQuery:
    """Return the query of the least mean variance, of those for which there is a noise.

    Raises
    ------
    ValueError
        If there is a noise for none.

    """
    found, errors = [], []
    for make in makers:
        try:
            found.append(make())
        except ValueError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    return min(found, key=lambda query: query.mean_variance)
