# SPDX-License-Identifier: MIT
"""What all surveys share: their privacy, tallies of their reports, and JSON for their clients."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp.accounting._budget import Asked
from cydp.accounting._loss import PureDP
from cydp.mechanisms._run import Budget, pay_and_draw

__all__ = ["Survey", "Tally"]


class Survey(ABC):
    """A question that each person answers by a report, which their own device randomizes."""

    __slots__ = ()

    epsilon: Fraction
    method: str

    _kind: ClassVar[str]  # of answers, in JSON
    _names: ClassVar[tuple[str, ...]]  # of the parameters in JSON; the first has no keyword

    @property
    @abstractmethod
    def mechanism(self) -> Any:
        """What randomizes answers."""

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one report, under "change-one"."""
        loss: PureDP = self.mechanism.loss
        return loss

    @property
    def relation(self) -> str:
        """The relation that the loss is stated under: "change-one", as every person reports."""
        return "change-one"

    @abstractmethod
    def tally(self, reports: Any) -> Tally:
        """Return reports, added up."""

    @abstractmethod
    def _randomize(self, answers: Any, generator: Generator) -> NDArray[Any]:
        """Read true answers, and return a report for each."""

    def _describe(self) -> Any:
        """Return what a report depends on beside the answer, for a budget that records it."""
        return self.to_json()

    def _draw(self, answers: Any, budget: Budget | None, rng: Generator | None) -> NDArray[Any]:
        """Return reports, once a budget has paid for one of each person."""
        drawn: NDArray[Any]
        asked = Asked(self.mechanism, type(self).__name__, arguments=self._describe)
        drawn, _ = pay_and_draw(asked, partial(self._randomize, answers), budget, rng)
        return drawn

    def _read_tally(self, reports: Any) -> Tally:
        """Return the tally of reports; a tally of this survey as it is."""
        tally = reports if isinstance(reports, Tally) else self.tally(reports)
        if tally.survey != self:
            raise ValueError("reports must be a tally of this survey")
        return tally

    @explain_arguments
    def to_json(self) -> str:
        """Return what a client needs to make reports, as text.

        >>> from cydp.local import CategorySurvey
        >>> survey = CategorySurvey(["yes", "no"], epsilon=1)
        >>> CategorySurvey.from_json(survey.to_json()) == survey
        True
        """
        parameters = {name: _plain(getattr(self, name)) for name in self._names}
        return json.dumps({"survey": self._kind, **parameters})

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the survey that `to_json` has written.

        Parameters
        ----------
        text : str
            What `to_json` returned.

        Raises
        ------
        TypeError, ValueError
            For another text.

        """
        if not isinstance(text, str | bytes):
            raise TypeError(f"text must be a str that to_json made, not {type(text).__name__}")
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError("text must be JSON that to_json made") from None
        is_survey = isinstance(found, dict) and found.pop("survey", None) == cls._kind
        if not is_survey or set(found) != set(cls._names):
            raise ValueError(f"text must be JSON that to_json of a survey of {cls._kind} made")
        make: Any = cls
        survey: Self = make(found.pop(cls._names[0]), **found)
        return survey


def _plain(value: Any) -> Any:
    """Return a parameter as JSON has it: fractions as text, so that they stay exact."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, Fraction) else value


@dataclass(frozen=True, slots=True, repr=False)
class Tally:
    """Reports of a survey that were added up, so that a server keeps none of them.

    `CategorySurvey.tally` and `NumberSurvey.tally` return it. Tallies of one survey are added with
    ``+`` or Python's `sum`, and pickled; `estimate` of the survey takes them in place of reports.

    Attributes
    ----------
    survey : CategorySurvey or NumberSurvey
        The survey that the reports answer.
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
        is_start = type(other) is int and other == 0  # with which Python's sum begins
        return self if is_start else NotImplemented

    def __repr__(self) -> str:
        return f"<Tally: {self.people:,} reports of {self.survey}>"
