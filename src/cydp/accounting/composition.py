# SPDX-License-Identifier: MIT
"""Losses together: one after the other, or on disjoint slices of the data."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, SupportsIndex, cast

from cydp.accounting.errors import MeasureMismatchError
from cydp.accounting.loss import ZCDP, ApproxDP, Loss, PureDP, new_loss
from cydp.accounting.stated import common_relation
from cydp.relations import check_relation


def sequential(*losses: Loss) -> Loss:
    """Return the loss of releases from the same data, one after the other.

    Parameters
    ----------
    *losses : loss
        At least one, of measures that add.

    Raises
    ------
    TypeError, ValueError
        For no losses, or what is none.
    MeasureMismatchError
        For zCDP beside an (epsilon, delta) that says nothing in zCDP.
    RelationMismatchError
        For losses that are stated under different relations.

    Notes
    -----
    Basic composition: McSherry, "Privacy integrated queries", 2009; for zCDP Bun, Steinke, 2016.
    It holds for releases that are chosen adaptively, too, if their losses are fixed.

    Examples
    --------
    >>> sequential(PureDP(0.1), PureDP(0.2), PureDP(0.7)).epsilon
    Fraction(1, 1)

    """
    return reduce(add, _checked(losses))


def parallel(*losses: Loss | Sequence[Loss], relation: str) -> Loss:
    """Return the loss of releases from disjoint slices that do not depend on the data.

    Parameters
    ----------
    *losses : loss, or pair of losses
        Under "add-remove" one for each slice. Under "change-one" for each slice a pair: what it
        costs if one of its records changes, and what if one comes or goes.
    relation : {"add-remove", "change-one"}
        A record that changes may move from one slice to another: then both pay. The result is
        stated under it.

    Raises
    ------
    TypeError, ValueError
        For no losses, what is none, or another relation.
    MeasureMismatchError
        For losses without a measure in common.
    RelationMismatchError
        For a loss that is stated under another relation than its place asks for: "add-remove",
        or of a pair "change-one" for the first and "add-remove" for the second.

    Notes
    -----
    McSherry, "Privacy integrated queries", 2009, theorem 4.

    Examples
    --------
    >>> parallel(PureDP(1), PureDP(2), relation="add-remove")
    PureDP(epsilon=2, relation='add-remove')
    >>> slices = [(PureDP(2), PureDP(1)), (PureDP(2), PureDP(1.5))]
    >>> parallel(*slices, relation="change-one").epsilon
    Fraction(5, 2)

    """
    check_relation(relation)
    if relation == "add-remove":
        return _each(_stated(_checked(losses), "add-remove"), max, relation)
    pairs: list[list[Loss]] = []
    for given in losses:
        if not isinstance(given, list | tuple) or len(given) != 2:
            raise TypeError(
                "losses under 'change-one' must be pairs: of a record that changes, and of one "
                "that comes or goes"
            )
        pairs.append(_checked(tuple(given)))
    if not pairs:
        raise ValueError("losses must be at least one")
    changed = _stated([change for change, _ in pairs], "change-one")
    moved = _stated([presence for _, presence in pairs], "add-remove")
    whole = [_each(changed, max, relation), _each(moved, _two_largest, relation)]
    return _each(whole, max, relation)


def group_privacy(loss: Loss, k: SupportsIndex) -> Loss:
    """Return what a loss means for neighbours that differ in k units: ``loss.group(k)``.

    Parameters
    ----------
    loss : PureDP, ApproxDP or ZCDP
    k : int >= 1

    Returns
    -------
    loss
        k epsilon; k epsilon and delta (e**(k epsilon) - 1) / (e**epsilon - 1), rounded up;
        k**2 rho.

    Raises
    ------
    TypeError, ValueError
        For what is no loss or no such integer, and where delta would reach 1.

    Notes
    -----
    Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, theorem 2.2; for zCDP
    Bun, Steinke, 2016, proposition 1.9.

    Examples
    --------
    >>> group_privacy(PureDP(0.5), 3).epsilon
    Fraction(3, 2)

    """
    (checked,) = _checked([loss])
    return checked.group(k)


def _checked(losses: Sequence[Loss | Sequence[Loss]]) -> list[Loss]:
    if not losses:
        raise ValueError("losses must be at least one")
    for loss in losses:
        if not isinstance(loss, PureDP | ApproxDP | ZCDP):
            raise TypeError(f"losses must be PureDP, ApproxDP or ZCDP, not {type(loss).__name__}")
    return cast("list[Loss]", list(losses))


def _stated(losses: list[Loss], relation: str) -> list[Loss]:
    """Return losses; a RelationMismatchError if one is stated under another relation."""
    common_relation("losses", relation, *(loss.relation for loss in losses))
    return losses


def _parts(losses: Sequence[Loss]) -> tuple[type[Loss], list[list[Any]]]:
    """Return the measure in common, and the numbers of the losses in it."""
    rhos = [loss.rho for loss in losses]
    if any(isinstance(loss, ZCDP) for loss in losses):
        if None in rhos:
            raise MeasureMismatchError("losses must have a measure in common: zCDP, or epsilon")
        return ZCDP, [rhos]
    epsilons = [cast("PureDP | ApproxDP", loss).epsilon for loss in losses]
    if all(isinstance(loss, PureDP) for loss in losses):
        return PureDP, [epsilons, rhos]
    deltas = [loss.delta if isinstance(loss, ApproxDP) else Fraction(0) for loss in losses]
    return ApproxDP, [epsilons, deltas, rhos]


def _each(
    losses: Sequence[Loss], combine: Callable[[list[Fraction]], Fraction], relation: str
) -> Loss:
    """Combine the numbers of each kind; what comes out holds under the relation."""
    kind, parts = _parts(losses)
    combined = (None if None in part else combine(part) for part in parts)
    return new_loss(kind, *combined, relation=relation)


def _two_largest(numbers: list[Fraction]) -> Fraction:
    return sum(sorted(numbers)[-2:], Fraction(0))
