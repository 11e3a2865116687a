"""OpenDP's answers to the tasks of benchmarks/utility: by its queries, where it has one.

A query's scale is searched once, and nothing pays for its answers.
"""

import os
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version as installed
from typing import Any

import kinds
import numpy as np

os.environ["POLARS_MAX_THREADS"] = "1"
import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib", "honest-but-curious")
warnings.simplefilter("ignore")  # what it says of its own future
takes, answers = partial(kinds.takes, globals()), partial(kinds.answers, globals())
POINTS = 1000  # candidates of a quantile, unless the range has fewer
MOST = 20_000  # public: no table has more rows

Draw = Callable[[], Any]


def version() -> Callable[[], str]:
    return lambda: installed("opendp")


def query(
    frame: Any, epsilon: float, delta: float = 0, user: Any = None, by: Any = (), parts: int = 1
) -> Any:
    """Return a query that may spend all of epsilon, or one of several equal parts."""
    unit = dp.unit_of(contributions=1) if user is None else dp.unit_of(
        contributions=1, identifier=pl.col("user")
    )  # fmt: skip
    context = dp.Context.compositor(
        data=frame if user is None else frame.with_columns(user=pl.Series(user)),
        privacy_unit=unit,
        privacy_loss=dp.loss_of(epsilon=float(epsilon), delta=float(delta or 0)),
        margins=[dp.polars.Margin(by=[*by], max_length=MOST)],
        split_evenly_over=parts,
    )
    return context.query()


def drawn(asked: Any, frame: Any, read: Callable[[Any], Any]) -> Draw:
    """Return what draws the query's answer."""
    measurement = asked.resolve()
    return lambda: read(measurement(frame).collect())


def number(table: Any) -> Any:
    return table.item()


def by_key(keys: Any, table: Any) -> Any:
    """Return the counts of given keys."""
    return table.sort("key")[:, -1].to_numpy()


def count(rows: Any, epsilon: float, delta: float = 0) -> Draw:
    frame = pl.LazyFrame({"x": rows})
    asked = query(frame, epsilon, delta).filter(pl.col.x == 1).select(dp.len(signed=True))
    return drawn(asked, frame, number)


def sum(x: Any, bounds: Any, epsilon: float) -> Draw:
    frame = pl.LazyFrame({"x": x})
    return drawn(query(frame, epsilon).select(pl.col.x.dp.sum(ends(bounds, x))), frame, number)


def ends(bounds: Any, x: Any) -> Any:
    """Return bounds of the type of the numbers."""
    kind = float if np.asarray(x).dtype.kind == "f" else int
    return tuple(kind(end) for end in bounds)


def mean(x: Any, bounds: Any, epsilon: float, delta: float = 0) -> Draw:
    frame = pl.LazyFrame({"x": x})
    asked = query(frame, epsilon, delta).select(pl.col.x.dp.mean(ends(bounds, x)))
    return clamped(drawn(asked, frame, number), bounds)


def clamped(draw: Draw, bounds: Any) -> Draw:
    """Let no mean lie outside of its bounds, which it does where few rows are."""
    return lambda: np.clip(draw(), *bounds)


def quantiles(x: Any, qs: Any, bounds: Any, step: Any, epsilon: float) -> Draw:
    low, high = bounds
    few = step is not None and (high - low) / step <= POINTS
    points = np.arange(low, high + 1, step) if few else np.linspace(low, high, POINTS + 1)
    candidates = [float(point) for point in points]
    frame = pl.LazyFrame({"x": np.asarray(x, float)})
    asked = [pl.col.x.dp.quantile(q, candidates).alias(str(q)) for q in qs]
    return drawn(query(frame, epsilon).select(*asked), frame, lambda found: found.row(0))


def keyed(frame: Any, keys: Any, epsilon: float, answer: Any) -> Draw:
    given = pl.LazyFrame({"key": keys})
    asked = query(frame, epsilon, by=["key"]).group_by("key").agg(answer).with_keys(given)
    return drawn(asked, frame, partial(by_key, keys))


