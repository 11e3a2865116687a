# SPDX-License-Identifier: MIT
"""A random share of the rows, published as they are: a loss without protection."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, time, timedelta
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._columns.declared import Labels
from cydp._columns.entries import null_types
from cydp._columns.subsets import RowsOf
from cydp._columns.tables import is_tabular, open_table
from cydp._numbers.rational import format_number, literal_of
from cydp.accounting import ApproxDP
from cydp.accounting._budget import Asked
from cydp.mechanisms._run import Budget, pay_and_draw
from cydp.random import Generator
from cydp.releases._unit import Unit
from cydp.sampling._amplified import read_share

__all__ = ["PublishedShare", "publish_share"]

_VALUES = (
    int, float, str, bytes, Decimal, Fraction, date, time, timedelta, tuple, list, dict, frozenset,
    np.generic, np.ndarray,
)  # fmt: skip
_KINDS = {"numbers", "text", "bytes", "objects", "nulls"}  # which Python has values for


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
    """Rows that were chosen at random, as they are. Publishing them protects nobody.

    Attributes
    ----------
    rows : list, or dict of lists by column
        The chosen rows, of a column or of a table, as values of Python.
    share : Fraction
        The probability with which each row was chosen.

    """

    rows: Any
    share: Fraction

    @property
    def query(self) -> _ShareQuery:
        """What was published, without the rows; its privacy unit is a row."""
        return _ShareQuery(self.share)

    @property
    def loss(self) -> ApproxDP:
        """Privacy cost: epsilon 0, and the share as delta."""
        return self.query.loss

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
        A list, a numpy array, a dict of these, or a table or column of pandas, polars or pyarrow,
        with numbers, text, bytes or values of Python. Other columns and objects are refused.
    share : number above 0 and below 1
        The probability with which each row is chosen, independently of the others.
    exposes_rows : bool
        Must be True: the caller says that rows may be published.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        It is charged before data is read: an ApproxDP whose delta is at least `share`. A scope with
        a charge id is refused, since a ledger keeps no rows.
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
    A row changes what is published only if it is chosen.

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
    columns = _columns_of(x)
    rows = RowsOf(columns, "x")
    for column in columns.values() if isinstance(columns, dict) else [columns]:
        kind = Labels(column, "x").type.kind
        entries = set(map(type, column)) if kind == "objects" else set()
        known = all(issubclass(each, _VALUES) for each in entries - null_types(entries))
        if kind not in _KINDS or not known:
            raise TypeError(
                "x must hold numbers, text, bytes or values of Python: cast others to text"
            )
    query: Any = _ShareQuery(chance)

    def draw(generator: Generator) -> Any:
        chosen = rows.take(generator.bernoulli(chance, rows.length))
        if isinstance(chosen, dict):
            return {label: _values_of(column) for label, column in chosen.items()}
        return _values_of(chosen)

    asked = Asked(query, query.function, arguments=lambda: {"columns": [], "other": None})
    chosen, _ = pay_and_draw(asked, draw, budget, rng)
    return PublishedShare(chosen, chance)


def _columns_of(x: Any) -> Any:
    """Return the columns of a table by their names; a column as it is."""
    if not is_tabular(x):
        return x
    table = open_table(x, "x")
    if table.length is None:  # as of a relation, which is refused as it is
        return x
    return {label: table.column(label, "x").x for label in table.names}


def _values_of(column: Any) -> list[Any]:
    """Return values of Python: what a library adds to them may tell of rows that were not chosen.

    That are its types, widths and categories, metadata, labels of rows, and buffers of all rows
    that it shares.
    """
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            column = getattr(column, method)()
            break
    return [each.tolist() if isinstance(each, np.ndarray) else each for each in column]
