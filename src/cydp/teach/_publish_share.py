# SPDX-License-Identifier: MIT
"""A random share of the rows, published as they are: a loss without protection."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._arguments import Integer, Number
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
from cydp.sampling._fixed_size import draw_subset, read_sample

__all__ = ["PublishedShare", "publish_share"]

_VALUES = (
    int, float, str, bytes, Decimal, Fraction, date, time, timedelta, tuple, list, dict, frozenset,
    np.generic, np.ndarray,
)  # fmt: skip
_KINDS = {"numbers", "text", "bytes", "objects", "nulls"}  # which Python has values for


@dataclass(frozen=True, repr=False)
class _ShareQuery:
    """What is published, without data; `rows` is how many rows a table has, if it is public."""

    share: Fraction
    rows: int | None = None

    @property
    def unit(self) -> Unit:
        """What is protected: a row."""
        return Unit("add-remove" if self.rows is None else "change-one")

    @property
    def loss(self) -> ApproxDP:
        """Privacy cost."""
        return ApproxDP(0, self.share, relation=self.unit.relation)

    @property
    def function(self) -> str:
        """What a ledger calls it."""
        return "publish_share"

    def __repr__(self) -> str:
        of = "" if self.rows is None else f", rows={self.rows}"
        return f"publish_share(share={literal_of(self.share)}{of}, rows as they are)"


@dataclass(frozen=True, repr=False, eq=False)
class PublishedShare:
    """Rows that were chosen at random, as they are. Publishing them protects nobody.

    Attributes
    ----------
    rows : list, or dict of lists by column
        The chosen rows, of a column or of a table, as values of Python.
    share : Fraction
        The probability with which each row was chosen.
    of_rows : int or None
        How many rows the table has, if so many rows were chosen as the share says.

    """

    rows: Any
    share: Fraction
    of_rows: int | None = None

    @property
    def query(self) -> _ShareQuery:
        """What was published, without the rows; its privacy unit is a row."""
        return _ShareQuery(self.share, self.of_rows)

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
    share: Number | None = None,
    *,
    size: Integer | None = None,
    rows: Integer | None = None,
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
    share : number above 0 and below 1, optional
        The probability with which each row is chosen, independently of the others.
    size : int >= 1, optional
        How many rows are chosen, instead of `share`: all sets of this size are equally likely.
    rows : int > size, optional
        How many rows the table has, which is public under "change-one"; with `size`.
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
        Its loss is under "add-remove" for a share, and under "change-one" for a size.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, as every `PureDP` does. Then nothing is charged and no data is read.

    Notes
    -----
    Privacy cost: epsilon 0, and the share, or size / rows, as delta. No smaller delta holds, at any
    epsilon.

    Examples
    --------
    >>> from cydp import PrivacyFilter, PureDP
    >>> diagnoses = ["flu", "flu", "hiv", "flu"]
    >>> shared = publish_share(diagnoses, "1/2", exposes_rows=True)
    >>> shared.loss
    ApproxDP(epsilon=0, delta=0.5, relation='add-remove')
    >>> set(shared.rows) <= set(diagnoses)  # whoever is in it is not protected at all
    True
    >>> publish_share(diagnoses, size=1, rows=4, exposes_rows=True).loss
    ApproxDP(epsilon=0, delta=0.25, relation='change-one')

    """
    chance, all_rows = read_sample(share, size, rows)
    if chance == 1:
        name = "share must be less than 1" if all_rows is None else "size must be less than rows"
        raise ValueError(f"{name}: all rows would be published")
    if exposes_rows is not True:
        raise ValueError(
            "exposes_rows must be True: publish_share protects nobody. It publishes rows as they "
            "are, each with the probability share"
        )
    if getattr(budget, "charge_id", None) is not None:
        raise TypeError("budget must have no charge id: a ledger keeps no rows as a result")
    columns = _columns_of(x)
    of_table = RowsOf(columns, "x")
    if all_rows not in (None, of_table.length):
        raise ValueError(f"rows must be the number of rows of the table, not {all_rows}")
    for column in columns.values() if isinstance(columns, dict) else [columns]:
        kind = Labels(column, "x").type.kind
        entries = set(map(type, column)) if kind == "objects" else set()
        known = all(issubclass(each, _VALUES) for each in entries - null_types(entries))
        if kind not in _KINDS or not known:
            raise TypeError(
                "x must hold numbers, text, bytes or values of Python: cast others to text"
            )
    query: Any = _ShareQuery(chance, all_rows)

    def draw(generator: Generator) -> Any:
        if all_rows is None:
            stays = generator.bernoulli(chance, of_table.length)
        else:
            stays = draw_subset(generator, int(chance * all_rows), all_rows)
        chosen = of_table.take(stays)
        if isinstance(chosen, dict):
            return {label: _values_of(column) for label, column in chosen.items()}
        return _values_of(chosen)

    asked = Asked(query, query.function, arguments=lambda: {"columns": [], "other": None})
    chosen, _ = pay_and_draw(asked, draw, budget, rng)
    return PublishedShare(chosen, chance, all_rows)


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
