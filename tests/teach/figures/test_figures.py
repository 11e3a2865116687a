"""teach/figures: each number of the texts that a figure shows, and how it looks."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt

import cydp
from cydp._extras import DELTA, EPSILON, RHO
from cydp.teach import figures
from cydp.testing import SeededGenerator


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def test_the_density_of_figure_2_has_scale_14_and_variance_392() -> None:
    ax, _ = figures.two_epsilons()
    assert "scale 14, variance 392" in ax.get_title(loc="left")
    for line, center in zip(ax.lines, (5, 12), strict=False):
        x, y = line.get_data()
        assert y == pytest.approx(np.exp(-abs(x - center) / 14) / 28, rel=1e-9)
        assert x[y.argmax()] == center


def test_averages_are_those_of_the_releases_and_the_budget_ends() -> None:
    ax = figures.averages(rng=SeededGenerator(5))
    noise = cydp.Laplace(epsilon=0.5, sensitivity=7, coordinates=1)
    released = noise.release(np.full(1000, 5.0), rng=SeededGenerator(5))
    mean, value, neighbour, budget = ax.lines
    m, means = mean.get_data()
    assert means == pytest.approx([released[:count].mean() for count in m])
    assert (value.get_ydata()[0], neighbour.get_ydata()[0]) == (5, 12)
    assert budget.get_xdata()[0] == 10  # of epsilon 5, by 0.5 each
    assert ax.get_title(loc="left").endswith(f"standard deviation is 0.63,\nfor {EPSILON} = 500")
    (band,) = ax.collections
    assert band.get_paths()[0].vertices[:, 1].max() == pytest.approx(5 + math.sqrt(392), rel=1e-6)
    assert abs(means[-1] - 5) < 4 * math.sqrt(392 / 1000)


def test_errors_are_those_of_the_mechanisms() -> None:
    laplace, gauss = figures.errors_by_epsilon(delta="1e-6").lines[:2]
    for place in (0, 6, 12):
        epsilon = f"{laplace.get_xdata()[place]:.3g}"
        exact = cydp.DiscreteLaplace(epsilon=epsilon, sensitivity=1).error_bound(0.95)
        assert laplace.get_ydata()[place] == exact
        exact = cydp.DiscreteGaussian(epsilon=epsilon, delta="1e-6", sensitivity=1).error_bound()
        assert gauss.get_ydata()[place] == exact
    assert laplace.get_xdata()[0] == 0.01
    assert laplace.get_ydata()[0] == pytest.approx(math.log(20) * 100, abs=2)


def test_errors_grow_with_k_and_with_its_root() -> None:
    laplace, gauss = figures.errors_by_answers().lines
    for line, power in ((laplace, 1), (gauss, 0.5)):
        k, y = line.get_data()
        assert (k[0], k[-1]) == (1, 1000)
        slope = math.log(y[-1] / y[6]) / math.log(k[-1] / k[6])
        assert slope == pytest.approx(power, abs=0.05)
    assert gauss.get_ydata()[0] > laplace.get_ydata()[0]
    assert gauss.get_ydata()[-1] < laplace.get_ydata()[-1] / 5
    many = cydp.DiscreteGaussian(
        epsilon=1, delta="1e-6", sensitivity="31.6228", coordinates=1000
    ).error_bound()
    assert gauss.get_ydata()[-1] == many  # all k counts may change, each by 1
    words = [figures.errors_by_answers(epsilon=each).get_title(loc="left") for each in (1, 100)]
    assert ["0 is drawn" in title.replace("\n", " ") for title in words] == [False, True]


def test_the_table_of_the_lecture() -> None:
    """Of pie at 0.1 it prints .11; it is .1043, since exp(0.45) : exp(0) are 1.568 : 1."""
    found = figures.votes()
    expected = [[0.25, 0.40, 0.88], [0.25, 0.33, 0.12], [0.25, 0.16, 1e-4], [0.25, 0.10, 1e-6]]
    assert found.scores == (27, 23, 9, 0)
    for row, wanted in zip(found.probabilities, expected, strict=False):
        for probability, number in zip(row, wanted, strict=False):
            digits = 2 if number > 0.01 else -round(math.log10(number))
            assert round(probability, digits) == pytest.approx(number)
    weights = np.exp(0.1 * np.array([27, 23, 9, 0]) / 2)
    assert found.probabilities[:, 1] == pytest.approx(weights / weights.sum())
    assert found.probabilities.sum(axis=0) == pytest.approx(1)


def test_pictures_are_drawn_on_axes_that_are_given() -> None:
    _, panels = plt.subplots(1, 4)
    before = plt.get_fignums()
    for ax, name in zip(panels, ("averages", "beliefs", "odds", "trade_offs"), strict=True):
        assert getattr(figures, name)(ax=ax) is ax
    assert plt.get_fignums() == before


def test_the_factor_between_the_densities_is_marked() -> None:
    """e**10 is around 22,000, and e**2 is 7.389, as the text says."""
    for epsilon, written in ((0.5, "1.65"), (2, "7.39"), (10, "22,026")):
        ax, _ = figures.two_epsilons(epsilon=epsilon)
        bar = ax.lines[2]
        low, high = bar.get_ydata()
        assert list(bar.get_xdata()) == [5, 5]
        assert high / low == pytest.approx(math.exp(epsilon), rel=1e-6)
        assert f"\N{MULTIPLICATION SIGN} {written}" in [text.get_text() for text in ax.texts]
        assert ax.get_title(loc="left").endswith(f"by a factor of up to {written}")
        x, y = ax.lines[0].get_data()
        ratio = y / np.interp(x, *ax.lines[1].get_data())
        assert ratio.max() <= math.exp(epsilon) * (1 + 1e-6)
    ax, _ = figures.two_epsilons(value=10, neighbour=9, epsilon=1)
    assert "scale 1, variance 2" in ax.get_title(loc="left")


def test_the_probabilities_of_an_event_have_a_ratio_within_e_to_the_epsilon() -> None:
    left, right = figures.neighbours()
    chance = 1 - math.exp(-3.5 / 14) / 2  # P(Y < 8.5) for f(D) = 5; for f(D') = 12 that of Y > 8.5
    title = left.get_title(loc="left").replace("\n", " ")
    assert f"probability {chance:.3g} or {1 - chance:.3g}: ratio 1.57" in title
    for fill, probability in zip(left.collections, (chance, 1 - chance), strict=True):
        x, y = fill.get_paths()[0].vertices.T
        area = abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
        assert x.max() == 8.5
        beyond = math.exp((x.min() - (5 if probability == chance else 12)) / 14) / 2
        assert area + beyond == pytest.approx(probability, abs=1e-4)  # left of the picture
    ratio, high, low = (line.get_ydata() for line in right.lines)
    assert (high[0], low[0]) == pytest.approx((math.exp(0.5), math.exp(-0.5)))
    assert ratio.max() == pytest.approx(high[0])
    assert ratio.min() == pytest.approx(low[0])


@pytest.mark.parametrize(
    ("event", "said", "chances"),
    [
        ((None, 5), "at most 5", (1 / 2, math.exp(-0.5) / 2)),
        ((12, 26), "at least 12 and at most 26", (0.3033 - 0.1116, 1 / 2 - math.exp(-1) / 2)),
        ((1000, None), "at least 1000", (math.exp(-995 / 14) / 2, math.exp(-988 / 14) / 2)),
    ],
)
def test_an_event_may_be_any_interval(event: Any, said: str, chances: Any) -> None:
    left, _ = figures.neighbours(event=event)
    title = left.get_title(loc="left").replace("\n", " ")
    assert f'"{said}" has probability' in title
    written = [
        float(each) for each in re.findall(r"probability ([\d.e-]+) or ([\d.e-]+):", title)[0]
    ]
    assert written == pytest.approx(chances, rel=5e-3)


def test_an_event_must_be_an_interval() -> None:
    for event in ((3, 3), (5, 4)):
        with pytest.raises(ValueError, match="event must have a low end below its high one"):
            figures.neighbours(event=event)
    with pytest.raises(TypeError, match="event must be two numbers"):
        figures.neighbours(event=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="epsilon must be at most 500, not 501"):
        figures.neighbours(epsilon=501)


def test_the_factor_is_never_written_as_1_nor_cut_off() -> None:
    for epsilon, written in (
        ("1e-9", "e^1e-09"), ("0.001", "1.001001"), (700, "1.01e+304"), (5000, "e^5000")
    ):  # fmt: skip
        title = figures.two_epsilons(epsilon=epsilon)[0].get_title(loc="left")
        assert title.endswith(f"by a factor of up to {written}")
    _, ax = figures.two_epsilons(other_epsilon=700)
    ax.figure.canvas.draw()
    assert ax.texts[0].get_window_extent().x0 > ax.get_window_extent().x0  # not over the axis


def test_the_bars_are_the_table() -> None:
    found = figures.votes()
    ax = found.plot()
    for number, bars in enumerate(ax.containers):
        assert [bar.get_height() for bar in bars] == list(found.probabilities[:, number])
    assert {"0.88", "1e-04", "1e-06"} <= {text.get_text() for text in ax.texts}
    assert next(text.get_text() for text in ax.get_xticklabels()) == "pizza\n27 votes"
    other = figures.votes({"yes": 3, "no": 1}, [2])
    assert other.probabilities[0, 0] == pytest.approx(1 / (1 + math.exp(-2)))
    assert repr(figures.votes({"yes": 10**6, "no": 0}, [1])).endswith("<1e-300")


def test_names_of_options_are_no_formulas_and_do_not_overlap() -> None:
    ax = figures.votes({"$\\foo$": 1, "x" * 50: 2}).plot()
    ax.figure.canvas.draw()
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels == ["$\\foo$\n1 vote", "x" * 37 + "...\n2 votes"]
    long = {f"an option whose name is long, {number}": 3 * number for number in range(12)}
    ax = figures.votes(long, [0, "0.1", 1]).plot()
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {30.0}
    assert not ax.texts  # 36 numbers would cover each other
    ax.figure.canvas.draw()
    legend = ax.get_legend().get_window_extent()
    assert not any(legend.overlaps(bar.get_window_extent()) for bar in ax.patches)


def test_the_table_is_that_of_the_drawn_densities() -> None:
    """By the curves themselves: 2 % of the Laplace law's fourth moment lie beyond their ends."""
    found, b = figures.densities(3), 3 / math.sqrt(2)
    entropies = math.log(2 * math.e * b), math.log(2 * math.pi * math.e * 9) / 2
    assert found.table["entropy (nats)"] == pytest.approx(entropies)
    assert found.table["variance"] == pytest.approx((2 * b**2, 9))
    assert found.table["excess kurtosis"] == (3, 0)
    for line, peak in zip(found.plot().lines, (1 / (2 * b), 0.3989423 / 3), strict=False):
        x, y = line.get_data()
        assert np.trapezoid(y, x) == pytest.approx(1, abs=3e-3)
        assert y.max() == pytest.approx(peak, rel=1e-6)


