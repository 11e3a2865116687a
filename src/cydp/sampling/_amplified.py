# SPDX-License-Identifier: MIT
"""Amplification by sampling, of a loss and of the items of a plan. docs/sampling.md."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._numbers.intervals import exp_bounds, ln_bounds
from cydp._numbers.rational import Exact, as_exact, format_number, literal_of, read_exact
from cydp._numbers.rounding import decimal_above, decimal_below
from cydp._relations import implies
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._cost import Cost, describe_cost, loss_of, relation_of, units_of
from cydp.accounting._dominating_pairs import LaplacePair, Pairs, pairs_of, sampled_pairs
from cydp.accounting._errors import MeasureMismatchError, RelationMismatchError
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._loss_numbers import make_loss
from cydp.mechanisms._parameters import set_fields

__all__ = ["Sampled", "amplified", "loss_on_sample", "read_share"]


_RELATION, _CHANGE = "add-remove", "change-one"
_MOST = 3000  # no exponential of a larger number is computed; exp(-3000) bounds exp(-epsilon)


def amplified(cost: Cost, share: Number, *, relation: str = "add-remove") -> PureDP | ApproxDP:
    """Return the loss of a mechanism that sees a secret random share of the rows.

    Under "add-remove" each row is in the sample with the probability `share`, independently of the
    others, and nobody learns which rows, or how many, were in it. Under "change-one" the sample is
    drawn without replacement: all sets of `share` times n of the n rows are equally likely.

    Parameters
    ----------
    cost : PureDP, ApproxDP, or mechanism or release of such a loss
        The cost of the mechanism for the rows that it sees, under the same relation.
    share : number above 0 and at most 1
        The probability q with which a row is in the sample, as an exact fraction.
    relation : {"add-remove", "change-one"}, default "add-remove"
        The relation of neighbours, which says how samples are drawn.

    Returns
    -------
    PureDP or ApproxDP
        With epsilon ln(1 + q (e**epsilon - 1)), rounded up to six digits, and q delta, under the
        relation.

    Raises
    ------
    MeasureMismatchError
        For a ZCDP.
    RelationMismatchError
        For a cost that is stated under another relation.
    TypeError, ValueError
        If cost is none, or a release that protects a unit of several rows; if share or relation is
        not allowed.

    Notes
    -----
    The bound is the best one that holds for all mechanisms of such a loss [1]_ [2]_.

    References
    ----------
    .. [1] Li, Qardaji, Su, "On sampling, anonymization, and differential privacy", 2012.
    .. [2] Balle, Barthe, Gaboardi, "Privacy amplification by subsampling", 2018.

    Examples
    --------
    >>> from cydp import ApproxDP, PureDP
    >>> amplified(PureDP(1), "1/10")
    PureDP(epsilon=0.158566, relation='add-remove')
    >>> amplified(ApproxDP(1, 1e-6), "1/10").delta == Fraction(1, 10**7)
    True

    """
    loss, q = _read(cost, "cost", relation), read_share(share)
    epsilon = as_exact(_amplify(loss.epsilon, q))
    if isinstance(loss, PureDP):
        return PureDP(epsilon, relation=relation)
    return ApproxDP(epsilon, as_exact(q * loss.delta), relation=relation)


def loss_on_sample(cost: Cost, share: Number, *, relation: str = "add-remove") -> PureDP | ApproxDP:
    """Return the loss that a mechanism on a sample may have, so that the whole costs at most this.

    It is the inverse of `amplified`.

    Parameters
    ----------
    cost : PureDP, ApproxDP, or mechanism or release of such a loss
        The most that sampling and mechanism together may cost.
    share, relation
        As in `amplified`.

    Returns
    -------
    PureDP or ApproxDP
        With epsilon ln(1 + (e**epsilon - 1) / q), rounded down to six digits, and delta / q.
        `amplified` of it is at most `cost`.

    Raises
    ------
    TypeError, ValueError, MeasureMismatchError, RelationMismatchError
        As `amplified` does, and if delta / q is not less than 1.

    Examples
    --------
    >>> from cydp import PureDP
    >>> loss = loss_on_sample(PureDP(1), "1/10")
    >>> loss
    PureDP(epsilon=2.90047, relation='add-remove')
    >>> amplified(loss, "1/10") <= PureDP(1, relation="add-remove")
    True

    """
    loss, q = _read(cost, "cost", relation), read_share(share)
    epsilon = as_exact(_invert(loss.epsilon, q))
    if isinstance(loss, PureDP):
        return PureDP(epsilon, relation=relation)
    if loss.delta >= q:
        raise ValueError(
            f"share must be more than delta, {format_number(loss.delta)}: to publish the sampled "
            "rows costs no more than that delta"
        )
    return ApproxDP(epsilon, as_exact(loss.delta / q), relation=relation)


def _read(cost: Cost, name: str, relation: str) -> PureDP | ApproxDP:
    if relation not in (_RELATION, _CHANGE):
        raise ValueError(f"relation must be {_RELATION!r} or {_CHANGE!r}, not {relation!r}")
    loss, stated = loss_of(cost), relation_of(cost)
    _check_unit(cost, name)
    if isinstance(loss, ZCDP | ApproxZCDP):
        raise MeasureMismatchError(
            f"{name} must be PureDP or ApproxDP: no rho says what a mechanism of it costs on a "
            "sample. The Renyi divergence at large orders stays as it was, whatever the share is. "
            "Use cydp.accounting.convert(loss, delta=...), which is ApproxDP, or a cydp.Plan of "
            "cydp.sampling.Sampled"
        )
    if not implies(stated, relation):
        raise RelationMismatchError(
            f"{name} must be stated under {relation!r}, and not under {stated!r}: samples of "
            f"independent rows are for {_RELATION!r}, samples of a fixed size for {_CHANGE!r}"
        )
    return loss


def _amplify(epsilon: Fraction, q: Fraction) -> Fraction:
    """Return a decimal of at least ln(1 + q (e**epsilon - 1)), or epsilon itself."""
    if epsilon == 0 or q == 1:
        return epsilon
    if epsilon <= 1:
        # e**x - 1 <= x + x**2, which has more digits than the exponential close to 0.
        above = q * min(exp_bounds(epsilon)[1] - 1, epsilon + epsilon**2)
        above = min(ln_bounds(1 + above)[1], above)
    else:
        above = epsilon + ln_bounds(q + (1 - q) * exp_bounds(-min(epsilon, Fraction(_MOST)))[1])[1]
        if epsilon <= _MOST:  # for a tiny result, that sum has no digits, and this bound has all
            above = min(above, q * (exp_bounds(epsilon)[1] - 1))
    return min(decimal_above(above), epsilon)


def _invert(epsilon: Fraction, q: Fraction) -> Fraction:
    """Return a decimal of at most ln(1 + (e**epsilon - 1) / q), or epsilon itself."""
    if epsilon == 0 or q == 1:
        return epsilon
    target = decimal_below(epsilon)  # then `_amplify` rounds to at most epsilon
    if target <= 1:
        above = max(exp_bounds(target)[0] - 1, target) / q
        below = max(ln_bounds(1 + above)[0], above - above**2 / 2)
    else:
        rest = 1 - (1 - q) * exp_bounds(-min(target, Fraction(_MOST)))[1]
        below = target + ln_bounds(rest / q)[0]
    return max(decimal_below(below), target)


def read_share(share: Number) -> Exact:
    """Read the probability with which each row is in a sample, above 0 and at most 1."""
    number = read_exact(share, "share")
    if not 0 < number <= 1:
        raise ValueError(f"share must be more than 0 and at most 1, not {format_number(number)}")
    return number


def _check_unit(cost: Cost, name: str) -> None:
    """Raise a ValueError for a release that protects a unit of several rows."""
    if any(unit.has_users or unit.max_rows > 1 for unit in units_of(cost)):
        raise ValueError(
            f"{name} must protect one row, not a unit that may have several: rows are sampled one "
            "by one, so that such a unit is in a sample more often than the share. Where all rows "
            "of a unit are in a sample together, give the loss alone"
        )


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class Sampled:
    """A mechanism that sees a secret Poisson sample of the rows, such as a step of DP-SGD.

    Each time it runs, each row is in its sample with the probability `share`, independently of the
    others and of other samples, and nobody learns which rows were. It is an item of a `Plan`,
    which composes many of them tightly. It draws nothing itself: `cydp.random.bernoulli` draws
    a sample.
    A row is the unit: rows of one person would have to be in a sample together.

    Parameters
    ----------
    mechanism : mechanism or loss
        The mechanism that runs on the sample, such as `cydp.Gaussian`, with its cost for the rows
        in it.
    share : number above 0 and at most 1
        The probability q, as an exact fraction.

    Raises
    ------
    RelationMismatchError
        For a cost that is stated under another relation than "add-remove".
    TypeError, ValueError
        If mechanism has no loss, is sampled already, or is a release that protects a unit of
        several rows; if share is not allowed.

    Notes
    -----
    Privacy cost: `loss` for one run, and the plan's cost for many. `Plan` uses the pair of
    distributions that dominates the sampled mechanism [1]_, in both directions (a row comes, or
    goes), and with Gaussian noise its Renyi divergences [2]_.

    References
    ----------
    .. [1] Zhu, Dong, Wang, "Optimal accounting of differential privacy via characteristic
       function", 2022.
    .. [2] Mironov, Talwar, Zhang, "Renyi differential privacy of the sampled Gaussian mechanism",
       2019.

    Examples
    --------
    >>> import cydp
    >>> noise = cydp.Gaussian(sigma=1, sensitivity=1)
    >>> cydp.Plan([(noise, 1000)]).epsilon(1e-5) > 600
    True
    >>> cydp.Plan([(Sampled(noise, "1/100"), 1000)]).epsilon(1e-5)
    1.82825

    """

    mechanism: Cost
    share: Exact
    _loss: Loss

    @explain_arguments
    def __init__(self, mechanism: Cost, share: Number) -> None:
        if isinstance(mechanism, Sampled):
            raise TypeError(
                "mechanism must not be sampled already: a sample of a sample is one sample, whose "
                "share is the product of the shares"
            )
        loss = loss_of(mechanism, "mechanism")
        _check_unit(mechanism, "mechanism")
        relation = relation_of(mechanism)
        if relation not in (None, _RELATION):
            raise RelationMismatchError(
                f"mechanism must be stated under {_RELATION!r}, not {relation!r}: the theorem "
                "compares samples with and without a row, and under 'change-one' both may have one"
            )
        q = read_share(share)
        set_fields(self, mechanism=mechanism, share=q, _loss=_loss_on_sample(loss, q))

    @property
    def loss(self) -> Loss:
        """What one run costs, under "add-remove".

        A PureDP or ApproxDP is amplified (`cydp.sampling.amplified`) and keeps the rho of the
        mechanism, if that is less. A ZCDP stays as it is: no rho below it holds at all orders.
        """
        return self._loss

    @property
    def relation(self) -> str:
        """The relation of neighbours, "add-remove"."""
        return _RELATION

    @property
    def _pairs(self) -> Pairs | None:
        pairs = pairs_of(self.mechanism)
        if pairs is None:
            loss = loss_of(self.mechanism)
            if not isinstance(loss, PureDP) or not loss.epsilon:
                return None
            pairs = {LaplacePair(loss.epsilon): 1}  # randomized response dominates any such loss
        return sampled_pairs(pairs, self.share)

    def __repr__(self) -> str:
        return f"Sampled({describe_cost(self.mechanism)}, {literal_of(self.share)})"


def _loss_on_sample(loss: Loss, share: Exact) -> Loss:
    if isinstance(loss, ZCDP):
        return make_loss(ZCDP, loss.rho, relation=_RELATION)
    less = amplified(loss, share)
    if isinstance(less, PureDP):
        return make_loss(
            PureDP, less.epsilon, min(less.rho, loss.rho or less.rho), relation=_RELATION
        )
    return make_loss(ApproxDP, less.epsilon, less.delta, loss.rho, relation=_RELATION)
