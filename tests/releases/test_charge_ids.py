"""A charge id is that of one question: of another column it has no answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cydp
from cydp import BudgetLedger, PureDP, models, publishing, releases, workloads
from cydp.accounting import ChargeConflictError

BOUNDS = (0, 8)
TABLE = {"a": [1.0, 2.0, 3.0], "b": [5.0, 6.0, 7.0], "c": [5.0, 6.0, 7.0]}
PEOPLE = TABLE | {"d": [1.0, 5.0, 2.0], "u": [1, 2, 3], "v": [1, 1, 2]}
QUESTIONS: dict[Any, tuple[Any, ...]] = {
    cydp.count: (), cydp.sum: (BOUNDS,), cydp.mean: (BOUNDS,), cydp.variance: (BOUNDS,),
    cydp.median: (BOUNDS,), cydp.quantile: (0.5, BOUNDS), cydp.bounds: (), cydp.top_k: (1, [1, 2]),
    cydp.histogram: (4, BOUNDS), cydp.value_counts: ([1, 5],),
    releases.median_by_halving: (BOUNDS,), workloads.range_counts: (4, BOUNDS),
    workloads.linear_queries: ([[1, 1]], 2, BOUNDS),
}  # fmt: skip


@pytest.mark.parametrize("release", QUESTIONS, ids=lambda release: release.__name__)
def test_another_column_is_another_question(release: Any, tmp_path: Path) -> None:
    given = {"epsilon": 1}
    with BudgetLedger.create(tmp_path / "l", PureDP(9), privacy_unit="row") as ledger:
        scope = ledger.scope(charge_id="x")
        asked = release(TABLE, *QUESTIONS[release], column="a", budget=scope, **given)
        assert release(TABLE, *QUESTIONS[release], column="a", budget=scope, **given) == asked
        with pytest.raises(ChargeConflictError, match="differs in arguments"):
            release(TABLE, *QUESTIONS[release], column="b", budget=scope, **given)
        assert ledger.spent == PureDP(1)


def test_another_by_or_another_set_of_columns_is_another_question(tmp_path: Path) -> None:
    keys = {"by_keys": [1, 5], "epsilon": 1}
    with BudgetLedger.create(tmp_path / "l", PureDP(9), privacy_unit="row") as ledger:
        one, two = ledger.scope(charge_id="1"), ledger.scope(charge_id="2")
        cydp.histogram(TABLE, 4, BOUNDS, column="a", by="b", budget=one, **keys)
        with pytest.raises(ChargeConflictError):
            cydp.histogram(TABLE, 4, BOUNDS, column="a", by="c", budget=one, **keys)
        ends = [BOUNDS, BOUNDS]
        cydp.histogramdd(TABLE, 2, ends, columns=["a", "b"], epsilon=1, budget=two)
        with pytest.raises(ChargeConflictError):
            cydp.histogramdd(TABLE, 2, ends, columns=["a", "c"], epsilon=1, budget=two)


ONE_ROW, ONE_CELL = {"max_rows": 1}, {"max_partitions": 1}
ONE_OF_ALL = {"max_rows_per_partition": 1}
LABELS = {"a": [1, 5], "b": [5, 6]}
OF_PEOPLE: dict[Any, tuple[Any, dict[str, Any]]] = {
    cydp.count: ((), ONE_ROW), cydp.sum: ((BOUNDS,), ONE_ROW), cydp.mean: ((BOUNDS,), ONE_ROW),
    cydp.variance: ((BOUNDS,), ONE_ROW), cydp.histogram: ((4, BOUNDS), ONE_CELL),
    cydp.value_counts: (([1, 5],), ONE_CELL), cydp.median: ((BOUNDS,), ONE_ROW),
    cydp.quantile: ((0.5, BOUNDS), ONE_ROW), cydp.bounds: ((), ONE_CELL),
    cydp.top_k: ((1, [1, 2]), ONE_OF_ALL), releases.median_by_halving: ((BOUNDS,), ONE_ROW),
    workloads.range_counts: ((4, BOUNDS), ONE_CELL),
    workloads.linear_queries: (([[1, 1]], 2, BOUNDS), ONE_CELL),
}  # fmt: skip
OF_TABLES: dict[Any, tuple[Any, dict[str, Any]]] = {
    cydp.histogramdd: ((2, [BOUNDS, BOUNDS]), ONE_CELL | {"columns": ["a", "d"]}),
    workloads.marginals: ((LABELS, [("a", "b")]), ONE_ROW),
    publishing.contingency_tables: ((LABELS, [("a",), ("b",)]), ONE_ROW),
    publishing.hierarchy: ((["a", "b"], [(1, 5), (5, 6)]), ONE_ROW),
    models.linear_regression: (({"a": BOUNDS}, {"d": BOUNDS}), ONE_ROW),
}


@pytest.mark.parametrize("release", OF_PEOPLE | OF_TABLES, ids=lambda release: release.__name__)
def test_another_user_is_another_question(release: Any, tmp_path: Path) -> None:
    args, bound = (OF_PEOPLE | OF_TABLES)[release]
    given = {"unit": "person", "epsilon": 1, **bound}
    if release in OF_PEOPLE:
        given["column"] = "a"
    _ask_of_users(lambda **user: release(PEOPLE, *args, **given, **user), tmp_path)


def test_another_user_of_a_validated_model_is_another_question(tmp_path: Path) -> None:
    model = models.linear_regression(PEOPLE, {"a": BOUNDS}, {"d": BOUNDS}, epsilon=1)
    given = {"unit": "person", "epsilon": 1, **ONE_ROW}
    _ask_of_users(lambda **user: models.validated_error(model, PEOPLE, **given, **user), tmp_path)


def _ask_of_users(ask: Callable[..., Any], tmp_path: Path) -> None:
    with BudgetLedger.create(tmp_path / "l", PureDP(9), privacy_unit="person") as ledger:
        scope = ledger.scope(charge_id="x")
        first = ask(user="u", budget=scope)
        assert repr(ask(user="u", budget=scope)) == repr(first)
        with pytest.raises(ChargeConflictError, match="differs in arguments"):
            ask(user="v", budget=scope)
        assert ledger.spent == PureDP(1)
