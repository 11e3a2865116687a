"""What a table of errors shows, and what it refuses."""

from __future__ import annotations

import pytest
from matplotlib import pyplot as plt
from teach.looks import closed

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


def test_data_and_truth_by_setting_and_given_data_are_marked() -> None:
    method = Method(
        name="x", data=lambda setting: list(range(setting.dimension)),
        release=lambda data, setting: len(data) + 2, truth=lambda data, setting: len(data),
    )  # fmt: skip
    table = utility.measure(method, [3, 5], epsilon=1, trials=2)
    assert [(row.measured, row.answers, row.given_data) for row in table] == [(2, 1, True)] * 2
    assert "not private: do not publish" in repr(table)
    made = Method(name="x", release=lambda data, setting: data)
    assert "publish" not in repr(utility.measure(made, 3, epsilon=1, trials=2))


def test_columns(table: utility.UtilityTable) -> None:
    kept = table.filter(relation="change-one", epsilon=[0.5, 2])
    assert [row.setting.dimension for row in kept] == [1, 10]
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
    assert text.count(" NO") == 2
    counts = utility.measure("counts", 100, epsilon=1, trials=50, rng=SeededGenerator(1))
    right = " ".join(repr(counts).split())
    assert "they agree in the one row with a verdict. If" in right


# Pictures


def test_a_picture_shows_the_table() -> None:
    table = utility.measure(
        "counts", [1, 10, 100], epsilon=1, delta="1e-6", trials=10, rng=SeededGenerator(2)
    )
    with closed():
        _, given = plt.subplots()
        ax = table.plot(ax=given)
        assert ax is given
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert ax.get_xlabel() == "dimension (counts of the same people)"
    assert {"discrete Laplace", "discrete Gaussian"} <= {line.get_label() for line in ax.lines}
    drawn = [list(line.get_ydata()) for line in ax.lines]
    for mechanism in ("discrete Laplace", "discrete Gaussian"):
        rows = table.filter(mechanism=mechanism)
        assert [row.predicted for row in rows] in drawn
        assert [row.measured for row in rows] in drawn


def test_a_rival_without_a_prediction_has_points_alone() -> None:
    name = r"$\foo{$"  # which is no formula
    rival = Method(name=name, release=lambda data, setting: data + 1, workload="histogram")
    table = utility.measure(["histogram", rival], [1, 10], epsilon=1, trials=10)
    with closed():
        ax = table.plot()
        ax.figure.canvas.draw()
        (named,) = [line for line in ax.lines if line.get_label() == r"\$\foo{\$"]
        assert named.get_linestyle() == "None"
        assert [1, 1] in [list(line.get_ydata()) for line in ax.lines]