def test_beliefs_are_those_of_posterior() -> None:
    loss = cydp.group_privacy(cydp.PureDP("0.5"), 2)
    high, low = figures.beliefs(loss).lines[:2]
    for place in (20, 100, 150):
        least, most = cydp.teach.posterior(loss, str(high.get_xdata()[place].round(3)))
        assert high.get_ydata()[place] == pytest.approx(most, rel=1.1e-5)
        assert low.get_ydata()[place] == pytest.approx(least, rel=1.1e-5)
    for epsilon in (720, 5000):  # beyond floats, and where e**epsilon is not computed
        high, low = figures.beliefs(cydp.PureDP(epsilon)).lines[:2]
        assert high.get_ydata()[[0, 1, 200]] == pytest.approx([0, 1, 1])
        assert low.get_ydata()[[0, 199, 200]] == pytest.approx([0, 0, 1])


def test_odds_and_trade_offs_have_a_line_for_each_loss() -> None:
    ax = figures.odds()
    for line, k in zip(ax.lines[:3], (1, 2, 5), strict=False):
        x, y = line.get_data()
        assert np.log(y) == pytest.approx(k * x)
    assert "\N{GREEK SMALL LETTER EPSILON} = 10: \N{MULTIPLICATION SIGN} 22,026" in [
        text.get_text() for text in ax.texts
    ]
    plan = cydp.Plan([(cydp.PureDP("0.1"), 3)])
    ax = figures.trade_offs(cydp.PureDP(1), cydp.ApproxDP(1, 0.05), plan)
    assert [line.get_label() for line in ax.lines] == [
        f"most for {EPSILON} = 1", f"most for {EPSILON} = 1, {DELTA} = 0.05",
        "most for a plan of 3 releases", "guessing",
    ]  # fmt: skip
    assert all(max(line.get_ydata()) == 1 for line in ax.lines)
    alone = cydp.teach.trade_off(cydp.PureDP("1e-4")).plot()
    assert alone.lines[-1].get_label() == "best fair bet: 0.500025 right"  # which is not 1/2


