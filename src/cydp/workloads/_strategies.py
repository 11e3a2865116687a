# SPDX-License-Identifier: MIT
"""The ways to answer a workload, and the error of each, from public parameters alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._numbers.rational import float_of
from cydp.accounting._loss import Loss, PureDP
from cydp.accounting.ledger._paid import Payment
from cydp.exact._cell_axes import public_edges
from cydp.releases._answers import Answer, NoisyAnswer
from cydp.releases._cells import CellRows
from cydp.releases._histogram import binned_rows
from cydp.releases._noise_split import Aggregate, Part
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import names_of
from cydp.releases._release import ADDED, recorded
from cydp.releases._rows import Key
from cydp.releases._tally import Tally
from cydp.releases._terms import losses_by_noise, read_terms, terms_of
from cydp.releases._unit import Change, Unit, root_above
from cydp.workloads._cell_ranges import MOST_CELLS
from cydp.workloads._chernoff_bounds import SumsAnswer, Terms
from cydp.workloads._fractional_sums import (
    FRACTIONAL,
    UNIT_STEP,
    FractionalSums,
    fractional_sums,
)
from cydp.workloads._linear_release import LinearRelease
from cydp.workloads._queries import Queries, read_workload, sum_of_largest
from cydp.workloads._range_query import choose_tree
from cydp.workloads._sums_query import SumsQuery
from cydp.workloads._tents import TENTS, Tents, prefix_tents, range_tents, why_no_tents
from cydp.workloads._tree import Tree, change_nodes

__all__ = [
    "STRATEGIES",
    "LinearQuery",
    "StrategyError",
    "change_answers",
    "errors_of",
    "strategies_of",
]


STRATEGIES = ("identity", "tree", "workload", FRACTIONAL, TENTS)


@recorded
@dataclass(frozen=True, repr=False)
class LinearQuery(SumsQuery):
    """A workload of linear queries on the counts of cells, and where noise is added.

    Attributes
    ----------
    strategy : {"identity", "tree", "workload", "fractional_sums", "tents"}
        Where noise is added: to the counts of cells, of a tree's nodes, to the answers, or to
        other sums of cells.
    queries : int
    changes : tuple (Fraction, Fraction, int)
        How far a unit can change the numbers with noise: in the L1 and in the L2 norm, and in how
        many numbers.

    """

    function: ClassVar[str] = "linear_queries"

    strategy: str
    queries: int
    cells: int
    branching: int
    levels: int
    changes: tuple[Fraction, Fraction, int]
    percent: int = field(default=0, metadata=ADDED)
    tents: tuple[int, ...] = field(default=(), metadata=ADDED)

    @classmethod
    def of(cls, given: Given, source: CellRows | None) -> DataQuery:
        """Return the query of a call: of the best strategy, unless one was given."""
        queries, strategy = read_workload(given["workload"]), given["strategy"]
        if strategy is not None and strategy not in STRATEGIES:
            raise ValueError(f"strategy must be one of {', '.join(STRATEGIES)}, not {strategy!r}")
        if source is None:
            edges = public_edges(given["bins"], given["range"])
        else:
            (edges,) = source.edges
        if len(edges) - 1 != queries.cells:
            raise ValueError(
                f"workload must have a cell for each bin: it has {queries.cells}, and there are "
                f"{len(edges) - 1} bins"
            )
        privacy, unit = read_terms(terms_of(given, cls.bounded), cls.bounded)
        made = [
            each
            for loss in losses_by_noise(privacy, given["noise"])
            for each in strategies_of(queries, loss, unit, given["branching"], given["levels"])
        ]
        found = _choose(queries, made, strategy)
        names = names_of(given, "column", "user")
        return found.reading(columns=names, edges=(edges,), public={"workload": queries})

    @classmethod
    def declare(cls, given: Given) -> CellRows:
        """Return the columns of numbers and users, and the bins."""
        return binned_rows(given, given["bins"], given["range"])

    def answers(self) -> list[Answer]:
        """Return the answers."""
        if self.strategy == "workload":
            return [NoisyAnswer("answers", self.queries, "rows", self.part)]
        return [SumsAnswer("answers", self.queries, "rows", (self.terms,))]

    @property
    def terms(self) -> Terms:
        """The noise in the answers, if it is not added to them directly."""
        queries = self.reads.public["workload"]
        return Terms(self.part.noise, squares_of(queries, self), largest_of(queries, self))

    @property
    def nbytes(self) -> int:
        """How many bytes the numbers with noise have, at most."""
        return 8 * max(self.sums.nodes, self.queries)

    def read(self, source: CellRows, key: Key) -> Tally:
        """Count the rows, and sum the counts to the numbers with noise."""
        exact = source.count(self.unit, key)
        if self.strategy == "workload":
            exact = self.reads.public["workload"].answer(exact)
        elif self.strategy != "identity":
            exact = self.sums.count_nodes(exact)
        return Tally(self, {self.strategy: exact})

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> LinearRelease:
        """Return the release."""
        queries, answers = self.reads.public["workload"], drawn
        if self.strategy != "workload":
            identity = self.strategy == "identity"
            answers = queries.answer(drawn.astype(np.float64) if identity else self.sums.fit(drawn))
        return LinearRelease(
            query=self,
            noisy=drawn,
            answers=answers,
            squares=squares_of(queries, self),
            largest=largest_of(queries, self),
            payment=payment,
        )

    def _other_before(self) -> Any:
        return {"edges": self.reads.edges[0], "workload": self.reads.public["workload"].digest()}

    def aggregates(self) -> list[Aggregate]:
        """Return the numbers with noise."""
        change = Change(*self.changes, self.unit.relation)
        step = Fraction(1) if isinstance(self.sums, Tree) else UNIT_STEP
        return [Aggregate(self.strategy, change, step)]

    @property
    def part(self) -> Part:
        """The part with noise."""
        return self.parts[self.strategy]


@dataclass(frozen=True, slots=True)
class StrategyError:
    """The error of one strategy for a workload, known before any data.

    Attributes
    ----------
    strategy : {"identity", "tree", "workload", "fractional_sums", "tents"}
    total : float
        The sum of the variances of all answers, in squared records; infinite where the strategy
        cannot be used.
    largest : float
        The largest variance of an answer.
    why_not : str
        Why the strategy cannot be used; empty if it can.

    """

    strategy: str
    total: float
    largest: float
    why_not: str = ""


def strategies_of(
    queries: Queries, privacy: Loss, unit: Unit, branching: Integer | None, levels: Integer | None
) -> Iterator[LinearQuery | StrategyError]:
    """Yield the query of each strategy, or why it cannot be used.

    Raises
    ------
    TypeError, ValueError
        For a tree that is not allowed.

    """
    count, cells = queries.count, queries.cells
    if cells > MOST_CELLS:
        raise ValueError(f"a workload must have at most 2**26 cells, not {cells}")
    tree = choose_tree(cells, branching, levels, privacy, unit)

    def query(strategy: str, change: Change, tree: Tree) -> LinearQuery | StrategyError:
        changes = change.l1, change.l2, change.coordinates
        try:
            return LinearQuery(
                privacy, unit, strategy, count, cells, tree.branching, tree.levels, changes
            )
        except ValueError as error:  # no noise fits
            return StrategyError(strategy, math.inf, math.inf, str(error))

    alone = Tree(cells, 2, 1)
    yield query("identity", unit.change_each_partition(1, 1, cells), alone)
    yield query("tree", change_nodes(unit, tree), tree)
    why_not = queries.why_not_exact
    if why_not:
        yield StrategyError("workload", math.inf, math.inf, why_not)
    else:
        yield query("workload", change_answers(queries, unit), alone)
    if isinstance(privacy, PureDP):
        yield StrategyError(FRACTIONAL, math.inf, math.inf, _NO_LAPLACE)
        why_not = why_no_tents(cells)
        yield _best_sums(TENTS, why_not, _both_tents, queries, privacy, unit)
    else:
        why_not = queries.why_no_sums
        yield _best_sums(FRACTIONAL, why_not, fractional_sums, queries, privacy, unit)
        yield StrategyError(TENTS, math.inf, math.inf, _NO_GAUSSIAN)


_NO_LAPLACE = "Laplace noise would be for the sum of all weights of a cell"
_NO_GAUSSIAN = "Gaussian noise in fractional sums is less"


def _both_tents(cells: int) -> list[Tents]:
    return [range_tents(cells), prefix_tents(cells)]


def _best_sums(
    strategy: str,
    why_not: str,
    others: Callable[[int], Sequence[FractionalSums | Tents]],
    queries: Queries,
    privacy: Loss,
    unit: Unit,
) -> LinearQuery | StrategyError:
    """Return the query with the least error, of those with noise in other sums than a tree's."""
    if why_not:
        return StrategyError(strategy, math.inf, math.inf, why_not)
    made = []
    for sums in others(queries.cells):
        change = sums.change(unit)
        changes = change.l1, change.l2, change.coordinates
        own = strategy, queries.count, sums.cells, 2, 1, changes
        try:
            made.append(LinearQuery(privacy, unit, *own, **sums.fields))
        except ValueError as error:  # no noise fits
            return StrategyError(strategy, math.inf, math.inf, str(error))
    return min(made, key=lambda query: errors_of(queries, query).total)


