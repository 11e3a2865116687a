"""releases/output/_plot.py: what the axes hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from releases.output.made import KEYS, MADE, MARKUP, failing, made, with_counts

import cydp
from cydp._extras import EPSILON
from cydp.testing import SeededGenerator

mpl.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def figures() -> Iterator[None]:
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before


def segments(ax: Any) -> list[Any]:
    """The ends of each error bar, of all containers in their order."""
    return [
        segment
        for container in ax.containers
        if hasattr(container, "has_yerr")
        for lines in container.lines[2]
        for segment in lines.get_segments()
    ]


DRAWN = ["count", "quantiles", "top", "histogram", "histogram by", "two axes", "no keys found"]


def check_every_release_has_a_plot(name: str) -> None:
    ax = made(name).plot(simultaneous=name < "m")
    assert ax.get_xlabel() or name.startswith("no ")
    assert ax.get_ylabel() or not made(name)._sheet(0.95, False).axes
    assert f"{EPSILON}=0.5" in ax.get_title(loc="left")
    if name in DRAWN:  # one of each kind of drawing, which takes long
        own = plt.figure().add_subplot()
        assert made(name).plot(own) is own
        own.figure.canvas.draw()
    plt.close("all")


def test_every_release_has_a_plot() -> None:
    assert failing(check_every_release_has_a_plot, [n for n in MADE if n != "three axes"]) == {}


def test_a_histogram_has_steps_and_bars() -> None:
    release = made("histogram")
    for simultaneous, count in ((False, 1), (True, 4)):
        ax = release.plot(confidence=0.9, simultaneous=simultaneous)
        steps = ax.patches[0].get_data()
        assert steps.values.tolist() == release.counts.tolist()
        assert steps.edges.tolist() == release.edges.tolist()
        lower, upper = release.interval(0.9, count=count)
        ends = np.array([[segment[0][1], segment[1][1]] for segment in segments(ax)])
        assert ends.tolist() == np.stack([lower, upper], axis=-1).tolist()
        assert [segment[0][0] for segment in segments(ax)] == [12.5, 37.5, 62.5, 87.5]
        assert ax.get_ylabel() == "count (rows)"
        words = "for all 4 cells together" if simultaneous else "for each cell"
        assert ax.get_title(loc="left") == (
            f"histogram: {EPSILON}=0.5\nbars: 90 % confidence {words}, noise alone"
        )


def test_a_post_processed_count_may_be_outside_its_interval() -> None:
    table = with_counts([400, 100, 9]).with_total(900)
    lower, upper = table.interval()
    assert (table.counts > upper).all()
    ends = [[segment[0][1], segment[1][1]] for segment in segments(table.plot())]
    assert ends == np.stack([lower, upper], axis=-1).tolist()
    keys = made("value_counts").with_total(900)
    ends = [[segment[0][0], segment[1][0]] for segment in segments(keys.plot())]
    assert ends == np.stack(keys.interval(), axis=-1).tolist()
    lines = made("histogram by").with_total([900] * 3)
    ends = [[segment[0][1], segment[1][1]] for segment in segments(lines.plot())]
    assert ends == np.stack(lines.interval(), axis=-1).reshape(9, 2).tolist()


def test_many_bins_have_a_band_and_infinite_ones_an_end() -> None:
    release = made("many bins")
    ax = release.plot()
    band = ax.patches[2].get_data()
    lower, upper = release.interval()
    assert (band.values.tolist(), band.baseline.tolist()) == (upper.tolist(), lower.tolist())
    infinite = made("infinite edges").plot()
    assert infinite.patches[0].get_data().edges.tolist() == [-50, 0, 50, 100]


def test_bins_that_share_a_pixel_are_drawn_as_their_extremes() -> None:
    narrow, wide = np.linspace(0, 1, 50_001), np.array([2.0, 3.0])
    release = cydp.histogram([2.5] * 500, [*narrow, *wide], epsilon=1, rng=SeededGenerator(3))
    ax = release.plot()
    (line,) = (each for each in ax.lines if len(each.get_xdata()) > 2)
    x, y = line.get_xdata(), line.get_ydata()
    assert len(x) < 10_000
    assert (np.diff(x) > 0).all()
    area, band = (each.get_paths()[0].vertices for each in ax.collections)
    lower, upper = release.interval()
    for inside in (lambda edge: edge < 1, lambda edge: 1 < edge < 2, lambda edge: edge > 2):
        bins = [inside(middle) for middle in (release.edges[:-1] + release.edges[1:]) / 2]
        counts = release.counts[bins]
        drawn = y[:-1][[inside(middle) for middle in (x[:-1] + x[1:]) / 2]]
        assert (drawn.min(), drawn.max()) == (counts.min(), counts.max())
        heights = band[[inside(place) for place in band[:, 0]], 1]
        if len(heights):
            assert (heights.min(), heights.max()) == (lower[bins].min(), upper[bins].max())
    assert (area[:, 1].min(), area[:, 1].max()) == (release.counts.min(), release.counts.max())
    ax.figure.canvas.draw()


def test_extremes_of_bins_are_where_the_bins_are() -> None:
    spike = np.zeros(30_000, int)
    spike[12_345], spike[20_001] = 7, -9
    ax = with_counts(spike.tolist()).plot()
    (line,) = (each for each in ax.lines if len(each.get_xdata()) > 2)
    x, y = line.get_xdata(), line.get_ydata()
    for place, count in ((12_345, 7), (20_001, -9)):
        (found,) = np.flatnonzero(y == count)
        assert abs(x[found] - place) <= 8  # bins in a column
    assert (y != 0).sum() == 2


def test_keys_are_bars_with_their_names() -> None:
    release = made("value_counts")
    ax = release.plot()
    assert [bar.get_width() for bar in ax.patches] == release.counts.tolist()
    assert [label.get_text() for label in ax.get_yticklabels()] == KEYS
    lower, upper = release.interval()
    ends = [[segment[0][0], segment[1][0]] for segment in segments(ax)]
    assert ends == np.stack([lower, upper], axis=-1).tolist()
    assert ax.get_xlabel() == "n (rows)"
    assert ax.yaxis_inverted()
    many = cydp.value_counts([], list(range(40)), epsilon=1).plot()
    assert len(many.patches) == 25
    assert many.get_ylabel() == "key, the first 25 of 40"


def test_of_many_keys_that_were_found_the_largest_are_drawn() -> None:
    """Their order is by name, which says nothing; public keys stay in the order given."""
    table = {"k": np.repeat(np.arange(40), 1000 + 100 * np.arange(40))}
    release = cydp.value_counts(table, column="k", epsilon=100, delta=1e-6)
    ax = release.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == [*map(str, range(39, 14, -1))]
    assert [bar.get_width() for bar in ax.patches] == release.counts[:14:-1].tolist()
    lower, _ = release.interval()
    assert [segment[0][0] for segment in segments(ax)] == lower[:14:-1].tolist()
    assert ax.get_ylabel() == "k, the largest 25 of 40"


def test_keys_and_bins_are_lines() -> None:
    release = made("histogram by")
    ax = release.plot()
    assert [patch.get_data().values.tolist() for patch in ax.patches] == release.counts.tolist()
    legend = ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["a", MARKUP, "c"]
    assert len({patch.get_linestyle() for patch in ax.patches}) == 3
    lengths = [segment[1][1] - segment[0][1] for segment in segments(ax)]
    assert lengths == [2 * release.error_bound()] * 9
    by = np.arange(8)
    many = cydp.histogram([], 2, (0, 1), by=by[:0], by_keys=by.tolist(), epsilon=1).plot()
    assert many.get_legend().get_title().get_text() == "key, the first 6 of 8"


def test_two_axes_are_an_image() -> None:
    release = made("two axes")
    ax = release.plot(simultaneous=True)
    (image,) = ax.collections
    assert image.get_array().tolist() == release.counts.T.tolist()
    bar = ax.figure.axes[1]
    assert bar.get_ylabel() == "count (rows)"
    bound = release.error_bound(count=6)
    assert f"error: all 6 together within {bound}, with 95 % confidence" in ax.get_title(loc="left")


def check_numbers_are_points_with_their_intervals(name: str) -> None:
    release = made(name)
    ax = release.plot()
    (segment,) = segments(ax)
    assert np.allclose([segment[0][0], segment[1][0]], release.interval(), rtol=1e-12)
    assert ax.lines[0].get_xdata()[0] == release.value
    assert ax.get_title(loc="left").endswith("bars: 95 % confidence, noise alone")


def test_numbers_are_points_with_their_intervals() -> None:
    assert (
        failing(check_numbers_are_points_with_their_intervals, ["count", "sum", "mean", "variance"])
        == {}
    )


def test_quantiles_are_points_and_their_error_is_words() -> None:
    ax = made("quantiles").plot()
    assert ax.lines[0].get_ydata().tolist() == made("quantiles").value.tolist()
    assert ax.lines[0].get_xdata().tolist() == [0.25, 0.5, 0.9]
    assert "each within 330 ranks, with 95 % confidence" in ax.get_title(loc="left")


def test_labels_and_names_are_no_formulas() -> None:
    ax = cydp.value_counts([], ["$x_1$", "_b", "a"], epsilon=1).plot()
    ax.figure.canvas.draw()
    assert ax.get_yticklabels()[0].get_text() == r"\$x_1\$"
    by = cydp.histogram([], 2, (0, 1), by=[], by_keys=["_a", "$"], epsilon=1).plot()
    by.figure.canvas.draw()
    assert [text.get_text() for text in by.get_legend().get_texts()] == [" _a", r"\$"]
    table = {r"$\foo{$": [1.0], "a $x^{$ b": [1.0]}
    ax = cydp.histogramdd(table, bins=[2, 2], range=[(0, 2), (0, 2)], epsilon=1).plot()
    ax.figure.canvas.draw()
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"\$\foo{\$", r"a \$x^{\$ b")


def test_negative_counts_have_a_line_at_0() -> None:
    assert [line.get_ydata()[0] for line in with_counts([-3, 5]).plot().lines if
            list(line.get_xdata()) == [0, 1]] == [0]  # fmt: skip
    assert with_counts([3, 5]).plot().get_ylim()[0] == 0


def test_counts_of_any_size_are_drawn_and_ticks_have_separators() -> None:
    ax = with_counts([2**62, -(2**62)]).plot()
    ax.figure.canvas.draw()
    assert ax.patches[0].get_data().values.tolist() == [2.0**62, -(2.0**62)]
    ax = with_counts([12345, 20000]).plot()
    ax.figure.canvas.draw()
    assert "20,000" in [label.get_text() for label in ax.get_yticklabels()]


def check_each_column_has_a_plot(name: str) -> None:
    release = made(name)
    if name == "three axes":
        return
    sheet = release._sheet(0.95, False)
    for column in sheet.columns:
        ax = release.plot(column=column.name)
        if not sheet.cells or len(sheet.axes) > 1:
            continue
        if not sheet.axes:
            assert [tick.get_text() for tick in ax.get_yticklabels()] == [column.name]
        elif sheet.axes[0].edges is None and sheet.axes[0].what == "key" and column.unit != "rank":
            assert column.name in ax.get_xlabel()
            widths = [bar.get_width() for bar in ax.patches]
            assert np.allclose(widths, np.ravel(column.values))
            assert len(segments(ax)) == (0 if column.lower is None else sheet.cells)
        plt.close("all")


def test_each_column_has_a_plot() -> None:
    assert failing(check_each_column_has_a_plot, MADE) == {}


def test_a_table_is_drawn_by_its_first_column() -> None:
    release = made("group_by")
    assert release.plot().get_xlabel() == release.plot(column="n").get_xlabel() == "n (rows)"
    assert release.plot(column="mean_x").get_xlabel() == "mean_x"
    assert "each within" in release.plot(column="median_x").get_title(loc="left")


def test_a_column_that_is_not_there_has_no_plot() -> None:
    with pytest.raises(ValueError, match="column must be one of n, sum_x, mean_x, median_x, q90_x"):
        made("group_by").plot(column="mean_y")
    with pytest.raises(ValueError, match="column must be one of count, not 7"):
        made("histogram").plot(column=7)
