# SPDX-License-Identifier: MIT
"""A setting that is ready to run: how to draw errors, and what is predicted of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cydp._generator import Generator
from cydp.teach.utility._spread import Spread

__all__ = ["Case", "Errors", "errors_of"]


class Errors(NamedTuple):
    """The errors of the answers of one release.

    Attributes
    ----------
    square, absolute : float
        The means of the squares and of the absolute values.
    beyond : float
        The share of answers that are farther off than the predicted bound; nan without one.

    """

    square: float
    absolute: float
    beyond: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """How to draw the errors of one release, and what is predicted.

    Attributes
    ----------
    draw : callable
        From a generator to the `Errors` of one release.
    rms : float or None
        The predicted root of the mean square error of an answer.
    spread : Spread or None
        How far measured mean squares stray, if it is known.
    bound : float or None
        What the error of an answer exceeds with a probability of at most 0.05.
    answers : int
    unit : str
        The unit of the errors.

    """

    draw: Callable[[Generator], Errors]
    rms: float | None
    spread: Spread | None
    bound: float | None
    answers: int
    unit: str


def errors_of(answers: Any, truth: NDArray[Any], bound: float | None) -> Errors:
    """Return the errors of answers."""
    off = np.abs(answers - truth).astype(np.float64)  # squares of integers might wrap around
    flat = off.ravel()
    beyond = float(np.mean(flat > bound)) if bound is not None else np.nan
    return Errors(float(flat @ flat) / flat.size, float(flat.mean()), beyond)
