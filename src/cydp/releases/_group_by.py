# SPDX-License-Identifier: MIT
"""Private counts, sums, means and quantiles by key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cydp._arguments import Bounds, Integer, Number
from cydp._generator import Generator
from cydp.mechanisms._run import Budget
from cydp.releases._group_query import GroupQuery
from cydp.releases._histogram_release import TableRelease
from cydp.releases._missing import Missing
from cydp.releases._quantile_query import Quantiles
from cydp.releases._run import release, run
from cydp.releases._terms import Split
from cydp.releases._unit import UnitName

__all__ = ["group_by"]


@release(GroupQuery)
def group_by(
    table: Any,
    by: Any,
    *,
    keys: Any = None,
    count: bool = True,
    sums: Mapping[str, Bounds] | None = None,
    means: Mapping[str, Bounds] | None = None,
    quantiles: Mapping[str, Quantiles] | None = None,
    missing: Missing = "drop",
    max_sum_per_user: Number | None = None,
    left_out: Integer | None = None,
    selection: str | None = None,
    split: Split | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> TableRelease:
    """Count rows, and sum, average and rank columns of numbers, for each key, with exact noise.

    Parameters
    ----------
    table : frame, table, relation, path or dict of columns
        Of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark; CSV or Parquet files, as
        "data/*.csv": a text is a path; a dict of arrays or lists; a structured array. What a query
        computes must treat each record alone, and not fail on one.
    by : name, or list of names
        The columns of keys, which are labels of any kind. A list has names: a list of labels that
        is no column of the table is in a list itself, ``by=[labels]``.
    keys : list of labels, Keys, or None
        Public keys; records with others are left out. For several columns a list of tuples, a
        frame, or a dict of the labels of each column, of which all combinations are keys. None: the
        keys that occur are selected privately, which takes epsilon and delta. Which keys occur
        would reveal who has them.
    count : bool, default True
        Whether to count the rows of each key, as column "n".
    sums : dict of bounds by column, optional
        Columns of numbers to add up, and the public bounds that they are clamped to, such as
        {"income": (0, 200_000)}. The result is "sum_income".
    means : dict of bounds by column, optional
        Columns of numbers to average, and their public bounds. The result is "mean_income". If
        `missing` is a number, all means share the count of rows, which leaves more privacy for the
        rest.
    quantiles : dict by column, optional
        Which quantile, or a list of them, and bounds: {"income": ([0.25, 0.5], (0, 200_000))}. The
        exponential mechanism chooses them. Of a list, each is a column, "q25_income" and
        "median_income", and "quantile_income" has them all, in a second dimension; the quantile 0.5
        alone is "median_income". A third entry is a step, a power of two of
        which bounds and quantiles are multiples: {"age": (0.5, (0, 120), 1)}. Default: 1 for a
        column that is declared as integers. A list is chosen each alone or by halves, whichever
        way promises the smaller error.
        With bounds that are dates or times, the column holds such.
    missing : "drop" or number, default "drop"
        What NaN, null and masked numbers count as: nothing, or a public number within the bounds.
    max_sum_per_user : number > 0, optional
        With `user`, `max_partitions` and one column of sums: the size to which the sum of each user
        in each key is clamped. The noise of the sums grows with it, and not with
        `max_rows_per_partition`, which may then be large.
    left_out : int >= 1, optional
        With `user`: estimate how many records the bounds leave out, of one user so many at most,
        with noise, as `release.left_out`.
    selection : {"threshold", "optimal"}, optional
        How keys that are not public are selected: by a threshold on their noisy counts, or by an
        optimal selection before them, which takes a share of the privacy. Default: the way with
        less error.
    split : dict, optional
        The weights of "n", "sum_income", "mean_income" and so on in the privacy, of "keys" if these
        are selected, and of "left_out". Default: 1 each.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, by discrete Laplace noise, or with
        `delta` approximate DP. Either epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP, by discrete Gaussian noise.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP, by discrete Gaussian noise, or by Laplace noise where that
        has less variance; no delta is then spent. Keys that are not public need it, also with
        `rho`: approximate zCDP.
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
    max_partitions : int >= 1, optional
        Required with `user`: the most partitions (bins, keys or cells) in which records of one user
        count, chosen at random.
    max_rows_per_partition : int >= 1, default 1
        With `user`: the most records of one user that count in each bin, key or cell.
    max_rows : int >= 1, optional
        Instead of `max_partitions`: the most records of one user that count, in all bins, keys or
        cells together, chosen at random.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    TableRelease
        Given keys in the given order, others sorted. ``release["mean_income"]`` is a column.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    Pure releases split epsilon by the weights, and zCDP releases rho. With epsilon and delta all
    Gaussian parts are one release that is calibrated once; a selection of keys takes its share of
    both first.

    References
    ----------
    .. [1] Desfontaines, Voss, Gipson, Mandayam, "Differentially private partition selection", 2022.

    Examples
    --------
    >>> visits = {"visitor": [7, 7, 9], "day": ["mon", "tue", "mon"], "euros": [17, 18.5, 30]}
    >>> release = group_by(
    ...     visits, "day", keys=["mon", "tue", "wed"], sums={"euros": (0, 100)}, epsilon=2,
    ...     user="visitor", max_partitions=2,
    ... )
    >>> release.keys, release.columns, release["n"].shape
    (array(['mon', 'tue', 'wed'], dtype=object), ['n', 'sum_euros'], (3,))
    >>> release.loss
    PureDP(epsilon=2, relation='add-remove')

    """
    made: TableRelease = run(GroupQuery, locals())
    return made
