# SPDX-License-Identifier: MIT
"""What many releases cost together, if all of them are fixed before the first."""

from collections.abc import Iterable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import NoReturn, SupportsIndex, cast

from cydp.accounting import numerical
from cydp.accounting.bounds import Bound, Part, bounds_of
from cydp.accounting.budget import Cost, loss_of
from cydp.accounting.errors import AdaptivityError, RelationMismatchError
from cydp.accounting.loss import ApproxDP, new_loss
from cydp.accounting.report import html_of
from cydp.rational import Number, exact, index, text

_NAMES = {
    "basic": "by basic composition",
    "zcdp": "by zCDP",
    "optimal": "by optimal composition",
    "pld": "by the privacy loss distribution",
}


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
        For mechanisms that are stated under different relations.

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

    __slots__ = ("_bounds", "items", "relation")

    items: tuple[tuple[Cost, int], ...]
    relation: str | None

    def __init__(self, items: Iterable[tuple[Cost, SupportsIndex]]) -> None:
        self.items = tuple(map(_item, items))
        stated = {getattr(cost, "relation", None) for cost, _ in self.items} - {None}
        if len(stated) > 1:
            raise RelationMismatchError("items are stated under different relations")
        self.relation = cast("str | None", stated.pop() if stated else None)
        self._bounds: dict[str, Bound] | None = None

    def epsilon(self, delta: Number) -> Fraction:
        """Return the least epsilon found at a delta in [0, 1), rounded up.

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
        """Return the least delta found at an epsilon >= 0, rounded up; at most 1.

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
        """Return the epsilons at a delta that `epsilon` takes the least of, by name.

        "basic", "zcdp", "optimal", "pld": those that say something. The last one needs the
        extra ``pld`` and a delta of at least 1e-10.
        """
        rest = _delta(delta)
        found = {name: bound.epsilon(rest) for name, bound in self._computed().items()}
        return {name: epsilon for name, epsilon in found.items() if epsilon is not None}

    def as_loss(self, delta: Number) -> ApproxDP:
        """Return what the plan costs at a delta, to be charged as one before the first release.

        It carries the plan's rho, if all releases have one. Under "change-one", say so:
        ``budget.charge(plan.as_loss(1e-6), relation=plan.relation)``.
        """
        losses = [(loss_of(cost), count) for cost, count in self.items]
        rhos = [None if loss.rho is None else count * loss.rho for loss, count in losses]
        rho = None if None in rhos else sum(cast("list[Fraction]", rhos), Fraction(0))
        return new_loss(ApproxDP, self.epsilon(delta), _delta(delta), rho)

    def report(self, delta: Number | None = None) -> str:
        """Return for people what is released and, at a delta, what each bound says."""
        count = sum(count for _, count in self.items)
        lines = [f"a plan of {count:,} releases, fixed before the first"]
        lines += [f"  {times:,} x {cost}" for cost, times in self.items]
        return "\n".join(lines if delta is None else [*lines, *self._costs(delta)])

    def _costs(self, delta: Number) -> list[str]:
        found = self.bounds(delta)
        least = min(found, key=found.__getitem__, default=None)
        lines = [f"at delta {text(_delta(delta))} it costs"]
        for name, how in _NAMES.items():
            if name in found:
                used = " (this counts)" if name == least else ""
                lines.append(f"  epsilon {_shown(found[name])} {how}{used}")
            elif name == "pld" and not numerical.installed():
                lines.append(f"  perhaps less {how}: pip install 'cydp[pld]'")
        return lines

    def _repr_html_(self) -> str:
        return html_of(self.report())

    def __repr__(self) -> str:
        items = ", ".join(f"({cost!r}, {count})" for cost, count in self.items)
        return f"Plan([{items}])"

    def __add__(self, other: object) -> NoReturn:
        """Refuse: what was fixed cannot grow; AdaptivityError."""
        raise AdaptivityError(
            "a plan cannot be extended: it holds for what is fixed before the first release. "
            "Make one plan of everything, or charge what comes later to a filter by itself"
        )

    __radd__ = __add__

    def _computed(self) -> dict[str, Bound]:
        if self._bounds is None:
            parts = [
                Part(loss_of(cost), count, getattr(cost, "_pairs", None))
                for cost, count in self.items
            ]
            self._bounds = bounds_of([part for part in parts if part.costs])
        return self._bounds


def _item(item: tuple[Cost, SupportsIndex]) -> tuple[Cost, int]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise TypeError("items must be pairs of a mechanism or a loss, and a count")
    loss_of(item[0])
    count = index(item[1], "count")
    if not 0 <= count < 2**64:
        raise ValueError("count must be from 0 to 2**64 - 1")
    return item[0], count


def _shown(number: Fraction) -> str:
    """Write six digits, rounded up."""
    up = Context(prec=6, rounding=ROUND_CEILING)
    return str(up.divide(Decimal(number.numerator), Decimal(number.denominator)))


def _delta(delta: Number) -> Fraction:
    rest = exact(delta, "delta")
    if not 0 <= rest < 1:
        raise ValueError(f"delta must be at least 0 and less than 1, not {text(rest)}")
    return rest
