# SPDX-License-Identifier: MIT
"""Charges for published tables, and draws their noisy counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._generator import Generator
from cydp.mechanisms._charge_and_draw import Budget
from cydp.publishing._integers import MOST
from cydp.publishing._query import TablesQuery
from cydp.releases._domains import Domain
from cydp.releases._run import run
from cydp.releases.postprocessing._totals import read_totals

__all__ = ["draw_tables", "read_total"]


def read_total(total: Any) -> int | None:
    """Return a total that is given; None if there is none. A released one below 0 counts as 0.

    Raises
    ------
    TypeError, ValueError
        If it is no released count and no integer from 0 to 2**62.

    """
    if total is None:
        return None
    given = read_totals(total, False, 1, 0, "total")
    assert isinstance(given, int)  # one table, one total
    found = int(given)
    if hasattr(total, "query"):  # noise decided it
        return min(max(found, 0), MOST)
    if not 0 <= found <= MOST:
        raise ValueError(f"total must be from 0 to 2**62, not {found}")
    return found


def draw_tables(
    query: TablesQuery,
    count: Callable[[Generator], Sequence[NDArray[np.int64]]],
    domains: Sequence[Domain],
    user: Any,
    budget: Budget | None,
    rng: Generator | None,
) -> tuple[tuple[NDArray[np.int64], ...], Any]:
    """Return the noisy counts of tables, once the budget has paid, and who has paid.

    Parameters
    ----------
    query : TablesQuery
    count : callable
        Reads the data, and returns the exact counts of each measured table, flat.
    domains : sequence of Domain
    user : name, column or None
        What a ledger compares besides the query, as domains are.
    budget, rng
        As in a release.

    """

    def draw(generator: Generator) -> tuple[NDArray[np.int64], ...]:
        return tuple(
            query.parts[name].noise.release(exact, rng=generator)
            for name, exact in zip(query.noisy_names, count(generator), strict=True)
        )

    found, payment = run(
        query, draw, budget, rng,
        arguments=lambda: {"/".join(each.words): each.public for each in domains},
        columns=[user], nbytes=8 * sum(map(math.prod, query.shapes)),
    )  # fmt: skip
    return tuple(found), payment  # a ledger gives back a list
