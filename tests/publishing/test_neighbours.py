"""Neighbouring tables are as far apart in each published table as the noise is for, and as much.

Noise is replaced by nothing, and both tables draw their sample of rows with the same key.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from releases.exact_answers import answers, distances, without_noise
from releases.neighbours import MAX_ROWS, PROMISED, PROTECTED, other_rows, table_of
from releases.test_sensitivities import RELATIONS, Worst, pairs_of_rows

from cydp.publishing import contingency_tables, hierarchy

PAIRS = 15
OF_ROWS = 60  # which seek the worst case of a row exactly
HALVES = {"low": [0, 1, 2], "top": [3, 4, 5]}


def _tables(table: Any, **given: Any) -> Any:
    domains: Any = {"cell": list(range(6)), "half": ["low", "top"], "third": (3, (0, 3))}
    return contingency_tables(table, domains, [("half", "cell"), ("third", "half")], **given)


def _hierarchy(table: Any, **given: Any) -> Any:
    return hierarchy(table, ["half", "cell"], HALVES, cells={"third": [0, 1, 2]}, **given)


FUNCTIONS = [_tables, _hierarchy]


def worst_of(function: Callable[..., Any], relation: str, protected: str) -> dict[str, Worst]:
    """Return how far the exact answers of neighbours are apart, by table."""
    random, worst = np.random.default_rng(8), dict[str, Worst]()
    pairs = OF_ROWS if protected == "row" else PAIRS
    unit: dict[str, Any] = {
        "row": {}, "promise": {"max_rows_per_unit": PROMISED},
        "user": {"user": "unit", "max_rows": MAX_ROWS},
        "contained": {"user": "unit", "max_rows": MAX_ROWS, "unit": ("household", "person")},
    }[protected]  # fmt: skip
    rows = pairs_of_rows(random, pairs, relation, protected, (0, 1))
    others = other_rows(random, 4)
    with without_noise() as recorder:
        for i in range(pairs):
            released = [
                partial(function, table_of(each.pair(i), others), relation=relation, rho=1, **unit)
                for each in rows
            ]
            one, two = (answers(recorder, i, release) for release in released)
            for name, part in one.query.parts.items():
                apart = distances(part, one.exact[name], two.exact[name], 1)
                worst.setdefault(name, Worst(part.change)).add(apart)
    return worst


SHORT = [(_tables, "add-remove", "user"), (_hierarchy, "change-one", "contained"),
         (_tables, "change-one", "row")]  # fmt: skip
CASES = [
    pytest.param(*case, marks=() if case in SHORT else pytest.mark.long)
    for case in product(FUNCTIONS, RELATIONS, PROTECTED)
]


@pytest.mark.parametrize(("function", "relation", "protected"), CASES)
def test_neighbours_are_as_far_apart_as_the_noise_is_for(
    function: Callable[..., Any], relation: str, protected: str
) -> None:
    worst = worst_of(function, relation, protected)
    assert len(worst) == 3
    for name, found in worst.items():
        assert found.is_private, (name, found)
    if protected == "row":
        assert all(found.is_tight for found in worst.values()), worst
