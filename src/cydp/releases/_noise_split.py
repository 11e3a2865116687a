# SPDX-License-Identifier: MIT
"""The parts of a release, and how its privacy is split among them. docs/releases/split.md."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cydp._numbers.intervals import sqrt_bounds
from cydp._numbers.rational import as_exact, float_of, log_of
from cydp._numbers.rounding import decimal_above, decimal_below
from cydp.accounting._conversion import rho_of
from cydp.accounting._dominating_pairs import SMOOTH2
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.mechanisms._gaussian import DiscreteGaussian
from cydp.mechanisms._gaussian_calibration import normal_variance
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.releases._terms import of_public_keys
from cydp.releases._unit import Change, Unit

__all__ = [
    "ALONE",
    "Aggregate",
    "Joint",
    "Moves",
    "Part",
    "RowMoves",
    "Size",
    "joint_of",
    "log_noise",
    "moves_of_tables",
    "size_of",
    "split_privacy",
]


_Noise: TypeAlias = DiscreteLaplace | DiscreteGaussian

_LEAST = 5e-324  # a variance that is below it is 0 as a float
_ANY_NUMBER = 2**62  # of answers, as the calibration counts them


class Joint(NamedTuple):
    """What all parts cost together, as a share of the sum of what each can cost alone.

    Attributes
    ----------
    epsilon : Fraction
        For pure parts.
    rho : Fraction
        For parts that split rho, and for Gaussian noise that is calibrated for all of them.

    """

    epsilon: Fraction
    rho: Fraction


ALONE = Joint(Fraction(1), Fraction(1))
"""One unit can change all parts at once, each of them as far as it can."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Exact answers, before their noise is chosen.

    Attributes
    ----------
    name : str
        The name of the answers, such as "count" or "sum_income".
    change : Change
        How far one unit can change the answers, or the scores of a choice.
    step : Fraction
        One step of an answer, which is an integer, in the unit of the data.
    weight : Fraction
        The share of the privacy is this, over the sum of all weights.
    q : Fraction or None
        The quantile that the exponential mechanism chooses; None: noise is added.
    level : str
        Choices of one level cost together what one of them costs: they have the same weight, which
        counts once. "": it costs its own.

    """

    name: str
    change: Change
    step: Fraction = Fraction(1)
    weight: Fraction = Fraction(1)
    q: Fraction | None = None
    level: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """An aggregate with its noise.

    Attributes
    ----------
    name : str
    mechanism : DiscreteLaplace, DiscreteGaussian or QuantileMechanism
        The noise, in steps.
    step : Fraction
        One step in the unit of the data.
    share : Fraction
        The weight over the sum of all weights. What the part costs alone is this share of epsilon
        (for pure releases) or of rho, over what all of them cost together (`Joint`).
    change : Change
    level : str
        Parts of one level cost together what one of them costs, and have one share.
    least : int or None
        The least noisy answer that is released; None: all are, whatever they are.

    """

    name: str
    mechanism: _Noise | QuantileMechanism
    step: Fraction
    share: Fraction
    change: Change
    level: str = ""
    least: int | None = None

    @property
    def noise(self) -> _Noise:
        """The mechanism that adds noise."""
        if isinstance(self.mechanism, QuantileMechanism):
            raise TypeError(f"{self.name} is chosen, and no noise is added to it: see choice")
        return self.mechanism

    @property
    def choice(self) -> QuantileMechanism:
        """The mechanism that chooses."""
        if not isinstance(self.mechanism, QuantileMechanism):
            raise TypeError(f"{self.name} has noise added, and is not chosen: see noise")
        return self.mechanism

    @property
    def variance(self) -> float:
        """Variance of the noise, in the square of the unit of the data."""
        return self.noise.variance * float_of(self.step**2)

    def lower_end(self, noisy: Any, bound: Any) -> Any:
        """Return the least exact answers, in steps, from noisy ones and the error bound of noise.

        Just above a threshold it is 1: the noise may have decided that the answer is released.
        """
        if self.least is None:
            return noisy - bound
        return np.where(noisy > self.least + bound, noisy - bound, 1)


def split_privacy(
    privacy: Loss, aggregates: Sequence[Aggregate], joint: Joint = ALONE
) -> tuple[dict[str, Part], Loss]:
    """Return the parts by name, and the loss of all of them together.

    Pure releases split epsilon, zCDP releases rho. The Gaussian noise of an (epsilon, delta) is
    calibrated once for all parts together.

    Parameters
    ----------
    privacy : loss
    aggregates : sequence of Aggregate
    joint : Joint
        The cost of all together, as a share of the sum of what each can cost alone.

    Raises
    ------
    TypeError
        For a rho with a delta, which only a selection of keys spends.
    ValueError
        If no noise fits: its scale would be too small or too large for the sampler.

    """
    if not aggregates:
        return {}, privacy
    privacy = of_public_keys(privacy)
    total = sum((each.weight for each in _one_of_each_level(aggregates)), Fraction(0))
    shares = [as_exact(aggregate.weight / total) for aggregate in aggregates]
    loss: Loss = privacy
    if isinstance(privacy, PureDP):
        mechanisms = [
            _pure(privacy.epsilon * share / joint.epsilon, aggregate)
            for aggregate, share in zip(aggregates, shares, strict=True)
        ]
    elif isinstance(privacy, ZCDP):
        mechanisms = _split_rho(privacy.rho / joint.rho, aggregates, shares)
    else:
        mechanisms, loss = _approximate(privacy, aggregates, shares, joint)
    parts = {
        each.name: Part(each.name, mechanism, each.step, share, each.change, each.level)
        for each, mechanism, share in zip(aggregates, mechanisms, shares, strict=True)
    }
    if len(parts) < len(aggregates):
        raise ValueError("two parts of the release have one name: rename a column")
    return parts, loss


def _one_of_each_level(aggregates: Sequence[Aggregate]) -> list[Aggregate]:
    """Return the aggregates with one choice for each level: that which a row can move furthest."""
    found: dict[str, Aggregate] = {}
    for each in aggregates:
        key = each.level or each.name
        if key not in found or _reach(each) > _reach(found[key]):
            found[key] = each
    return [*found.values()]


def _reach(aggregate: Aggregate) -> Fraction:
    return Fraction(0) if aggregate.q is None else max(aggregate.q, 1 - aggregate.q)


def log_noise(parts: Mapping[str, Part]) -> float:
    """Return how noisy parts are: the sum of the logarithms of their variances, in the data's unit.

    A choice counts by the square of its scale, in ranks.
    """
    return sum(
        2 * log_of(part.mechanism.scale)
        if isinstance(part.mechanism, QuantileMechanism)
        else math.log(part.mechanism.variance or _LEAST) + 2 * log_of(part.step)
        for part in parts.values()
    )


def _pure(epsilon: Fraction, aggregate: Aggregate) -> _Noise | QuantileMechanism:
    norm = aggregate.change.sensitivity(1)
    if aggregate.q is not None:
        return QuantileMechanism(epsilon=epsilon, sensitivity=norm, q=aggregate.q)
    return DiscreteLaplace(epsilon=epsilon, sensitivity=norm)


def _split_rho(
    rho: Fraction, aggregates: Sequence[Aggregate], shares: Sequence[Fraction]
) -> list[_Noise | QuantileMechanism]:
    return [
        _of_rho(rho * share, aggregate) for aggregate, share in zip(aggregates, shares, strict=True)
    ]


def _of_rho(rho: Fraction, aggregate: Aggregate) -> _Noise | QuantileMechanism:
    change = aggregate.change
    if aggregate.q is None:
        return DiscreteGaussian(rho=rho, sensitivity=change.sensitivity(2))
    # A choice with rate r and a score that changes by d costs (2 r d)**2 / 8, so that all choices
    # cost r**2 l2**2 / 2; in pure DP they cost 2 r l1.
    norm = change.sensitivity(1)
    epsilon = 2 * sqrt_bounds(2 * rho)[0] / change.sensitivity(2) * Fraction(norm)
    return QuantileMechanism(
        epsilon=decimal_below(Fraction(epsilon)), sensitivity=norm, q=aggregate.q
    )


def _approximate(
    privacy: ApproxDP, aggregates: Sequence[Aggregate], shares: Sequence[Fraction], joint: Joint
) -> tuple[list[_Noise | QuantileMechanism], Loss]:
    """Return mechanisms that together have an (epsilon, delta), and their loss."""
    epsilon, delta, relation = privacy.epsilon, privacy.delta, privacy.relation
    if len(aggregates) == 1 and aggregates[0].q is None:
        change = aggregates[0].change
        alone = DiscreteGaussian(
            epsilon=epsilon,
            delta=delta,
            sensitivity=change.sensitivity(2),
            coordinates=change.coordinates,
        )
        return [alone], alone.loss
    if all(aggregate.q is not None for aggregate in aggregates):
        pure = [
            _pure(epsilon * share / joint.epsilon, aggregate)
            for aggregate, share in zip(aggregates, shares, strict=True)
        ]
        by_rho = _split_rho(rho_of(epsilon, delta) / joint.rho, aggregates, shares)
        # Take the one that prefers good points more: for few choices it is pure DP.
        first, second = pure[0], by_rho[0]
        assert isinstance(first, QuantileMechanism)
        assert isinstance(second, QuantileMechanism)
        if first.epsilon >= second.epsilon:
            return pure, PureDP(epsilon, relation=relation)
    rho = rho_of(epsilon, delta)
    variance = normal_variance(epsilon, delta, _ANY_NUMBER)
    norms = [aggregate.change.sensitivity(2) for aggregate in aggregates]
    squares = [
        joint.rho * Fraction(norm) ** 2 / share for norm, share in zip(norms, shares, strict=True)
    ]
    has_choice = any(aggregate.q is not None for aggregate in aggregates)
    if (
        has_choice
        or variance is None
        # Discrete noise is as private as normal noise with a variance that is less by SMOOTH2.
        or any(variance * square + SMOOTH2 > square / (2 * rho) for square in squares)
    ):
        loss = ApproxDP(epsilon, delta, rho=rho, relation=relation)
        return _split_rho(rho / joint.rho, aggregates, shares), loss
    stacked = [
        DiscreteGaussian(sigma2=variance * square + SMOOTH2, sensitivity=norm)
        for norm, square in zip(norms, squares, strict=True)
    ]
    # One unit changes the sum of the squares, each over its variance, by 1 / variance at most.
    spent = min(sum((each.rho for each in stacked), Fraction(0)), 1 / (2 * variance))
    spent = decimal_above(spent)
    return [*stacked], ApproxDP(epsilon, delta, rho=spent, relation=relation)


class Size(NamedTuple):
    """How far a row moves a part: the L1 norm, and the square of the L2 norm, in steps."""

    l1: Fraction
    square: Fraction


Moves: TypeAlias = Mapping[str, Size]
"""How far one row moves the parts at once, at most, by their names; others it does not move."""


@dataclass(frozen=True, slots=True)
class RowMoves:
    """What one row can do to the parts of a release, in one partition.

    Attributes
    ----------
    comes : Moves
        The moves by a row that comes, goes, or ceases to count.
    becomes : sequence of sequences of Moves
        The moves by a row that becomes another: each inner sequence has a move that is no smaller
        than what the row does to these parts.
    cells : int or None
        How many partitions there are: 1 for answers without partitions; None: it is not public.

    """

    comes: Moves
    becomes: Sequence[Sequence[Moves]]
    cells: int | None = 1


def size_of(distance: Fraction | int) -> Size:
    """Return the size of the move of one number."""
    return Size(Fraction(distance), Fraction(distance) ** 2)


def moves_of_tables(cells: Mapping[str, int]) -> RowMoves:
    """Return what a row does to tables, by their names: it is in one cell of each."""
    moved = {name: Size(Fraction(2), Fraction(2)) for name, each in cells.items() if each > 1}
    return RowMoves(dict.fromkeys(cells, size_of(1)), [[moved]])


def joint_of(unit: Unit, aggregates: Sequence[Aggregate], moves: RowMoves) -> Joint:
    """Return what all parts cost together, as a share of the sum of what each can cost alone.

    Parameters
    ----------
    unit : Unit
        Its rows may become others.
    aggregates : sequence of Aggregate
        With the weights by which they share the privacy.
    moves : RowMoves

    """
    aggregates = _one_of_each_level(aggregates)
    if len(aggregates) < 2:
        return ALONE
    of_row = {
        each.name: Size(each.change.l1 / unit.max_rows, (each.change.l2 / unit.max_rows) ** 2)
        for each in aggregates
    }
    return Joint(*(_largest(unit, aggregates, moves, of_row, norm) for norm in range(2)))


def _largest(
    unit: Unit,
    aggregates: Sequence[Aggregate],
    moves: RowMoves,
    of_row: Mapping[str, Size],
    norm: int,
) -> Fraction:
    """Return the largest sum of weighted sizes, each divided by the largest one of its part."""
    reached = unit.reached(moves.cells)

    def largest(weights: Mapping[str, Fraction]) -> Fraction:
        def cost(move: Moves) -> Fraction:
            return sum(
                (weights[name] * size[norm] for name, size in move.items() if name in weights),
                Fraction(0),
            )

        comes = cost(moves.comes)
        becomes = sum((max(map(cost, each)) for each in moves.becomes), Fraction(0))
        # If the rows of a partition cease to count, it moves as with rows of one neighbour alone.
        return max(both * becomes + one * comes for both, one in reached)

    total = sum((each.weight for each in aggregates), Fraction(0))
    weights = {}
    for each in aggregates:
        alone = min(largest({each.name: Fraction(1)}), of_row[each.name][norm])
        if alone:
            weights[each.name] = each.weight / total / alone
    # Where nothing can change, no part needs more than its share.
    return min(decimal_above(largest(weights)) or Fraction(1), Fraction(1))
