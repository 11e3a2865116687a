"""The oracles against published vectors, other arithmetic (decimal) and plain enumeration."""

import math
import random
import struct
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from reference import chacha20, discrete_gaussian, discrete_laplace, logarithm, routes

# --- chacha20 -----------------------------------------------------------------------------------

COUNTING_KEY = bytes(range(32))
ZERO_KEY = bytes(32)

# RFC 8439, section 2.3.2 and appendix A.1: key, nonce, counter, block.
BLOCKS = {
    "2.3.2": (
        COUNTING_KEY,
        "000000090000004a00000000",
        1,
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
    ),
    "A.1-1": (
        ZERO_KEY,
        "000000000000000000000000",
        0,
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    ),
    "A.1-2": (
        ZERO_KEY,
        "000000000000000000000000",
        1,
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
    ),
    "A.1-3": (
        bytes(31) + b"\x01",
        "000000000000000000000000",
        1,
        "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
        "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0",
    ),
    "A.1-4": (
        b"\x00\xff" + bytes(30),
        "000000000000000000000000",
        2,
        "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
        "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096",
    ),
    "A.1-5": (
        ZERO_KEY,
        "000000000000000000000002",
        0,
        "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
        "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d",
    ),
}


@pytest.mark.parametrize("section", BLOCKS)
def test_block_rfc8439(section: str) -> None:
    key, nonce, counter, expected = BLOCKS[section]
    assert chacha20.block(key, bytes.fromhex(nonce), counter).hex() == expected


def test_quarter_round_rfc8439() -> None:
    # section 2.1.1
    before = (0x11111111, 0x01020304, 0x9B8D6F43, 0x01234567)
    after = (0xEA2A92F4, 0xCB1CF8CE, 0x4581472E, 0x5881C4BB)
    assert chacha20.quarter_round(*before) == after


def test_keystream_rfc8439() -> None:
    # section 2.4.2: two blocks from counter 1
    text = (
        b"Ladies and Gentlemen of the class of '99: "
        b"If I could offer you only one tip for the future, sunscreen would be it."
    )
    expected = bytes.fromhex(
        "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b"
        "f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8"
        "07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
        "5af90bbf74a35be6b40b8eedf2785e42874d"
    )
    nonce = bytes.fromhex("000000000000004a00000000")
    stream = b"".join(chacha20.block(COUNTING_KEY, nonce, counter) for counter in (1, 2))
    assert bytes(a ^ b for a, b in zip(text, stream, strict=False)) == expected


def test_interleaved_places_each_block() -> None:
    nonce = bytes(range(12))
    words = chacha20.interleaved(COUNTING_KEY, nonce, 7, 2)
    assert len(words) == 512
    for n in range(32):
        group, b = divmod(n, 16)
        expected = struct.unpack("<16I", chacha20.block(COUNTING_KEY, nonce, 7 + n))
        assert tuple(words[256 * group + b : 256 * (group + 1) : 16]) == expected


def test_counter_never_wraps() -> None:
    last = 2**32 - 16
    assert len(chacha20.interleaved(ZERO_KEY, bytes(12), last, 1)) == 256
    with pytest.raises(ValueError, match="counter"):
        chacha20.interleaved(ZERO_KEY, bytes(12), last, 2)


# --- discrete_laplace: bounds -------------------------------------------------------------------

E_MINUS_1 = 36787944117144232159552377016146086744581113103176783450783680  # 62 digits


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


def test_exp_of_one() -> None:
    lo, hi = discrete_laplace.exp_negative_bounds(Fraction(1), 256)
    assert lo * 10**62 >> 256 == hi * 10**62 >> 256 == E_MINUS_1


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


