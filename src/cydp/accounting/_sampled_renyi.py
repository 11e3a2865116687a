# SPDX-License-Identifier: MIT
"""Renyi divergences of noise on Poisson samples, at any real order above 1.

docs/accounting/renyi.md, "Noise on samples", has the proofs.
"""

from __future__ import annotations

import math

import numpy as np

from cydp._numbers.rational import float_of
from cydp.accounting._dominating_pairs import LaplacePair, SampledPair, normal_rho
from cydp.accounting._loss_grid import ROUNDING, Floats

__all__ = ["log_moment"]

_LEAST_ORDER = 1 + 2.0**-10  # below it, digits would be lost: divergences grow with the order
_LEAST_SHARE = 1e-150  # smaller shares are raised to this, whose square is a float
_BELOW_1 = 1 - 2.0**-53  # the largest float below 1
_WIDE = 13.0  # standard deviations beyond which there is less than 1e-36
_PER_PERIOD = 70.0  # e**-70 is nothing, also times all powers that it is multiplied by
_MOST_POINTS = 2**20
_LEAST_MOVE = 1e-100  # in standard deviations: a larger one never costs less
_MARGIN = 1e-9  # relative, of sums of positive numbers
_SMALL = 0.5  # below it, e**x - 1 - x is a series
_LARGE = 30.0  # nats: 1 is nothing beside the likelihood ratio
_TERMS = 20


def log_moment(pair: SampledPair, order: float) -> float:
    """Return at least (order - 1) times the Renyi divergence of one release.

    That is the one for a row that goes, which is no less than for one that comes.

    Parameters
    ----------
    pair : SampledPair
        A part 1 - q of the rows has the distribution Q, a part q has P.
    order : float
        Greater than 1.

    Returns
    -------
    float
        ln E_Q s**order, s = 1 - q + q r, r the likelihood ratio.

    """
    scale = 1.0
    if order < _LEAST_ORDER:
        scale, order = (order - 1) / (_LEAST_ORDER - 1), _LEAST_ORDER
    q = min(max(float_of(pair.share) * (1 + 2 * ROUNDING), _LEAST_SHARE), _BELOW_1)
    if isinstance(pair.pair, LaplacePair):
        found = _of_laplace(pair.pair, q, order)
    else:
        rho = normal_rho(pair.pair)
        found = math.inf if rho is None else _of_normal(float_of(rho), q, order)
    return scale * found


def _of_normal(rho: float, share: float, order: float) -> float:
    move = max(math.sqrt(2 * rho), _LEAST_MOVE)
    last = order * move + _WIDE
    strip = min(1.0, math.pi / (2 * move))
    step = 2 * math.pi * strip / _PER_PERIOD
    if not (last + _WIDE) / step <= _MOST_POINTS:  # also where floats overflow
        return order * (order - 1) * rho * (1 + _MARGIN)  # as without a sample
    z = step * np.arange(-math.ceil(_WIDE / step), math.ceil(last / step) + 1)
    logs = _log_excess(move * z - move**2 / 2, share, order) - z**2 / 2
    found = _log_sum(logs) + math.log(step) - math.log(2 * math.pi) / 2
    return _above(found, last**2)


def _of_laplace(pair: LaplacePair, share: float, order: float) -> float:
    rate, steps = float_of(pair.epsilon / pair.steps), pair.steps
    moved = np.arange(steps + 1, dtype=np.float64)
    inside = math.log(-math.expm1(-rate))
    losses = rate * (steps - 2 * moved)
    logs = -rate * moved + inside - math.log1p(math.exp(-rate))  # of P
    logs[[0, -1]] -= inside
    found = _log_sum(logs - losses + _log_excess(losses, share, order))
    return _above(found, order * rate * steps)


def _log_excess(losses: Floats, share: float, order: float) -> Floats:
    """Return ln(s**order - 1 - order (s - 1)), s = 1 - share + share e**losses.

    Under Q the mean of s is 1, so that this, in the mean, is what a moment is above 1. It is never
    negative.
    """
    change = share * np.expm1(np.minimum(losses, _LARGE))
    far = np.logaddexp(math.log1p(-share), math.log(share) + losses)
    u = np.where(losses < _LARGE, np.log1p(change), far)  # ln(s)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        # e**(order u) is the largest term, unless it is small.
        rest = np.exp(-order * u) * (1 - order) + order * np.exp(u - order * u)
        large = order * u + np.log1p(-rest)
        near = _second_order(order * u) - order * _second_order(u)
        return np.where(order * u > 1, large, np.log(np.maximum(near, 0)))


def _second_order(x: Floats) -> Floats:
    """Return e**x - 1 - x, to some units in the last place of it."""
    small = np.clip(x, -_SMALL, _SMALL)
    series = np.zeros_like(small)
    for n in range(_TERMS, 1, -1):
        series = (series + 1) * small / n if n > 2 else (series + 1) * small * small / 2
    return np.where(np.abs(x) <= _SMALL, series, np.expm1(x) - x)


def _log_sum(logs: Floats) -> float:
    top = float(logs.max())
    if not math.isfinite(top):
        return top
    return top + math.log(float(np.exp(logs - top).sum()))


def _above(log_excess: float, size: float) -> float:
    """Return ln(1 + e**log_excess), rounded up; numbers of this size were rounded on the way."""
    raised = log_excess + _MARGIN + 16 * ROUNDING * size
    if math.isnan(raised):
        return math.inf
    return float(np.logaddexp(0, raised)) * (1 + 4 * ROUNDING)
