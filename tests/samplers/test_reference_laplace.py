"""reference/discrete_laplace.py against decimals, identities and enumeration."""

import random
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from reference import discrete_laplace

# --- discrete_laplace: bounds -------------------------------------------------------------------


def brackets(bounds: tuple[int, int], bits: int, truth: Decimal, relative: Fraction) -> bool:
    """Tell whether the bounds, at most 2 apart, meet truth (1 +- relative)."""
    lo, hi = bounds
    y = Fraction(truth)
    slack = y * relative
    return (
        0 <= hi - lo <= 2
        and Fraction(lo, 1 << bits) <= y + slack
        and (Fraction(hi, 1 << bits) >= y - slack)
    )


def test_exp_at_edges() -> None:
    exp = discrete_laplace.exp_negative_bounds
    assert exp(Fraction(0), 64) == (2**64, 2**64)
    assert exp(Fraction(1, 10**400), 64) == (2**64 - 1, 2**64)
    assert exp(Fraction(10**400), 64) == (0, 1)
    with pytest.raises(ValueError, match="at least 0"):
        exp(Fraction(-1), 64)


def test_exp_against_decimal() -> None:
    rng = random.Random(1)
    context = Context(prec=420, Emin=-(10**6), Emax=10**6)  # decimal's exp is correctly rounded
    for _ in range(150):
        bits = rng.choice((32, 64, 256, 700, 1200))
        digits = rng.choice((5, 40, 380))
        numerator = rng.getrandbits(3 * digits) | 1
        x = Decimal(numerator).scaleb(-rng.randrange(digits + 30), context)
        if x > 1100:
            x = x.scaleb(3 - len(str(int(x))), context)
        bounds = discrete_laplace.exp_negative_bounds(Fraction(x), bits)
        truth = context.exp(context.minus(x))
        assert brackets(bounds, bits, truth, Fraction(1, 10**410)), (x, bits)


@pytest.mark.parametrize(
    "bound",
    [
        discrete_laplace.tail_bounds,
        discrete_laplace.probability_bounds,
        lambda scale, _, bits: discrete_laplace.variance_bounds(scale, bits),
    ],
    ids=["tail", "probability", "variance"],
)
def test_bounds_hold_those_of_more_bits(
    bound: Callable[[Fraction, int, int], tuple[int, int]],
) -> None:
    # few bits and many cases, so that a rounding in the wrong direction shows
    rng = random.Random(6)
    for _ in range(1000):
        scale, k = Fraction(rng.randrange(1, 1000), rng.randrange(1, 100)), rng.randrange(1, 9)
        lo, hi = bound(scale, k, 10)
        fine_lo, fine_hi = bound(scale, k, 110)
        assert lo << 100 <= fine_lo
        assert fine_hi <= hi << 100


@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(1), Fraction(37, 10)], ids=str)
def test_probabilities_sum_to_one_and_the_variance(scale: Fraction) -> None:
    bits, last = 300, 1000
    bounds = [discrete_laplace.probability_bounds(scale, k, bits) for k in range(last)]
    rest = discrete_laplace.tail_bounds(scale, last, bits)[1]
    assert bounds[0][0] + 2 * sum(lo for lo, _ in bounds[1:]) <= 2**bits
    assert bounds[0][1] + 2 * sum(hi for _, hi in bounds[1:]) + rest >= 2**bits
    lo, hi = discrete_laplace.variance_bounds(scale, bits)
    assert 2 * sum(k * k * p for k, (p, _) in enumerate(bounds)) <= hi
    # the rest is below one ulp: 1000 / 3.7 - ln(1000^3) > 300 ln 2
    assert 2 * sum(k * k * p for k, (_, p) in enumerate(bounds)) + 1 >= lo


# --- discrete_laplace: values -------------------------------------------------------------------


def extension_of(bits: int, length: int) -> Callable[[int], int]:
    """Return the words of `length` given bits, a multiple of 64, and then of zeros."""

    def extension(i: int) -> int:
        shift = length - 64 * (i + 1)
        return bits >> shift & (2**64 - 1) if shift >= 0 else 0

    return extension


def no_extension(i: int) -> int:
    raise AssertionError(f"word {i} was not needed")