def test_exp_of_long_fractions() -> None:
    # exp(-x) exp(-y) = exp(-(x + y)) with parts of thousands of bits
    rng = random.Random(2)
    bits = 1200
    exp = discrete_laplace.exp_negative_bounds
    for size in (2000, 5000):
        x = Fraction(rng.getrandbits(size + 8), rng.getrandbits(size) | 1 << (size - 1))
        y = Fraction(rng.getrandbits(size), rng.getrandbits(size + 50) | 1)
        (a_lo, a_hi), (b_lo, b_hi), (c_lo, c_hi) = exp(x, bits), exp(y, bits), exp(x + y, bits)
        assert a_lo * b_lo <= c_hi << bits
        assert c_lo << bits <= a_hi * b_hi


SCALES = [
    Fraction(1, 10**6),
    Fraction(1, 7),
    Fraction(1, 2),
    Fraction(1),
    Fraction(37, 10),
    Fraction(1000, 3),
    2**40 + Fraction(1, 3),
    Fraction(2**56),
]


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_bounds_are_tight(scale: Fraction) -> None:
    for bits in (64, 300):
        for k in (0, 1, 2, 3, int(scale), int(40 * scale) + 1):
            for bound in (discrete_laplace.tail_bounds, discrete_laplace.probability_bounds):
                lo, hi = bound(scale, k, bits)
                assert 0 <= lo <= hi <= lo + 2
                assert hi <= 2**bits
        lo, hi = discrete_laplace.variance_bounds(scale, bits)
        assert 0 <= lo <= hi <= lo + 2


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


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_probabilities_are_differences_of_tails(scale: Fraction) -> None:
    bits = 300
    for k in (0, 1, 2, 17, int(scale), int(40 * scale) + 1):
        a_lo, a_hi = discrete_laplace.tail_bounds(scale, k, bits)
        b_lo, b_hi = discrete_laplace.tail_bounds(scale, k + 1, bits)
        lo, hi = discrete_laplace.probability_bounds(scale, k, bits)
        sides = 2 if k else 1
        assert discrete_laplace.probability_bounds(scale, -k, bits) == (lo, hi)
        assert sides * lo <= a_hi - b_lo
        assert sides * hi >= a_lo - b_hi


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


def test_mass_at_zero_is_tanh() -> None:
    for scale in (0.25, 1.0, 8.0):
        lo, hi = discrete_laplace.probability_bounds(Fraction(scale), 0, 64)
        assert lo / 2**64 == pytest.approx(math.tanh(0.5 / scale), rel=1e-15)
        assert hi / 2**64 == pytest.approx(math.tanh(0.5 / scale), rel=1e-15)


def test_variance_of_a_large_scale() -> None:
    # 2 p / (1 - p)^2 = 1 / (2 sinh^2(1 / 2t)) = 2 t^2 - 1/6 + 1 / (120 t^2) - ...
    scale = Fraction(2**56)
    lo, hi = discrete_laplace.variance_bounds(scale, 64)
    assert lo <= (2 * scale**2 - Fraction(1, 6)) * 2**64 <= hi


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


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_magnitude_is_where_the_tails_cross(scale: Fraction) -> None:
    rng = random.Random(3)
    bits = 400
    for prefix_bits in (16, 31, 63):
        prefixes = [0, 1, 2**prefix_bits - 1, *(rng.getrandbits(prefix_bits) for _ in range(8))]
        for prefix in prefixes:
            words = rng.getrandbits(192)
            k = discrete_laplace.magnitude(scale, prefix, prefix_bits, extension_of(words, 192))
            u = (prefix << 192 | words) << (bits - 192 - prefix_bits)
            assert u < discrete_laplace.tail_bounds(scale, k, bits)[0]
            assert u >= discrete_laplace.tail_bounds(scale, k + 1, bits)[1]


@pytest.mark.parametrize("scale", SCALES[1:], ids=str)  # the first one's T_1 is 2^-1442694
@pytest.mark.parametrize("prefix_bits", [0, 1, 16, 63])
def test_magnitude_next_to_a_tail(scale: Fraction, prefix_bits: int) -> None:
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


