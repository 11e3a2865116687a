# SPDX-License-Identifier: MIT
"""A mechanism on a secret Poisson sample, as an item of a plan. docs/sampling.md has the proof."""

from __future__ import annotations

from dataclasses import dataclass

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import Exact, literal_of
from cydp.accounting._cost import Cost, describe_cost, loss_of, relation_of
from cydp.accounting._dominating_pairs import LaplacePair, Pairs, pairs_of, sampled_pairs
from cydp.accounting._errors import RelationMismatchError
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._loss_numbers import make_loss
from cydp.mechanisms._parameters import set_fields
from cydp.sampling._amplified import amplified, check_unit, read_share

__all__ = ["Sampled"]

_RELATION = "add-remove"


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class Sampled:
    """A mechanism that sees a secret Poisson sample of the rows, such as a step of DP-SGD.

    Each time it runs, each row is in its sample with the probability `share`, independently of the
    others and of other samples, and nobody learns which rows were. It is an item of a `Plan`,
    which composes many of them tightly. It draws nothing itself (`cydp.bernoulli` draws a sample).
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
    >>> cydp.Plan([(Sampled(noise, "1/100"), 1000)]).epsilon(1e-5) < 2.11  # 1.83 with the extra
    True

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
        check_unit(mechanism, "mechanism")
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
