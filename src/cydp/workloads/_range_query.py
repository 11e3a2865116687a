# SPDX-License-Identifier: MIT
"""The query of `range_counts`, and the sums of cells that have noise, from public parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._numbers.rational import float_of, read_integer
from cydp.accounting._loss import Loss, PureDP
from cydp.accounting.ledger._paid import Payment
from cydp.exact._cell_axes import public_edges
from cydp.releases._answers import Answer, NoisyAnswer
from cydp.releases._cells import CellRows
from cydp.releases._histogram import binned_rows
from cydp.releases._noise_split import Aggregate, Part, split_privacy
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import known_names
from cydp.releases._release import ADDED, recorded
from cydp.releases._rows import Key
from cydp.releases._tally import Tally
from cydp.releases._unit import Change, Unit
from cydp.workloads._cell_ranges import MOST_CELLS, read_cells, read_ranges
from cydp.workloads._chernoff_bounds import SumsAnswer, Terms
from cydp.workloads._fractional_sums import (
    FRACTIONAL,
    UNIT_STEP,
    FractionalSums,
    fractional_sums,
    why_no_fractional_sums,
)
from cydp.workloads._range_release import RangeRelease
from cydp.workloads._sums_query import SumsQuery
from cydp.workloads._tents import TENTS, Tents, range_tents, why_no_tents
from cydp.workloads._tree import Tree, change_nodes, levels_to_root
from cydp.workloads._tree_variance import mean_range_variance, range_variance

__all__ = ["RangeQuery", "choose_tree"]

_WHY_NOT = {FRACTIONAL: why_no_fractional_sums, TENTS: why_no_tents}
_STRATEGIES = ("tree", *_WHY_NOT)
_LEAST = 5e-324  # a variance that is below it is 0 as a float
_BRANCHINGS = 64  # all smaller ones are tried, and the best one for each number of levels


@recorded
@dataclass(frozen=True, repr=False)
class RangeQuery(SumsQuery):
    """The counts of all nodes of a tree over cells, fractional sums of them, or tents."""

    function: ClassVar[str] = "range_counts"

    cells: int
    branching: int
    levels: int
    percent: int = field(default=0, metadata=ADDED)
    tents: tuple[int, ...] = field(default=(), metadata=ADDED)

    @classmethod
    def of(cls, given: Given, source: CellRows | None) -> DataQuery:
        """Return the query of a call."""
        if source is None:
            edges = public_edges(given["bins"], given["range"])
        else:
            (edges,) = source.edges
        cells = len(edges) - 1
        own = given["strategy"], given["branching"], given["levels"]
        return cls.kept(given, cells, *own).reading(edges=(edges,))

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of a number of cells, and of the tree, if it was given."""
        cells, strategy, branching, levels = own
        read_cells(cells, "the number of bins")
        if strategy not in (None, *_STRATEGIES):
            raise ValueError(f"strategy must be one of {', '.join(_STRATEGIES)}, not {strategy!r}")
        made, of_tree = [], branching is not None or levels is not None
        if strategy in _WHY_NOT:
            if of_tree:
                raise ValueError(f"branching and levels are of trees, not of {strategy!r}")
            if why_not := _WHY_NOT[strategy](cells):
                raise ValueError(f"strategy cannot be {strategy!r}: {why_not}")
        else:
            tree = choose_tree(cells, branching, levels, privacy, unit)
            made.append(cls(privacy, unit, cells, tree.branching, tree.levels))
        if strategy is None and not of_tree:
            # Laplace noise of fractional sums would be for the sum of all weights, which is many
            # times the largest one; Gaussian noise of tents is more than theirs.
            strategy = TENTS if isinstance(privacy, PureDP) else FRACTIONAL
        for each in _others(strategy, cells):
            try:
                made.append(cls(privacy, unit, cells, 2, 1, **each.fields))
            except ValueError:  # no noise fits
                if not made:
                    raise
        return min(made, key=lambda query: query.mean_variance)

    @classmethod
    def declare(cls, given: Given) -> CellRows:
        """Return the columns of numbers and users, and the bins."""
        return binned_rows(given, given["bins"], given["range"])

    def answers(self) -> list[Answer]:
        """Return the counts of bins; `range_variance` is the variance of any range."""
        if self.levels == 1 and self.strategy == "tree":  # a histogram
            return [NoisyAnswer("counts", self.cells, "rows", self.part)]
        return [SumsAnswer("counts", self.cells, "rows", (self.terms,))]

    @property
    def terms(self) -> Terms:
        """The noise in the counts of bins."""
        cells = np.arange(self.cells)
        return self.terms_of_ranges(cells, cells + 1)

    def terms_of_ranges(self, lows: NDArray[np.int64], highs: NDArray[np.int64]) -> Terms:
        """Return the noise in the counts of ranges."""
        step = float_of(self.part.step)
        sums, squares = self.sums, self._squares(lows, highs)
        largest = sums.largest_in(lows, highs) if isinstance(sums, Tents) else sums.largest
        return Terms(self.part.noise, step**2 * squares, step * largest)

    def _squares(self, lows: NDArray[np.int64], highs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the variances of ranges, in variances of the noise."""
        sums = self.sums
        if isinstance(sums, Tree):
            return range_variance(sums, lows, highs)
        return sums.range_variance(lows, highs)

    @property
    def nbytes(self) -> int:
        """How many bytes the counts of nodes have."""
        return 8 * self.sums.nodes

    def read(self, source: CellRows, key: Key) -> Tally:
        """Count the rows in each node."""
        return Tally(self, {"nodes": self.sums.count_nodes(source.count(self.unit, key))})

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> RangeRelease:
        """Return the release."""
        names = known_names([self.reads.columns["column"]])
        return RangeRelease(
            query=self, nodes=drawn, axes=self.reads.edges, names=names, payment=payment
        )

    def _other_before(self) -> Any:
        return {"edges": self.reads.edges[0]}

    def aggregates(self) -> list[Aggregate]:
        """Return the sums of cells that have noise."""
        sums = self.sums
        if isinstance(sums, Tree):
            return [Aggregate("nodes", change_nodes(self.unit, sums))]
        return [Aggregate("nodes", sums.change(self.unit), UNIT_STEP)]

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What the query shows, and a ledger records."""
        hidden = () if self.strategy == "tree" else ("branching", "levels")
        return {name: each for name, each in super().parameters.items() if name not in hidden}

    @property
    def log_noise(self) -> float:
        """How noisy ranges are in the mean: other sums may have more noise in each of them."""
        return math.log(self.mean_variance or _LEAST)

    @property
    def strategy(self) -> str:
        """Which sums of cells have noise: "tree", "fractional_sums" or "tents"."""
        return TENTS if self.tents else FRACTIONAL if self.percent else "tree"

    @property
    def part(self) -> Part:
        """The sums of cells with their noise."""
        return self.parts["nodes"]

    def range_variance(self, lows: Any, highs: Any) -> NDArray[np.float64]:
        """Return the variance of the count of each range of cells, before any data.

        Parameters
        ----------
        lows, highs : int or array_like of int
            A range is of the cells lo, ..., hi - 1.

        Returns
        -------
        ndarray of float64, of the shape of lows and highs together
            In squared records.

        Raises
        ------
        TypeError, ValueError
            Unless 0 <= lo <= hi <= cells.

        """
        first, last, shape = read_ranges(lows, highs, self.cells)
        return (self.part.variance * self._squares(first, last)).reshape(shape)

    @property
    def mean_variance(self) -> float:
        """The mean of `range_variance` over all ranges of at least one cell."""
        sums = self.sums
        if isinstance(sums, Tree):
            return self.part.variance * mean_range_variance(sums)
        return self.part.variance * sums.mean_range_variance()

    @property
    def expected_error(self) -> float:
        """The root of `mean_variance`: the typical error of a range, in records."""
        return math.sqrt(self.mean_variance)


def _others(strategy: str | None, cells: int) -> Sequence[FractionalSums | Tents]:
    """Return the sums of a strategy that may have noise, besides a tree's."""
    if strategy == FRACTIONAL:
        return fractional_sums(cells)
    return [range_tents(cells)] if strategy == TENTS and not why_no_tents(cells) else []


def choose_tree(
    cells: int, branching: Integer | None, levels: Integer | None, privacy: Loss, unit: Unit
) -> Tree:
    """Return the tree with the least mean variance of all ranges that the parameters allow.

    Raises
    ------
    TypeError, ValueError
        If branching is no integer of at least 2, or levels is no integer from 1 to the level of a
        root.

    """
    width = None if branching is None else read_integer(branching, "branching")
    height = None if levels is None else read_integer(levels, "levels")
    if width is not None and not 2 <= width <= MOST_CELLS:
        raise ValueError(f"branching must be from 2 to 2**26, not {width}")
    most = levels_to_root(cells, width or 2)
    if height is not None and not 1 <= height <= most:
        raise ValueError(f"levels must be from 1 to {most}, that of the root, not {height}")
    if None not in (width, height):
        return Tree(cells, width or 2, height or 1)
    known: dict[Change, float] = {}

    def mean_variance(tree: Tree) -> float:
        change = change_nodes(unit, tree)
        if change not in known:
            try:
                parts, _ = split_privacy(privacy, [Aggregate("nodes", change)])
                known[change] = parts["nodes"].variance
            except ValueError:  # no noise fits this tree; if it fits none, the query says so
                known[change] = math.inf
        return known[change] * mean_range_variance(tree)

    return min(_candidates(cells, width, height), key=mean_variance)


def _candidates(cells: int, branching: int | None, levels: int | None) -> Iterator[Tree]:
    for width in _branchings(cells) if branching is None else [branching]:
        most = levels_to_root(cells, width)
        for height in range(1, most + 1) if levels is None else [levels]:
            if height <= most:
                yield Tree(cells, width, height)


def _branchings(cells: int) -> list[int]:
    """Return how many children a node may have: the numbers that could be best."""
    few = range(2, max(min(cells, _BRANCHINGS), 2) + 1)
    even = [math.ceil(Fraction(cells) ** Fraction(1, height)) for height in range(2, 7)]
    return sorted({*few, *(each for each in even if each >= 2)})
