# SPDX-License-Identifier: MIT
"""What a loss promises to each unit, in sentences, and where it promises next to nothing.

docs/releases/explain.md, "What the cost means".
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import NamedTuple, Protocol

from cydp._numbers.intervals import exp_interval
from cydp._numbers.rational import format_number
from cydp._numbers.rounding import float_above
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._conversion import stated
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._trade_off import roc_of
from cydp.accounting._words import format_numbers, numbers_of

__all__ = ["Protected", "meaning_of", "notes_on", "notes_on_delta"]


_MOST_EPSILON = 10  # above it the odds of a unit may move 22,026-fold, and a note says so
_MOST_DELTA = Fraction(1, 1000)  # above it one row of a thousand may be published
_RARE = 100  # a delta of 1 / (100 n) publishes a row in at most one of 100 releases
_MOST_WRITTEN = 1000  # beyond which e**epsilon is not computed
_THREE_DIGITS, _FOUR_DIGITS = (
    Context(prec=digits, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN) for digits in (3, 4)
)


class HasName(Protocol):
    """What has a name and a relation: `Protected`, or the unit of a release."""

    @property
    def relation(self) -> str:
        """The relation of neighbours."""

    @property
    def name(self) -> str:
        """What one unit is called."""


class Protected(NamedTuple):
    """The unit that a loss protects: when two tables are neighbours, and what it is called."""

    relation: str = "add-remove"
    name: str = "row"


def meaning_of(loss: Loss, unit: HasName) -> list[str]:
    """Return what a loss promises to each unit, a sentence for each promise.

    Examples
    --------
    >>> import textwrap
    >>> for sentence in meaning_of(PureDP(1), Protected()):
    ...     print(textwrap.fill(sentence, 96))
    The odds of one row being present against absent move by a factor of at most e**epsilon = 2.72.
    The odds of one value of one row against another move by a factor of at most e**(2 epsilon) =
    7.39.
    A fair bet on whether one row is present is won with a probability of at most 0.7311.

    """
    one, (presence, question) = f"one {unit.name}", _questions_of(unit)
    bet = _bet(question, loss)
    if isinstance(loss, ZCDP) and not loss.rho:
        loss = PureDP(0, relation=loss.relation)
    if isinstance(loss, ApproxDP) and not loss.delta:
        loss = PureDP(loss.epsilon, relation=loss.relation)
    if isinstance(loss, PureDP):
        found = [f"The odds of {presence} move by {_factor(loss.epsilon)}."]
        if unit.relation == "add-remove":
            found.append(
                f"The odds of one value of {one} against another move by "
                f"{_factor(2 * loss.epsilon, '2 epsilon')}."
            )
        return [*found, bet]
    found = []
    if isinstance(loss, ZCDP | ApproxZCDP):
        loss = stated(loss)
        found.append(
            f"The cost implies epsilon={format_number(loss.epsilon)} with delta="
            f"{format_number(loss.delta)}; cydp.accounting.convert gives epsilon for another delta."
        )
    delta = format_number(loss.delta, ROUND_CEILING)
    return [
        *found,
        f"A single output may move the odds by any factor, since delta is above 0. Any test of "
        f"{question} has a rate of true positives of at most {_power(loss.epsilon)} times that of "
        f"false ones, plus delta = {delta}.",
        bet,
    ]


def _questions_of(unit: HasName) -> tuple[str, str]:
    """Return of what the odds are, and what an observer bets on."""
    one = f"one {unit.name}"
    return {
        "add-remove": (f"{one} being present against absent", f"whether {one} is present"),
        "change-one": (
            f"one value of {one} against another",
            f"which of two values is that of {one}",
        ),
        "add-remove-or-change": (
            f"{one} being present against absent, and of one value of {one} against another,",
            f"whether {one} is present, or which of two values it has,",
        ),
    }[unit.relation]


def notes_on(loss: Loss, unit: HasName, n: int | None = None) -> list[str]:
    """Return what a reader should know about a cost that is unusual: sentences, or none.

    Parameters
    ----------
    loss : loss
    unit : Protected
    n : int or None
        The public number of rows.

    Examples
    --------
    >>> notes_on(PureDP(10), Protected())
    []
    >>> len(notes_on(PureDP(11), Protected()))
    1

    """
    found = []
    said = stated(loss)
    if said.epsilon > _MOST_EPSILON:
        cost = f"epsilon={format_number(said.epsilon, ROUND_CEILING)}"
        if isinstance(said, ApproxDP) and said is not loss:
            at = format_number(said.delta)
            cost += f", which {format_numbers(numbers_of(loss))} implies with delta={at},"
        found.append(
            f"{cost} is above {_MOST_EPSILON}: the odds of {_questions_of(unit)[0]} may move by "
            f"{_factor(said.epsilon)}, which promises next to nothing"
        )
    if not isinstance(loss, ApproxDP | ApproxZCDP):
        return found
    if n is None and loss.delta > _MOST_DELTA:
        found.append(
            f"delta={format_number(loss.delta, ROUND_CEILING)} is above "
            f"{format_number(_MOST_DELTA)}: it allows publishing each {unit.name} with this "
            "probability"
        )
    if n is not None:
        found += notes_on_delta(loss.delta, n)
        if Fraction(1, _RARE) < loss.delta * n < 1:
            rows = _THREE_DIGITS.plus(Decimal(str(float_above(loss.delta * n)))).normalize()
            found.append(
                f"delta is above 1/({_RARE} n), for n = {n:,}: it allows publishing {rows:f} rows "
                "at random, on average"
            )
    return found


def notes_on_delta(delta: Fraction, n: int, unit: str = "row") -> list[str]:
    """Return what a caller should know about a delta for a public number of units, or nothing."""
    if delta * n < 1:
        return []
    return [
        f"delta is 1/n or more, for n = {n:,}: delta = 1/n allows publishing one {unit} at random"
    ]


def _factor(epsilon: Fraction, exponent: str = "epsilon") -> str:
    raised = exponent if exponent == "epsilon" else f"({exponent})"
    return f"a factor of at most e**{raised}{_equal_to(epsilon)}"


def _power(epsilon: Fraction) -> str:
    return f"e**epsilon{_equal_to(epsilon)}"


def _equal_to(epsilon: Fraction) -> str:
    """Return e**epsilon in three digits, rounded up."""
    if epsilon > _MOST_WRITTEN:
        return f", above 10**{_MOST_WRITTEN * 43 // 100}"
    high = _THREE_DIGITS.plus(exp_interval(epsilon)[1] if epsilon else Decimal(1))
    return f" = {high:,f}" if high < 10**9 else f" = {high:.2e}"


def _bet(question: str, loss: Loss) -> str:
    """Return the largest chance to guess right, from even odds, that a loss allows."""
    chance = roc_of(loss).chance
    written = _FOUR_DIGITS.divide(Decimal(chance.numerator), Decimal(chance.denominator))
    return f"A fair bet on {question} is won with a probability of at most {written.normalize():f}."
