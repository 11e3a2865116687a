"""reference/logarithm.py: what it proves is near what is sampled."""

import math
import random
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from reference import logarithm

LN_2 = 69314718055994530941723212145817656807550013436025525412068000  # 62 digits


def table() -> tuple[list[float], list[float], list[float]]:
    """Return c_i near 1 / midpoint, l_i = -ln c_i, and the series of ln(1 + r) cut after r^8."""
    inverse = [float(2 / sum(logarithm.interval(i))) for i in range(8)]
    centre = [-math.log(c) for c in inverse]
    return inverse, centre, [(-1) ** j / (j + 1) for j in range(8)]


def sampled_error(
    inverse: Sequence[float], centre: Sequence[float], q: Sequence[float], samples: int
) -> Fraction:
    """Return the largest |ln z - approximation| seen at the ends and inside each interval."""
    worst = Fraction(0)
    for i in range(8):
        left, right = logarithm.interval(i)
        for step in range(samples + 1):
            z = left + (right - left) * step / samples
            r = z * Fraction(inverse[i]) - 1
            value = Fraction(centre[i])
            value += sum((Fraction(c) * r ** (j + 1) for j, c in enumerate(q)), Fraction(0))
            lo, hi = logarithm.log_bounds(z)
            worst = max(worst, min(abs(value - lo), abs(value - hi)))
    return worst


def test_log_of_two() -> None:
    lo, hi = logarithm.log_bounds(Fraction(2), 220)
    assert int(lo * 10**62) == int(hi * 10**62) == LN_2


def test_log_against_decimal() -> None:
    rng = random.Random(4)
    context = Context(prec=90)  # decimal's ln is correctly rounded
    tiny = Decimal(1).scaleb(-70)
    near_one = [Decimal(1), context.add(1, tiny), context.subtract(1, tiny)]
    for x in [*near_one, *(Decimal(rng.uniform(0.5, 2)) for _ in range(100))]:
        lo, hi = logarithm.log_bounds(Fraction(x), 200)
        truth = Fraction(context.ln(x))
        slack = Fraction(1, 10**89)
        assert hi - lo <= Fraction(1, 2**200)
        assert lo - slack <= truth <= hi + slack


def test_log_outside_its_range() -> None:
    with pytest.raises(ValueError, match="must be in"):
        logarithm.log_bounds(Fraction(3))


def test_intervals_cover_the_range() -> None:
    ends = [logarithm.interval(i) for i in range(8)]
    assert ends[0][0] == Fraction(0.6875)
    assert ends[7][1] == Fraction(1.375)
    for i, (left, right) in enumerate(ends):
        assert logarithm.index(float(left)) == i
        assert logarithm.index(math.nextafter(float(right), 0.0)) == i
        assert i == 0 or left == ends[i - 1][1]


def test_truncation_error_is_tight() -> None:
    inverse, centre, q = table()
    proved = logarithm.truncation_error(inverse, centre, q)
    seen = sampled_error(inverse, centre, q, 32)
    assert seen <= proved <= seen * Fraction(11, 10)


def test_residual_bound() -> None:
    inverse, _, _ = table()
    # half the width over the midpoint is largest on [1, 1.125]: (1/16) / (17/16)
    assert float(logarithm.residual_bound(inverse)) == pytest.approx(1 / 17, rel=1e-12)


def chebyshev_log(w: Fraction) -> list[float]:
    """Return q with r q(r) the Chebyshev series of ln(1 + r), cut after T_8, for |r| <= R.

    R = 2 w / (1 + w^2); ln(1 + R x) = -ln(1 + w^2) + 2 sum (-1)^(n+1) w^n / n T_n(x). The
    constant of the cut series is about w^10 / 5 and is left out.
    """
    radius = 2 * w / (1 + w * w)
    total = [Fraction(0)] * 9
    before, now = [Fraction(1)], [Fraction(0), 1 / radius]  # T_0 and T_1 in powers of r
    for n in range(1, 9):
        for j, c in enumerate(now):
            total[j] += 2 * (-w) ** n / -n * c
        doubled = [Fraction(0), *(2 * c / radius for c in now)]
        before.extend([Fraction(0)] * (len(doubled) - len(before)))
        before, now = now, [c - d for c, d in zip(doubled, before, strict=True)]
    return [float(c) for c in total[1:]]


def test_polynomial_error_of_a_near_best_polynomial() -> None:
    # The first term left out, 2 w^9 / 9, is the error, but for terms smaller by the factor w;
    # Taylor's is R^9 / 9, 250 times more.
    w = Fraction(1, 34)
    proved = logarithm.polynomial_error(chebyshev_log(w), 2 * w / (1 + w * w))
    assert 2 * w**9 / 9 < proved < 2 * w**9 / 9 * Fraction(11, 10)


@pytest.mark.parametrize(
    ("which", "at", "change"),
    [(1, 5, 2.0**-36), *(pytest.param(i, j, 2.0**-30, marks=pytest.mark.long) for i, j in
                         ((0, 3), (2, 0)))],
)  # fmt: skip
def test_truncation_error_sees_a_wrong_constant(which: int, at: int, change: float) -> None:
    tables = table()
    good = logarithm.truncation_error(*tables)
    tables[which][at] += change
    bad = logarithm.truncation_error(*tables)
    assert bad > good + Fraction(change) / 32
    assert bad >= sampled_error(*tables, 8)
