"""workloads/_tree.py, _tree_variance.py: what they compute is what dense linear algebra says."""

import numpy as np
from workloads.linear_algebra import all_ranges, covariance, nodes_of, small_trees, weights_of

from cydp.workloads._tree import Tree
from cydp.workloads._tree_variance import mean_range_variance, range_variance, weighted_variance

TREES = list(small_trees())
LIMIT = 1e-6


def differs_from_least_squares(trees: list[Tree]) -> bool:
    random = np.random.default_rng(1)
    for tree in trees:
        noisy = random.integers(-50, 50, tree.nodes)
        fitted = np.linalg.lstsq(nodes_of(tree), noisy, rcond=None)[0]
        if not np.allclose(tree.fit(noisy), fitted):
            return True
    return False


def test_nodes_are_sums_of_cells() -> None:
    for tree in TREES:
        cells = np.arange(tree.cells) ** 2
        assert (tree.count_nodes(cells) == nodes_of(tree) @ cells).all()


def test_consistent_counts_are_the_least_squares() -> None:
    assert len(TREES) > 50
    assert not differs_from_least_squares(TREES)


def test_variances_are_those_of_the_covariance() -> None:
    random = np.random.default_rng(2)
    for tree in TREES:
        exact, (lows, highs) = covariance(tree), all_ranges(tree.cells)
        ranges = weights_of(lows, highs, tree.cells)
        variances = np.einsum("qi,ij,qj->q", ranges, exact, ranges)
        assert np.allclose(range_variance(tree, lows, highs), variances)
        assert np.isclose(mean_range_variance(tree), variances[highs > lows].mean())
        weights = random.normal(size=(3, tree.cells))
        weighted = np.einsum("qi,ij,qj->q", weights, exact, weights)
        assert np.allclose(weighted_variance(tree, weights), weighted)


def test_no_coefficient_is_above_one() -> None:
    """Of what proven intervals rest on: docs/workloads.md, "Error bounds"."""
    for tree in TREES:
        nodes = nodes_of(tree)
        of_noise = covariance(tree) @ nodes.T  # of each node, in each cell
        ranges = weights_of(*all_ranges(tree.cells), tree.cells)
        assert np.abs(ranges @ of_noise).max() <= 1 + 1e-9
        positive = np.where(of_noise > 0, of_noise, 0).sum(0)
        assert (positive <= 1 + 1e-9).all()
        assert (positive - of_noise.sum(0) <= 1 + 1e-9).all()
