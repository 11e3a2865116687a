"""workloads/_tree.py, _tree_variance.py: what they compute is what dense linear algebra says."""

import numpy as np
from scipy.stats import chi2
from workloads.linear_algebra import all_ranges, covariance, nodes_of, small_trees, weights_of

from cydp import DiscreteGaussian
from cydp.testing import SeededGenerator
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


def test_measured_errors_are_the_predicted_ones() -> None:
    """Sums of discrete Gaussian noise of sigma 20 are normal, but for exp(-2 pi^2 400)."""
    tree, releases = Tree(25, 3, 4), 600
    noise = DiscreteGaussian(sigma2=400, sensitivity=1)
    drawn = noise.release(np.zeros(releases * tree.nodes, np.int64), rng=SeededGenerator(7))
    fitted = np.array([tree.fit(nodes) for nodes in drawn.reshape(releases, -1)])
    prefixes = np.cumsum(fitted, axis=1)

    def p_value(predicted: Tree) -> float:
        """Of the errors of all prefixes, whose covariances follow from all ranges; of the total."""
        lows, highs = (each.reshape(-1) for each in np.mgrid[:26, :26])
        ends = np.minimum(lows, highs), np.maximum(lows, highs)
        apart = range_variance(predicted, *ends).reshape(26, 26)
        exact = 200 * (apart[1:, :1] + apart[:1, 1:] - apart[1:, 1:])
        statistic = np.einsum("ri,ij,rj->", prefixes, np.linalg.inv(exact), prefixes)
        of_total = (prefixes[:, -1] ** 2).sum() / exact[-1, -1]
        tails = [
            min(chi2.sf(x, n), chi2.cdf(x, n))
            for x, n in ((statistic, fitted.size), (of_total, releases))
        ]
        return float(4 * min(tails))

    assert p_value(tree) > LIMIT
    for mutant in (Tree(25, 3, 3), Tree(25, 3, 1), Tree(25, 4, 3)):
        assert p_value(mutant) < LIMIT / 10
