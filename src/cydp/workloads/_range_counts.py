# SPDX-License-Identifier: MIT
"""The counts of all ranges of bins, by a tree of noisy counts that are made consistent."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import BinsLike, Column, Integer, Number, RangeLike
from cydp._generator import Generator
from cydp._numbers.rational import read_integer
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.mechanisms._run import Budget
from cydp.releases._answers import Answer, NoisyAnswer
from cydp.releases._cells import CellRows, public_edges
from cydp.releases._histogram import binned_rows
from cydp.releases._noise_split import Aggregate, Part, split_privacy
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import known_names
from cydp.releases._release import recorded
from cydp.releases._rows import Key
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._unit import Change, Unit, UnitName
from cydp.workloads._cell_ranges import MOST_CELLS, read_cells, read_ranges
from cydp.workloads._chernoff_bounds import SumsAnswer, Terms
from cydp.workloads._range_release import RangeRelease
from cydp.workloads._tree import Tree, change_nodes, levels_to_root
from cydp.workloads._tree_variance import mean_range_variance, range_variance

__all__ = ["choose_tree", "range_counts"]


@recorded
@dataclass(frozen=True, repr=False)
class RangeQuery(DataQuery):
    """The counts of all nodes of a tree over cells.

    Attributes
    ----------
    cells : int
        The number of cells.
    branching : int
        How many nodes of a level have one parent.
    levels : int
        How many levels have noise, with the cells themselves.

    """

    function: ClassVar[str] = "range_counts"
    bounded: ClassVar[str] = "partitions"

    cells: int
    branching: int
    levels: int

    @classmethod
    def of(cls, given: Given, source: CellRows | None) -> DataQuery:
        """Return the query of a call."""
        if source is None:
            edges = public_edges(given["bins"], given["range"])
        else:
            (edges,) = source.edges
        cells, own = len(edges) - 1, (given["branching"], given["levels"])
        return cls.kept(given, cells, *own).reading(edges=(edges,))

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of a number of cells, and of the tree, if it was given."""
        cells, branching, levels = own
        read_cells(cells, "the number of bins")
        tree = choose_tree(cells, branching, levels, privacy, unit)
        return cls(privacy, unit, cells, tree.branching, tree.levels)

    @classmethod
    def declare(cls, given: Given) -> CellRows:
        """Return the columns of numbers and users, and the bins."""
        return binned_rows(given, given["bins"], given["range"])

    def answers(self) -> list[Answer]:
        """Return the counts of bins; `range_variance` is the variance of any range."""
        if self.levels == 1:  # a histogram
            return [NoisyAnswer("counts", self.cells, "rows", self.part)]
        return [SumsAnswer("counts", self.cells, "rows", (self.terms,))]

    @property
    def terms(self) -> Terms:
        """The noise in the counts of bins."""
        cells = np.arange(self.cells)
        return Terms(self.part.noise, range_variance(self.tree, cells, cells + 1))

    @property
    def nbytes(self) -> int:
        """How many bytes the counts of nodes have."""
        return 8 * self.tree.nodes

    def read(self, source: CellRows, key: Key) -> Tally:
        """Count the rows in each node."""
        return Tally(self, {"nodes": self.tree.count_nodes(source.count(self.unit, key))})

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> RangeRelease:
        """Return the release."""
        names = known_names([self.reads.columns["column"]])
        return RangeRelease(
            query=self, nodes=drawn, axes=self.reads.edges, names=names, payment=payment
        )

    def _other_before(self) -> Any:
        return {"edges": self.reads.edges[0]}

    def aggregates(self) -> list[Aggregate]:
        """Return the counts of nodes."""
        return [Aggregate("nodes", change_nodes(self.unit, self.tree))]

    @property
    def log_noise(self) -> float:
        """How noisy ranges are in the mean: another tree may have more noise in each node."""
        return super().log_noise + math.log(mean_range_variance(self.tree))

    @property
    def tree(self) -> Tree:
        """The nodes that are counted."""
        return Tree(self.cells, self.branching, self.levels)

    @property
    def part(self) -> Part:
        """The counts of nodes with their noise."""
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
        return (self.part.variance * range_variance(self.tree, first, last)).reshape(shape)

    @property
    def mean_variance(self) -> float:
        """The mean of `range_variance` over all ranges of at least one cell."""
        return self.part.variance * mean_range_variance(self.tree)

    @property
    def expected_error(self) -> float:
        """The root of `mean_variance`: the typical error of a range, in records."""
        return math.sqrt(self.mean_variance)


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


