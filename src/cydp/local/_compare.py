# SPDX-License-Identifier: MIT
"""The errors of the local and of the central setting, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import float_of, format_number, read_level
from cydp._numbers.rounding import words_above
from cydp.local._category_survey import CategorySurvey
from cydp.local._number_survey import NumberSurvey
from cydp.mechanisms._laplace import DiscreteLaplace

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Comparison:
    """The errors of one question in the local and in the central setting. `compare` returns it.

    Attributes
    ----------
    local : float
        Half the width of an interval for a count or the sum, if each person adds noise.
    central : float
        The same, if a curator whom all trust adds noise once, for the same epsilon.
    people : int
        The number of people.
    confidence : Fraction
        The confidence of both.

    """

    local: float
    central: float
    people: int
    confidence: Fraction

    @property
    def ratio(self) -> float:
        """The error of the local setting as a multiple of the error of the central one."""
        return self.local / self.central

    def __repr__(self) -> str:
        return (
            f"<{self.people:,} people, {format_number(self.confidence * 100)} % confidence: local "
            f"within {words_above(self.local)}, central within {words_above(self.central)}, "
            f"{self.ratio:,.3g} times less>"
        )


@explain_arguments
def compare(
    survey: CategorySurvey | NumberSurvey, confidence: Number = 0.95, *, reports: Integer
) -> Comparison:
    """Return the errors of a survey and of a trusted curator with the same epsilon.

    Parameters
    ----------
    survey : CategorySurvey or NumberSurvey
        The local side.
    confidence : number between 0 and 1, default 0.95
        The confidence of both errors.
    reports : int >= 1
        The number of people who report, which is public on both sides.

    Returns
    -------
    Comparison
        For categories the errors of one count; for numbers the errors of the sum.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Notes
    -----
    The curator adds discrete Laplace noise to exact counts or to the exact sum, under "change-one".
    One person changes two counts by 1, since one follows from the other, more counts than two by 2,
    and the sum by upper - lower.

    Examples
    --------
    >>> from cydp.local import CategorySurvey, NumberSurvey
    >>> compare(CategorySurvey(["yes", "no"], epsilon=1), reports=1000)
    <1,000 people, 95 % confidence: local within 60.5524, central within 3, 20.2 times less>

    """
    if isinstance(survey, CategorySurvey):
        change, step = 1 if len(survey.labels) == 2 else 2, Fraction(1)
    elif isinstance(survey, NumberSurvey):
        step = survey.step
        change = int((survey.bounds[1] - survey.bounds[0]) / step)
    else:
        raise TypeError(
            f"survey must be a CategorySurvey or a NumberSurvey, not {type(survey).__name__}"
        )
    local = survey.error_bound(confidence, reports=reports)
    noise = DiscreteLaplace(epsilon=survey.epsilon, sensitivity=change)
    return Comparison(
        local=local,
        central=float_of(noise.error_bound(confidence) * step),
        people=int(reports),
        confidence=read_level(confidence),
    )
