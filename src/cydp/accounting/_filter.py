# SPDX-License-Identifier: MIT
"""The filter: a budget in memory. It refuses what does not fit."""

from __future__ import annotations

import os
import threading
from typing import NoReturn, TypeAlias

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp._relations import check_relation
from cydp.accounting._amounts import (
    NOTHING,
    Total,
    add_totals,
    amount_of,
    amount_of_total,
    exceeds_total,
    loss_like,
    repeat_total,
    subtract_amounts,
    total_of,
)
from cydp.accounting._budget import (
    Asked,
    PaidInMemory,
    amount_of_cost,
    check_budget_in_memory,
)
from cydp.accounting._cost import (
    Cost,
    check_relation_of_cost,
    describe_cost,
    kept_units,
    note_release,
)
from cydp.accounting._errors import BudgetExceededError, PrivacyError
from cydp.accounting._loss import LOSSES, ApproxDP
from cydp.accounting._loss_numbers import read_count
from cydp.accounting._renyi_dp import AnyLoss
from cydp.accounting._words import html_of

__all__ = ["PrivacyFilter"]


_Checked: TypeAlias = tuple[Cost, Total, str]
"""A loss, its total in the measure of the budget, and its name in a report."""


class PrivacyFilter:
    """A budget in memory, which refuses what does not fit. For threads of one process.

    Pass it to releases as ``budget=``, or call `charge` before each release of your own. Use a
    `BudgetLedger` for several processes, and for a budget that outlives the process.

    Parameters
    ----------
    budget : PureDP, ApproxDP, ZCDP, ApproxZCDP or RenyiDP
        What may be spent in all. Charges must be in its measure. Totals are exact fractions.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours that the losses are stated under.
    privacy_unit : str, optional
        What all releases that it pays for must protect, such as "user". Default: what the first
        one protects.

    Raises
    ------
    TypeError, ValueError
        For a bad budget, relation or unit.
    RelationMismatchError
        If the budget is stated under another relation.

    Notes
    -----
    All releases that it pays for must protect the same unit, such as a row or a user: losses of
    different units do not add up. A bare loss and a mechanism state no unit.

    Charges, and the sizes of charges, may depend on earlier releases [1]_; for zCDP and a Renyi
    divergence of one order see [2]_.

    References
    ----------
    .. [1] Rogers, Roth, Ullman, Vadhan, "Privacy odometers and filters", 2016.
    .. [2] Feldman, Zrnic, "Individual privacy accounting via a Renyi filter", 2021.

    Examples
    --------
    >>> from cydp import PureDP
    >>> budget = PrivacyFilter(PureDP(1))
    >>> for _ in range(10):
    ...     budget.charge(PureDP(0.1))
    >>> budget.remaining
    PureDP(epsilon=0)
    >>> budget.would_exceed(PureDP(1e-300))
    True

    """

    __slots__ = (
        "_budget",
        "_kept",
        "_limit",
        "_lock",
        "_most",
        "_pid",
        "_relation",
        "_spent",
        "_subtotals",
        "_units",
    )

    @explain_arguments
    def __init__(
        self, budget: AnyLoss, *, relation: str = "add-remove", privacy_unit: str | None = None
    ) -> None:
        self._relation = check_relation(relation)
        self._limit = amount_of(check_budget_in_memory(budget, relation), budget)
        # A rho beside an epsilon belongs to certain releases: it is no limit of this budget.
        self._budget = loss_like(budget, self._limit)
        self._most = total_of(self._limit)
        self._spent: Total = NOTHING
        self._kept: _Checked | None = None  # the last loss that was charged once
        self._subtotals: dict[str, _Subtotal] = {}
        if privacy_unit is not None and not (isinstance(privacy_unit, str) and privacy_unit):
            raise TypeError("privacy_unit must be a name, such as 'user'")
        self._units: tuple[str, ...] = () if privacy_unit is None else (privacy_unit,)
        self._lock = threading.Lock()
        self._pid = os.getpid()

    @property
    def budget(self) -> AnyLoss:
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
            What one release costs.
        count : int >= 0, default 1
            How many releases there are.
        relation : {"add-remove", "change-one", "add-remove-or-change"}, optional
            The relation that the cost is stated under. None: the relation that the loss or the
            mechanism states, if it states one.

        Raises
        ------
        BudgetExceededError
            If the cost does not fit. It may use up the budget exactly.
        MeasureMismatchError, RelationMismatchError
            If the cost is of another measure than the budget, or stated under another relation.
        UnitMismatchError
            If the cost is of a release that protects another unit, such as a row, than the releases
            before it, such as a user.
        PrivacyError
            In a forked child, because the parent process has the budget.
        TypeError, ValueError
            For a bad cost or count.

        Examples
        --------
        >>> from cydp import PureDP
        >>> budget = PrivacyFilter(PureDP(1))
        >>> budget.charge(PureDP(0.25), count=3)
        >>> budget.spent.epsilon
        Fraction(3, 4)

        """
        kept = self._kept
        if (
            kept is not None
            and kept[0] is cost  # a loss never changes, and was checked
            and type(count) is int
            and count == 1
            and relation is None
            and os.getpid() == self._pid
        ):
            times, (_, requested, name), states_unit = 1, kept, False
        else:
            times, requested = self._check_charge(cost, count, relation)
            name = _name_in_report(cost)
            # The loss of a plan has the units of its items, which are looked at each time.
            states_unit = type(cost) not in LOSSES or getattr(cost, "plan", None) is not None
            if not states_unit and times == 1 and relation is None:
                self._kept = cost, requested, name
        with self._lock:
            units = kept_units(cost, self._units) if states_unit else self._units
            total = add_totals(self._spent, requested)
            if exceeds_total(total, self._most):
                error = self._refusal(requested)
                note_release(error, cost)
                raise error
            self._spent, self._units = total, units
            subtotal = self._subtotals.get(name)
            if subtotal is None:
                subtotal = self._subtotals[name] = _Subtotal()
            subtotal.add(times, requested)

    def _pay(self, asked: Asked) -> PaidInMemory:
        """Charge for one call of a release, as `charge` does."""
        self.charge(asked.cost, asked.count)
        paid = PaidInMemory(asked, self.budget)
        asked.answers.append(paid)
        return paid

    def would_exceed(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> bool:
        """Whether a charge would be refused for lack of budget, as things stand.

        The answer may be outdated at once: another thread may charge in between. The parameters are
        as in `charge`, and a cost that could never be charged raises what `charge` raises.

        Returns
        -------
        bool

        Examples
        --------
        >>> from cydp import PureDP
        >>> PrivacyFilter(PureDP(1)).would_exceed(PureDP(0.5), count=3)
        True

        """
        _, requested = self._check_charge(cost, count, relation)
        kept_units(cost, self._units)
        return exceeds_total(add_totals(self._spent, requested), self._most)

    @property
    def spent(self) -> AnyLoss:
        """What was charged."""
        return self._loss_of(self._spent)

    @property
    def remaining(self) -> AnyLoss:
        """What may still be charged."""
        return self._left(self._spent)

    def _check_charge(self, cost: Cost, count: Integer, relation: str | None) -> tuple[int, Total]:
        """Return how many releases a charge is for, and what they cost together."""
        if os.getpid() != self._pid:
            raise PrivacyError(
                "a PrivacyFilter cannot be used in a forked process, which would spend its budget "
                "once more: use a BudgetLedger, which processes share"
            )
        check_relation_of_cost(cost, relation, self.relation)
        times = read_count(count)
        return times, total_of(amount_of_cost(cost, times, self.budget))

    def _refusal(self, requested: Total) -> BudgetExceededError:
        requested_loss = self._loss_of(requested)
        return BudgetExceededError(self.budget, self.spent, self.remaining, requested_loss)

    def _left(self, spent: Total) -> AnyLoss:
        left = subtract_amounts(self._limit, amount_of_total(spent, len(self._limit)))
        return loss_like(self.budget, left)

    def _loss_of(self, total: Total) -> AnyLoss:
        return loss_like(self.budget, amount_of_total(total, len(self._limit)))

    def report(self) -> str:
        """Return a text for people that says what was spent, on what, and what is left.

        Returns
        -------
        str
            One line for each kind of cost, below two lines for the whole.

        Examples
        --------
        >>> from cydp import PureDP
        >>> budget = PrivacyFilter(PureDP(1))
        >>> budget.charge(PureDP(0.25), count=3)
        >>> print(budget.report())
        budget PureDP(epsilon=1) under 'add-remove', in memory
          spent PureDP(epsilon=0.75), left PureDP(epsilon=0.25)
          3 x PureDP: PureDP(epsilon=0.75)

        """
        spent = self._spent
        subtotals = dict(self._subtotals)  # copied at once, since other threads may charge
        unit = f" for each {self._units[0]}" if self._units else ""
        lines = [f"budget {self.budget}{unit} under {self.relation!r}, in memory"]
        lines.append(f"  spent {self._loss_of(spent)}, left {self._left(spent)}")
        for name, subtotal in subtotals.items():
            releases, total = subtotal.read()
            lines.append(f"  {releases:,} x {name}: {self._loss_of(total)}")
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


def _name_in_report(cost: Cost) -> str:
    """Return what a report calls a charge: a plan by its items, a query by its function."""
    plan = cost.plan if isinstance(cost, ApproxDP) else None
    if plan is not None:
        return describe_cost(cost)
    return str(getattr(getattr(cost, "query", cost), "function", type(cost).__name__))


class _Subtotal:
    """The charges of one name in a report: how many releases, and what they cost together.

    Charges of the same amount, one after the other, are only counted, which is quick. All numbers
    are replaced at once, so that a reader in another thread finds them in agreement.
    """

    __slots__ = ("_state",)

    def __init__(self) -> None:
        # The releases; what was charged before the last amount; that amount; how often it was.
        self._state: tuple[int, Total, Total, int] = 0, NOTHING, NOTHING, 0

    def add(self, releases: int, each: Total) -> None:
        count, before, last, charges = self._state
        if each != last:
            before, charges = add_totals(before, repeat_total(last, charges)), 0
        self._state = count + releases, before, each, charges + 1

    def read(self) -> tuple[int, Total]:
        """Return how many releases there were, and what they cost together."""
        releases, before, last, charges = self._state
        return releases, add_totals(before, repeat_total(last, charges))
