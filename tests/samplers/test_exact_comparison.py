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
Distribution = tuple[str, str]  # its name, and its scale, square of sigma, or p

# One for each method and width of words, and where a method begins or ends.
CHOSEN: list[Distribution] = [
    *(("laplace", scale) for scale in
      ("1/7", "5.5", "5.5000001", "1024", "1025", f"{3 * 2**20 + 1}/3", str(2**56))),
    *(("gaussian", sigma2) for sigma2 in ("1/9", "210.249", "210.25", str(2**36), str(2**112))),
    # p that ends inside of a cell; next to 1, where 2^16 p rounds to 2^16; and one that is long.
    *(("bernoulli", p) for p in
      ("1/3", f"{2**884 + 1}/{2**900}", f"{2**60 - 1}/{2**60}", f"{3**1250}/{2**1982 + 1}")),
]  # fmt: skip
OTHERS: list[Distribution] = [
    *(("laplace", scale) for scale in
      ("1e-6", "0.5", "1", "22/7", "10", "1000/3", "1000", "123456.789", str(2**20), str(2**36),
       f"{3 * 2**40 + 1}/3", LONG, f"{3**1250}/{2**1980 + 1}")),
    *(("gaussian", sigma2) for sigma2 in
      ("1e-6", "1", "2", "16", "63.999", "64", "100", "255.9", "256", f"{3 * 10**6 + 1}/3",
       str(2**34 - 1), str(2**60), str(2**68), LONG, f"{3**1250}/{2**1977 + 1}")),
    *(("bernoulli", p) for p in
      ("1/2", "2/7", "1e-9", "3/65536", f"{2**39 - 1}/{2**39}", f"{2**41 - 1}/{2**41}",
       f"{2**400 - 1}/{2**400}")),
]  # fmt: skip
WORDS = 24  # 64-bit words of extension given: more than the exact comparison may need
DEEP = 64 * WORDS

Words = NDArray[np.uint64]


def short(value: object) -> str:
    return str(value) if len(str(value)) < 20 else f"{str(value)[:8]}..."


every_distribution = pytest.mark.parametrize(
    "distributions",
    [
        pytest.param(CHOSEN, id="one of each method"),
        pytest.param([*CHOSEN, *OTHERS], id="all", marks=pytest.mark.long),
    ],
)


def ends(distribution: str, text: str) -> bool:
    """Whether the bits of p end, which decides; the bits of all other thresholds go on."""
    return distribution == "bernoulli" and 2**900 % Fraction(text).denominator == 0


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
    """Candidates with U (V) of each target beginning with these `prefix_bits + DEEP` bits."""
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


def streams_that_leave(y: int) -> Iterator[tuple[int, int]]:
    """U equals y for some bits after the prefix and then differs in the next, either way.

    Yields how many bits agree, and the stream.
    """
    for agree in (0, 40, 44, 48, 52, 64, 200, 500, 900):
        for bit in (0, 1):  # the next 0 becomes 1: U > y; the next 1 becomes 0: U < y
            place = DEEP - agree - 1
            while place >= 0 and y >> place & 1 != bit:
                place -= 1
            if place >= 0 and y > 4:  # it is not 0 as far as bits are given, nor does y end
                yield agree, y ^ 1 << place