def test_losses_about_different_questions_say_them() -> None:
    count = cydp.count([1, 2, 3], epsilon=1)
    for draw in (figures.beliefs, figures.trade_offs):
        ax = draw(count, cydp.PureDP(2, relation="change-one"))
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        assert labels[0].endswith(f"{EPSILON} = 1,\none row taking part or not")
        assert labels[1].endswith(f"{EPSILON} = 2,\none person's record being this or another")
        assert "taking part" not in ax.get_title(loc="left")
        title = draw(count).get_title(loc="left")
        assert title.endswith("The question:\none row taking part or not")


def test_renyi_curves_are_lines_and_ceilings() -> None:
    noise = cydp.Gaussian(rho="1/2", sensitivity=1)
    ax = figures.renyi_curves(noise, cydp.PureDP(1), cydp.DiscreteLaplace(epsilon=1, sensitivity=9))
    assert [line.get_label() for line in ax.lines] == [
        f"Gaussian, {RHO} = 0.5", f"{EPSILON} = 1", f"DiscreteLaplace, {EPSILON} = 1"
    ]  # fmt: skip
    orders = ax.lines[0].get_xdata()
    assert orders[0] > 1
    assert orders[-1] == 8
    straight, pure, wide = (line.get_ydata() for line in ax.lines)
    assert straight == pytest.approx(orders / 2)
    at_two = np.interp(2, orders, pure)
    # Randomized response: the mean of p**2 / q.
    e = math.e
    assert at_two == pytest.approx(math.log((e**2 + 1 / e) / (1 + e)), rel=1e-3)
    assert (wide < pure).all()
    assert (pure < 1).all()
    assert (pure <= straight).all()
    short = figures.renyi_curves(noise, largest_order="1.0001").lines[0].get_xdata()
    assert 1 < short.min() <= short.max() <= 1.0001
