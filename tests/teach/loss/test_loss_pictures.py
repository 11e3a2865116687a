"""Pictures of a privacy loss: readable, and the areas that they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from teach.looks import closed

from cydp import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    PureDP,
)
from cydp.teach import privacy_loss

NORMAL = privacy_loss(Gaussian(rho="1/2", sensitivity=1))
DISCRETE = privacy_loss(DiscreteGaussian(rho="1/2", sensitivity=1))


def area_of(ax: Any) -> float:
    """The area of the hatched part, from what is drawn."""
    if ax.patches:
        return float(sum(bar.get_width() * bar.get_height() for bar in ax.patches))
    total = 0.0
    for path in ax.collections[0].get_paths():
        x, y = path.vertices.T
        total += abs(float(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1]))) / 2
    return total


def test_the_hatched_area_is_delta() -> None:
    """The part beyond the likelihood ratio's line, which lectures show, is another area."""
    wide = privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=30))
    for draw, delta, accuracy in (
        (DISCRETE.plot_delta, DISCRETE.delta(1), 0.004),
        (NORMAL.plot_area, NORMAL.delta(1), 0.004),
        (lambda epsilon: wide.plot_delta("0.5"), wide.delta("0.5"), 0.007),
    ):
        with closed():
            ax = draw(1)
            ax.figure.canvas.draw()
            assert area_of(ax) == pytest.approx(delta, rel=accuracy)
    with closed():
        assert area_of(DISCRETE.plot(1)) > 2 * DISCRETE.delta(1)


def test_large_and_small_losses_are_drawn_where_they_are() -> None:
    large = privacy_loss(PureDP(300))
    with closed():
        ax = large.plot(290)
        curve, line = (each.get_ydata() for each in ax.lines)
        assert curve[0] == pytest.approx(np.exp(300.0))
        assert line[0] < curve[0] < ax.get_ylim()[1]
        area = large.plot_area(40)
        area.figure.canvas.draw()
        assert area_of(area) == pytest.approx(1, rel=1e-3)
        ax = privacy_loss(PureDP("0.001")).plot()
        low, high = ax.get_ylim()
        assert high / low < 1.003
        ax.figure.canvas.draw()
        assert sum(low <= tick <= high for tick in ax.get_yticks()) >= 3


def test_it_draws_on_axes_that_are_given() -> None:
    from matplotlib import pyplot as plt

    with closed():
        _, axes = plt.subplots(1, 4)
        draws = (NORMAL.plot, NORMAL.plot_area, NORMAL.plot_delta, NORMAL.plot_curve)
        for draw, ax in zip(draws, axes, strict=True):
            assert draw(ax=ax) is ax
