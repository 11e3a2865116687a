"""csrc/samplers/exact_comparison.c against a second implementation and the fast path."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from reference import discrete_gaussian, discrete_laplace, from_bits

from cydp.testing import (
    bernoulli_sampler,
    discrete_gaussian_sampler,
    discrete_laplace_sampler,
    map_bits,
)

# Rationals of about two thousand bits.
LONG = f"{3**1250}/{2**1960 + 1}"  # 2^21.2
SCALES = [
    "1e-6", "1/7", "0.5", "1", "22/7", "5.5", "5.5000001", "10", "1000/3", "1000", "1024", "1025",
    "123456.789", str(2**20), f"{3 * 2**20 + 1}/3", str(2**36), f"{3 * 2**40 + 1}/3", str(2**56),
    LONG, f"{3**1250}/{2**1980 + 1}",
]  # fmt: skip
SIGMAS2 = [
    "1e-6", "1/9", "1", "2", "16", "63.999", "64", "100", "210.249",
    "210.25", "255.9", "256", f"{3 * 10**6 + 1}/3",
    str(2**34 - 1), str(2**36), str(2**60), str(2**68), str(2**112),
    LONG, f"{3**1250}/{2**1977 + 1}",
]  # fmt: skip
COINS = [
    "1/3", "1/2", "2/7", "1e-9", "3/65536",
    # Next to a cell's end, and next to 1: from above 1 - 2^-40 on, 2^16 p rounds to 2^16.
    f"{2**884 + 1}/{2**900}", f"{2**39 - 1}/{2**39}", f"{2**41 - 1}/{2**41}",
    f"{2**60 - 1}/{2**60}", f"{2**400 - 1}/{2**400}",
    f"{3**1250}/{2**1982 + 1}",
]  # fmt: skip
ENDING = [text for text in COINS if 2**900 % Fraction(text).denominator == 0]
DISTRIBUTIONS = [
    *(("laplace", text) for text in SCALES),
    *(("gaussian", text) for text in SIGMAS2),
    *(("bernoulli", text) for text in COINS),
]
WORDS = 24  # 64-bit words of extension given: more than the exact comparison may need
DEEP = 64 * WORDS

Words = NDArray[np.uint64]


def short(value: object) -> str:
    return str(value) if len(str(value)) < 20 else f"{str(value)[:8]}..."


def every_distribution(*distributions: tuple[str, str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("distribution", "text"), distributions or DISTRIBUTIONS, ids=short
    )


def sampler_of(distribution: str, parameter: str | Fraction):
    if distribution == "laplace":
        return discrete_laplace_sampler(parameter)
    if distribution == "gaussian":
        return discrete_gaussian_sampler(sigma2=parameter)
    return bernoulli_sampler(parameter)


@dataclass
class Candidates:
    """Bits of n candidates."""

    planes: list[Words]
    signs: NDArray[np.bool_]
    extensions: Words

    def map(self, distribution: str, parameter: str | Fraction, resolve_all: bool = False):
        sampler = sampler_of(distribution, parameter)
        return map_bits(sampler, self.planes, self.signs, self.extensions, resolve_all=resolve_all)

    def expected(self, distribution: str, text: str) -> list[int]:
        """What the oracle gives, of those that are accepted."""
        parameter = Fraction(text)
        values = []
        for i, words in enumerate(zip(*(plane.tolist() for plane in self.planes), strict=True)):
            one, two = (row.tolist().__getitem__ for row in self.extensions[:, i])
            sign = bool(self.signs[i])
            if distribution == "laplace":
                values.append(from_bits.laplace(parameter, words, sign, one, two))
            elif distribution == "gaussian":
                values.append(from_bits.gaussian(parameter, words, sign, one, two))
            else:
                values.append(int(from_bits.bernoulli(parameter, words, one)))
        return [value for value in values if value is not None]


def widths_of(distribution: str, text: str) -> list[int]:
    return [width for width in sampler_of(distribution, text).layout[0] if width]


def random_extensions(n: int, key: int) -> Words:
    return np.random.default_rng(key).integers(0, 2**64, (2, n, WORDS), dtype=np.uint64)


def random_candidates(distribution: str, text: str, n: int, key: int) -> Candidates:
    rng = np.random.default_rng(key)
    planes = [
        rng.integers(0, 2 ** (8 * width), n, dtype=np.uint64)
        for width in widths_of(distribution, text)
    ]
    signs = rng.integers(0, 2, n).astype(bool)
    return Candidates(planes, signs, random_extensions(n, key + 1000))


# --- Candidates next to a threshold -------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """A decision of a candidate: U (or V) < y, with all else given."""

    decision: int
    prefix_bits: int
    bounds: Callable[[int], tuple[int, int]]  # of y
    words: Callable[[int], Sequence[int]]  # of a prefix


def targets(distribution: str, text: str) -> Iterator[Target]:
    parameter = Fraction(text)
    if distribution == "laplace":
        yield from (
            laplace_split_targets(parameter) if parameter > 2**20 else laplace_targets(parameter)
        )
    elif distribution == "gaussian":
        yield from (
            gaussian_split_targets(parameter)
            if parameter >= discrete_gaussian.LEAST_SPLIT
            else gaussian_targets(parameter)
        )
    else:

        def coin(bits: int) -> tuple[int, int]:
            low = (parameter.numerator << bits) // parameter.denominator
            return low, low + 1

        yield Target(1, 16, coin, lambda u: [u])


def laplace_targets(scale: Fraction, ks: Sequence[int] = ()) -> Iterator[Target]:
    bits = prefix_bits_of(scale)
    for k in ks or {1, 2, 3, max(1, int(scale)), max(1, int(5 * scale))}:
        yield Target(
            1,
            bits,
            lambda n, k=k: discrete_laplace.tail_bounds(scale, k, n),
            (lambda u: [u]) if bits == 16 else (lambda u: [u << 1]),
        )


def laplace_split_targets(scale: Fraction, ks: Sequence[int] = ()) -> Iterator[Target]:
    m = from_bits.laplace_split_bits(scale)
    high = scale / 2**m

    def exp(x: Fraction) -> Callable[[int], tuple[int, int]]:
        return lambda bits: discrete_laplace.exp_negative_bounds(x, bits)

    for k in ks or (1, 2, 3, int(high), int(5 * high)):
        yield Target(1, 63, exp(k / high), lambda u: [u << 1, 1])
    place, v_bits = from_bits.laplace_split_v(m)
    for r in {1, 2**m // 3, 2**m - 1} - {0}:
        yield Target(2, v_bits, exp(r / scale), lambda v, r=r: [2**62 + 1, v << place | r])


def prefix_bits_of(scale: Fraction) -> int:
    return 16 if scale <= Fraction(11, 2) else 31 if scale <= 2**10 else 63


def gaussian_targets(sigma2: Fraction) -> Iterator[Target]:
    beyond = (63, 150, 240, 300) if sigma2 > 64 else ()  # of the 16 bits, and of two limbs
    for k in (1, 2, 3, 8, 20, *beyond):
        yield Target(
            1, 16, lambda n, k=k: discrete_gaussian.tail_bounds(sigma2, k, n), lambda u: [u]
        )


def gaussian_split_targets(sigma2: Fraction) -> Iterator[Target]:
    m = discrete_gaussian.split_bits(sigma2)

    def base(k: int, bits: int) -> tuple[int, int]:
        return discrete_gaussian.tail_bounds(sigma2 / 4**m, k, bits, one_sided=True)

    for k in (1, 2, 3, 8, 15):
        yield Target(1, 16, lambda n, k=k: base(k, n), lambda u: [2, u, 0])
    for x in (0, 1, 4, 13):
        u = base(x + 1, 16)[1] + 1  # x = #{k : U < B_k}
        for r in {1, 2**m // 3, 2**m - 1} - {0}:
            yield Target(
                2,
                16,
                lambda n, x=x, r=r: discrete_gaussian.acceptance_bounds(sigma2, x, r, n),
                lambda v, r=r, u=u: [r << 1, u, v],
            )


def candidates_at(distribution: str, text: str, at: Sequence[tuple[Target, int]]) -> Candidates:
    """Candidates of which U (V) of each target has these `prefix_bits + DEEP` bits."""
    sampler = sampler_of(distribution, text)
    planes: list[list[int]] = [[] for width in sampler.layout[0] if width]
    extensions = random_extensions(len(at), 11)
    for i, (target, stream) in enumerate(at):
        for plane, word in zip(planes, target.words(stream >> DEEP), strict=True):
            plane.append(word)
        bits = stream & (2**DEEP - 1)
        extensions[target.decision - 1, i] = [
            bits >> shift & (2**64 - 1) for shift in range(DEEP - 64, -1, -64)
        ]
    signs = np.zeros(len(at), bool)
    return Candidates([np.array(plane, np.uint64) for plane in planes], signs, extensions)


def streams_that_leave(target: Target, agree: int) -> Iterator[int]:
    """U equals y for `agree` bits after the prefix and then differs in the next, either way."""
    y, _ = target.bounds(target.prefix_bits + DEEP)
    for bit in (0, 1):  # the next 0 becomes 1: U > y; the next 1 becomes 0: U < y
        place = DEEP - agree - 1
        while place >= 0 and y >> place & 1 != bit:
            place -= 1
        if place >= 0 and y > 4:  # it is not 0 as far as bits are given, nor does y end
            yield y ^ 1 << place


# --- Tests --------------------------------------------------------------------------------------


@every_distribution()
def test_random_bits(distribution: str, text: str) -> None:
    given = random_candidates(distribution, text, 1000, 1)
    expected = given.expected(distribution, text)
    assert given.map(distribution, text).values.tolist() == expected
    exact = given.map(distribution, text, resolve_all=True)
    assert exact.values.tolist() == expected
    assert exact.asked[0].all()


@every_distribution()
@pytest.mark.parametrize("zeros", [0, 3, 14])
def test_smallest_and_largest_words(distribution: str, text: str, zeros: int) -> None:
    """All zeros or ones in each plane, and then in that many words of extension."""
    widths = widths_of(distribution, text)
    near = 2 if zeros < 14 else 1  # words at each end
    choices = ([*range(near), *range(2 ** (8 * w) - near, 2 ** (8 * w))] for w in widths)
    ends = list(itertools.product(*choices))
    extensions = random_extensions(4 * len(ends), 3)
    extensions[:, ::2, :zeros] = 0
    extensions[:, 1::2, :zeros] = 2**64 - 1
    planes = [np.repeat(np.array(plane, np.uint64), 4) for plane in zip(*ends, strict=True)]
    given = Candidates(planes, np.arange(4 * len(ends)) & 2 != 0, extensions)
    expected = given.expected(distribution, text)
    assert given.map(distribution, text).values.tolist() == expected
    assert given.map(distribution, text, resolve_all=True).values.tolist() == expected


@every_distribution()
def test_words_next_to_a_threshold(distribution: str, text: str) -> None:
    """Where a guard band too small would show: U = y +- 2^j units of the prefix's last bit."""
    at = []
    for target in targets(distribution, text):
        bits = target.prefix_bits
        y = target.bounds(bits)[0]
        near = {y + sign * 2**j + i for j in range(bits) for i in (-1, 0) for sign in (-1, 1)}
        at += [(target, u << DEEP) for u in sorted(near | {y}) if 0 <= u < 2**bits]
    given = candidates_at(distribution, text, at)
    given.extensions[:] = random_extensions(len(at), 12)
    expected = given.expected(distribution, text)
    assert given.map(distribution, text).values.tolist() == expected
    assert given.map(distribution, text, resolve_all=True).values.tolist() == expected


