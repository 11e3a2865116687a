"""csrc/mechanisms/noisy_max_bounds.c: the error of keys; docs/mechanisms/noisy_max.md bounds it."""

import math
import random
import re
from decimal import Decimal, localcontext
from pathlib import Path

import pytest
from samplers.test_inverse_cdf import Q, portable_logarithm, series

CORE = Path(__file__).parents[2] / "csrc" / "mechanisms"
PROVED = 2.0**-39  # of G; NOISE_ERROR is 16 times as large


def test_the_core_ships_what_is_proved_here() -> None:
    source = (CORE / "noisy_max_bounds.c").read_text()
    assert re.search(r"define NOISE_ERROR 0x1p-35 ", source)
    assert re.search(r"define SCORE_ERROR 0x1p-49 ", source)
    assert "middle <= 0x1.ep-5" in source


def noise(u: int, bits: int, gumbel: bool) -> float:
    """As `gumbel_bounds` and `exponential_bounds` have it: Python neither fuses nor reorders."""
    if not gumbel:
        return bits * math.log(2) - portable_logarithm(float(u) + 0.5)
    middle, rest = (float(u) + 0.5) * 2.0**-bits, float(2**bits - 1 - u)
    if middle <= 15 / 256:
        return -portable_logarithm(middle * series(Q, -middle))
    return -portable_logarithm(bits * math.log(2) - portable_logarithm(rest + 0.5))


@pytest.mark.parametrize("gumbel", [True, False])
@pytest.mark.parametrize("bits", [32, 64])
def test_noise_is_within_its_bound(bits: int, gumbel: bool) -> None:
    rng, worst = random.Random(1), Decimal(0)
    edge = 15 * 2 ** (bits - 8)
    points = [1, 2, 2**bits - 2, edge - 1, edge, edge + 1, edge + 2**20]
    for _ in range(300):
        u = rng.getrandbits(bits) >> rng.randrange(bits - 1)
        points += [u, 2**bits - 1 - u]
    with localcontext() as context:
        context.prec = 50
        for u in points:
            middle = (Decimal(u) + Decimal("0.5")) / 2**bits
            exact = -(-(1 - middle).ln()).ln() if gumbel else -middle.ln()
            worst = max(worst, abs(exact - Decimal(noise(u, bits, gumbel))))
    assert 2**-55 < worst < PROVED
