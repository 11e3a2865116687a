# SPDX-License-Identifier: MIT
"""What tests of one person's presence can reach: true positives, bets, beliefs, their picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._extras import ink_of, with_letters
from cydp._numbers.rational import float_of
from cydp._numbers.rounding import delta_float_above
from cydp.accounting import RocBound
from cydp.teach._pictures import draw_line, new_axes, set_words
from cydp.teach.meaning._curves import (
    CostOrPlan,
    below,
    label_of,
    question_about,
    read_curve,
    read_share,
)

__all__ = ["TradeOff", "draw_trade_offs", "posterior", "trade_off"]

_STEPS = 80


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class TradeOff:
    """The most true positives at each rate of false positives. `trade_off` makes it.

    Attributes
    ----------
    loss : loss, mechanism, release or Plan
        What is known of the release.
    question : str
        What is tested, in words.

    """

    loss: Any
    question: str
    _curve: RocBound

    def true_positives(self, false_positives: Number) -> float:
        """Return the largest rate of true positives of any test with a rate of false ones.

        Parameters
        ----------
        false_positives : number from 0 to 1
            The probability that the test says yes where the answer is no.

        Returns
        -------
        float
            A probability, rounded up to six digits.

        Raises
        ------
        TypeError, ValueError
            For another number.

        """
        return delta_float_above(self._curve.most(read_share(false_positives, "false_positives")))

    def false_negatives(self, false_positives: Number) -> float:
        """Return f(false_positives), the least rate of false negatives; as `true_positives`.

        Returns
        -------
        float
            A probability, rounded down to six digits.

        Raises
        ------
        TypeError, ValueError
            For another number.

        """
        share = read_share(false_positives, "false_positives")
        return below(1 - self._curve.most(share))

    @property
    def fair_bet(self) -> float:
        """The largest chance to win a bet at even odds; 1/2 is guessing. Rounded up."""
        return delta_float_above(self._curve.chance)

    def posterior(self, prior: Number, false_positives: Number) -> float:
        """Return the largest belief after a test with a rate of false positives said yes.

        Parameters
        ----------
        prior : number from 0 to 1
            The belief before, a probability.
        false_positives : number from 0 to 1, not 0
            The rate of the test.

        Returns
        -------
        float
            A probability, rounded up: prior T / (prior T + (1 - prior) F), T the largest rate of
            true positives. It holds for every loss, where `cydp.teach.posterior` has no bound for a
            delta above 0.

        Raises
        ------
        TypeError, ValueError
            For other numbers.

        """
        belief = read_share(prior, "prior")
        share = read_share(false_positives, "false_positives")
        if not share:
            raise ValueError("false_positives must be greater than 0: such a test may be sure")
        yes = belief * self._curve.most(share)
        return delta_float_above(yes / (yes + (1 - belief) * share))

    def plot(self, ax: Any = None) -> Any:
        """Draw the most true positives over false positives (extra ``plot``).

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
        return draw_trade_offs([(label_of(self.loss), self._curve)], self.question, ax)

    def __repr__(self) -> str:
        rates = ", ".join(
            f"{self.true_positives(rate):.6g} at {rate}" for rate in ("0.01", "0.05", "0.1")
        )
        return (
            f"<{label_of(self.loss)}: a fair bet on {self.question} is won with probability "
            f"{self.fair_bet:.6g} or less; true positives at a rate of false positives: at most "
            f"{rates}>"
        )


@explain_arguments
def trade_off(
    loss: CostOrPlan, *, delta: Number | None = None, about: str | None = None
) -> TradeOff:
    """Return how well anybody who sees a release can test a question about one person.

    Parameters
    ----------
    loss : loss, mechanism, release or Plan
        What the release costs, all together.
    delta : number in [0, 1), optional
        As in `expected_change`.
    about : {"presence", "value"}, optional
        The question: whether the person is present, or which of two values they have. As in
        `expected_change`.

    Returns
    -------
    TradeOff
        It has the rates of tests, the best fair bet, and beliefs after a test.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    References
    ----------
    Wasserman, Zhou, "A statistical framework for differential privacy", 2010; Kairouz, Oh,
    Viswanath, "The composition theorem for differential privacy", 2015; Dong, Roth, Su, "Gaussian
    differential privacy", 2022, proposition 2.5.

    Examples
    --------
    >>> import cydp
    >>> test = trade_off(cydp.PureDP(1))
    >>> test.true_positives("0.05"), test.fair_bet
    (0.135915, 0.731059)
    >>> round(trade_off(cydp.ApproxDP(1, 1e-6)).posterior("0.01", "0.05"), 4)
    0.0267

    """
    return TradeOff(
        loss=loss, question=question_about(loss, about), _curve=read_curve(loss, delta, about)
    )


@explain_arguments
def posterior(loss: CostOrPlan, prior: Number, *, about: str | None = None) -> tuple[float, float]:
    """Return the least and the largest belief after any output, from a belief before.

    Parameters
    ----------
    loss : loss, mechanism, release or Plan
        What the release costs, all together.
    prior : number from 0 to 1
        The probability that an observer gives to one of two neighbouring tables, such as that a
        person is present. They may know all other records.
    about : {"presence", "value"}, optional
        As in `expected_change`.

    Returns
    -------
    tuple of two floats
        Probabilities, rounded outwards: prior odds times e**-epsilon and times e**epsilon. (0, 1)
        for a prior between them if delta is above 0, since a single output may then tell all:
        `trade_off` has what still holds.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Examples
    --------
    >>> import cydp
    >>> posterior(cydp.PureDP(1), 0.5)
    (0.268941, 0.731059)
    >>> posterior(cydp.PureDP(1, relation="add-remove"), 0.01, about="value")
    (0.00136515, 0.0694532)

    """
    belief = read_share(prior, "prior")
    factor = read_curve(loss, None, about).factor
    if belief in (0, 1):
        return float(belief), float(belief)
    if factor is None:
        return 0.0, 1.0
    return below(_moved(belief, 1 / factor)), delta_float_above(_moved(belief, factor))


def _moved(belief: Fraction, factor: Fraction) -> Fraction:
    """Return a belief after its odds were multiplied by a factor."""
    return belief * factor / (belief * factor + 1 - belief)


def draw_trade_offs(curves: Sequence[tuple[str, RocBound]], question: str, ax: Any = None) -> Any:
    """Draw curves with their labels; for a single one its best bet is marked.

    `question` is what all curves are about; it is empty if labels say it.
    """
    ax = new_axes(ax, size=(5.6, 4.6))
    points = [Fraction(step, _STEPS) for step in range(_STEPS + 1)]
    points += [Fraction(step, 20 * _STEPS) for step in range(1, 20)]
    points += [1 - curve.chance for _, curve in curves]  # the corners
    points.sort()
    x = np.array([float_of(point) for point in points])
    for number, (label, curve) in enumerate(curves):
        y = [float_of(curve.most(point)) for point in points]
        draw_line(ax, x, y, f"most for {with_letters(label)}", number)
    draw_line(ax, [0, 1], [0, 1], "guessing", 5, color=ink_of(ax), linestyle=":", linewidth=1)
    if len(curves) == 1:
        chance = float_of(curves[0][1].chance)
        label = f"best fair bet: {delta_float_above(curves[0][1].chance):.6g} right"
        ax.plot([1 - chance], [chance], "o", color="C1", label=label)
    set_words(
        ax,
        "No test does better than the curve" + (f". The question:\n{question}" if question else ""),
        "rate of false positives (probability)",
        "rate of true positives (probability)",
    )
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    ax.legend(loc="lower right")
    return ax
