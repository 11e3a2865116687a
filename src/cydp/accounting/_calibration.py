# SPDX-License-Identifier: MIT
"""Calibration: the least noise that lets several releases of a mechanism fit a budget."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from cydp._arguments import Integer
from cydp._numbers.rational import Exact, as_exact, float_of, log_of, read_integer
from cydp._numbers.rounding import DIGITS, decimal_above, decimal_below
from cydp.accounting._amounts import amount_of, exceeds, repeat_amount
from cydp.accounting._budget import check_budget
from cydp.accounting._cost import HasLoss, loss_of, relation_of
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._measure import restate_relation
from cydp.accounting._plan import Plan

__all__ = ["calibrate"]

Mechanism = TypeVar("Mechanism", bound=HasLoss)

_MOST_DOUBLINGS = 64
_SLOW = 8  # every eighth step bisects, in case interpolation is slow
_MOST_STEP = 256  # by which a search upwards multiplies a parameter at once
_MOST_GAIN = Fraction(5, 4)  # of the slow bound over the others, in most cases
_LEAST, _MOST = Fraction(1, 10**290), 10**290  # parameters that floats can halve and double
_NEXT = 1 + Fraction(1, 10 ** (DIGITS + 1))  # a decimal times it lies before the next decimal
_A_CLASS = "mechanism must be a class such as cydp.DiscreteLaplace"
_NOTHING_FITS = "mechanism must fit the budget for some parameter: none does"
_NOT_RISING = "mechanism must cost more for a larger parameter: it did not"

_Make: TypeAlias = Callable[[Exact], Mechanism]


def calibrate(
    mechanism: Callable[..., Mechanism],
    budget: Loss,
    *,
    count: Integer = 1,
    **parameters: Any,
) -> Mechanism:
    """Return the mechanism with the least noise that fits a budget.

    Parameters
    ----------
    mechanism : class or callable
        A class of mechanisms is called with `parameters`, and with the ``rho`` or else the
        ``epsilon`` that `calibrate` finds. Any other callable that returns a mechanism is called
        with a ``rho`` or an ``epsilon`` if it takes one, else with one number. The mechanism must
        cost more for a larger number.
    budget : PureDP, ApproxDP, ZCDP or ApproxZCDP
        What the releases may cost together. For ApproxDP that is the cost of a `Plan`, so the
        releases must all be fixed in advance.
    count : int >= 1, default 1
        How many releases must fit the budget together.
    **parameters
        All other parameters of the mechanism, such as ``sensitivity=1``.

    Returns
    -------
    mechanism
        The mechanism of the largest rho or epsilon that fits. That is the exact number if it uses
        up the budget exactly, and else the largest decimal of six digits.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, if no mechanism fits, and if a mechanism of a larger parameter costs
        less.
    MeasureMismatchError, RelationMismatchError
        If the mechanism has no cost in the budget's measure, or is stated under another relation
        than the budget.

    Examples
    --------
    >>> from cydp import ApproxDP, DiscreteGaussian, DiscreteLaplace, PureDP
    >>> calibrate(DiscreteLaplace, PureDP(1), count=10, sensitivity=1)
    DiscreteLaplace(epsilon=0.1, sensitivity=1)
    >>> noise = calibrate(DiscreteGaussian, ApproxDP(1, 1e-6), count=100, sensitivity=1)
    >>> noise.sigma < 43.8  # zCDP alone would need 45.4
    True

    """
    if not callable(mechanism):
        raise TypeError(f"{_A_CLASS}, {_describe_wrong_class(mechanism)}")
    limits = amount_of(check_budget(budget), budget)
    times = read_integer(count, "count")
    if times < 1:
        raise ValueError(f"count must be at least 1, not {times}")
    if limits[0] == 0:
        raise ValueError(f"budget must be greater than 0, not {budget}")

    share = as_exact(limits[0] / times)
    make, name = _prepare(mechanism, parameters)
    _check_make(make, name, share, budget)
    if isinstance(budget, ApproxDP):
        return _calibrate_plan(make, budget, times, share)

    def used(made: HasLoss) -> Fraction:
        first, *others = repeat_amount(loss_of(made), times, budget)
        if exceeds(tuple(others), limits[1:]):  # a delta, which no other parameter makes smaller
            raise ValueError(_NOTHING_FITS)
        return first / limits[0]

    first = _try_to_make(make, share)
    part = Fraction(0) if first is None else used(first)
    if part:
        exact = _try_to_make(make, as_exact(share / part))
        if exact is not None and used(exact) == 1:
            return exact
    return _find_largest(make, used, share, 2)[1]


def _describe_wrong_class(given: object) -> str:
    """Return the end of a message: what was passed instead of a class, and what to do."""
    kind = type(given).__name__
    if isinstance(given, PureDP | ApproxDP | ZCDP):
        return f"and the budget comes after it, not {kind} first"
    if hasattr(given, "loss"):
        return f"not an instance of it: pass {kind} itself, and its parameters by name"
    return "not None" if given is None else f"not {kind}"


def _prepare(
    mechanism: Callable[..., Mechanism], parameters: dict[str, Any]
) -> tuple[_Make[Mechanism], str]:
    """Return a function that makes a mechanism of one number, and the number's name."""
    try:
        known = inspect.signature(mechanism).parameters
    except ValueError:  # a few builtins have no signature
        known = MappingProxyType({})
    names = [name for name in ("rho", "epsilon") if name in known and name not in parameters]
    names = [name for name in names if known[name].kind is not inspect.Parameter.POSITIONAL_ONLY]
    if "delta" in parameters and "epsilon" in names:
        names = ["epsilon"]
    # A loss takes a rho beside its epsilon. The number that must be given comes first.
    names.sort(key=lambda name: known[name].default is not inspect.Parameter.empty)
    given = [name for name in ("rho", "epsilon") if name in known and name in parameters]
    if given and not names:
        raise TypeError(f"{given[0]} must not be given: calibrate finds it")
    if not names:
        return lambda number: mechanism(number, **parameters), "one number"
    return lambda number: mechanism(**{names[0]: number}, **parameters), names[0]


