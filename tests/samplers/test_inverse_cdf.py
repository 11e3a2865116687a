"""The constants and the error bounds of csrc/samplers/inverse_cdf_*.c, proved again."""

import math
import re
import struct
from collections.abc import Callable, Sequence
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


NARROW_Q = constants("cydp_log_narrow_q")
INVERSE, CENTRE, Q = (constants(f"cydp_log_{name}") for name in ("inverse", "centre", "q"))


def test_the_header_ships_what_is_proved_here() -> None:
    header = (CORE / "inverse_cdf.h").read_text()
    assert re.search(r"define CYDP_LOG_ERROR 0x1p-40\b", header)
    assert re.search(r"define CYDP_LOG_SINGLE_ERROR 0x1p-24\b", header)
    assert re.search(r"define CYDP_LOG_SINGLE_ABSOLUTE 0x1.8p-17\b", header)
    assert re.search(r"CYDP_LOG_OFFSET UINT64_C\(0x3fe6000000000000\)", header)


def test_truncation_leaves_room_for_rounding() -> None:
    assert oracle.truncation_error(INVERSE, CENTRE, Q) < Fraction(1, 2**46)


def test_a_constant_that_is_off_is_noticed() -> None:
    spoilt = [*Q[:3], Q[3] * (1 + 1e-7), *Q[4:]]
    assert oracle.truncation_error(INVERSE, CENTRE, spoilt) > Fraction(1, 2**46)


def narrow_polynomial_error(q: list[float]) -> Fraction:
    return oracle.polynomial_error(q, oracle.residual_bound(INVERSE))


def test_the_polynomial_of_single_precision() -> None:
    assert narrow_polynomial_error(NARROW_Q) < Fraction(1, 2**31)
    for j, coefficient in enumerate(NARROW_Q):
        off = coefficient + (-1) ** j * 2.0**-24 * 16.0**j
        spoilt = [*NARROW_Q[:j], off, *NARROW_Q[j + 1 :]]
        assert narrow_polynomial_error(spoilt) > Fraction(1, 2**30)


def series(q: Sequence[float], r: float) -> float:
    r2, r4 = r * r, r * r * (r * r)
    return ((q[0] + q[1] * r) + (q[2] + q[3] * r) * r2) + (
        (q[4] + q[5] * r) + (q[6] + q[7] * r) * r2
    ) * r4


def portable_logarithm(x: float, bits: int = 0, scale: float = -1, offset: float = 0) -> float:
    """offset - scale ln(x / 2^bits) in the same doubles: Python neither fuses nor reorders."""
    (pattern,) = struct.unpack("<Q", struct.pack("<d", x))
    shifted = pattern - 0x3FE6000000000000
    i = shifted >> 49 & 7
    (z,) = struct.unpack("<d", struct.pack("<Q", pattern - (shifted >> 52 << 52)))
    exponent = float((shifted >> 52) - bits)
    r = z * INVERSE[i] - 1
    start = (offset - scale * CENTRE[i]) - exponent * (scale * math.log(2))
    return start + r * series([-scale * c for c in Q], r)


def portable_kernel(u: int, bits: int, scale: float, offset: float) -> float:
    return portable_logarithm(float(u) + 0.5, bits, scale, offset)


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


def parameters(scale: Fraction) -> tuple[float, float]:
    """The scale and the offset a of a kernel."""
    rate = float(1 / scale)
    return 1 / rate, (1 / rate) * (math.log(2) - math.log1p(math.exp(-rate)))


def ln(u: Fraction) -> Fraction:
    """Nearly exactly, of a number in (0, 1]."""
    power = u.denominator.bit_length() - u.numerator.bit_length()
    ln2 = -sum(oracle.log_bounds(Fraction(1, 2))) / 2
    return sum(oracle.log_bounds(u * 2**power / 2)) / 2 + (1 - power) * ln2