def test_magnitude_takes_no_more_than_it_needs() -> None:
    magnitude = discrete_laplace.magnitude
    assert magnitude(Fraction(1), 2**63 - 1, 63, no_extension) == 0
    assert magnitude(Fraction(1), 2**62, 63, no_extension) == 1  # T_1 = 0.538, T_2 = 0.198
    assert magnitude(Fraction(1, 10**6), 1, 16, no_extension) == 0
    assert magnitude(Fraction(1, 10**400), 1, 16, no_extension) == 0


def test_magnitude_of_a_long_run_of_zeros() -> None:
    # U = 2^-1023 (1 + 2^-1): T_k ~ 2 p^k / (1 + p), so k = floor(a - t ln U) for t = 1
    a = math.log(2 / (1 + math.exp(-1)))
    expected = math.floor(a - math.log(1.5) + 1023 * math.log(2))
    extension = extension_of(3 << 62, 960)
    assert discrete_laplace.magnitude(Fraction(1), 0, 126, extension) == expected
    assert discrete_laplace.magnitude(Fraction(1, 10**6), 0, 126, extension) == 0


def test_value_reads_sign_and_prefix() -> None:
    scale = Fraction(3)
    for prefix in (1, 1000, 40000, 65535):
        k = discrete_laplace.magnitude(scale, prefix, 16, extension_of(0, 64))
        high = 5 << 17  # bits above the prefix belong to others
        word = high | prefix << 1
        assert discrete_laplace.value(scale, word, 16, extension_of(0, 64)) == k
        assert discrete_laplace.value(scale, word | 1, 16, extension_of(0, 64)) == -k


# --- discrete_laplace: cells --------------------------------------------------------------------


@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(1), Fraction(37, 10)], ids=str)
def test_cells_sum_to_the_law(scale: Fraction) -> None:
    prefix_bits, bits = 8, 120
    ulp = Fraction(1, 1 << bits)
    law: dict[int, list[Fraction]] = {}
    for u in range(1 << prefix_bits):
        masses = discrete_laplace.cell_masses(scale, u, prefix_bits, bits)
        width = Fraction(1, 1 << prefix_bits)
        rest = 0 if u else ulp
        assert sum(lo for lo, _ in masses.values()) <= width
        assert sum(hi for _, hi in masses.values()) + rest >= width
        assert list(masses) == list(range(min(masses), max(masses) + 1))
        for k, (lo, hi) in masses.items():
            assert 0 <= lo <= hi <= lo + 4 * ulp
            total = law.setdefault(k, [Fraction(0), Fraction(0)])
            total[0] += lo
            total[1] += hi
    for k, total in law.items():
        one_sided = discrete_laplace.probability_bounds(scale, k, bits)
        sides = 2 if k else 1
        assert total[0] <= sides * one_sided[1] * ulp
        assert total[1] >= sides * one_sided[0] * ulp


def test_masses_stay_within_the_cell() -> None:
    # the tails are known to 2^-6 only, four times the width of a cell
    for u in range(256):
        for lo, hi in discrete_laplace.cell_masses(Fraction(9), u, 8, 6).values():
            assert 0 <= lo <= hi <= Fraction(1, 256)


def test_cell_agrees_with_magnitude() -> None:
    # the masses, laid from right to left, say where |X| changes inside the cell
    scale, prefix_bits, u = Fraction(50), 8, 3
    masses = discrete_laplace.cell_masses(scale, u, prefix_bits, 80)
    assert len(masses) > 10
    right = Fraction(u + 1, 1 << prefix_bits)
    for k, (lo, hi) in masses.items():
        middle = right - (lo + hi) / 4
        words = int((middle * 2**prefix_bits - u) * 2**64)
        extension = extension_of(words, 64)
        assert discrete_laplace.magnitude(scale, u, prefix_bits, extension) == k
        right -= (lo + hi) / 2


