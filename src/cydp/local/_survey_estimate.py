# SPDX-License-Identifier: MIT
"""What the estimates of all surveys have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cydp._arguments import Number
from cydp.local._tally import Tally
from cydp.mechanisms._parameters import read_level
from cydp.releases._format import format_cost
from cydp.releases.output._sheet import Axis, Numbers, Sheet
from cydp.releases.output._shown import Shown

__all__ = ["SurveyEstimate"]


@dataclass(frozen=True, repr=False)
class SurveyEstimate(Shown):
    """An estimate from the reports of a survey.

    Attributes
    ----------
    tally : Tally
        The reports, added up.

    """

    tally: Tally

    @property
    def survey(self) -> Any:
        """The survey whose reports these are."""
        return self.tally.survey

    @property
    def people(self) -> int:
        """The number of people who reported."""
        return self.tally.people

    def _make_sheet(
        self,
        axes: tuple[Axis, ...],
        columns: Iterable[Numbers],
        confidence: Number,
        simultaneous: bool,
    ) -> Sheet:
        """Return a sheet with what is known of the survey."""
        return Sheet(
            title=f"survey of {self.people:,} people",
            cost=f"{format_cost(self.survey.loss)} a report",
            relation=self.survey.relation,
            protects="what each person answers, but not that they report",
            noise=self.survey.method,
            axes=axes,
            columns=tuple(columns),
            confidence=read_level(confidence),
            simultaneous=simultaneous,
        )

    def _facts(self) -> Mapping[str, Any]:
        return {
            "exact": {"epsilon": str(self.survey.epsilon)},
            "method": self.survey.method,
            "people": self.people,
            "reports": list(self.tally.totals),
        }
