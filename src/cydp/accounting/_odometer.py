# SPDX-License-Identifier: MIT
"""The odometer: it adds up what releases cost, and has no limit."""

from __future__ import annotations

import threading
from typing import NoReturn

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp._relations import check_relation
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._cost import Cost, check_relation_of_cost, kept_units, loss_of
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._words import html_of

__all__ = ["PrivacyOdometer"]

_MEASURES = {
    PureDP: "pure", ApproxDP: "approximate", ZCDP: "zcdp", ApproxZCDP: "approximate zcdp"
}  # fmt: skip


class PrivacyOdometer:
    """Adds up what releases cost, without a limit. For threads of one process.

    It is for information alone. Use a `PrivacyFilter` or a `BudgetLedger` to refuse releases.

    Parameters
    ----------
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours that the losses are stated under.

    Raises
    ------
    ValueError
        For another relation.

    Notes
    -----
    To stop when the total of an odometer reaches a bound guarantees nothing, because the losses may
    have been chosen by what was released before [1]_.

    References
    ----------
    .. [1] Rogers, Roth, Ullman, Vadhan, "Privacy odometers and filters", 2016.

    Examples
    --------
    >>> odometer = PrivacyOdometer()
    >>> odometer.charge(PureDP(0.1), count=3)
    >>> odometer.spent
    {'pure': PureDP(epsilon=0.3, rho=0.014987512487363994)}

    """

    __slots__ = ("_lock", "_relation", "_spent", "_units")

    @explain_arguments
    def __init__(self, *, relation: str = "add-remove") -> None:
        self._spent: dict[str, Loss] = {}
        self._units: tuple[str, ...] = ()  # that all charges protect
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
            What one release costs.
        count : int >= 0, default 1
            How many releases there are.
        relation : {"add-remove", "change-one", "add-remove-or-change"}, optional
            The relation that the cost is stated under. None: the relation that the loss or the
            mechanism states, if it states one.

        Raises
        ------
        RelationMismatchError
            If the cost is stated under another relation than the odometer's.
        UnitMismatchError
            If the cost is of a release that protects another unit than the releases before it.
        TypeError, ValueError
            For a bad cost or count, and if delta would reach 1.

        Examples
        --------
        >>> odometer = PrivacyOdometer()
        >>> odometer.charge(ApproxDP(1, 1e-6))
        >>> odometer.spent["approximate"].epsilon
        Fraction(1, 1)

        """
        loss = loss_of(cost) * count
        check_relation_of_cost(cost, relation, self.relation, "be added to an odometer")
        with self._lock:
            units = kept_units(cost, self._units)
            measure = _MEASURES[type(loss)]
            self._spent[measure] = self._spent[measure] + loss if measure in self._spent else loss
            self._units = units

    @property
    def spent(self) -> dict[str, Loss]:
        """One total for each measure that was charged.

        "pure", "approximate", "zcdp" and "approximate zcdp" are their names.
        """
        return dict(self._spent)

    def report(self) -> str:
        """Return a text for people that says what was spent.

        Returns
        -------
        str
            One line for each measure, below a heading.

        Examples
        --------
        >>> print(PrivacyOdometer().report())
        an odometer without a limit, under 'add-remove'
          nothing was spent

        """
        spent = [f"  spent {loss}" for loss in self.spent.values()] or ["  nothing was spent"]
        return "\n".join([f"an odometer without a limit, under {self.relation!r}", *spent])

    def _repr_html_(self) -> str:
        return html_of(self.report())

    def __reduce__(self) -> NoReturn:
        """Refuse: what is charged to one copy would be missing from the other."""
        raise TypeError(
            "a PrivacyOdometer cannot be pickled or copied, because each copy would add up a part "
            "of the whole: pass it on as it is, or use a BudgetLedger, which processes share"
        )

    def __repr__(self) -> str:
        return f"<PrivacyOdometer: {self.relation!r}, spent {self.spent}>"
