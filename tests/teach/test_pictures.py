"""Each picture of the lessons can be read: on a dark page, and in .ci/long on a white one, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from teach.attacks.pums import ATTACKS, run
from teach.looks import STYLES, check

import cydp
from cydp import ApproxDP, DiscreteGaussian, Laplace, PureDP
from cydp.teach import (
    attacks,
    compare_losses,
    expected_change,
    figures,
    privacy_loss,
    trade_off,
    utility,
)
from cydp.teach import public_epsilons as public
from cydp.testing import SeededGenerator

LAPLACE = privacy_loss(Laplace(epsilon=1, sensitivity=1))
NORMAL = privacy_loss(cydp.Gaussian(rho="1/2", sensitivity=1))
DISCRETE = privacy_loss(DiscreteGaussian(rho="1/2", sensitivity=1))
WIDE = privacy_loss(DiscreteGaussian(rho="0.1", sensitivity=100))
APPROX = privacy_loss(ApproxDP(1, "0.05"))
PLAN = privacy_loss(
    cydp.Plan(
        [
            (DiscreteGaussian(rho="0.02", sensitivity=1), 20),
            (Laplace(epsilon="0.1", sensitivity=1), 10),
        ]
    )
)
RESPONSES = 3 * privacy_loss(cydp.RandomizedResponse(epsilon=1))
SELECTION = privacy_loss(
    cydp.mechanisms.PartitionSelection(epsilon=1, delta="0.05", max_partitions=2), neighbours=(1, 0)
)
BOTH = ["add-remove", "change-one"]


def measured(**grid: Any) -> Callable[[], Any]:
    return lambda: utility.measure(**{"trials": 5, "rng": SeededGenerator(1)} | grid).plot()


PICTURES: dict[str, Callable[[], Any]] = {
    "neighbours": figures.neighbours,
    "averages": lambda: figures.averages(rng=SeededGenerator(5)),
    "votes": lambda: figures.votes().plot(),
    "beliefs": figures.beliefs,
    "trade-offs": lambda: figures.trade_offs(PureDP(1), ApproxDP(1, 0.05)),
    "two losses": lambda: compare_losses(LAPLACE, NORMAL),
    "loss": lambda: DISCRETE.plot(1),
    "area": lambda: NORMAL.plot_area(1),
    "delta as stems": lambda: DISCRETE.plot_delta(1),
    "delta in bins": lambda: PLAN.plot_delta(1),
    "curve": lambda: LAPLACE.plot_curve(NORMAL, DISCRETE, APPROX),
    "public epsilons": lambda: public()[:6].plot(),
    "low bits": lambda: attacks.low_bits((0, 1), runs=9).undefended.observed.plot(),
    "steps": lambda: attacks.timing((0, 1), rng=SeededGenerator(1)).undefended.observed.plot(),
    "attack": lambda: run("linkage").plot(),
    "errors": measured(workload="counts", dimension=[1, 10], epsilon=1, delta="1e-6"),
}
MORE: dict[str, Callable[[], Any]] = {
    "errors by epsilon": figures.errors_by_epsilon,
    "densities": lambda: figures.densities().plot(),
    "odds": figures.odds,
    "renyi curves": figures.renyi_curves,
    "delta as words": APPROX.plot_delta,
    "expected change": lambda: expected_change(PureDP("0.5", relation=BOTH[0]), 10_000).plot(),
    "two epsilons": figures.two_epsilons,
    "errors by answers": figures.errors_by_answers,
    "votes of others": lambda: figures.votes({"yes": 3, "no": 1}, [2]).plot(),
    "two questions": lambda: figures.beliefs(
        cydp.count([1, 2, 3], epsilon=1), PureDP(2, relation="change-one")
    ),
    "three losses": lambda: compare_losses(DISCRETE, PLAN, APPROX, epsilon="1/2"),
    "infinite loss": APPROX.plot,
    "delta as density": lambda: NORMAL.plot_delta(1),
    "delta, few outputs": lambda: RESPONSES.plot_delta("0.5"),
    "delta, integers in groups": lambda: WIDE.plot_delta("0.5"),
    "delta, partitions": SELECTION.plot_delta,
    "trade-off": lambda: trade_off(PureDP("0.5", relation=BOTH[0])).plot(),
    "change of a rho": lambda: expected_change(cydp.ZCDP("0.5"), 1).plot(),
    "all public epsilons": lambda: public().plot(),
    **{f"attack: {name}": lambda name=name: run(name).plot() for name in ATTACKS},
    "means": lambda: run("averaging", epsilon="1e-7").plot_means(),
    "steps of cydp": lambda: attacks.timing((0, 1)).defended.observed.plot(),
    "relations": measured(dimension=5, epsilon=[0.1, 1], relation=BOTH),
    "rho": measured(dimension=5, rho=[0.1, 1]),
    "ranges": measured(
        workload=["ranges by histogram", "ranges by tree"], dimension=[4, 64], epsilon=1
    ),
    "settings": measured(workload=["count", "local count", "mean", "median"], dimension=[10, 1000]),
    "many": measured(dimension=[1, 10, 100], epsilon=[0.1, 1, 10], relation=BOTH, delta="1e-6"),
    "predicted": measured(dimension=[1, 10], epsilon=1, trials=0),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_can_be_read(name: str) -> None:
    check(PICTURES[name])


@pytest.mark.long
@pytest.mark.parametrize("name", [*PICTURES, *MORE])
def test_a_picture_can_be_read_on_every_page(name: str) -> None:
    check((PICTURES | MORE)[name], *STYLES)
