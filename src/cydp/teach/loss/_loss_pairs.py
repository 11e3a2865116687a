# SPDX-License-Identifier: MIT
"""The pairs of losses, and of mechanisms that choose. docs/teach/loss.md, "Which pair"."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._numbers.rational import float_of
from cydp.accounting._loss import ApproxDP, Loss, PureDP
from cydp.teach.loss._continuous import NormalNoise
from cydp.teach.loss._pair import Floats, Pair, TablePair

__all__ = ["binomial_pair", "equal_pair", "loss_pair", "response_pair", "selection_pair"]

_LEAST = 1e-300  # below it, probabilities have lost digits


def equal_pair() -> TablePair:
    """Return P = Q: an output that tells nothing."""
    return TablePair(
        outputs=["nothing"], p=np.ones(1), q=np.ones(1), losses=np.zeros(1),
        first=Fraction(0), steps=np.zeros(1, np.int64),
    )  # fmt: skip


def loss_pair(loss: Loss) -> Pair:
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
    truth: int, other: int, epsilon: Fraction, p_truth: Fraction, p_other: Fraction, n: int
) -> Pair:
    """Return the reports of randomized response for two true categories."""
    p, q = np.full(n, float_of(p_other)), np.full(n, float_of(p_other))
    p[truth] = q[other] = float_of(p_truth)
    if truth == other:
        return equal_pair()
    steps = np.ones(n, np.int64)
    steps[truth], steps[other] = 2, 0
    return TablePair(
        outputs=np.arange(n), p=p, q=q, losses=float_of(epsilon) * (steps - 1.0),
        first=-epsilon, step=epsilon, steps=steps,
    )  # fmt: skip


def selection_pair(p: Floats, q: Floats, epsilon: Fraction) -> Pair:
    """Return the candidates with their probabilities; rounding takes no loss beyond epsilon."""
    most = float_of(epsilon)
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.nan_to_num(np.log(p) - np.log(q), nan=0.0, posinf=most, neginf=-most)
    is_cut = bool(min(p.min(), q.min()) < _LEAST)
    return TablePair(
        outputs=np.arange(len(p)), p=p, q=q, losses=np.clip(losses, -most, most),
        largest=most if is_cut else None, least=-most if is_cut else None,
    )  # fmt: skip


def binomial_pair(p: float, q: float, n: int) -> Pair:
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
