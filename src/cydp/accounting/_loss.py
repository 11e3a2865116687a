# SPDX-License-Identifier: MIT
"""Privacy losses, as exact fractions. They add by +, repeat by * with a count, and compare by <.

A loss may be stated under a relation of neighbours. It keeps the relation wherever it goes, and a
budget that is kept under another relation refuses it. None means that no relation is stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from cydp._arguments import Integer, Number
from cydp._named import explained
from cydp._numbers.intervals import exp_bounds
from cydp._numbers.rational import Exact, as_exact, exact, index, quoted, text
from cydp._numbers.rounding import delta_above
from cydp._relations import check_stated
from cydp.accounting._errors import MeasureMismatchError
from cydp.accounting._measure import Measure
from cydp.accounting._stated import common_relation

if TYPE_CHECKING:
    from cydp.accounting._plan import Plan

__all__ = ["ZCDP", "ApproxDP", "Loss", "PureDP", "count_of", "loss_from", "new_loss"]

_Kind = TypeVar("_Kind")


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PureDP(Measure):
    """Pure differential privacy: every event is at most exp(epsilon) times likelier.

    Parameters
    ----------
    epsilon : number >= 0
        Kept as an exact fraction: 0.1 means 1/10.
    rho : number >= 0, optional
        What the same releases cost in zCDP; default epsilon**2 / 2, which always holds. A smaller
        rho is the caller's claim: epsilon alone does not say how small rho can be, except that rho
        is 0 only if epsilon is.
    relation : {"add-remove", "change-one"}, optional
        The relation of neighbours that the loss is stated under. None: no relation is stated, and
        the caller answers for it.

    Raises
    ------
    TypeError, ValueError
        If epsilon or rho is not a finite number of at least 0, if rho is 0 and epsilon is not, or
        for another relation.

    Notes
    -----
    Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity", 2006. Bun, Steinke,
    "Concentrated differential privacy", 2016, proposition 1.4.

    Examples
    --------
    >>> PureDP(0.1) + PureDP(0.2) == PureDP("0.3", rho="0.025")
    True
    >>> PureDP("1/3") * 2
    PureDP(epsilon='2/3', rho='1/9')
    >>> PureDP(0.1) < PureDP(0.2) <= ApproxDP(0.2, 1e-6)
    True

    """

    epsilon: Exact
    rho: Exact = field(init=False)  # dataclasses.replace leaves it out: it may not fit any more
    relation: str | None

    @explained
    def __init__(
        self, epsilon: Number, *, rho: Number | None = None, relation: str | None = None
    ) -> None:
        value = _at_least_0(epsilon, "epsilon")
        square = _half_square(value) if rho is None else _rho_beside(value, rho)
        _set(self, value, square, check_stated(relation))

    def __add__(self, other: Loss) -> Loss:
        """Return the loss of both, one after the other."""
        if isinstance(other, PureDP):
            relation = _common(self, other)
            return new_loss(
                PureDP, self.epsilon + other.epsilon, self.rho + other.rho, relation=relation
            )
        if isinstance(other, ZCDP):
            return _sum_in_zcdp(self, other)
        return other + self if isinstance(other, ApproxDP) else NotImplemented

    def __mul__(self, count: Integer) -> PureDP:
        """Return the loss of so many, one after the other."""
        n = count_of(count)
        return new_loss(PureDP, n * self.epsilon, n * self.rho, relation=self.relation)

    __rmul__ = __mul__

    def group(self, k: Integer) -> PureDP:
        """Return the loss for neighbours that differ in k units.

        >>> PureDP(1).group(3)
        PureDP(epsilon=3)
        """
        size = _group_size(k)
        return new_loss(PureDP, size * self.epsilon, size**2 * self.rho, relation=self.relation)

    @property
    def _numbers(self) -> tuple[Fraction, Fraction]:
        return self.epsilon, Fraction(0)

    def __repr__(self) -> str:
        rho = "" if self.rho == _half_square(self.epsilon) else f", rho={quoted(self.rho)}"
        return f"PureDP(epsilon={quoted(self.epsilon)}{rho}{_words(self.relation)})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ApproxDP(Measure):
    """Approximate differential privacy: as PureDP, but for events of probability delta.

    Parameters
    ----------
    epsilon : number >= 0
    delta : number in [0, 1)
    rho : number >= 0, optional
        What the same releases cost in zCDP, if that is known: the caller's claim, but 0 only if
        epsilon is.
    relation : {"add-remove", "change-one"}, optional
        The relation of neighbours that the loss is stated under. None: no relation is stated, and
        the caller answers for it.

    Attributes
    ----------
    plan : Plan or None
        Of a loss that `Plan.as_loss` has returned: the plan. A budget's history shows it. Not
        compared.

    Raises
    ------
    TypeError, ValueError
        If epsilon, delta or rho is not such a number, or for another relation.

    Notes
    -----
    Dwork, Kenthapadi, McSherry, Mironov, Naor, "Our data, ourselves", 2006.

    Examples
    --------
    >>> ApproxDP(1, 1e-6) + PureDP(0.5)
    ApproxDP(epsilon=1.5, delta=1e-06)
    >>> ApproxDP(1, 1e-6) < ApproxDP(2, 1e-9), ApproxDP(2, 1e-9) < ApproxDP(1, 1e-6)
    (False, False)

    """

    epsilon: Exact
    delta: Exact
    rho: Exact | None = field(init=False)  # as in PureDP
    relation: str | None
    plan: Plan | None = field(compare=False, init=False)

    @explained
    def __init__(
        self,
        epsilon: Number,
        delta: Number,
        *,
        rho: Number | None = None,
        relation: str | None = None,
    ) -> None:
        value, rest = _at_least_0(epsilon, "epsilon"), _at_least_0(delta, "delta")
        if rest >= 1:
            # What the library passes on was read before, as a parameter of something else.
            order = "" if type(delta) is Exact else "; the order is ApproxDP(epsilon, delta)"
            raise ValueError(f"delta must be less than 1, not {text(rest)}{order}")
        known = None if rho is None else _rho_beside(value, rho)
        _set(self, value, rest, known, check_stated(relation), None)

    def __add__(self, other: Loss) -> Loss:
        """Return the loss of both, one after the other; a ValueError if delta reaches 1."""
        if isinstance(other, ZCDP):
            return _sum_in_zcdp(self, other)
        if not isinstance(other, PureDP | ApproxDP):
            return NotImplemented
        delta = self.delta + (other.delta if isinstance(other, ApproxDP) else 0)
        rho = None if self.rho is None or other.rho is None else self.rho + other.rho
        relation = _common(self, other)
        return new_loss(ApproxDP, self.epsilon + other.epsilon, delta, rho, relation=relation)

    def __mul__(self, count: Integer) -> ApproxDP:
        """Return the loss of so many, one after the other."""
        n = count_of(count)
        rho = None if self.rho is None else n * self.rho
        return new_loss(ApproxDP, n * self.epsilon, n * self.delta, rho, relation=self.relation)

    __rmul__ = __mul__

    def group(self, k: Integer) -> ApproxDP:
        """Return the loss for neighbours that differ in k units, its delta rounded up to 6 digits.

        >>> ApproxDP(1, 1e-6).group(3)
        ApproxDP(epsilon=3, delta=1.11074e-05)
        """
        size = _group_size(k)
        rho = None if self.rho is None else size**2 * self.rho
        delta = self._group_delta(size)
        return new_loss(ApproxDP, size * self.epsilon, delta, rho, relation=self.relation)

    def _group_delta(self, size: int) -> Fraction:
        """Return delta * (1 + e + ... + e**(size - 1)), e = exp(epsilon), or a little more."""
        if self.delta == 0 or size == 1:
            return self.delta
        if (size - 1) * self.epsilon > 12_000:  # beyond every delta of 4,096 bits
            return Fraction(1)
        if self.epsilon == 0:
            return size * self.delta
        if size * self.epsilon < Fraction(1, 10**30):  # no term is above e**(size epsilon)
            return delta_above(self.delta * size * exp_bounds(size * self.epsilon)[1])
        factor = exp_bounds(self.epsilon, 120)[0] - 1
        whole = exp_bounds(size * self.epsilon, 120)[1] - 1
        return delta_above(self.delta * whole / max(factor, self.epsilon))

    @property
    def _numbers(self) -> tuple[Fraction, Fraction]:
        return self.epsilon, self.delta

    def __repr__(self) -> str:
        rho = "" if self.rho is None else f", rho={quoted(self.rho)}"
        numbers = f"epsilon={quoted(self.epsilon)}, delta={quoted(self.delta)}{rho}"
        return f"ApproxDP({numbers}{_words(self.relation)})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ZCDP(Measure):
    """Zero-concentrated differential privacy.

    Parameters
    ----------
    rho : number >= 0
    relation : {"add-remove", "change-one"}, optional
        The relation of neighbours that the loss is stated under. None: no relation is stated, and
        the caller answers for it.

    Raises
    ------
    TypeError, ValueError
        If rho is not such a number, or for another relation.

    Notes
    -----
    Bun, Steinke, "Concentrated differential privacy", 2016.

    Examples
    --------
    >>> ZCDP(0.5) + PureDP(1)
    ZCDP(rho=1)

    """

    rho: Exact
    relation: str | None

    @explained
    def __init__(self, rho: Number, *, relation: str | None = None) -> None:
        _set(self, _at_least_0(rho, "rho"), check_stated(relation))

    def __add__(self, other: Loss) -> ZCDP:
        """Return the loss of both, one after the other."""
        if not isinstance(other, PureDP | ApproxDP | ZCDP):
            return NotImplemented
        return _sum_in_zcdp(self, other)

    def __mul__(self, count: Integer) -> ZCDP:
        """Return the loss of so many, one after the other."""
        return new_loss(ZCDP, count_of(count) * self.rho, relation=self.relation)

    __rmul__ = __mul__

    def group(self, k: Integer) -> ZCDP:
        """Return the loss for neighbours that differ in k units.

        >>> ZCDP(0.5).group(3)
        ZCDP(rho=4.5)
        """
        return new_loss(ZCDP, _group_size(k) ** 2 * self.rho, relation=self.relation)

    @property
    def _numbers(self) -> tuple[Fraction]:
        return (self.rho,)

    def __repr__(self) -> str:
        return f"ZCDP(rho={quoted(self.rho)}{_words(self.relation)})"


Loss: TypeAlias = PureDP | ApproxDP | ZCDP


def new_loss(
    kind: type[_Kind],
    *values: Fraction | None,
    relation: str | None = None,
    plan: Plan | None = None,
) -> _Kind:
    """Return a loss of numbers of any length, which sums can have."""
    numbers = [value if value is None else _not_below_0(value) for value in values]
    if kind is ApproxDP and cast("Fraction", values[1]) >= 1:
        raise ValueError("delta would reach 1, where nothing is guaranteed: release less")
    loss = object.__new__(kind)
    _set(loss, *numbers, relation, *([plan] if kind is ApproxDP else []))
    return loss


def loss_from(kind: type[Loss], parts: Sequence[Fraction], relation: str | None = None) -> Loss:
    """Return the loss of a measure that has these numbers: what was asked for, of any delta."""
    numbers: list[Fraction | None] = [_not_below_0(part) for part in parts]
    if kind is not ZCDP:
        numbers.append(_half_square(parts[0]) if kind is PureDP else None)
    loss = object.__new__(kind)
    _set(loss, *numbers, relation, *([None] if kind is ApproxDP else []))
    return loss


def _not_below_0(number: Fraction) -> Exact:
    if number.numerator < 0:
        raise ValueError("a loss must be at least 0")
    return as_exact(number)


def _set(loss: object, *values: object) -> None:
    if hasattr(loss, "rho"):  # __init__ was called again
        raise TypeError(f"a {type(loss).__name__} is made once: its numbers cannot change")
    for name, value in zip(cast("Any", type(loss)).__slots__, values, strict=True):
        object.__setattr__(loss, name, value)


def _half_square(number: Fraction) -> Exact:
    return Exact(number.numerator**2, 2 * number.denominator**2)  # thrice as fast as **2 / 2


def _sum_in_zcdp(one: Loss, other: Loss) -> ZCDP:
    for loss, place in ((one, "first"), (other, "second")):
        if loss.rho is None:
            raise MeasureMismatchError(
                f"cannot add {one} and {other}: the {place} has no known rho. Give it one by rho=, "
                "or convert the ZCDP by cydp.convert(loss, delta=...)"
            )
    total = cast("Fraction", one.rho) + cast("Fraction", other.rho)
    return new_loss(ZCDP, total, relation=_common(one, other))


def _at_least_0(value: Number, name: str) -> Exact:
    number = exact(value, name)
    if number.numerator < 0:
        raise ValueError(f"{name} must be at least 0, not {text(number)}")
    return number


def _rho_beside(epsilon: Fraction, rho: Number) -> Exact:
    """Return a rho that is claimed beside an epsilon: 0 would say that nothing is lost at all."""
    value = _at_least_0(rho, "rho")
    if value == 0 and epsilon > 0:
        raise ValueError(f"rho must be more than 0 beside an epsilon of {text(epsilon)}")
    return value


def _common(loss: Loss, other: Loss) -> str | None:
    return common_relation("losses", loss.relation, other.relation)


def _words(relation: str | None) -> str:
    return "" if relation is None else f", relation={relation!r}"


def count_of(count: Integer) -> int:
    """Return how often something is released, from 0 to 2**64 - 1; else TypeError, ValueError."""
    n = index(count, "count")
    if not 0 <= n < 2**64:
        raise ValueError("count must be from 0 to 2**64 - 1")
    return n


def _group_size(k: Integer) -> int:
    size = index(k, "k")
    if not 1 <= size < 2**64:
        raise ValueError("k must be from 1 to 2**64 - 1")
    return size
