# SPDX-License-Identifier: MIT
"""What a loss implies: (epsilon, delta) of a rho, and a rho of these.

Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020, corollary 13:
rho-zCDP implies (epsilon, delta) for every epsilon and alpha = 1 + x, x > 0, with
ln(delta) = x ((1 + x) rho - epsilon) + x ln(x) - (1 + x) ln(1 + x).
Floats choose x. The formula is then evaluated by fractions and by bounds of logarithms, so that
the result holds for every choice of x.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import overload

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._numbers.intervals import exp_interval, ln_bounds
from cydp._numbers.rational import MAX_BITS, as_exact, float_of, format_number, log_of
from cydp._numbers.rounding import decimal_above
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._cost import check_loss
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._loss_numbers import read_positive_delta
from cydp.accounting._renyi_dp import AnyLoss, RenyiDP, epsilon_of_divergence

__all__ = [
    "convert",
    "delta_of",
    "epsilon_of",
    "rho_of",
    "stated",
]

_STATED_DELTA = Fraction(1, 10**6)


_FAR = Fraction(10**20)  # an x, or a 1 / x, at which the logarithms would lose their digits
_MARGIN = Fraction(1, 2**36)  # relative, of a rho, which may then be rounded to 12 digits
_LEAST_LOG = -700  # the logarithm of a delta that is still a float


@explain_arguments
def convert(loss: AnyLoss, *, delta: Number) -> ApproxDP:
    """Return the (epsilon, delta) that a loss implies at a delta.

    Parameters
    ----------
    loss : PureDP, ApproxDP, ZCDP, ApproxZCDP or RenyiDP
    delta : number in (0, 1)
        The delta of the result. For an ApproxDP without a rho, at least the delta of the loss, and
        for an ApproxZCDP more.

    Returns
    -------
    ApproxDP
        Its epsilon is the least that is known to hold: the epsilon of the loss, or what its rho or
        its divergence implies, rounded up to a decimal of six digits. It is stated under the
        relation of the loss.

    Raises
    ------
    TypeError, ValueError
        If loss is no loss, or delta is outside its range.

    References
    ----------
    Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020, corollary 13.
    Of one divergence: Asoodeh, Liao, Calmon, Kosut, Sankar, "Three variants of differential
    privacy", 2021.

    Examples
    --------
    >>> from cydp import ZCDP
    >>> convert(ZCDP(0.5), delta=1e-6)
    ApproxDP(epsilon=5.22154, delta=1e-06)

    """
    if isinstance(loss, RenyiDP):
        at = read_positive_delta(delta)
        implied = decimal_above(epsilon_of_divergence(loss.order, loss.divergence, at))
        return ApproxDP(implied, at, relation=loss.relation)
    check_loss(loss, "loss")
    at = read_positive_delta(delta)
    own = loss.delta if isinstance(loss, ApproxDP | ApproxZCDP) else Fraction(0)
    found: list[Fraction] = []
    if isinstance(loss, PureDP | ApproxDP) and own <= at:
        found.append(loss.epsilon)
    if isinstance(loss, ApproxZCDP) and (own < at or (own == at and not loss.rho)):
        found.append(decimal_above(epsilon_of(loss.rho, (at - own) / (1 - own))))
    elif not isinstance(loss, ApproxZCDP) and loss.rho is not None:
        found.append(decimal_above(epsilon_of(loss.rho, at)))
    if not found:
        least = "more than" if isinstance(loss, ApproxZCDP) else "at least"
        raise ValueError(
            f"delta must be {least} that of the loss, {format_number(own)}, not {format_number(at)}"
        )
    return ApproxDP(min(found), at, relation=loss.relation)


@overload
def stated(loss: PureDP) -> PureDP: ...
@overload
def stated(loss: ApproxDP | ZCDP | ApproxZCDP) -> ApproxDP: ...
def stated(loss: Loss) -> PureDP | ApproxDP:
    """Return a loss in epsilon, as texts state it: a rho at a delta of 1e-6, beside its own delta.

    >>> from cydp import ZCDP
    >>> stated(PureDP(1)), stated(ZCDP(0.5))
    (PureDP(epsilon=1), ApproxDP(epsilon=5.22154, delta=1e-06))
    """
    if isinstance(loss, PureDP | ApproxDP):
        return loss
    own = loss.delta if isinstance(loss, ApproxZCDP) else Fraction(0)
    return convert(loss, delta=as_exact(min(own + _STATED_DELTA, (1 + own) / 2)))


def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon that rho-zCDP implies at a delta > 0; it is close to the least.

    >>> round(float(epsilon_of(Fraction(1, 2), Fraction(1, 10**6))), 6)
    5.221534
    """
    if rho == 0:
        return Fraction(0)
    log_delta, r = log_of(delta), _float_in_range(rho)
    x = _find_order(lambda x: -x * r * x - math.log1p(x) - log_delta)
    return _round_to_53_bits(
        max((1 + x) * rho + (_entropy_above(x) - _ln_delta_below(delta)) / x, Fraction(0)), up=True
    )


