# SPDX-License-Identifier: MIT
"""The query of `group_by` and `value_counts`, from public parameters alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._columns.declared import Labels
from cydp._columns.keys import digest_keys
from cydp._columns.tables import open_table
from cydp._generator import Generator
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._loss import ZCDP, Loss
from cydp.accounting.ledger._paid import Payment
from cydp.exact._sorted_units import SortedUnits
from cydp.exact._time_grid import notes_on_days
from cydp.mechanisms._count_threshold import CountThreshold
from cydp.releases._answers import OF_X, Answer, NoisyAnswer, RankAnswer
from cydp.releases._cells import count_codes
from cydp.releases._distances import (
    MeanByDistances,
)
from cydp.releases._format import counted
from cydp.releases._group_parts import GroupParts, changing
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
    by_least_noise,
    read_rules,
)
from cydp.releases._left_out import LEFT_OUT, answer_of, read_left_out
from cydp.releases._numbers_query import note_on_bounds, weighs_less
from cydp.releases._query import DataQuery, Given
from cydp.releases._ratios import MeanAnswer
from cydp.releases._reads import (
    columns_by,
    count_keys,
    key_names,
    known_names,
    public_keys,
    several,
)
from cydp.releases._release import recorded
from cydp.releases._rows import Codes, Key, users_of
from cydp.releases._tally import Tally
from cydp.releases._terms import losses_by_noise, read_split
from cydp.releases._unit import Unit
from cydp.releases._user_pairs import UserPairs
from cydp.releases._user_sums import largest_sum_words, read_largest_sum

__all__ = ["GroupQuery"]

_ASKED = (
    "count", "sums", "means", "quantiles", "missing", "split", "left_out", "selection",
    "max_sum_per_user",
)  # fmt: skip


@recorded
@dataclass(frozen=True, repr=False)
class GroupQuery(GroupParts):
    """Counts, sums, means and quantiles by key, as `GroupParts` has them."""

    function: ClassVar[str] = "group_by"
    data: ClassVar[str] = "table"
    rows_given: ClassVar[str] = "n_per_key"
    bounded: ClassVar[str] = "partitions or rows"
    column_arguments: ClassVar[tuple[str, ...]] = ("user",)

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
        labels = [Labels(each, "by") for each in columns_by(opened, given["by"])]
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
        n_keys, count, sums, means, quantiles, missing, split, left_out, selection, *rest = own
        largest, *integers = rest
        if not isinstance(count, bool):
            raise TypeError(f"count must be True or False, not {type(count).__name__}")
        read = read_summaries(count, sums, means, quantiles, missing, integers)
        bounded = _with_largest_sum(read, largest, unit)
        summaries = tuple(_by_method(each, privacy, unit, n_keys) for each in bounded)
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
            is_used = any(made.is_by_distances(each, made.privacy_of_parts) for each in summaries)
            return made if is_used == some else replace(made, distances=False)

        found: Self = by_least_noise(by, read_rules(selection, n_keys, count, split))
        return found

    @classmethod
    def least_noisy(cls, privacy: Loss, unit: Unit, noise: str | None, *own: Any) -> Self:
        """Return the query; a selection of keys takes a delta whatever noise is added."""
        n_keys, *_ = own
        if n_keys is not None:
            made = super().least_noisy(privacy, unit, noise, *own)
        else:
            losses_by_noise(privacy, noise)  # raises for another noise
            made = cls._made(privacy, unit, noise, *own)
        if noise is not None and all(each.q is not None for each in made.aggregates()):
            raise ValueError("noise must be left out for quantiles alone: no noise is added")
        return made

    @property
    def title(self) -> str:
        """The function that was called: `value_counts` makes a query of `group_by`."""
        return self.reads.called or self.function

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
        """A note on the bounds, and on the steps of quantiles, or nothing."""
        grids = dict.fromkeys((each.column, each.grid) for each in self.summaries)
        rounded = [(each.column, each.grid) for each in self.summaries if each.ranks_rounded]
        return (note_on_bounds(grids, rounded),) if grids else ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """Notes on the rows that may be left out, and on those that count together."""
        weighs = self.unit.has_users and self.unit.max_partitions is not None
        if not weighs or all(summary.kind == "quantile" for summary in self.summaries):
            return super().left_out
        rows = "1 row" if self.unit.max_rows == 1 else f"{self.unit.max_rows:,} rows"
        return (
            f"in sums and means all rows of a {self.unit.name} in a partition count, worth {rows} "
            "at most",
            *(
                f"of the sum of each {self.unit.name} in a partition, what is beyond "
                f"{largest_sum_words(each.most, each.grid)} in size is left out, too"
                for each in self.summaries
                if each.most is not None
            ),
            *super().left_out,
        )

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
        if self.is_by_distances(summary, self.privacy_of_parts):
            return [MeanByDistances(name, cells, OF_X, summary.grid, parts[name])]
        if summary.kind == "mean":
            rows = parts[summary.rows_name if summary.counts_rows else "n"]
            return [MeanAnswer(name, cells, OF_X, summary.grid, parts[name], rows)]
        listed = summary.listed
        return [
            RankAnswer(summary.words_of(q), cells, "ranks", parts[name], summary.grid, error)
            for q, name, error in zip(summary.qs, listed.names, listed.errors(parts), strict=True)
        ]

    def read(self, source: GroupRows, key: Key) -> Tally:
        """Count the rows of each key, add up numbers, and rank the numbers of quantiles."""
        adds = None if any(each.kind != "quantile" for each in self.summaries) else False
        if any(each.most is not None for each in self.summaries):
            adds = True
        if self.n_keys is None:
            numbers = source.read_numbers()
            keys, codes, one_row_a_unit, left_out, pairs = source.find(
                numbers, self.unit, key, self.most_left_out, pairs=adds
            )
            exact = self._exact(len(keys[0]), codes, numbers, pairs)
            if left_out is not None:
                exact[LEFT_OUT] = left_out
            return FoundTally(self, exact, keys, count_codes(one_row_a_unit, len(keys[0])))
        if self.has_count and not self.summaries and self.most_left_out is None:
            return Tally(self, {"n": source.count(self.unit, key)})  # makes no array of codes
        n_keys, names = self.n_keys, list[str]()

        def answers(
            codes: Codes,
            values: Mapping[str, NDArray[Any]],
            left_out: int | None,
            pairs: UserPairs | None,
        ) -> list[Any]:
            exact = self._exact(n_keys, codes, values, pairs)
            if left_out is not None:
                exact[LEFT_OUT] = left_out
            names[:] = exact
            return list(exact.values())

        at_once = any(summary.kind == "quantile" for summary in self.summaries)
        totals = source.add_by_key(
            answers, self.unit, key, left_out=self.most_left_out, pairs=adds, at_once=at_once
        )
        return Tally(self, dict(zip(names, totals, strict=True)))

    def _exact(
        self,
        n_keys: int,
        codes: Codes,
        numbers: Mapping[str, NDArray[Any]],
        pairs: UserPairs | None,
    ) -> dict[str, Any]:
        """Return exact answers by the names of parts, and of summaries of quantiles."""
        exact: dict[str, Any] = {}
        if self.has_count:
            exact["n"] = count_codes(codes, n_keys)
        for summary in self.summaries:
            found = exact_summary(summary, codes, n_keys, numbers[summary.column], pairs)
            if self.is_by_distances(summary, self.privacy_of_parts):
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


def _with_largest_sum(
    summaries: Sequence[Summary], largest: Number | None, unit: Unit
) -> Sequence[Summary]:
    """Return the summaries; the sum among them with the largest sum of a user, if it is given."""
    if largest is None:
        return summaries
    sums = [each for each in summaries if each.kind == "sum"]
    if len(sums) != 1:
        raise TypeError("max_sum_per_user is of one column: sums must have one")
    if unit.has_users and unit.max_partitions is None:
        raise TypeError(
            "max_sum_per_user bounds the sum of a user in each key: give max_partitions instead of "
            "max_rows"
        )
    bounded = replace(sums[0], most=read_largest_sum(largest, sums[0].grid, unit))
    return [bounded if each is sums[0] else each for each in summaries]


def _by_method(summary: Summary, privacy: Loss, unit: Unit, n_keys: int | None) -> Summary:
    """Return a summary with its quantiles chosen as the error to expect is less."""
    if summary.kind != "quantile":
        return summary
    if isinstance(privacy, ApproxZCDP):  # of which the quantiles have a part of rho
        privacy = ZCDP(privacy.rho)
    best = summary.listed.best(privacy, changing(unit, n_keys))
    return replace(summary, recursive=best.is_recursive)


def _columns_of_keys(given: Given) -> tuple[Any, ...]:
    return key_names(several(given["by"]))
