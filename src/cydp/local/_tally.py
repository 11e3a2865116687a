# SPDX-License-Identifier: MIT
"""Reports that were added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Tally"]


@dataclass(frozen=True, slots=True, repr=False)
class Tally:
    """Reports of a survey that were added up, so that a server keeps none of them.

    `CategorySurvey.tally` and `NumberSurvey.tally` return it. Tallies of one survey are added with
    ``+`` or Python's `sum`, and pickled; `estimate` of the survey takes them in place of reports.

    Attributes
    ----------
    survey : CategorySurvey or NumberSurvey
        Whose reports they are.
    people : int
        The number of reports.
    totals : tuple of int
        Of categories: how many reports each label has, or how many have its bit. Of numbers: the
        sum of the reports, in steps or in bits.

    """

    survey: Any
    people: int
    totals: tuple[int, ...]

    def __add__(self, other: object) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        if other.survey != self.survey:
            raise ValueError("tallies must be of one survey")
        totals = map(sum, zip(self.totals, other.totals, strict=True))
        return Tally(self.survey, self.people + other.people, tuple(totals))

    def __radd__(self, other: object) -> Tally:
        return (
            self if type(other) is int and other == 0 else NotImplemented
        )  # Python's sum begins with 0

    def __repr__(self) -> str:
        return f"<Tally: {self.people:,} reports of {self.survey}>"