def squares_of(queries: Queries, query: LinearQuery) -> NDArray[np.float64]:
    """Return the variance of each answer, in variances of the noise."""
    if query.strategy == "workload":
        return np.ones(queries.count)
    if query.strategy == "identity":
        return queries.squares()
    return float_of(query.part.step) ** 2 * queries.noise_of(query.sums)


def largest_of(queries: Queries, query: LinearQuery) -> NDArray[np.float64]:
    """Return the largest absolute coefficient of noise in each answer, or more."""
    if query.strategy == "workload":
        return np.ones(queries.count)
    return float_of(query.part.step) * query.sums.largest * queries.largest()


def errors_of(queries: Queries, query: LinearQuery | StrategyError) -> StrategyError:
    """Return the error of a strategy."""
    if isinstance(query, StrategyError):
        return query
    variances = query.part.noise.variance * squares_of(queries, query)
    return StrategyError(query.strategy, float(variances.sum()), float(variances.max()))


def _choose(
    queries: Queries, made: list[LinearQuery | StrategyError], strategy: str | None
) -> LinearQuery:
    allowed = [each for each in made if strategy in (None, each.strategy)]
    chosen = min(allowed, key=lambda each: errors_of(queries, each).total)
    if isinstance(chosen, StrategyError):
        raise ValueError(f"strategy cannot be {chosen.strategy!r}: {chosen.why_not}")
    return chosen