def _check_make(make: _Make[Any], name: str, parameter: Exact, budget: Loss) -> None:
    """Raise a TypeError that says what to pass, unless `make` makes a mechanism or a loss."""
    try:
        mechanism = make(parameter)
    except TypeError as error:
        raise TypeError(
            f"mechanism must take {name} and the parameters that calibrate is given by name, such "
            f"as sensitivity=1; it raised: {error}"
        ) from error
    except ValueError:  # another parameter may be right
        return
    if not isinstance(getattr(mechanism, "loss", mechanism), PureDP | ApproxDP | ZCDP):
        raise TypeError(
            f"{_A_CLASS}, or return a mechanism or a loss, not {type(mechanism).__name__}"
        )
    restate_relation("the budget and the mechanism", relation_of(mechanism), budget.relation)


def _calibrate_plan(
    make: _Make[Mechanism], budget: ApproxDP, count: int, share: Exact
) -> Mechanism:
    def used(mechanism: HasLoss, *, quickly: bool) -> Fraction | None:
        epsilon = Plan([(mechanism, count)])._charged(budget.delta, quickly=quickly)
        return None if epsilon is None else epsilon / budget.epsilon

    # First without the slow bound, which gains little; then from the result with it.
    near, _ = _find_largest(make, partial(used, quickly=True), share, 2)
    parameter, found = _find_largest(make, partial(used, quickly=False), near, _MOST_GAIN)
    if parameter < share:  # which uses up the budget exactly, if the costs only add up
        exact = _try_to_make(make, share)
        if exact is not None and (used(exact, quickly=True) or 2) <= 1:
            return exact
    return found


def _find_largest(
    make: _Make[Mechanism],
    used: Callable[[HasLoss], Fraction | None],
    start: Fraction,
    step: int | Fraction,
) -> tuple[Exact, Mechanism]:
    """Return the largest decimal of six digits that fits, and its mechanism.

    `used` is the part of the budget that a mechanism uses up; None if it has no cost at all. The
    search begins at `start`, and divides by `step`, or multiplies by it, by its square and so on,
    before it interpolates.
    """
    if not _LEAST < start < _MOST:
        raise ValueError("budget must be between 1e-290 and 1e290 for each of the releases")
    sizes: list[tuple[Fraction, Fraction]] = []
    parts: dict[Fraction, Fraction | None] = {}

    def make_if_it_fits(parameter: Exact) -> Mechanism | None:
        mechanism = _try_to_make(make, parameter)
        if mechanism is None:
            return None
        size = _size(loss_of(mechanism))
        if any((size - other) * (parameter - given) < 0 for given, other in sizes):
            raise ValueError(_NOT_RISING)
        sizes.append((parameter, size))
        part = parts[parameter] = used(mechanism)
        return mechanism if part is not None and part <= 1 else None

    low, found = decimal_below(start), None
    for _ in range(_MOST_DOUBLINGS):
        found = make_if_it_fits(low)
        if found is not None:
            break
        low = decimal_below(low / step)
    if found is None:
        make(as_exact(start))  # its error says what is wrong with the parameters, if anything is
        raise ValueError(_NOTHING_FITS)
    high = decimal_above(low * step)
    for _ in range(_MOST_DOUBLINGS):
        larger = make_if_it_fits(high)
        if larger is None:
            break
        step = min(step * step, _MOST_STEP)
        found, low, high = larger, high, decimal_above(high * step)
    else:
        raise ValueError(_NOT_RISING)
    for steps in itertools.count(1):
        last = [(given, part) for given, part in parts.items() if part][-2:]
        if steps % _SLOW and len(last) == 2:
            middle = _interpolate(low, high, *last)
        else:
            middle = _bisect(low, high)
        if middle == high:
            break
        larger = make_if_it_fits(middle)
        if larger is None:
            high = middle
        else:
            found, low = larger, middle
    return low, found


def _size(loss: Loss) -> Fraction:
    """Return a number that grows with a loss."""
    if loss.rho is not None:
        return loss.rho
    return loss.epsilon  # only an ApproxDP may lack a rho


def _try_to_make(make: _Make[Mechanism], parameter: Exact) -> Mechanism | None:
    try:
        return make(parameter)
    except ValueError:  # the noise is too small, or too large, to be drawn
        return None


def _interpolate(
    low: Fraction,
    high: Fraction,
    one: tuple[Fraction, Fraction],
    other: tuple[Fraction, Fraction],
) -> Exact:
    """Return a decimal between, near which all is used up; `high` only if no other is left.

    `one` and `other` are two parameters, and the parts of the budget that they use up. Logarithms
    of parts are nearly linear in those of parameters.
    """
    (x, of_x), (y, of_y) = ((log_of(given), log_of(part)) for given, part in (one, other))
    slope = (of_y - of_x) / (y - x)
    if slope <= 0:
        return _bisect(low, high)
    log_guess = min(max(y - of_y / slope, log_of(low)), log_of(high))
    guess = decimal_below(Fraction(math.exp(log_guess)))
    return max(min(guess, decimal_below(high / _NEXT)), decimal_above(low * _NEXT))


def _bisect(low: Fraction, high: Fraction) -> Exact:
    """Return a decimal above `low` near the geometric mean; `high` only if no other is left."""
    mean = decimal_below(Fraction(math.sqrt(float_of(low)) * math.sqrt(float_of(high))))
    return mean if mean > low else decimal_above(low * _NEXT)
