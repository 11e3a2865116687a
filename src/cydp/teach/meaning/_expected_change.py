# SPDX-License-Identifier: MIT
"""By how much taking part can change what someone expects to get: the lecture's salary."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._extras import ink_of, with_letters
from cydp._numbers.rational import Exact, as_exact, float_of, format_number, read_exact
from cydp._numbers.rounding import float_above
from cydp.accounting import RocBound
from cydp.teach._pictures import draw_fill, draw_line, new_axes, set_words
from cydp.teach.meaning._curves import CostOrPlan, below, label_of, question_about, read_curve

__all__ = ["ExpectedChange", "expected_change"]

_MOST_UTILITY = 10**300  # which floats can say


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class ExpectedChange:
    """How far one person can move an expected utility. `expected_change` makes it.

    Attributes
    ----------
    loss : loss, mechanism, release or Plan
        What is known of the release.
    max_utility : Fraction
        The largest utility; the least is 0.
    question : str
        What differs between the two expectations, in words.

    """

    loss: Any
    max_utility: Exact
    question: str
    _curve: RocBound

    def most(self, expected: Number) -> float:
        """Return the most that can be expected if it would be `expected` without the person.

        Parameters
        ----------
        expected : number from 0 to max_utility
            The expectation in the neighbouring table, in the unit of max_utility.

        Returns
        -------
        float
            At most max_utility; rounded up to six digits.

        Raises
        ------
        TypeError, ValueError
            For another number.

        """
        return float_above(self._most(self._read(expected)))

    def least(self, expected: Number) -> float:
        """Return the least that can be expected; parameters as in `most`.

        Returns
        -------
        float
            At least 0; rounded down to six digits.

        Raises
        ------
        TypeError, ValueError
            For another number.

        """
        number = self._read(expected)
        return below(self.max_utility - self._most(self.max_utility - number))

    @property
    def largest(self) -> float:
        """The largest change that there can be, up or down, whatever is expected; rounded up."""
        return float_above(self.max_utility * (2 * self._curve.chance - 1))

    def plot(self, ax: Any = None) -> Any:
        """Draw what can be expected over what would be without the person (extra ``plot``).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: axes of a new figure.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ImportError
            Without matplotlib.

        """
        ax = new_axes(ax)
        top = self.max_utility
        corners = [self._curve.chance, 1 - self._curve.chance]
        points = sorted(
            top * share for share in [*corners, *(Fraction(i, 100) for i in range(101))]
        )
        x = np.array([float_of(point) for point in points])
        most = [float_of(self._most(point)) for point in points]
        least = [float_of(top - self._most(top - point)) for point in points]
        draw_fill(ax, x, least, most, f"what {with_letters(label_of(self.loss))} allows", 0)
        draw_line(ax, x, x, "no change", 1, color=ink_of(ax))
        set_words(
            ax,
            f"An expectation moves by at most {self.largest:,.6g} of {float_of(top):,.6g}\n"
            f"with {self.question}",
            "expected in the one table (unit of the utility)",
            "expected in the other (unit of the utility)",
        )
        ax.set_xlim(0, float_of(top))
        ax.set_ylim(0, float_of(top))
        ax.legend(loc="lower right")
        return ax

    def __repr__(self) -> str:
        half = self.max_utility / 2
        return (
            f"<{label_of(self.loss)}, a utility from 0 to {format_number(self.max_utility)}: "
            f"with {self.question}, an expectation of {format_number(half)} becomes at least "
            f"{self.least(half):,.6g} and at most {self.most(half):,.6g}; no expectation moves by "
            f"more than {self.largest:,.6g}>"
        )

    def _read(self, expected: Number) -> Fraction:
        number = read_exact(expected, "expected")
        if not 0 <= number <= self.max_utility:
            raise ValueError(
                f"expected must be from 0 to max_utility, {format_number(self.max_utility)}, not "
                f"{format_number(number)}"
            )
        return number

    def _most(self, expected: Fraction) -> Fraction:
        return self.max_utility * self._curve.most(expected / self.max_utility)


@explain_arguments
def expected_change(
    loss: CostOrPlan,
    max_utility: Number,
    *,
    delta: Number | None = None,
    about: str | None = None,
) -> ExpectedChange:
    """Return how far one person can move what they expect from decisions that see a release.

    Parameters
    ----------
    loss : loss, mechanism, release or Plan
        What the release costs, all together.
    max_utility : number > 0, at most 1e300
        The largest utility, such as a salary of 10,000; the least is 0. Shift a utility that can be
        negative: from -50 to 150 becomes from 0 to 200.
    delta : number in [0, 1), optional
        The delta at which the loss is stated as an epsilon. Default: for each expectation the best
        of several, which all hold.
    about : {"presence", "value"}, optional
        What the person decides: whether they take part, or what they say. Default: what the
        relation of the loss protects. Under "add-remove" two values are two steps apart: "value"
        means ``loss.group(2)``, 2 epsilon.

    Returns
    -------
    ExpectedChange
        It has `most` and `least`, the bounds for an expectation, and `largest`, the largest change.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Notes
    -----
    E <= e**epsilon E' + delta max_utility, and the same for max_utility - u, which is the better
    bound for large expectations; both are attained. docs/teach/meaning.md has the proofs. It is a
    promise about the effect of the person's own data alone: what a release tells of all people may
    change the salary of whoever took part and of whoever did not.

    References
    ----------
    Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, section 2.3.1.

    Examples
    --------
    >>> import cydp
    >>> salary = expected_change(cydp.PureDP("0.1", relation="add-remove"), 10_000)
    >>> salary.least(5000), salary.most(5000), salary.largest
    (4524.18, 5475.82, 499.584)
    >>> expected_change(cydp.DiscreteLaplace(epsilon=1, sensitivity=1), 10_000).most(100)
    271.829

    """
    top = read_exact(max_utility, "max_utility")
    if top <= 0:
        raise ValueError(
            f"max_utility must be greater than 0, not {format_number(top)}: utilities are from 0 "
            "to max_utility; shift those that can be negative"
        )
    if top > _MOST_UTILITY:
        raise ValueError("max_utility must be at most 1e300")
    curve = read_curve(loss, delta, about)
    return ExpectedChange(
        loss=loss, max_utility=as_exact(top), question=question_about(loss, about), _curve=curve
    )
