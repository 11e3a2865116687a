"""OpenDP's ways, in an environment of their own: its Polars is a certain version."""

from collections.abc import Callable
from typing import Any

import numpy as np
import opendp.prelude as dp
from opendp import __version__

dp.enable_features("contrib", "honest-but-curious")


def version() -> Callable[[], str]:
    return lambda: __version__


def laplace(scale: float, n: int) -> Callable[[], Any]:
    """Vector make_laplace on integers."""
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    measurement, zeros = dp.m.make_laplace(*space, scale=float(scale)), [0] * n
    return lambda: np.array(measurement(zeros))


def scalar_laplace(scale: float, calls: int = 1) -> Callable[[], list[int]]:
    """Scalar make_laplace on integers, again and again."""
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    measurement = dp.m.make_laplace(*space, scale=float(scale))
    return lambda: [measurement(0) for _ in range(calls)]


def gaussian(sigma: float, n: int) -> Callable[[], Any]:
    """Vector make_gaussian on integers."""
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    measurement, zeros = dp.m.make_gaussian(*space, scale=float(sigma)), [0] * n
    return lambda: np.array(measurement(zeros))


def budget(epsilon: float, each: float, count: int) -> Callable[[], float]:
    """Queries of a privacy filter in memory that do nothing but cost; returns what is spent."""
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    measure = dp.max_divergence()
    odometer = dp.c.make_fully_adaptive_composition(*space, output_measure=measure)
    privacy_filter = dp.c.make_privacy_filter(odometer, d_in=1, d_out=epsilon)
    query = dp.m.make_user_measurement(
        *space, measure, lambda _: 0, lambda moved: each * moved, TO=int
    )

    def spend() -> float:
        filled = privacy_filter(0)
        for _ in range(count):
            filled(query)
        return each * count

    return spend
