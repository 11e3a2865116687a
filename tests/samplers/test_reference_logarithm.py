"""reference/logarithm.py: what it proves is near what is sampled."""

import math
import random
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from reference import logarithm


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


def test_log_against_decimal() -> None:
    rng = random.Random(4)
    context = Context(prec=90)  # decimal's ln is correctly rounded
    tiny = Decimal(1).scaleb(-70)
    ends = [Decimal(2), Decimal(1), context.add(1, tiny), context.subtract(1, tiny)]
    for x in [*ends, *(Decimal(rng.uniform(0.5, 2)) for _ in range(100))]:
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
