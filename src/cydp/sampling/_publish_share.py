# SPDX-License-Identifier: MIT
"""A random share of the rows, published as they are: a loss without protection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._columns.pandas import is_frame, is_series
from cydp._generator import Generator
from cydp._numbers.rational import format_number, literal_of
from cydp.accounting._loss import ApproxDP
from cydp.mechanisms._charge_and_draw import Budget
from cydp.releases._run import run
from cydp.releases._unit import Unit
from cydp.sampling._rows_of import RowsOf
from cydp.sampling._share import read_share

__all__ = ["PublishedShare", "publish_share"]

_OF_ALL_ROWS = re.compile(r"^category$|\bCategorical\b|\bdictionary<")


@dataclass(frozen=True, repr=False)
class _ShareQuery:
    """What is published, without data."""

    share: Fraction
    unit: Unit = field(default=Unit(), init=False)

    @property
    def loss(self) -> ApproxDP:
        """Privacy cost."""
        return ApproxDP(0, self.share, relation="add-remove")

    @property
    def function(self) -> str:
        """What a ledger calls it."""
        return "publish_share"

    def __repr__(self) -> str:
        return f"publish_share(share={literal_of(self.share)}, rows as they are)"


@dataclass(frozen=True, repr=False, eq=False)
class PublishedShare:
    """Rows as they are, of which each was chosen with a probability. It protects nobody.

    Attributes
    ----------
    rows : table or column
        The chosen rows, of the kind that was given; a list for a tuple.
    share : Fraction
        The probability with which each row was chosen.

    """

    rows: Any
    share: Fraction

    @property
    def loss(self) -> ApproxDP:
        """Privacy cost: epsilon 0, and the share as delta."""
        return _ShareQuery(self.share).loss

    def __repr__(self) -> str:
        share = format_number(self.share, ROUND_CEILING)
        return (
            f"publish_share: rows as they are, each with probability {share}; epsilon=0, "
            f"delta={share}\nprotects: nobody. Each person with one row is exposed in full with "
            f"probability {share}, and with more rows more often; a delta that "
            "protects is far below 1 / (number of rows)"
        )


@explain_arguments
def publish_share(
    x: Any,
    share: Number,
    *,
    exposes_rows: bool,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> PublishedShare:
    """Publish a random share of the rows as they are: (0, share)-DP, and no protection.

    It is for lessons: it satisfies the definition of approximate DP with epsilon 0, and exposes
    everybody who is chosen in full. So a delta must be far below 1 over the number of rows.

    Parameters
    ----------
    x : table or column
        A list, a numpy array, a dict of these, or a table or column of pandas, polars or pyarrow.
        Types of columns are published, too, and must not depend on rows: categories, dictionaries
        and text of a fixed width are refused.
    share : number above 0 and below 1
        The probability with which each row is chosen, independently of the others.
    exposes_rows : bool
        Must be True: the caller says that rows may be published.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        It is charged before data is read: an ApproxDP whose delta was made as large as this. No
        scope with a charge id, since a ledger keeps no rows.
    rng : Generator, optional
        The source of the choice. Default: the calling thread's own generator.

    Returns
    -------
    PublishedShare

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, as every `PureDP` does. Then nothing is charged and no data is read.

    Notes
    -----
    One row more changes what is published only if it is chosen: docs/sampling.md, "A share that is
    published".

    Examples
    --------
    >>> from cydp import PrivacyFilter, PureDP
    >>> diagnoses = ["flu", "flu", "hiv", "flu"]
    >>> shared = publish_share(diagnoses, "1/2", exposes_rows=True)
    >>> shared.loss
    ApproxDP(epsilon=0, delta=0.5, relation='add-remove')
    >>> set(shared.rows) <= set(diagnoses)  # whoever is in it is not protected at all
    True

    """
    chance = read_share(share)
    if chance == 1:
        raise ValueError("share must be less than 1: all rows would be published")
    if exposes_rows is not True:
        raise ValueError(
            "exposes_rows must be True: publish_share protects nobody. It publishes rows as they "
            "are, each with the probability share"
        )
    if getattr(budget, "charge_id", None) is not None:
        raise TypeError("budget must have no charge id: a ledger keeps no rows as a result")
    _check_types(x)
    rows = RowsOf(x, "x")
    query: Any = _ShareQuery(chance)

    def draw(generator: Generator) -> Any:
        return _without_notes(rows.take(generator.bernoulli(chance, rows.length)))

    chosen, _ = run(query, draw, budget, rng)
    return PublishedShare(chosen, chance)


def _check_types(x: Any) -> None:
    """Refuse types that were made of the values of all rows, before data is read."""
    for column in x.values() if isinstance(x, Mapping) else [x]:
        if any(map(_tells_of_all_rows, _types_of(column))):
            raise TypeError(
                "x must not hold categories, a dictionary or text of a fixed width: such a type is "
                "published with the rows, and tells of rows that are not chosen. Cast to plain "
                "text, or pass a list"
            )


def _types_of(x: Any) -> list[Any]:
    """Return the dtype of a column, or those of the columns of a table."""
    if hasattr(x, "schema") and hasattr(x.schema, "types"):  # pyarrow
        return list(x.schema.types)
    if is_frame(x) or hasattr(x, "get_columns"):  # pandas, polars
        return list(x.dtypes)
    return [getattr(x, "dtype", getattr(x, "type", None))]


def _tells_of_all_rows(dtype: Any) -> bool:
    if isinstance(dtype, np.dtype):
        if dtype.fields is not None:
            return any(_tells_of_all_rows(each) for each, *_ in dtype.fields.values())
        return dtype.base.kind in "SU"
    return _OF_ALL_ROWS.search(str(dtype)) is not None


def _without_notes(rows: Any) -> Any:
    """Return a table without notes of its maker, such as the number of rows that it had."""
    if isinstance(rows, dict):
        return {label: _without_notes(column) for label, column in rows.items()}
    if hasattr(rows, "replace_schema_metadata"):  # pyarrow
        return rows.replace_schema_metadata(None)
    if is_frame(rows) or is_series(rows):
        rows.attrs = {}
    return rows
