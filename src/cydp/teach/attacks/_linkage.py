# SPDX-License-Identifier: MIT
"""Rows without names, which what everybody may know of a person leads to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import float_of, read_positive
from cydp.exact import match_domains
from cydp.mechanisms import DiscreteLaplace
from cydp.random import Generator
from cydp.sensitivity import histogram as sensitivity_of_histogram
from cydp.teach.attacks._attack import Attack, Trial, largest_success, release_while_paid
from cydp.teach.attacks._counts import rows_inside

__all__ = ["linkage"]

_MOST_CELLS = 2**22


@explain_arguments
def linkage(
    table: Any, domains: Any, secret: Any, *, epsilon: Number = 1, rng: Generator | None = None
) -> Attack:
    """Find a person's secret by what is known of them: among rows without names, and noisy counts.

    The attacker looks at all rows that agree with what they know of a person, and guesses the
    secret that is most frequent there. The defended release is one contingency table of all
    columns: the attacker looks at its counts beside what they know.

    Parameters
    ----------
    table : frame, table, relation or dict of columns
        What releases take: a row for each person.
    domains : dict by column
        The public values of each column: a list of labels, or a tuple (bins, range), as in
        `cydp.publishing.contingency_tables`. A row counts if each column has a value in its domain.
        They have at most 2**22 cells together.
    secret : name of a column of domains
        What the attacker wants to know; all others are known.
    epsilon : number > 0, default 1
        The privacy cost of the defended release, under "change-one".
    rng : Generator, optional
        The source of the noise. A seeded one keeps the numbers of a lesson.

    Returns
    -------
    Attack
        `success` is for a person of the table, chosen at random. Their secret is drawn anew by the
        shares of the table, before the release, so that the attack is measured by what the row
        tells, not by what all others tell. `observed` of each trial is of the table as it is: a
        dict of the number of ``people``, of how many the attacker guessed ``right``, and, without
        a defence, of how many are ``unique`` in what is known.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed, or no row is in the domains. The undefended release tells
        the rows: the table must be one that is public.

    Notes
    -----
    The privacy cost is the `loss` of the defended trial. docs/teach/attacks.md has the proofs.

    References
    ----------
    .. [1] Sweeney, "Simple demographics often identify people uniquely", 2000.

    Examples
    --------
    >>> people = {"sex": ["f", "m", "f", "m"], "age": [31, 31, 64, 64], "ill": [0, 1, 1, 0]}
    >>> domains = {"sex": ["f", "m"], "age": (10, (0, 100)), "ill": [0, 1]}
    >>> attack = linkage(people, domains, "ill")
    >>> attack.undefended.observed, attack.undefended.success
    ({'people': 4, 'unique': 4, 'right': 4}, 1.0)
    >>> round(attack.defended.success, 4), round(attack.defended.limit, 4)
    (0.6225, 0.7311)

    """
    total = read_positive(epsilon, "epsilon")
    if isinstance(domains, Mapping):  # else `match_domains` says what it must be
        if secret not in domains or len(domains) == 1:
            raise ValueError(f"secret must be one of several columns of domains, not {secret!r}")
        others = {name: each for name, each in domains.items() if name != secret}
        domains = others | {secret: domains[secret]}
    (matched,) = match_domains(table, domains)
    codes, shape = matched
    cells = int(np.prod(shape, dtype=object))
    if not cells <= _MOST_CELLS:
        raise ValueError(f"domains must have at most 2**22 cells together, not {cells:,}")
    noise = DiscreteLaplace(
        epsilon=total, sensitivity=sensitivity_of_histogram(relation="change-one")
    )
    inside = rows_inside(matched)
    cells_of_rows = np.ravel_multi_index([each[inside].astype(np.int64) for each in codes], shape)
    counts = np.bincount(cells_of_rows, minlength=cells).reshape(-1, shape[-1])
    people = int(counts.sum())
    if people == 0:
        raise ValueError("table must have a row whose columns are all in their domains")
    shares = counts.sum(0) / people
    # The most frequent secret is the first: at equal evidence it is guessed.
    order = np.argsort(-shares, kind="stable")
    shares, counts = shares[order], np.ascontiguousarray(counts[:, order])
    (noisy,), spent = release_while_paid(noise, [counts], total, rng)
    weights = _weights(shares, noise)
    classes = np.arange(len(shares))
    guesses = np.where(noisy >= 1, weights[1], weights[0]).argmax(1)
    held = counts[counts.any(1)]
    alone = held.sum(1) == 1
    limit = largest_success(spent, float(shares[0]))
    # Groups with the same counts have the same probabilities: most are of one person alone.
    kinds, times = np.unique(held, axis=0, return_counts=True)
    return Attack(
        name="Linkage",
        question=f"which of {len(shares)} values is a person's {secret}?",
        chance=float(shares[0]),
        undefended=Trial(
            release="the rows without names",
            method="no noise",
            loss=None,
            success=_success_by_rows(kinds, times, shares),
            limit=1.0,
            observed={
                "people": people,
                "unique": int(alone.sum()),
                "right": int(held.max(1).sum()),
            },
        ),
        defended=Trial(
            release="noisy counts of all columns together",
            method=type(noise).__name__,
            loss=spent,
            # With one secret both are 1, and rounding must not exceed that.
            success=min(_success_by_counts(kinds, times, shares, weights, noise), limit),
            limit=limit,
            observed={
                "people": people,
                "right": int(counts[guesses[:, None] == classes].sum()),
            },
        ),
    )


def _weights(shares: NDArray[np.float64], noise: DiscreteLaplace) -> NDArray[np.float64]:
    """Return what a noisy count below 1, and one of at least 1, says for each secret.

    That is the logarithm of its probability times the likelihood ratio of a count of 1 to one of 0.
    The first secret with the largest is guessed.
    """
    logs = np.log(np.maximum(shares, np.finfo(float).tiny))  # of 0: less than any other
    evidence = np.where(shares > 0, 2 * float_of(1 / noise.scale), 0)
    return np.stack([logs, logs + evidence])


def _success_by_rows(
    held: NDArray[np.int64], times: NDArray[np.int64], shares: NDArray[np.float64]
) -> float:
    """Return how often the most frequent secret among the rows that agree is right.

    Parameters
    ----------
    held : ndarray of int64, shape (groups, secrets)
        How many persons a group has of each secret; a group agrees in what is known.
    times : ndarray of int64, shape (groups,)
        How many groups have these counts.
    shares : ndarray of float64, shape (secrets,)
        With what probability a person's secret is each one, when it is drawn anew.

    """
    right = 0.0
    for one in np.flatnonzero(shares):
        some = held[:, one] > 0
        others = held[some]
        persons = (others[:, one] * times[some]).astype(np.float64)
        others[:, one] -= 1
        # A drawn secret has a count one larger: it must exceed the earlier, and reach the later.
        earlier = np.maximum.accumulate(others, axis=1)[:, :-1]
        later = np.maximum.accumulate(others[:, :0:-1], axis=1)[:, ::-1]
        found = np.ones(others.shape, bool)
        found[:, 1:] &= others[:, 1:] >= earlier
        found[:, :-1] &= others[:, :-1] + 1 >= later
        right += float(persons @ (found @ shares))
    return right / float(held.sum(1) @ times)


def _success_by_counts(
    held: NDArray[np.int64],
    times: NDArray[np.int64],
    shares: NDArray[np.float64],
    weights: NDArray[np.float64],
    noise: DiscreteLaplace,
) -> float:
    """Return how often the person's secret has the largest weight, exactly."""
    classes = np.arange(len(shares))
    # P(count + noise >= 1), since the noise is symmetric: of counts as they are, less 1, more 1.
    above, less, more = (noise.cdf(held + each - 1) for each in (0, -1, 1))
    right = 0.0
    for drawn in np.flatnonzero(shares):
        for bit in (0, 1):
            won = weights[bit, drawn]
            loses = (weights < won) | ((weights == won) & (classes >= drawn))
            loses[:, drawn] = True  # the drawn one's own probability is apart
            chance, changed = (
                np.where(loses[1], tail, 0) + np.where(loses[0], 1 - tail, 0)
                for tail in (above, less)
            )
            # The person's own row left a count of `classes`, and went to the count of `drawn`.
            kept = _products_of_others(chance) * changed
            own = more[:, [drawn]] if bit else 1 - more[:, [drawn]]
            same = above[:, drawn] if bit else 1 - above[:, drawn]
            p = kept * own
            p[:, drawn] = chance.prod(1) * same
            right += float(shares[drawn] * ((held * p).sum(1) @ times))
    return right / float(held.sum(1) @ times)


def _products_of_others(factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each entry the product of all others of its row: without a division by 0."""
    ones = np.ones((len(factors), 1))
    before = np.hstack([ones, factors[:, :-1]]).cumprod(1)
    after = np.hstack([ones, factors[:, :0:-1]]).cumprod(1)[:, ::-1]
    products: NDArray[np.float64] = before * after
    return products
