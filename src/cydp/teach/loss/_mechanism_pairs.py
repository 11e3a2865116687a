# SPDX-License-Identifier: MIT
"""The distribution pairs of losses and of mechanisms. docs/teach/loss.md, "Which pair"."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._numbers.rational import float_of
from cydp.accounting import ApproxDP, Loss, PureDP
from cydp.mechanisms import DiscreteGaussian, DiscreteLaplace
from cydp.teach.loss._continuous import LaplaceNoise, NormalNoise
from cydp.teach.loss._distribution_pair import (
    LEAST_DELTA,
    DistributionPair,
    Floats,
    TablePair,
    exact_floats,
)

__all__ = [
    "binomial_pair",
    "equal_pair",
    "gaussian_pair",
    "laplace_pair",
    "loss_pair",
    "response_pair",
    "sampled_pair",
    "selection_pair",
]

_LEAST = 1e-300  # below it, probabilities have lost digits
_MOST_POINTS = 2**19  # of a table
_SCALES = 40  # of Laplace noise in a table; what is beyond has one loss on each side
_SIGMAS = 37  # of Gaussian noise in a table, beyond which there is less than 1e-298
_POINTS = 2**15  # in which continuous losses are tabulated
_WIDTH = 20  # standard deviations that this table spans
_TAIL = 1e-27  # the probability of normal losses that it leaves out: beyond 11 standard deviations
_MISSING = 1e-12  # of the probabilities of a table: more must not be missing
_LARGE = 30.0  # nats, beyond which e**loss is not computed
_LEAST_SHARE = 1e-300  # a larger share costs no less


def equal_pair() -> TablePair:
    """Return P = Q: an output that reveals nothing."""
    return TablePair(
        outputs=["nothing"], p=np.ones(1), q=np.ones(1), losses=np.zeros(1),
        first=Fraction(0), steps=np.zeros(1, np.int64),
    )  # fmt: skip


def loss_pair(loss: Loss) -> DistributionPair:
    """Return the pair that stands for a loss: of the same epsilon and delta, or the same rho."""
    if not isinstance(loss, PureDP | ApproxDP):
        end = math.sqrt(2 * float_of(loss.rho))
        return NormalNoise(0.0, end, loss.rho) if loss.rho else equal_pair()
    delta = float_of(loss.delta) if isinstance(loss, ApproxDP) else 0.0
    epsilon = float_of(loss.epsilon)
    if not loss.epsilon and not delta:
        return equal_pair()
    odds = np.array([1 / (1 + math.exp(-epsilon)), math.exp(-epsilon) / (1 + math.exp(-epsilon))])
    p, outputs = (1 - delta) * odds, ["likelier on D", "likelier on D'"]
    losses, steps = np.array([epsilon, -epsilon]), np.array([1, 0])
    q = p[::-1]
    if delta:
        outputs = ["only on D", *outputs, "only on D'"]
        p, q = np.array([delta, *p, 0.0]), np.array([0.0, *q, delta])
        losses = np.array([math.inf, *losses, -math.inf])
        steps = np.array([0, *steps, 0])
    return TablePair(
        outputs=outputs, p=p, q=q, losses=losses, first=-loss.epsilon,
        step=2 * loss.epsilon or Fraction(1), steps=steps if loss.epsilon else 0 * steps,
    )  # fmt: skip


def response_pair(
    truth: int, other: int, epsilon: Fraction, p: Floats, q: Floats
) -> DistributionPair:
    """Return the reports of randomized response for two true categories, of probabilities p, q."""
    n = len(p)
    if truth == other:
        return equal_pair()
    steps = np.ones(n, np.int64)
    steps[truth], steps[other] = 2, 0
    return TablePair(
        outputs=np.arange(n), p=p, q=q, losses=float_of(epsilon) * (steps - 1.0),
        first=-epsilon, step=epsilon, steps=steps,
    )  # fmt: skip


def selection_pair(p: Floats, q: Floats, epsilon: Fraction) -> DistributionPair:
    """Return the candidates with their probabilities; rounding takes no loss beyond epsilon."""
    most = float_of(epsilon)
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.nan_to_num(np.log(p) - np.log(q), nan=0.0, posinf=most, neginf=-most)
    is_cut = bool(min(p.min(), q.min()) < _LEAST)
    return TablePair(
        outputs=np.arange(len(p)), p=p, q=q, losses=np.clip(losses, -most, most),
        largest=most if is_cut else None, least=-most if is_cut else None,
    )  # fmt: skip


def binomial_pair(p: float, q: float, n: int) -> DistributionPair:
    """Return how many of n partitions are kept, each with probability p or q."""
    kept = np.arange(n + 1)
    losses = np.zeros(n + 1)
    for times, one, other in ((kept, p, q), (n - kept, 1 - p, 1 - q)):
        with np.errstate(invalid="ignore"):  # NaN where neither has the output
            losses = losses + _times(times, _log(one)) - _times(times, _log(other))
    chances = [
        _binomial_logs(n) + _times(kept, _log(c)) + _times(n - kept, _log(1 - c)) for c in (p, q)
    ]
    masses = [np.exp(logs) for logs in chances]
    there = (masses[0] > 0) | (masses[1] > 0)
    reached = [losses[np.isfinite(logs)] for logs in chances]
    return TablePair(
        outputs=kept[there], p=masses[0][there], q=masses[1][there], losses=losses[there],
        largest=float(reached[0].max()), least=float(reached[1].min()),
    )  # fmt: skip


def _binomial_logs(n: int) -> Floats:
    factorials = np.append(0.0, np.cumsum(np.log(np.arange(1.0, n + 1))))
    logs: Floats = factorials[-1] - factorials - factorials[::-1]
    return logs


def _log(chance: float) -> float:
    return math.log(chance) if chance else -math.inf


def _times(counts: Any, log: float) -> Floats:
    """Return counts * log, which is 0 for a count of 0."""
    with np.errstate(invalid="ignore"):
        return np.where(counts == 0, 0.0, counts * log)


def laplace_pair(start: int, end: int, scale: Fraction) -> DistributionPair:
    """Return discrete Laplace noise around two integers."""
    distance = abs(end - start)
    noise = DiscreteLaplace(epsilon=1 / scale, sensitivity=1)
    wide = math.ceil(_SCALES * scale) + 1
    if 2 * wide + distance + 1 > _MOST_POINTS:
        return LaplaceNoise(float(start), float(end), distance / scale)
    k = np.arange(-wide, distance + wide + 1)  # from the start towards the end
    steps = distance - np.clip(k, 0, distance)
    first, step = -distance / scale, 2 / scale
    edge = float_of(distance / scale)
    beyond = [noise.cdf(-wide - 1 - shift) for shift in (0, distance)]
    return TablePair(
        outputs=_outputs(start, end, k), p=noise.pmf(k), q=noise.pmf(k - distance),
        losses=exact_floats(first, step, steps), first=first, step=step, steps=steps,
        rest=((beyond[0], beyond[1], edge), (beyond[1], beyond[0], -edge)) if distance else (),
    )  # fmt: skip


def gaussian_pair(start: int, end: int, sigma2: Fraction) -> DistributionPair:
    """Return discrete Gaussian noise around two integers."""
    distance = abs(end - start)
    noise = DiscreteGaussian(sigma2=sigma2, sensitivity=1)
    wide = math.ceil(_SIGMAS * math.sqrt(float_of(sigma2))) + 1
    if 2 * wide + distance + 1 > _MOST_POINTS:
        return NormalNoise(float(start), float(end), distance**2 / (2 * sigma2))
    k = np.arange(-wide, distance + wide + 1)
    steps = k[-1] - k if distance else np.zeros_like(k)
    step = distance / sigma2 or Fraction(1)
    first = (distance**2 - 2 * distance * int(k[-1])) / (2 * sigma2)
    return TablePair(
        outputs=_outputs(start, end, k), p=noise.pmf(k), q=noise.pmf(k - distance),
        losses=exact_floats(first, step, steps), first=first, step=step, steps=steps,
        largest=math.inf if distance else 0.0, least=-math.inf if distance else 0.0,
    )  # fmt: skip


def _outputs(start: int, end: int, k: Any) -> Any:
    return start + (k if end >= start else -k)


def sampled_pair(pair: DistributionPair, share: Fraction) -> DistributionPair:
    """Return share P + (1 - share) Q, for a table with the row, and Q, for one without it."""
    q = max(float_of(share), _LEAST_SHARE)  # rounded to 1, it costs no less either
    if q == 1:
        return pair
    table = pair if isinstance(pair, TablePair) else _tabulate(pair)
    _check_masses(table)
    losses = _mix(table.losses, q)
    largest, least = (
        None if each is None else _mix(np.array([each]), q).item()
        for each in (table.largest, table.least)
    )
    return TablePair(
        outputs=table.outputs, losses=losses,
        p=q * table.p + (1 - q) * table.q, q=table.q, largest=largest, least=least,
        rounding=table.rounding, slack=table.slack, least_delta=table.least_delta,
        rest=tuple(
            (q * p + (1 - q) * other, other, _mix(np.array([loss]), q).item())
            for p, other, loss in table.rest
        ),
    )  # fmt: skip


def _check_masses(table: TablePair) -> None:
    """Refuse losses so large that floats hold only a part of what P or Q gives."""
    for side in (0, 1):
        listed = (table.p, table.q)[side].sum() + sum(row[side] for row in table.rest)
        if abs(listed - 1) > _MISSING:
            raise ValueError(
                "cost must lose less where it is sampled: floats do not hold the probabilities of "
                "losses of hundreds of nats"
            )


def _mix(losses: Any, q: float) -> Floats:
    """Return ln(q e**L + 1 - q)."""
    small, large = np.minimum(losses, _LARGE), np.maximum(losses, _LARGE)
    mixed: Floats = np.where(
        losses < _LARGE,
        np.log1p(q * np.expm1(small)),
        large + math.log(q) + np.log1p((1 - q) / q * np.exp(-large)),
    )
    return mixed


def _tabulate(pair: DistributionPair) -> TablePair:
    """Return continuous losses on a grid, which is at least as far apart."""
    width = pair.mean + _WIDTH * math.sqrt(pair.variance)
    step = Fraction(2) ** math.ceil(math.log2(width / _POINTS))
    found = pair.spread(step)
    slack = 0.0 if math.isfinite(pair.supremum) else _TAIL
    losses = float_of(found.origin) + float_of(step) * np.arange(len(found.p))
    return TablePair(
        outputs=losses, p=found.p, q=found.q, losses=losses, largest=pair.supremum,
        least=-pair.supremum, rounding=float_of(step), slack=slack,
        least_delta=10 * slack or LEAST_DELTA,
    )  # fmt: skip
