# SPDX-License-Identifier: MIT
"""The variance of sums of a tree's consistent counts, in variances of the noise of one node.

docs/workloads.md, "Variance", has the proofs. Given the count of a node, the errors of its children
are the error of the node, shared out by their variances, plus parts that are independent of it. So
a sum of cells has, in each node, a coefficient of the node's error, and a variance besides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cydp.workloads._tree import Level, Tree

__all__ = ["mean_range_variance", "range_variance", "weighted_variance"]

_Floats = NDArray[np.float64]
_Places = NDArray[np.int64]
_ROWS = 2**16  # ranges at a time: their arrays stay in the cache


def range_variance(tree: Tree, lows: _Places, highs: _Places) -> _Floats:
    """Return the variance of the sum of the cells lo, ..., hi - 1, for each pair of lo and hi.

    Parameters
    ----------
    tree : Tree
    lows, highs : ndarrays of int64, shape (n,)
        0 <= lo <= hi <= cells.

    """
    found = np.empty(len(lows))
    for first in range(0, len(lows), _ROWS):
        rows = slice(first, first + _ROWS)
        found[rows] = _variance_of_rows(tree, lows[rows], highs[rows])
    return found


class _Cut:
    """A cut between cells, for each of many ranges, in the node that holds it at each level.

    The node's cells before the cut have `share` times the error of the node, plus a part of
    variance `rest`.
    """

    __slots__ = ("node", "rest", "share")

    def __init__(self, node: _Places) -> None:
        self.node, self.share, self.rest = node, np.zeros(len(node)), np.zeros(len(node))

    def before(self, level: Level) -> _Floats:
        """Return the sum of the variances of all nodes of a level before the node."""
        ended = self.node >= level.nodes
        sums: _Floats = np.minimum(self.node, level.nodes - 1) * level.each + ended * level.last
        return sums

    def rise(self, level: Level, parent: Level, branching: int) -> None:
        """Go to the parent."""
        up = self.node // branching
        before = self.before(level) - np.minimum(up * branching, level.nodes) * level.each
        own = _variances(level, self.node)
        below = np.where(up < parent.nodes - 1, parent.below, parent.last_below)
        weighted = before + self.share * own
        self.rest += before + self.share**2 * own - weighted**2 / below
        self.share, self.node = weighted / below, up


def _variances(level: Level, nodes: _Places) -> _Floats:
    """Return the variance of each node of a level; 0 behind the last one."""
    return np.where(nodes < level.nodes - 1, level.each, (nodes == level.nodes - 1) * level.last)


def _variance_of_rows(tree: Tree, lows: _Places, highs: _Places) -> _Floats:
    left, right = _Cut(lows), _Cut(highs)
    joined = np.zeros(len(lows), np.bool_)  # whether both cuts are in one node
    share, variance = np.zeros(len(lows)), np.zeros(len(lows))  # of the node, if they are
    for height, level in enumerate(tree.shape):
        own_left, own_right = _variances(level, left.node), _variances(level, right.node)
        between = right.before(level) - left.before(level)
        squares = between - own_left + (1 - left.share) ** 2 * own_left
        squares += right.share**2 * own_right + left.rest + right.rest
        if height == tree.levels - 1:
            return np.where(joined, variance + share**2 * own_left, squares)
        parent = tree.shape[height + 1]
        up = left.node // tree.branching
        below = np.where(up < parent.nodes - 1, parent.below, parent.last_below)
        joins = ~joined & (up == right.node // tree.branching)
        inside = between - left.share * own_left + right.share * own_right
        variance += joined * share**2 * (own_left - own_left**2 / below)
        share *= own_left / below
        variance[joins] = (squares - inside**2 / below)[joins]
        share[joins] = (inside / below)[joins]
        joined |= joins
        left.rise(level, parent, tree.branching)
        right.rise(level, parent, tree.branching)
    raise AssertionError("a tree has levels")


def weighted_variance(tree: Tree, weights: _Floats) -> _Floats:
    """Return the variance of weighted sums of the cells.

    Parameters
    ----------
    tree : Tree
    weights : ndarray of float64, shape (n, cells)

    """
    shares, rest = weights, np.zeros(len(weights))
    for level, parent in zip(tree.shape, tree.shape[1:], strict=False):
        own = np.full(level.nodes, level.each)
        own[-1] = level.last
        below = np.full(parent.nodes, parent.below)
        below[-1] = parent.last_below
        starts = np.arange(0, level.nodes, tree.branching)
        rest += (shares**2 * own).sum(1)
        inside = np.add.reduceat(shares * own, starts, axis=1)
        rest -= (inside**2 / below).sum(1)
        shares = inside / below
    top = np.full(tree.shape[-1].nodes, tree.shape[-1].each)
    top[-1] = tree.shape[-1].last
    variances: _Floats = rest + (shares**2 * top).sum(1)
    return variances


class _Cuts(NamedTuple):
    """Sums of the fields of `_Cut` over all cuts in a node, also the one before its first cell."""

    cuts: int = 1
    share: float = 0.0
    share2: float = 0.0
    rest: float = 0.0
    together: float = 0.0  # the variance, besides the node's error, of the sum of all prefixes


def mean_range_variance(tree: Tree) -> float:
    """Return the mean of `range_variance` over all ranges of at least one cell."""
    each = last = _Cuts()
    for level, parent in zip(tree.shape, tree.shape[1:], strict=False):
        # A single node has no others: `each` is not used then.
        last = _join(each, last, parent.last_children - 1, level.each, level.last)
        each = _join(each, each, tree.branching - 1, level.each, level.each)
    top = tree.shape[-1]
    many, own, end = top.nodes - 1, top.each, top.last
    j1 = many * (many - 1) / 2
    alone = (
        many * each.rest + last.rest + own * (each.cuts * j1 + many * each.share2)
        + last.cuts * many * own + last.share2 * end + many * own + end
    )  # fmt: skip
    after = each.share + last.cuts + 1
    together = many * each.together + last.together + (last.share + 1) ** 2 * end
    together += own * _squares(many, after, each.cuts)
    cuts = tree.cells + 1  # the sum of (x_i - x_j)**2 over pairs is n sum x_i**2 - (sum x_i)**2
    return (cuts * alone - together) / (cuts * (cuts - 1) / 2)


def _join(each: _Cuts, last: _Cuts, many: int, own: float, end: float) -> _Cuts:
    """Return the sums of a node with `many` equal children and a last one, and their variances."""
    j1, j2 = many * (many - 1) / 2, many * (many - 1) * (2 * many - 1) / 6
    below = many * own + end
    after = each.share + last.cuts
    share = own * (many * after + each.cuts * j1) + last.share * end
    share2 = own**2 * (each.cuts * j2 + 2 * j1 * each.share + many * each.share2)
    share2 += last.cuts * (many * own) ** 2 + 2 * many * own * end * last.share
    share2 += end**2 * last.share2
    rest = many * each.rest + last.rest + own * (each.cuts * j1 + many * each.share2)
    rest += last.cuts * many * own + last.share2 * end - share2 / below
    together = many * each.together + last.together + last.share**2 * end
    together += own * _squares(many, after, each.cuts) - share**2 / below
    cuts = many * each.cuts + last.cuts
    return _Cuts(cuts, share / below, share2 / below**2, rest, together)


def _squares(many: int, first: float, step: float) -> float:
    """Return the sum of (first + i step)**2 over i < many."""
    j1, j2 = many * (many - 1) / 2, many * (many - 1) * (2 * many - 1) / 6
    return many * first**2 + 2 * first * step * j1 + step**2 * j2
