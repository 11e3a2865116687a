# SPDX-License-Identifier: MIT
"""Several private contingency tables of one table, for one charge."""

from __future__ import annotations

from typing import Any

from cydp._arguments import Integer, Number
from cydp._generator import Generator
from cydp.mechanisms._run import Budget
from cydp.releases._run import release, run
from cydp.releases._terms import Split
from cydp.releases._unit import UnitName
from cydp.workloads._marginals_query import MarginalsQuery
from cydp.workloads._marginals_release import MarginalsRelease

__all__ = ["marginals"]


@release(MarginalsQuery)
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
    made: MarginalsRelease = run(MarginalsQuery, locals())
    return made
