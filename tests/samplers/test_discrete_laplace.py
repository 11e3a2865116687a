"""csrc/samplers/discrete_laplace.c: the pmf by enumeration; goodness of fit with mutants."""

import decimal
import math
from decimal import Decimal
from fractions import Fraction
from zlib import crc32

import numpy as np
import pytest
from generator.streams import Seeded
from numpy.typing import NDArray
from reference import discrete_laplace as oracle
from reference import from_bits
from samplers import goodness_of_fit
from samplers.goodness_of_fit import LIMIT, REJECTED, Samples, p_value_of_low_bits
from scipy.stats import poisson

from cydp.testing import MappedBits, discrete_laplace_sampler, map_bits

Bits = NDArray[np.integer]
PRECISION = 300


def map_words(scale: str, words: Bits, signs: Bits | None = None, extension: int = 2**63,
              prefix_bits: int = 0) -> MappedBits:  # fmt: skip
    """Map words of one plane, the same 512 bits behind each; all sixteen-bit methods need signs."""
    extensions = np.full((2, len(words), 8), extension, np.uint64)
    return map_bits(discrete_laplace_sampler(scale, prefix_bits), [words], signs, extensions)


# --- Enumeration: every prefix, so that the pmf is a sum and not an estimate -------------------


def assert_masses_are_exact(
    scale: Fraction, bits: int, magnitudes: Samples, undecided: NDArray[np.bool_]
) -> None:
    """Check |X| of the candidates with prefixes 0, 1, ..., and which of them the prefix decides."""
    # A decided cell lies between its thresholds: no bits behind it can change the value.
    mass: dict[int, Fraction] = {}
    for k in np.unique(magnitudes[~undecided]).tolist():
        cells = np.flatnonzero(~undecided & (magnitudes == k))
        _, below = oracle.tail_bounds(scale, k + 1, PRECISION)
        above, _ = oracle.tail_bounds(scale, k, PRECISION)
        assert int(cells[0]) << (PRECISION - bits) >= below
        assert int(cells[-1] + 1) << (PRECISION - bits) <= above
        mass[k] = Fraction(len(cells), 2**bits)
    # With the share of the other cells that exact comparison adds, the masses are right.
    for u in np.flatnonzero(undecided).tolist():
        for k, (low, _) in oracle.cell_masses(scale, u, bits, PRECISION).items():
            mass[k] = mass.get(k, Fraction(0)) + low
    for k, found in mass.items():
        low, high = oracle.probability_bounds(scale, k, PRECISION)
        exact = Fraction(low + high, 2 ** (PRECISION + 1)) * (2 if k else 1)
        assert abs(found - exact) < Fraction(1, 2**250)
    assert 1 - sum(mass.values()) < Fraction(1, 2**200)


@pytest.mark.parametrize(
    ("scale", "bits"),
    [
        ("1/1000", 12), ("1", 12), ("10", 12),
        *(pytest.param(scale, bits, marks=pytest.mark.long)
          for scale in ("1/7", "3/2", "4", "33") for bits in (12, 16)),
    ],
)  # fmt: skip
def test_prefixes_of_the_logarithm_enumerate_the_pmf(scale: str, bits: int) -> None:
    mapped = map_words(scale, np.arange(0, 2 ** (bits + 1), 2), prefix_bits=bits)
    assert_masses_are_exact(Fraction(scale), bits, mapped.values, mapped.asked[0])


