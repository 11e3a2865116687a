"""OpenDP's ways, in an environment of their own: its Polars is a certain version."""

import os
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version as installed
from typing import Any

import numpy as np

os.environ["POLARS_MAX_THREADS"] = "1"  # as all that is measured beside it
import opendp.prelude as dp
import opendp_releases
import opendp_vectors
import polars as pl

dp.enable_features("contrib", "honest-but-curious")
warnings.simplefilter("ignore")  # what it says of its own future
RESOLVED: dict[str, Callable[[], Any]] = {}  # queries whose scale was searched


def version() -> Callable[[], str]:
    return lambda: installed("opendp")


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
        return float(filled.privacy_loss(1))

    return spend


def release(name: str, table: Any, calls: int) -> Callable[[], Any]:
    """A release of opendp_releases.py, again and again, as users call it; returns all."""
    query, frame = getattr(opendp_releases, name), pl.LazyFrame(table)
    return lambda: [numbers(query(frame).release().collect()) for _ in range(calls)]


def resolved(name: str, table: Any) -> Callable[[], Any]:
    """A query whose scale is searched once, and which nothing pays for; one for each name."""
    if name not in RESOLVED:
        frame = pl.LazyFrame(table)
        measurement = getattr(opendp_releases, name)(frame).resolve()
        RESOLVED[name] = lambda: measurement(frame).collect()
    return RESOLVED[name]


def resolved_release(name: str, table: Any, calls: int) -> Callable[[], Any]:
    """Releases of such a query, again and again; returns all."""
    draw = resolved(name, table)
    return lambda: [numbers(draw()) for _ in range(calls)]


def counts_of_keys(codes: Any, n_keys: int) -> Callable[[], Any]:
    """Counts of known keys 0, 1, ..., as a table."""
    frame, keys = pl.LazyFrame({"educ": codes}), np.arange(n_keys)
    query = partial(opendp_releases.value_counts, frame, keys)
    return lambda: query().release().collect().sort("educ")["len"].to_numpy()


def vector_counts_of_keys(codes: Any, n_keys: int) -> Callable[[], Any]:
    """The same promise on a numpy array, without Polars; the measurement is made in each call."""
    keys = list(range(n_keys))
    return lambda: np.array(opendp_vectors.counts(keys)(codes))


def vector_release(name: str, table: Any, calls: int) -> Callable[[], Any]:
    """A release of opendp_vectors.py, made once, again and again; returns all."""
    draw = getattr(opendp_vectors, name)(table)
    return lambda: [draw() for _ in range(calls)]


def numbers(table: Any) -> Any:
    """The answers of a table in the order of its keys, as numpy has them."""
    keys = [name for name in table.columns if name in ("bin", "sex", "educ", "day")]
    if not keys:
        return table.to_numpy().squeeze()
    found = table.sort(keys)[:, -1].to_numpy()
    return found.reshape(5, 2) if len(keys) == 2 else found


def range_counts(counts: Any, branching: int, levels: int) -> Callable[[], Any]:
    """A noisy tree over counts of cells, of epsilon 1, made consistent."""
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    tree = dp.t.make_b_ary_tree(*space, leaf_count=len(counts), branching_factor=branching)
    draw = tree >> dp.m.then_laplace(scale=float(levels))
    consistent = dp.t.make_consistent_b_ary_tree(branching_factor=branching)
    cells = np.asarray(counts).tolist()
    return lambda: np.array(consistent(draw(cells)))[: len(cells)]