def dense_targets(scale: Fraction) -> Iterator[Target]:
    """Thresholds T_k down to sqrt(t / 2^b), where the logarithm's guard band is narrowest."""
    t, split = scale, scale > 2**20
    if split:
        t = scale / 2 ** from_bits.laplace_split_bits(scale)
    last = int(float(t) * (prefix_bits_of(t) * math.log(2) - math.log(t)) / 2)
    ks = sorted({1 + last * i // 100 for i in range(100)} | {max(last - i, 1) for i in range(200)})
    yield from laplace_split_targets(scale, ks) if split else laplace_targets(scale, ks)


@every_distribution(
    *((distribution, text) for distribution, text in DISTRIBUTIONS if distribution == "laplace")
)
def test_cells_that_hold_a_threshold_are_undecided(distribution: str, text: str) -> None:
    """Of the thresholds these are enumerated elsewhere; here the logarithm's and of V."""
    found = list(dense_targets(Fraction(text)))
    at = [(t, t.bounds(t.prefix_bits + DEEP)[0]) for t in found]
    given = candidates_at(distribution, text, at)
    given.extensions[:] = 2**63
    asked = given.map(distribution, text).asked
    assert asked[[t.decision - 1 for t in found], np.arange(len(at))].all()


@every_distribution()
@pytest.mark.parametrize("agree", [0, 24, 40, 44, 48, 52, 64, 200, 500, 900])
def test_bits_that_follow_a_threshold(distribution: str, text: str, agree: int) -> None:
    at = [
        (t, stream) for t in targets(distribution, text) for stream in streams_that_leave(t, agree)
    ]
    given = candidates_at(distribution, text, at)
    expected = given.expected(distribution, text)
    fast, exact = given.map(distribution, text), given.map(distribution, text, resolve_all=True)
    assert fast.values.tolist() == expected
    assert exact.values.tolist() == expected
    if not at or (distribution == "bernoulli" and text in ENDING):  # that decides as soon as p ends
        return
    decisions = np.array([target.decision for target, _ in at])
    assert fast.asked[decisions - 1, np.arange(len(at))].all()
    assert exact.work["levels"] >= (1 + (agree > 512)) * len(at)
    if agree >= 64:
        assert fast.work["resolved"] >= len(at)


@every_distribution()
def test_a_stream_that_never_decides_is_an_error(distribution: str, text: str) -> None:
    for target in targets(distribution, text):
        y, _ = target.bounds(target.prefix_bits + DEEP)
        never = y % 2**400 != 0  # else y is 0 so far, or ends: that decides
        given = candidates_at(distribution, text, [(target, y)])
        for resolve_all in (False, True):
            if never:
                with pytest.raises(RuntimeError, match="1,024 random bits"):
                    given.map(distribution, text, resolve_all)
            elif distribution == "bernoulli":
                assert not given.map(distribution, text, resolve_all).values.any()


def neighbour(distribution: str, text: str) -> Fraction | None:
    """A parameter off by a thousandth, of the same method; None if it hardly matters."""
    parameter = Fraction(text)
    if parameter < Fraction(1, 10) or (distribution, text) == ("laplace", "1/7"):
        return None
    if (
        sampler_of(distribution, parameter * Fraction(999, 1000)).layout
        == sampler_of(distribution, text).layout
    ):
        return parameter * Fraction(999, 1000)
    return parameter * Fraction(1001, 1000)


@every_distribution()
def test_exact_comparison_of_everything_equals_the_fast_path(distribution: str, text: str) -> None:
    n = 20_000
    given = random_candidates(distribution, text, n, 4)
    fast, exact = given.map(distribution, text), given.map(distribution, text, resolve_all=True)
    assert np.array_equal(fast.values, exact.values)
    assert fast.work["candidates"] == exact.work["candidates"] == n
    assert fast.work["resolved"] <= fast.work["undecided"] < 200
    assert exact.asked[0].all()
    other = neighbour(distribution, text)
    if other:  # the test has power: neighbouring distributions give other values
        values = given.map(distribution, other).values
        assert not np.array_equal(values, exact.values)
