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
    strategy: str | None = None,
    split: Split | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | None = None,
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
    table : frame, table, relation, path or dict of columns
        Of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark; CSV or Parquet files, as
        "data/*.csv": a text is a path; a dict of arrays or lists; a structured array. What a query
        computes must treat each record alone, and not fail on one.
    domains : dict by column
        The public values of each column: a list of labels, or a tuple (bins, range): a number of
        bins and (low, high), or edges and None. So [0, 18, 65] are three labels, and in
        `histogramdd` they are edges: write ([0, 18, 65], None).
    sets : list of names, or tuples of names
        The columns of each table, such as ["sex", ("sex", "age")]; () is the total. A record counts
        in all tables or in none: if a column of any set is missing or outside its domain, all
        tables leave the record out.
    consistent : bool, default False
        Whether the sums that tables share, such as the total, are made equal by weighted least
        squares. Then counts are floats, except with "joint", whose counts always agree.
    strategy : {"tables", "joint", "residuals"}, optional
        What has noise: the tables; the cells of all their columns together, of which tables are
        sums; or, if tables are `consistent` and noise is Gaussian, what each set of columns adds to
        its subsets. Default: what has the least product of the variances of tables; tables, if
        `split` is given.
    split : dict, optional
        The weights of tables in the privacy by name, such as {"sex, age": 2}; of their variances,
        whose sum is made the least, with "residuals". Default: 1 each.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, by discrete Laplace noise, or with
        `delta` approximate DP. Either epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP, by discrete Gaussian noise.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP, by discrete Gaussian noise, or by Laplace noise where that
        has less variance; no delta is then spent.
    noise : {"laplace", "gaussian"}, optional
        Which noise is added with `delta`. Default: the one with less variance; if a budget in zCDP
        pays, Gaussian noise, which costs it less.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one unit, in its data, or in either.
    user : column of any kind, or its name in a table, optional
        Who each record belongs to. The protected unit is then a user. Default: a record.
    unit : str or sequence of str, optional
        What the protected unit is called in a ledger's `privacy_unit`, such as "person". A sequence
        adds the units within it: ("household", "person"). Default: the name of the column of users.
    max_rows : int >= 1, optional
        Required with `user`: the most records of one user that count, chosen at random.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    MarginalsRelease
        ``release["sex", "age"]`` is a table, ``release.domain("age")`` has the labels of its
        places.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    The same `max_rows` records of a user count in every table.

    A record is in one cell of each table, so k tables have k times the noise of one in pure DP, and
    sqrt(k) times that in zCDP. It is in one cell of all columns together, so with "joint" a count
    that is the sum of c of them has sqrt(c) times the noise of one.

    References
    ----------
    .. [1] Barak, Chaudhuri, Dwork, Kale, McSherry, Talwar, "Privacy, accuracy, and consistency too:
       a holistic solution to contingency table release", 2007.
    .. [2] Qardaji, Yang, Li, "PriView: practical differentially private release of marginal
       contingency tables", 2014.
    .. [3] Xiao, He, Zhang, Kifer, "An optimal and scalable matrix mechanism for noisy marginals
       under convex loss functions", 2023: residuals.

    Examples
    --------
    >>> people = {"sex": ["f", "m", "m"], "age": [31, 64, 12]}
    >>> domains = {"sex": ["f", "m"], "age": (4, (0, 100))}
    >>> release = marginals(people, domains, ["sex", ("sex", "age")], epsilon=1)
    >>> errors = release.expected_error.items()
    >>> release["sex", "age"].shape, {name: round(error, 1) for name, error in errors}
    ((2, 4), {'sex': 2.7, 'sex, age': 1.4})

    """
    made: MarginalsRelease = run(MarginalsQuery, locals())
    return made
