# SPDX-License-Identifier: MIT
"""What many releases cost together, if all of them are fixed before the first."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NoReturn, cast

from cydp._arguments import Integer, Number
from cydp._named import explained
from cydp._numbers.rational import Exact, exact, text
from cydp._numbers.rounding import as_float, decimal_above, outward, outward_delta
from cydp.accounting import _pld
from cydp.accounting._combine_relations import combine_relations
from cydp.accounting._composition_bounds import Bound, Part, bounds_of, could_be_less
from cydp.accounting._cost import Cost, loss_of, relation_of
from cydp.accounting._describe_cost import describe_cost
from cydp.accounting._dominating_pairs import Pairs
from cydp.accounting._errors import AdaptivityError
from cydp.accounting._format import html_of
from cydp.accounting._loss import ZCDP, ApproxDP, PureDP
from cydp.accounting._loss_numbers import read_count
from cydp.accounting._make_loss import make_loss
from cydp.accounting._measure import exact_string

__all__ = ["Plan"]

_NAMES = {
    "basic": "by basic composition",
    "zcdp": "by zCDP",
    "optimal": "by optimal composition",
    "pld": "by the privacy loss distribution",
}
_PAIRS = "items must be a list of pairs (mechanism or loss, count)"
_NOTHING = "at delta {} no bound says anything: a larger delta is needed"


class Plan:
    """Releases that are all fixed in advance, and what they cost together.

    Parameters
    ----------
    items : sequence of (mechanism or loss, count)
        What is released, and how often. Nothing in it may depend on what was released before.

    Raises
    ------
    TypeError, ValueError
        If an item is no pair of a mechanism or a loss and a count.
    RelationMismatchError
        If mechanisms or losses are stated under different relations.

    Notes
    -----
    The least of up to four bounds: basic composition; zCDP (Canonne, Kamath, Steinke, 2020,
    corollary 13); for losses of one epsilon the optimal composition (Kairouz, Oh, Viswanath, 2015);
    with the extra ``pld`` the privacy loss distribution, by dp-accounting (Doroshenko and others,
    "Connect the dots", 2022). docs/accounting/plans.md says why each holds.

    Examples
    --------
    >>> from cydp import ApproxDP, DiscreteGaussian, DiscreteLaplace, PrivacyFilter
    >>> counts = DiscreteLaplace(epsilon=0.01, sensitivity=1)
    >>> plan = Plan([(counts, 1000), (DiscreteGaussian(sigma2=400, sensitivity=1), 100)])
    >>> plan.epsilon_by_method(1e-6)["zcdp"]
    2.90905
    >>> 2.7129 < plan.epsilon(1e-6) <= 2.90905  # 2.71294 with the extra
    True
    >>> PrivacyFilter(ApproxDP(3, 1e-6)).charge(plan.as_loss(1e-6))  # before the first release

    """

    __slots__ = ("_bounds", "_items", "_relation")

    @explained
    def __init__(self, items: Iterable[tuple[Cost, Integer]]) -> None:
        if hasattr(self, "_items"):
            raise TypeError("a Plan is made once: what it fixes cannot change")
        if not isinstance(items, Iterable):
            raise TypeError(f"{_PAIRS}, not {_named(items)}")
        read = tuple(map(_item, items))
        self._relation = combine_relations("items", *(relation_of(cost) for cost, _ in read))
        self._items = read
        self._bounds: dict[str, Bound] | None = None

    @property
    def items(self) -> tuple[tuple[Cost, int], ...]:
        """What is released, and how often."""
        return self._items

    @property
    def relation(self) -> str | None:
        """What the items are stated under; None if none of them says."""
        return self._relation

    def epsilon(self, delta: Number) -> float:
        """Return the least epsilon found at a delta.

        Parameters
        ----------
        delta : number in [0, 1)

        Returns
        -------
        float
            Epsilon of all releases together, in nats, rounded up to six digits: neither the float
            nor the decimal that it prints is below what was found. `as_loss` holds what a budget
            is charged.

        Raises
        ------
        TypeError, ValueError
            For another delta, and for one at which no bound says anything.

        """
        return outward(min(self._found(delta).values()))

    def delta(self, epsilon: Number) -> float:
        """Return the least delta found at an epsilon.

        Parameters
        ----------
        epsilon : number >= 0
            Of all releases together.

        Returns
        -------
        float
            A probability, rounded up to six digits as `epsilon` is; 0 only where nothing is lost.
            Above 0.999999 it has more digits, and it is 1 only if what was found is above the
            largest float below 1.

        Raises
        ------
        TypeError, ValueError
            For another epsilon.

        """
        whole = exact(epsilon, "epsilon")
        if whole < 0:
            raise ValueError(f"epsilon must be at least 0, not {text(whole)}")
        deltas = (bound.delta(whole) for bound in self._computed().values())
        return outward_delta(min(Fraction(1), *deltas))

    def epsilon_by_method(self, delta: Number) -> dict[str, float]:
        """Return the epsilon at a delta by each method of composition; `epsilon` is the least.

        Parameters
        ----------
        delta : number in [0, 1)

        Returns
        -------
        dict
            By the names "basic", "zcdp", "optimal" and "pld", in nats, rounded up as `epsilon`
            is: those that say something. "pld" needs the extra ``pld`` and a delta of at least
            1e-10, and is left out where "optimal" is exact.

        Raises
        ------
        TypeError, ValueError
            For another delta.

        """
        return {name: outward(epsilon) for name, epsilon in self._epsilons(_delta(delta)).items()}

    def as_loss(self, delta: Number) -> ApproxDP:
        """Return what the plan costs at a delta, to be charged as one before the first release.

        Parameters
        ----------
        delta : number in [0, 1)

        Returns
        -------
        ApproxDP
            Its epsilon is an exact sum, where basic composition is the least bound, or a decimal of
            six digits, rounded up. It has the plan's rho, if all releases have one, and the plan's
            relation. It knows the plan: the history of a budget that is charged shows it.

        Raises
        ------
        TypeError, ValueError
            For another delta, and for one at which no bound says anything.

        """
        losses = [(loss_of(cost), count) for cost, count in self._items]
        rhos = [None if loss.rho is None else count * loss.rho for loss, count in losses]
        rho = None if None in rhos else sum(cast("list[Fraction]", rhos), Fraction(0))
        found = self._found(delta)
        epsilon = min(_charged(name, each) for name, each in found.items())
        return make_loss(ApproxDP, epsilon, _delta(delta), rho, relation=self.relation, plan=self)

    def report(self, delta: Number | None = None) -> str:
        """Return for people what is released and what it costs.

        Parameters
        ----------
        delta : number in [0, 1), optional
            At which each bound is asked; without it, no cost is reported.

        Returns
        -------
        str
            Lines; epsilons have six digits, rounded up.

        Raises
        ------
        TypeError, ValueError
            For another delta.

        """
        count = sum(count for _, count in self._items)
        lines = [f"a plan of {count:,} releases, fixed before the first"]
        lines += [f"  {times:,} x {cost}" for cost, times in self._items]
        return "\n".join(lines if delta is None else [*lines, *self._costs(_delta(delta))])

    def to_dict(self, delta: Number | None = None) -> dict[str, Any]:
        """Return the plan, and what it costs at a delta, as a dict that `json.dumps` takes.

        Parameters
        ----------
        delta : number in [0, 1), optional
            Without it, no cost is told.

        Returns
        -------
        dict
            "items" has for each item its "cost" as text, its "count", and the "loss" of one as
            ``loss.to_dict()``; "count" is that of all, "relation" is text or None. With a delta
            there are "delta", the "epsilon" at it, and "epsilon_by_method", as floats that are
            rounded up (None beyond the largest float, and where no bound says anything), and
            "exact": the "delta", and the "epsilon" that `as_loss` charges, as text.

        Raises
        ------
        TypeError, ValueError
            For another delta.

        Examples
        --------
        >>> from cydp import PureDP
        >>> told = Plan([(PureDP(0.1), 3)]).to_dict(delta=0)
        >>> told["items"][0]["cost"], told["count"], told["epsilon"], told["exact"]["epsilon"]
        ('PureDP(epsilon=0.1)', 3, 0.3, '3/10')

        """
        told: dict[str, Any] = {
            "items": [
                {"cost": describe_cost(cost), "count": count, "loss": loss_of(cost).to_dict()}
                for cost, count in self._items
            ],
            "count": sum(count for _, count in self._items),
            "relation": self.relation,
        }
        if delta is None:
            return told
        rest = _delta(delta)
        charged = {name: _charged(name, each) for name, each in self._epsilons(rest).items()}
        least = min(charged.values(), default=None)
        exacts = {"delta": rest} if least is None else {"delta": rest, "epsilon": least}
        return told | {
            "delta": as_float(rest),
            "epsilon": None if least is None else as_float(least),
            "epsilon_by_method": {name: as_float(each) for name, each in charged.items()},
            "exact": {name: exact_string(number) for name, number in exacts.items()},
        }

    def _costs(self, delta: Fraction) -> list[str]:
        found = self._epsilons(delta)
        least = min(found, key=found.__getitem__, default=None)
        lines = [f"at delta {text(delta)} it costs" if found else _NOTHING.format(text(delta))]
        for name, epsilon in found.items():
            used = " (this counts)" if name == least else ""
            lines.append(f"  epsilon {text(decimal_above(epsilon))} {_NAMES[name]}{used}")
        if not _pld.installed() and could_be_less(self._parts, delta):
            lines.append(f"  perhaps less {_NAMES['pld']}: pip install 'cydp[pld]'")
        return lines

    def _repr_html_(self) -> str:
        return html_of(self.report())

    def __reduce__(self) -> tuple[type[Plan], tuple[tuple[tuple[Cost, int], ...]]]:
        return Plan, (self._items,)

    def __repr__(self) -> str:
        items = ", ".join(f"({cost!r}, {count})" for cost, count in self._items)
        return f"Plan([{items}])"

    def __add__(self, other: object) -> NoReturn:
        """Refuse: what was fixed cannot grow; AdaptivityError."""
        raise AdaptivityError(
            "a plan cannot be extended: it holds for what is fixed before the first release. "
            "Make one plan of everything, or charge what comes later to a filter by itself"
        )

    __radd__ = __add__

    def _epsilons(self, delta: Fraction) -> dict[str, Fraction]:
        """Return what each bound has found, if it says anything: not rounded yet."""
        found = {name: bound.epsilon(delta) for name, bound in self._computed().items()}
        return {name: epsilon for name, epsilon in found.items() if epsilon is not None}

    def _found(self, delta: Number) -> dict[str, Fraction]:
        """Return at least one epsilon, or raise a ValueError that asks for a larger delta."""
        rest = _delta(delta)
        found = self._epsilons(rest)
        if not found:
            raise ValueError(
                f"delta must be larger for this plan than {text(rest)}, at which no bound says "
                "anything"
            )
        return found

    def _fits(self, epsilon: Fraction, delta: Fraction, *, quickly: bool) -> bool:
        """Whether `as_loss` would charge no more than epsilon: by any bound, or any quick one."""
        for name, bound in self._computed().items():  # in turn: the slow one comes last
            found = None if quickly and name == "pld" else bound.epsilon(delta)
            if found is not None and _charged(name, found) <= epsilon:
                return True
        return False

    def _computed(self) -> dict[str, Bound]:
        if self._bounds is None:
            self._bounds = bounds_of(self._parts)
        return self._bounds

    @property
    def _parts(self) -> list[Part]:
        parts = [Part(loss_of(cost), count, _pairs(cost)) for cost, count in self._items]
        return [part for part in parts if part.costs]


def _pairs(cost: Cost) -> Pairs | None:
    """Return the pairs that a mechanism's own class says stand for it.

    A subclass may release something else, at another loss, and knows nothing of pairs.
    """
    own = "_pairs" in type(cost).__dict__
    return cast("Pairs | None", cost._pairs) if own else None  # type: ignore[union-attr]


def _charged(name: str, epsilon: Fraction) -> Fraction:
    """Return what a budget is charged by a bound: an exact sum, or what was computed, rounded."""
    return epsilon if name == "basic" else decimal_above(epsilon)


def _item(item: tuple[Cost, Integer]) -> tuple[Cost, int]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise TypeError(f"{_PAIRS}: one item is {_named(item)}, not a pair")
    cost, count = item
    if not isinstance(getattr(cost, "loss", cost), PureDP | ApproxDP | ZCDP):
        raise TypeError(f"{_PAIRS}: one pair begins with {_named(cost)}")
    return cost, read_count(count)


def _named(given: object) -> str:
    """Say what was given instead: its type, and more where that would not help."""
    if isinstance(given, type):
        return f"the class {given.__name__}"
    if isinstance(given, tuple | list):
        return f"a {type(given).__name__} of {len(given)}"
    return "None" if given is None else type(given).__name__


def _delta(delta: Number) -> Exact:
    rest = exact(delta, "delta")
    if not 0 <= rest < 1:
        raise ValueError(f"delta must be at least 0 and less than 1, not {text(rest)}")
    return rest
