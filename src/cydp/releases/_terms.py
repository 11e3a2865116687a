# SPDX-License-Identifier: MIT
"""The terms that all releases take: what a release may cost, how it is split, what it protects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Any, Protocol, TypeAlias, TypeVar

from cydp._arguments import Number
from cydp._numbers.intervals import sqrt_bounds
from cydp._numbers.rational import as_exact, read_positive
from cydp._numbers.rounding import decimal_below
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._conversion import rho_of
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.releases._unit import Unit, read_unit, user_key

__all__ = [
    "TERMS",
    "Split",
    "Weights",
    "epsilon_of_each",
    "fitting",
    "least_noise",
    "losses_by_noise",
    "of_public_keys",
    "read_privacy",
    "read_split",
    "read_terms",
    "terms_of",
]


_ASKED = ("epsilon", "rho", "delta", "relation", "user", "unit", "max_rows_per_unit")

TERMS = {
    "rows": (*_ASKED, "max_rows"),
    "partitions": (*_ASKED, "max_partitions", "max_rows_per_partition"),
    "partitions or rows": (*_ASKED, "max_partitions", "max_rows_per_partition", "max_rows"),
    "rows in each partition": (*_ASKED, "max_partitions", "max_rows_per_partition"),
}
"""The arguments that are terms, by what of a user is bounded."""

_GET = {bounded: itemgetter(*names) for bounded, names in TERMS.items()}

_USER = _ASKED.index("user")

Split: TypeAlias = Mapping[str, Number]
"""The weight of some parts by their names; the others have the weight 1."""

Weights: TypeAlias = tuple[tuple[str, Fraction], ...]


class _Noisy(Protocol):
    """A query."""

    @property
    def log_noise(self) -> float: ...


_Query = TypeVar("_Query", bound=_Noisy)
_Candidate = TypeVar("_Candidate")
_Made = TypeVar("_Made")


def read_privacy(
    epsilon: Number | None, rho: Number | None, delta: Number | None, relation: str
) -> Loss:
    """Return the loss of a whole release, under a relation.

    Raises
    ------
    TypeError, ValueError
        Unless epsilon or rho is given, alone or with delta, and each number is positive, and delta
        below 1.

    Examples
    --------
    >>> read_privacy(1, None, None, "add-remove")
    PureDP(epsilon=1, relation='add-remove')

    """
    if rho is not None:
        if epsilon is not None:
            raise TypeError("rho must be given alone: epsilon would ask for other noise")
        if delta is not None:
            return ApproxZCDP(
                read_positive(rho, "rho"), read_positive(delta, "delta"), relation=relation
            )
        return ZCDP(read_positive(rho, "rho"), relation=relation)
    if epsilon is None:
        given = "" if delta is None else " with delta"
        raise TypeError(f"epsilon must be given{given}, or rho: it is what the release may cost")
    if delta is None:
        return PureDP(read_positive(epsilon, "epsilon"), relation=relation)
    return ApproxDP(
        read_positive(epsilon, "epsilon"), read_positive(delta, "delta"), relation=relation
    )


def of_public_keys(privacy: Loss) -> PureDP | ApproxDP | ZCDP:
    """Return the privacy of answers; a TypeError for a delta beside rho, which answers spend not.

    >>> of_public_keys(ZCDP(1))
    ZCDP(rho=1)
    """
    if isinstance(privacy, ApproxZCDP):
        raise TypeError(
            "rho must be given alone: a delta beside it is for group_by, value_counts and top_k "
            "where they select keys that are not public"
        )
    return privacy


def losses_by_noise(privacy: Loss, noise: str | None) -> tuple[Loss, ...]:
    """Return the losses within a privacy that a release may have, by the noise that it adds.

    Pure DP is by Laplace noise, any other by Gaussian noise.

    Raises
    ------
    ValueError
        For another name, and for noise that the privacy does not allow.

    Examples
    --------
    >>> losses_by_noise(ApproxDP(1, 0.5), "laplace")
    (PureDP(epsilon=1),)

    """
    if noise not in (None, "laplace", "gaussian"):
        raise ValueError(f"noise must be 'laplace' or 'gaussian', not {noise!r}")
    if isinstance(privacy, PureDP) and noise == "gaussian":
        raise ValueError(
            "noise must not be 'gaussian' for epsilon alone, which it never keeps: give delta as "
            "well, or rho instead"
        )
    if isinstance(privacy, ZCDP | ApproxZCDP) and noise == "laplace":
        raise ValueError(
            "noise must not be 'laplace' for rho, where Gaussian noise has less variance: give "
            "epsilon instead"
        )
    if not isinstance(privacy, ApproxDP):
        return (privacy,)
    pure = PureDP(privacy.epsilon, relation=privacy.relation)
    if noise is None:
        return pure, privacy
    return (pure,) if noise == "laplace" else (privacy,)


def least_noise(losses: Iterable[Loss], build: Callable[[Loss], _Query]) -> _Query:
    """Return the query of the loss with which it has the least noise.

    Parameters
    ----------
    losses : iterable of losses
    build : callable
        Returns the query of a loss.

    Raises
    ------
    TypeError, ValueError
        As `fitting`.

    """
    return min(fitting(losses, build), key=lambda query: query.log_noise)


def fitting(candidates: Iterable[_Candidate], build: Callable[[_Candidate], _Made]) -> list[_Made]:
    """Return what is made of the candidates for which noise fits, in their order.

    Parameters
    ----------
    candidates : iterable
        Losses, or rules.
    build : callable
        Makes something of a candidate, or raises a ValueError.

    Raises
    ------
    TypeError, ValueError
        The first error of `build`, if it makes nothing: all of them may be about a parameter.

    Examples
    --------
    >>> fitting(["2", "two", "3"], int)
    [2, 3]

    """
    made, wrong = [], list[ValueError]()
    for candidate in candidates:
        try:
            made.append(build(candidate))
        except ValueError as error:
            wrong.append(error)
    if not made:
        raise wrong[0]
    return made


def terms_of(given: Mapping[str, Any], bounded: str) -> list[Any]:
    """Return the terms among the arguments of a call, as they were written; for users, the name."""
    terms = list(_GET[bounded](given))
    terms[_USER] = user_key(terms[_USER])
    return terms


def read_terms(terms: Sequence[Any], bounded: str) -> tuple[Loss, Unit]:
    """Return what a release may cost, and what it protects.

    Parameters
    ----------
    terms : sequence
        As `terms_of` returns them.
    bounded : str
        What of a user is bounded: a key of `TERMS`.

    Raises
    ------
    TypeError, ValueError
        If the arguments are not allowed, or do not fit each other.

    """
    epsilon, rho, delta, relation, user, unit, *bounds = terms
    named = dict(zip(TERMS[bounded][-len(bounds) :], bounds, strict=True))
    protected = read_unit(relation, user, unit, bounded, **named)
    return read_privacy(epsilon, rho, delta, relation), protected


def read_split(split: Split | None, names: Iterable[str]) -> Weights:
    """Return the weights of parts, in the order of their names.

    Raises
    ------
    TypeError, ValueError
        If split is not a mapping, names a part that does not exist, or has a weight that is not
        positive.

    Examples
    --------
    >>> [(name, str(weight)) for name, weight in read_split({"sum": 3}, ["sum", "count"])]
    [('sum', '3'), ('count', '1')]

    """
    known = list(names)
    if split is None:
        return tuple((name, read_positive(1, "split")) for name in known)
    if not isinstance(split, Mapping):
        raise TypeError(
            f"split must be a dict of weights by part, such as {dict.fromkeys(known, 1)}, not "
            f"{type(split).__name__}"
        )
    for name in split:
        if name not in known:
            raise ValueError(f"split must have weights of {', '.join(known)}, not of {name!r}")
    return tuple(
        (name, read_positive(split.get(name, 1), f"the weight of {name} in split"))
        for name in known
    )


def epsilon_of_each(privacy: Loss, k: int) -> Fraction:
    """Return what each of k selections may cost in pure DP, if they share a privacy equally.

    >>> epsilon_of_each(PureDP(2), 4), epsilon_of_each(ZCDP(2), 4)
    (Fraction(1, 2), Fraction(2, 1))
    """
    privacy = of_public_keys(privacy)
    if isinstance(privacy, PureDP):
        return as_exact(privacy.epsilon / k)
    # A selection of pure cost epsilon costs epsilon**2 / 8 in zCDP.
    rho = privacy.rho if isinstance(privacy, ZCDP) else rho_of(privacy.epsilon, privacy.delta)
    by_rho = decimal_below(sqrt_bounds(8 * rho / k)[0])
    return by_rho if isinstance(privacy, ZCDP) else max(by_rho, privacy.epsilon / k)
