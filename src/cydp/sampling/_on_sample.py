# SPDX-License-Identifier: MIT
"""A release of a secret random share of the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._columns.tables import is_column
from cydp._generator import Generator
from cydp.accounting._budget import Asked
from cydp.accounting._errors import UnitMismatchError
from cydp.accounting._loss import ZCDP
from cydp.accounting.ledger._paid import payment_of
from cydp.mechanisms._run import Budget, pay_and_draw
from cydp.releases._release import Release
from cydp.releases._run import arguments_of, kind_of, prepare
from cydp.releases._unit import check_ledger
from cydp.sampling._sample_release import SampleQuery, SampleRelease
from cydp.sampling._share import read_share

__all__ = ["on_sample"]


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
    *args : object
        Further arguments of the release, in its order.
    share : number above 0 and at most 1
        The probability, as an exact fraction such as "1/10".
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the amplified loss, once, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.
    **kwargs : object
        Further arguments of the release, by name. `epsilon`, or `epsilon` with `delta`, is the cost
        for the rows that are in the sample; `loss_on_sample` finds it for a given cost. Columns are
        named.

    Returns
    -------
    SampleRelease
        Its `loss` is the amplified one, `release` what was released of the sample, and
        `estimate()` what that says of all rows.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; for `rho`, `relation="change-one"`, `user` and
        `max_rows_per_unit`, for which no loss is proved. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

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
    kind = kind_of(function)
    _check_names(given)
    prepared = prepare(kind, {**given, kind.data: x})
    query = SampleQuery(prepared.query, read_share(share))
    _check(query)
    rows = prepared.source.length
    if rows is None:
        raise TypeError("x must be fetched first: a relation of DuckDB has rows in any order")
    _check_ledger(budget, query)

    def draw(generator: Generator) -> Any:
        prepared.source.sampled = generator.bernoulli(query.share, rows)
        return prepared.draw(generator)

    if getattr(budget, "charge_id", None) is not None:
        prepared.query.check_recorded(prepared.source)
    asked = Asked(query, query.function, nbytes=prepared.query.nbytes)
    drawn, paid = pay_and_draw(asked, draw, budget, rng)
    # An earlier version recorded the release itself.
    released = drawn if isinstance(drawn, Release) else prepared.query.result(drawn, None)
    return SampleRelease(query=query, release=released, payment=payment_of(paid))


def _check(query: SampleQuery) -> None:
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


def _check_names(given: Mapping[str, Any]) -> None:
    """Refuse columns beside x."""
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
