"""A charge id belongs to one question: for another column it has no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import BudgetLedger, PureDP, models, publishing, teach, workloads
from cydp.accounting import ChargeConflictError

BOUNDS = (0, 8)
TABLE = {"a": [1.0, 2.0, 3.0], "b": [5.0, 6.0, 7.0], "c": [5.0, 6.0, 7.0]}
PEOPLE = TABLE | {"d": [1.0, 5.0, 2.0], "u": [1, 2, 3], "v": [1, 1, 2]}
QUESTIONS: dict[Any, tuple[Any, ...]] = {
    cydp.count: (), cydp.sum: (BOUNDS,), cydp.mean: (BOUNDS,), cydp.variance: (BOUNDS,),
    cydp.median: (BOUNDS,), cydp.quantile: (0.5, BOUNDS), cydp.bounds: (), cydp.top_k: (1, [1, 2]),
    cydp.histogram: (4, BOUNDS), cydp.value_counts: ([1, 5],),
    teach.median_by_halving: (BOUNDS,), workloads.range_counts: (4, BOUNDS),
    workloads.linear_queries: ([[1, 1]], 2, BOUNDS),
}  # fmt: skip


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BudgetLedger]:
    path = tmp_path_factory.mktemp("ledger") / "l"
    with BudgetLedger.create(path, PureDP(99), privacy_unit="row") as made:
        yield made


def is_one_question(ask: Callable[..., Any], ledger: Any, name: str, one: Any, two: Any) -> bool:
    """Whether a charge id answers a question again, and no other one, and is paid once."""
    scope, before = ledger.scope(charge_id=name), ledger.spent.epsilon
    first = ask(budget=scope, **one)
    again, _, _ = repr(ask(budget=scope, **one)).partition("\nnote: this is the recorded result")
    is_answered = again == repr(first)
    try:
        ask(budget=scope, **two)
    except ChargeConflictError as error:
        is_paid_once = ledger.spent.epsilon == before + 1
        return is_answered and is_paid_once and "differs in" in str(error)
    return False


def test_another_column_is_another_question(ledger: BudgetLedger) -> None:
    wrong = [
        release.__name__
        for release, args in QUESTIONS.items()
        if not is_one_question(
            partial(release, TABLE, *args, epsilon=1), ledger, f"column {release.__name__}",
            {"column": "a"}, {"column": "b"},
        )
    ]  # fmt: skip
    assert wrong == []


def test_other_keys_or_columns_are_another_question(ledger: BudgetLedger) -> None:
    ends = [BOUNDS, BOUNDS]
    histogram = partial(cydp.histogram, TABLE, 4, BOUNDS, column="a", epsilon=1)
    columns = partial(cydp.histogramdd, TABLE, 2, ends, epsilon=1)
    cases: dict[str, tuple[Callable[..., Any], Any, Any]] = {
        "by": (partial(histogram, by_keys=[1, 5]), {"by": "b"}, {"by": "c"}),
        "by_keys": (partial(histogram, by="b"), {"by_keys": [1, 5]}, {"by_keys": [1, 6]}),
        "columns": (columns, {"columns": ["a", "b"]}, {"columns": ["a", "c"]}),
        "keys": (
            partial(cydp.value_counts, TABLE, column="a", epsilon=1),
            {"keys": [1, 5]}, {"keys": [1, 6]},
        ),
        "group": (
            partial(cydp.group_by, TABLE, epsilon=1, keys=[1, 5]), {"by": "a"}, {"by": "b"}
        ),
    }  # fmt: skip
    wrong = [name for name, given in cases.items()
             if not is_one_question(given[0], ledger, name, *given[1:])]  # fmt: skip
    assert wrong == []


def test_keys_that_are_found_are_recorded_if_their_type_is_declared(tmp_path: Path) -> None:
    """What objects hold is known from the records alone: that is refused before the charge."""
    budget = cydp.ApproxDP(9, "0.1")
    with BudgetLedger.create(tmp_path / "l", budget, privacy_unit="row") as ledger:
        ask = partial(cydp.value_counts, epsilon=1, delta=1e-9)
        with pytest.raises(TypeError):
            ask([1, 2], budget=ledger.scope(charge_id="objects"))
        assert ledger.spent == cydp.ApproxDP(0, 0)
        ask(np.array([1, 2]), budget=ledger.scope(charge_id="numbers"))
        assert ledger.spent == cydp.ApproxDP(1, 1e-9)


ONE_ROW, ONE_CELL = {"max_rows": 1}, {"max_partitions": 1}
ONE_OF_ALL = {"max_rows_per_partition": 1}
LABELS = {"a": [1, 5], "b": [5, 6]}
OF_PEOPLE: dict[Any, tuple[Any, dict[str, Any]]] = {
    cydp.count: ((), ONE_ROW), cydp.sum: ((BOUNDS,), ONE_ROW), cydp.mean: ((BOUNDS,), ONE_ROW),
    cydp.variance: ((BOUNDS,), ONE_ROW), cydp.histogram: ((4, BOUNDS), ONE_CELL),
    cydp.value_counts: (([1, 5],), ONE_CELL), cydp.median: ((BOUNDS,), ONE_ROW),
    cydp.quantile: ((0.5, BOUNDS), ONE_ROW), cydp.bounds: ((), ONE_CELL),
    cydp.top_k: ((1, [1, 2]), ONE_OF_ALL), teach.median_by_halving: ((BOUNDS,), ONE_ROW),
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


def test_another_user_is_another_question(tmp_path: Path) -> None:
    model = models.linear_regression(PEOPLE, {"a": BOUNDS}, {"d": BOUNDS}, epsilon=1)
    given = {"unit": "person", "epsilon": 1}
    asked: dict[str, Callable[..., Any]] = {
        "validated_error": partial(models.validated_error, model, PEOPLE, **given, **ONE_ROW)
    }
    for release, (args, bound) in (OF_PEOPLE | OF_TABLES).items():
        column = {"column": "a"} if release in OF_PEOPLE else {}
        asked[release.__name__] = partial(release, PEOPLE, *args, **given, **bound, **column)
    with BudgetLedger.create(tmp_path / "l", PureDP(99), privacy_unit="person") as ledger:
        wrong = [
            name
            for name, ask in asked.items()
            if not is_one_question(ask, ledger, name, {"user": "u"}, {"user": "v"})
        ]
    assert wrong == []


def test_another_path_is_another_question(tmp_path: Path) -> None:
    for name in ("de.csv", "it.csv"):
        (tmp_path / name).write_text("age\n31\n")
    with BudgetLedger.create(tmp_path / "l", PureDP(9), privacy_unit="row") as ledger:

        def count(table: Any, name: str = "jan") -> Any:
            return cydp.count(table, epsilon=1, budget=ledger.scope(charge_id=name))

        first = count(str(tmp_path / "de.csv"))
        assert count(tmp_path / "de.csv") == first == count(str(tmp_path / "." / "de.csv"))
        adults = cydp.where(str(tmp_path / "de.csv"), "age >= 18")
        for other in (str(tmp_path / "it.csv"), f"{tmp_path}/d*.csv", {"age": [31]}, adults):
            with pytest.raises(ChargeConflictError, match=r"differs in (table|query)"):
                count(other)
        count({"age": [31]}, "frame")
        assert count({"age": [64]}, "frame").payment.recorded  # a frame has no name
        assert ledger.spent == PureDP(2)
        assert ledger.history()[2]["table"] == str(tmp_path / "de.csv")


def test_a_repetition_says_that_it_is_one_and_json_stays(tmp_path: Path) -> None:
    """A certificate of either is of the same JSON."""
    with BudgetLedger.create(tmp_path / "l", PureDP(9), privacy_unit="row") as ledger:
        for ask in (
            lambda scope: cydp.count([1, 2], epsilon=1, budget=scope),
            lambda scope: cydp.sampling.on_sample(
                cydp.count, [1, 2], share="1/2", epsilon=1, budget=scope
            ),
        ):
            scope = ledger.scope(charge_id=f"{ledger.spent}")
            first, again = ask(scope), ask(scope)
            words = " ".join(str(again).split())
            assert "this is the recorded result of charge 'PureDP(" in words
            assert "recorded" in again.to_html()
            assert "recorded" not in str(first)
            assert again.to_json() == first.to_json()


def test_the_promise_about_blocks_is_said_only_where_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("day,who\n2024-01-01,a\n")
    with BudgetLedger.create(
        tmp_path / "l", PureDP(9), privacy_unit="who", by_block=True, block_column="day"
    ) as ledger:
        ledger.add_blocks(["2024-01-01"])
        for is_promise in (False, True):
            scope = ledger.scope(blocks=["2024-01-01"], table_in_blocks=is_promise)
            made = cydp.count(tmp_path / "t.csv", user="who", max_rows=1, epsilon=1, budget=scope)
            assert ("caller's promise" in " ".join(str(made).split())) is is_promise
