"""What a clock sees of the noise: the rank correlation of a draw's time with its magnitude.

Into an array: to make a Python int of it takes a time that depends on its size.
"""

from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

import numpy as np
import pytest
import rivals
from harness.sizes import size, tolerance

import cydp

stats = pytest.importorskip("scipy.stats")

SCALE, DRAWS, SLOW_DRAWS = 1000, size(200_000), size(20_000)


def timed(draw: Callable[[], Any], n: int) -> tuple[list[float], list[Any]]:
    times, values = [], []
    for _ in range(n):
        start = perf_counter_ns()
        drawn = draw()
        times.append(perf_counter_ns() - start)
        values.append(int(drawn[0]) if isinstance(drawn, np.ndarray) else drawn)
    return times, values


def timed_elsewhere(name: str, n: int) -> tuple[list[float], list[Any]]:
    """Take the times of calls in the process of another library, where it is measured."""
    draw = rivals.way(name, "scalar_laplace", SCALE, 1)
    if draw is None:
        pytest.skip(rivals.SKIPPED[name])
    times, values = [], []
    for _ in range(n):
        values += draw()
        times.append(draw.taken[0])
    return times, values


@pytest.mark.parametrize("way", ["cydp", "cydp, fixed work", "cydp, Python int", "OpenDP"])
def bench_time_and_magnitude(benchmark: Any, way: str) -> None:
    """Independent times have a correlation within 1 / sqrt(draws) or so."""
    benchmark.group = f"time and magnitude, one value, scale {SCALE}: {way}"
    plain, fixed = cydp.Generator(), cydp.Generator(fixed_work=True)
    one = np.zeros(1, np.int64)
    draws: dict[str, Callable[[], Any]] = {
        "cydp": lambda: plain.discrete_laplace(SCALE, out=one),
        "cydp, fixed work": lambda: fixed.discrete_laplace(SCALE, out=one),
        "cydp, Python int": lambda: plain.discrete_laplace(SCALE),
    }
    n = DRAWS if way in draws else SLOW_DRAWS

    def take() -> tuple[list[float], list[Any]]:
        return timed(draws[way], n) if way in draws else timed_elsewhere(way, n)

    times, values = benchmark.pedantic(take, rounds=1)
    sizes = np.abs(np.array(values, float))
    found = stats.spearmanr(times, sizes)
    benchmark.extra_info["rank correlation"] = round(float(found.statistic), 4)
    benchmark.extra_info["one standard error"] = round(n**-0.5, 4)
    assert abs(sizes.mean() / SCALE - 1) < tolerance(n, 8)