def plain_tails(scale: Fraction, floor: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Return bounds of T_1, T_2, ... down to floor, from the series of exp(1/scale) in fractions.

    T_k = 2 / (e^((k - 1) / scale) + e^(k / scale)); no rounding, no shared code.
    """
    x = 1 / scale
    lo, term, j = Fraction(1), Fraction(1), 0
    while term > Fraction(1, 2**80) or j < 2 * x:
        j += 1
        term *= x / j
        lo += term
    hi = lo + term  # j >= 2 x: each later term is at most half the one before
    tails: list[tuple[Fraction, Fraction]] = []
    while not tails or tails[-1][1] > floor:
        k = len(tails) + 1
        tails.append((2 / (hi ** (k - 1) + hi**k), 2 / (lo ** (k - 1) + lo**k)))
    return tails


@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(1), Fraction(5, 2)], ids=str)
def test_magnitude_by_enumeration(scale: Fraction) -> None:
    word = 0x0123456789ABCDEF  # not zero, so prefix 0 is decided within it too
    tails = plain_tails(scale, Fraction(1, 2**20))
    for prefix in range(2**10):
        u = Fraction(prefix << 64 | word, 1 << 74)
        lo, hi = ([u < t[side] for t in tails].count(True) for side in (0, 1))
        assert lo == hi
        extension = extension_of(word, 64)
        assert discrete_laplace.magnitude(scale, prefix, 10, extension) == lo


@pytest.mark.parametrize("prefix_bits", [0, 16, 31, 63])
def test_magnitude_next_to_a_tail(prefix_bits: int) -> None:
    for scale in (Fraction(1, 7), Fraction(37, 10), 2**40 + Fraction(1, 3), Fraction(2**56)):
        check_next_to_a_tail(scale, prefix_bits)


def check_next_to_a_tail(scale: Fraction, prefix_bits: int) -> None:
    length = 512
    bits = prefix_bits + length
    for k in (1, 2, int(scale) + 1, int(20 * scale) + 1):
        lo, hi = discrete_laplace.tail_bounds(scale, k, bits + 64)
        near = lo >> 64
        assert near == hi >> 64  # the first bits of T_k are certain
        for step, expected in ((-1, k), (0, k), (1, k - 1)):
            u = near + step
            prefix = u >> length
            extension = extension_of(u & (2**length - 1), length)
            assert discrete_laplace.magnitude(scale, prefix, prefix_bits, extension) == expected


def test_magnitude_past_the_expansion_of_a_tail() -> None:
    # The stream follows T_k for 2,048 bits more and no further: the 33rd word decides.
    scale, k, length = Fraction(37, 10), 5, 2048
    lo, _ = discrete_laplace.tail_bounds(scale, k, 63 + length + 64)
    bits = lo >> 64
    for then, expected in ((0, k), (2**64 - 1, k - 1)):
        words = [bits >> shift & (2**64 - 1) for shift in range(length - 64, -1, -64)]
        words.append(then)
        calls: list[int] = []

        def follow(i: int, words: list[int] = words, calls: list[int] = calls) -> int:
            calls.append(i)
            return words[i]

        assert discrete_laplace.magnitude(scale, bits >> length, 63, follow) == expected
        assert calls == list(range(33))


# --- discrete_laplace: cells --------------------------------------------------------------------


@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(1), Fraction(37, 10)], ids=str)
def test_cells_sum_to_the_distribution(scale: Fraction) -> None:
    prefix_bits, bits = 8, 120
    ulp = Fraction(1, 1 << bits)
    distribution: dict[int, list[Fraction]] = {}
    for u in range(1 << prefix_bits):
        masses = discrete_laplace.cell_masses(scale, u, prefix_bits, bits)
        width = Fraction(1, 1 << prefix_bits)
        rest = 0 if u else ulp
        assert sum(lo for lo, _ in masses.values()) <= width
        assert sum(hi for _, hi in masses.values()) + rest >= width
        assert list(masses) == list(range(min(masses), max(masses) + 1))
        for k, (lo, hi) in masses.items():
            assert 0 <= lo <= hi <= lo + 4 * ulp
            total = distribution.setdefault(k, [Fraction(0), Fraction(0)])
            total[0] += lo
            total[1] += hi
    for k, total in distribution.items():
        one_sided = discrete_laplace.probability_bounds(scale, k, bits)
        sides = 2 if k else 1
        assert total[0] <= sides * one_sided[1] * ulp
        assert total[1] >= sides * one_sided[0] * ulp
