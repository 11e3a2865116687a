# SPDX-License-Identifier: MIT
"""Approximate zCDP: a rho, and a delta. All other measures have a place in it.

docs/accounting/losses.md, "Approximate zCDP", has the proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import Exact, literal_of
from cydp._relations import check_optional_relation
from cydp.accounting._errors import MeasureMismatchError
from cydp.accounting._loss_numbers import (
    fill,
    make_loss,
    read_count,
    read_delta,
    read_group_size,
    read_nonnegative,
    rho_of_pure,
)
from cydp.accounting._measure import Measure, combine_relations, relation_argument

if TYPE_CHECKING:
    from cydp.accounting._loss import Loss

__all__ = ["ApproxZCDP", "refuse_group", "rho_and_delta"]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ApproxZCDP(Measure):
    """Approximate zero-concentrated differential privacy: as ZCDP, but for events of chance delta.

    Gaussian noise and the selection of keys add up best in it.

    Parameters
    ----------
    rho : number >= 0
        But for events of probability delta, the Renyi divergence of order alpha is at most rho
        alpha, in nats. It is kept as an exact fraction: 0.1 means 1/10.
    delta : number in [0, 1)
        A probability, which is kept as an exact fraction.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, optional
        The relation of neighbours that the loss is stated under. None: no relation is stated, and
        the caller is responsible for it.

    Raises
    ------
    TypeError, ValueError
        If rho or delta is not such a number, or for another relation.

    Notes
    -----
    [1]_ defines it (definition 8.1). As a budget it pays for every loss: a PureDP and a ZCDP cost
    their rho, and so does an ApproxDP with a known rho; another ApproxDP costs epsilon tanh(epsilon
    / 2) and its delta. Charges may depend on earlier releases [2]_.

    References
    ----------
    .. [1] Bun, Steinke, "Concentrated differential privacy", 2016.
    .. [2] Whitehouse, Ramdas, Rogers, Wu, "Fully-adaptive composition in differential privacy",
       2023.

    Examples
    --------
    >>> from cydp import ZCDP, ApproxDP
    >>> ApproxZCDP(0.5, 1e-6) + ZCDP(0.25)
    ApproxZCDP(rho=0.75, delta=1e-06)
    >>> ApproxZCDP(0.5, 1e-6) + ApproxDP(0.1, 1e-6, rho=0.001)
    ApproxZCDP(rho=0.501, delta=1e-06)

    """

    rho: Exact
    delta: Exact
    relation: str | None

    @explain_arguments
    def __init__(self, rho: Number, delta: Number, *, relation: str | None = None) -> None:
        fill(
            self, read_nonnegative(rho, "rho"), read_delta(delta), check_optional_relation(relation)
        )

    def __add__(self, other: Loss) -> ApproxZCDP:
        """Return the loss of two releases from the same data; a ValueError if delta reaches 1."""
        if not isinstance(other, Measure):
            return NotImplemented
        rho, delta = rho_and_delta(other)
        relation = combine_relations("losses", self.relation, other.relation)
        return make_loss(ApproxZCDP, self.rho + rho, self.delta + delta, relation=relation)

    def __radd__(self, other: Loss | int) -> ApproxZCDP:
        """Return the loss of two releases, or the loss itself for 0, at which `sum` begins."""
        return self + other if isinstance(other, Measure) else Measure.__radd__(self, other)

    def __mul__(self, count: Integer) -> ApproxZCDP:
        """Return the loss of `count` releases from the same data."""
        n = read_count(count)
        return make_loss(ApproxZCDP, n * self.rho, n * self.delta, relation=self.relation)

    __rmul__ = __mul__

    def group(self, k: Integer) -> ApproxZCDP:
        """Return the loss for neighbours that differ in k units, which is known only for k = 1.

        Parameters
        ----------
        k : int >= 1

        Returns
        -------
        ApproxZCDP
            The loss itself, for k = 1.

        Raises
        ------
        TypeError, ValueError
            For a bad k.
        MeasureMismatchError
            For a larger k: convert the loss to an ApproxDP first.

        Examples
        --------
        >>> from cydp.accounting import convert
        >>> convert(ApproxZCDP(0.5, 1e-9), delta=1e-6).group(2)
        ApproxDP(epsilon=10.44348, delta=0.000186257)

        """
        if read_group_size(k) > 1:
            refuse_group()
        return self

    @property
    def _numbers(self) -> tuple[Fraction, Fraction]:
        return self.rho, self.delta

    def __repr__(self) -> str:
        numbers = f"rho={literal_of(self.rho)}, delta={literal_of(self.delta)}"
        return f"ApproxZCDP({numbers}{relation_argument(self.relation)})"


def rho_and_delta(loss: Loss) -> tuple[Fraction, Fraction]:
    """Return what a loss of any measure costs in approximate zCDP.

    >>> from cydp import ApproxDP
    >>> rho_and_delta(ApproxDP(1, "0.5", rho="0.25")), float(rho_and_delta(ApproxDP(1, "0.5"))[0])
    ((Fraction(1, 4), Fraction(0, 1)), 0.4621171572600098)
    """
    if isinstance(loss, ApproxZCDP):
        return loss.rho, loss.delta
    if loss.rho is not None:
        return loss.rho, Fraction(0)
    return rho_of_pure(loss.epsilon), loss.delta


def refuse_group() -> NoReturn:
    """Raise the error for groups of several units."""
    raise MeasureMismatchError(
        "an ApproxZCDP says nothing of several units together: convert it first, as in "
        "cydp.accounting.convert(loss, delta=1e-6).group(k)"
    )
