"""Releases of every kind and shape, with noise from a fixed key."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from typing import Any

import numpy as np

import cydp
from cydp.releases._histogram_release import HistogramRelease
from cydp.testing import SeededGenerator

__all__ = ["KEYS", "MADE", "MARKUP", "X", "failing", "made", "with_counts"]

X = [float(i * 37 % 101) for i in range(200)]
MARKUP = "<script>alert('x') & \"y\"</script>"
KEYS = ["a", MARKUP, "c"]
TABLE = {
    "key": [KEYS[i % 2] for i in range(200)],
    "day": [date(2026, 1, 1 + i % 2) for i in range(200)],
    "x": X,
}
BOUNDS = (0, 100)

MADE: dict[str, Callable[..., Any]] = {
    "count": lambda **more: cydp.count(X, **more),
    "sum": lambda **more: cydp.sum(X, BOUNDS, **more),
    "mean": lambda **more: cydp.mean(X, BOUNDS, **more),
    "variance": lambda **more: cydp.variance(X, BOUNDS, **more),
    "median": lambda **more: cydp.median(X, BOUNDS, **more),
    "median, interval": lambda **more: cydp.median(X, BOUNDS, interval=0.95, **more),
    "quantiles, intervals": lambda **more: cydp.quantile(
        X, [0.25, 0.5], BOUNDS, interval=0.99, **more
    ),
    "quantiles": lambda **more: cydp.quantile(X, [0.25, 0.5, 0.9], BOUNDS, **more),
    "bounds": lambda **more: cydp.bounds(X, fallback=(0, 1), **more),
    "no bounds": lambda **more: cydp.bounds([], fallback=(0, 1), **more),
    "top": lambda **more: cydp.top_k(TABLE["key"], 2, KEYS, **more),
    "top, found": lambda **more: cydp.top_k(TABLE["key"], 2, **{"delta": 1e-6} | more),
    "histogram": lambda **more: cydp.histogram(X, 4, BOUNDS, **more),
    "one bin": lambda **more: cydp.histogram(X, 1, BOUNDS, **more),
    "integer edges": lambda **more: cydp.histogram(X, np.array([0, 10, 2**53 + 1]), **more),
    "infinite edges": lambda **more: cydp.histogram(X, [-np.inf, 0, 50, np.inf], **more),
    "many bins": lambda **more: cydp.histogram(X, 100, BOUNDS, **more),
    "negative": lambda **more: cydp.histogram([1.0], 30, BOUNDS, **more),
    "histogram by": lambda **more: cydp.histogram(
        TABLE, 3, BOUNDS, column="x", by="key", by_keys=KEYS, **more
    ),
    "two axes": lambda **more: cydp.histogramdd(np.c_[X, X], (3, 2), [BOUNDS, BOUNDS], **more),
    "three axes": lambda **more: cydp.histogramdd(
        np.c_[X, X, X], (3, 2, 2), [BOUNDS, BOUNDS, BOUNDS], **more
    ),
    "value_counts": lambda **more: cydp.value_counts(TABLE["key"], KEYS, **more),
    "no keys found": lambda **more: cydp.value_counts(["a"], **{"delta": 1e-12} | more),
    "group_by": lambda **more: cydp.group_by(
        TABLE, ["key", "day"], keys=[("a", date(2026, 1, 1)), (MARKUP, date(2026, 1, 2))],
        sums={"x": BOUNDS}, means={"x": BOUNDS}, quantiles={"x": ([0.5, 0.9], BOUNDS)}, **more
    ),
    "no groups found": lambda **more: cydp.group_by(
        {"key": ["a"], "x": [1.0]}, "key", means={"x": BOUNDS}, quantiles={"x": (0.5, BOUNDS)},
        **{"delta": 1e-12} | more
    ),
}  # fmt: skip


@cache
def made(name: str) -> Any:
    return MADE[name](epsilon="1/2", rng=SeededGenerator(7))


def with_counts(counts: list[int]) -> HistogramRelease:
    """A histogram of given counts, with unit bins."""
    blank = cydp.histogram([], len(counts), (0, len(counts)), epsilon="1/2")
    return HistogramRelease(query=blank.query, counts=np.array(counts), axes=blank.axes)


def failing(check: Callable[[Any], object], cases: Iterable[Any]) -> dict[str, str]:
    """Return for which cases a check fails, and how."""
    wrong = {}
    for case in cases:
        try:
            check(case)
        except Exception as error:
            wrong[str(case)] = f"{type(error).__name__}: {error}"
    return wrong
