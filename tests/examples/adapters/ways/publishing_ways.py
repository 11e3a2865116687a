"""Runs beside mbi's release: models of noisy tables that overlap in a cycle."""

import warnings

import numpy as np

from cydp.testing import SeededGenerator

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of float32
    from cydp.publishing import contingency_tables, estimate_with_mbi, to_mbi

BITS = {name: [0, 1, 2] for name in "abc"}
CYCLE = [("a", "b"), ("b", "c"), ("c", "a")]


def rows(n):
    """Rows in which c follows from a and b together, more than from either."""
    random = np.random.default_rng(0)
    a, b = random.integers(0, 3, n), random.integers(0, 3, n)
    return {"a": a, "b": b, "c": np.where(random.random(n) < 0.7, np.maximum(a, b), 0)}


def model(n, epsilon, seed):
    """Return exact, noisy, estimated and sampled tables, and measurements as mbi has them."""
    table = rows(n)

    def run():
        published = contingency_tables(
            table, BITS, CYCLE, epsilon=epsilon, consistent=False, rng=SeededGenerator(seed)
        )
        _, measured = to_mbi(published)
        fitted = estimate_with_mbi(published, iterations=500)
        drawn = fitted.sample(n)
        exact, noisy, estimated, sampled = [], [], [], []
        for pair in CYCLE:
            exact.append(np.histogram2d(table[pair[0]], table[pair[1]], 3)[0])
            noisy.append(np.asarray(published[pair].noisy))
            estimated.append(fitted.estimate(*pair))
            ends = [(0, 3)] * 2
            sampled.append(np.histogram2d(drawn[pair[0]], drawn[pair[1]], 3, ends)[0])
        given = [(each.clique, float(each.stddev)) for each in measured]
        return exact, noisy, estimated, sampled, given, fitted.estimate("a", "b", "c"), drawn.n

    return run
