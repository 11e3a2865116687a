"""accounting/_conversion.py against mpmath; test_reference_rows.py has the reference."""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import pytest
from mpmath import mp, mpf

from cydp import ZCDP, ApproxDP, Plan, PureDP
from cydp.accounting._conversion import delta_of, epsilon_of, rho_of

TIGHT = mpf(10) ** -15  # rounded to 53 bits, and nothing else is lost


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    with mpmath.workdps(150):
        yield


def mp_of(number: Fraction) -> Any:
    return mpf(number.numerator) / number.denominator


def best(falls: Callable[[Any], Any]) -> Any:
    """Return alpha - 1 where a function of it that falls is 0."""
    low, high = mpf(-2500), mpf(2500)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if falls(mp.exp(middle)) > 0 else (low, middle)
    return mp.exp(low)


def rest(x: Any) -> Any:
    return x * mp.log(x) - (1 + x) * mp.log(1 + x)


def log_delta(rho: Any, epsilon: Any) -> Any:
    x = best(lambda x: epsilon - (1 + 2 * x) * rho + mp.log((1 + x) / x))
    return x * ((1 + x) * rho - epsilon) + rest(x)


def least_epsilon(rho: Any, log_of_delta: Any) -> Any:
    x = best(lambda x: -x * x * rho - mp.log(1 + x) - log_of_delta)
    return max((1 + x) * rho + (rest(x) - log_of_delta) / x, 0)


def number(rng: random.Random, low: float, high: float) -> Fraction:
    whole, part = divmod(rng.uniform(low, high), 1)
    return Fraction(f"{10**part:.6g}") * Fraction(10) ** int(whole)


rounds = pytest.mark.parametrize("rounds", [24, pytest.param(400, marks=pytest.mark.long)])


@rounds
def test_deltas_over_the_whole_range(rounds: int) -> None:
    """From where it is nothing to next to 1, where 1.1e-9 of it was missing."""
    rng, near_1 = random.Random(8), 0
    for i in range(rounds):
        rho = number(rng, -40, 40) if i % 3 else number(rng, -3, 3)
        epsilon = number(rng, -40, 40) if i % 2 else rho * number(rng, -5, 0.4)
        found, wanted = delta_of(rho, epsilon), log_delta(mp_of(rho), mp_of(epsilon))
        if wanted > -690:
            assert found == 1 or 0 <= mp.log(mp_of(found)) - wanted <= TIGHT * (1 - wanted)
            assert found < 1 or wanted > -TIGHT
            near_1 += found > Fraction(99, 100)
        else:
            assert found.numerator == 1
            assert found >= Fraction(1, 2**4095)
            assert mp.log(mp_of(found)) >= max(wanted, -4095 * mp.log(2))
    assert near_1 > rounds / 12


@rounds
def test_epsilons_and_rhos_over_the_whole_range(rounds: int) -> None:
    rng = random.Random(9)
    for i in range(rounds):
        rho, epsilon = number(rng, -40, 40), number(rng, -40, 40)
        delta = number(rng, -1000, 0) if i % 3 else 1 - number(rng, -40, 0) / 2
        found = epsilon_of(rho, delta)
        wanted = least_epsilon(mp_of(rho), mp.log(mp_of(delta)))
        assert wanted <= mp_of(found) <= wanted * (1 + TIGHT) + TIGHT * (wanted < mp_of(rho))
        granted = mp_of(rho_of(epsilon, delta))
        cost = least_epsilon(granted, mp.log(mp_of(delta)))
        assert cost <= mp_of(epsilon)
        more = least_epsilon(granted * (1 + mpf(10) ** -10), mp.log(mp_of(delta)))
        assert more > mp_of(epsilon) * (1 - mpf(10) ** -25)


def test_there_and_back() -> None:
    """What rho_of grants costs no more than was asked for, and hardly less."""
    epsilons, deltas = ("1e-200", "1e-6", "1", "50", "1e200"), ("0.9", "1e-12", "1e-200", "1e-1200")
    for limit, wanted in product(map(Fraction, epsilons), map(Fraction, deltas)):
        rho = rho_of(limit, wanted)
        assert rho > 0
        if Fraction(1, 10**290) < rho:
            assert epsilon_of(rho * (1 + Fraction(1, 10**6)), wanted) >= limit
            assert epsilon_of(rho, wanted) <= limit
            if wanted > Fraction(1, 10**300):
                assert delta_of(rho, limit) <= wanted * (1 + Fraction(1, 10**9))


def test_ends() -> None:
    assert epsilon_of(Fraction(0), Fraction(1, 2)) == delta_of(Fraction(0), Fraction(1)) == 0
    assert 1 - Fraction(1, 10**15) < delta_of(Fraction(100), Fraction(1, 100)) <= 1
    assert 0 < delta_of(Fraction(1, 10**200), Fraction(1)) <= Fraction(1, 2**4000)
    assert epsilon_of(Fraction(1), 1 - Fraction(1, 2**4095)) >= 0


def test_plans_of_every_size() -> None:
    """No loss that is accepted makes a question fail, and no answer is out of range."""
    sizes = "1e-1200", "1e-200", "1e-3", "1", "1e9", "1e160", "1e308", "1e1200"
    places = "0", "1e-1200", "1e-5", "1", "1e9", "1e290", "1e1200"
    deltas = "0", "1e-1200", "1e-9", "0.5", 1 - Fraction(1, 2**4000)
    for number, size in enumerate(sizes):
        losses = [ZCDP(size), PureDP(size), ApproxDP(size, "1e-9", rho=size), ApproxDP(size, "0.3")]
        for shift, loss in enumerate(losses):  # each size and each loss meets each count
            plan = Plan([(loss, (1, 2, 10**9)[(number + shift) % 3])])
            for at in places:
                assert 0 <= plan.delta(at) <= 1
            for delta in deltas:
                assert all(epsilon >= 0 for epsilon in plan.epsilon_by_method(delta).values())
