# SPDX-License-Identifier: MIT
"""How a cost is read: any loss, mechanism, release or plan, and the question it is about."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal
from fractions import Fraction

from cydp._arguments import Number
from cydp._numbers.rational import Exact, format_number, read_exact
from cydp._numbers.rounding import decimal_below
from cydp.accounting._conversion import RocBound, convert, curve_of
from cydp.accounting._cost import Cost, loss_of, units_of
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._loss_numbers import read_delta
from cydp.accounting._plan import Plan
from cydp.sampling._sampled import Sampled

__all__ = [
    "CostOrPlan",
    "below",
    "label_of",
    "question_about",
    "read_curve",
    "read_share",
    "unit_of",
]

CostOrPlan = Cost | Plan
_UP = Context(prec=3, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)
_EPSILONS = ("0", "0.25", "0.5", "1", "1.5", "2", "3", "4", "6", "8", "12", "16")
_DELTAS = ("0", "1e-12", "1e-9", "1e-6", "1e-4", "1e-3", "0.01", "0.03", "0.1", "0.2", "0.3")
_NOT_SAID = "person"


def read_curve(cost: CostOrPlan, delta: Number | None, about: str | None) -> RocBound:
    """Return what a cost lets a test find out; TypeError or ValueError for bad arguments."""
    pairs = [
        pair
        for loss in _losses_of(cost, None if delta is None else read_delta(delta))
        for pair in _curve_about(loss, about).pairs
    ]
    return RocBound(tuple(dict.fromkeys(pairs)))


def _losses_of(cost: CostOrPlan, delta: Fraction | None) -> list[Loss]:
    """Return losses that all hold: the one that is given, or a plan's at one or several deltas."""
    if isinstance(cost, Sampled):  # a plan knows more of a sample than one loss can say
        return [*_losses_of(cost.loss, delta), *_losses_of(Plan([(cost, 1)]), delta)]
    if isinstance(cost, Plan):
        if delta is not None:
            return [_at_one_delta(cost.as_loss(delta))]
        stated = [(cost.epsilon_by_method(each), each) for each in _DELTAS]
        pairs: list[tuple[Number, Number]] = [
            (min(found.values()), each) for found, each in stated if found
        ]
        # With much noise, large deltas and the fair bet (at epsilon 0) say most.
        at_epsilons = [(each, cost.delta(each)) for each in _EPSILONS]
        pairs += [(epsilon, delta) for epsilon, delta in at_epsilons if delta < 1]
        return [ApproxDP(epsilon, delta, relation=cost.relation) for epsilon, delta in pairs]
    loss = loss_of(cost, "loss")
    if delta is None or (delta == 0 and isinstance(loss, PureDP)):
        return [loss]
    return [_at_one_delta(convert(loss, delta=delta))]


def _at_one_delta(loss: ApproxDP) -> ApproxDP:
    """Return a loss without its rho, which implies other pairs."""
    return ApproxDP(loss.epsilon, loss.delta, relation=loss.relation)


def _curve_about(loss: Loss, about: str | None) -> RocBound:
    relation = loss.relation
    if about not in (None, "presence", "value"):
        raise ValueError(f"about must be 'presence', 'value' or None, not {str(about)[:40]!r}")
    if about == "presence" and relation == "change-one":
        raise ValueError(
            "about must be 'value' under 'change-one', where the number of records is public: it "
            "says nothing of whether one is present"
        )
    if about is not None and relation is None:
        raise ValueError(
            "about must be None for a loss that states no relation, such as PureDP(1); state one: "
            "PureDP(1, relation='add-remove')"
        )
    if about != "value" or relation != "add-remove":
        return curve_of(loss)
    try:
        return curve_of(loss.group(2))
    except ValueError:  # delta would reach 1
        return RocBound(())


def label_of(cost: CostOrPlan) -> str:
    """Return a cost in short: "epsilon = 1, delta = 1e-06"."""
    if isinstance(cost, Plan):
        count = sum(count for _, count in cost.items)
        return f"a plan of {count:,} release{'' if count == 1 else 's'}"
    if isinstance(cost, Sampled):
        return f"{label_of(cost.mechanism)}, on a sample of {_short(cost.share)}"
    loss = loss_of(cost, "losses")
    if isinstance(loss, ZCDP):
        return f"rho = {_short(loss.rho)}"
    delta = f", delta = {_short(loss.delta)}" if isinstance(loss, ApproxDP) else ""
    return f"epsilon = {_short(loss.epsilon)}{delta}"


def _short(number: Fraction) -> str:
    """Return a number of a loss, which is rounded up to three digits if it is long."""
    written = format_number(number)
    if len(written) <= 8:
        return written
    return f"{float(_UP.divide(Decimal(number.numerator), Decimal(number.denominator))):.3g}"


def read_share(value: Number, name: str) -> Exact:
    """Read a probability from 0 to 1."""
    number = read_exact(value, name)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be between 0 and 1, not {format_number(number)}")
    return number


def below(number: Fraction) -> float:
    """Return the float of the largest decimal of six digits at most a number >= 0."""
    return float(decimal_below(number))


def unit_of(cost: CostOrPlan) -> str:
    """Return the unit that a release protects, such as "row"; "person" where nothing is said.

    A plan of releases that protect different units protects neither: "unit".
    """
    said = {str(unit.name) for unit in units_of(cost)}
    return said.pop() if len(said) == 1 else "unit" if said else _NOT_SAID


def question_about(cost: CostOrPlan, about: str | None) -> str:
    """Return what changes between two tables, as words: "one row taking part or not"."""
    relation = cost.relation if isinstance(cost, Plan) else loss_of(cost, "loss").relation
    one = f"one {unit_of(cost)}"
    if about == "value" or (about is None and relation == "change-one"):
        return f"{one}'s record being this or another"
    if about == "presence" or relation == "add-remove":
        return f"{one} taking part or not"
    if relation is None:
        return "one of two neighbouring tables or the other"
    return f"{one} taking part or not, or their record being this or another"
