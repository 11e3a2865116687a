# SPDX-License-Identifier: MIT
"""Several private contingency tables of one table, for one charge."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp.mechanisms._charge_and_draw import Budget
from cydp.releases._domain_rows import DomainRows
from cydp.releases._domains import Domain, labels_of, read_domains
from cydp.releases._run import run
from cydp.releases._split import Split
from cydp.releases._unit import UnitName, user_key
from cydp.workloads._marginals_query import MarginalsQuery, marginals_query, read_sets
from cydp.workloads._marginals_release import MarginalsRelease
from cydp.workloads._overlaps import Columns

__all__ = ["marginals", "plan_marginals"]


@explain_arguments
def marginals(
    table: Any,
    domains: Any,
    sets: Any,
    *,
    consistent: bool = False,
    split: Split | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> MarginalsRelease:
    """Count records in the cells of several tables over some columns each, with exact noise.

    Parameters
    ----------
    table : frame, table, relation or dict of columns
        As in `cydp.group_by`.
    domains : dict by column
        The public domain of each column: a list of keys, or a tuple (bins, range) as in
        `cydp.histogram`: a number of bins and (lo, hi), or edges and None.
    sets : list of names, or tuples of names
        The columns of each table, such as ["sex", ("sex", "age")]; () is the total. A record counts
        if it is in the domain of each column that a set has.
    consistent : bool, default False
        Whether what tables share, such as the total, is made equal, by weighted least squares. Then
        counts are floats.
    split : dict, optional
        The weights of tables in the privacy by name, such as {"sex, age": 2}. Default: 1 each.
    epsilon, rho, delta : numbers > 0
        Privacy cost of the whole release, as in `cydp.histogram`.
    relation, user, unit, max_rows, max_rows_per_unit, budget, rng
        As in `cydp.count`: `max_rows` records of each user count, each in every table.

    Returns
    -------
    MarginalsRelease
        ``release["sex", "age"]`` is a table, ``release.domain("age")`` what its places stand for.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

    Notes
    -----
    A record is in one cell of each table, so k tables have k times the noise of one in pure DP, and
    sqrt(k) times that in zCDP. docs/workloads.md has the proofs.

    References
    ----------
    .. [1] Barak, Chaudhuri, Dwork, Kale, McSherry, Talwar, "Privacy, accuracy, and consistency too:
       a holistic solution to contingency table release", 2007.
    .. [2] Qardaji, Yang, Li, "PriView: practical differentially private release of marginal
       contingency tables", 2014.

    Examples
    --------
    >>> people = {"sex": ["f", "m", "m"], "age": [31, 64, 12]}
    >>> domains = {"sex": ["f", "m"], "age": (4, (0, 100))}
    >>> release = marginals(people, domains, ["sex", ("sex", "age")], epsilon=1)
    >>> errors = release.expected_error.items()
    >>> release["sex", "age"].shape, {name: round(error, 1) for name, error in errors}
    ((2, 4), {'sex': 2.8, 'sex, age': 2.8})

    """
    columns, used = _read_tables(domains, sets)
    query = marginals_query(
        columns, _sizes_of(used), split, consistent, epsilon, rho, delta, relation,
        user_key(user), unit, max_rows, max_rows_per_unit,
    )  # fmt: skip
    rows = DomainRows(table, [(each, "domains") for each in used.values()], user)
    tables, payment = run(
        query, partial(_draw, query, rows), budget, rng,
        arguments=lambda: {name: each.public for name, each in used.items()},
        columns=[user], nbytes=8 * sum(int(np.prod(query.shape(each))) for each in columns),
    )  # fmt: skip
    return MarginalsRelease(
        query=query,
        tables=tuple(
            each.reshape(query.shape(set_)) for each, set_ in zip(tables, columns, strict=True)
        ),
        domains=tuple(map(labels_of, rows.columns)),
        payment=payment,
    )


@explain_arguments
def plan_marginals(
    domains: Any,
    sets: Any,
    *,
    consistent: bool = False,
    split: Split | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
) -> Any:
    """Return what `marginals` would do, and its errors, without data.

    Parameters
    ----------
    domains, sets, consistent, split, epsilon, rho, delta, relation, user, unit, max_rows
        As in `marginals`.
    max_rows_per_unit
        As in `marginals`.

    Returns
    -------
    MarginalsQuery, which ``release.query`` is too
        With `expected_error`, `variance` and `loss`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Examples
    --------
    >>> domains = {"sex": ["f", "m"], "age": (4, (0, 100))}
    >>> plan = plan_marginals(domains, ["sex", ("sex", "age")], consistent=True, epsilon=1)
    >>> {name: round(error, 2) for name, error in plan.expected_error.items()}
    {'sex': 2.5, 'sex, age': 2.5}

    """
    columns, used = _read_tables(domains, sets)
    return marginals_query(
        columns, _sizes_of(used), split, consistent, epsilon, rho, delta, relation,
        user_key(user), unit, max_rows, max_rows_per_unit,
    )  # fmt: skip


def _read_tables(domains: Any, sets: Any) -> tuple[tuple[Columns, ...], dict[str, Domain]]:
    """Return the columns of each table, and the domains of those that a table has."""
    public = {domain.names[0]: domain for domain in read_domains(domains)}
    if not all(isinstance(name, str) for name in public):
        raise TypeError("domains must have the names of columns, which are text")
    columns = read_sets(sets, list(public))
    used = {name for table in columns for name in table}
    return columns, {name: each for name, each in public.items() if name in used}


def _sizes_of(used: Mapping[str, Domain]) -> dict[str, int]:
    return {name: each.size for name, each in used.items()}


def _draw(query: MarginalsQuery, rows: DomainRows, generator: Generator) -> list[NDArray[np.int64]]:
    """Return the noisy counts of each table; the data is read here."""
    place = {name: i for i, (name, _) in enumerate(query.sizes)}
    tables = [[place[name] for name in columns] for columns in query.sets]
    return [
        part.noise.release(counts, rng=generator)
        for part, counts in zip(
            query.parts.values(), rows.count(tables, query.unit, generator), strict=True
        )
    ]
