# SPDX-License-Identifier: MIT
"""Budgets in memory: what was spent, and a filter that refuses."""

from __future__ import annotations

import os
import threading
from fractions import Fraction
from typing import Any, NoReturn, Protocol, TypeAlias, runtime_checkable

from cydp._arguments import Integer
from cydp._named import explained
from cydp._relations import check_relation, check_stated
from cydp.accounting._described import described
from cydp.accounting._errors import (
    AdaptivityError,
    BudgetExceededError,
    MeasureMismatchError,
    PrivacyError,
    RelationMismatchError,
)
from cydp.accounting._given import kind_given
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP, count_of, loss_from
from cydp.accounting._report import html_of, plain
from cydp.accounting._stated import common_relation

__all__ = [
    "Cost",
    "HasLoss",
    "Parts",
    "PrivacyFilter",
    "PrivacyOdometer",
    "Spendable",
    "asked_of",
    "check_budget",
    "check_kept",
    "loss_of",
    "measured",
    "relation_of",
    "total_of",
]

_MOST_BITS = 8192  # of a total; beyond, it is rounded up to a multiple of the grid
_GRID = 2**4096
_NOTHING = (Fraction(0), Fraction(0))  # of either measure: what is added to it may be shorter


@runtime_checkable
class HasLoss(Protocol):
    """A mechanism or a release."""

    @property
    def loss(self) -> Loss:
        """Privacy cost."""


Cost: TypeAlias = Loss | HasLoss
Parts: TypeAlias = tuple[Fraction, ...]  # the numbers of a loss in a budget's measure