# --- discrete_gaussian: bounds ------------------------------------------------------------------

SIGMAS2 = [
    Fraction(1, 10**6),
    Fraction(1, 9),
    Fraction(2),
    Fraction(63999, 1000),
    Fraction(900),
    10**6 + Fraction(1, 3),
    Fraction(2**112),
]


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


@pytest.mark.parametrize("sigma2", SIGMAS2, ids=str)
@pytest.mark.parametrize("bits", [10, 64, 300])
def test_gaussian_bounds_are_tight_and_hold_those_of_more_bits(sigma2: Fraction, bits: int) -> None:
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


@pytest.mark.parametrize("sigma2", SIGMAS2, ids=str)
def test_gaussian_probabilities_are_differences_of_tails(sigma2: Fraction) -> None:
    sigma = max(1, math.isqrt(int(sigma2)))
    for k in (1, 2, 17, sigma, 5 * sigma + 1):
        a_lo, a_hi = discrete_gaussian.tail_bounds(sigma2, k, 300)
        b_lo, b_hi = discrete_gaussian.tail_bounds(sigma2, k + 1, 300)
        lo, hi = discrete_gaussian.probability_bounds(sigma2, k, 300)
        assert 2 * lo <= a_hi - b_lo
        assert 2 * hi >= a_lo - b_hi


@pytest.mark.parametrize("sigma2", [Fraction(500), Fraction(2000, 3), Fraction(10**4)], ids=str)
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


@pytest.mark.parametrize("sigma2", [Fraction(64), Fraction(100), Fraction(10**9, 7)], ids=str)
def test_accepted_candidates_of_the_split_have_the_law(sigma2: Fraction) -> None:
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


def test_chances_of_candidates_sum_to_the_rate() -> None:
    sigma2, bits = Fraction(100), 200
    bounds = [discrete_gaussian.candidate_bounds(sigma2, v, bits) for v in range(-180, 181)]
    lo, hi = discrete_gaussian.acceptance_rate_bounds(sigma2, bits)
    assert sum(low for low, _ in bounds) <= hi
    assert sum(high for _, high in bounds) + 2 >= lo  # what is beyond 180 weighs < 2^-230


# --- routes -------------------------------------------------------------------------------------


def falling(k: int, bits: int) -> tuple[int, int]:
    """Bound 1 - k / 41, or 0 from k = 41 on."""
    y = (max(41 - k, 0) << bits) // 41
    return y, y + (k < 41)


def test_uniform_is_compared_as_a_number() -> None:
    word = 0x0123456789ABCDEF
    for prefix in range(256):
        u = Fraction(prefix << 64 | word, 1 << 72)
        for p in (Fraction(1, 3), Fraction(77, 256), Fraction(77 << 64 | word, 1 << 72)):
            uniform = routes.Uniform(prefix, 8, extension_of(word, 64))
            assert uniform.below_rational(p) == (u < p)
        uniform = routes.Uniform(prefix, 8, extension_of(word, 64))
        expected = sum(u < 1 - Fraction(k, 41) for k in range(1, 42))
        assert uniform.count(falling, prefix % 45) == expected


def test_coins_need_no_more_bits_than_end_p() -> None:
    coins = [routes.bernoulli(Fraction(3, 2**16), [w], no_extension) for w in range(5)]
    assert coins == [True, True, True, False, False]
    assert routes.bernoulli(Fraction(1), [], no_extension) is True
    assert routes.bernoulli(Fraction(0), [], no_extension) is False


def test_splits_at_powers_of_two() -> None:
    scales = {Fraction(2**20): 0, 2**20 + Fraction(1, 3): 1, Fraction(2**56): 36}
    assert {t: routes.laplace_split_bits(t) for t in scales} == scales
    sigmas2 = {1: 0, 64: 1, 255: 1, 256: 2, 2**112: 54}
    assert {s: discrete_gaussian.split_bits(Fraction(s)) for s in sigmas2} == sigmas2


