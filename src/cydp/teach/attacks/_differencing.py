# SPDX-License-Identifier: MIT
"""Two counts that differ by one person."""

from __future__ import annotations

from typing import Any

import numpy as np

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp._numbers.rational import read_positive
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.sensitivity._count import count as sensitivity_of_count
from cydp.teach.attacks._attack import Attack, Trial
from cydp.teach.attacks._defence import release_while_paid
from cydp.teach.attacks._limit import largest_success
from cydp.teach.attacks._mean_trial import CHANCE
from cydp.teach.attacks._rows_where import read_places, read_where, rows_where
from cydp.teach.attacks._sum_of_noise import success_of_sum

__all__ = ["differencing"]


@explain_arguments
def differencing(
    table: Any, where: Any, who: Any, *, epsilon: Number = 1, rng: Generator | None = None
) -> Attack:
    """Subtract two counts that differ by one person: exact ones, and ones that a budget paid for.

    The first counts the records with a property; the second counts them without one person, whom
    the attacker describes by what everybody may know. Each looks harmless.

    Parameters
    ----------
    table : frame, table, relation or dict of columns
        What releases take.
    where : dict by column
        The property that the attacker wants to know of the person, as in ``{"married": 1}``: a
        label, a list of labels, or a tuple (bins, range).
    who : dict by column
        What the attacker knows of the person, which must describe one record, in the same form.
    epsilon : number > 0, default 1
        The budget of the defended release, half for each of the two counts.
    rng : Generator, optional
        The source of the noise; a seeded one for a lesson whose numbers stay.

    Returns
    -------
    Attack
        `observed` of each trial is a dict of the two ``counts``, and whether the attacker says
        that the person ``has`` the property.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed, or `who` does not describe one record. The undefended
        release tells the person's data: the table must be one that is public.

    Notes
    -----
    The privacy cost is that of the defended trial, in its `loss`. docs/teach/attacks.md has the
    proofs.

    References
    ----------
    .. [1] Denning, Denning, Schwartz, "The tracker: a threat to statistical database security",
       1979.

    Examples
    --------
    >>> people = {"sex": ["f", "m", "f"], "age": [18, 44, 71], "ill": [0, 1, 1]}
    >>> attack = differencing(people, {"ill": 1}, {"sex": "f", "age": 71})
    >>> attack.undefended.observed
    {'counts': (2, 1), 'has': True}
    >>> round(attack.defended.success, 4), round(attack.defended.limit, 4)
    (0.5649, 0.7311)

    """
    total = read_positive(epsilon, "epsilon")
    property_, person = read_where(where, "where"), read_where(who, "who")
    noise = DiscreteLaplace(epsilon=total / 2, sensitivity=sensitivity_of_count())
    places = read_places(table, [(property_, "where"), (person, "who")])
    has, is_person = rows_where(places[0], property_), rows_where(places[1], person)
    if np.count_nonzero(is_person) != 1:
        raise ValueError("who must describe one record of the table, not none and not several")
    exact = int(has.sum()), int((has & ~is_person).sum())
    noisy, spent = release_while_paid(noise, exact, total, rng)
    return Attack(
        name="Differencing",
        question="does a person have a property, by two counts?",
        chance=CHANCE,
        undefended=Trial(
            release="two exact counts", loss=None, success=1.0, limit=1.0,
            observed=_difference(*exact),
        ),
        defended=Trial(
            release="two noisy counts of one budget",
            loss=spent,
            success=success_of_sum(noise, 2, 1),
            limit=largest_success(spent, CHANCE),
            observed=_difference(*noisy.tolist()),
        ),
    )  # fmt: skip


def _difference(everybody: int, others: int) -> dict[str, Any]:
    """Return what the attacker makes of two counts."""
    return {"counts": (everybody, others), "has": everybody - others >= 1}
