# SPDX-License-Identifier: MIT
"""Private counts, sums, means and quantiles by key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from cydp._arguments import Bounds, Integer, Number
from cydp._call_errors import explain_arguments
from cydp._columns.label_keys import LabelKeys
from cydp._columns.labels import Labels
from cydp._columns.tables import open_table
from cydp._generator import Generator
from cydp.accounting.ledger._scope import LedgerScope
from cydp.exact._grid import public_grid
from cydp.mechanisms._charge_and_draw import Budget
from cydp.releases._group_query import KEYS, GroupQuery, Summary
from cydp.releases._group_rows import GroupRows, Released
from cydp.releases._keys import digest_keys
from cydp.releases._missing import Missing, read_missing
from cydp.releases._privacy import read_privacy
from cydp.releases._qs import Quantiles, read_quantiles
from cydp.releases._rows import declare_users, key_names
from cydp.releases._run import run
from cydp.releases._split import Split, read_split
from cydp.releases._table_release import TableRelease
from cydp.releases._unit import UnitName, UserKey, read_unit, user_key

__all__ = ["group_by", "group_query", "release_table"]


def group_query(
    n_keys: int | None,
    count: bool,
    sums: Mapping[str, Bounds] | None,
    means: Mapping[str, Bounds] | None,
    quantiles: Mapping[str, Quantiles] | None,
    missing: Missing,
    split: Split | None,
    epsilon: Number | None,
    rho: Number | None,
    delta: Number | None,
    relation: str,
    user: UserKey,
    unit: UnitName | None,
    max_partitions: Integer | None,
    max_rows_per_partition: Integer | None,
    max_rows_per_unit: Integer | None,
) -> GroupQuery:
    """Return the query of `group_by`, from its public parameters."""
    protected = read_unit(
        relation,
        user,
        unit,
        max_partitions=max_partitions,
        max_rows_per_partition=max_rows_per_partition,
        max_rows_per_unit=max_rows_per_unit,
        by_partition=True,
    )
    if not isinstance(count, bool):
        raise TypeError(f"count must be True or False, not {type(count).__name__}")
    summaries = (
        *(_summary("sum", *each, missing) for each in _items(sums, "sums")),
        *(_mean(*each, missing, count) for each in _items(means, "means")),
        *(_quantiles(*each, missing) for each in _items(quantiles, "quantiles")),
    )
    names = [*(["n"] if count else []), *(summary.name for summary in summaries)]
    if n_keys is None:
        names.insert(0, KEYS)
    if not names:
        raise TypeError(
            "count, sums, means or quantiles must be given: there is nothing to release"
        )
    if not count and any(each.kind == "mean" and not each.counts_rows for each in summaries):
        raise ValueError("count must be True if missing is a number: it is what means divide by")
    weights = read_split(split, names)
    privacy = read_privacy(epsilon, rho, delta, relation)
    return GroupQuery(privacy, protected, n_keys, count, summaries, weights)


def _items(given: Mapping[str, Any] | None, name: str) -> Iterable[tuple[str, Any]]:
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a dict by column, not {type(given).__name__}")
    return given.items()


def _summary(kind: str, column: str, bounds: Bounds, missing: Missing) -> Summary:
    grid = public_grid(bounds, None, f"bounds of {column}")
    return Summary(kind, column, grid, read_missing(missing, grid))


def _mean(column: str, bounds: Bounds, missing: Missing, count: bool) -> Summary:
    summary = _summary("mean", column, bounds, missing)
    return replace(summary, counts_rows=summary.filled is None or not count)


def _quantiles(column: str, given: Quantiles, missing: Missing) -> Summary:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise TypeError(
            "quantiles must be a dict of pairs by column: what to find, and bounds, such as "
            "{'income': ([0.25, 0.5], (0, 200_000))}"
        )
    qs, several = read_quantiles(given[0])
    summary = _summary("quantile", column, given[1], missing)
    return replace(summary, qs=qs, several=several)


@explain_arguments
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
    split: Split | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> TableRelease:
    """Count rows, and sum, average and rank columns of numbers, for each key, with exact noise.

    Parameters
    ----------
    table : frame, table, relation or dict of columns
        Of pandas, polars, pyarrow or DuckDB, whose own expressions must fail on no record; a dict
        of arrays or lists; a structured array.
    by : name, or list of names
        The columns of keys, whose entries are labels of any kind.
    keys : list of labels, LabelKeys, or None
        Public keys; rows with others are left out. For several columns a list of tuples, a dict of
        columns, or a frame. None: the keys that occur are selected privately, which takes epsilon
        and delta. Which keys occur would reveal who has them.
    count : bool, default True
        Whether to count the rows of each key, as column "n".
    sums, means : dict of bounds by column, optional
        Columns of numbers and the public bounds that they are clamped to, such as
        {"income": (0, 200_000)}. The results are "sum_income" and "mean_income".
    quantiles : dict by column, optional
        Which quantile, or a list of them, and bounds: {"income": ([0.25, 0.5], (0, 200_000))}. The
        result is "quantile_income", with a second dimension for a list.
    missing : "drop" or a number, default "drop"
        What NaN, null and masked numbers count as: nothing, or a public number within the bounds.
        A number makes all means share the count of rows, which leaves more privacy for the rest.
    split : dict, optional
        The weights of "n", "sum_income", "mean_income" and so on in the privacy, and of "keys" if
        these are selected. Default: 1 each.
    epsilon, rho, delta : numbers > 0
        Privacy cost of the whole release, as in `histogram`.
    relation, user, unit, max_partitions, max_rows_per_partition, max_rows_per_unit
        As in `histogram`. A partition is a key.
    budget, rng
        As in `histogram`.

    Returns
    -------
    TableRelease
        Given keys in the given order, others sorted. ``release["mean_income"]`` is a column.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

    Notes
    -----
    Pure releases split epsilon by the weights, and zCDP releases rho. With epsilon and delta all
    Gaussian parts are one release that is calibrated once; a selection of keys takes its share of
    both before. docs/releases/split.md and docs/releases/units.md have the proofs.

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
    columns = tuple(by) if isinstance(by, list | tuple) else (by,)
    names = key_names(columns)
    public = None if keys is None else LabelKeys(keys, names if len(names) > 1 else None)
    query = group_query(
        None if public is None else len(public), count, sums, means, quantiles, missing, split,
        epsilon, rho, delta, relation, user_key(user), unit, max_partitions,
        max_rows_per_partition, max_rows_per_unit,
    )  # fmt: skip
    opened = open_table(table)
    rows = GroupRows(
        [Labels(opened.column(column, "by"), "by") for column in columns],
        public,
        declare_users(None if user is None else [opened.column(user, "user")]),
        {
            summary.column: opened.column(summary.column, f"{summary.kind}s")
            for summary in query.summaries
        },
    )
    return release_table(query, rows, names, user, public, budget, rng)


def release_table(
    query: GroupQuery,
    rows: GroupRows,
    names: tuple[Any, ...],
    user: Any,
    public: LabelKeys | None,
    budget: Budget | None,
    rng: Generator | None,
) -> TableRelease:
    """Return the release of a query, once the budget has paid for it."""
    if isinstance(budget, LedgerScope) and budget.charge_id is not None:
        rows.check_recorded()
    (selected, steps), payment = run(
        query, partial(_draw, query, rows), budget, rng,
        arguments=lambda: {"by": list(map(str, names)), "keys": digest_keys(public)},
        columns=[user],
        nbytes=0 if public is None else 8 * len(public) * len(query.parts),
    )  # fmt: skip
    return TableRelease(
        query=query,
        key_names=names,
        key_columns=tuple(selected) if public is None else public.arrays,
        steps=tuple(steps),
        payment=payment,
    )


def _draw(query: GroupQuery, rows: GroupRows, generator: Generator) -> Released:
    return rows.release(query, generator)
