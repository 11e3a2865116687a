# SPDX-License-Identifier: MIT
"""Privacy losses, as exact fractions: + adds them, * with a count repeats one, < compares them.

A loss may be stated under a relation of neighbours. Every loss that is computed from it has the
same relation, and a budget that is kept under another relation refuses it. None means that no
relation is stated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import Exact, format_number, literal_of
from cydp._relations import check_optional_relation
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._errors import MeasureMismatchError
from cydp.accounting._loss_numbers import (
    COMPUTED_LATER,
    fill,
    group_delta,
    make_loss,
    read_claimed_rho,
    read_count,
    read_group_size,
    read_nonnegative,
    rho_of_pure,
)
from cydp.accounting._measure import Measure, combine_relations, relation_argument

if TYPE_CHECKING:
    from cydp.accounting._plan import Plan

__all__ = ["LOSSES", "ZCDP", "ApproxDP", "Loss", "PureDP"]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PureDP(Measure):
    """Pure differential privacy: every event is at most exp(epsilon) times likelier.

    Parameters
    ----------
    epsilon : number >= 0
        In nats. It is kept as an exact fraction: 0.1 means 1/10.
    rho : number >= 0, optional
        What the same releases cost in zCDP. The default, epsilon tanh(epsilon / 2), always holds.
        It is rounded up, by at most 1e-15 of it, and is never above epsilon**2 / 2. A smaller rho
        is the caller's claim, because epsilon alone does not say how small rho can be. It can be 0
        only if epsilon is 0. A sum of losses has it, and shows it: two releases of epsilon 1 and 2
        cost rho 0.462 + 1.523, and one release of epsilon 3 costs 2.715.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, optional
        The relation of neighbours that the loss is stated under. None: no relation is stated, and
        the caller is responsible for it.

    Raises
    ------
    TypeError, ValueError
        If epsilon or rho is not a finite number of at least 0, if rho is 0 and epsilon is not, or
        for another relation.

    Notes
    -----
    [1]_ defines it. The default of rho is what randomized response costs [2]_: no mechanism of this
    epsilon costs more.

    References
    ----------
    .. [1] Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity", 2006.
    .. [2] Harrison, Manurangsi, "Exact zCDP characterizations for fundamental differentially
       private mechanisms", 2025.

    Examples
    --------
    >>> PureDP(0.1) + PureDP(0.2) == PureDP("0.3", rho=PureDP(0.1).rho + PureDP(0.2).rho)
    True
    >>> PureDP(1, rho=0.1) + PureDP(2, rho=0.4)
    PureDP(epsilon=3, rho=0.5)
    >>> round(float(PureDP(1).rho), 6)
    0.462117
    >>> PureDP(0.1) < PureDP(0.2) <= ApproxDP(0.2, 1e-6)
    True

    """

    epsilon: Exact
    # dataclasses.replace leaves rho out, since it may not fit another epsilon.
    rho: Exact = field(init=False)
    relation: str | None

    @explain_arguments
    def __init__(
        self, epsilon: Number, *, rho: Number | None = None, relation: str | None = None
    ) -> None:
        value = read_nonnegative(epsilon, "epsilon")
        square = COMPUTED_LATER if rho is None else read_claimed_rho(rho, value)
        fill(self, value, square, check_optional_relation(relation))

    def __add__(self, other: Loss) -> Loss:
        """Return the loss of two releases from the same data."""
        if isinstance(other, PureDP):
            relation = combine_relations("losses", self.relation, other.relation)
            return make_loss(
                PureDP, self.epsilon + other.epsilon, self.rho + other.rho, relation=relation
            )
        if isinstance(other, ZCDP):
            return _add_in_zcdp(self, other)
        return other + self if isinstance(other, ApproxDP | ApproxZCDP) else NotImplemented

    def __mul__(self, count: Integer) -> PureDP:
        """Return the loss of `count` releases from the same data."""
        n = read_count(count)
        return make_loss(PureDP, n * self.epsilon, n * self.rho, relation=self.relation)

    __rmul__ = __mul__

    def group(self, k: Integer) -> PureDP:
        """Return the loss for neighbours that differ in k units.

        Parameters
        ----------
        k : int >= 1

        Returns
        -------
        PureDP
            Of k epsilon, and k**2 rho or the default rho of k epsilon, whichever is less.

        Raises
        ------
        TypeError, ValueError
            For a bad k.

        Examples
        --------
        >>> PureDP(1).group(3)
        PureDP(epsilon=3)

        """
        size = read_group_size(k)
        epsilon = size * self.epsilon
        rho = min(size**2 * self.rho, rho_of_pure(epsilon))
        return make_loss(PureDP, epsilon, rho, relation=self.relation)

    @property
    def _numbers(self) -> tuple[Fraction, Fraction]:
        return self.epsilon, Fraction(0)

    def __repr__(self) -> str:
        rho = "" if self.rho == rho_of_pure(self.epsilon) else f", rho={literal_of(self.rho)}"
        return f"PureDP(epsilon={literal_of(self.epsilon)}{rho}{relation_argument(self.relation)})"


_rho_slot: Any = vars(PureDP)["rho"]


def _rho_of(loss: PureDP) -> Exact:
    """Return what the same releases cost in zCDP: the most for epsilon, unless less is claimed."""
    try:
        rho: Exact = _rho_slot.__get__(loss)
    except AttributeError:  # nobody has asked, as most budgets never do
        rho = rho_of_pure(loss.epsilon)
        _rho_slot.__set__(loss, rho)
    return rho


setattr(PureDP, "rho", property(_rho_of, _rho_slot.__set__))  # noqa: B010 (to mypy it is a field)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ApproxDP(Measure):
    """Approximate differential privacy: as PureDP, but for events of probability delta.

    Parameters
    ----------
    epsilon : number >= 0
        In nats. It is kept as an exact fraction: 0.1 means 1/10.
    delta : number in [0, 1)
        A probability, which is kept as an exact fraction.
    rho : number >= 0, optional
        What the same releases cost in zCDP, if that is known. It is the caller's claim, and can be
        0 only if epsilon is 0.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, optional
        The relation of neighbours that the loss is stated under. None: no relation is stated, and
        the caller is responsible for it.

    Attributes
    ----------
    plan : Plan or None
        The plan, if `Plan.as_loss` has returned the loss. The history of a budget shows the plan;
        comparisons ignore it.

    Raises
    ------
    TypeError, ValueError
        If epsilon, delta or rho is not such a number, or for another relation.

    References
    ----------
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

    @explain_arguments
    def __init__(
        self,
        epsilon: Number,
        delta: Number,
        *,
        rho: Number | None = None,
        relation: str | None = None,
    ) -> None:
        epsilon_ = read_nonnegative(epsilon, "epsilon")
        delta_ = read_nonnegative(delta, "delta")
        if delta_ >= 1:
            # An Exact comes from the library, which has read it as a parameter of something else.
            order = "" if type(delta) is Exact else "; the order is ApproxDP(epsilon, delta)"
            raise ValueError(f"delta must be less than 1, not {format_number(delta_)}{order}")
        known = None if rho is None else read_claimed_rho(rho, epsilon_)
        fill(self, epsilon_, delta_, known, check_optional_relation(relation), None)

    def __add__(self, other: Loss) -> Loss:
        """Return the loss of two releases from the same data; a ValueError if delta reaches 1."""
        if isinstance(other, ZCDP):
            return _add_in_zcdp(self, other)
        if isinstance(other, ApproxZCDP):
            return other + self
        if not isinstance(other, PureDP | ApproxDP):
            return NotImplemented
        delta = self.delta + (other.delta if isinstance(other, ApproxDP) else 0)
        rho = None if self.rho is None or other.rho is None else self.rho + other.rho
        relation = combine_relations("losses", self.relation, other.relation)
        return make_loss(ApproxDP, self.epsilon + other.epsilon, delta, rho, relation=relation)

    def __mul__(self, count: Integer) -> ApproxDP:
        """Return the loss of `count` releases from the same data."""
        n = read_count(count)
        rho = None if self.rho is None else n * self.rho
        return make_loss(ApproxDP, n * self.epsilon, n * self.delta, rho, relation=self.relation)

    __rmul__ = __mul__

    def group(self, k: Integer) -> ApproxDP:
        """Return the loss for neighbours that differ in k units.

        Parameters
        ----------
        k : int >= 1

        Returns
        -------
        ApproxDP
            Of k epsilon, delta (e**(k epsilon) - 1) / (e**epsilon - 1), rounded up to six digits,
            and k**2 rho.

        Raises
        ------
        TypeError, ValueError
            For a bad k, and if delta would reach 1.

        Examples
        --------
        >>> ApproxDP(1, 1e-6).group(3)
        ApproxDP(epsilon=3, delta=1.11074e-05)

        """
        size = read_group_size(k)
        rho = None if self.rho is None else size**2 * self.rho
        delta = group_delta(self.epsilon, self.delta, size)
        return make_loss(ApproxDP, size * self.epsilon, delta, rho, relation=self.relation)

    @property
    def _numbers(self) -> tuple[Fraction, Fraction]:
        return self.epsilon, self.delta

    def __repr__(self) -> str:
        rho = "" if self.rho is None else f", rho={literal_of(self.rho)}"
        numbers = f"epsilon={literal_of(self.epsilon)}, delta={literal_of(self.delta)}{rho}"
        return f"ApproxDP({numbers}{relation_argument(self.relation)})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ZCDP(Measure):
    """Zero-concentrated differential privacy: the measure in which Gaussian noise adds up best.

    Parameters
    ----------
    rho : number >= 0
        The Renyi divergence of order alpha is at most rho alpha, in nats. It is kept as an exact
        fraction: 0.1 means 1/10.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, optional
        The relation of neighbours that the loss is stated under. None: no relation is stated, and
        the caller is responsible for it.

    Raises
    ------
    TypeError, ValueError
        If rho is not such a number, or for another relation.

    References
    ----------
    Bun, Steinke, "Concentrated differential privacy", 2016.

    Examples
    --------
    >>> ZCDP(0.5) + PureDP(1, rho=0.125)
    ZCDP(rho=0.625)

    """

    rho: Exact
    relation: str | None

    @explain_arguments
    def __init__(self, rho: Number, *, relation: str | None = None) -> None:
        fill(self, read_nonnegative(rho, "rho"), check_optional_relation(relation))

    def __add__(self, other: Loss) -> ZCDP | ApproxZCDP:
        """Return the loss of two releases from the same data."""
        if isinstance(other, ApproxZCDP):
            return other + self
        if not isinstance(other, PureDP | ApproxDP | ZCDP):
            return NotImplemented
        return _add_in_zcdp(self, other)

    def __mul__(self, count: Integer) -> ZCDP:
        """Return the loss of `count` releases from the same data."""
        return make_loss(ZCDP, read_count(count) * self.rho, relation=self.relation)

    __rmul__ = __mul__

    def group(self, k: Integer) -> ZCDP:
        """Return the loss for neighbours that differ in k units.

        Parameters
        ----------
        k : int >= 1

        Returns
        -------
        ZCDP
            Of k**2 rho.

        Raises
        ------
        TypeError, ValueError
            For a bad k.

        Examples
        --------
        >>> ZCDP(0.5).group(3)
        ZCDP(rho=4.5)

        """
        return make_loss(ZCDP, read_group_size(k) ** 2 * self.rho, relation=self.relation)

    @property
    def _numbers(self) -> tuple[Fraction, Fraction]:
        return self.rho, Fraction(0)

    def __repr__(self) -> str:
        return f"ZCDP(rho={literal_of(self.rho)}{relation_argument(self.relation)})"


Loss: TypeAlias = PureDP | ApproxDP | ZCDP | ApproxZCDP
LOSSES = (PureDP, ApproxDP, ZCDP, ApproxZCDP)


def _add_in_zcdp(first: PureDP | ApproxDP | ZCDP, second: PureDP | ApproxDP | ZCDP) -> ZCDP:
    for loss, place in ((first, "first"), (second, "second")):
        if loss.rho is None:
            raise MeasureMismatchError(
                f"cannot add {first} and {second}: the {place} has no known rho. Give it one by "
                "rho=, or convert the ZCDP by cydp.accounting.convert(loss, delta=...)"
            )
    relation = combine_relations("losses", first.relation, second.relation)
    total = cast("Fraction", first.rho) + cast("Fraction", second.rho)
    return make_loss(ZCDP, total, relation=relation)
