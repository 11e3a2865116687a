# SPDX-License-Identifier: MIT
"""The answer to `explain`: what a release would do and cost, in words and numbers."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from cydp._arguments import Integer, Number
from cydp._numbers.rational import float_of, format_number, read_exact, read_integer
from cydp._numbers.rounding import percent_of, words_above
from cydp.accounting._loss import Loss
from cydp.accounting._meaning import meaning_of, notes_on
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.releases._answers import OF_X, Answer
from cydp.releases._certificate import describe
from cydp.releases._format import format_cost
from cydp.releases._noise_split import Part
from cydp.releases._query import Query

__all__ = ["Explanation"]


_WIDTH = 96  # a line of a docstring


@dataclass(frozen=True, repr=False)
class Explanation:
    """What a release would do and cost, as `explain` returns it. It holds nothing of any data.

    Attributes
    ----------
    query : Query
        The query of the release: parts, mechanisms, privacy unit and loss.
    n : int or None
        The public number of rows.
    n_per_key : int or None
        The number of rows of each key, for which errors of means by key are stated.
    confidence : number
        The confidence of `error` and `error_together`.

    """

    query: Query
    n: int | None
    n_per_key: int | None
    confidence: Number

    @property
    def loss(self) -> Loss:
        """Privacy cost of the whole release."""
        return self.query.loss

    @property
    def relation(self) -> str:
        """The relation of neighbours, such as "add-remove"."""
        return self.query.relation

    @property
    def unit(self) -> str:
        """What is protected, in words."""
        return self.query.protects

    @property
    def mechanism(self) -> dict[str, Any]:
        """The mechanism of each part, in steps of its grid, and the mechanism that selects."""
        made: dict[str, Any] = {name: part.mechanism for name, part in self.query.parts.items()}
        return self.query.selections | made

    @property
    def scale(self) -> dict[str, float]:
        """The scale of each part's noise in the unit of the data: sigma of Gaussian noise.

        For a quantile in ranks.
        """
        return {name: _scale_of(part) for name, part in self.query.parts.items()}

    @property
    def split(self) -> dict[str, Fraction]:
        """The share of each part in what they cost together: their weights, which add up to 1."""
        return {name: part.share for name, part in self.query.parts.items()}

    @property
    def error(self) -> dict[str, float | None]:
        """How far each released number is from the exact one, with `confidence`.

        In the unit of the data, for counts in rows, for quantiles in ranks. None for a mean or a
        variance over a number of rows that was not given.
        """
        return {name: self._error(answer, 1) for name, answer in self._answers.items()}

    @property
    def error_together(self) -> dict[str, float | None]:
        """As `error`, for all cells of a kind together. None for as many keys as are found."""
        return {name: self._error(answer, answer.cells) for name, answer in self._answers.items()}

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> dict[str, Any]:
        """Return how far released numbers are from the exact ones, by name.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.
        count : int >= 1, default 1
            For how many numbers of a kind it holds together.

        Returns
        -------
        dict of float or None
            As `error`.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        """
        together = read_integer(count, "count")
        return {
            name: self._error(answer, together, confidence)
            for name, answer in self._answers.items()
        }

    @property
    def meaning(self) -> tuple[str, ...]:
        """What the cost promises to each unit, in sentences."""
        return tuple(meaning_of(self.loss, self.query.unit))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on an unusual cost, unknown errors and rows left out, and the query's own."""
        found = notes_on(self.loss, self.query.unit, self.n)
        unknown = [name for name, error in self.error.items() if error is None]
        if unknown:
            given = f"{self.query.rows_given}="
            found.append(
                f"The error of {', '.join(unknown)} depends on the number of rows: give {given}."
            )
        query = self.query
        return (*found, *query.notes, *query.clamped, *query.left_out, *query.rounding)

    @property
    def metadata(self) -> dict[str, Any]:
        """All of it, as JSON can hold it. Exact numbers are text, such as "1/3"."""
        return describe(self.query) | {
            "n": self.n,
            "n_per_key": self.n_per_key,
            "confidence": str(self.confidence),
            "scale": self.scale,
            "error": self.error,
            "error_together": self.error_together,
            "meaning": list(self.meaning),
            "notes": list(self.notes),
        }

    @cached_property
    def _answers(self) -> dict[str, Answer]:
        return {answer.name: answer for answer in self.query.answers()}

    def _error(
        self, answer: Answer, count: int | None, confidence: Number | None = None
    ) -> float | None:
        rows = self.rows_of(answer)
        if count is None or rows is None:
            return None
        level = self.confidence if confidence is None else confidence
        return float_of(answer.error(level, max(count, 1), rows))

    def rows_of(self, answer: Answer) -> int | None:
        """Return how many rows a number is over; 0 if its error does not depend on that."""
        if not answer.needs_rows:
            return 0
        return self.n_per_key if self.query.rows_given == "n_per_key" else self.n

    def __repr__(self) -> str:
        query = self.query
        lines = [
            f"{query.title}: {format_cost(self.loss)}, relation={self.relation!r}",
            f"protects: {self.unit}",
        ]
        lines += [f"{name}: {each!r}" for name, each in query.selections.items()]
        names = query.words_of_parts
        lines += [
            f"noise of {names.get(name, name)}: {_describe_noise(part)}"
            for name, part in query.parts.items()
        ]
        lines += [self._describe_error(answer) for answer in self._answers.values()]
        lines += [f"means: {sentence}" for sentence in self.meaning]
        lines += [f"note: {sentence}" for sentence in self.notes]
        wrapped = [textwrap.fill(line, _WIDTH, subsequent_indent="  ") for line in lines]
        return "\n".join(wrapped)

    def _describe_error(self, answer: Answer) -> str:
        each, together = self.error[answer.name], self.error_together[answer.name]
        if each is None:
            return f"error of {answer.name}: not known without the number of rows"
        sure = f"{percent_of(read_exact(self.confidence, 'confidence'))} confidence"
        unit = "" if answer.unit == OF_X else f" {answer.unit}"
        within = f"within {words_above(each)}{unit}" if each else "none"
        text = f"error of {answer.name}: {within}, with {sure}"
        if answer.needs_rows:
            text += f", over {self.rows_of(answer):,} rows"
        if together is not None and answer.cells is not None and answer.cells > 1:
            text += f"; all {answer.cells:,} together within {words_above(together)}"
        return text


def _scale_of(part: Part) -> float:
    mechanism = part.mechanism
    if isinstance(mechanism, QuantileMechanism):
        return float_of(mechanism.scale)
    if isinstance(mechanism, DiscreteLaplace):
        return float_of(mechanism.scale * part.step)
    return mechanism.sigma * float_of(part.step)


def _describe_noise(part: Part) -> str:
    kind = type(part.mechanism).__name__
    if isinstance(part.mechanism, QuantileMechanism):
        text = f"{kind}, scale {_scale_of(part):,.6g} ranks"
    else:
        name = "scale" if isinstance(part.mechanism, DiscreteLaplace) else "sigma"
        spread = part.variance**0.5
        text = f"{kind}, {name} {_scale_of(part):,.6g}, standard deviation {spread:,.6g}"
    return text if part.share == 1 else f"{text}; {format_number(part.share)} of the privacy"
