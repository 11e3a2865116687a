# SPDX-License-Identifier: MIT
"""The query of `group_by` and `value_counts`, from public parameters alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Labels
from cydp._columns.tables import open_table
from cydp._generator import Generator
from cydp.accounting._loss import ApproxDP, Loss
from cydp.accounting.ledger._paid import Payment
from cydp.exact._sorted_units import SortedUnits
from cydp.exact._time_grid import notes_on_days
from cydp.mechanisms._count_threshold import CountThreshold
from cydp.mechanisms._partition_selection import PartitionSelection
from cydp.releases._answers import OF_X, Answer, NoisyAnswer, RankAnswer
from cydp.releases._cells import count_codes
from cydp.releases._distances import (
    MeanByDistances,
    are_better,
    distances_of,
    log_noise_by_distances,
)
from cydp.releases._format import counted
from cydp.releases._group_rows import (
    FoundTally,
    GroupRows,
    Summary,
    columns_of,
    distances_by_key,
    exact_summary,
    open_numbers,
    read_summaries,
)
from cydp.releases._histogram_release import TableRelease
from cydp.releases._key_selection import (
    KEYS,
    OPTIMAL,
    THRESHOLD,
    Selecting,
    by_least_noise,
    read_rules,
    select_by_count,
    select_first,
)
from cydp.releases._left_out import LEFT_OUT, answer_of, left_out_aggregate, read_left_out
from cydp.releases._noise_split import (
    Aggregate,
    Moves,
    Part,
    RowMoves,
    log_noise,
    size_of,
    split_privacy,
)
from cydp.releases._numbers_query import note_on_bounds, weighs_less
from cydp.releases._quantile_list import Changing
from cydp.releases._query import DataQuery, Given
from cydp.releases._ratios import MeanAnswer
from cydp.releases._reads import (
    count_keys,
    digest_keys,
    key_names,
    known_names,
    public_keys,
    several,
)
from cydp.releases._release import ADDED, recorded
from cydp.releases._rows import Codes, Key, users_of
from cydp.releases._tally import Tally
from cydp.releases._terms import Weights, losses_by_noise, read_split
from cydp.releases._unit import Unit

__all__ = ["GroupQuery"]

_ASKED = ("count", "sums", "means", "quantiles", "missing", "split", "left_out", "selection")


@recorded
@dataclass(frozen=True, repr=False)
class GroupQuery(DataQuery):
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
    data: ClassVar[str] = "table"
    rows_given: ClassVar[str] = "n_per_key"
    bounded: ClassVar[str] = "partitions or rows"
    column_arguments: ClassVar[tuple[str, ...]] = ("user",)

    n_keys: int | None
    has_count: bool
    summaries: tuple[Summary, ...]
    weights: Weights
    most_left_out: int | None = field(default=None, repr=False, metadata=ADDED)
    noise: str | None = field(default=None, repr=False, metadata=ADDED)
    distances: bool = field(default=False, repr=False, metadata=ADDED)
    rule: str = field(default=OPTIMAL, repr=False, metadata=ADDED)

    @classmethod
    def of(cls, given: Given, source: GroupRows | None) -> DataQuery:
        """Return the query of a call."""
        columns = _columns_of_keys(given)
        keys = None if source is None else source.keys
        n_keys = None if keys is None else len(keys)
        if source is None:
            n_keys = count_keys(given["keys"], columns)
        asked = itemgetter(*_ASKED)(given)
        integers = [] if source is None else source.integers
        found = cls.kept(given, n_keys, *asked, *integers)
        return found.reading(columns={**found.reads.columns, "by": columns}, keys=keys)

    @classmethod
    def declare(cls, given: Given) -> GroupRows:
        """Return the columns of labels, users and numbers, and the keys."""
        columns, opened = _columns_of_keys(given), open_table(given["table"])

        # Before the keys: a list of labels is taken for names, and what they are is no mistake.
        is_named = not isinstance(given["by"], list | tuple)
        labels = [
            Labels(opened.column(each, "by", is_named=is_named), "by")
            for each in several(given["by"])
        ]
        public = None
        if given["keys"] is not None:
            public = public_keys(given["keys"], columns)
        return GroupRows(
            labels,
            public,
            users_of(opened, given["user"]),
            {
                name: open_numbers(
                    opened.column(name, f"a key of {argument}", is_named=True), name, given
                )
                for name, argument in columns_of(given).items()
            },
        )

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of a number of keys, and of arguments of `group_by`."""
        return cls._made(privacy, unit, None, *own)

    @classmethod
    def _made(cls, privacy: Loss, unit: Unit, noise: str | None, *own: Any) -> Self:
        """Return the query as `built` does, with noise that is asked for if keys are selected."""
        n_keys, count, sums, means, quantiles, missing, split, left_out, selection, *integers = own
        if not isinstance(count, bool):
            raise TypeError(f"count must be True or False, not {type(count).__name__}")
        read = read_summaries(count, sums, means, quantiles, missing, integers)
        summaries = tuple(_by_method(each, privacy, unit, n_keys) for each in read)
        names = [*(["n"] if count else []), *(summary.name for summary in summaries)]
        if n_keys is not None and not names:
            raise TypeError(
                "count, sums, means or quantiles must be given: there is nothing to release"
            )
        most = read_left_out(left_out, unit)
        if most is not None:
            names.append(LEFT_OUT)

        some = any(each.counts_rows for each in summaries) and not unit.rows_may_become_others

        def by(rule: str) -> Any:
            with_keys = n_keys is None and rule == OPTIMAL
            weights = read_split(split, [KEYS, *names] if with_keys else names)
            made = cls(
                privacy, unit, n_keys, count, summaries, weights, most, noise, some, rule
            )  # fmt: skip
            is_used = any(made._by_distances(each, made.privacy_of_parts) for each in summaries)
            return made if is_used == some else replace(made, distances=False)

        found: Self = by_least_noise(by, read_rules(selection, n_keys, count, split))
        return found

    @classmethod
    def least_noisy(cls, privacy: Loss, unit: Unit, noise: str | None, *own: Any) -> Self:
        """Return the query; a selection of keys takes a delta whatever noise is added."""
        n_keys, *_ = own
        made = cls.built(privacy, unit, *own)
        if noise is not None and all(each.q is not None for each in made.aggregates()):
            raise ValueError("noise must be left out for quantiles alone: no noise is added")
        if n_keys is not None:
            return super().least_noisy(privacy, unit, noise, *own)
        losses_by_noise(privacy, noise)  # raises for another noise
        return made if noise is None else cls._made(privacy, unit, noise, *own)

    @property
    def title(self) -> str:
        """Counts by one column are `value_counts`, whichever of the two was called."""
        is_own = self.function == GroupQuery.function  # and not of a case of it
        counts_values = is_own and self.has_count and not self.summaries
        is_one = counts_values and len(self.reads.columns["by"]) == 1
        return "value_counts" if is_one else self.function

    @property
    def notes(self) -> tuple[str, ...]:
        """A note on the counts of keys that a threshold keeps."""
        if not isinstance(self.selection, CountThreshold):
            return ()
        return (
            f"keys with a noisy count below {self.selection.threshold:,} stay out; just above it, "
            "counts tend to be too high",
        )

    @property
    def contents(self) -> tuple[str, ...]:
        """The columns of numbers, unless they are counts alone."""
        return tuple(answer.name for answer in self.answers()) if self.summaries else ()

    @property
    def nbytes(self) -> int:
        """How many bytes the answers have, at most; 0 for keys that are not public."""
        means = sum(summary.kind == "mean" for summary in self.summaries)
        return 8 * (self.n_keys or 0) * (len(self.parts) + means)

    def check_recorded(self, source: GroupRows) -> None:
        """Refuse keys that are not public, if a ledger might not be able to record them."""
        source.check_recorded()

    @cached_property
    def columns(self) -> Mapping[str, Sequence[Answer]]:
        """The columns of numbers: an answer each, or one for each of their quantiles."""
        found: dict[str, Sequence[Answer]] = {}
        if self.has_count:
            found["n"] = (NoisyAnswer("n", self.n_keys, counted(self.unit)[1], self.parts["n"]),)
        for summary in self.summaries:
            found[summary.name] = tuple(self._answers_of(summary))
        return MappingProxyType(found)  # nobody may change a query that is kept

    @property
    def rounding(self) -> tuple[str, ...]:
        """A note if the bounds of a quantile are dates, whatever its column holds."""
        return notes_on_days(summary.grid for summary in self.summaries)

    @property
    def clamped(self) -> tuple[str, ...]:
        """A note on the bounds, or nothing."""
        grids = dict.fromkeys((summary.column, summary.grid) for summary in self.summaries)
        return (note_on_bounds(grids),) if grids else ()

    @property
    def left_out_may(self) -> str:
        """Sums may be too low, and users with many rows weigh less in means and quantiles."""
        kinds = {summary.kind for summary in self.summaries}
        weighs = [weighs_less(self.unit)] if kinds & {"mean", "quantile"} else []
        lower = [super().left_out_may] if self.has_count or "sum" in kinds else []
        return ", and ".join(lower + weighs)

    @property
    def several(self) -> list[str]:
        """The columns that have a dimension for quantiles."""
        return [summary.name for summary in self.summaries if summary.several]

    def answers(self) -> list[Answer]:
        """Return the columns of numbers, each quantile alone, and the rows that are left out."""
        found = [answer for answers in self.columns.values() for answer in answers]
        return found if self.most_left_out is None else [*found, answer_of(self.parts[LEFT_OUT])]

    def rows_per_key(self, rows: int) -> int | None:
        """Return the mean number of rows of a public key, of so many rows; None without keys."""
        return max(rows // self.n_keys, 1) if self.n_keys else None

    def _answers_of(self, summary: Summary) -> list[Answer]:
        parts, cells, name = self.parts, self.n_keys, summary.name
        if summary.kind == "sum":
            return [NoisyAnswer(name, cells, OF_X, parts[name])]
        if self._by_distances(summary, self.privacy_of_parts):
            return [MeanByDistances(name, cells, OF_X, summary.grid, parts[name])]
        if summary.kind == "mean":
            rows = parts[summary.rows_name if summary.counts_rows else "n"]
            return [MeanAnswer(name, cells, OF_X, summary.grid, parts[name], rows)]
        listed = summary.listed
        return [
            RankAnswer(summary.words_of(q), cells, "ranks", parts[name], summary.grid, error)
            for q, name, error in zip(summary.qs, listed.names, listed.errors(parts), strict=True)
        ]

    @property
    def selections(self) -> dict[str, Any]:
        """The mechanism that selects the keys, unless they are public."""
        return {} if self.selection is None else {KEYS: self.selection}

    def read(self, source: GroupRows, key: Key) -> Tally:
        """Count the rows of each key, add up numbers, and rank the numbers of quantiles."""
        if self.n_keys is None:
            keys, codes, one_row_a_unit, left_out = source.find(self.unit, key, self.most_left_out)
            exact = self._exact(len(keys[0]), codes, source.read_numbers())
            if left_out is not None:
                exact[LEFT_OUT] = left_out
            return FoundTally(self, exact, keys, count_codes(one_row_a_unit, len(keys[0])))
        n_keys, names = self.n_keys, list[str]()

        def answers(
            codes: Codes, numbers: Mapping[str, NDArray[Any]], left_out: int | None
        ) -> list[Any]:
            exact = self._exact(n_keys, codes, numbers)
            if left_out is not None:
                exact[LEFT_OUT] = left_out
            names[:] = exact
            return list(exact.values())

        at_once = any(summary.kind == "quantile" for summary in self.summaries)
        totals = source.add_by_key(
            answers, self.unit, key, left_out=self.most_left_out, at_once=at_once
        )
        return Tally(self, dict(zip(names, totals, strict=True)))

    def _exact(
        self, n_keys: int, codes: Codes, numbers: Mapping[str, NDArray[Any]]
    ) -> dict[str, Any]:
        """Return exact answers by the names of parts, and of summaries of quantiles."""
        exact: dict[str, Any] = {}
        if self.has_count:
            exact["n"] = count_codes(codes, n_keys)
        for summary in self.summaries:
            found = exact_summary(summary, codes, n_keys, numbers[summary.column])
            if self._by_distances(summary, self.privacy_of_parts):
                found = distances_by_key(summary, found)
            exact |= found
        return exact

    def draw(self, tally: Tally, generator: Generator) -> list[Any]:
        """Return the columns of keys that were selected, if they are not public, and the answers.

        Returns
        -------
        [keys, steps]
            The noisy steps of each part.

        """
        exact, keys, noisy = tally.parts, None, dict[str, Any]()
        if isinstance(tally, FoundTally):
            chosen, noisy = self._keep(tally, generator)
            keys = tuple(column[chosen] for column in tally.keys)
            exact = {
                name: each.of_groups(chosen) if isinstance(each, SortedUnits) else each[chosen]
                for name, each in exact.items()
                if name != LEFT_OUT
            }
            if self.most_left_out is not None:  # of all keys, selected or not
                exact[LEFT_OUT] = tally.parts[LEFT_OUT]
        lists = {
            summary.listed.names[0]: summary
            for summary in self.summaries
            if summary.kind == "quantile"
        }
        drawn: dict[str, Any] = {}
        for name, part in self.parts.items():
            if name in noisy:
                drawn[name] = noisy[name]
            elif name in lists:
                listed, ranks = lists[name].listed, exact[lists[name].name]
                drawn |= zip(listed.names, listed.draw(self.parts, ranks, generator), strict=True)
            elif name not in drawn:
                drawn[name] = part.noise.release(exact[name], rng=generator)
        return [keys, tuple(drawn.values())]

    def _keep(
        self, tally: FoundTally, generator: Generator
    ) -> tuple[NDArray[np.intp], dict[str, NDArray[np.int64]]]:
        """Return the places of the keys that are kept, and noisy parts that have decided on it."""
        if isinstance(self.selection, CountThreshold):
            counts = self.parts["n"].noise.release(tally.parts["n"], rng=generator)
            chosen = np.flatnonzero(self.selection.keeps(tally.units, counts))
            return chosen, {"n": counts[chosen]}
        assert self.selection is not None
        return np.flatnonzero(self.selection.release(tally.units, rng=generator)), {}

    def result(self, drawn: Any, payment: Payment | None) -> TableRelease:
        """Return the release."""
        selected, steps = drawn
        keys = self.reads.keys
        return TableRelease(
            query=self,
            key_names=self.reads.columns["by"],
            key_columns=tuple(selected) if keys is None else keys.arrays,
            steps=tuple(steps),
            payment=payment,
        )

    def arguments_before(self) -> Any:
        """Return the arguments by which a ledger knew a call before it compared queries."""
        columns = self.reads.columns
        other = {"by": list(map(str, columns["by"])), "keys": digest_keys(self.reads.keys)}
        return {"columns": list(known_names([columns["user"]])), "other": other}

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.selection, CountThreshold):  # else raises errors of parameters
            counts = replace(self.parts["n"], least=self.selection.threshold)
            object.__setattr__(self, "parts", MappingProxyType({**self.parts, "n": counts}))

    def _by_distances(self, summary: Summary, privacy: Loss) -> bool:
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
            if self._by_distances(summary, privacy):
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
                found += summary.listed.aggregates(_changing(self.unit, self.n_keys), weight)
                continue
            if self._by_distances(summary, privacy):
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
        change = self.unit.change_each_partition(*self._reach(summary), self.n_keys)
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
        if not isinstance(privacy, ApproxDP):
            raise TypeError(
                "epsilon and delta must be given for keys that are not public, or else public "
                "keys: a key of one unit is released with a probability of at most delta"
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


def _changing(unit: Unit, n_keys: int | None) -> Changing:
    return lambda most, width: unit.change_each_partition(most, width, n_keys)


def _by_method(summary: Summary, privacy: Loss, unit: Unit, n_keys: int | None) -> Summary:
    """Return a summary with its quantiles chosen as the error to expect is less."""
    if summary.kind != "quantile":
        return summary
    best = summary.listed.best(privacy, _changing(unit, n_keys))
    return replace(summary, recursive=best.is_recursive)


def _columns_of_keys(given: Given) -> tuple[Any, ...]:
    return key_names(several(given["by"]))