def histogram(x: Any, bins: int, range: Any, epsilon: float) -> Draw:
    low, high = range
    places = np.minimum((x - low) * bins // (high - low), bins - 1).astype(int)
    return keyed(pl.LazyFrame({"key": places}), np.arange(bins), epsilon, dp.len(signed=True))


def known_keys(x: Any, keys: Any, epsilon: float) -> Draw:
    return keyed(pl.LazyFrame({"key": x}), keys, epsilon, dp.len(signed=True))


def means_by_key(x: Any, by: Any, keys: Any, bounds: Any, epsilon: float) -> Draw:
    frame = pl.LazyFrame({"x": x, "key": by})
    return clamped(keyed(frame, keys, epsilon, pl.col.x.dp.mean(ends(bounds, x))), bounds)


def unknown_keys(
    x: Any, epsilon: float, delta: float, user: Any = None, max_partitions: int = 1
) -> Draw:
    frame = pl.LazyFrame({"key": x})
    asked = query(frame, epsilon, delta, user, by=["key"])
    if user is not None:
        frame = frame.with_columns(user=pl.Series(user))
        asked = asked.truncate_per_group(1, by=["key"]).truncate_per_group(max_partitions)
    asked = asked.group_by("key").agg(dp.len(signed=True))
    return drawn(asked, frame, lambda found: dict(found.iter_rows()))


def top(x: Any, keys: int, k: int, epsilon: float) -> Draw:
    """One by its selection; several as the largest of noisy counts, since a row has one key."""
    counts = np.bincount(x, minlength=keys).tolist()
    if k > 1:
        vector = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        noisy = dp.m.make_laplace(*vector, scale=1 / epsilon)
        return lambda: np.argsort(np.negative(noisy(counts)))[:k].tolist()
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int, monotonic=True)
    scale = dp.binary_search_param(
        lambda scale: dp.m.make_noisy_top_k(*space, dp.max_divergence(), k, scale), 1, epsilon,
        bounds=(1e-3, 1e6),
    )  # fmt: skip
    draw = dp.m.make_noisy_top_k(*space, dp.max_divergence(), k, scale)
    return lambda: draw(counts)


def ranges(x: Any, bins: int, range: Any, epsilon: float) -> Draw:
    """A noisy tree, made consistent, of the branching that has the least error here."""
    counts, branching, levels = np.histogram(x, bins, range)[0].tolist(), 16, 3
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    tree = dp.t.make_b_ary_tree(*space, leaf_count=bins, branching_factor=branching)
    draw = tree >> dp.m.then_laplace(scale=levels / epsilon)
    consistent = dp.t.make_consistent_b_ary_tree(branching_factor=branching)
    return lambda: np.array(consistent(draw(counts)))[:bins]


def prefixes(x: Any, bins: int, range: Any, epsilon: float) -> Draw:
    draw = ranges(x, bins, range, epsilon)
    return lambda: np.cumsum(draw())


def marginals(table: Any, domains: Any, sets: Any, epsilon: float, delta: float = 0) -> Draw:
    """A query of each table, with an equal part of epsilon."""
    frame = pl.LazyFrame(table)
    draws = []
    for names in sets:
        keys = pl.LazyFrame({names[0]: domains[names[0]]}).join(
            pl.LazyFrame({names[1]: domains[names[1]]}), how="cross"
        )
        part = query(frame, epsilon / len(sets), (delta or 0) / len(sets), by=names)
        asked = part.group_by(names).agg(dp.len(signed=True)).with_keys(keys)
        draws.append(drawn(asked, frame, lambda found, names=names: cells(found, names)))
    return lambda: np.concatenate([draw() for draw in draws])


def cells(found: Any, names: Any) -> Any:
    return found.sort(names)[:, -1].to_numpy()


def user_frame(user: Any, **columns: Any) -> Any:
    return pl.LazyFrame({"user": user, **columns})


def user_sum(user: Any, x: Any, bounds: Any, epsilon: float, rows: int) -> Draw:
    frame = user_frame(user, x=x)
    asked = query(frame, epsilon, user=user).truncate_per_group(rows)
    return drawn(asked.select(pl.col.x.dp.sum(ends(bounds, x))), frame, number)


def user_mean(user: Any, x: Any, bounds: Any, epsilon: float, rows: int) -> Draw:
    frame = user_frame(user, x=x)
    asked = query(frame, epsilon, user=user).truncate_per_group(rows)
    return drawn(asked.select(pl.col.x.dp.mean(ends(bounds, x))), frame, number)


def user_days(user: Any, x: Any, keys: Any, epsilon: float, rows: int) -> Draw:
    frame = user_frame(user, key=x)
    asked = query(frame, epsilon, user=user, by=["key"]).truncate_per_group(rows).group_by("key")
    asked = asked.agg(dp.len(signed=True)).with_keys(pl.LazyFrame({"key": keys}))
    return drawn(asked, frame, partial(by_key, keys))
