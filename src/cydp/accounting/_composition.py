# SPDX-License-Identifier: MIT
"""Composition: the loss of several releases from the same data, or from disjoint slices of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, cast

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp._relations import check_relation, implies
from cydp.accounting._approx_zcdp import ApproxZCDP, rho_and_delta
from cydp.accounting._cost import check_loss
from cydp.accounting._errors import MeasureMismatchError, RelationMismatchError
from cydp.accounting._loss import LOSSES, ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._loss_numbers import make_loss

__all__ = ["group_privacy", "parallel", "sequential"]

_NO_LOSSES = "losses must be at least one, as in {}(PureDP(0.1), PureDP(0.2))"
_PAIRS_LIKE = "parallel((PureDP(2), PureDP(1)), relation={!r})"


def sequential(*losses: Loss) -> Loss:
    """Return the loss of several releases from the same data.

    Parameters
    ----------
    *losses : loss
        At least one, of measures that can be added.

    Returns
    -------
    loss
        The sum of the losses.

    Raises
    ------
    TypeError, ValueError
        Without losses, and for anything that is no loss.
    MeasureMismatchError
        For a ZCDP loss beside an ApproxDP loss without a rho.
    RelationMismatchError
        If neither of the relations of two losses implies the other.

    Notes
    -----
    This is basic composition [1]_; for zCDP see [2]_. It also holds for releases that are chosen
    adaptively, if their losses are fixed in advance.

    References
    ----------
    .. [1] McSherry, "Privacy integrated queries", 2009.
    .. [2] Bun, Steinke, "Concentrated differential privacy", 2016.

    Examples
    --------
    >>> sequential(PureDP(0.1), PureDP(0.2), PureDP(0.7)).epsilon
    Fraction(1, 1)

    """
    return reduce(add, _check_losses(losses, "sequential"))


@explain_arguments
def parallel(*losses: Loss | Sequence[Loss], relation: str = "add-remove") -> Loss:
    """Return the loss of releases from disjoint slices that do not depend on the data.

    Parameters
    ----------
    *losses : loss, or pair of losses
        Under "add-remove" one loss for each slice. Else a pair for each slice: the loss if one of
        its records changes, and the loss if one of its records comes or goes. A loss that is
        stated under "add-remove-or-change" stands for both.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation that the result is stated under. A record that changes may move from one slice
        to another, and then both slices pay. The pairs are needed for that.

    Returns
    -------
    loss
        Under "add-remove" the largest of the losses, number by number. Else the larger of the
        largest first loss, and of the sum of the two largest second losses.

    Raises
    ------
    TypeError, ValueError
        Without losses, and for a bad loss, pair or relation.
    MeasureMismatchError
        For a ZCDP loss beside an ApproxDP loss without a rho.
    RelationMismatchError
        If the relation of a loss does not imply the relation of its place: "add-remove", or in a
        pair "change-one" for the first loss and "add-remove" for the second.

    References
    ----------
    McSherry, "Privacy integrated queries", 2009, theorem 4.

    Examples
    --------
    >>> parallel(PureDP(1), PureDP(2))
    PureDP(epsilon=2, relation='add-remove')
    >>> slices = [(PureDP(2), PureDP(1)), (PureDP(2), PureDP(1.5))]
    >>> parallel(*slices, relation="change-one").epsilon
    Fraction(5, 2)

    """
    check_relation(relation)
    if relation == "add-remove":
        for given in losses:
            if isinstance(given, list | tuple):
                raise TypeError(
                    f"losses must be passed one by one, not in a {type(given).__name__}: "
                    "parallel(*losses); pairs of losses are for relation='change-one'"
                )
        checked = _check_relations("losses", _check_losses(losses, "parallel"), relation)
        return _combine(checked, max, relation)
    pairs = [_read_pair(given, relation) for given in losses]
    if not pairs:
        raise ValueError(f"losses must be at least one pair, as in {_PAIRS_LIKE.format(relation)}")
    changed = _check_relations(
        "the first loss of each pair", [first for first, _ in pairs], "change-one"
    )
    moved = _check_relations(
        "the second loss of each pair", [second for _, second in pairs], "add-remove"
    )
    in_its_slice = _combine(changed, max, relation)
    to_another_slice = _combine(moved, _sum_of_two_largest, relation)
    return _combine([in_its_slice, to_another_slice], max, relation)


@explain_arguments
def group_privacy(loss: Loss, k: Integer) -> Loss:
    """Return the loss for neighbours that differ in k units: ``loss.group(k)``.

    Parameters
    ----------
    loss : PureDP, ApproxDP, ZCDP or ApproxZCDP
        The loss for neighbours that differ in one unit.
    k : int >= 1
        How many units a group has.

    Returns
    -------
    loss
        PureDP of k epsilon; ApproxDP of k epsilon and delta (e**(k epsilon) - 1) / (e**epsilon -
        1), rounded up; ZCDP of k**2 rho.

    Raises
    ------
    TypeError, ValueError
        For a bad loss or k, and if delta would reach 1.
    MeasureMismatchError
        For an ApproxZCDP and a k above 1.

    References
    ----------
    Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, theorem 2.2; for zCDP
    Bun, Steinke, "Concentrated differential privacy", 2016, proposition 1.9.

    Examples
    --------
    >>> group_privacy(PureDP(0.5), 3).epsilon
    Fraction(3, 2)

    """
    return check_loss(loss, "loss").group(k)


def _read_pair(given: Loss | Sequence[Loss], relation: str) -> list[Loss]:
    """Return the loss of a slice if a record changes, and if a record comes or goes."""
    if isinstance(given, LOSSES) and (given.relation or relation) == "add-remove-or-change":
        return [given, given]
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise TypeError(
            f"losses must be pairs under relation={relation!r}, one for each slice: (loss if a "
            "record changes, loss if a record comes or goes), because a record that changes "
            f"may move to another slice; for example {_PAIRS_LIKE.format(relation)}"
        )
    return [check_loss(loss, "losses") for loss in given]


def _check_losses(losses: Sequence[object], function: str) -> list[Loss]:
    if not losses:
        raise ValueError(_NO_LOSSES.format(function))
    return [check_loss(loss, "losses") for loss in losses]


def _check_relations(what: str, losses: list[Loss], relation: str) -> list[Loss]:
    """Return losses; a RelationMismatchError if one is stated under another relation."""
    for loss in losses:
        if not implies(loss.relation, relation):
            raise RelationMismatchError(
                f"{what} must be stated under {relation!r}, not under {loss.relation!r}"
            )
    return losses


def _numbers_in_common_measure(losses: Sequence[Loss]) -> tuple[type[Loss], list[list[Any]]]:
    """Return the measure that losses have in common, and the numbers of each kind in it."""
    if any(isinstance(loss, ApproxZCDP) for loss in losses):
        return ApproxZCDP, [list(each) for each in zip(*map(rho_and_delta, losses), strict=True)]
    rhos = [loss.rho for loss in losses]
    if any(isinstance(loss, ZCDP) for loss in losses):
        if None in rhos:
            raise MeasureMismatchError(
                "losses must have one measure: cannot combine a ZCDP loss and an ApproxDP loss "
                "without a rho; convert the former with cydp.accounting.convert(loss, delta=...)"
            )
        return ZCDP, [rhos]
    epsilons = [cast("PureDP | ApproxDP", loss).epsilon for loss in losses]
    if all(isinstance(loss, PureDP) for loss in losses):
        return PureDP, [epsilons, rhos]
    deltas = [loss.delta if isinstance(loss, ApproxDP) else Fraction(0) for loss in losses]
    return ApproxDP, [epsilons, deltas, rhos]


def _combine(
    losses: Sequence[Loss], combine: Callable[[list[Fraction]], Fraction], relation: str
) -> Loss:
    """Return one loss under the relation, with the numbers of each kind combined."""
    kind, numbers = _numbers_in_common_measure(losses)
    combined = (None if None in each else combine(each) for each in numbers)
    return make_loss(kind, *combined, relation=relation)


def _sum_of_two_largest(numbers: list[Fraction]) -> Fraction:
    return sum(sorted(numbers)[-2:], Fraction(0))
