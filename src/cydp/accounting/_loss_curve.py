# SPDX-License-Identifier: MIT
"""The privacy profile of a loss on a grid: bounds of delta over epsilon, and back.

docs/accounting/plans.md, "Privacy loss distributions", has the proofs.
"""

from __future__ import annotations

import math

import numpy as np

from cydp.accounting._loss_grid import ROUNDING, LossGrid
from cydp.accounting._normal_profile import SMOOTH, SMOOTH_SHARE

__all__ = ["MARGIN", "LossCurve", "LowerCurve"]

MARGIN = 1e-12  # relative, of a sum of positive numbers, and of an epsilon
_CLOSE = 2.0**-44  # of epsilon: the width at which a bisection ends
_TAILS = 1e-7, 1e-13  # tilted masses that may be moved farther than is counted; both are tried
_MOST_GROWN = 600.0  # nats: a mass that moving makes larger by more is no longer a float
_RAMP = 1.5  # half of how far a test grows, in distances that losses are moved


class LossCurve:
    """Upper ends.

    Parameters
    ----------
    grid : LossGrid
        At least the loss.
    is_smooth : bool
        Whether normal noise stands for noise on integers.

    """

    __slots__ = ("_grid", "_log_worst", "_losses", "_margin", "_smooth")

    def __init__(self, grid: LossGrid, is_smooth: bool) -> None:
        self._grid = grid
        self._smooth = float(SMOOTH) if is_smooth else 0.0
        self._margin = MARGIN + (float(SMOOTH_SHARE) if is_smooth else 0.0)
        self._losses = grid.step * (grid.first + np.arange(len(grid.masses), dtype=np.float64))
        # The logarithm of the largest exp(-tilt x) (1 - exp(-x)).
        tilt = grid.tilt
        self._log_worst = -tilt * math.log1p(1 / tilt) - math.log1p(tilt)

    def log_delta(self, epsilon: float) -> float:
        """Return ln of the sum of P(loss) max(0, 1 - e**(epsilon - loss)), and of its error."""
        # So that all gaps are at least as large as they are.
        at = epsilon * (1 - 4 * ROUNDING) - self._smooth
        found = self._sum_beyond(at)
        found += self._grid.error * math.exp(self._log_worst)
        return (
            self._scale(at) + math.log(found) + self._rounding(at) if math.isfinite(found) else 0.0
        )

    def epsilon(self, log_delta: float) -> float | None:
        """Return an epsilon >= 0 at which delta is at most this one; None if none is known."""
        low, high = 0.0, max(float(self._losses[-1]), 0.0)
        if self.log_delta(low) <= log_delta:
            return 0.0
        for _ in range(60):
            if self.log_delta(high) <= log_delta:
                break
            low, high = high, 1.25 * high
        else:
            return None
        return self._between(low, high, log_delta)[1] * (1 + MARGIN)

    def _sum_beyond(self, at: float) -> float:
        """Return the sum of masses exp(-tilt gap) (1 - exp(-gap)) of losses above `at`."""
        first = int(np.searchsorted(self._losses, at, side="right"))
        gaps, grid = self._losses[first:] - at, self._grid
        return float((grid.masses[first:] * np.exp(-grid.tilt * gaps) * -np.expm1(-gaps)).sum())

    def _scale(self, at: float) -> float:
        return self._grid.log_scale - self._grid.tilt * at

    def _rounding(self, at: float) -> float:
        """Return a bound of the rounding of ln(delta)."""
        grid = self._grid
        return self._margin + 64 * ROUNDING * (abs(grid.log_scale) + abs(grid.tilt * at))

    def _between(self, low: float, high: float, log_delta: float) -> tuple[float, float]:
        """Return two close epsilons, of which one has a larger delta than the other."""
        while high - low > high * _CLOSE:
            middle = (low + high) / 2
            low, high = (low, middle) if self.log_delta(middle) <= log_delta else (middle, high)
        return low, high


class LowerCurve(LossCurve):
    """Lower ends.

    Parameters
    ----------
    grid : LossGrid
        With bounds of how far its losses were moved.
    is_smooth : bool
    is_exact : bool
        Whether no loss was moved.

    """

    __slots__ = ("_moves",)

    def __init__(self, grid: LossGrid, is_smooth: bool, is_exact: bool) -> None:
        super().__init__(grid, is_smooth)
        most, left = max(grid.log_moved), grid.rate - 1 - grid.tilt
        excess = most - grid.log_scale + 64 * ROUNDING * (abs(grid.log_scale) + abs(most))
        # How far losses were moved, but for a tilted mass that is moved farther.
        self._moves = [(0.0, 0.0)] if is_exact else []
        if not is_exact and left > 0 and math.isfinite(excess):
            self._moves += [((excess - math.log(tail / 2)) / left, tail) for tail in _TAILS]

    def log_delta(self, epsilon: float) -> float:
        """Return ln of a sum of which no part is too large; -inf if that is not above 0."""
        # So that all gaps are at most as large as they are.
        at = epsilon * (1 + 4 * ROUNDING) + self._smooth
        return max((self._log_delta(at, *each) for each in self._moves), default=-math.inf)

    def _log_delta(self, at: float, move: float, tail: float) -> float:
        """Return ln of what a test gains that rejects more and more often around `at`."""
        grid, half = self._grid, _RAMP * move
        if half + move * (1 + grid.tilt) > _MOST_GROWN:
            return -math.inf
        first = int(np.searchsorted(self._losses, at - half - move, side="right"))
        gaps = self._losses[first:] - (at - half)
        masses = grid.masses[first:] * np.exp(-grid.tilt * gaps)
        rejects = np.clip(gaps / (2 * half), 0, 1) if move else gaps > 0
        gains = masses * rejects * -np.expm1(half - gaps)
        slope = math.expm1(move) / (2 * _RAMP)
        lost = float(slope * (masses * np.exp(half - gaps))[gaps <= 2 * half + move].sum())
        wrong = math.exp(self._log_worst) + math.expm1(half)
        wrong += slope * math.exp(half + move * (1 + grid.tilt))
        lost += grid.error * wrong + tail * math.exp(half) - float(np.minimum(gains, 0).sum())
        found = float(np.maximum(gains, 0).sum()) * (1 - MARGIN) - lost * (1 + MARGIN)
        if not (found > 0 and math.isfinite(found)):
            return -math.inf
        return self._scale(at - half) + math.log(found) - self._rounding(at)

    def epsilon_below(self, near: float, log_delta: float) -> float:
        """Return an epsilon from 0 to `near` at which delta is at least this one, or 0."""
        low, step = near, max(near, 1.0) * _CLOSE
        while self.log_delta(low) <= log_delta:
            if low == 0:
                return 0.0
            low, step = max(near - step, 0.0), 2 * step
        return self._between(low, near, log_delta)[0] * (1 - MARGIN)
