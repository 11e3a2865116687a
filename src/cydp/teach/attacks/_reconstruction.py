# SPDX-License-Identifier: MIT
"""The people of a small block, from counts of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import read_integer, read_positive
from cydp.exact import match_domains
from cydp.mechanisms import DiscreteLaplace
from cydp.random import Generator
from cydp.sensitivity import count as sensitivity_of_count
from cydp.sensitivity import histogram as sensitivity_of_histogram
from cydp.sensitivity import queries
from cydp.teach.attacks._attack import CHANCE, Attack, Trial, largest_success, release_while_paid
from cydp.teach.attacks._counts import rows_inside, where_domains

__all__ = ["reconstruction"]

_MOST_PEOPLE = 12
_MOST_WORK = 2**33  # people x ways to assign secrets x outputs that differ in what they tell


@explain_arguments
def reconstruction(
    table: Any,
    domains: Any,
    where: Any,
    *,
    block: Any,
    smallest: Integer = 2,
    epsilon: Number = 1,
    rng: Generator | None = None,
) -> Attack:
    """Find everybody's secret in a small block, from counts by sex, by race, and so on.

    The attacker knows who lives in the block, and their values in `domains`, as from a register.
    What is published is the number of people with a property, in the block and for each value of
    each column. The attacker tries all ways to assign the property to people, and keeps those that
    agree with the counts; of noisy counts they compute how probable each way is.

    Parameters
    ----------
    table : frame, table, relation or dict of columns
        What releases take: a row for each person.
    domains : dict by column
        What the attacker knows of each person, and what the counts are by: the public values of
        each column, a list of labels or a tuple (bins, range). People outside are in no count but
        the first.
    where : dict by column
        The property: a label, a list of labels, or a tuple (bins, range), as in ``{"married": 1}``.
    block : dict by column
        The people who are counted, in the same form. They must be 1 to 12.
    smallest : int >= 1, default 2
        Counts of fewer people than this are not published.
    epsilon : number > 0, default 1
        The budget of all noisy counts together.
    rng : Generator, optional
        The source of the noise. A seeded one keeps the numbers of a lesson.

    Returns
    -------
    Attack
        `success` is the probability that the best guess for a random person of the block is right,
        where each has the property with probability 1/2. `observed` of each trial is of the block
        as it is: a dict of the ``groups``, as tuples of people from 0 on, their ``counts``,
        the number of ``people``, and for how many of them the guess is ``right``; without a defence
        also in how many ways the counts can ``agree``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed, or the block has none or too many people or counts. The
        undefended release tells the people's data: the table must be one that is public.

    Notes
    -----
    The privacy cost is the `loss` of the defended trial. docs/teach/attacks.md has the proofs.

    References
    ----------
    .. [1] Dinur, Nissim, "Revealing information while preserving privacy", 2003.
    .. [2] Garfinkel, Abowd, Martindale, "Understanding database reconstruction attacks on public
       data", 2018.

    Examples
    --------
    >>> people = {"sex": ["f", "m", "f", "m"], "age": [31, 31, 64, 64], "ill": [0, 1, 1, 1]}
    >>> attack = reconstruction(
    ...     people, {"sex": ["f", "m"], "age": [31, 64]}, {"ill": 1}, block={"age": [31, 64]}
    ... )
    >>> attack.undefended.observed["agree"], attack.undefended.observed["right"]
    (1, 4)

    """
    total, least = read_positive(epsilon, "epsilon"), read_integer(smallest, "smallest")
    if least < 1:
        raise ValueError(f"smallest must be at least 1, not {least}")
    property_, chosen = where_domains(where, "where"), where_domains(block, "block")
    known, *conditions = match_domains(table, domains, property_, chosen)
    tables = [sensitivity_of_count(), *[sensitivity_of_histogram()] * len(known[0])]
    noise = DiscreteLaplace(epsilon=total, sensitivity=queries(*tables))
    all_having, lives = map(rows_inside, conditions)
    has = all_having[lives]
    groups = _groups([each[lives] for each in known[0]], known[1], least)
    _check_work(len(has), groups)
    ways = (np.arange(2 ** len(has))[:, None] >> np.arange(len(has))) & 1
    members = np.zeros((len(has), len(groups)), np.int64)
    for i, group in enumerate(groups):
        members[list(group), i] = 1
    sums = ways @ members
    exact = has @ members
    (noisy,), spent = release_while_paid(noise, [exact], total, rng)
    agree = (sums == exact).all(1)
    likelihoods = [_likelihoods(noise, len(group))[sums[:, i]] for i, group in enumerate(groups)]
    sizes = members.sum(0)
    clipped = np.clip(noisy, 0, sizes)
    posterior = np.prod([each[:, clipped[i]] for i, each in enumerate(likelihoods)], axis=0)
    counts = len(groups), "count" if len(groups) == 1 else "counts"
    return Attack(
        name="Reconstruction",
        question=f"does a person in a block of {len(has)} have a property?",
        chance=CHANCE,
        undefended=Trial(
            release=f"{counts[0]} exact {counts[1]}",
            method="no noise",
            loss=None,
            success=_success_by_exact(ways, sums),
            limit=1.0,
            observed=_observed(groups, exact, ways, agree, has) | {"agree": int(agree.sum())},
        ),
        defended=Trial(
            release=f"{counts[0]} noisy {counts[1]} of one budget",
            method=type(noise).__name__,
            loss=spent,
            success=_success_by_noisy(ways, likelihoods),
            limit=largest_success(spent, CHANCE),
            observed=_observed(groups, noisy, ways, posterior, has),
        ),
    )


def _groups(
    codes: Sequence[NDArray[np.uint32]], sizes: Sequence[int], least: int
) -> list[tuple[int, ...]]:
    """Return the people of each count: everybody, and all with one value of a column."""
    found = [tuple(range(len(codes[0])))]
    for column, size in zip(codes, sizes, strict=True):
        values = np.unique(column[column < size])
        found += [tuple(np.flatnonzero(column == value).tolist()) for value in values]
    return [group for group in found if len(group) >= least]


def _check_work(people: int, groups: Sequence[tuple[int, ...]]) -> None:
    if not 1 <= people <= _MOST_PEOPLE:
        raise ValueError(f"block must have 1 to {_MOST_PEOPLE} people")
    if not groups:
        raise ValueError("smallest must be at most the number of people in the block")
    outputs = 1
    for group in groups:
        outputs *= len(group) + 1
    if people * 2**people * outputs > _MOST_WORK:
        raise ValueError("block must have fewer people or counts: give fewer columns of domains")


def _observed(
    groups: list[tuple[int, ...]],
    counts: NDArray[np.int64],
    ways: NDArray[np.int64],
    weights: NDArray[Any],
    has: NDArray[np.bool_],
) -> dict[str, Any]:
    """Return what was published, and for how many people the most probable guess is right."""
    guesses = 2 * (weights @ ways) >= weights.sum()
    right = int(np.count_nonzero(guesses == has))
    return {"groups": groups, "counts": counts.tolist(), "people": len(has), "right": right}


def _success_by_exact(ways: NDArray[np.int64], sums: NDArray[np.int64]) -> float:
    """Return how often the best guess for a person is right, over all ways and people."""
    _, inverse = np.unique(sums, axis=0, return_inverse=True)
    same = np.bincount(inverse.reshape(-1))
    right = 0
    for column in ways.T:
        ones = np.bincount(inverse.reshape(-1), weights=column)
        right += int(np.maximum(ones, same - ones).sum())
    return right / ways.size


def _likelihoods(noise: DiscreteLaplace, size: int) -> NDArray[np.float64]:
    """Return the probability of each noisy count, clipped to [0, size], for each exact one.

    Beyond the ends every count says the same, since the ratio of two probabilities stays.
    """
    exact, noisy = np.arange(size + 1)[:, None], np.arange(size + 1)[None]
    law = np.asarray(noise.pmf(noisy - exact))
    law[:, 0] = noise.cdf(-exact[:, 0])
    law[:, -1] = noise.cdf(exact[:, 0] - size)  # P(noise >= size - exact)
    return law


def _success_by_noisy(ways: NDArray[np.int64], likelihoods: Sequence[NDArray[np.float64]]) -> float:
    """Return how often the more probable guess for a person is right, over all outputs."""
    # For each output and person: half the distance between the two sums of probabilities.
    split = [np.ones((len(ways), 1)), np.ones((len(ways), 1))]
    for each in sorted(likelihoods, key=lambda law: -law.shape[1]):
        small = int(split[1].shape[1] < split[0].shape[1])
        product = split[small][:, :, None] * each[:, None, :]
        split[small] = product.reshape(len(ways), -1)
    signs = 2 * ways.T - 1
    distance = sum(
        float(np.abs((sign * split[0].T) @ split[1]).sum()) for sign in signs.astype(np.float64)
    )
    return 0.5 + distance / (2 * ways.size)
