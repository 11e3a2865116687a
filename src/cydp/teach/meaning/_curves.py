# SPDX-License-Identifier: MIT
"""What a cost lets a test find out about one person, and how pictures name the cost."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal
from fractions import Fraction

from cydp._arguments import Number
from cydp._numbers.rational import Exact, format_number, read_exact
from cydp._numbers.rounding import decimal_below
from cydp.accounting import (
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Cost,
    Loss,
    Plan,
    PureDP,
    RocBound,
    convert,
    loss_of,
    protected_unit,
    roc_of,
)
from cydp.sampling import Sampled

__all__ = [
    "CostOrPlan",
    "below",
    "label_of",
    "question_about",
    "read_curve",
    "read_delta",
    "read_share",
]


CostOrPlan = Cost | Plan
_UP = Context(prec=3, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)


def read_curve(cost: CostOrPlan, delta: Number | None, about: str | None) -> RocBound:
    """Return what a cost lets a test find out; TypeError or ValueError for bad arguments."""
    stated = None if delta is None else read_delta(delta)
    relation = cost.relation if isinstance(cost, Plan) else loss_of(cost, "loss").relation
    _check_about(about, relation)
    # Under "add-remove" another value is two steps: one record goes, and one comes.
    steps = 2 if about == "value" and relation == "add-remove" else 1
    if isinstance(cost, Plan):
        if stated is None:
            return roc_of(cost).group(steps)
        return _of_loss(cost.as_loss(stated), stated, steps)
    bound = _of_loss(loss_of(cost), stated, steps)
    if isinstance(cost, Loss):
        return bound
    # A plan knows more of some mechanisms than one loss can say.
    return bound & read_curve(Plan([(cost, 1)]), delta, about)


def _of_loss(loss: Loss, delta: Fraction | None, steps: int) -> RocBound:
    """Return the bound of a loss and of some steps, at one delta or at all that are known."""
    if delta is not None and not (delta == 0 and isinstance(loss, PureDP)):
        stated = convert(loss, delta=delta)  # its rho would imply other pairs
        loss = ApproxDP(stated.epsilon, stated.delta, relation=stated.relation)
    if isinstance(loss, ApproxZCDP) or steps == 1:
        return roc_of(loss).group(steps)
    try:
        return roc_of(loss.group(steps))
    except ValueError:  # its delta would reach 1
        return roc_of(loss).group(steps)


def _check_about(about: str | None, relation: str | None) -> None:
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


def label_of(cost: CostOrPlan) -> str:
    """Return a cost in short: "epsilon = 1, delta = 1e-06"."""
    if isinstance(cost, Plan):
        count = sum(count for _, count in cost.items)
        return f"a plan of {count:,} release{'' if count == 1 else 's'}"
    if isinstance(cost, Sampled):
        return f"{label_of(cost.mechanism)}, on a sample of {_short(cost.share)}"
    loss = loss_of(cost, "losses")
    names = ["rho" if isinstance(loss, ZCDP | ApproxZCDP) else "epsilon"]
    if isinstance(loss, ApproxDP | ApproxZCDP):
        names.append("delta")
    return ", ".join(f"{name} = {_short(getattr(loss, name))}" for name in names)


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


def read_delta(value: Number) -> Exact:
    """Read a delta from 0 to below 1."""
    number = read_exact(value, "delta")
    if not 0 <= number < 1:
        raise ValueError(f"delta must be at least 0 and less than 1, not {format_number(number)}")
    return number


def below(number: Fraction) -> float:
    """Return the float of the largest decimal of six digits at most a number >= 0."""
    return float(decimal_below(number))


def question_about(cost: CostOrPlan, about: str | None) -> str:
    """Return what changes between two tables, as words: "one row taking part or not"."""
    relation = cost.relation if isinstance(cost, Plan) else loss_of(cost, "loss").relation
    one = f"one {protected_unit(cost) or 'person'}"
    if about == "value" or (about is None and relation == "change-one"):
        return f"{one}'s record being this or another"
    if about == "presence" or relation == "add-remove":
        return f"{one} taking part or not"
    if relation is None:
        return "one of two neighbouring tables or the other"
    return f"{one} taking part or not, or their record being this or another"
