# SPDX-License-Identifier: MIT
"""The pairs of mechanisms that add noise to values. docs/teach/loss.md, "Which pair"."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._numbers.rational import float_of
from cydp.mechanisms._noise_laws import GaussianLaw, LaplaceLaw
from cydp.teach.loss._continuous import LaplaceNoise, NormalNoise
from cydp.teach.loss._pair import Pair, TablePair, exact_floats

__all__ = ["gaussian_pair", "laplace_pair"]

_MOST_POINTS = 2**19  # of a table
_SCALES = 40  # of Laplace noise in a table; what is beyond has one loss on each side
_SIGMAS = 37  # of Gaussian noise in a table, beyond which there is less than 1e-298


def laplace_pair(start: int, end: int, scale: Fraction) -> Pair:
    """Return discrete Laplace noise around two integers."""
    distance, law = abs(end - start), LaplaceLaw(scale)
    wide = math.ceil(_SCALES * scale) + 1
    if 2 * wide + distance + 1 > _MOST_POINTS:
        return LaplaceNoise(float(start), float(end), distance / scale)
    k = np.arange(-wide, distance + wide + 1)  # from the start towards the end
    reals = k.astype(np.float64)
    steps = distance - np.clip(k, 0, distance)
    first, step = -distance / scale, 2 / scale
    edge = float_of(distance / scale)
    beyond = [law.cdf(np.array([-wide - 1.0 - shift])).item() for shift in (0, distance)]
    return TablePair(
        outputs=_outputs(start, end, k), p=law.pmf(reals), q=law.pmf(reals - distance),
        losses=exact_floats(first, step, steps), first=first, step=step, steps=steps,
        rest=((beyond[0], beyond[1], edge), (beyond[1], beyond[0], -edge)) if distance else (),
    )  # fmt: skip


def gaussian_pair(start: int, end: int, sigma2: Fraction) -> Pair:
    """Return discrete Gaussian noise around two integers."""
    distance, law = abs(end - start), GaussianLaw(sigma2)
    wide = math.ceil(_SIGMAS * math.sqrt(float_of(sigma2))) + 1
    if 2 * wide + distance + 1 > _MOST_POINTS:
        return NormalNoise(float(start), float(end), distance**2 / (2 * sigma2))
    k = np.arange(-wide, distance + wide + 1)
    reals = k.astype(np.float64)
    steps = k[-1] - k if distance else np.zeros_like(k)
    step = distance / sigma2 or Fraction(1)
    first = (distance**2 - 2 * distance * int(k[-1])) / (2 * sigma2)
    return TablePair(
        outputs=_outputs(start, end, k), p=law.pmf(reals), q=law.pmf(reals - distance),
        losses=exact_floats(first, step, steps), first=first, step=step, steps=steps,
        largest=math.inf if distance else 0.0, least=-math.inf if distance else 0.0,
    )  # fmt: skip


def _outputs(start: int, end: int, k: Any) -> Any:
    return start + (k if end >= start else -k)