def test_split_of_laplace_is_the_law() -> None:
    # exp(-M Q / t) exp(-R / t) = exp(-|X| / t); a candidate's quotient against logarithms
    scale = 2**40 + Fraction(1, 3)
    m = routes.laplace_split_bits(scale)
    high = float(scale / 2**m)
    assert 2**19 < high <= 2**20
    rng = random.Random(8)
    for _ in range(50):
        low, word = rng.getrandbits(m), rng.getrandbits(63)
        words = [word << 1 | 1, low]  # V = 0: accepted
        value = routes.laplace(scale, words, False, extension_of(5, 64), extension_of(0, 64))
        assert value is not None
        quotient, rest = divmod(-value, 1 << m)
        assert rest == low
        assert abs(quotient + high * math.log((word + 0.5) / 2**63) + 0.5) < 0.5 + 1e-6
        words[1] |= (2**19 - 1) << 45
        rejected = routes.laplace(scale, words, False, extension_of(5, 64), lambda _: 2**64 - 1)
        assert rejected is None
    nothing = [2**64 - 1, 0]
    assert routes.laplace(scale, nothing, False, lambda _: 2**64 - 1, no_extension) is None
    nothing[0] -= 1
    assert routes.laplace(scale, nothing, False, lambda _: 2**64 - 1, no_extension) == 0


@pytest.mark.parametrize("sigma2", [Fraction(1, 9), Fraction(2), Fraction(63999, 1000)], ids=str)
def test_gaussian_of_small_sigma_by_enumeration(sigma2: Fraction) -> None:
    rho = decimal_gaussian(sigma2, 200)
    tails = [2 * sum(rho[k:]) / (2 * sum(rho) - 1) for k in range(1, 80)]
    word = 0x0123456789ABCDEF
    for prefix in range(0, 2**16, 256):
        u = Fraction(prefix << 64 | word, 1 << 80)
        expected = sum(u < y for y in tails)
        value = routes.gaussian(sigma2, [prefix], True, extension_of(word, 64), no_extension)
        assert value == -expected


def test_gaussian_of_a_split_candidate() -> None:
    sigma2 = Fraction(100)  # m = 1, the base has sigma 5
    rho = [math.exp(-j * j / 50) for j in range(60)]
    tails = [sum(rho[k:]) / sum(rho) for k in range(1, 60)]
    rng = random.Random(9)
    for _ in range(200):
        negative, r = rng.getrandbits(1), rng.getrandbits(1)
        u, v = rng.randrange(2**16), rng.randrange(2**16)
        x = sum((u + 0.5) / 2**16 < y for y in tails)
        g = ((2 * x + r) ** 2 - (2 * x) ** 2) / 200
        accepted = (v + 0.5) / 2**16 < math.exp(-g) and not (negative and x == r == 0)
        words = [rng.getrandbits(14) << 2 | r << 1 | negative, u, v]
        middle = extension_of(1 << 63, 64)
        value = routes.gaussian(sigma2, words, False, middle, middle)
        assert value == ((-1) ** negative * (2 * x + r) if accepted else None)


# --- logarithm ----------------------------------------------------------------------------------

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
    ("which", "at", "change"), [(0, 3, 2.0**-30), (1, 5, 2.0**-36), (2, 0, 2.0**-30)]
)
def test_truncation_error_sees_a_wrong_constant(which: int, at: int, change: float) -> None:
    tables = table()
    good = logarithm.truncation_error(*tables)
    tables[which][at] += change
    bad = logarithm.truncation_error(*tables)
    assert bad > good + Fraction(change) / 32
    assert bad >= sampled_error(*tables, 8)


def test_truncation_error_wants_eight_intervals() -> None:
    inverse, centre, q = table()
    with pytest.raises(ValueError, match="8 entries"):
        logarithm.truncation_error(inverse[:7], centre, q)
