# SPDX-License-Identifier: MIT
"""A release of a secret random share of the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._columns.digests import digest_labels
from cydp._columns.tables import is_column, is_table, open_table
from cydp._generator import Generator
from cydp.accounting._errors import BudgetExceededError, UnitMismatchError
from cydp.accounting._filter import PrivacyFilter
from cydp.accounting._loss import ZCDP, ApproxDP
from cydp.mechanisms._charge_and_draw import Budget
from cydp.releases._histogramdd import histogramdd
from cydp.releases._query_of import arguments_of, query_of
from cydp.releases._release import Release
from cydp.releases._run import run
from cydp.releases._unit import check_ledger
from cydp.sampling._rows_of import RowsOf
from cydp.sampling._sample_release import SampleQuery, SampleRelease
from cydp.sampling._share import read_share

__all__ = ["on_sample"]

_SCALARS = {bool, int, float, str, type(None)}


@explain_arguments
def on_sample(
    function: Callable[..., Any],
    x: Any,
    *args: Any,
    share: Number,
    budget: Budget | None = None,
    rng: Generator | None = None,
    **kwargs: Any,
) -> SampleRelease:
    """Run a release on a secret random share of the rows, which costs less than on all rows.

    Each row is in the sample with the probability `share`, independently of the others, by exact
    draws of the generator. Which rows, and how many, is never told.

    Parameters
    ----------
    function : callable
        A release, such as `cydp.count`, `cydp.histogram` or `cydp.group_by`.
    x : table or column
        The data, as the release takes them: a list, a numpy array, a dict of these, or a table or
        column of pandas, polars or pyarrow.
    *args, **kwargs : object
        Further arguments of the release. `epsilon`, or `epsilon` with `delta`, is the cost for the
        rows that are in the sample; `loss_on_sample` finds it for a given cost. Columns are named.
    share : number above 0 and at most 1
        The probability, as an exact fraction such as "1/10".
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        It is charged the amplified loss, once, before data is read.
    rng : Generator, optional
        The source of the sample and of the noise. Default: the calling thread's own generator.

    Returns
    -------
    SampleRelease
        Its `loss` is the amplified one, `release` what was released of the sample, and
        `estimate()` what that says of all rows.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; for `rho`, `relation="change-one"`, `user` and
        `max_rows_per_unit`, for which no loss is proved. Then nothing is charged, and no data is
        read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

    Notes
    -----
    Privacy cost: `amplified` of what the release costs, with the unit row. docs/sampling.md has the
    proof.

    References
    ----------
    .. [1] Li, Qardaji, Su, "On sampling, anonymization, and differential privacy", 2012.

    Examples
    --------
    >>> import cydp
    >>> ages = {"age": [31, 64, 27, 45] * 100}
    >>> release = on_sample(
    ...     cydp.histogram, ages, 2, (0, 100), column="age", share="1/10", epsilon=1
    ... )
    >>> release.loss
    PureDP(epsilon=0.158566, relation='add-remove')
    >>> release.estimate().values.shape
    (2,)

    """
    given = arguments_of(function, args, kwargs, caller="on_sample")
    if function is histogramdd and isinstance(x, list | tuple):
        x = dict(enumerate(x))  # a list of columns, which are not its rows
    query = SampleQuery(query_of(function, given), read_share(share))
    _check(query, given)
    rows = RowsOf(_settled(x), "x")
    release_of = partial(function, **kwargs)
    _check_call(lambda budget: function(x, *args, **kwargs, budget=budget))
    _check_ledger(budget, query)

    def draw(generator: Generator) -> Release:
        sample = rows.take(generator.bernoulli(query.share, rows.length))
        released: Release = release_of(sample, *args, rng=generator)
        return released

    asked: Any = query  # which has what `run` needs of a query
    released, payment = run(asked, draw, budget, rng, arguments=lambda: _describe(given))
    return SampleRelease(query=query, release=released, payment=payment)


def _settled(x: Any) -> Any:
    """Return data whose lists have integers in place of bool that are beside other entries.

    A release refuses a list of bool alone, which a sample must not turn out to be.
    """
    if isinstance(x, Mapping):
        return {label: _settled(column) for label, column in x.items()}
    if not isinstance(x, list | tuple):
        return x
    kinds = {kind for kind in set(map(type, x)) if issubclass(kind, bool | np.bool)}
    if not kinds or kinds == set(map(type, x)):
        return x
    return [int(each) if type(each) in kinds else each for each in x]


def _check(query: SampleQuery, given: dict[str, Any]) -> None:
    """Refuse a release of which no loss on a sample is proved, before anything is charged."""
    unit, asked = query.unit, query.asked
    if unit.has_users or unit.promised:
        raise TypeError(
            "user and max_rows_per_unit must not be given: rows are sampled one by one, and the "
            "rows of one user would have to be in the sample together"
        )
    if unit.relation != "add-remove":
        raise ValueError(
            "relation must be 'add-remove' for a sample: with 'change-one' the theorem does not "
            "hold, because both samples may have the row"
        )
    if isinstance(asked.loss, ZCDP):
        raise TypeError(
            "rho must not be given for a sample, which does not make it smaller: give epsilon and "
            "delta"
        )
    for name in ("column", "columns", "by"):
        named = given.get(name)
        if named is None:
            continue
        is_data = name == "by" and given.get("column", True) is None
        each = named if isinstance(named, list | tuple) and name != "column" else [named]
        if is_data or isinstance(named, dict) or any(map(is_column, each)):
            raise TypeError(
                f"{name} must be given by name, as a column of x: rows of a column beside x are "
                "not sampled"
            )


def _check_ledger(budget: Budget | None, query: SampleQuery) -> None:
    """Refuse a ledger of another unit, without the advice to name users, which would be refused."""
    try:
        check_ledger(budget, query.unit)
    except UnitMismatchError:
        raise UnitMismatchError(
            "the ledger must protect a row: rows are sampled one by one, and no loss of a unit of "
            "several rows is proved"
        ) from None


def _check_call(call: Callable[[PrivacyFilter], object]) -> None:
    """Raise the error of the release for its arguments, if there is one; no data is read.

    A release checks its arguments before it charges, and reads data after it: a budget of nothing
    ends it between the two.
    """
    try:
        call(PrivacyFilter(ApproxDP(0, 0)))
    except BudgetExceededError:
        return
    raise AssertionError("a release was paid by a budget of nothing")


def _describe(value: Any) -> Any:
    """Return a public argument in full, as a charge with an id compares it."""
    if isinstance(value, Mapping):
        return {repr(name): _describe(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        if set(map(type, value)) <= _SCALARS:  # of a million keys, in a second
            return repr(list(value))
        return [_describe(each) for each in value]
    if is_column(value):
        return digest_labels(np.asarray(value), "keys")
    if is_table(value):
        table = open_table(value)
        return {repr(name): _describe(table.column(name, "keys")) for name in table.names}
    return repr(value) if type(value) in _SCALARS else digest_labels([value], "keys")
