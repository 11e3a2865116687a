"""What mechanisms say to a parameter that they do not allow."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from refusals import Refusal, check_refusals

import cydp
from cydp import sensitivity as of
from cydp.mechanisms import (
    ProposeTestRelease,
    UniformChoice,
    quantile_scores,
    rank_difference_scores,
    tail_share_scores,
)
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.sensitivity import Sensitivity

GOOD: dict[Callable[..., Any], dict[str, Any]] = {
    cydp.DiscreteLaplace: {"epsilon": 1, "sensitivity": 1},
    cydp.Laplace: {"epsilon": 1, "sensitivity": 1},
    cydp.DiscreteGaussian: {"rho": 1, "sensitivity": 1},
    cydp.Gaussian: {"rho": 1, "sensitivity": 1},
    cydp.Snapping: {"epsilon": 1, "sensitivity": 1, "bounds": (-1000, 1000)},
    cydp.ExponentialMechanism: {"epsilon": 1, "sensitivity": 1},
    cydp.PermuteAndFlip: {"epsilon": 1, "sensitivity": 1},
    cydp.RandomizedResponse: {"epsilon": 1, "n_categories": 3},
    cydp.PartitionSelection: {"epsilon": 1, "delta": 0.1, "max_partitions": 1},
    ProposeTestRelease: {"epsilon": 1, "delta": 0.1, "sensitivity": 1},
    QuantileMechanism: {"epsilon": 1, "sensitivity": 1, "q": 0.5},
    UniformChoice: {"count": 4},
}
BAD_NUMBERS = {
    **{str(value): value for value in (0, -1, math.nan, math.inf, "x", "1e400000")},
    "of 10,000 digits": 10**10**4,
}
NO_NUMBERS = {str(value): value for value in (True, [1], np.array([1.0]), 1j)}


def refusal(make: Callable[..., Any], error: type[Exception], *words: str, **given: Any) -> Refusal:
    return lambda: make(**{**GOOD[make], **given}), error, words


def test_positive_numbers() -> None:
    table: dict[str, Refusal] = {}
    for make, good in GOOD.items():
        names = [name for name in good if name in ("epsilon", "delta", "rho", "sensitivity")]
        for name in names:
            for error, values in ((ValueError, BAD_NUMBERS), (TypeError, NO_NUMBERS)):
                for said, value in values.items():
                    key = f"{make.__name__}({name}={said})"
                    table[key] = refusal(make, error, name, "must", **{name: value})
            key = f"{make.__name__}({name}=None)"
            table[key] = refusal(make, TypeError, name, "must", **{name: None})
    for kind in (cydp.DiscreteGaussian, cydp.Gaussian):
        for name in ("sigma", "sigma2"):
            for error, values in ((ValueError, BAD_NUMBERS), (TypeError, NO_NUMBERS)):
                for said, value in values.items():
                    key = f"{kind.__name__}({name}={said})"
                    table[key] = refusal(kind, error, name, "must", rho=None, **{name: value})
    check_refusals(table)


def test_integers() -> None:
    table = {}
    ranges = [
        (cydp.Laplace, "coordinates", (0, -1, 2**60), "1 to 2**60 - 1"),
        (cydp.Gaussian, "coordinates", (0, 2**60), "1 to 2**60 - 1"),
        (cydp.DiscreteGaussian, "coordinates", (0,), "1 to 2**60 - 1"),
        (cydp.RandomizedResponse, "n_categories", (1, -2, 2**31 + 1, 10**100), "from 2 to 2**31"),
        (cydp.PartitionSelection, "max_partitions", (0, -1, 2**63), "1 to 2**63 - 1"),
        (UniformChoice, "count", (0, -1, 2**62 + 1), "1 to 2**62"),
    ]
    for make, name, values, allowed in ranges:
        for value in values:
            table[f"{make.__name__}({name}={value})"] = refusal(
                make, ValueError, name, allowed, **{name: value}
            )
        for value in (True, 2.5, "2", [2], 2j):
            table[f"{make.__name__}({name}={value})"] = refusal(
                make, TypeError, name, "must be an integer", **{name: value}
            )
    check_refusals(table)


def test_what_laplace_and_gaussian_noise_needs() -> None:
    discrete, laplace = cydp.DiscreteLaplace, cydp.Laplace
    normal, gaussian = cydp.DiscreteGaussian, cydp.Gaussian
    range_of_scales = ("epsilon must give a scale", "between 1e-6 and 2**56")
    steps = ("sigma must be between", "steps of the grid")
    table = {
        "too narrow": refusal(discrete, ValueError, *range_of_scales, epsilon=2 * 10**6),
        "too wide": refusal(discrete, ValueError, *range_of_scales, epsilon=Fraction(1, 2**57)),
        "no grid is fine enough": refusal(
            laplace, ValueError, "epsilon must be larger than 1 / 2**52", epsilon=Fraction(1, 2**52)
        ),
        "a step of 3": refusal(laplace, ValueError, "step", "power of two", "2.0**2", "3", step=3),
        "a step of 0": refusal(laplace, ValueError, "step", "power of two", step=0),
        "a negative step": refusal(laplace, ValueError, "step", "power of two", step=-1),
        "a step of 0.1": refusal(laplace, ValueError, "step", "power of two", "0.1", step=0.1),
        "a step of x": refusal(laplace, ValueError, "step", step="x"),
        "too fine a step": refusal(laplace, ValueError, "2**52 steps of the grid", step=2.0**-60),
        "a step beyond floats": refusal(laplace, ValueError, "step", "2**896", step=2**1000),
        "a sigma of a wide grid": refusal(gaussian, ValueError, *steps, rho=None, sigma=1e30),
        "a sigma of a fine grid": refusal(
            gaussian, ValueError, *steps, rho=None, sigma=1, step=2.0**-60
        ),
        "a sigma beyond its grid": refusal(
            gaussian, ValueError, *steps, sensitivity=1e-30, rho=1e-300
        ),
        "positional": (lambda: UniformChoice(4), TypeError, ("by name",)),  # type: ignore[call-arg, misc]
        "an infinite sensitivity": refusal(
            laplace, ValueError, "sensitivity must be finite", "clamp", sensitivity=math.inf
        ),
        "an L2 norm": refusal(
            laplace, ValueError, "sensitivity", "L1 norm", "Gaussian",
            sensitivity=of.histogram(relation="change-one", norm=2),
        ),
    }  # fmt: skip
    for norm in (Fraction(1, 2**990), 2**950, "1e-400", "1e400"):
        for kind in (laplace, gaussian):
            table[f"{kind.__name__} of {str(norm)[:9]}"] = refusal(
                kind, ValueError, "sensitivity must give a scale between 2**-981 and",
                sensitivity=norm,
            )  # fmt: skip
    for kind in (normal, gaussian):
        rows: dict[str, tuple[type[Exception], tuple[str, ...], dict[str, Any]]] = {
            "nothing": (TypeError, ("rho must be given, or sigma",), {}),
            "rho and sigma": (TypeError, ("only one of rho and sigma",), {"rho": 1, "sigma": 1}),
            "sigma twice": (TypeError, ("only one of sigma and",), {"sigma": 1, "sigma2": 1}),
            "rho and epsilon": (
                TypeError, ("only one of rho and epsilon",), {"rho": 1, "epsilon": 1, "delta": 0.1}
            ),
            "no delta": (TypeError, ("delta must be given with epsilon",), {"epsilon": 1}),
            "no epsilon": (TypeError, ("epsilon must be given with delta",), {"delta": 0.1}),
            "a delta of 0": (ValueError, ("delta",), {"epsilon": 1, "delta": 0}),
            "a delta of 1": (ValueError, ("delta",), {"epsilon": 1, "delta": 1}),
            "an epsilon of 0": (ValueError, ("epsilon",), {"epsilon": 0, "delta": 0.1}),
        }  # fmt: skip
        for name, (error, words, given) in rows.items():
            given = {"rho": None, **given}
            table[f"{kind.__name__}: {name}"] = refusal(kind, error, *words, **given)
    out_of_range: list[tuple[dict[str, Any], str]] = [
        ({"sigma": 1e-4}, "sigma must be between 1e-3 and 2**56"),
        ({"sigma": 2.0**57}, "sigma must be between 1e-3 and 2**56"),
        ({"sigma2": 1e-8}, "sigma2 must be between 1e-6 and 2**112"),
        ({"rho": 1e30}, "rho must give a sigma, sensitivity / sqrt(2 rho), between"),
        ({"epsilon": 1e7, "delta": 0.1}, "epsilon and delta must give a sigma between"),
    ]
    for given, said in out_of_range:  # the error names what was given
        table[f"DiscreteGaussian({given})"] = refusal(
            normal, ValueError, said, **{"rho": None, **given}
        )
    check_refusals(table)


def test_what_snapping_needs() -> None:
    def bounds(error: type[Exception], *words: str, bounds: Any) -> Refusal:
        return refusal(cydp.Snapping, error, *words, bounds=bounds)

    check_refusals({
        "an epsilon below rounding": refusal(
            cydp.Snapping, ValueError, "epsilon must be greater than 2**-52", epsilon=2.0**-53
        ),
        "a tiny sensitivity": refusal(
            cydp.Snapping, ValueError, "sensitivity must be from 2**-900", sensitivity="1e-400"
        ),
        "equal bounds": bounds(ValueError, "lower < upper, not equal", bounds=(0, 0)),
        "crossed bounds": bounds(ValueError, "lower <= upper", bounds=(1000, -1000)),
        "narrow bounds": bounds(ValueError, "an end more than the scale", bounds=(-1, 1)),
        "wide bounds": bounds(ValueError, "none 2**46 times", bounds=(0, 2.0**47)),
        "an infinite bound": bounds(ValueError, "upper in bounds=", "finite", bounds=(0, math.inf)),
        "a bound beyond floats": bounds(ValueError, "bounds must be less", bounds=(0, 2**1100)),
        "no bounds": bounds(TypeError, "bounds must be a pair", bounds=None),
        "one bound": bounds(TypeError, "bounds must be a pair", bounds=1000),
        "three bounds": bounds(ValueError, "bounds must be a pair", bounds=(1, 2, 3)),
        "a bound that is a word": bounds(ValueError, "lower in bounds=", bounds=("low", 3)),
    })  # fmt: skip


def test_what_selections_need() -> None:
    table: dict[str, Refusal] = {}
    for kind in (cydp.ExponentialMechanism, cydp.PermuteAndFlip):
        for value in (1, 0, None, "yes", np.True_):
            table[f"{kind.__name__}(monotonic={value!r})"] = refusal(
                kind, TypeError, "monotonic must be True or False", monotonic=value
            )
        for zero in (0, 0.0, -0.0, np.float64(0), "0"):
            table[f"{kind.__name__}(epsilon={zero!r})"] = refusal(
                kind, ValueError, "epsilon must be greater than 0", "UniformChoice", epsilon=zero
            )
        for relation in ("change-one", "add-remove-or-change"):
            table[f"{kind.__name__}, monotonic under {relation}"] = refusal(
                kind, ValueError, "monotonic must be False", relation,
                monotonic=True, sensitivity=Sensitivity(1, relation=relation),
            )  # fmt: skip
    selection = cydp.PartitionSelection
    larger = "epsilon and delta must be larger"
    for delta in (1, 2, "1.5"):
        table[f"a delta of {delta}"] = refusal(selection, ValueError, "delta must be", delta=delta)
    table |= {
        "an unknown relation": refusal(selection, ValueError, "relation must be", relation="both"),
        "a million users": refusal(selection, ValueError, larger, epsilon="1e-6", delta="1e-9"),
        "tiny": refusal(selection, ValueError, larger, epsilon="1e-300", delta="1e-300"),
        "many partitions": refusal(
            selection, ValueError, larger, delta="1e-5", max_partitions=2**62
        ),
        "a tiny delta": refusal(selection, ValueError, larger, epsilon="1e-5", delta="1e-400"),
        "a delta above 1/2": refusal(
            ProposeTestRelease, ValueError, "delta must be at most 1/2", delta="0.6"
        ),
        "half a count": refusal(
            ProposeTestRelease, ValueError, "sensitivity must be at least 1", sensitivity="0.5"
        ),
        "a negative lead": (
            lambda: ProposeTestRelease(**GOOD[ProposeTestRelease]).probability(-1),
            ValueError, ("lead must be at least 0",),
        ),
        "too many probabilities": (
            lambda: UniformChoice(count=2**62).probabilities(),
            ValueError, ("at most 2**30 for an array of probabilities",),
        ),
        "a code of 1.0": (
            lambda: cydp.RandomizedResponse(epsilon=1).probabilities(1.0),  # type: ignore[arg-type]
            TypeError, ("code",),
        ),
    }  # fmt: skip
    for q in (-0.1, "1.1", 2, math.nan, Fraction(1, 2**64)):
        table[f"q={q}"] = refusal(QuantileMechanism, ValueError, "q must", q=q)
    for q in (True, None, [0.5]):
        table[f"q={q}"] = refusal(QuantileMechanism, TypeError, "q must", q=q)
    check_refusals(table)


def test_what_scores_need() -> None:
    check_refusals({
        "a q of 0.9": (
            lambda: quantile_scores([1], [1], 0.9), ValueError,
            ("q must have a denominator", "power of two", "0.9"),
        ),
        "a q of 2": (lambda: quantile_scores([1], [1], 2), ValueError, ("q must be from 0 to 1",)),
        "no candidate": (lambda: quantile_scores([1], [], 0.5), ValueError, ("candidates must",)),
        "NaN": (lambda: tail_share_scores([1], [math.nan]), ValueError, ("candidates must be",)),
        "3": (lambda: rank_difference_scores([1], 3), ValueError, ("candidates must be",)),
        "x of 3": (lambda: rank_difference_scores(3, [3]), TypeError, ("x must be",)),  # type: ignore[arg-type]
        "q of a sensitivity": (lambda: of.quantile_score(1.5), ValueError, ("q must be from 0",)),
        "both": (lambda: of.quantile_score(0.5, relation="both"), ValueError, ("relation must",)),
        "n of 0": (
            lambda: of.tail_share_score(0, relation="change-one"), ValueError, ("n must be",)
        ),
        "n of a table that grows": (lambda: of.tail_share_score(5), ValueError, ("n is private",)),
    })  # fmt: skip


def test_confidences_and_counts() -> None:
    bounds: dict[str, Callable[..., Any]] = {
        make.__name__: make(**GOOD[make]).error_bound
        for make in GOOD if hasattr(make, "error_bound")
    }  # fmt: skip
    report = cydp.RandomizedResponse(epsilon=1)
    bounds["hoeffding_bound"] = report.hoeffding_bound
    assert len(bounds) == 10
    table: dict[str, Refusal] = {}
    for name, bound in bounds.items():
        for value in (0, 1, -0.5, 1.5, math.nan, "x"):
            table[f"{name}({value})"] = (
                lambda bound=bound, value=value: bound(value, count=2), ValueError, ("confidence",)
            )  # fmt: skip
        for error, counts in ((ValueError, (0, -1)), (TypeError, (True, 1.5, None))):
            for count in counts:
                table[f"{name}(count={count})"] = (
                    lambda bound=bound, count=count: bound(count=count), error, ("count must",)
                )  # fmt: skip
    for name in ("DiscreteLaplace", "Gaussian", "RandomizedResponse", "hoeffding_bound"):
        bound = bounds[name]
        table[f"{name}(count=2**63)"] = (
            lambda bound=bound: bound(count=2**63), ValueError, ("count must", "2**62")
        )  # fmt: skip
    for value in (0, 1, -1, 1.5, math.nan):
        table[f"interval({value})"] = (
            lambda value=value: report.estimate([0, 1]).interval(value), ValueError,
            ("confidence must be",),
        )  # fmt: skip
    check_refusals(table)


def test_points_and_chances_of_noise() -> None:
    table: dict[str, Refusal] = {}
    integers = (cydp.DiscreteLaplace, cydp.DiscreteGaussian)
    for make in (*integers, cydp.Laplace, cydp.Gaussian):
        m, name = make(**GOOD[make]), make.__name__
        for bad in ("1", None, [None], 1j, True, ["a"]):
            for function in (m.pmf, m.cdf):
                called = f"{name}.{function.__name__}"
                table[f"{called}({bad})"] = (
                    lambda f=function, bad=bad: f(bad), TypeError, ("x must be",)
                )  # fmt: skip
                table[f"{called}(1, value={bad})"] = (
                    lambda f=function, bad=bad: f(1, value=bad), TypeError, ("value must be",)
                )  # fmt: skip
        table[f"{name}.cdf(NaN)"] = (
            lambda m=m: m.cdf([0.0, math.nan]), ValueError, ("x must not be NaN",)
        )  # fmt: skip
        infinite = TypeError if make in integers else ValueError
        table[f"{name}, an infinite value"] = (
            lambda m=m: m.cdf(0, value=math.inf), infinite, ("value must",)
        )  # fmt: skip
        for q in (0, 1, -1, 2.0, [0.5, 1.0]):
            table[f"{name}.ppf({q})"] = (
                lambda m=m, q=q: m.ppf(q), ValueError, ("q must be between 0 and 1",)
            )  # fmt: skip
        table[f"{name}.ppf(None)"] = (lambda m=m: m.ppf(None), TypeError, ("q must be",))
    table["half an integer"] = (
        lambda: cydp.DiscreteLaplace(epsilon=1, sensitivity=1).pmf(0, value=0.5),
        TypeError, ("value must be integers",),
    )  # fmt: skip
    check_refusals(table)