@pytest.mark.parametrize(
    "scale", ["1/1000", "1", "11/2", pytest.param("3/2", marks=pytest.mark.long)]
)
def test_prefixes_of_the_thresholds_enumerate_the_pmf(scale: str) -> None:
    distribution, prefixes = Fraction(scale), np.arange(2**16)
    positive = map_words(scale, prefixes, prefixes < 0)
    negative = map_words(scale, prefixes, prefixes >= 0)
    assert np.array_equal(negative.values, -positive.values)
    assert np.array_equal(negative.asked, positive.asked)
    assert_masses_are_exact(distribution, 16, positive.values, positive.asked[0])
    # Undecided are the cells that hold a T_k, and no other.
    cells, k = set(), 1
    while (cell := oracle.tail_bounds(distribution, k, 64)[0] >> 48) > 0:
        cells.add(cell)
        k += 1
    assert set(np.flatnonzero(positive.asked[0]).tolist()) == cells | {0}
    assert positive.work["undecided"] == len(cells) + 1


def test_the_sign_is_the_lowest_bit_and_zero_ignores_it() -> None:
    values = map_words("2", np.arange(2**13), extension=2**64 - 1, prefix_bits=12).values
    assert np.array_equal(values[1::2], -values[::2])
    assert (values[::2] >= 0).all()
    assert (values == 0).any()


# --- Goodness of fit ---------------------------------------------------------------------------


def p_value(samples: Samples, scale: Fraction) -> float:
    """To where 100 samples are expected."""
    spread = float(scale) * math.log(len(samples) / 100)
    tail = lambda k: Fraction(oracle.tail_bounds(scale, k, PRECISION)[0], 2**PRECISION)  # noqa: E731
    return goodness_of_fit.p_value(samples, spread, tail)


# A scale or two of each method, and the split at several widths.
SCALES = [
    "1/7", "1", "4", "10", "1000", "1025", "1048577/3", f"{3 * 2**20 + 1}/3", str(2**36), str(2**56)
]  # fmt: skip


def misfits(seeded: Seeded, n: int) -> dict[str, float]:
    """Return the scales with n values, or lowest bits if the scale is large, that do not fit."""
    found = {}
    for scale in SCALES:
        samples = seeded(crc32(scale.encode())).discrete_laplace(scale, n)
        p = p_value(samples, Fraction(scale))
        if Fraction(scale) > 2**20:
            p = min(p, p_value_of_low_bits(samples))
        found |= {scale: p} if p < LIMIT else {}
    return found


def test_goodness_of_fit(seeded: Seeded) -> None:
    assert misfits(seeded, 2 * 10**5) == {}


@pytest.mark.long
def test_goodness_of_fit_of_many(seeded: Seeded) -> None:
    assert misfits(seeded, 10**7) == {}


def test_mutants_are_rejected(seeded: Seeded) -> None:
    """A scale that is off, a tail that is cut, a sign that is a bit of the prefix."""
    samples = seeded(5).discrete_laplace(1, 2 * 10**6)
    assert p_value(samples, Fraction(1)) > LIMIT
    assert p_value(samples, Fraction("1.01")) < REJECTED
    samples = samples[np.abs(samples) < 8]
    assert p_value(samples, Fraction(1)) < REJECTED
    words = np.random.default_rng(6).integers(0, 2**16, 5 * 10**5)
    samples = map_words("1", words, words >> 15).values
    assert p_value(samples, Fraction(1)) < REJECTED


def scale_with_threshold_next_to(cell: int, sign: int) -> Fraction:
    """T_1 = 2 p / (1 + p) exceeds cell / 2^16, or falls short of it, by 2^-80 or so."""
    with decimal.localcontext(prec=60):
        threshold = Decimal(cell) / 2**16 + sign * Decimal(2) ** -80
        return Fraction(1 / ((2 - threshold) / threshold).ln())


@pytest.mark.parametrize("sign", [1, -1], ids=["below", "above"])
def test_cells_where_doubles_round(sign: int) -> None:
    """T_1 is above a cell's end, or below it, and its double is not: U is next to that end."""
    met = 0
    for cell in range(20_000, 50_000, 97):
        scale = scale_with_threshold_next_to(cell, sign)
        p = math.exp(-float(1 / scale))
        if (2 * p / (1 + p) * 2**16 < cell) is (sign == 1):
            word, extension = (cell, 0) if sign == 1 else (cell - 1, 2**64 - 1)
            for behind, value in ((extension, sign == 1), (2**63, sign != 1)):
                mapped = map_words(str(scale), np.array([word]), np.zeros(1), behind)
                assert mapped.values.tolist() == [value]
                assert mapped.asked[0].all()
            met += 1
    assert met > 20


