"""How far an answer is from the exact one: a loss for each run, and their mean over the runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Measure:
    """A loss of one run, by the answer and the exact one, and what the mean of losses is called."""

    name: str
    loss: Callable[[Any, Any], float]
    root: bool = False  # whether the error is the root of the mean


@dataclass(frozen=True)
class Error:
    """The error of a way over its runs, and its standard error; a formula has no runs."""

    value: float
    spread: float = 0.0
    runs: int = 0


def error_of(measure: Measure, losses: Sequence[float]) -> Error:
    """Return the mean loss, or its root, with its standard error."""
    runs, mean = len(losses), float(np.mean(losses))
    spread = float(np.std(losses, ddof=1)) / runs**0.5 if runs > 1 else 0.0
    if measure.root:
        value = mean**0.5
        return Error(value, spread / (2 * value) if value else 0.0, runs)
    return Error(mean, spread, runs)


def square(answer: Any, exact: Any) -> float:
    return float(np.mean((np.asarray(answer, float) - exact) ** 2))


def wrong(answer: Any, exact: Any) -> float:
    return float(np.ravel(answer)[0] != exact)


def distance(answer: Any, exact: Any) -> float:
    return float(np.mean(np.abs(np.asarray(answer, float) - exact)))


def ranks(answer: Any, exact: tuple[Any, Any]) -> float:
    """How many of the sorted numbers lie between an answer and the rank that was asked for."""
    ordered, wanted = exact
    values = np.atleast_1d(np.asarray(answer, float))
    below = np.searchsorted(ordered, values, "left") - wanted
    above = wanted - np.searchsorted(ordered, values, "right")
    return float(np.mean(np.maximum(np.maximum(below, above), 0)))


def ranges(answer: Any, exact: Any) -> float:
    """The mean square over all ranges of bins: of all differences of two sums from the left."""
    sums = np.concatenate(([0.0], np.cumsum(np.asarray(answer, float) - exact)))
    m = len(sums)
    return float((m * (sums**2).sum() - sums.sum() ** 2) / (m * (m - 1) / 2))


def keys_of(answer: Mapping[Any, float], exact: Mapping[Any, float]) -> float:
    """The mean square over all keys that rows have; one that is not released counts as 0."""
    return float(np.mean([(answer.get(key, 0) - count) ** 2 for key, count in exact.items()]))


def rows_lost(answer: Sequence[int], exact: Any) -> float:
    """How many rows fewer a chosen key has than one of the most frequent, on average."""
    best = np.sort(exact)[::-1][: len(answer)]
    return float((best.sum() - exact[np.asarray(answer, int)].sum()) / len(answer))


RMS = Measure("root mean square error", square, root=True)
WRONG = Measure("share of wrong answers", wrong)
DISTANCE = Measure("mean error", distance)
RANKS = Measure("mean error in ranks", ranks)
RANGES = Measure("root mean square error of a range", ranges, root=True)
KEYS = Measure("root mean square error of a key", keys_of, root=True)
ROWS_LOST = Measure("rows lost a key", rows_lost)
