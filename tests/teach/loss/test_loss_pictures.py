"""Pictures of a privacy loss: readable, and the areas that they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from teach.looks import check, closed

from cydp import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    PartitionSelection,
    Plan,
    PureDP,
    RandomizedResponse,
)
from cydp.teach import compare_losses, privacy_loss

LAPLACE = privacy_loss(Laplace(epsilon=1, sensitivity=1))
NORMAL = privacy_loss(Gaussian(rho="1/2", sensitivity=1))
DISCRETE = privacy_loss(DiscreteGaussian(rho="1/2", sensitivity=1))
PLAN = privacy_loss(
    Plan(
        [
            (DiscreteGaussian(rho="0.02", sensitivity=1), 20),
            (Laplace(epsilon="0.1", sensitivity=1), 10),
        ]
    )
)
APPROX = privacy_loss(ApproxDP(1, "0.05"))
PICTURES: dict[str, Callable[[], Any]] = {
    "the lecture's": lambda: compare_losses(LAPLACE, NORMAL),
    "three": lambda: compare_losses(DISCRETE, PLAN, APPROX, epsilon="1/2"),
    "loss": lambda: DISCRETE.plot(1),
    "infinite loss": APPROX.plot,
    "area": lambda: NORMAL.plot_area(1),
    "delta, stems": lambda: DISCRETE.plot_delta(1),
    "delta, words": APPROX.plot_delta,
    "delta, density": lambda: NORMAL.plot_delta(1),
    "delta, bins": lambda: PLAN.plot_delta(1),
    "delta, few": lambda: (3 * privacy_loss(RandomizedResponse(epsilon=1))).plot_delta("0.5"),
    "delta, integers in groups": lambda: privacy_loss(
        DiscreteGaussian(rho="0.1", sensitivity=100)
    ).plot_delta("0.5"),
    "delta, partitions": privacy_loss(
        PartitionSelection(epsilon=1, delta="0.05", max_partitions=2), neighbours=(1, 0)
    ).plot_delta,
    "curve": lambda: LAPLACE.plot_curve(NORMAL, DISCRETE, APPROX),
}


@pytest.mark.parametrize("name", PICTURES)
def test_it_can_be_read(name: str) -> None:
    check(PICTURES[name])


def area_of(ax: Any) -> float:
    """The area of the hatched part, from what is drawn."""
    if ax.patches:
        return float(sum(bar.get_width() * bar.get_height() for bar in ax.patches))
    total = 0.0
    for path in ax.collections[0].get_paths():
        x, y = path.vertices.T
        total += abs(float(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1]))) / 2
    return total


@pytest.mark.parametrize(
    ("draw", "delta", "accuracy"),
    [
        (lambda: DISCRETE.plot_delta(1), DISCRETE.delta(1), 0.002),
        (lambda: NORMAL.plot_delta(1), NORMAL.delta(1), 0.002),
        (lambda: DISCRETE.plot_area(1), DISCRETE.delta(1), 1e-6),
        (lambda: NORMAL.plot_area(1), NORMAL.delta(1), 0.002),
        (
            lambda: privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=30)).plot_delta("0.5"),
            privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=30)).delta("0.5"), 0.005,
        ),
    ],
)  # fmt: skip
def test_the_hatched_area_is_delta(draw: Callable[[], Any], delta: float, accuracy: float) -> None:
    """The part beyond the likelihood ratio's line, which lectures show, is another area."""
    with closed():
        ax = draw()
        ax.figure.canvas.draw()
        assert area_of(ax) == pytest.approx(delta, rel=accuracy + 2e-3)
        ratio = DISCRETE.plot(1)
        assert area_of(ratio) > 2 * DISCRETE.delta(1)


@pytest.mark.parametrize("epsilon", [40, 50, 290])
def test_large_losses_are_drawn_where_they_are(epsilon: int) -> None:
    loss = privacy_loss(PureDP(300))
    with closed():
        ax = loss.plot(epsilon)
        curve, line = (each.get_ydata() for each in ax.lines)
        assert curve[0] == pytest.approx(np.exp(300.0))
        assert line[0] < curve[0] < ax.get_ylim()[1]
        area = loss.plot_area(epsilon)
        area.figure.canvas.draw()
        assert area_of(area) == pytest.approx(1, rel=1e-3)


def test_small_losses_have_ticks() -> None:
    with closed():
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


def test_bad_input_is_named() -> None:
    with pytest.raises(TypeError, match="losses must be PrivacyLoss"):
        NORMAL.plot_curve(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="from 2 to 4"):
        compare_losses(NORMAL)
    with pytest.raises(ValueError, match="at most 5"):
        NORMAL.plot_curve(*[NORMAL] * 6)
    with pytest.raises(ValueError, match="from 0 to 300"):
        NORMAL.plot(-1)
