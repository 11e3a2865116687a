"""reference/from_bits.py: one candidate's bits to its value."""

import math
import random
from fractions import Fraction

import pytest
from reference import discrete_gaussian, from_bits
from samplers.test_reference_gaussian import decimal_gaussian
from samplers.test_reference_laplace import extension_of, no_extension


def falling(k: int, bits: int) -> tuple[int, int]:
    """Bound 1 - k / 41, or 0 from k = 41 on."""
    y = (max(41 - k, 0) << bits) // 41
    return y, y + (k < 41)


def test_uniform_is_compared_as_a_number() -> None:
    word = 0x0123456789ABCDEF
    for prefix in range(256):
        u = Fraction(prefix << 64 | word, 1 << 72)
        for p in (Fraction(1, 3), Fraction(77, 256), Fraction(77 << 64 | word, 1 << 72)):
            uniform = from_bits.Uniform(prefix, 8, extension_of(word, 64))
            assert uniform.below_rational(p) == (u < p)
        uniform = from_bits.Uniform(prefix, 8, extension_of(word, 64))
        expected = sum(u < 1 - Fraction(k, 41) for k in range(1, 42))
        assert uniform.count(falling, prefix % 45) == expected


def test_coins_need_no_more_bits_than_end_p() -> None:
    coins = [from_bits.bernoulli(Fraction(3, 2**16), [w], no_extension) for w in range(5)]
    assert coins == [True, True, True, False, False]
    assert from_bits.bernoulli(Fraction(1), [], no_extension) is True
    assert from_bits.bernoulli(Fraction(0), [], no_extension) is False


def test_splits_at_powers_of_two() -> None:
    scales = {Fraction(2**20): 0, 2**20 + Fraction(1, 3): 1, Fraction(2**56): 36}
    assert {t: from_bits.laplace_split_bits(t) for t in scales} == scales
    sigmas2 = {1: 0, 64: 0, 210: 0, 211: 1, 255: 1, 256: 2, 2**112: 54}
    assert discrete_gaussian.split_bits(Fraction("210.2499")) == 0
    assert discrete_gaussian.split_bits(Fraction("210.25")) == 1
    assert {s: discrete_gaussian.split_bits(Fraction(s)) for s in sigmas2} == sigmas2


def test_split_of_laplace_has_the_distribution() -> None:
    # exp(-M Q / t) exp(-R / t) = exp(-|X| / t); a candidate's quotient against logarithms
    scale = 2**40 + Fraction(1, 3)
    m = from_bits.laplace_split_bits(scale)
    high = float(scale / 2**m)
    assert 2**19 < high <= 2**20
    rng = random.Random(8)
    for _ in range(50):
        low, word = rng.getrandbits(m), rng.getrandbits(63)
        words = [word << 1 | 1, low]  # V = 0: accepted
        value = from_bits.laplace(scale, words, False, extension_of(5, 64), extension_of(0, 64))
        assert value is not None
        quotient, rest = divmod(-value, 1 << m)
        assert rest == low
        assert abs(quotient + high * math.log((word + 0.5) / 2**63) + 0.5) < 0.5 + 1e-6
        words[1] |= (2**19 - 1) << 45
        rejected = from_bits.laplace(scale, words, False, extension_of(5, 64), lambda _: 2**64 - 1)
        assert rejected is None
    nothing = [2**64 - 1, 0]
    assert from_bits.laplace(scale, nothing, False, lambda _: 2**64 - 1, no_extension) is None
    nothing[0] -= 1
    assert from_bits.laplace(scale, nothing, False, lambda _: 2**64 - 1, no_extension) == 0


@pytest.mark.parametrize("sigma2", ["1/9", pytest.param("210.249", marks=pytest.mark.long)])
def test_gaussian_of_small_sigma_by_enumeration(sigma2: str) -> None:
    distribution = Fraction(sigma2)
    rho = decimal_gaussian(distribution, 200)
    tails = [2 * sum(rho[k:]) / (2 * sum(rho) - 1) for k in range(1, 120)]
    word = 0x0123456789ABCDEF
    ends = extension_of(word, 64)
    for prefix in range(0, 2**16, 256):
        u = Fraction(prefix << 64 | word, 1 << 80)
        expected = sum(u < y for y in tails)
        value = from_bits.gaussian(distribution, [prefix], True, ends, no_extension)
        assert value == -expected


def test_gaussian_of_a_split_candidate() -> None:
    sigma2 = Fraction(225)  # m = 1, the base has sigma 7.5
    rho = [math.exp(-j * j / 112.5) for j in range(60)]
    tails = [sum(rho[k:]) / sum(rho) for k in range(1, 60)]
    rng = random.Random(9)
    for _ in range(200):
        negative, r = rng.getrandbits(1), rng.getrandbits(1)
        u, v = rng.randrange(2**16), rng.randrange(2**16)
        x = sum((u + 0.5) / 2**16 < y for y in tails)
        g = ((2 * x + r) ** 2 - (2 * x) ** 2) / 450
        accepted = (v + 0.5) / 2**16 < math.exp(-g) and not (negative and x == r == 0)
        words = [rng.getrandbits(14) << 2 | r << 1 | negative, u, v]
        middle = extension_of(1 << 63, 64)
        value = from_bits.gaussian(sigma2, words, False, middle, middle)
        assert value == ((-1) ** negative * (2 * x + r) if accepted else None)
