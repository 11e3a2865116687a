"""How cydp answers each kind of task: as a user would ask, with the parameters that suit the task.

A function returns what draws an answer, again and again, from a generator with a fixed seed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import cydp
from cydp import workloads

Draw = Callable[[], Any]
MOST = 200  # rows of a user, where their sum is bounded


def count(rng: Any, rows: Any, epsilon: float, delta: float | None = None) -> Draw:
    here = rows[rows > 0]
    return lambda: cydp.count(here, epsilon=epsilon, delta=delta, rng=rng).value


def sum(rng: Any, x: Any, bounds: Any, epsilon: float) -> Draw:
    return lambda: cydp.sum(x, bounds, epsilon=epsilon, rng=rng).value


def mean(rng: Any, x: Any, bounds: Any, epsilon: float, delta: float | None = None) -> Draw:
    return lambda: cydp.mean(x, bounds, epsilon=epsilon, delta=delta, rng=rng).value


def variance(rng: Any, x: Any, bounds: Any, epsilon: float) -> Draw:
    return lambda: cydp.variance(x, bounds, epsilon=epsilon, rng=rng).value


def quantiles(rng: Any, x: Any, qs: Any, bounds: Any, step: Any, epsilon: float) -> Draw:
    asked: Any = qs if len(qs) > 1 else qs[0]

    def draw() -> Any:
        found = cydp.quantile(x, asked, bounds, epsilon=epsilon, rng=rng).value
        return found if step is None else np.round(np.divide(found, step)) * step

    return draw


def histogram(rng: Any, x: Any, bins: int, range: Any, epsilon: float) -> Draw:
    return lambda: cydp.histogram(x, bins, range, epsilon=epsilon, rng=rng).counts


def known_keys(rng: Any, x: Any, keys: Any, epsilon: float) -> Draw:
    return lambda: cydp.value_counts(x, keys, epsilon=epsilon, rng=rng).counts


def unknown_keys(
    rng: Any, x: Any, epsilon: float, delta: float, user: Any = None, max_partitions: Any = None
) -> Draw:
    def draw() -> Any:
        found = cydp.value_counts(
            x, user=user, max_partitions=max_partitions, epsilon=epsilon, delta=delta, rng=rng
        )
        return dict(zip(found.keys.tolist(), found.counts.tolist(), strict=True))

    return draw


def top(rng: Any, x: Any, keys: int, k: int, epsilon: float) -> Draw:
    given = np.arange(keys)
    return lambda: cydp.top_k(x, k, given, epsilon=epsilon, rng=rng).keys


def means_by_key(rng: Any, x: Any, by: Any, keys: Any, bounds: Any, epsilon: float) -> Draw:
    table = {"x": x, "by": by}

    def draw() -> Any:
        found = cydp.group_by(
            table, "by", keys=keys, count=False, means={"x": bounds}, epsilon=epsilon, rng=rng
        )
        return found["mean_x"]

    return draw


def ranges(rng: Any, x: Any, bins: int, range: Any, epsilon: float) -> Draw:
    return lambda: workloads.range_counts(x, bins, range, epsilon=epsilon, rng=rng).counts


def prefixes(rng: Any, x: Any, bins: int, range: Any, epsilon: float) -> Draw:
    asked = workloads.Workload.prefixes(bins)

    def draw() -> Any:
        return workloads.linear_queries(x, asked, bins, range, epsilon=epsilon, rng=rng).answers

    return draw


def running(rng: Any, events: Any, epsilon: float, delta: float) -> Draw:
    steps = events.tolist()

    def draw() -> Any:
        totals = workloads.RunningCounts(len(steps), epsilon=epsilon, delta=delta, rng=rng)
        return [totals.add(step) for step in steps]

    return draw


def marginals(
    rng: Any, table: Any, domains: Any, sets: Any, epsilon: float, delta: float | None = None
) -> Draw:
    labels = {name: list(domain) for name, domain in domains.items()}

    def draw() -> Any:
        found = workloads.marginals(
            table, labels, sets, consistent=True, epsilon=epsilon, delta=delta, rng=rng
        )
        return np.concatenate([found[names].ravel() for names in sets])

    return draw


def user_sum(rng: Any, user: Any, x: Any, bounds: Any, epsilon: float, total: int) -> Draw:
    def draw() -> Any:
        return cydp.sum(
            x, bounds, user=user, max_rows=MOST, max_sum_per_user=total, epsilon=epsilon, rng=rng
        ).value

    return draw


def user_mean(rng: Any, user: Any, x: Any, bounds: Any, epsilon: float, rows: int) -> Draw:
    def draw() -> Any:
        return cydp.mean(x, bounds, user=user, max_rows=rows, epsilon=epsilon, rng=rng).value

    return draw


def user_days(rng: Any, user: Any, x: Any, keys: Any, epsilon: float, rows: int) -> Draw:
    def draw() -> Any:
        return cydp.value_counts(
            x, keys, user=user, max_partitions=rows, epsilon=epsilon, rng=rng
        ).counts

    return draw
