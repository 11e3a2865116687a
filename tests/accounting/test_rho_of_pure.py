"""The rho of a pure loss, against Renyi divergences of 60 digits."""

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp

from cydp import PureDP
from cydp.accounting._loss_numbers import epsilon_of_pure, rho_of_pure

EPSILONS = [Fraction(k) * Fraction(10) ** power for power in range(-15, 3) for k in (1, 2, 3, 6)]
EPSILONS += [Fraction(36), Fraction(361, 10), Fraction(3, 10**8), Fraction(299, 10**10)]
ORDERS = ["1e-12", "1e-6", "0.001", "0.1", "0.5", "1", "3", "30", "1000", "1e9"]  # less 1
ROUNDED = 1 + Fraction(1, 10**15)


@pytest.fixture(autouse=True)
def precisely() -> Any:
    with mp.workdps(120):
        yield


def mp_of(number: Fraction) -> Any:
    return mp.mpf(number.numerator) / number.denominator


def divergence(p: Sequence[Any], q: Sequence[Any], more: Any) -> Any:
    """Return the Renyi divergence of order 1 + more."""
    return mp.log(mp.fsum(a * (a / b) ** more for a, b in zip(p, q, strict=True))) / more


def response(epsilon: Fraction) -> tuple[list[Any], list[Any]]:
    truth, lie = (1 / (1 + mp.exp(sign * mp_of(epsilon))) for sign in (-1, 1))
    return [truth, lie], [lie, truth]


def holds(claim: Callable[[Fraction], Fraction], pairs: Callable[[Fraction], Any]) -> bool:
    """Whether divergences of pairs of each epsilon are at most a claimed rho times the order."""
    return all(
        divergence(*pairs(epsilon), mp.mpf(more)) <= (1 + mp.mpf(more)) * mp_of(claim(epsilon))
        for epsilon in EPSILONS
        for more in ORDERS
    )


def random_pair(rng: random.Random, epsilon: Fraction) -> tuple[list[Any], list[Any]]:
    """Return two distributions over some outcomes whose ratios are at most e**epsilon."""
    factor = mp.exp(mp_of(epsilon))
    ratios = [mp.exp(mp_of(epsilon) * rng.choice([-1, 1, rng.uniform(-1, 1)])) for _ in range(4)]
    ratios += [factor, 1 / factor]
    q = [mp.mpf(rng.random()) ** rng.choice([1, 8]) for _ in ratios]
    above = [r >= 1 for r in ratios]
    # The mass of the outcomes with ratios above 1 is scaled until P has the mass of Q.
    gain = mp.fsum(b * (r - 1) for b, r, up in zip(q, ratios, above, strict=True) if up)
    lost = mp.fsum(b * (1 - r) for b, r, up in zip(q, ratios, above, strict=True) if not up)
    q = [b * lost / gain if up else b for b, up in zip(q, above, strict=True)]
    total = mp.fsum(q)
    q = [b / total for b in q]
    return [b * r for b, r in zip(q, ratios, strict=True)], q


def test_no_order_of_randomized_response_costs_more() -> None:
    assert holds(rho_of_pure, response)
    assert not holds(lambda epsilon: rho_of_pure(epsilon) / ROUNDED**2, response)


def test_other_mechanisms_of_an_epsilon_cost_no_more() -> None:
    rng = random.Random(20_261_128)
    assert all(holds(rho_of_pure, lambda epsilon: random_pair(rng, epsilon)) for _ in range(5))
    assert not holds(lambda epsilon: rho_of_pure(epsilon) / 2, lambda e: random_pair(rng, e))


def test_it_is_rounded_up_by_little() -> None:
    for epsilon in EPSILONS:
        exact = mp_of(epsilon) * mp.tanh(mp_of(epsilon) / 2)
        rho = rho_of_pure(epsilon)
        assert exact <= mp_of(rho) <= exact * mp_of(ROUNDED)
        assert rho <= min(epsilon**2 / 2, epsilon)
    assert rho_of_pure(Fraction(0)) == 0
    assert rho_of_pure(Fraction(10**400)) == 10**400
    assert rho_of_pure(Fraction(1, 10**400)) == Fraction(1, 2 * 10**800)
    assert PureDP("1/3").rho == Fraction("0.05504680430820979")


def test_it_is_known_for_groups_and_sums() -> None:
    """k**2 rho of a group is loose, and several releases cost no more than one of their epsilon."""
    for epsilon in ("1/10", "1", "7"):
        loss = PureDP(epsilon)
        assert loss.group(3) == PureDP(3 * Fraction(epsilon))
        assert (loss * 3).rho == 3 * loss.rho < loss.group(3).rho
        assert PureDP(epsilon, rho=loss.rho / 100).group(3).rho == 9 * loss.rho / 100


def test_the_epsilon_of_a_rho() -> None:
    """The largest decimal of six digits, and never more than rho allows."""
    close = [rho_of_pure(Fraction(each, 1000)) * (1 - Fraction(1, 10**17)) for each in (77, 1543)]
    for rho in [*EPSILONS, Fraction(1, 10**400), Fraction(10**400), *close]:
        epsilon = epsilon_of_pure(rho)
        assert rho_of_pure(epsilon) <= rho
        assert rho_of_pure(epsilon * (1 + Fraction(3, 10**5))) > rho