@release(RangeQuery)
def range_counts(
    x: Column,
    bins: BinsLike,
    range: RangeLike | None = None,
    *,
    branching: Integer | None = None,
    levels: Integer | None = None,
    column: Hashable = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> RangeRelease:
    """Count records in all ranges of bins at once, by a tree of noisy counts.

    The counts of bins, of groups of bins, of groups of these and so on have exact noise, and are
    then made consistent by least squares. A long range is the sum of few noisy counts; in a
    histogram it is one of many.

    Parameters
    ----------
    x : array_like of real numbers, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column. With
        `column`, a table: of pandas, polars (a lazy frame too), pyarrow or DuckDB, or CSV or
        Parquet files, such as "data/*.csv": a text is a path. What a query computes must treat each
        record alone, and not fail on one. Or a date or a time for each record.
    bins : int, sequence of edges, or a width of time
        A number of equal bins over `range`, or edges that never decrease: at most 2**26 bins. The
        last bin includes its right edge. Missing numbers, and numbers in no bin, are left out.
        Of dates or times: edges that are such, or a width over `range`, such as "15m", "6h", "1d",
        "1w", "1mo" or "1y", or a timedelta; then no bin includes its right edge.
    range : (float, float), or two dates or times, optional
        The ends of the bins, unless `bins` are edges. There is no default, because the range of the
        data would reveal records.
    branching : int >= 2, optional
        How many counts of one level have one sum in the next. Default: the number with the least
        mean variance over all ranges, which depends on the number of bins and on the unit.
    levels : int >= 1, optional
        How many levels have noise. 1 is the histogram; the most has the total of all bins. Default:
        chosen together with `branching`.
    column : name, optional
        The column to read, if x is a table.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, by discrete Laplace noise, or with
        `delta` approximate DP. Either epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP, by discrete Gaussian noise.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP, by discrete Gaussian noise, or by Laplace noise where that
        has less variance; no delta is then spent.
    noise : {"laplace", "gaussian"}, optional
        Which noise is added with `delta`. Default: the one with less variance.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one unit, in its data, or in either.
    user : column of any kind, or its name in a table, optional
        Who each record belongs to. The protected unit is then a user. Default: a record.
    unit : str or sequence of str, optional
        What the protected unit is called in a ledger's `privacy_unit`, such as "person". A sequence
        adds the units within it: ("household", "person"). Default: the name of the column of users.
    max_partitions : int >= 1, optional
        Required with `user`: the most partitions (bins, keys or cells) in which records of one user
        count, chosen at random.
    max_rows_per_partition : int >= 1, default 1
        With `user`: the most records of one user that count in each bin, key or cell.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    RangeRelease
        ``release.range(lo, hi)`` and ``release.ranges(lows, highs)`` are the counts of ranges, with
        `range_variance` and `range_interval`; `counts` are the counts of the bins.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    A record changes one count of each level by 1 under "add-remove". Under the other relations it
    changes two counts of each level below a total, if that has noise. docs/workloads.md has the
    proofs.

    References
    ----------
    .. [1] Hay, Rastogi, Miklau, Suciu, "Boosting the accuracy of differentially private histograms
       through consistency", 2010.
    .. [2] Qardaji, Yang, Li, "Understanding hierarchical methods for differentially private
       histograms", 2013.

    Examples
    --------
    >>> release = range_counts([18, 25, 31, 64], 100, (0, 100), epsilon=1)
    >>> bool(abs(release.range(0, 100) - release.counts.sum()) < 1e-9)
    True
    >>> release.query.branching, release.query.levels, round(release.query.expected_error, 1)
    (9, 2, 6.8)

    """
    made: RangeRelease = run(RangeQuery, locals())
    return made


_BRANCHINGS = 64  # all smaller ones are tried, and the best one for each number of levels
