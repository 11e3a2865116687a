"""Pictures of errors: what they show, and that they can be read."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib import pyplot as plt
from teach.looks import check, closed

from cydp.teach import utility
from cydp.teach.utility import Method
from cydp.testing import SeededGenerator

GRIDS: dict[str, dict[str, Any]] = {
    "mechanisms": {"workload": "counts", "dimension": [1, 10, 100], "epsilon": 1, "delta": "1e-6"},
    "relations": {"dimension": 5, "epsilon": [0.1, 1], "relation": ["add-remove", "change-one"]},
    "rho": {"dimension": 5, "rho": [0.1, 1]},
    "ranges": {
        "workload": ["ranges by histogram", "ranges by tree"], "dimension": [4, 64], "epsilon": 1
    },
    "settings": {"workload": ["count", "local count", "mean", "median"], "dimension": [10, 1000]},
    "many": {
        "dimension": [1, 10, 100], "epsilon": [0.1, 1, 10],
        "relation": ["add-remove", "change-one"], "delta": "1e-6",
    },
    "predicted": {"dimension": [1, 10], "epsilon": 1, "trials": 0},
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.long] * (n not in ("mechanisms", "rho"))) for n in GRIDS],
)
def test_a_picture_can_be_read(name: str) -> None:
    table = utility.measure(**{"trials": 10, "rng": SeededGenerator(1)} | GRIDS[name])
    check(table.plot)


def test_a_picture_shows_the_table() -> None:
    table = utility.measure(**GRIDS["mechanisms"], trials=10, rng=SeededGenerator(2))
    with closed():
        _, given = plt.subplots()
        ax = table.plot(ax=given)
        assert ax is given
        assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
        assert ax.get_xlabel() == "dimension (counts of the same people)"
        lines = {line.get_label(): line for line in ax.lines}
        assert {"discrete Laplace", "discrete Gaussian"} <= set(lines)
        drawn = [list(line.get_ydata()) for line in ax.lines]
        for mechanism in ("discrete Laplace", "discrete Gaussian"):
            rows = table.filter(mechanism=mechanism)
            assert [row.predicted for row in rows] in drawn
            assert [row.measured for row in rows] in drawn


def test_a_rival_without_a_prediction_has_points_alone() -> None:
    rival = Method(name="rival", release=lambda data, setting: data + 1, workload="histogram")
    table = utility.measure(["histogram", rival], [1, 10], epsilon=1, trials=10)
    with closed():
        ax = table.plot()
        (named,) = [line for line in ax.lines if line.get_label() == "rival"]
        assert named.get_linestyle() == "None"
        assert [1, 1] in [list(line.get_ydata()) for line in ax.lines]


def test_the_legend_stays_within_axes_of_others() -> None:
    table = utility.measure("histogram", [1, 10], epsilon=[0.1, 1], trials=0)
    with closed():
        figure, axes = plt.subplots(1, 2, figsize=(9, 4))
        table.plot(ax=axes[0])
        figure.canvas.draw()
        inside, legend = axes[0].get_window_extent(), axes[0].get_legend().get_window_extent()
        assert legend.x1 <= inside.x1
        assert legend.x0 >= inside.x0


def test_a_picture_refuses_what_it_cannot_show() -> None:
    table = utility.measure("counts", range(1, 15), epsilon=[1, 2], trials=0)
    with pytest.raises(ValueError, match="at most 12 series, not 14: filter first"):
        table.plot("epsilon")
    with pytest.raises(ValueError, match="rho must have at least two values"):
        table.plot("rho")
    with pytest.raises(ValueError, match="x must be 'dimension', 'epsilon' or 'rho', not 'd'"):
        table.plot("d")
    with pytest.raises(ValueError, match="at least two values"):
        utility.measure("count", 1, epsilon=1, trials=0).plot()


def test_names_of_rivals_are_no_formulas() -> None:
    names = [r"$\foo{$", "a $x^{$ b"]
    rivals = [
        Method(name=name, release=lambda data, setting: data + 1, workload=names[1])
        for name in names
    ]
    table = utility.measure(rivals, [1, 10], epsilon=1, trials=10)
    with closed():
        ax = table.plot()
        ax.figure.canvas.draw()
        assert ax.get_legend().get_texts()[0].get_text() == r"\$\foo{\$"
