# SPDX-License-Identifier: MIT
"""Runs a query: the budget pays, then the data is read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp.mechanisms._charge_and_draw import Budget, charge_and_run
from cydp.releases._payment import Payment, payment_of
from cydp.releases._query import Query
from cydp.releases._rows import known_names
from cydp.releases._unit import check_ledger

__all__ = ["run"]


def run(
    query: Query,
    draw: Callable[[Generator], Any],
    budget: Budget | None,
    rng: Generator | None,
    *,
    arguments: Callable[[], Any] = lambda: None,
    columns: Iterable[Hashable] = (),
    nbytes: int = 0,
) -> tuple[Any, Payment | None]:
    """Return what `draw` returns, once the budget has paid for the query, and who has paid.

    Parameters
    ----------
    query : Query
        It was made of public parameters.
    draw, budget, rng, nbytes
        As in `charge_and_run`.
    arguments : callable
        Returns what `charge_and_run` takes as arguments.
    columns : iterable of names
        The columns that are read; one that has no name in a table counts as such.

    Raises
    ------
    TypeError, PrivacyError
        As `charge_and_run` does; UnitMismatchError for a ledger of another privacy unit.

    """
    if budget is None:  # most often, and the quickest way
        return draw(generator_or_default(rng)), None
    check_ledger(budget, query.unit)
    described = {"columns": list(known_names(columns)), "other": arguments}
    drawn, receipt = charge_and_run(
        query, draw, budget, rng, function=query.function, arguments=described, nbytes=nbytes
    )
    return drawn, payment_of(budget, receipt)