def streams_within_ulps(prefix_bits: int, y: int) -> Iterator[int]:
    """U is next to y, within the errors of a comparison of 2, 4 or 8 limbs."""
    for limbs in (2, 4, 8):
        ulp = 1 << (prefix_bits + DEEP - 64 * limbs)
        for ulps in (0, 1, 2, 4, 7, 12, 20, 39, 41):
            for away in (ulps * ulp + ulp // 3, -ulps * ulp - ulp // 3):
                if y > 4 and 0 <= y + away < 1 << (prefix_bits + DEEP):
                    yield y + away


def thresholds(distribution: str, text: str) -> list[tuple[Target, int]]:
    """The targets, and the bits of the threshold of each."""
    found = targets(distribution, text)
    return [(target, target.bounds(target.prefix_bits + DEEP)[0]) for target in found]


def disagreements(
    distribution: str, text: str, given: Candidates, expected: list[int] | None = None
) -> list[str]:
    """Say which way gives other values than the oracle, the fast one or the exact one."""
    expected = given.expected(distribution, text) if expected is None else expected
    return [
        f"{distribution} {short(text)}{', all by exact comparisons' * exact}"
        for exact in (False, True)
        if given.map(distribution, text, resolve_all=exact).values.tolist() != expected
    ]


def expected_next_to(
    distribution: str, text: str, at: Sequence[tuple[Target, int, int]]
) -> list[int]:
    """What the oracle gives of (target, y, stream): all that are near y, on one side, are equal."""
    values: dict[tuple[int, int], list[int]] = {}
    expected: list[int] = []
    for target, y, stream in at:
        near = abs(stream - y) <= y >> 40  # no other threshold lies between
        there = y + (1 if stream > y else -1) * (y >> 64) if near else stream
        there = min(there, (1 << target.prefix_bits + DEEP) - 1)
        if (id(target), there) not in values:
            candidates = candidates_at(distribution, text, [(target, there)])
            values[id(target), there] = candidates.expected(distribution, text)
        expected += values[id(target), there]
    return expected


# --- Tests --------------------------------------------------------------------------------------


@every_distribution
def test_random_bits(distributions: list[Distribution]) -> None:
    found = []
    for distribution, text in distributions:
        found += disagreements(distribution, text, random_candidates(distribution, text, 200, 1))
    assert found == []


@every_distribution
def test_smallest_and_largest_words(distributions: list[Distribution]) -> None:
    """All zeros or ones in each plane, and then in 3 words of extension, or in 14 (long)."""
    found, lengths = [], (3,) if distributions is CHOSEN else (3, 14)
    for distribution, text in distributions:
        widths = widths_of(distribution, text)
        near = 2 if len(widths) == 1 else 1  # words at each end
        choices = ([*range(near), *range(2 ** (8 * w) - near, 2 ** (8 * w))] for w in widths)
        cases = list(itertools.product(lengths, (0, 2**64 - 1), *choices))
        extensions = random_extensions(len(cases), 3)
        for row, (length, word, *_) in enumerate(cases):
            extensions[:, row, :length] = word
        planes = [np.array(plane, np.uint64) for plane in zip(*(c[2:] for c in cases), strict=True)]
        given = Candidates(planes, np.arange(len(cases)) % 3 > 0, extensions)
        found += disagreements(distribution, text, given)
    assert found == []


@every_distribution
def test_words_next_to_a_threshold(distributions: list[Distribution]) -> None:
    """Where a guard band too small would show: U = y +- 2^j units of the prefix's last bit."""
    found = []
    for distribution, text in distributions:
        at = []
        for target in targets(distribution, text):
            bits = target.prefix_bits
            y = target.bounds(bits)[0]
            near = {
                y + sign * 2**j + i for j in range(0, bits, 2) for i in (-1, 0) for sign in (-1, 1)
            }
            at += [(target, u << DEEP) for u in sorted(near | {y}) if 0 <= u < 2**bits]
        given = candidates_at(distribution, text, at)
        given.extensions[:] = random_extensions(len(at), 12)
        found += disagreements(distribution, text, given)
    assert found == []


def dense_targets(scale: Fraction) -> Iterator[Target]:
    """Thresholds T_k down to sqrt(t / 2^b), where the logarithm's guard band is narrowest."""
    t, split = scale, scale > 2**20
    if split:
        t = scale / 2 ** from_bits.laplace_split_bits(scale)
    last = int(float(t) * (prefix_bits_of(t) * math.log(2) - math.log(t)) / 2)
    ks = sorted({1 + last * i // 100 for i in range(100)} | {max(last - i, 1) for i in range(200)})
    yield from laplace_split_targets(scale, ks) if split else laplace_targets(scale, ks)


@every_distribution
def test_cells_that_hold_a_threshold_are_undecided(distributions: list[Distribution]) -> None:
    """Of the thresholds these are enumerated elsewhere; here the logarithm's and of V."""
    decided = []
    for distribution, text in distributions:
        if distribution != "laplace":
            continue
        found = list(dense_targets(Fraction(text)))
        at = [(t, t.bounds(t.prefix_bits + 64)[0] << (DEEP - 64)) for t in found]
        given = candidates_at(distribution, text, at)
        given.extensions[:] = 2**63
        asked = given.map(distribution, text).asked
        decided += [text] * (not asked[[t.decision - 1 for t in found], np.arange(len(at))].all())
    assert decided == []


@every_distribution
def test_bits_that_follow_a_threshold(distributions: list[Distribution]) -> None:
    found = []
    for distribution, text in distributions:
        at = [
            (target, y, stream, agree)
            for target, y in thresholds(distribution, text)
            for agree, stream in streams_that_leave(y)
        ]
        given = candidates_at(distribution, text, [(target, stream) for target, _, stream, _ in at])
        expected = expected_next_to(distribution, text, [each[:3] for each in at])
        found += disagreements(distribution, text, given, expected)
        if not at or ends(distribution, text):
            continue
        decisions = np.array([target.decision for target, *_ in at])
        agree = np.array([each[3] for each in at])
        fast, exact = given.map(distribution, text), given.map(distribution, text, resolve_all=True)
        assert fast.asked[decisions - 1, np.arange(len(at))].all()
        assert exact.work["levels"] >= len(at) + np.count_nonzero(agree > 512)
        assert fast.work["resolved"] >= np.count_nonzero(agree >= 64)
    assert found == []


@every_distribution
def test_bits_at_the_end_of_a_precision(distributions: list[Distribution]) -> None:
    """What a comparison of so many limbs cannot tell is left to one of more, and not guessed."""
    found = []
    for distribution, text in distributions:
        at = [
            (target, y, stream)
            for target, y in thresholds(distribution, text)
            for stream in streams_within_ulps(target.prefix_bits, y)
        ]
        given = candidates_at(distribution, text, [(target, stream) for target, _, stream in at])
        expected = expected_next_to(distribution, text, at)
        found += disagreements(distribution, text, given, expected)
    assert found == []


@every_distribution
def test_a_stream_that_never_decides_is_an_error(distributions: list[Distribution]) -> None:
    for distribution, text in distributions:
        for target in targets(distribution, text):
            y, _ = target.bounds(target.prefix_bits + DEEP)
            given = candidates_at(distribution, text, [(target, y)])
            for exact in (False, True):
                if y % 2**400 == 0:  # y is 0 so far, or ends: that decides
                    assert (
                        distribution != "bernoulli"
                        or not given.map(distribution, text, exact).values.any()
                    )
                    continue
                with pytest.raises(RuntimeError, match="1,024 random bits"):
                    print(distribution, text, given.map(distribution, text, exact).values)


@every_distribution
def test_exact_comparison_of_everything_equals_the_fast_path(
    distributions: list[Distribution],
) -> None:
    n, found = 10_000 if distributions is CHOSEN else 3 * 10**5, []
    for distribution, text in distributions:
        given = random_candidates(distribution, text, n, 4)
        fast, exact = given.map(distribution, text), given.map(distribution, text, resolve_all=True)
        found += [(distribution, short(text))] * (not np.array_equal(fast.values, exact.values))
        assert fast.work["candidates"] == exact.work["candidates"] == n
        assert fast.work["resolved"] <= fast.work["undecided"] < n // 100
        assert exact.asked[0].all()
    assert found == []
