"""The constants and the error bounds of csrc/samplers/inverse_cdf_*.c, proved again."""

import math
import re
import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from reference import logarithm as oracle

CORE = Path(__file__).parents[2] / "csrc" / "samplers"
SHIPPED = Fraction(1, 2**40)  # CYDP_LOG_ERROR
PROVED = SHIPPED / 16


def constants(name: str) -> list[float]:
    source = (CORE / "inverse_cdf_portable.c").read_text()
    body = re.search(rf"{name}\[\w+\] = {{(.*?)}};", source, re.DOTALL)
    assert body is not None
    return [float.fromhex(number) for number in body[1].split(",")]


INVERSE, CENTRE, Q = (constants(f"cydp_log_{name}") for name in ("inverse", "centre", "q"))


def test_the_header_ships_what_is_proved_here() -> None:
    header = (CORE / "inverse_cdf.h").read_text()
    assert re.search(r"define CYDP_LOG_ERROR 0x1p-40\b", header)
    assert re.search(r"CYDP_LOG_OFFSET UINT64_C\(0x3fe6000000000000\)", header)


def test_truncation_leaves_room_for_rounding() -> None:
    assert oracle.truncation_error(INVERSE, CENTRE, Q) < Fraction(1, 2**46)


def test_a_constant_that_is_off_is_noticed() -> None:
    spoilt = [*Q[:3], Q[3] * (1 + 1e-7), *Q[4:]]
    assert oracle.truncation_error(INVERSE, CENTRE, spoilt) > Fraction(1, 2**46)


def portable_kernel(u: int, bits: int, scale: float, offset: float) -> float:
    """The portable y in the same doubles: Python neither fuses nor reorders."""
    base = [offset - scale * c for c in CENTRE]
    q = [-scale * c for c in Q]
    (pattern,) = struct.unpack("<Q", struct.pack("<d", float(u) + 0.5))
    shifted = pattern - 0x3FE6000000000000
    i = shifted >> 49 & 7
    (z,) = struct.unpack("<d", struct.pack("<Q", pattern - (shifted >> 52 << 52)))
    exponent = float((shifted >> 52) - bits)
    r = z * INVERSE[i] - 1
    r2, r4 = r * r, r * r * (r * r)
    series = ((q[0] + q[1] * r) + (q[2] + q[3] * r) * r2) + (
        (q[4] + q[5] * r) + (q[6] + q[7] * r) * r2
    ) * r4
    return (base[i] - exponent * (scale * math.log(2))) + r * series


def fma(a: float, b: float, c: float) -> float:
    """Return a b + c, rounded once."""
    return float(Fraction(a) * Fraction(b) + Fraction(c))


def vector_kernel(u: int, bits: int, scale: float, offset: float) -> float:
    """The y of the AVX2 and AVX-512 kernels, which do not differ."""
    step = scale * math.log(2)
    q = [-scale * c for c in Q]
    x = float(2 * u + 1)
    (pattern,) = struct.unpack("<Q", struct.pack("<d", x))
    upper = pattern >> 49 & 7
    i = (upper - 3) % 8  # where the portable tables hold it
    halved = int(i < 5)
    inverse = math.ldexp(INVERSE[i], -halved)
    start = fma(bits + 1 - halved, step, offset - scale * CENTRE[i])
    exponent = math.frexp(x)[1] - 1
    r = fma(math.ldexp(x, -exponent), inverse, -1)
    r2 = r * r
    odd, even = q[7], q[6]
    for j in (4, 2, 0):
        odd, even = fma(odd, r2, q[j + 1]), fma(even, r2, q[j])
    return fma(r, fma(odd, r, even), fma(-exponent, step, start))


@pytest.mark.parametrize("kernel", [portable_kernel, vector_kernel])
@pytest.mark.parametrize("bits", [31, 63])
@pytest.mark.parametrize("scale", ["1/7", "1", "1000/3", "123456789/7"])
def test_rounding_stays_within_the_proof(
    bits: int, scale: str, kernel: Callable[[int, int, float, float], float]
) -> None:
    """|y - (a - t ln U)| <= t 2^-44 at the middle of every cell that is tried."""
    t = Fraction(scale)
    rate = float(1 / t)
    approximate = 1 / rate
    offset = approximate * (math.log(2) - math.log1p(math.exp(-rate)))
    rng = np.random.default_rng(8)
    least = math.ceil(math.sqrt(approximate * 2.0**bits))
    tried = [least, 2**bits - 1, 2 ** (bits - 1), 2 ** (bits - 1) + 1, 11 * 2 ** (bits - 4)]
    tried += [max(least, int(rng.integers(0, 2**bits)) >> int(rng.integers(0, bits // 2)))
              for _ in range(300)]  # fmt: skip
    low, high = oracle.log_bounds(Fraction(2) / 2)
    assert low <= 0 <= high
    ln2 = -sum(oracle.log_bounds(Fraction(1, 2))) / 2
    exact_offset = Fraction(offset)  # its own error is counted in docs/samplers/inverse_cdf.md
    for u in tried:
        middle = Fraction(2 * u + 1, 2 ** (bits + 1))
        power = middle.denominator.bit_length() - middle.numerator.bit_length()
        ln_u = sum(oracle.log_bounds(middle * 2**power / 2)) / 2 + (1 - power) * ln2
        error = abs(Fraction(kernel(u, bits, approximate, offset)) - (exact_offset - t * ln_u))
        assert error <= t * PROVED
