# SPDX-License-Identifier: MIT
"""What many releases cost together, if all of them are fixed before the first."""

from collections.abc import Iterable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import NoReturn, SupportsIndex, cast

from cydp.accounting import numerical
from cydp.accounting.bounds import Bound, Part, bounds_of, could_be_less
from cydp.accounting.budget import Cost, loss_of, relation_of
from cydp.accounting.errors import AdaptivityError
from cydp.accounting.loss import ApproxDP, count_of, new_loss
from cydp.accounting.pairs import Pairs
from cydp.accounting.report import html_of
from cydp.accounting.stated import common_relation
from cydp.rational import Number, exact, text

_NAMES = {
    "basic": "by basic composition",
    "zcdp": "by zCDP",
    "optimal": "by optimal composition",
    "pld": "by the privacy loss distribution",
}
_NOTHING = "at delta {} no bound says anything: a larger delta is needed"


class Plan:
    """Releases that are all fixed in advance, and what they cost together.

    Parameters
    ----------
    items : sequence of (mechanism or loss, count)
        What is released, and how often. Nothing of it may depend on what was released before.

    Raises
    ------
    TypeError, ValueError
        For what is no mechanism and no loss, and no count.
    RelationMismatchError
        For mechanisms or losses that are stated under different relations.

    Notes
    -----
    The least of up to four bounds: basic composition; zCDP (Canonne, Kamath, Steinke, 2020,
    corollary 13); for losses of one epsilon the optimal composition (Kairouz, Oh, Viswanath, 2015);
    with the extra ``pld`` the privacy loss distribution, by dp-accounting (Doroshenko and others,
    "Connect the dots", 2022). docs/plans.md says why each holds.

    Examples
    --------
    >>> from cydp import ApproxDP, DiscreteGaussian, DiscreteLaplace, PrivacyFilter
    >>> plan = Plan([(DiscreteLaplace("0.01"), 1000), (DiscreteGaussian(sigma2=400), 100)])
    >>> round(float(plan.bounds(1e-6)["zcdp"]), 4)
    2.909
    >>> 2.7129 < plan.epsilon(1e-6) <= plan.bounds(1e-6)["zcdp"]  # with the extra, 2.7129266
    True
    >>> PrivacyFilter(ApproxDP(3, 1e-6)).charge(plan.as_loss(1e-6))  # before the first release

    """

    __slots__ = ("_bounds", "_items", "_relation")

    def __init__(self, items: Iterable[tuple[Cost, SupportsIndex]]) -> None:
        if hasattr(self, "_items"):
            raise TypeError("a Plan is made once: what it fixes cannot change")
        if not isinstance(items, Iterable):
            raise TypeError(f"items must be a sequence of pairs, not {type(items).__name__}")
        read = tuple(map(_item, items))
        self._relation = common_relation("items", *(relation_of(cost) for cost, _ in read))
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

    def epsilon(self, delta: Number) -> Fraction:
        """Return the least epsilon found at a delta.

        Parameters
        ----------
        delta : number in [0, 1)

        Returns
        -------
        Fraction
            Epsilon of all releases together, in nats, rounded up.

        Raises
        ------
        TypeError, ValueError
            For another delta, and for one at which no bound says anything.

        """
        found = self.bounds(delta)
        if not found:
            raise ValueError(f"delta must be larger for this plan than {text(_delta(delta))}")
        return min(found.values())

    def delta(self, epsilon: Number) -> Fraction:
        """Return the least delta found at an epsilon.

        Parameters
        ----------
        epsilon : number >= 0
            Of all releases together.

        Returns
        -------
        Fraction
            A probability, rounded up; 0 only where nothing is left.

        Raises
        ------
        TypeError, ValueError
            For another epsilon.

        """
        whole = exact(epsilon, "epsilon")
        if whole < 0:
            raise ValueError(f"epsilon must be at least 0, not {text(whole)}")
        return min(Fraction(1), *(bound.delta(whole) for bound in self._computed().values()))

    def bounds(self, delta: Number) -> dict[str, Fraction]:
        """Return the epsilons at a delta that `epsilon` takes the least of.

        Parameters
        ----------
        delta : number in [0, 1)

        Returns
        -------
        dict
            By the names "basic", "zcdp", "optimal" and "pld", in nats: those that say something.
            The last one needs the extra ``pld``, a delta of at least 1e-10, and that "optimal" is
            not exact already.

        Raises
        ------
        TypeError, ValueError
            For another delta.

        """
        rest = _delta(delta)
        found = {name: bound.epsilon(rest) for name, bound in self._computed().items()}
        return {name: epsilon for name, epsilon in found.items() if epsilon is not None}

    def as_loss(self, delta: Number) -> ApproxDP:
        """Return what the plan costs at a delta, to be charged as one before the first release.

        Parameters
        ----------
        delta : number in [0, 1)

        Returns
        -------
        ApproxDP
            With the plan's rho, if all releases have one, and its relation. It knows the plan,
            and the history of a budget that it is charged to shows it.

        Raises
        ------
        TypeError, ValueError
            For another delta, and for one at which no bound says anything.

        """
        losses = [(loss_of(cost), count) for cost, count in self._items]
        rhos = [None if loss.rho is None else count * loss.rho for loss, count in losses]
        rho = None if None in rhos else sum(cast("list[Fraction]", rhos), Fraction(0))
        values = self.epsilon(delta), _delta(delta), rho
        return new_loss(ApproxDP, *values, relation=self.relation, plan=self)

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
        return "\n".join(lines if delta is None else [*lines, *self._costs(delta)])

    def _costs(self, delta: Number) -> list[str]:
        found, rest = self.bounds(delta), _delta(delta)
        least = min(found, key=found.__getitem__, default=None)
        lines = [f"at delta {text(rest)} it costs" if found else _NOTHING.format(text(rest))]
        for name, epsilon in found.items():
            used = " (this counts)" if name == least else ""
            lines.append(f"  epsilon {_shown(epsilon)} {_NAMES[name]}{used}")
        if not numerical.installed() and could_be_less(self._parts, rest):
            lines.append(f"  perhaps less {_NAMES['pld']}: pip install 'cydp[pld]'")
        return lines

    def _repr_html_(self) -> str:
        return html_of(self.report())

    def __reduce__(self) -> tuple[type["Plan"], tuple[tuple[tuple[Cost, int], ...]]]:
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

    def _fits(self, epsilon: Fraction, delta: Fraction, *, quickly: bool) -> bool:
        """Whether a bound says so: any of them, or any of the quick ones."""
        bounds = [b for name, b in self._computed().items() if not (quickly and name == "pld")]
        found = (bound.epsilon(delta) for bound in bounds)  # in turn: the slow one comes last
        return any(each is not None and each <= epsilon for each in found)

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


def _item(item: tuple[Cost, SupportsIndex]) -> tuple[Cost, int]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise TypeError("items must be pairs of a mechanism or a loss, and a count")
    loss_of(item[0])
    return item[0], count_of(item[1])


def _shown(number: Fraction) -> str:
    """Write six digits, rounded up."""
    up = Context(prec=6, rounding=ROUND_CEILING)
    return str(up.divide(Decimal(number.numerator), Decimal(number.denominator)))


def _delta(delta: Number) -> Fraction:
    rest = exact(delta, "delta")
    if not 0 <= rest < 1:
        raise ValueError(f"delta must be at least 0 and less than 1, not {text(rest)}")
    return rest
