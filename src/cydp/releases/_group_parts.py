# SPDX-License-Identifier: MIT
"""The parts of counts, sums, means and quantiles by key: their noise, and how keys are selected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._loss import ApproxDP, Loss
from cydp.mechanisms._count_threshold import CountThreshold
from cydp.mechanisms._partition_selection import PartitionSelection
from cydp.releases._distances import (
    are_better,
    distances_of,
    log_noise_by_distances,
)
from cydp.releases._group_rows import (
    Summary,
)
from cydp.releases._key_selection import (
    KEYS,
    OPTIMAL,
    THRESHOLD,
    Selecting,
    select_by_count,
    select_first,
)
from cydp.releases._left_out import LEFT_OUT, left_out_aggregate
from cydp.releases._noise_split import (
    Aggregate,
    Moves,
    Part,
    RowMoves,
    log_noise,
    size_of,
    split_privacy,
)
from cydp.releases._quantile_list import Changing
from cydp.releases._query import DataQuery
from cydp.releases._release import ADDED
from cydp.releases._terms import Weights
from cydp.releases._unit import Unit
from cydp.releases._user_sums import ends_of_sum

__all__ = ["GroupParts", "changing"]


@dataclass(frozen=True, repr=False)
class GroupParts(DataQuery):
    """What is released by key, with its noise.

    Attributes
    ----------
    n_keys : int or None
        The number of public keys; None: the keys are selected from the data.
    has_count : bool
        Whether the rows of each key are counted.
    summaries : tuple of Summary
    weights : tuple of (name, weight)
        How the privacy is split among the columns, and the selection of keys.
    most_left_out : int or None
        Of how many rows of a user the estimate of what is left out counts; None: there is none.
    noise : str or None
        The noise that is asked for, if keys are selected; for public keys the privacy says it.
    distances : bool
        Whether means that count rows of their own are from distances to both bounds.
    rule : str
        How keys that are not public are selected: "threshold" or "optimal".

    """

    function: ClassVar[str] = "group_by"
    n_keys: int | None
    has_count: bool
    summaries: tuple[Summary, ...]
    weights: Weights
    most_left_out: int | None = field(default=None, repr=False, metadata=ADDED)
    noise: str | None = field(default=None, repr=False, metadata=ADDED)
    distances: bool = field(default=False, repr=False, metadata=ADDED)
    rule: str = field(default=OPTIMAL, repr=False, metadata=ADDED)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.selection, CountThreshold):  # else raises errors of parameters
            counts = replace(self.parts["n"], least=self.selection.threshold)
            object.__setattr__(self, "parts", MappingProxyType({**self.parts, "n": counts}))

    def is_by_distances(self, summary: Summary, privacy: Loss) -> bool:
        """Whether a mean is from distances, under a privacy of the parts."""
        is_mean = self.distances and summary.counts_rows
        return is_mean and are_better(privacy, self.unit, summary.grid)

    @property
    def log_noise(self) -> float:
        """How noisy the released numbers are, with the number of rows of each mean."""
        return self._log_noise(self.privacy_of_parts, self.parts)

    def _log_noise(self, privacy: Loss, parts: Mapping[str, Part]) -> float:
        found = log_noise(parts)
        for summary in self.summaries:
            if self.is_by_distances(summary, privacy):
                part = parts[summary.name]
                found += log_noise_by_distances(part, 2, summary.grid) - log_noise({"": part})
        return found

    def aggregates(self) -> list[Aggregate]:
        """Return the answers in the order in which their noise is drawn."""
        # Without distances they are the same for each privacy, which may need to know them.
        return self._aggregates(self.privacy_of_parts if self.distances else self.privacy)

    def _aggregates(self, privacy: Loss) -> list[Aggregate]:
        weights, counts = dict(self.weights), self.unit.change_each_partition(1, 1, self.n_keys)
        found = []
        if self.has_count:
            found.append(Aggregate("n", counts, weight=weights["n"]))
        for summary in self.summaries:
            weight = weights[summary.name]
            if summary.kind == "quantile":
                found += summary.listed.aggregates(changing(self.unit, self.n_keys), weight)
                continue
            if self.is_by_distances(summary, privacy):
                width, step = summary.grid.highest - summary.grid.lowest, summary.grid.step
                change = self.unit.change_each_partition(width, width, self.n_keys)
                found.append(distances_of(summary.name, change, 2, step, weight))
                continue
            if summary.counts_rows:  # a mean's weight is for its sum and its count, half each
                weight /= 2
                found.append(Aggregate(summary.rows_name, counts, weight=weight))
            found.append(self._sum(summary, weight))
        if self.most_left_out is not None:
            found.append(left_out_aggregate(self.most_left_out, self.unit, weights[LEFT_OUT]))
        return found

    def _sum(self, summary: Summary, weight: Fraction) -> Aggregate:
        unit, reach = self.unit, self._reach(summary)
        if summary.most is not None:  # the sum of a user moves as the number of a single row does
            least, largest = ends_of_sum(summary.grid, unit.max_rows, summary.most)
            unit, reach = replace(unit, max_rows=1), (max(-least, largest), largest - least)
        change = unit.change_each_partition(*reach, self.n_keys)
        return Aggregate(summary.name, change, summary.grid.step, weight)

    def _reach(self, summary: Summary) -> tuple[int, int]:
        """Return by how much a row that comes, and one that changes, can change a sum."""
        low, high = summary.grid.lowest - summary.shift, summary.grid.highest - summary.shift
        is_always_there = summary.filled is not None and self.unit.has_fixed_rows
        width = high - low if is_always_there else max(high, 0) - min(low, 0)
        return max(abs(low), abs(high)), width

    def row_moves(self) -> RowMoves | None:
        """Return what a row does: one that stays in its partition does not change "n"."""
        if self.most_left_out is not None:
            return None  # rows that are left out are in no partition
        comes = {"n": size_of(1)}
        becomes: list[list[Moves]] = []
        for summary in self.summaries:
            if summary.kind == "quantile":
                comes_of_list, becomes_of_list = summary.listed.row_moves()
                comes |= comes_of_list
                becomes.append([becomes_of_list])
                continue
            most, width = map(size_of, self._reach(summary))
            comes[summary.name] = most
            becomes.append([{summary.name: width}])
            if summary.counts_rows:  # a number that becomes missing, or the reverse
                comes[summary.rows_name] = size_of(1)
                becomes[-1].append({summary.name: most, summary.rows_name: size_of(1)})
        return RowMoves(comes, becomes, self.n_keys)

    @property
    def mechanisms(self) -> dict[str, Any]:
        """The selection of keys, unless they are public, and the mechanisms of the parts."""
        return self.selections | super().mechanisms

    @property
    def privacy_of_parts(self) -> Loss:
        """The privacy of the parts, without what the selection of keys takes."""
        return self.privacy if self.n_keys is not None else self.selecting.privacy

    @cached_property
    def selecting(self) -> Selecting:
        """How keys that are not public are selected, and at what cost."""
        privacy, unit = self.privacy, self.unit
        if not isinstance(privacy, ApproxDP | ApproxZCDP):
            raise TypeError(
                "epsilon and delta must be given for keys that are not public, or rho and delta: "
                "delta bounds the probability that the key of a single unit is shown; public keys "
                "need no delta"
            )

        def parts(loss: Loss) -> tuple[Mapping[str, Part], float]:
            found, _ = split_privacy(loss, self._aggregates(loss), self.joint)
            return found, self._log_noise(loss, found)

        if self.rule == THRESHOLD:
            return select_by_count(privacy, unit, self.noise, "n", parts)
        weights = dict(self.weights)
        share = weights[KEYS] / sum(weights.values(), Fraction(0))
        return select_first(privacy, unit, self.noise, share, parts)

    @property
    def selection_noise(self) -> float:
        """How noisy a release of keys that are not public is: a sum of logarithms."""
        return self.selecting.noise

    @property
    def selection(self) -> PartitionSelection | CountThreshold | None:
        """The mechanism that selects the keys; None for public keys."""
        return None if self.n_keys is not None else self.selecting.mechanism

    @property
    def selections(self) -> dict[str, Any]:
        """The mechanism that selects the keys, unless they are public."""
        return {} if self.selection is None else {KEYS: self.selection}


def changing(unit: Unit, n_keys: int | None) -> Changing:
    """Return how far a unit changes answers by key, as lists of quantiles ask it."""
    return lambda most, width: unit.change_each_partition(most, width, n_keys)
