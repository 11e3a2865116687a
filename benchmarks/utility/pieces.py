"""Quantiles of numbers by the exponential mechanism, in doubles: pieces of equal scores."""

from typing import Any

import numpy as np


class Pieces:
    """Sorted numbers, and the pieces of the range between them.

    With a step, a piece is a multiple of it, and scores count how far its ranks are from the one
    that is wanted: ties share a point. Without, a piece is a gap between neighbours.
    """

    def __init__(self, x: Any, bounds: tuple[float, float], step: float | None) -> None:
        low, high = bounds
        self.points = None if step is None else np.arange(low, high + step / 2, step)
        self.x = np.sort(np.clip(x, low, high)).astype(float)
        if step is not None:
            self.x = low + np.floor((self.x - low) / step) * step
        self.bounds = bounds

    def one(self, rng: Any, q: float, epsilon: float, flip: bool = False) -> float:
        """Return one quantile of all numbers."""
        return self.within(rng, self.x, *self.bounds, q, epsilon, flip)

    def several(self, rng: Any, qs: Any, epsilon: float) -> Any:
        """Return several: the middle one first, then those on each side of it.

        A part with h levels below spends 1 / h of the epsilon that is left: parts share no rows.
        """
        found = np.zeros(len(qs))

        def fill(x: Any, low: float, high: float, first: int, last: int, rest: float) -> None:
            if first == last:
                return
            middle, spent = (first + last) // 2, rest / (last - first).bit_length()
            left = qs[first - 1] if first else 0.0
            right = qs[last] if last < len(qs) else 1.0
            share = (qs[middle] - left) / (right - left)
            found[middle] = self.within(rng, x, low, high, share, spent)
            cut = np.searchsorted(x, found[middle], "right")
            fill(x[:cut], low, found[middle], first, middle, rest - spent)
            fill(x[cut:], found[middle], high, middle + 1, last, rest - spent)

        fill(self.x, *self.bounds, 0, len(qs), epsilon)
        return found

    def within(
        self, rng: Any, x: Any, low: float, high: float, q: float, epsilon: float,
        flip: bool = False,
    ) -> float:  # fmt: skip
        """Return one quantile of sorted numbers in a part of the range."""
        wanted, scale = q * len(x), 2 * max(q, 1 - q) / epsilon
        if self.points is None:
            edges = np.concatenate(([low], x, [high]))
            widths = np.diff(edges)
            with np.errstate(divide="ignore"):
                scores = np.log(widths) - np.abs(np.arange(len(x) + 1) - wanted) / scale
            place = int(np.argmax(scores + rng.gumbel(size=len(scores))))
            return float(edges[place] + rng.random() * widths[place])
        points = self.points[(self.points >= low) & (self.points <= high)]
        below = np.searchsorted(x, points, "left")
        above = np.searchsorted(x, points, "right")
        scores = -np.maximum(np.maximum(below - wanted, wanted - above), 0) / scale
        noise = rng.exponential(size=len(points)) if flip else rng.gumbel(size=len(points))
        return float(points[np.argmax(scores + noise)])
