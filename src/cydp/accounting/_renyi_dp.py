# SPDX-License-Identifier: MIT
"""Renyi differential privacy at one order: a loss, and what it implies in (epsilon, delta).

docs/accounting/renyi.md has the proofs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NoReturn, TypeAlias

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import Exact, format_number, literal_of, read_exact
from cydp._relations import check_optional_relation
from cydp.accounting._errors import MeasureMismatchError
from cydp.accounting._loss import Loss
from cydp.accounting._loss_numbers import (
    fill,
    make_loss,
    read_count,
    read_group_size,
    read_nonnegative,
)
from cydp.accounting._measure import Measure, combine_relations, relation_argument

__all__ = ["AnyLoss", "RenyiDP", "epsilon_of_divergence"]

_DIGITS = 60
_ROUNDED = 1 + Fraction(1, 10**40)  # more than the rounding of decimals
_MOST_EXPONENT = 10**15  # of e, in the decimals
_LEAST_GAP = Decimal(-60)  # its logarithm
_GOLDEN = Decimal("0.618033988749895")
_SECTIONS = 40


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RenyiDP(Measure):
    """Renyi differential privacy (RDP) of one order, as a loss and as a budget.

    Use it for noise on samples in steps that may depend on each other, such as DP-SGD's.

    Parameters
    ----------
    order : number > 1
        The order alpha of the divergence, as an exact fraction.
    divergence : number >= 0
        The Renyi divergence of that order is at most this, in nats. It is kept as an exact
        fraction. Many papers write epsilon for it.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, optional
        The relation of neighbours that the loss is stated under. None: no relation is stated, and
        the caller is responsible for it.

    Raises
    ------
    TypeError, ValueError
        If order or divergence is not such a number, or for another relation.

    Notes
    -----
    [1]_ defines it. A `PrivacyFilter` of it pays for every loss with an epsilon alone or a rho, and
    for `cydp.sampling.Sampled`, by their divergence at its order (`renyi_divergence`). Charges may
    depend on earlier releases [2]_. `convert` says what it implies in (epsilon, delta).

    References
    ----------
    .. [1] Mironov, "Renyi differential privacy", 2017.
    .. [2] Feldman, Zrnic, "Individual privacy accounting via a Renyi filter", 2021.

    Examples
    --------
    >>> from cydp import Gaussian, PrivacyFilter
    >>> from cydp.accounting import convert
    >>> from cydp.sampling import Sampled
    >>> budget = PrivacyFilter(RenyiDP(8, 1))
    >>> budget.charge(Sampled(Gaussian(sigma=2, sensitivity=1), "1/100"), count=1000)
    >>> convert(budget.spent, delta=1e-5)
    ApproxDP(epsilon=1.24589, delta=1e-05)

    """

    order: Exact
    divergence: Exact
    relation: str | None

    @explain_arguments
    def __init__(self, order: Number, divergence: Number, *, relation: str | None = None) -> None:
        fill(
            self,
            _read_order(order),
            read_nonnegative(divergence, "divergence"),
            check_optional_relation(relation),
        )

    def __add__(self, other: RenyiDP) -> RenyiDP:
        """Return the loss of two releases from the same data, of one order."""
        if not isinstance(other, RenyiDP):
            return NotImplemented
        if other.order != self.order:
            raise MeasureMismatchError(f"cannot add {self} and {other}: their orders differ")
        relation = combine_relations("losses", self.relation, other.relation)
        return make_loss(RenyiDP, self.order, self.divergence + other.divergence, relation=relation)

    def __mul__(self, count: Integer) -> RenyiDP:
        """Return the loss of `count` releases from the same data."""
        total = read_count(count) * self.divergence
        return make_loss(RenyiDP, self.order, total, relation=self.relation)

    __rmul__ = __mul__

    def group(self, k: Integer) -> RenyiDP:
        """Return the loss for neighbours that differ in k units, which is known only for k = 1.

        Parameters
        ----------
        k : int >= 1

        Returns
        -------
        RenyiDP
            The loss itself, for k = 1.

        Raises
        ------
        TypeError, ValueError
            For a bad k.
        MeasureMismatchError
            For a larger k: convert the loss to an ApproxDP first.

        Examples
        --------
        >>> RenyiDP(2, "0.5").group(1)
        RenyiDP(order=2, divergence=0.5)

        """
        if read_group_size(k) > 1:
            _refuse_group()
        return self

    @property
    def _numbers(self) -> tuple[Fraction, Fraction]:
        return self.divergence, Fraction(0)

    def __repr__(self) -> str:
        numbers = f"order={literal_of(self.order)}, divergence={literal_of(self.divergence)}"
        return f"RenyiDP({numbers}{relation_argument(self.relation)})"


AnyLoss: TypeAlias = Loss | RenyiDP


def epsilon_of_divergence(order: Fraction, divergence: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon >= 0 that a divergence of an order implies at a delta > 0, about the least.

    >>> round(float(epsilon_of_divergence(Fraction(8), Fraction(1), Fraction(1, 10**5))), 6)
    2.213979
    """
    if not divergence:
        return Fraction(0)
    if order * (order + divergence) > _MOST_EXPONENT:
        raise ValueError("order and divergence must be smaller to be converted")
    with localcontext(prec=_DIGITS) as context:
        context.Emax, context.Emin = 10**17, -(10**17)
        alpha, at = _decimal(order), _decimal(delta)
        moment = _decimal((order - 1) * divergence).exp()
        found = _least(lambda gap: _power(alpha, moment, at, gap))
        return max(Fraction(found.ln()) * _ROUNDED, Fraction(0)) if found > 1 else Fraction(0)


def _power(order: Decimal, moment: Decimal, delta: Decimal, gap: Decimal) -> Decimal:
    """Return the e**epsilon that a touching curve proves, which turns at 1 - gap; see the page."""
    log_turn = (1 - gap).ln() if gap < 1 else Decimal("-Infinity")
    at_turn, above = ((each * log_turn).exp() for each in (order - 1, order))
    mean = moment + (order - 1) * above - order * at_turn
    slope = mean / delta
    log_point = (at_turn + slope / order).ln() / (order - 1)
    point = log_point.exp()
    height = (order * log_point).exp() - order * at_turn * point + (order - 1) * above
    return point - height / slope


def _least(function: Callable[[Decimal], Decimal]) -> Decimal:
    """Return the least value at some points from e**-60 to 1, by golden sections; each is valid."""
    low, high = _LEAST_GAP, Decimal(0)
    inside = [low + (high - low) * (1 - _GOLDEN), low + (high - low) * _GOLDEN]
    values = [function(x.exp()) for x in inside]
    best = min(*values, function(Decimal(1)))
    for _ in range(_SECTIONS):
        if values[0] < values[1]:
            high, inside[1], values[1] = inside[1], inside[0], values[0]
            inside[0] = low + (high - low) * (1 - _GOLDEN)
            values[0] = function(inside[0].exp())
        else:
            low, inside[0], values[0] = inside[0], inside[1], values[1]
            inside[1] = low + (high - low) * _GOLDEN
            values[1] = function(inside[1].exp())
        best = min(best, *values)
    return best


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def _read_order(order: Number) -> Exact:
    number = read_exact(order, "order")
    if number <= 1:
        raise ValueError(f"order must be greater than 1, not {format_number(number)}")
    return number


def _refuse_group() -> NoReturn:
    raise MeasureMismatchError(
        "a RenyiDP says nothing of several units together: convert it first, as in "
        "cydp.accounting.convert(loss, delta=1e-6).group(k)"
    )