# --- Work --------------------------------------------------------------------------------------


def stated(scale: Fraction) -> float:
    """docs/samplers.md: a word's rate; of a split, of Q, and of V."""
    high = scale / 2 ** from_bits.laplace_split_bits(scale)
    t, bits = float(high), 31 if scale <= 1024 else 63
    of_v = 2.0 ** -from_bits.laplace_split_v(from_bits.laplace_split_bits(scale))[1]
    of_u = 2 * math.sqrt(t / 2**bits) + t * 2.0**-39 + (2 + 22 * t) / 2**bits
    return of_u + (scale != high) * of_v


@pytest.mark.parametrize("scale", ["6", "1000", str(2**20), f"{3 * 2**20 + 1}/3", str(2**56)])
def test_undecided_candidates_are_as_rare_as_stated(scale: str) -> None:
    sampler, parts, n = discrete_laplace_sampler(scale), 2, 2 * 10**5
    rng = np.random.default_rng(7)
    extensions = rng.integers(0, 2**64, (2, n, 8), dtype=np.uint64)
    undecided = levels = 0
    for _ in range(parts):
        planes = [rng.integers(0, 2 ** (8 * w), n, dtype=f"u{w}") for w in sampler.layout[0] if w]
        mapped = map_bits(sampler, planes, None, extensions)
        undecided += mapped.work["undecided"]
        levels += mapped.work["levels"]
        assert mapped.work["resolved"] <= mapped.work["undecided"] == mapped.asked.sum()
        assert mapped.work["candidates"] == n
    mean = parts * n * stated(Fraction(scale))
    assert undecided <= levels <= undecided + 1
    assert undecided <= poisson.isf(LIMIT, mean)
    assert mean < 50 or undecided > mean / 4  # the bound is not an idle one


def band_of(scale: float, bits: int, grows: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return abs(X) of each u from the tail on and whether it is in the guard band.

    `grows` is the mutant: a band as wide as the cell of each u demands.
    """
    sampler = discrete_laplace_sampler(scale, bits)
    tail = math.ceil(math.sqrt(scale * 2**bits))
    values, undecided = [], []
    for first in range(tail, 2**bits, 2**16):
        u = np.arange(first, min(first + 2**16, 2**bits), dtype=np.uint32)
        mapped = map_bits(sampler, [2 * u])
        values.append(mapped.values)
        undecided.append(mapped.asked[0])
    k, band = np.concatenate(values), np.concatenate(undecided)
    if grows:
        u = np.arange(tail, 2**bits)
        offset = scale * math.log(2 / (1 + math.exp(-1 / scale)))
        y = offset - scale * np.log((u + 0.5) / 2**bits)
        band = np.abs(y - np.rint(y)) <= 0.5 * scale / u
    return k, band


@pytest.mark.parametrize("grows", [False, True])
@pytest.mark.parametrize("scale", [6, pytest.param(100, marks=pytest.mark.long)])
def test_the_guard_band_tells_nothing_of_the_magnitude(scale: int, grows: bool) -> None:
    """Over eight ranges of k >= 1, the share of candidates in the band: all of 2^20 are counted."""
    k, band = band_of(scale, 20, grows)
    k, band = k[k >= 1], band[k >= 1]
    ends = np.quantile(k, np.linspace(0, 1, 9)[1:-1], method="nearest")
    ranges = np.searchsorted(ends, k, side="left")
    shares = np.bincount(ranges, band) / np.bincount(ranges)
    assert len(shares) == 8
    assert (shares.max() < 1.2 * shares.min()) is not grows
