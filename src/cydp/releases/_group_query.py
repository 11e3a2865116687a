# SPDX-License-Identifier: MIT
"""What `group_by` and `value_counts` release, from public parameters alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from cydp._numbers.rational import as_exact
from cydp.accounting._loss import ApproxDP, Loss, PureDP
from cydp.exact._grid import Grid
from cydp.mechanisms._partition_selection import PartitionSelection
from cydp.releases._format import format_parameter
from cydp.releases._joint import Moves, RowMoves, size_of
from cydp.releases._moments import centre_of
from cydp.releases._parts import Aggregate, log_noise, split_privacy
from cydp.releases._query import Query
from cydp.releases._release import recorded
from cydp.releases._split import Weights
from cydp.releases._table_columns import (
    CountColumn,
    MeanColumn,
    QuantileColumn,
    SumColumn,
    TableColumn,
)

__all__ = ["KEYS", "GroupQuery", "Summary"]

KEYS = "keys"  # whose weight is that of their selection


@recorded
@dataclass(frozen=True, slots=True, repr=False)
class Summary:
    """A sum, a mean or quantiles of a column, by key.

    Attributes
    ----------
    kind : str
        "sum", "mean" or "quantile".
    column : str
    grid : Grid
        The bounds, in steps.
    filled : int or None
        What a missing number counts as, in steps; None: it does not count.
    qs : tuple of Fraction
        Which quantiles.
    several : bool
        Whether a list of quantiles was given, even if it is of one.
    counts_rows : bool
        Whether the rows that count for a mean are counted beside its sum. They are not if "n"
        counts them.

    """

    kind: str
    column: str
    grid: Grid
    filled: int | None
    qs: tuple[Fraction, ...] = ()
    several: bool = False
    counts_rows: bool = False

    @property
    def name(self) -> str:
        """The name of the released column."""
        return f"{self.kind}_{self.column}"

    @property
    def shift(self) -> int:
        """What is subtracted from each number, in steps."""
        return centre_of(self.grid) if self.kind == "mean" else 0

    @property
    def rows_name(self) -> str:
        """The name of the part that counts the rows of a mean."""
        return f"{self.name}_rows"

    def quantile_name(self, i: int) -> str:
        """Return the name of the part of a quantile."""
        return f"{self.name}_{i}"

    def __repr__(self) -> str:
        parameters: dict[str, Any] = {"grid": self.grid, "filled": self.filled}
        if self.kind == "quantile":
            parameters["qs"] = self.qs if self.several else self.qs[0]
        parts = (f"{name}={format_parameter(each)}" for name, each in parameters.items())
        return f"{self.kind}({self.column!r}, {', '.join(parts)})"


@recorded
@dataclass(frozen=True, repr=False)
class GroupQuery(Query):
    """Counts, sums, means and quantiles by key.

    Attributes
    ----------
    n_keys : int or None
        The number of public keys; None: the keys are selected from the data.
    has_count : bool
        Whether the rows of each key are counted.
    summaries : tuple of Summary
    weights : tuple of (name, weight)
        How the privacy is split among the columns, and the selection of keys.

    """

    function: ClassVar[str] = "group_by"

    n_keys: int | None
    has_count: bool
    summaries: tuple[Summary, ...]
    weights: Weights

    def __post_init__(self) -> None:
        super().__post_init__()
        assert (self.selection is None) == (self.n_keys is not None)  # raises errors of parameters

    def aggregates(self) -> list[Aggregate]:
        """Return the answers in the order in which their noise is drawn."""
        weights, counts = dict(self.weights), self.unit.change_each_partition(1, 1, self.n_keys)
        found = []
        if self.has_count:
            found.append(Aggregate("n", counts, weight=weights["n"]))
        for summary in self.summaries:
            weight = weights[summary.name]
            if summary.kind == "quantile":
                found += self._quantiles(summary, weight)
                continue
            if summary.counts_rows:  # a mean's weight is for its sum and its count, half each
                weight /= 2
                found.append(Aggregate(summary.rows_name, counts, weight=weight))
            found.append(self._sum(summary, weight))
        return found

    def _sum(self, summary: Summary, weight: Fraction) -> Aggregate:
        change = self.unit.change_each_partition(*self._reach(summary), self.n_keys)
        return Aggregate(summary.name, change, summary.grid.step, weight)

    def _reach(self, summary: Summary) -> tuple[int, int]:
        """Return by how much a row that comes, and one that changes, can change a sum."""
        low, high = summary.grid.lowest - summary.shift, summary.grid.highest - summary.shift
        is_always_there = summary.filled is not None and self.unit.has_fixed_rows
        width = high - low if is_always_there else max(high, 0) - min(low, 0)
        return max(abs(low), abs(high)), width

    def _quantiles(self, summary: Summary, weight: Fraction) -> list[Aggregate]:
        each = weight / len(summary.qs)
        return [
            Aggregate(
                summary.quantile_name(i),
                self.unit.change_each_partition(max(q, 1 - q), 1, self.n_keys),
                summary.grid.step,
                each,
                q,
            )
            for i, q in enumerate(summary.qs)
        ]

    def row_moves(self) -> RowMoves:
        """Return what a row does: one that stays in its partition does not change "n"."""
        comes = {"n": size_of(1)}
        becomes: list[list[Moves]] = []
        for summary in self.summaries:
            if summary.kind == "quantile":
                names = [summary.quantile_name(i) for i in range(len(summary.qs))]
                comes |= {
                    name: size_of(max(q, 1 - q)) for name, q in zip(names, summary.qs, strict=True)
                }
                becomes.append([dict.fromkeys(names, size_of(1))])
                continue
            most, width = map(size_of, self._reach(summary))
            comes[summary.name] = most
            becomes.append([{summary.name: width}])
            if summary.counts_rows:  # a number that becomes missing, or the reverse
                comes[summary.rows_name] = size_of(1)
                becomes[-1].append({summary.name: most, summary.rows_name: size_of(1)})
        return RowMoves(comes, becomes, self.n_keys)

    @cached_property
    def columns(self) -> dict[str, TableColumn]:
        """The columns of the released table."""
        found: dict[str, TableColumn] = {}
        if self.has_count:
            found["n"] = CountColumn(self.parts["n"])
        for summary in self.summaries:
            found[summary.name] = self._column(summary)
        return found

    def _column(self, summary: Summary) -> TableColumn:
        parts = self.parts
        if summary.kind == "quantile":
            chosen = tuple(parts[summary.quantile_name(i)] for i in range(len(summary.qs)))
            return QuantileColumn(chosen, summary.several)
        total = parts[summary.name]
        if summary.kind == "sum":
            return SumColumn(total)
        rows = parts[summary.rows_name if summary.counts_rows else "n"]
        return MeanColumn(total, rows, summary.grid)

    @property
    def mechanisms(self) -> dict[str, Any]:
        """The selection of keys, unless they are public, and the mechanisms of the parts."""
        selected = {} if self.selection is None else {KEYS: self.selection}
        return selected | super().mechanisms

    @cached_property
    def privacy_of_parts(self) -> Loss:
        """The privacy without that of the selection of keys.

        The selection needs a delta. If the parts have less noise without one, it takes all of it.
        """
        if self.n_keys is not None:
            return self.privacy
        rest, privacy = 1 - self._selection_share, self._approximate
        if rest == 0:
            return privacy
        epsilon, relation = as_exact(privacy.epsilon * rest), privacy.relation
        pure = PureDP(epsilon, relation=relation)
        both = ApproxDP(epsilon, as_exact(privacy.delta * rest), relation=relation)
        aggregates = self.aggregates()
        options: tuple[Loss, Loss] = (pure, both)
        return min(
            options, key=lambda loss: log_noise(split_privacy(loss, aggregates, self.joint)[0])
        )

    @property
    def _approximate(self) -> ApproxDP:
        if not isinstance(self.privacy, ApproxDP):
            raise TypeError(
                "epsilon and delta must be given for keys that are not public: a key of one unit "
                "is released with a probability of at most delta"
            )
        return self.privacy

    @property
    def _selection_share(self) -> Fraction:
        weights = dict(self.weights)
        return weights[KEYS] / sum(weights.values(), Fraction(0))

    @cached_property
    def selection(self) -> PartitionSelection | None:
        """The mechanism that selects the keys; None for public keys."""
        if self.n_keys is not None:
            return None
        if self.unit.promised and self.unit.max_rows > 1:
            raise ValueError(
                "keys that are not public need user=: max_rows_per_unit does not tell how many "
                "units there are in each key"
            )
        share, privacy = self._selection_share, self._approximate
        delta = privacy.delta * share
        if isinstance(self.privacy_of_parts, PureDP):
            delta = privacy.delta
        # Unless under "add-remove", the mechanism itself takes twice as many.
        reached = self.unit.most_reached // (1 if self.relation == "add-remove" else 2)
        return PartitionSelection(
            epsilon=privacy.epsilon * share, delta=delta,
            max_partitions=reached, relation=self.relation,
        )  # fmt: skip
