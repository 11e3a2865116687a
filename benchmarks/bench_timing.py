"""What a clock sees of the noise: the rank correlation of a draw's time with its magnitude.

Into an array: to make a Python int of it takes a time that depends on its size.
"""

from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

import numpy as np
import pytest
import rivals
from scipy.stats import spearmanr

import cydp

SCALE, DRAWS, SLOW_DRAWS = 1000, 200_000, 20_000


@pytest.mark.parametrize("rival", ["cydp", "cydp-fixed-work", "cydp-int", "opendp"])
def bench_time_and_magnitude(benchmark: Any, rival: str) -> None:
    """Independent times have a correlation within 1 / sqrt(draws) or so."""
    benchmark.group = f"discrete Laplace, one sample, scale {SCALE}: {rival}"
    plain, fixed = cydp.Generator(), cydp.Generator(fixed_work=True)
    one = np.zeros(1, np.int64)
    draws: dict[str, Callable[[], Any] | None] = {
        "cydp": lambda: plain.discrete_laplace(SCALE, out=one),
        "cydp-fixed-work": lambda: fixed.discrete_laplace(SCALE, out=one),
        "cydp-int": lambda: plain.discrete_laplace(SCALE),
        "opendp": rivals.opendp_scalar_laplace(SCALE),
    }
    draw = draws[rival]
    if draw is None:
        pytest.skip("the rival is not installed")
    n = SLOW_DRAWS if rival == "opendp" else DRAWS
    times, values = np.empty(n), np.empty(n)
    for i in range(n):
        start = perf_counter_ns()
        drawn = draw()
        times[i] = perf_counter_ns() - start
        values[i] = drawn[0] if drawn is one else drawn
    found = spearmanr(times, np.abs(values))
    benchmark.extra_info["rank correlation"] = round(float(found.statistic), 4)
    benchmark.extra_info["one standard error"] = round(n**-0.5, 4)
    assert abs(np.abs(values).mean() / SCALE - 1) < 0.1
    benchmark(draw)
