"""Every size of every parameter: an answer, or a ValueError that says what is out of range."""

import itertools
import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from reference import discrete_gaussian as oracle

from cydp import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Plan
from cydp.mechanisms import _discrete_gaussian_tails as tails

SIZES = ["1e-1200", "1e-310", "1e-200", "1e-30", "1e-9", "0.1", "1", "745", "1e9", "1e30", "1e154",
         "1e200", "1e310", "1e1200"]  # fmt: skip
DELTAS = ["1e-1200", "1e-300", "1e-5", 1 - Fraction(1, 2**4000)]
CLEAR = re.compile(
    "(sigma|sigma2|scale|epsilon|delta|rho|sensitivity|rho and epsilon|epsilon and delta) "
    "must (be|have|not|give)"
)

Make = Callable[..., Any]


def answer(ask: Callable[[], Any]) -> Any:
    """Return what is answered, or None for a clear refusal."""
    try:
        return ask()
    except ValueError as error:
        assert CLEAR.match(str(error)), error  # noqa: PT017
        return None


def ask_everything(make: Callable[[], Any]) -> bool:
    noise = answer(make)
    if noise is None:
        return False
    assert noise.variance >= 0
    assert not noise.loss.rho < 0
    for confidence, count in ((0.95, 1), ("1e-30", 10**6), (1 - Fraction(1, 10**400), 2**62)):
        bound = answer(lambda c=confidence, n=count: noise.error_bound(c, count=n))
        assert bound is None or bound >= 0
    plan = Plan([(noise, 1000)])
    for name, bound in (
        *plan.epsilon_by_method("1e-1200").items(),
        *plan.epsilon_by_method("0.5").items(),
    ):
        assert bound >= 0, name
    return all(0 <= plan.delta(at) <= 1 for at in ("0", "1e-9", "1e1200"))


NORMS = ["1e-1200", "1e-200", "1", "1e200", "1e1200"]
CASES = [  # what gives the amount of noise, and how many numbers change
    *({name: None} for name in ("rho", "sigma", "sigma2")),
    *({"epsilon": None, "coordinates": n} for n in (None, 1, 2**59)),
]


def gaussian(kind: Make, norm: str, size: str, case: int) -> bool:
    given: dict[str, Any] = {name: size if n is None else n for name, n in CASES[case].items()}
    if "epsilon" in given:
        given |= {"delta": DELTAS[SIZES.index(size) % 4], "coordinates": CASES[case]["coordinates"]}
    return ask_everything(lambda: kind(**given, sensitivity=norm))


def test_gaussian_noise_of_each_size() -> None:
    """Each size with a norm, and with one way of giving each of rho, sigma and epsilon."""
    made = 0
    for i, size in enumerate(SIZES):
        for kind, norm in ((Gaussian, NORMS[i % 5]), (DiscreteGaussian, NORMS[(i + 2) % 5])):
            made += gaussian(kind, norm, size, i % 3) + gaussian(kind, norm, size, 3 + i % 3)
    assert made > 10


@pytest.mark.long
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("kind", [Gaussian, DiscreteGaussian])
def test_gaussian_noise_of_every_size_and_norm(kind: Make, norm: str) -> None:
    cases = itertools.product(SIZES, range(len(CASES)))
    made = sum(gaussian(kind, norm, size, case) for size, case in cases)
    assert made > 0 or "200" in norm


def laplace(kind: Make, norm: str, epsilon: str) -> bool:
    return ask_everything(lambda: kind(epsilon=epsilon, sensitivity=norm))


def test_laplace_noise_of_each_size() -> None:
    made = 0
    for i, epsilon in enumerate(SIZES):
        for kind in (Laplace, DiscreteLaplace):
            made += laplace(kind, SIZES[3 * i % 14], epsilon) + laplace(kind, epsilon, epsilon)
    assert made > 20


@pytest.mark.long
@pytest.mark.parametrize("kind", [Laplace, DiscreteLaplace])
def test_laplace_noise_of_every_size_and_norm(kind: Make) -> None:
    assert sum(itertools.starmap(partial(laplace, kind), itertools.product(SIZES, SIZES))) > 20


def test_bounds_that_many_must_keep() -> None:
    """A chance to miss that no float tells from 0 is taken for a little less, not more."""
    rare = DiscreteLaplace(epsilon=1, sensitivity=1).error_bound(
        1 - Fraction(1, 10**400), count=2**62
    )
    assert (
        400 * math.log(10) + 62 * math.log(2) - 1 < rare < 400 * math.log(10) + 62 * math.log(2) + 1
    )
    assert (
        DiscreteGaussian(sigma=10, sensitivity=1).error_bound(1 - Fraction(1, 10**400), count=2**62)
        > 428
    )


def test_tails_below_all_floats_are_not_nothing() -> None:
    for sigma2, m in (("1/100", 9), ("1", 39), ("40000", 7800), ("90000", 11700)):
        square = Fraction(sigma2)
        bounds = tails.tail(math.sqrt(square), m)
        low, high = oracle.tail_bounds(square, m, 2000)
        assert Fraction(bounds.low) <= Fraction(high, 2**2001)
        assert Fraction(low, 2**2001) < Fraction(bounds.high)
