# SPDX-License-Identifier: MIT
"""Plans: what releases cost together if all of them are fixed before the first."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NoReturn, TypeAlias, cast

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import format_number
from cydp._numbers.rounding import (
    as_float,
    decimal_above,
    delta_float_above,
    float_above,
    float_below,
)
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._composed_pairs import ComposedPairs, releases_of
from cydp.accounting._composition_bounds import Bound, compute_bounds, report_costs
from cydp.accounting._cost import Cost, describe_cost, loss_of, relation_of
from cydp.accounting._errors import AdaptivityError
from cydp.accounting._loss import ZCDP, ApproxDP, PureDP
from cydp.accounting._loss_numbers import make_loss, read_count, read_delta, read_nonnegative
from cydp.accounting._measure import combine_relations, exact_string
from cydp.accounting._words import html_of

__all__ = ["Plan"]

_PAIRS = "items must be a list of pairs (mechanism or loss, count)"

_Items: TypeAlias = tuple[tuple[Cost, int], ...]


class Plan:
    """Releases that are all fixed in advance, and what they cost together.

    Parameters
    ----------
    items : sequence of (mechanism or loss, count)
        What is released, and how often. No item may depend on what was released before.

    Raises
    ------
    TypeError, ValueError
        If an item is no pair of a mechanism or a loss and a count.
    RelationMismatchError
        If mechanisms or losses are stated under different relations.

    Notes
    -----
    The cost is the least of up to five bounds: basic composition; zCDP [1]_, corollary 13; for
    losses of one epsilon the optimal composition [2]_; for Gaussian noise on samples its Renyi
    divergences [4]_; the privacy loss distribution [3]_. Each bound holds by itself.

    References
    ----------
    .. [1] Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020.
    .. [2] Kairouz, Oh, Viswanath, "The composition theorem for differential privacy", 2015.
    .. [3] Doroshenko, Ghazi, Kamath, Kumar, Manurangsi, "Connect the dots: tighter discrete
       approximations of privacy loss distributions", 2022.
    .. [4] Mironov, Talwar, Zhang, "Renyi differential privacy of the sampled Gaussian mechanism",
       2019.

    Examples
    --------
    >>> from cydp import ApproxDP, DiscreteGaussian, DiscreteLaplace, PrivacyFilter
    >>> counts = DiscreteLaplace(epsilon=0.01, sensitivity=1)
    >>> plan = Plan([(counts, 1000), (DiscreteGaussian(sigma2=400, sensitivity=1), 100)])
    >>> plan.epsilon_by_method(1e-6)["zcdp"]
    2.90904
    >>> plan.epsilon(1e-6)
    2.71294
    >>> PrivacyFilter(ApproxDP(3, 1e-6)).charge(plan.as_loss(1e-6))  # before the first release

    """

    __slots__ = ("_bounds", "_composed", "_items", "_relation")

    @explain_arguments
    def __init__(self, items: Iterable[tuple[Cost, Integer]]) -> None:
        if not isinstance(items, Iterable):
            raise TypeError(f"{_PAIRS}, not {_describe(items)}")
        read = tuple(map(_read_item, items))
        self._relation = combine_relations("items", *(relation_of(cost) for cost, _ in read))
        self._items = read
        self._bounds: dict[str, Bound] | None = None
        self._composed: ComposedPairs | None = None  # with the bounds

    @property
    def items(self) -> _Items:
        """What is released, and how often."""
        return self._items

    @property
    def relation(self) -> str | None:
        """The relation of neighbours that the items are stated under; None if they state none."""
        return self._relation

    def epsilon(self, delta: Number) -> float:
        """Return the least epsilon found at a delta.

        Parameters
        ----------
        delta : number in [0, 1)
            The delta of all releases together.

        Returns
        -------
        float
            Epsilon of all releases together, in nats, rounded up to six digits: neither the float
            nor the decimal that it prints is below the epsilon that was found. `as_loss` has the
            epsilon that a budget is charged.

        Raises
        ------
        TypeError, ValueError
            For another delta, and for a delta at which no bound gives an epsilon.

        Examples
        --------
        >>> from cydp import PureDP
        >>> Plan([(PureDP(0.1), 3)]).epsilon(0)
        0.3

        """
        return float_above(min(self._find_epsilons(delta).values()))

    def delta(self, epsilon: Number) -> float:
        """Return the least delta found at an epsilon.

        Parameters
        ----------
        epsilon : number >= 0
            Of all releases together, in nats.

        Returns
        -------
        float
            A probability, rounded up to six digits as `epsilon` is. It is 0 only where pure losses
            add up to no more than epsilon. Above 0.999999 it has more digits, and it is 1 only if
            the delta that was found is above the largest float below 1.

        Raises
        ------
        TypeError, ValueError
            For another epsilon.

        Examples
        --------
        >>> from cydp import PureDP
        >>> Plan([(PureDP(0.1), 3)]).delta(0.3)
        0.0

        """
        at = read_nonnegative(epsilon, "epsilon")
        return delta_float_above(self._find_delta(at))

    def epsilon_between(self, delta: Number) -> tuple[float, float]:
        """Return two ends between which the exact epsilon lies: how wrong the upper one may be.

        Parameters
        ----------
        delta : number in [0, 1)
            The delta of all releases together.

        Returns
        -------
        (float, float)
            In nats. The upper end is `epsilon`. The exact epsilon of the dominating pairs of all
            items is not below the lower end, which is rounded down to six digits: no accountant
            that composes these pairs finds less. It is a mechanism's own where the pair is its own
            law, as of `Gaussian`, of discrete noise on one number, of randomized response, and of
            their Poisson samples; of a loss it is that of the worst mechanism. It is 0 where pairs
            are not known or floats are not accurate enough, and where a bound that uses more
            properties of the mechanisms is below what their pairs cost.

        Raises
        ------
        TypeError, ValueError
            As `epsilon`.

        Examples
        --------
        >>> from cydp import DiscreteLaplace
        >>> Plan([(DiscreteLaplace(epsilon=0.01, sensitivity=1), 1000)]).epsilon_between(1e-6)
        (1.36544, 1.36545)

        """
        high = min(self._find_epsilons(delta).values())
        low = self._composed.least_epsilon(read_delta(delta)) if self._composed else Fraction(0)
        return float_below(low) if low <= high else 0.0, float_above(high)

    def delta_between(self, epsilon: Number) -> tuple[float, float]:
        """Return two ends between which the exact delta lies: how wrong the upper one may be.

        Parameters
        ----------
        epsilon : number >= 0
            Of all releases together, in nats.

        Returns
        -------
        (float, float)
            The upper end is `delta`. The lower end is as in `epsilon_between`.

        Raises
        ------
        TypeError, ValueError
            For another epsilon.

        Examples
        --------
        >>> from cydp import DiscreteLaplace
        >>> Plan([(DiscreteLaplace(epsilon=0.01, sensitivity=1), 1000)]).delta_between(1)
        (0.000108311, 0.000108312)

        """
        at = read_nonnegative(epsilon, "epsilon")
        high = self._find_delta(at)
        low = self._composed.least_delta(at) if self._composed else Fraction(0)
        return float_below(low) if low <= high else 0.0, delta_float_above(high)

    def epsilon_by_method(self, delta: Number) -> dict[str, float]:
        """Return the epsilon at a delta by each method of composition; `epsilon` is the least.

        Parameters
        ----------
        delta : number in [0, 1)

        Returns
        -------
        dict
            Epsilons in nats, rounded up as `epsilon` is, by the names "basic", "zcdp", "renyi",
            "optimal" and "pld" of the methods. A method that gives no epsilon is left out. "renyi"
            is for Gaussian noise on samples. "pld" is left out where "optimal" is exact.

        Raises
        ------
        TypeError, ValueError
            For another delta.

        Examples
        --------
        >>> from cydp import PureDP
        >>> Plan([(PureDP(0.1), 3)]).epsilon_by_method(1e-6)["basic"]
        0.3

        """
        return {
            name: float_above(epsilon)
            for name, epsilon in self._epsilons(read_delta(delta)).items()
        }

    def as_loss(self, delta: Number) -> ApproxDP:
        """Return the cost of the plan at a delta, to be charged as one before the first release.

        Parameters
        ----------
        delta : number in [0, 1)

        Returns
        -------
        ApproxDP
            Its epsilon is an exact sum, where basic composition is the least bound, or a decimal of
            six digits, rounded up. It has the rho of the plan, if all releases have one, the
            relation of the plan, and the plan itself, which the history of a budget shows.

        Raises
        ------
        TypeError, ValueError
            For another delta, and for a delta at which no bound gives an epsilon.

        Examples
        --------
        >>> from cydp import PureDP
        >>> Plan([(PureDP(0.1), 3)]).as_loss(0)
        ApproxDP(epsilon=0.3, delta=0, rho=0.014987512487363994)

        """
        losses = [(loss_of(cost), count) for cost, count in self._items]
        rhos = [None if loss.rho is None else count * loss.rho for loss, count in losses]
        rho = None if None in rhos else sum(cast("list[Fraction]", rhos), Fraction(0))
        found = self._find_epsilons(delta)
        epsilon = min(_epsilon_to_charge(name, each) for name, each in found.items())
        return make_loss(
            ApproxDP, epsilon, read_delta(delta), rho, relation=self.relation, plan=self
        )

    def report(self, delta: Number | None = None) -> str:
        """Return a text for people that says what is released, and what it costs.

        Parameters
        ----------
        delta : number in [0, 1), optional
            The delta at which the epsilon of each bound is reported. None: no cost is reported.

        Returns
        -------
        str
            One line for each item and each bound. Epsilons are rounded up to six digits.

        Raises
        ------
        TypeError, ValueError
            For another delta.

        Examples
        --------
        >>> from cydp import PureDP
        >>> print(Plan([(PureDP(0.1), 3)]).report())
        a plan of 3 releases, fixed before the first
          3 x PureDP(epsilon=0.1)

        """
        count = sum(count for _, count in self._items)
        lines = [f"a plan of {count:,} release{'' if count == 1 else 's'}, fixed before the first"]
        lines += [f"  {times:,} x {cost}" for cost, times in self._items]
        return "\n".join(
            lines if delta is None else [*lines, *self._report_costs(read_delta(delta))]
        )

    def to_dict(self, delta: Number | None = None) -> dict[str, Any]:
        """Return the plan, and what it costs at a delta, as a dict that `json.dumps` takes.

        Parameters
        ----------
        delta : number in [0, 1), optional
            None: the dict has no cost.

        Returns
        -------
        dict
            "items" has the "cost" of each item as text, its "count", and the "loss" of one release
            as ``loss.to_dict()``. "count" is the number of all releases, "relation" is text or
            None. With a delta there are also "delta", the "epsilon" at it and "epsilon_by_method",
            as floats that are rounded up (None beyond the largest float, and where no bound
            gives an epsilon), and "exact", which has as text the "delta" and the "epsilon" that
            `as_loss` charges.

        Raises
        ------
        TypeError, ValueError
            For another delta.

        Examples
        --------
        >>> from cydp import PureDP
        >>> plan = Plan([(PureDP(0.1), 3)]).to_dict(delta=0)
        >>> plan["items"][0]["cost"], plan["count"], plan["epsilon"], plan["exact"]["epsilon"]
        ('PureDP(epsilon=0.1)', 3, 0.3, '3/10')

        """
        plan: dict[str, Any] = {
            "items": [
                {"cost": describe_cost(cost), "count": count, "loss": loss_of(cost).to_dict()}
                for cost, count in self._items
            ],
            "count": sum(count for _, count in self._items),
            "relation": self.relation,
        }
        if delta is None:
            return plan
        at = read_delta(delta)
        charged = {
            name: _epsilon_to_charge(name, each) for name, each in self._epsilons(at).items()
        }
        least = min(charged.values(), default=None)
        exact_numbers = {"delta": at} if least is None else {"delta": at, "epsilon": least}
        return plan | {
            "delta": as_float(at),
            "epsilon": None if least is None else as_float(least),
            "epsilon_by_method": {name: as_float(each) for name, each in charged.items()},
            "exact": {name: exact_string(number) for name, number in exact_numbers.items()},
        }

    def _repr_html_(self) -> str:
        return html_of(self.report())

    def __reduce__(self) -> tuple[type[Plan], tuple[_Items]]:
        return Plan, (self._items,)

    def __repr__(self) -> str:
        items = ", ".join(f"({cost!r}, {count})" for cost, count in self._items)
        return f"Plan([{items}])"

    def __add__(self, other: object) -> NoReturn:
        """Refuse with an AdaptivityError: what was fixed cannot grow."""
        raise AdaptivityError(
            "a plan cannot be extended: it holds for releases that are fixed before the first. "
            "Make one plan of all releases, or charge later releases to a filter one by one"
        )

    __radd__ = __add__

    def _report_costs(self, delta: Fraction) -> list[str]:
        return report_costs(self._epsilons(delta), delta)

    def _epsilons(self, delta: Fraction) -> dict[str, Fraction]:
        """Return the epsilon of each bound that gives one at a delta, not rounded yet."""
        found = {name: bound.epsilon(delta) for name, bound in self._compute_bounds().items()}
        return {name: epsilon for name, epsilon in found.items() if epsilon is not None}

    def _find_epsilons(self, delta: Number) -> dict[str, Fraction]:
        """Return at least one epsilon, or raise a ValueError that asks for a larger delta."""
        at = read_delta(delta)
        found = self._epsilons(at)
        if not found:
            raise ValueError(
                f"delta must be larger for this plan than {format_number(at)}, at which no bound "
                "gives an epsilon"
            )
        return found

    def _find_delta(self, epsilon: Fraction) -> Fraction:
        """Return the least delta of all bounds, not rounded yet."""
        deltas = (bound.delta(epsilon) for bound in self._compute_bounds().values())
        return min(Fraction(1), *deltas)

    def _charged(self, delta: Fraction, *, quickly: bool) -> Fraction | None:
        """Return the epsilon that `as_loss` would charge, by all bounds or by the quick bounds."""
        found = {
            name: bound.epsilon(delta)
            for name, bound in self._compute_bounds().items()
            if not (quickly and name == "pld")
        }
        charged = (
            _epsilon_to_charge(name, each) for name, each in found.items() if each is not None
        )
        return min(charged, default=None)

    def _compute_bounds(self) -> dict[str, Bound]:
        if self._bounds is None:
            releases = releases_of(self._items)
            self._composed = ComposedPairs.of(releases)
            self._bounds = compute_bounds(releases, self._composed)
        return self._bounds


def _read_item(item: tuple[Cost, Integer]) -> tuple[Cost, int]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise TypeError(f"{_PAIRS}: one item is {_describe(item)}, not a pair")
    cost, count = item
    if isinstance(getattr(cost, "loss", cost), ApproxZCDP):
        raise TypeError(
            "items must have no loss in approximate zCDP: convert it first, as in "
            "cydp.accounting.convert(loss, delta=1e-9)"
        )
    if not isinstance(getattr(cost, "loss", cost), PureDP | ApproxDP | ZCDP):
        raise TypeError(f"{_PAIRS}: one pair begins with {_describe(cost)}")
    return cost, read_count(count)


def _describe(given: object) -> str:
    """Return the type of a value that was given by mistake, and its length if that may help."""
    if isinstance(given, type):
        return f"the class {given.__name__}"
    if isinstance(given, tuple | list):
        return f"a {type(given).__name__} of {len(given)}"
    return "None" if given is None else type(given).__name__


def _epsilon_to_charge(method: str, epsilon: Fraction) -> Fraction:
    """Return the epsilon that a budget is charged: an exact sum, or rounded up to a decimal."""
    return epsilon if method == "basic" else decimal_above(epsilon)