class Spendable(Protocol):
    """What every budget has: a `PrivacyFilter`, a `BudgetLedger`, a `LedgerScope`.

    `budget`, `spent` and `remaining` are losses of one measure. Where several blocks of a ledger
    have budgets of their own, `spent` and `remaining` are dicts of losses by block id.
    """

    @property
    def budget(self) -> Any:
        """What may be spent in all."""

    @property
    def relation(self) -> str:
        """The relation of neighbours that the budget is kept under."""

    @property
    def spent(self) -> Any:
        """What was charged."""

    @property
    def remaining(self) -> Any:
        """What may still be charged."""

    def would_exceed(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> bool:
        """Whether a charge would be refused for lack of budget, as things stand."""

    def charge(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> Any:
        """Spend a loss `count` times, or raise and spend nothing."""


class PrivacyOdometer:
    """Adds up what releases cost, without a limit.

    Parameters
    ----------
    relation : {"add-remove", "change-one"}, default "add-remove"
        The relation of neighbours that the losses are stated under.

    Raises
    ------
    ValueError
        For another relation.

    Notes
    -----
    An odometer informs and refuses nothing: to stop when its total reaches a bound guarantees
    nothing. Use a `PrivacyFilter` for that (Rogers, Roth, Ullman, Vadhan, 2016).

    Examples
    --------
    >>> odometer = PrivacyOdometer()
    >>> odometer.charge(PureDP(0.1), count=3)
    >>> odometer.spent
    {'pure': PureDP(epsilon=0.3, rho=0.015)}

    """

    __slots__ = ("_lock", "_relation", "_spent")

    @explained
    def __init__(self, *, relation: str = "add-remove") -> None:
        if hasattr(self, "_relation"):
            raise TypeError(
                "a PrivacyOdometer is made once, and what it has added up cannot be reset: make "
                "another one"
            )
        self._spent: dict[str, Loss] = {}
        self._lock = threading.Lock()
        self._relation = check_relation(relation)

    @property
    def relation(self) -> str:
        """The relation of neighbours that the losses are stated under."""
        return self._relation

    def charge(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> None:
        """Add a loss `count` times.

        Parameters
        ----------
        cost : loss, mechanism or release
        count : int >= 0, default 1
        relation : {"add-remove", "change-one"}, optional
            The relation that the cost is stated under. None: the loss or the mechanism says it,
            or nobody does.

        Raises
        ------
        RelationMismatchError
            If the cost is stated under another relation than the odometer's.
        TypeError, ValueError
            For a bad cost or count, and if delta would reach 1.

        """
        loss = loss_of(cost) * count
        check_kept(cost, relation, self.relation, "be added to an odometer")
        with self._lock:
            name = _NAMES[type(loss)]
            self._spent[name] = self._spent[name] + loss if name in self._spent else loss

    @property
    def spent(self) -> dict[str, Loss]:
        """One total for each measure that was given: "pure", "approximate", "zcdp"."""
        return dict(self._spent)

    def report(self) -> str:
        """Return for people what was spent."""
        spent = [f"  spent {loss}" for loss in self.spent.values()] or ["  nothing was spent"]
        return "\n".join([f"an odometer without a limit, under {self.relation!r}", *spent])

    def _repr_html_(self) -> str:
        return html_of(self.report())

    def __repr__(self) -> str:
        return f"<PrivacyOdometer: {self.relation!r}, spent {self.spent}>"


_NAMES = {PureDP: "pure", ApproxDP: "approximate", ZCDP: "zcdp"}


class PrivacyFilter:
    """A budget in memory, which refuses what does not fit. For threads of one process.

    Parameters
    ----------
    budget : PureDP, ApproxDP or ZCDP
        What may be spent in all. Charges must be in its measure. Totals are exact fractions.
    relation : {"add-remove", "change-one"}, default "add-remove"
        The relation of neighbours that the losses are stated under.

    Raises
    ------
    TypeError, ValueError
        For a bad budget or relation.
    RelationMismatchError
        If the budget is stated under another relation.

    Notes
    -----
    Charges may be chosen adaptively, with their sizes: Rogers, Roth, Ullman, Vadhan, "Privacy
    odometers and filters", 2016; for zCDP, Feldman and Zrnic, "Individual privacy accounting via
    a Renyi filter", 2021.

    Examples
    --------
    >>> budget = PrivacyFilter(PureDP(1))
    >>> for _ in range(10):
    ...     budget.charge(PureDP(0.1))
    >>> budget.remaining
    PureDP(epsilon=0)
    >>> budget.would_exceed(PureDP(1e-300))
    True

    """

    __slots__ = ("_budget", "_limit", "_lock", "_pid", "_relation", "_spent", "_spent_on")

    @explained
    def __init__(self, budget: Loss, *, relation: str = "add-remove") -> None:
        if hasattr(self, "_pid"):
            raise TypeError("a PrivacyFilter is made once, and its budget cannot be changed")
        self._budget = check_budget(budget, check_relation(relation))
        self._relation = relation
        self._limit = measured(budget, budget)
        self._spent = _NOTHING[: len(self._limit)]
        self._spent_on: dict[str, _Spending] = {}
        self._lock = threading.RLock()
        self._pid = os.getpid()

    @property
    def budget(self) -> Loss:
        """What may be spent in all."""
        return self._budget

    @property
    def relation(self) -> str:
        """The relation of neighbours that the losses are stated under."""
        return self._relation

    def charge(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> None:
        """Spend a loss `count` times, or raise and spend nothing.

        Parameters
        ----------
        cost : loss, mechanism or release
        count : int >= 0, default 1
        relation : {"add-remove", "change-one"}, optional
            The relation that the cost is stated under. None: the loss or the mechanism says it,
            or nobody does.

        Raises
        ------
        BudgetExceededError
            If the cost does not fit. It may use up the budget exactly.
        MeasureMismatchError, RelationMismatchError
            If the cost is of another measure than the budget, or stated under another relation.
        PrivacyError
            In a forked child: the parent has the budget.
        TypeError, ValueError
            For a bad cost or count.

        Examples
        --------
        >>> budget = PrivacyFilter(PureDP(1))
        >>> budget.charge(PureDP(0.25), count=3)
        >>> budget.spent.epsilon
        Fraction(3, 4)

        """
        times, asked = self._asked(cost, count, relation)
        with self._lock:
            while True:
                spent = self._spent
                total = tuple(map(total_of, spent, asked))
                if self._exceeds(total):
                    raise self._refusal(spent, asked)
                # A signal handler of this thread gets past the lock, and may have charged.
                if self._spent is spent:
                    self._spent = total
                    break
            self._spent_on.setdefault(_kind_of(cost), _Spending()).add(times, asked)

    def would_exceed(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> bool:
        """Whether a charge would be refused for lack of budget, as things stand.

        Nothing is promised: another thread may charge in between. Raises what `charge` raises
        for a cost that could never be charged.

        >>> PrivacyFilter(PureDP(1)).would_exceed(PureDP(0.5), count=3)
        True
        """
        *_, asked = self._asked(cost, count, relation)
        return self._exceeds(tuple(map(total_of, self._spent, asked)))

    @property
    def spent(self) -> Loss:
        """What was charged."""
        return self._loss(self._spent)

    @property
    def remaining(self) -> Loss:
        """What may still be charged."""
        return self._loss(tuple(a - b for a, b in zip(self._limit, self._spent, strict=True)))

    def _asked(self, cost: Cost, count: Integer, relation: str | None) -> tuple[int, Parts]:
        if os.getpid() != self._pid:
            raise PrivacyError(
                "a PrivacyFilter cannot be used in a forked process, which would spend its budget "
                "once more: use a BudgetLedger, which processes share"
            )
        check_kept(cost, relation, self.relation)
        times = count_of(count)
        return times, asked_of(loss_of(cost), times, self.budget)

    def _exceeds(self, total: Parts) -> bool:
        return any(a > b for a, b in zip(total, self._limit, strict=True))

    def _refusal(self, spent: Parts, asked: Parts) -> BudgetExceededError:
        left = tuple(a - b for a, b in zip(self._limit, spent, strict=True))
        whole, loss = self.budget, self._loss
        return BudgetExceededError(whole, loss(spent), loss(left), loss(asked))

    def _loss(self, parts: Parts) -> Loss:
        return loss_from(type(self.budget), parts, self.budget.relation)

    def report(self) -> str:
        """Return for people what was spent, on what, and what is left.

        >>> budget = PrivacyFilter(PureDP(1))
        >>> budget.charge(PureDP(0.25), count=3)
        >>> print(budget.report())
        budget PureDP(epsilon=1) under 'add-remove', in memory
          spent PureDP(epsilon=0.75), left PureDP(epsilon=0.25)
          3 x PureDP: PureDP(epsilon=0.75)
        """
        kinds = dict(self._spent_on)  # at once, for other threads
        lines = [f"budget {self.budget} under {self.relation!r}, in memory"]
        lines.append(f"  spent {self.spent}, left {self.remaining}")
        lines += [
            f"  {spending.number:,} x {kind}: {self._loss(spending.total)}"
            for kind, spending in kinds.items()
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_of(self.report())

    def __reduce__(self) -> NoReturn:
        """Refuse: two copies would spend the budget twice."""
        raise TypeError(
            "a PrivacyFilter cannot be pickled or copied, because its budget would double: use a "
            "BudgetLedger, which processes share"
        )

    def __repr__(self) -> str:
        return f"<PrivacyFilter: {self.budget}, {self.relation!r}, spent {self.spent}>"


def _kind_of(cost: Cost) -> str:
    """Return what a report calls a charge: a plan by itself, all else by its class."""
    plan = cost.plan if isinstance(cost, ApproxDP) else None
    return type(cost).__name__ if plan is None else described(cost)


class _Spending:
    """How many charges there were of a kind, and what they cost; quick for the same again."""

    __slots__ = ("_each", "_rest", "_times", "number")

    def __init__(self) -> None:
        self.number = 0
        self._rest: Parts = _NOTHING
        self._each: Parts = _NOTHING
        self._times = 0

    def add(self, number: int, cost: Parts) -> None:
        self.number += number
        if cost != self._each:
            self._rest, self._each, self._times = self.total, cost, 0
        self._times += 1

    @property
    def total(self) -> Parts:
        """The cost of all."""
        last = (self._times * part for part in self._each)
        return tuple(map(total_of, self._rest, last))


def check_budget(budget: Loss, relation: str | None = None) -> Loss:
    """Return a loss that is to be a budget, kept under a relation.

    A TypeError for anything else, a RelationMismatchError if it is stated under another relation.
    """
    if hasattr(budget, "as_loss"):
        raise AdaptivityError(
            "budget must not be a Plan, since to stop when the total of a plan is reached "
            "guarantees nothing: charge plan.as_loss(delta) to a budget ApproxDP(epsilon, delta) "
            "before the first release"
        )
    if not isinstance(budget, PureDP | ApproxDP | ZCDP):
        raise TypeError(
            "budget must be PureDP(epsilon), ApproxDP(epsilon, delta) or ZCDP(rho), not "
            f"{kind_given(budget)}"
        )
    if relation is not None and budget.relation not in (None, check_relation(relation)):
        raise RelationMismatchError(
            f"budget is stated under {budget.relation!r} and cannot be kept under {relation!r}: "
            f"pass relation={budget.relation!r}, or state the budget under {relation!r}"
        )
    return budget


def loss_of(cost: Cost) -> Loss:
    """Return a loss, or that of a mechanism; a TypeError for anything else."""
    loss = cost if isinstance(cost, PureDP | ApproxDP | ZCDP) else getattr(cost, "loss", None)
    if not isinstance(loss, PureDP | ApproxDP | ZCDP):
        if hasattr(cost, "as_loss") and not isinstance(cost, type):
            raise TypeError(
                "cost must not be a Plan, which is charged as a whole, at a delta: charge "
                "plan.as_loss(delta)"
            )
        raise TypeError(
            f"cost must be a loss or a mechanism, such as PureDP(0.1), not {kind_given(cost)}"
        )
    return loss


def relation_of(cost: Cost) -> str | None:
    """Return what a cost is stated under: a loss, or a mechanism and its loss; None: no one says.

    Raises RelationMismatchError for a mechanism that is stated under another one than its loss.
    """
    return common_relation(
        "a mechanism and its loss", getattr(cost, "relation", None), loss_of(cost).relation
    )


def check_kept(
    cost: Cost, relation: str | None, kept: str, use: str = "be paid from a budget"
) -> None:
    """Raise a RelationMismatchError if a cost is stated under another relation than is kept.

    `relation` is what the caller says that it is stated under; the cost may say so, too. `use` is
    what the cost is for, in the error.
    """
    for stated in (relation_of(cost), check_stated(relation)):
        if stated is not None and stated != kept:
            raise RelationMismatchError(
                f"the cost is stated under {stated!r} and cannot {use} that is kept under "
                f"{kept!r}: state both under one relation"
            )


def measured(loss: Loss, budget: Loss) -> Parts:
    """Return the numbers of a loss in the measure of a budget."""
    if isinstance(budget, ZCDP):
        if loss.rho is not None:
            return (loss.rho,)
        what_to_do = "use an ApproxDP budget, or a mechanism with epsilon or rho alone"
    elif isinstance(loss, ZCDP):
        what_to_do = "use a ZCDP budget, or a mechanism with epsilon"
        if isinstance(budget, ApproxDP):
            what_to_do += (
                ", or charge Plan([(mechanism, count)]).as_loss(delta), or of a loss "
                "cydp.convert(loss, delta=...)"
            )
    elif isinstance(budget, ApproxDP):
        return loss.epsilon, loss.delta if isinstance(loss, ApproxDP) else Fraction(0)
    elif isinstance(loss, PureDP):
        return (loss.epsilon,)
    else:
        what_to_do = "use an ApproxDP budget, or a mechanism with epsilon alone"
    kind = "an ApproxDP" if isinstance(budget, ApproxDP) else f"a {type(budget).__name__}"
    raise MeasureMismatchError(
        f"the cost {plain(loss)} cannot be paid from {kind} budget: {what_to_do}"
    )


def asked_of(loss: Loss, times: int, budget: Loss) -> Parts:
    """Return what so many of a loss cost, in the measure of a budget.

    Raises MeasureMismatchError, and ValueError for a negative cost.
    """
    asked = measured(loss, budget)
    for part in asked:
        if part.numerator < 0:
            raise ValueError("cost must be at least 0")
    return asked if times == 1 else tuple(times * part for part in asked)


def total_of(spent: Fraction, asked: Fraction) -> Fraction:
    """Return the sum, or a little more where it would be too long."""
    if not asked:
        return spent
    total = spent + asked
    if max(total.numerator.bit_length(), total.denominator.bit_length()) <= _MOST_BITS:
        return total
    return Fraction(-(-total.numerator * _GRID // total.denominator), _GRID)
