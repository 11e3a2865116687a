"""What mechanisms say to a parameter that they do not allow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from inspect import signature
from typing import Any

import numpy as np
from refusals import Refusal, check_refusals

import cydp
from cydp import sensitivity as of
from cydp import teach
from cydp.mechanisms import (
    ProposeTestRelease,
    UniformChoice,
)
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.sensitivity import Sensitivity

GOOD: dict[Callable[..., Any], dict[str, Any]] = {
    cydp.DiscreteLaplace: {"epsilon": 1, "sensitivity": 1},
    cydp.Laplace: {"epsilon": 1, "sensitivity": 1},
    cydp.DiscreteGaussian: {"rho": 1, "sensitivity": 1},
    cydp.Gaussian: {"rho": 1, "sensitivity": 1},
    cydp.mechanisms.Snapping: {"epsilon": 1, "sensitivity": 1, "bounds": (-1000, 1000)},
    cydp.ExponentialMechanism: {"epsilon": 1, "sensitivity": 1},
    cydp.PermuteAndFlip: {"epsilon": 1, "sensitivity": 1},
    cydp.RandomizedResponse: {"epsilon": 1, "n_categories": 3},
    cydp.mechanisms.PartitionSelection: {"epsilon": 1, "delta": 0.1, "max_partitions": 1},
    ProposeTestRelease: {"epsilon": 1, "delta": 0.1, "sensitivity": 1},
    QuantileMechanism: {"epsilon": 1, "sensitivity": 1, "q": 0.5},
    UniformChoice: {"count": 4},
}
SELECTIONS = (cydp.ExponentialMechanism, cydp.PermuteAndFlip)
NORMAL = (cydp.DiscreteGaussian, cydp.Gaussian)
INTEGERS = (cydp.DiscreteLaplace, cydp.DiscreteGaussian)
BAD_NUMBERS = (0, -1, math.nan, math.inf, "x", "1e400000", 10**10**4)
NO_NUMBERS = (True, [1], np.array([1.0]), 1j)


class Table(dict[str, Refusal]):
    """Refusals, to which calls with several wrong values of one argument are added."""

    def call(self, call: Callable[..., Any], error: type[Exception], words: Iterable[str],
             *wrong: Any, **given: Any) -> None:  # fmt: skip
        for value in wrong or [None]:
            arguments = (value,) if wrong else ()
            self[f"{len(self)}: {call} {type(value)} {given}"] = (
                lambda arguments=arguments: call(*arguments, **given), error, tuple(words)
            )  # fmt: skip

    def make(self, make: Callable[..., Any], error: type[Exception], words: str,
             **wrong: Any) -> None:  # fmt: skip
        """Add calls of a constructor; a set or tuple of values stands for several calls."""
        ((name, values), *rest) = wrong.items()
        for i, value in enumerate(values if isinstance(values, tuple) else (values,)):
            given = {**GOOD[make], **dict(rest), name: value}
            self[f"{len(self)}: {make.__name__}, {list(wrong)}, {i}"] = (
                lambda given=given: make(**given), error, tuple(words.split("|"))
            )  # fmt: skip


def test_numbers() -> None:
    table = Table()
    for make, good in GOOD.items():
        for name in good.keys() & {"epsilon", "delta", "rho", "sensitivity"}:
            table.make(make, ValueError, f"{name}|must", **{name: BAD_NUMBERS})
            table.make(make, TypeError, f"{name}|must|", **{name: (*NO_NUMBERS, None)})
    for make in NORMAL:
        for name in ("sigma", "sigma2"):
            table.make(make, ValueError, f"{name}|must", **{name: BAD_NUMBERS}, rho=None)
            table.make(make, TypeError, f"{name}|must|", **{name: NO_NUMBERS}, rho=None)
    for make, name, allowed, values in [
        (cydp.Laplace, "coordinates", "1 to 2**60 - 1", (0, -1, 2**60)),
        (cydp.Gaussian, "coordinates", "1 to 2**60 - 1", (0, 2**60)),
        (cydp.DiscreteGaussian, "coordinates", "1 to 2**60 - 1", (0, 2**60)),
        (cydp.RandomizedResponse, "n_categories", "from 2 to 2**31", (1, -2, 2**31 + 1, 10**100)),
        (cydp.mechanisms.PartitionSelection, "max_partitions", "1 to 2**63 - 1", (0, -1, 2**63)),
        (UniformChoice, "count", "1 to 2**62", (0, -1, 2**62 + 1)),
    ]:
        table.make(make, ValueError, f"{name}|{allowed}", **{name: values})
        table.make(make, TypeError, f"{name}|integer", **{name: (True, 2.5, "2", [2], 2j)})
    table.call(UniformChoice, TypeError, ["by name"], 4)
    check_refusals(table)


def test_laplace_and_gaussian_noise() -> None:
    table = Table()
    table.make(cydp.DiscreteLaplace, ValueError, "epsilon must give a scale|between 1e-6 and 2**56",
               epsilon=(2 * 10**6, Fraction(1, 2**57)))  # fmt: skip
    no_grid = "epsilon must be larger than 1 / 2**52"
    table.make(cydp.Laplace, ValueError, no_grid, epsilon=Fraction(1, 2**52))
    table.make(cydp.Laplace, ValueError, "step|power of two", step=(3, 0, -1, 0.1))
    table.make(cydp.Laplace, ValueError, "step must be a power of two|2.0**2|not 3", step=3)
    table.make(cydp.Laplace, ValueError, "step", step="x")
    table.make(cydp.Laplace, ValueError, "2**52 steps of the grid", step=2.0**-60)
    table.make(cydp.Laplace, ValueError, "step must be from|2**896", step=2**1000)
    steps = "sigma must be between|steps of the grid"
    table.make(cydp.Gaussian, ValueError, steps, rho=None, sigma=1e30)
    table.make(cydp.Gaussian, ValueError, steps, rho=None, sigma=1, step=2.0**-60)
    table.make(cydp.Gaussian, ValueError, steps, rho=1e-300, sensitivity=1e-30)
    for make in (cydp.Laplace, cydp.Gaussian):
        beyond = (Fraction(1, 2**990), 2**950, "1e-400", "1e400")
        words = "sensitivity must give a scale between 2**-981 and"
        table.make(make, ValueError, words, sensitivity=beyond)
        table.make(make, ValueError, "sensitivity must be finite|clamp", sensitivity=math.inf)
    l2 = of.histogram(relation="change-one", norm=2)
    for make in (cydp.DiscreteLaplace, cydp.Laplace, cydp.mechanisms.Snapping, *SELECTIONS):
        table.make(make, ValueError, "sensitivity|L1 norm|Gaussian", sensitivity=l2)
    for make in NORMAL:
        one = "only one of "
        table.make(make, TypeError, "rho must be given, or sigma", rho=None)
        table.make(make, TypeError, f"{one}rho and sigma", sigma=1)
        table.make(make, TypeError, f"{one}sigma and sigma2", sigma=1, sigma2=1, rho=None)
        table.make(make, TypeError, f"{one}rho and epsilon", epsilon=1, delta=0.1)
        table.make(make, TypeError, "delta must be given with epsilon", epsilon=1, rho=None)
        table.make(make, TypeError, "epsilon must be given with delta", delta=0.1, rho=None)
        table.make(make, ValueError, "delta", delta=(0, 1, math.nan), epsilon=1, rho=None)
        table.make(make, ValueError, "epsilon", epsilon=0, delta=0.1, rho=None)
    # The error names what was given.
    discrete = cydp.DiscreteGaussian
    table.make(discrete, ValueError, "sigma must|1e-3 and 2**56", sigma=(1e-4, 2.0**57), rho=None)
    table.make(discrete, ValueError, "sigma2 must|1e-6 and 2**112", sigma2=1e-8, rho=None)
    table.make(discrete, ValueError, "rho must give|sensitivity / sqrt(2 rho), between", rho=1e30)
    words = "epsilon and delta must give a sigma"
    table.make(discrete, ValueError, words, epsilon=1e7, delta=0.1, rho=None)
    check_refusals(table)


def test_snapping() -> None:
    table = Table()
    table.make(
        cydp.mechanisms.Snapping, ValueError, "epsilon must|greater than 2**-52", epsilon=2.0**-53
    )
    table.make(
        cydp.mechanisms.Snapping, ValueError, "sensitivity must|2**-900", sensitivity="1e-400"
    )
    for words, bounds in {
        "lower < upper, not equal": (0, 0),
        "lower <= upper": (1000, -1000),
        "an end more than the scale": (-1, 1),
        "none 2**46 times": (0, 2.0**47),
        "upper in bounds=|must be finite": (0, math.inf),
        "bounds must be less": (0, 2**1100),
        "bounds must be a pair": (1, 2, 3),
        "lower in bounds=|must be a number": ("low", 3),
    }.items():
        table.make(cydp.mechanisms.Snapping, ValueError, words, bounds=(bounds,))
    table.make(cydp.mechanisms.Snapping, TypeError, "bounds must be a pair", bounds=(None, 1000))
    check_refusals(table)


def test_selections_and_scores() -> None:
    table = Table()
    for make in SELECTIONS:
        no_bools = (1, 0, None, "yes", np.True_)
        table.make(make, TypeError, "monotonic must be True or False", monotonic=no_bools)
        zeros = (0, 0.0, -0.0, np.float64(0), "0")
        table.make(make, ValueError, "epsilon must be greater than 0|UniformChoice", epsilon=zeros)
        for relation in ("change-one", "add-remove-or-change"):
            norm = Sensitivity(1, relation=relation)
            words = f"monotonic must be False|{relation}"
            table.make(make, ValueError, words, sensitivity=norm, monotonic=True)
    selection, larger = cydp.mechanisms.PartitionSelection, "epsilon and delta must be larger"
    table.make(selection, ValueError, "delta must be", delta=(1, 2, "1.5"))
    table.make(selection, ValueError, "relation must be", relation="both")
    for epsilon, delta, most in (("1e-6", "1e-9", 1), ("1e-300", "1e-300", 1),
                                 ("1", "1e-5", 2**62), ("1e-5", "1e-400", 1)):  # fmt: skip
        given = {"epsilon": epsilon, "delta": delta, "max_partitions": most}
        table.make(selection, ValueError, larger, **given)
    some = selection(**GOOD[selection])
    table.call(some.probability, TypeError, ["must be integers"], 1.0, True, "1", None, [0.5])
    leader = ProposeTestRelease(**GOOD[ProposeTestRelease])
    table.make(ProposeTestRelease, ValueError, "delta must be at most 1/2", delta="0.6")
    table.make(ProposeTestRelease, ValueError, "sensitivity|at least 1", sensitivity="0.5")
    table.call(leader.probability, ValueError, ["lead must be at least 0"], -1)
    table.call(UniformChoice(count=2**62).probabilities, ValueError, ["at most 2**30", "array"])
    table.call(cydp.RandomizedResponse(epsilon=1).probabilities, TypeError, ["code"], 1.0)
    table.make(QuantileMechanism, ValueError, "q must",
               q=(-0.1, "1.1", 2, math.nan, Fraction(1, 2**64)))  # fmt: skip
    table.make(QuantileMechanism, TypeError, "q must", q=(True, None, [0.5]))
    power = ("q must have a denominator", "power of two", "0.9")
    table.call(lambda q: teach.scores.quantile_scores([1], [1], q), ValueError, power, 0.9)
    table.call(
        lambda q: teach.scores.quantile_scores([1], [1], q),
        ValueError,
        ["q must be from 0 to 1"],
        2,
    )
    for score in (teach.scores.rank_difference_scores, teach.scores.tail_share_scores):
        points = ([], [math.nan], 3)
        table.call(lambda y, s=score: s([1], y), ValueError, ["candidates must be"], *points)
        table.call(lambda x, s=score: s(x, [3]), TypeError, ["x must be"], 3)
    table.call(teach.scores.quantile_score, ValueError, ["q must be from 0 to 1"], 1.5)
    table.call(teach.scores.quantile_score, ValueError, ["relation must be"], 0.5, relation="both")
    table.call(teach.scores.tail_share_score, ValueError, ["n must be"], 0, relation="change-one")
    table.call(teach.scores.tail_share_score, ValueError, ["n is private"], 5)
    check_refusals(table)


def test_confidences_and_counts() -> None:
    report = cydp.RandomizedResponse(epsilon=1)
    makers = [make for make in GOOD if hasattr(make, "error_bound")]
    bounds = [*(make(**GOOD[make]).error_bound for make in makers), report.hoeffding_bound]
    names = [[*signature(bound).parameters][1] for bound in bounds]
    assert len(bounds) == 10
    assert {*names} == {"count", "candidates", "reports"}
    table, bad = Table(), (0, 1, -0.5, 1.5, math.nan, "x")
    for bound, name in zip(bounds, names, strict=True):
        table.call(bound, ValueError, ["confidence must"], *bad, **{name: 2})
        by_count = lambda n, bound=bound, name=name: bound(**{name: n})  # noqa: E731
        table.call(by_count, ValueError, [f"{name} must"], 0, -1)
        table.call(by_count, TypeError, [f"{name} must"], True, 1.5, None)
    for bound in (bounds[0], bounds[3]):
        table.call(bound, ValueError, ["count must", "2**62"], count=2**63)
    for bound in (report.error_bound, report.hoeffding_bound):
        table.call(bound, ValueError, ["reports must", "2**62"], reports=2**63)
    table.call(report.estimate([0, 1]).interval, ValueError, ["confidence must"], *bad)
    check_refusals(table)


def test_points_and_chances_of_noise() -> None:
    table, bad = Table(), ("1", None, [None], 1j, True, ["a"])
    for make in (*INTEGERS, cydp.Laplace, cydp.Gaussian):
        m = make(**GOOD[make])
        for function in (m.pmf, m.cdf):
            table.call(function, TypeError, ["x must be"], *bad)
            at = lambda value, f=function: f(1, value=value)  # noqa: E731
            table.call(at, TypeError, ["value must be"], *bad)
        table.call(m.cdf, ValueError, ["x must not be NaN"], [0.0, math.nan])
        infinite = TypeError if make in INTEGERS else ValueError
        table.call(m.cdf, infinite, ["value must"], 0, value=math.inf)
        table.call(m.ppf, ValueError, ["q must be between 0 and 1"], 0, 1, -1, 2.0, [0.5, 1.0])
        table.call(m.ppf, TypeError, ["q must be"], None)
    integers = cydp.DiscreteLaplace(epsilon=1, sensitivity=1)
    table.call(integers.pmf, TypeError, ["value must be integers"], 0, value=0.5)
    check_refusals(table)
