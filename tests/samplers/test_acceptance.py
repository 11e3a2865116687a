"""csrc/samplers/acceptance_portable.c: the polynomial's error bound, proved again."""

import re
import struct
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from reference import discrete_laplace as oracle

CORE = Path(__file__).parents[2] / "csrc" / "samplers"
LIMIT = Fraction(5, 4)
PROVED = Fraction(1, 2**24)  # a sixteenth of CYDP_ACCEPT_ERROR
SINGLE_PROVED = Fraction(4, 3 * 2**24)  # docs/samplers/acceptance.md adds the roundings
CELLS, BITS, UNIT = 8192, 100, 192


def constants(name: str = "cydp_accept_q") -> list[Fraction]:
    source = (CORE / "acceptance_portable.c").read_text()
    body = re.search(rf"{name}\[\w+\] = {{(.*?)}};", source, re.DOTALL)
    assert body is not None
    return [Fraction(float.fromhex(n)) for n in body[1].split(",") if n.strip()]


@lru_cache
def exponentials() -> list[tuple[int, int, int]]:
    """Return of each cell m, where m / 2^16 is its middle, and exp(-middle) between two bounds.

    The bounds are integers, in 2^-192, as all that `largest_error` adds up: it is exact.
    """
    odd = range(1, 2 * CELLS, 2)
    bounds = [(5 * m, *oracle.exp_negative_bounds(Fraction(5 * m, 2**16), BITS)) for m in odd]
    return [(m, low << UNIT - BITS, high << UNIT - BITS) for m, low, high in bounds]


def whole(x: Fraction) -> int:
    assert x.denominator == 1
    return x.numerator


def largest_error(q: list[Fraction]) -> Fraction:
    """Bound |exp(-g) - P(g)| on [0, LIMIT]: Taylor to second order about each cell's middle."""
    half = LIMIT / CELLS / 2
    second = 1 + sum(j * (j - 1) * abs(c) * LIMIT ** (j - 2) for j, c in enumerate(q) if j > 1)
    of = [whole(c * 2 ** (UNIT - 16 * j)) for j, c in enumerate(q)]  # of m^j
    slopes = [j * c << 16 for j, c in enumerate(of)][1:]  # of m^(j - 1)
    worst = Fraction(0)
    for m, low, high in exponentials():
        value = sum(c * m**j for j, c in enumerate(of))
        slope = sum(c * m**j for j, c in enumerate(slopes))
        error = max(abs(low - value), abs(high - value))
        worst = max(worst, error + max(abs(low + slope), abs(high + slope)) * half)
    return worst / 2**UNIT + second * half**2 / 2


def test_the_header_ships_what_is_proved_here() -> None:
    header = (CORE / "acceptance.h").read_text()
    assert re.search(r"define CYDP_ACCEPT_LIMIT 1\.25\n", header)
    assert re.search(r"define CYDP_ACCEPT_ERROR 0x1p-20\n", header)
    assert re.search(r"define CYDP_ACCEPT_SINGLE_ERROR 0x1p-17F\n", header)


def test_the_polynomial_is_as_close_as_stated() -> None:
    assert largest_error(constants()) < PROVED


def test_the_constants_of_vectors_fit_single_precision_and_are_as_close_as_stated() -> None:
    q = constants("cydp_accept_single_q")
    assert len(q) == 7
    for c in q:
        assert struct.unpack("<f", struct.pack("<f", float(c)))[0] == c
    assert largest_error(q) < SINGLE_PROVED


def test_a_constant_that_is_off_is_noticed() -> None:
    q = constants()
    q[3] *= 1 + Fraction(1, 2**17)
    assert largest_error(q) > PROVED
