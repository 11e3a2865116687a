"""accounting/_conversion.py against mpmath; test_reference_rows.py has the reference."""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
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


def test_deltas_over_the_whole_range() -> None:
    """From where it is nothing to next to 1, where 1.1e-9 of it was missing."""
    rng, near_1 = random.Random(8), 0
    for i in range(90):
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
    assert near_1 > 10


def test_epsilons_and_rhos_over_the_whole_range() -> None:
    rng = random.Random(9)
    for i in range(60):
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


@pytest.mark.parametrize("epsilon", ["1e-200", "1e-6", "0.01", "1", "50", "1e6", "1e200"])
@pytest.mark.parametrize("delta", ["0.9", "1e-3", "1e-12", "1e-200", "1e-400", "1e-1200"])
def test_there_and_back(epsilon: str, delta: str) -> None:
    """What rho_of grants costs no more than was asked for, and hardly less."""
    limit, wanted = Fraction(epsilon), Fraction(delta)
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
    for call in (
        lambda: epsilon_of(Fraction(10) ** 300, Fraction(1, 2)),
        lambda: rho_of(Fraction(1, 10**300), Fraction(1, 2)),
    ):
        with pytest.raises(ValueError, match="between 1e-290 and 1e290"):
            call()


@pytest.mark.parametrize(
    "size", ["1e-1200", "1e-200", "1e-3", "1", "1e9", "1e160", "1e308", "1e1200"]
)
@pytest.mark.parametrize("at", ["0", "1e-1200", "1e-5", "1", "1e9", "1e290", "1e1200"])
def test_plans_of_every_size(size: str, at: str) -> None:
    """No loss that is accepted makes a question fail, and no answer is out of range."""
    for loss in (ZCDP(size), PureDP(size), ApproxDP(size, "1e-9", rho=size), ApproxDP(size, "0.3")):
        for count in (1, 2, 10**9):
            plan = Plan([(loss, count)])
            assert 0 <= plan.delta(at) <= 1
            for delta in ("0", "1e-1200", "1e-9", "0.5", 1 - Fraction(1, 2**4000)):
                for epsilon in plan.epsilon_by_method(delta).values():
                    assert epsilon >= 0
