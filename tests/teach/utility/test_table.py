"""What a table of errors shows, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

import cydp
from cydp.teach import utility
from cydp.teach.utility import Method
from cydp.testing import SeededGenerator


@pytest.fixture(scope="module")
def table() -> utility.UtilityTable:
    return utility.measure(
        "histogram", [1, 10], epsilon=["1/2", 1], relation=["add-remove", "change-one"],
        trials=20, rng=SeededGenerator(1),
    )  # fmt: skip


def test_a_table_is_a_sequence_of_rows(table: utility.UtilityTable) -> None:
    assert len(table) == len(list(table)) == len(table.rows) == 8
    assert table[0] == table.rows[0]
    assert table[0].setting.privacy == {"epsilon": "1/2", "relation": "add-remove"}


def test_a_filter_keeps_rows(table: utility.UtilityTable) -> None:
    kept = table.filter(relation="change-one", epsilon=[0.5, 2])
    assert [row.setting.dimension for row in kept] == [1, 10]
    with pytest.raises(TypeError, match=r"filter takes workload, .*, not 'trials'"):
        table.filter(trials=20)
    with pytest.raises(ValueError, match="no row is left with epsilon 3"):
        table.filter(epsilon=3)


def test_columns(table: utility.UtilityTable) -> None:
    columns = table.to_dict()
    assert columns["epsilon"][:4] == [0.5, 0.5, 1, 1]
    assert {len(column) for column in columns.values()} == {8}
    assert columns["ratio"][0] == columns["measured"][0] / columns["predicted"][0]
    frame = table.to_pandas()
    assert list(frame.columns) == list(columns)
    assert frame.dimension.tolist() == columns["dimension"]


def test_text_shows_what_varies(table: utility.UtilityTable) -> None:
    head, header, *rows = repr(table).splitlines()
    assert head == "histogram, discrete Laplace: errors of 20 releases each"
    assert header.split()[:5] == ["dimension", "relation", "epsilon", "predicted", "bound"]
    assert len(rows) == 8 + 3
    assert rows[-2].startswith("measured and predicted: they agree in each of 4 rows. ")
    assert max(map(len, [head, header, *rows])) <= 100
    many = utility.measure("counts", range(1, 100), epsilon=1, trials=0)
    assert len(repr(many).splitlines()) == 2 + 60 + 1 + 1


def test_text_says_that_rows_disagree() -> None:
    wrong = Method(
        name="x", release=lambda data, setting: data + 9,
        predicted=lambda setting: cydp.DiscreteLaplace(epsilon=1, sensitivity=1),
    )  # fmt: skip
    text = repr(utility.measure(wrong, 100, epsilon=[1, 2], trials=50))
    assert "they disagree in 2 of 2 rows" in text
    one = " ".join(repr(utility.measure(wrong, 100, epsilon=1, trials=50)).split())
    assert "they disagree in the one row with a verdict. If" in one
    right = " ".join(repr(utility.measure("counts", 100, epsilon=1, trials=50)).split())
    assert "they agree in the one row with a verdict. If" in right
    assert text.count(" NO") == 2


def test_given_data_are_marked() -> None:
    method = Method(name="x", release=lambda data, setting: data, data=[1, 2, 3])
    table = utility.measure(method, 3, epsilon=1, trials=2)
    assert table[0].given_data
    assert "not private: do not publish" in repr(table)
    made = Method(name="x", release=lambda data, setting: data)
    assert "publish" not in repr(utility.measure(made, 3, epsilon=1, trials=2))


def test_data_and_truth_by_setting() -> None:
    method = Method(
        name="x", data=lambda setting: list(range(setting.dimension)),
        release=lambda data, setting: len(data) + 2, truth=lambda data, setting: len(data),
    )  # fmt: skip
    table = utility.measure(method, [3, 5], epsilon=1, trials=2)
    assert [row.measured for row in table] == [2, 2]
    assert [row.answers for row in table] == [1, 1]


MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"workload": "histo"}, ValueError, "workload must be a Method, or of 'count', .* not 'histo'"),
    ({"workload": 3}, ValueError, "workload must be .* not int"),
    ({"workload": []}, TypeError, "workload must be one, or a list that is not empty"),
    ({"dimension": 0}, ValueError, "dimension of 'histogram' must be from 1 to 10,000,000, not 0"),
    ({"dimension": 1.5}, TypeError, "dimension must be an integer, not float"),
    ({"workload": "marginals", "dimension": 1}, ValueError, "must be from 2 to 30, not 1"),
    ({"epsilon": 0}, ValueError, "epsilon must be greater than 0"),
    ({"epsilon": [1, "x"]}, ValueError, "epsilon must be a number"),
    ({"epsilon": 1, "rho": 1}, TypeError, "rho must be given alone"),
    ({"delta": 2}, ValueError, "delta must be between 0 and 1"),
    ({"relation": "add"}, ValueError, "relation must be 'add-remove'"),
    ({"mechanism": "Laplace"}, ValueError, "mechanism must be 'discrete Laplace' or .*'Laplace'"),
    ({"mechanism": "discrete Gaussian"}, ValueError, "'discrete Gaussian' needs rho=, or epsilon="),
    ({"rho": 1, "mechanism": "discrete Laplace"}, ValueError, "'discrete Laplace' needs epsilon="),
    ({"workload": "median", "rho": 1}, ValueError, "workload 'median' needs epsilon="),
    ({"trials": 1}, ValueError, "trials must be 0, or from 2 to 1,000,000, not 1"),
    ({"trials": "x"}, TypeError, "trials must be an integer"),
    ({"confidence": 1}, ValueError, "confidence must be between 0 and 1"),
    ({"rng": 1}, TypeError, "rng must be a cydp.Generator or None, not int"),
]


@pytest.mark.parametrize(("given", "error", "words"), MISTAKES)
def test_a_mistake_is_named(given: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        utility.measure(**given)


METHODS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"name": ""}, TypeError, "name must be a text"),
    ({"release": 3}, TypeError, "release must be callable, not int"),
    ({"predicted": 3}, TypeError, "predicted must be callable, not int"),
    ({"release": lambda data, setting: [1]}, ValueError, r"shape of the true ones, \(3,\), not"),
    ({"release": lambda data, setting: "a"}, TypeError, "release of 'x' must be real numbers"),
    ({"release": lambda data, setting: [1, 2, float("nan")]}, ValueError, "all of them finite"),
    ({"truth": []}, ValueError, "truth of 'x' must have numbers"),
    ({"predicted": lambda setting: -1}, ValueError, "predicted of 'x' must return a finite number"),
    ({"predicted": lambda setting: "a"}, ValueError, "predicted of 'x' must return a finite"),
]


@pytest.mark.parametrize(("given", "error", "words"), METHODS)
def test_a_mistake_of_a_method_is_named(
    given: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        utility.measure(
            Method(**{"name": "x", "release": lambda data, setting: data} | given), 3, trials=2
        )


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"workload": "median"}, ValueError, "has no predicted errors of both"),
        ({"workload": 1}, TypeError, "workload must be a name, not int"),
        ({"most": 0}, ValueError, "most must be at least 1"),
    ],
)
def test_a_mistake_of_a_crossing_is_named(
    given: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        utility.crossing(**{"epsilon": 1, "delta": "1e-6"} | given)
