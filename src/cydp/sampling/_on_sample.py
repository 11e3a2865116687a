# SPDX-License-Identifier: MIT
"""Any release, on a secret random sample of the rows. docs/sampling.md."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._budget import Asked
from cydp.accounting._errors import UnitMismatchError
from cydp.accounting._loss import ZCDP
from cydp.accounting.ledger._paid import payment_of
from cydp.mechanisms._run import Budget, pay_and_draw
from cydp.releases._reads import refuse_columns
from cydp.releases._release import Release
from cydp.releases._run import arguments_of, kind_of, prepare
from cydp.releases._unit import check_ledger
from cydp.sampling._fixed_size import FixedSize, read_sample
from cydp.sampling._sample_release import SampleQuery, SampleRelease

__all__ = ["on_sample"]


@explain_arguments
def on_sample(
    function: Callable[..., Any],
    x: Any,
    *args: Any,
    share: Number | None = None,
    size: Integer | None = None,
    rows: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
    **kwargs: Any,
) -> SampleRelease:
    """Run a release on a secret random share of the rows, which costs less than on all rows.

    With `share` each row is in the sample with this probability, independently of the others.
    With `size` and `rows` all samples of this size are equally likely, which is for
    relation="change-one". Draws of the generator are exact. Nobody learns which rows were in it.

    Parameters
    ----------
    function : callable
        A release, such as `cydp.count`, `cydp.histogram` or `cydp.group_by`.
    x : table or column
        The data, as the release takes them: a list, an array, a column, a table, or the path of
        files.
    *args : object
        Further arguments of the release, in its order.
    share : number above 0 and at most 1, optional
        The probability, as an exact fraction such as "1/10". Nobody learns how many rows are in the
        sample.
    size : int >= 1, optional
        How many rows are in the sample, instead of `share`.
    rows : int >= size, optional
        How many rows the table has, which is public under "change-one"; with `size`.
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
        Its `loss` is the amplified one, `release` is the release of the sample, and `estimate()`
        estimates the numbers of all rows.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; for `rho`, `user` and `max_rows_per_unit`, and another
        relation, for which no loss is proved. Nothing is charged, and no data is read. If files
        have another number of rows than `rows`, after the charge.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    Privacy cost: `amplified` of what the release costs, with the unit row.

    References
    ----------
    .. [1] Li, Qardaji, Su, "On sampling, anonymization, and differential privacy", 2012.
    .. [2] Balle, Barthe, Gaboardi, "Privacy amplification by subsampling", 2018.

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
    >>> on_sample(
    ...     cydp.histogram, ages, 2, (0, 100), column="age", size=40, rows=400,
    ...     relation="change-one", epsilon=1,
    ... ).loss
    PureDP(epsilon=0.158566, relation='change-one')

    """
    given = arguments_of(function, args, kwargs, caller="on_sample")
    kind = kind_of(function)
    why = "rows of a column beside it are not sampled"
    refuse_columns(given, ("column", "columns", "by"), why)
    prepared = prepare(kind, {**given, kind.data: x, "budget": budget})
    query = SampleQuery(prepared.query, *read_sample(share, size, rows))
    _check(query, prepared.source.length)
    _check_ledger(budget, query)

    def draw(generator: Generator) -> Any:
        if query.size is None or query.rows is None:
            prepared.source.sample = partial(generator.bernoulli, query.share)
            return prepared.draw(generator)
        sample = FixedSize(generator, query.size, query.rows)
        prepared.source.sample = sample
        drawn = prepared.draw(generator)
        sample.check()
        return drawn

    if getattr(budget, "charge_id", None) is not None:
        prepared.query.check_recorded(prepared.source)
    prepared.check()
    asked = Asked(query, query.function, nbytes=prepared.query.nbytes)
    drawn, paid = pay_and_draw(asked, draw, budget, rng)
    # An earlier version recorded the release itself.
    released = drawn if isinstance(drawn, Release) else prepared.query.result(drawn, None)
    return SampleRelease(query=query, release=released, payment=payment_of(paid))


def _check(query: SampleQuery, length: int | None) -> None:
    """Refuse a release without a proved loss on a sample, before anything is charged."""
    unit, asked = query.unit, query.asked
    if unit.has_users or unit.promised:
        raise TypeError(
            "user and max_rows_per_unit must not be given: rows are sampled one by one, and the "
            "rows of one user would have to be in the sample together"
        )
    if query.rows is None and unit.relation != "add-remove":
        raise ValueError(
            "relation must be 'add-remove' for a share: with 'change-one' the theorem does not "
            "hold, because both samples may have the row. Give size and rows instead"
        )
    if query.rows is not None:
        if unit.relation != "change-one":
            raise ValueError(
                "relation must be 'change-one' for a sample of a fixed size, which needs a public "
                "number of rows: give a share instead"
            )
        if asked.reads.where is not None:
            raise ValueError(
                "where must not be given for a sample of a fixed size: how many rows meet a "
                "condition is not public"
            )
        if length is not None and length != query.rows:
            raise ValueError(f"rows must be the number of rows of the table, not {query.rows}")
    if isinstance(asked.loss, ZCDP | ApproxZCDP):
        raise TypeError(
            "rho must not be given for a sample, which does not make it smaller: give epsilon and "
            "delta"
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