def delta_of(rho: Fraction, epsilon: Fraction) -> Fraction:
    """Return a delta that rho-zCDP implies at an epsilon; it is close to the least, and at most 1.

    A delta below e**-700 is rounded up to a power of two. Only a rho of 0 gives 0.

    >>> round(float(delta_of(Fraction(1, 2), Fraction(5))), 12)
    2.896123e-06
    """
    if rho == 0:
        return Fraction(0)
    r, gap = _float_in_range(rho), float_of(epsilon - rho)
    x = _find_order(lambda x: gap - 2 * x * r + math.log1p(1 / x))
    log_delta = x * ((1 + x) * rho - epsilon) + _entropy_above(x)
    if log_delta >= 0:
        return Fraction(1)
    if log_delta < _LEAST_LOG:
        bits = -log_delta / ln_bounds(Fraction(2))[1]
        return Fraction(1, 2 ** min(math.floor(bits), MAX_BITS - 1))
    return min(_round_to_53_bits(Fraction(exp_interval(log_delta)[1]), up=True), Fraction(1))


@lru_cache(256)
def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a rho that implies (epsilon, delta), both > 0; it is close to the largest.

    >>> round(float(rho_of(Fraction(1), Fraction(1, 10**6))), 10)
    0.0243559704
    """
    log_delta, e = log_of(delta), _float_in_range(epsilon)

    def falling(x: float) -> float:
        rho = (e + math.log1p(1 / x)) / (1 + 2 * x)
        return -x * rho * x - math.log1p(x) - log_delta

    x = _find_order(falling)
    rho = epsilon / (1 + x) + (_ln_delta_below(delta) - _entropy_above(x)) / (x * (1 + x))
    if rho <= 0:
        raise ValueError("epsilon and delta must be larger: no rho above 0 gives so little")
    return _round_to_53_bits(rho * (1 - _MARGIN), up=False)


def _ln_delta_below(delta: Fraction) -> Fraction:
    return max(ln_bounds(delta)[0], 1 - 1 / delta)  # the second is better close to 1


def _entropy_above(x: Fraction) -> Fraction:
    """Return x ln(x) - (1 + x) ln(1 + x), rounded up."""
    if x > _FAR:  # x ln(1 + 1 / x) is at least 1 - 1 / (2 x)
        return -ln_bounds(1 + x)[0] - 1 + 1 / (2 * x)
    if x < 1 / _FAR:  # (1 + x) ln(1 + x) is at least x
        return x * ln_bounds(x)[1] - x
    return x * ln_bounds(x)[1] - (1 + x) * ln_bounds(1 + x)[0]


def _find_order(falling: Callable[[float], float]) -> Fraction:
    """Return about the x > 0 at which a falling function is 0."""
    low, high = -700.0, 700.0  # bounds of ln(x)
    for _ in range(64):
        middle = (low + high) / 2
        if falling(math.exp(middle)) > 0:
            low = middle
        else:
            high = middle
    return Fraction(math.exp(low))


def _float_in_range(number: Fraction) -> float:
    value = float_of(number)
    if not 1e-290 < value < 1e290:
        raise ValueError("rho and epsilon must be between 1e-290 and 1e290 to be converted")
    return value


def _round_to_53_bits(number: Fraction, *, up: bool) -> Fraction:
    """Round a number up or down to 53 significant bits."""
    unit = Fraction(2) ** (number.numerator.bit_length() - number.denominator.bit_length() - 53)
    return unit * (math.ceil(number / unit) if up else math.floor(number / unit))
