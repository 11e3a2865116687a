# SPDX-License-Identifier: MIT
"""The query of `top_k` for keys that are not public. docs/releases/top_k.md has the proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from cydp._generator import Generator
from cydp._numbers.rational import read_integer
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.releases._group_query import GroupQuery
from cydp.releases._group_rows import GroupRows
from cydp.releases._histogram_release import TopCountsRelease
from cydp.releases._key_selection import KEYS, OPTIMAL, by_least_noise, read_rules
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import key_names
from cydp.releases._release import recorded
from cydp.releases._tally import Tally
from cydp.releases._terms import read_split
from cydp.releases._unit import Unit

__all__ = ["FoundTopQuery"]


@recorded
@dataclass(frozen=True, repr=False)
class FoundTopQuery(GroupQuery):
    """The k most frequent of keys that are selected from the data, with their counts.

    Attributes
    ----------
    k : int
        How many keys are returned at most.

    """

    function: ClassVar[str] = "top_k"
    data: ClassVar[str] = "x"
    bounded: ClassVar[str] = "partitions"

    k: int = 1

    @classmethod
    def of(cls, given: Given, source: GroupRows | None) -> DataQuery:
        """Return the query of a call."""
        found = cls.kept(given, given["k"], given["selection"])
        by = key_names([given["column"]])
        return found.reading(columns={**found.reads.columns, "by": by})

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of how many keys are wanted."""
        k, selection = own
        number = read_integer(k, "k")
        if number < 1:
            raise ValueError(f"k must be at least 1, not {number}")

        def by(rule: str) -> Any:
            weights = read_split(None, [KEYS, "n"] if rule == OPTIMAL else ["n"])
            return cls(privacy, unit, None, True, (), weights, rule=rule, k=number)

        made: Self = by_least_noise(by, read_rules(selection, None, True, None))
        return made

    @property
    def title(self) -> str:
        """The function: counts of keys are `value_counts` elsewhere."""
        return self.function

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how many keys are returned, and on the counts of the largest."""
        return (
            *super().notes,
            f"at most {self.k:,} keys, and fewer where fewer are frequent enough: rare keys stay "
            "out",
            "the largest noisy counts are too high on average: released errors are for all found "
            "keys",
        )

    def draw(self, tally: Tally, generator: Generator) -> list[Any]:
        """Return the columns of the keys with the largest noisy counts, these, and a number.

        Returns
        -------
        [keys, steps, found]
            The noisy counts in falling order, and how many keys were selected.

        """
        keys, (counts,) = super().draw(tally, generator)
        # Keys of equal counts stay in their order, which depends on nothing but the keys.
        largest = np.argsort(-counts, kind="stable")[: self.k]
        return [tuple(column[largest] for column in keys), (counts[largest],), len(counts)]

    def result(self, drawn: Any, payment: Payment | None) -> TopCountsRelease:
        """Return the release."""
        keys, steps, found = drawn
        return TopCountsRelease(
            query=self,
            key_names=self.reads.columns["by"],
            key_columns=tuple(keys),
            steps=tuple(steps),
            found=found,
            payment=payment,
        )
