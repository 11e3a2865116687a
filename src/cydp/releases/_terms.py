# SPDX-License-Identifier: MIT
"""The terms of a release, which all releases take: what it may cost, and what it protects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from cydp.accounting._loss import Loss
from cydp.releases._privacy import read_privacy
from cydp.releases._unit import Unit, read_unit, user_key

__all__ = ["TERMS", "read_terms", "terms_of"]

_ASKED = ("epsilon", "rho", "delta", "relation", "user", "unit", "max_rows_per_unit")

TERMS = {
    "rows": (*_ASKED, "max_rows"),
    "partitions": (*_ASKED, "max_partitions", "max_rows_per_partition"),
    "rows in each partition": (*_ASKED, "max_rows_per_partition"),
}
"""The arguments that are terms, by what of a user is bounded."""

_GET = {bounded: itemgetter(*names) for bounded, names in TERMS.items()}
_USER = _ASKED.index("user")


def terms_of(given: Mapping[str, Any], bounded: str) -> list[Any]:
    """Return the terms among the arguments of a call, as they were written; of users the name."""
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
    epsilon, rho, delta, relation, user, unit, promised, *bounds = terms
    protected = read_unit(
        relation, user, unit, **dict(zip(TERMS[bounded][len(_ASKED) :], bounds, strict=True)),
        max_rows_per_unit=promised, by_partition=bounded != "rows",
        any_partitions=bounded == "rows in each partition",
    )  # fmt: skip
    return read_privacy(epsilon, rho, delta, relation), protected
