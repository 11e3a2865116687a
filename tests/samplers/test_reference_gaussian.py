"""reference/discrete_gaussian.py against decimals, and its methods against each other."""

import math
import random
from decimal import Context
from fractions import Fraction

import pytest
from reference import discrete_gaussian

# --- discrete_gaussian: bounds ------------------------------------------------------------------

SIGMAS2 = [
    Fraction(1, 10**6), Fraction(2), Fraction(210249, 1000), Fraction(900),
    10**6 + Fraction(1, 3), Fraction(2**112),
]  # fmt: skip


def decimal_gaussian(sigma2: Fraction, last: int) -> list[Fraction]:
    """Return rho(0), ..., rho(last), each short by less than 10^-78, by decimal's own exp."""
    context = Context(prec=80)
    half = context.divide(sigma2.denominator, 2 * sigma2.numerator)
    exps = [context.exp(context.multiply(-j * j, half)) for j in range(last + 1)]
    return [Fraction(int(y.scaleb(78, context)), 10**78) for y in exps]


@pytest.mark.parametrize("sigma2", [Fraction(1, 9), Fraction(2), Fraction(63999, 1000)], ids=str)
def test_gaussian_against_decimal(sigma2: Fraction) -> None:
    rho = decimal_gaussian(sigma2, 200)  # the rest is below 2^-400
    one_sided, every = sum(rho), 2 * sum(rho) - 1
    near = Fraction(1, 10**70)
    for k in (1, 2, 3, 10, 50):
        truths = {
            discrete_gaussian.tail_bounds(sigma2, k, 200): 2 * sum(rho[k:]) / every,
            discrete_gaussian.tail_bounds(sigma2, k, 200, True): sum(rho[k:]) / one_sided,
            discrete_gaussian.probability_bounds(sigma2, -k, 200): rho[k] / every,
            discrete_gaussian.sum_bounds(sigma2, k, 200): sum(rho[k:]),
        }
        for (lo, hi), truth in truths.items():
            assert lo <= (truth + near) * 2**200
            assert hi >= (truth - near) * 2**200
    lo, hi = discrete_gaussian.variance_bounds(sigma2, 200)
    variance = 2 * sum(j * j * y for j, y in enumerate(rho)) / every
    assert lo <= (variance + near) * 2**200
    assert hi >= (variance - near) * 2**200


def test_pi() -> None:
    lo, hi = discrete_gaussian.pi_bounds(200)
    digits = 314159265358979323846264338327950288419716939937510582097494  # 60 digits
    assert lo * 10**59 >> 200 == hi * 10**59 >> 200 == digits


@pytest.mark.parametrize("bits", [10, 64, 300])
def test_gaussian_bounds_are_tight_and_hold_those_of_more_bits(bits: int) -> None:
    for sigma2 in SIGMAS2:
        check_bounds(sigma2, bits)


def check_bounds(sigma2: Fraction, bits: int) -> None:
    sigma = math.isqrt(int(sigma2))
    bounds = (
        discrete_gaussian.tail_bounds,
        lambda s2, k, b: discrete_gaussian.tail_bounds(s2, k, b, one_sided=True),
        discrete_gaussian.probability_bounds,
        discrete_gaussian.sum_bounds,
        lambda s2, _, b: discrete_gaussian.variance_bounds(s2, b),
    )
    for k in (0, 1, 2, 3, sigma, 5 * sigma + 1, 40 * sigma + 7):
        for bound in bounds:
            lo, hi = bound(sigma2, k, bits)
            assert 0 <= lo <= hi <= lo + 2
            fine_lo, fine_hi = bound(sigma2, k, bits + 50)
            assert lo << 50 <= fine_lo
            assert fine_hi <= hi << 50


@pytest.mark.parametrize(
    "sigma2", [Fraction(500), pytest.param(Fraction(10**4), marks=pytest.mark.long)], ids=str
)
def test_sums_by_integrals_are_sums_of_terms(
    sigma2: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [(k, bits) for k in (0, 1, 5, 30, 100, 900) for bits in (10, 64, 250)]
    monkeypatch.setattr(discrete_gaussian, "TERMS", 10**6)
    plain = [discrete_gaussian.sum_bounds(sigma2, k, bits) for k, bits in places]
    monkeypatch.setattr(discrete_gaussian, "TERMS", 0)
    for (k, bits), (lo, hi) in zip(places, plain, strict=True):
        other_lo, other_hi = discrete_gaussian.sum_bounds(sigma2, k, bits)
        assert max(lo, other_lo) <= min(hi, other_hi)
        assert other_hi - other_lo <= 2


@pytest.mark.parametrize("sigma2", [Fraction(841, 4), Fraction(400), Fraction(10**9, 7)], ids=str)
def test_accepted_candidates_of_the_split_have_the_distribution(sigma2: Fraction) -> None:
    bits, m = 200, discrete_gaussian.split_bits(sigma2)
    assert 16 <= sigma2 / 4**m < 64
    assert sigma2 >= 16 * 4**m
    rng = random.Random(5)
    for _ in range(50):  # rho0(x) exp(-g) = rho(M x + R), as an identity of exponents
        x, r = rng.randrange(200), rng.randrange(1 << m)
        g = discrete_gaussian.acceptance_exponent(sigma2, x, r)
        base = Fraction(x * x) / (2 * sigma2 / 4**m)
        assert base + g == Fraction(((x << m) + r) ** 2) / (2 * sigma2)
    rate_lo, rate_hi = discrete_gaussian.acceptance_rate_bounds(sigma2, bits)
    assert 0.9 < rate_lo / 2**bits < 0.96
    for v in (0, 1, 2, 3, -7, 5 << m, -(7 << m) - 1, 99 << m):
        lo, hi = discrete_gaussian.candidate_bounds(sigma2, v, bits)
        p_lo, p_hi = discrete_gaussian.probability_bounds(sigma2, v, bits)
        assert 0 <= lo <= hi <= lo + 2
        assert lo << bits <= p_hi * rate_hi
        assert hi << bits >= p_lo * rate_lo