@pytest.mark.parametrize("kernel", [portable_kernel, vector_kernel])
@pytest.mark.parametrize(
    ("bits", "scale"),
    [
        (31, "1/7"), (63, "1000/3"),
        *(pytest.param(bits, scale, marks=pytest.mark.long) for bits, scale in
          ((31, "1"), (31, "1000/3"), (63, "1/7"), (63, "1"), (63, "123456789/7"))),
    ],
)  # fmt: skip
def test_rounding_stays_within_the_proof(
    bits: int, scale: str, kernel: Callable[[int, int, float, float], float]
) -> None:
    """|y - (a - t ln U)| <= t 2^-44 at the middle of every cell that is tried."""
    t = Fraction(scale)
    approximate, offset = parameters(t)
    rng = np.random.default_rng(8)
    least = math.ceil(math.sqrt(approximate * 2.0**bits))
    tried = [least, 2**bits - 1, 2 ** (bits - 1), 2 ** (bits - 1) + 1, 11 * 2 ** (bits - 4)]
    tried += [max(least, int(rng.integers(0, 2**bits)) >> int(rng.integers(0, bits // 2)))
              for _ in range(300)]  # fmt: skip
    exact_offset = Fraction(offset)  # its own error is counted in docs/samplers/inverse_cdf.md
    for u in tried:
        exact = exact_offset - t * ln(Fraction(2 * u + 1, 2 ** (bits + 1)))
        assert abs(Fraction(kernel(u, bits, approximate, offset)) - exact) <= t * PROVED


# --- Single precision -----------------------------------------------------------------------------


def single(x: Fraction | float) -> Fraction:
    """Round to a float, ties to even."""
    x = Fraction(x)
    if x == 0:
        return x
    exponent = math.floor(math.log2(abs(x)))
    while abs(x) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while abs(x) < Fraction(2) ** exponent:
        exponent -= 1
    ulp = Fraction(2) ** (exponent - 23)
    return round(x / ulp) * ulp


def nearest_part(x: float) -> tuple[int, Fraction]:
    whole = round(x)
    return whole, single(Fraction(x) - whole)


def narrow_kernel(u: int, scale: float, offset: float) -> Fraction:
    """The y of the AVX-512 kernel; csrc/tests/samplers/test_inverse_cdf_narrow.c tries every x."""
    step = scale * math.log(2)
    x = single(2 * u + 1)
    exponent = math.floor(math.log2(x))
    m = x / 2**exponent
    upper = int((m - 1) * 8)
    i = (upper - 3) % 8
    halved = int(i < 5)
    start = fma(31 + 1 - halved, step, offset - scale * CENTRE[i])
    (whole, part), (step_whole, step_part) = nearest_part(start - 0.5), nearest_part(step)
    q = [single(-scale * c) for c in NARROW_Q]
    r = single(m * Fraction(math.ldexp(INVERSE[i], -halved)) - 1)
    odd, even = single(q[4] * r + q[3]), single(q[2] * r + q[1])
    series = single(single(odd * single(r * r) + even) * r + q[0])
    part = single(r * series + single(part - exponent * step_part))
    return whole - exponent * step_whole + part + Fraction(1, 2)


@pytest.mark.parametrize(
    "scale", ["11/2", "1024", *(pytest.param(s, marks=pytest.mark.long) for s in ("1", "1000/3"))]
)
def test_single_precision_stays_within_the_proof(scale: str) -> None:
    """Its y is within t / (2 tail) + t 2^-26 + 1.5 2^-19 of the y of every U in the interval."""
    t = Fraction(scale)
    approximate, offset = parameters(t)
    tail = math.ceil(math.sqrt(approximate * 2.0**31))
    bound = t * (Fraction(1, 2 * tail) + Fraction(1, 2**26)) + Fraction(3, 2**20)
    rng = np.random.default_rng(9)
    tried = [tail, 2**31 - 1, *(2**j + i for j in range(23, 31) for i in (-1, 0, 1, 2**7 + 1))]
    tried += [max(tail, int(rng.integers(0, 2**31)) >> int(rng.integers(0, 12)))
              for _ in range(300)]  # fmt: skip
    largest = Fraction(0)
    for u in tried:
        y = narrow_kernel(u, approximate, offset) - Fraction(offset)
        for end in (u, u + 1):
            largest = max(largest, abs(y + t * ln(Fraction(end, 2**31))))
    assert bound / 4 < largest <= bound