def change_answers(queries: Queries, unit: Unit) -> Change:
    """Return how far one unit can change the exact answers of all queries together.

    Parameters
    ----------
    queries : Queries
        Of integer weights.
    unit : Unit
        Its partitions are cells.

    """
    rows, cells = unit.max_rows, min(unit.max_partitions or 1, queries.cells)
    becomes = unit.rows_may_become_others
    l1, square = _most(queries, cells, becomes)
    # Each of k promised rows may be in a cell of its own.
    either = cells * (2 if becomes else 1) * (rows if unit.promised else 1)
    reached = min(int(sum_of_largest(queries.holding(), either)), queries.count)
    return Change(Fraction(rows * l1), rows * root_above(Fraction(square)), reached, unit.relation)


def _most(queries: Queries, cells: int, becomes: bool) -> tuple[int, int]:
    """Return the most that one row in each of so many cells does: L1 and the squared L2 norm."""
    # Where rows may become others, a row comes for each that goes: a pair changes two cells.
    of_one, square_of_one = queries.change(becomes)
    if cells == 1:
        return of_one, square_of_one
    either = 2 * cells if becomes else cells
    reaches = queries.reaches(cells, becomes)
    columns = sum_of_largest(queries.columns(), either)
    l1 = min(cells * of_one, int(columns), int(reaches.sum()))
    squares = [cells**2 * square_of_one, _sum_of_squares(reaches)]
    products = queries.products()
    if products is not None:
        minus = 0 if not becomes else sum_of_largest((-products).clip(0), cells)
        each = sum_of_largest(products.clip(0), cells) + minus
        squares.append(int(sum_of_largest(each, either)))
    return l1, min(squares)


def _sum_of_squares(values: NDArray[Any]) -> int:
    """Return the sum of the squares, which may be beyond int64."""
    each, counts = np.unique(values, return_counts=True)
    return sum(n * value**2 for value, n in zip(each.tolist(), counts.tolist(), strict=True))
