"""The pictures of `cydp.teach`: what is computed for each, and its drawing as a file."""

import runpy
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from harness import in_turn

import cydp
from cydp import teach
from cydp.teach import attacks, figures, utility
from cydp.testing import SeededGenerator

mpl.use("agg")

EXAMPLES = Path(__file__).parents[1] / "examples"
PUMS = np.genfromtxt(EXAMPLES / "data" / "pums.csv", delimiter=",", names=True)
TABLE = {name: PUMS[name] for name in PUMS.dtype.names or ()}
MARRIED = {"married": 1}
DOMAINS = {
    "age": (100, (0, 100)), "sex": [0, 1], "educ": range(1, 17), "race": range(1, 7),
    "income": ([0, 1, 10_000, 20_000, 30_000, 50_000, 100_000, 1_000_000], None),
}  # fmt: skip
REGISTER = {name: DOMAINS[name] for name in ("sex", "race", "educ")}
PERSON = {"age": 59, "sex": 1, "educ": 9, "race": 1}
PURE, NORMAL = cydp.PureDP(1), cydp.ApproxDP(1, 1e-6)


def gaussian() -> Any:
    return teach.privacy_loss(cydp.DiscreteGaussian(rho="1/2", sensitivity=1))


def laplace() -> Any:
    return teach.privacy_loss(cydp.DiscreteLaplace(epsilon=1, sensitivity=1))


def plan() -> Any:
    count = cydp.DiscreteLaplace(epsilon="1/10", sensitivity=1)
    return teach.privacy_loss(cydp.Plan([(count, 100)]))


def seeded() -> Any:
    return SeededGenerator(1)


PICTURES: dict[str, Callable[[], Any]] = {
    "PrivacyLoss.plot": lambda: gaussian().plot(1),
    "PrivacyLoss.plot_area": lambda: gaussian().plot_area(1),
    "PrivacyLoss.plot_delta": lambda: gaussian().plot_delta(1),
    "PrivacyLoss.plot_curve": lambda: gaussian().plot_curve(laplace(), plan()),
    "compare_losses": lambda: teach.compare_losses(laplace(), gaussian(), epsilon=1),
    "ExpectedChange.plot": lambda: teach.expected_change(NORMAL, 10_000).plot(),
    "TradeOff.plot": lambda: teach.trade_off(NORMAL).plot(),
    "PublicEpsilons.plot": lambda: teach.public_epsilons().plot(),
    "figures.averages": lambda: figures.averages(rng=seeded()),
    "figures.beliefs": figures.beliefs,
    "figures.densities": lambda: figures.densities().plot(),
    "figures.errors_by_answers": figures.errors_by_answers,
    "figures.errors_by_epsilon": figures.errors_by_epsilon,
    "figures.neighbours": figures.neighbours,
    "figures.odds": figures.odds,
    "figures.renyi_curves": figures.renyi_curves,
    "figures.trade_offs": figures.trade_offs,
    "figures.two_epsilons": figures.two_epsilons,
    "figures.votes": lambda: figures.votes().plot(),
    "attacks.averaging": lambda: attacks.averaging(TABLE, MARRIED).plot(),
    "AveragingAttack.plot_means": lambda: attacks.averaging(TABLE, MARRIED).plot_means(),
    "attacks.repeated_array": lambda: attacks.repeated_array(TABLE, MARRIED).plot(),
    "attacks.differencing": lambda: attacks.differencing(TABLE, MARRIED, PERSON).plot(),
    "attacks.linkage": lambda: attacks.linkage(TABLE, DOMAINS, "income").plot(),
    "attacks.reconstruction": lambda: attacks.reconstruction(
        TABLE, REGISTER, MARRIED, block={"age": 73}
    ).plot(),
    "attacks.low_bits": lambda: attacks.low_bits((1, 0)).plot(),
    "LowBits.plot": lambda: attacks.low_bits((1, 0)).undefended.observed.plot(),
    "attacks.timing": lambda: attacks.timing((0, 1)).plot(),
    "Timed.plot": lambda: attacks.timing((0, 1)).undefended.observed.plot(),
    "UtilityTable.plot": lambda: utility.measure(
        "counts", [1, 10, 100, 1000], epsilon=1, delta="1e-6"
    ).plot(),
    "dp_sgd.plot_accuracy": runpy.run_path(str(EXAMPLES / "dp_sgd.py"))["plot_accuracy"],
}


@pytest.mark.parametrize("name", PICTURES)
def bench_picture(benchmark: Any, name: str) -> None:
    benchmark.group = f"picture: {name}"

    def draw() -> bytes:
        file = BytesIO()
        axes = np.ravel(np.asarray(PICTURES[name](), object))
        axes[0].figure.savefig(file, dpi=100)
        mpl.pyplot.close("all")
        return file.getvalue()

    answers = in_turn.measure(benchmark, {"cydp": draw}, rounds=5)
    assert answers["cydp"].startswith(b"\x89PNG")
