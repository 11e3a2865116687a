"""csrc/discrete_laplace.c: the pmf by enumeration, and by goodness of fit with mutants."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from reference import discrete_laplace as oracle
from scipy.stats import chi2

from cydp.testing import SeededGenerator, map_words

Samples = NDArray[np.int64]
PRECISION = 300


# --- Enumeration: every prefix, so that the pmf is a sum and not an estimate -------------------


@pytest.mark.parametrize("scale", ["1/1000", "1/7", "1", "3/2", "4", "10", "33"])
@pytest.mark.parametrize("bits", [12, 16])
def test_prefixes_enumerate_the_pmf(scale: str, bits: int) -> None:
    law = Fraction(scale)
    mapped = map_words(scale, np.arange(0, 2 ** (bits + 1), 2), prefix_bits=bits,
                       extensions=np.full((2**bits, 16), 2**63, np.uint64))  # fmt: skip
    decided = ~mapped.undecided
    # A decided cell lies between its thresholds: no bits behind it can change the value.
    mass: dict[int, Fraction] = {}
    for k in np.unique(mapped.values[decided]).tolist():
        cells = np.flatnonzero(decided & (mapped.values == k))
        _, below = oracle.tail_bounds(law, k + 1, PRECISION)
        above, _ = oracle.tail_bounds(law, k, PRECISION)
        assert int(cells[0]) << (PRECISION - bits) >= below
        assert int(cells[-1] + 1) << (PRECISION - bits) <= above
        mass[k] = Fraction(len(cells), 2**bits)
    # With the resolver's share of the other cells, the masses are those of the law.
    for u in np.flatnonzero(mapped.undecided).tolist():
        for k, (low, _) in oracle.cell_masses(law, u, bits, PRECISION).items():
            mass[k] = mass.get(k, Fraction(0)) + low
    for k, found in mass.items():
        low, high = oracle.probability_bounds(law, k, PRECISION)
        exact = Fraction(low + high, 2 ** (PRECISION + 1)) * (2 if k else 1)
        assert abs(found - exact) < Fraction(1, 2**250)
    assert 1 - sum(mass.values()) < Fraction(1, 2**200)


def test_the_sign_is_the_lowest_bit_and_zero_ignores_it() -> None:
    words = np.arange(2**13)
    ones = np.full((len(words), 16), 2**64 - 1, np.uint64)
    values = map_words(2, words, ones, prefix_bits=12).values
    assert np.array_equal(values[1::2], -values[::2])
    assert (values[::2] >= 0).all()
    assert (values == 0).any()


# --- Goodness of fit ---------------------------------------------------------------------------


def cells(scale: Fraction, n: int) -> tuple[list[int], NDArray[np.float64]]:
    """Ends of about 20 cells of |X|, and the chances of the signed cells, none rare."""
    t = float(scale)
    spread = t * math.log(n / 100)
    step = max(1, round(spread / 20))
    top = max(1, int(spread / step))
    ends = [step * i + (i > 0) * (1 - step) for i in range(top + 1)]  # 0, 1, 1 + step, ...
    tails = [Fraction(oracle.tail_bounds(scale, k, PRECISION)[0], 2**PRECISION) for k in ends]
    masses = [a - b for a, b in zip(tails, [*tails[1:], Fraction(0)], strict=True)]
    chances = np.array([float(m) for m in masses])
    keep = int(np.argmax(chances * n / 2 < 50)) or len(chances)
    chances = np.append(chances[: keep - 1], float(tails[keep - 1]))
    halves = np.concatenate([chances[:0:-1] / 2, chances[:1], chances[1:] / 2])
    return ends[:keep], halves


def p_value(samples: Iterable[Samples], n: int, scale: Fraction) -> float:
    """Exact chi-square tail of how the samples fall into cells."""
    ends, chances = cells(scale, n)
    counts = np.zeros(len(chances), np.int64)
    for part in samples:
        index = np.searchsorted(ends, np.abs(part), side="right") - 1
        signed = np.where(part < 0, -index, index) + len(ends) - 1
        counts += np.bincount(signed, minlength=len(chances))
    expected = chances * n
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(chances) - 1))


LIMIT = 1e-6  # of a test that is right once for one key
REJECTED = LIMIT / 10  # of a mutant


@pytest.mark.parametrize(
    ("scale", "n"),
    [("1/7", 10**6), ("1/2", 10**6), ("1", 10**7), ("4", 10**6), ("10", 10**7), ("1000", 10**6),
     ("1025", 10**6), ("1048577/3", 10**6), (str(2**36), 10**5), (f"{3 * 2**40 + 1}/3", 10**5)],
)  # fmt: skip
def test_goodness_of_fit(scale: str, n: int) -> None:
    samples = SeededGenerator(20261120).discrete_laplace(scale, n)
    assert p_value([samples], len(samples), Fraction(scale)) > LIMIT


def test_goodness_of_fit_of_small_calls() -> None:
    rng = SeededGenerator(3)
    samples = np.concatenate([rng.discrete_laplace(3, 1 + i % 256) for i in range(8000)])
    assert p_value([samples], len(samples), Fraction(3)) > LIMIT


def test_neighbours_in_the_stream_are_independent() -> None:
    """A pair (X, Y) is judged through X 7 + Y: its cells are those of the product law."""
    n = 2 * 10**6
    samples = np.clip(SeededGenerator(4).discrete_laplace(1, n), -3, 3).reshape(-1, 2)
    inner = [oracle.probability_bounds(Fraction(1), k, 100)[0] / 2**100 for k in range(-2, 3)]
    end = (1 - sum(inner)) / 2
    one = np.array([end, *inner, end])
    expected = np.outer(one, one) * len(samples)
    counts = np.bincount((samples[:, 0] + 3) * 7 + samples[:, 1] + 3, minlength=49)
    statistic = ((counts.reshape(7, 7) - expected) ** 2 / expected).sum()
    assert chi2.sf(statistic, 48) > LIMIT


def test_a_scale_off_by_a_thousandth_is_rejected() -> None:
    def drawn(scale: str) -> Iterable[Samples]:
        for key in range(10):
            yield SeededGenerator(key).discrete_laplace(scale, out=part)

    part = np.empty(10**7, np.int64)
    assert p_value(drawn("10"), 10**8, Fraction(10)) > LIMIT
    assert p_value(drawn("10.01"), 10**8, Fraction(10)) < REJECTED


def zero_counted_twice(rng: np.random.Generator, n: int) -> Samples:
    magnitude = rng.geometric(-math.expm1(-1), n) - 1
    return np.where(rng.random(n) < 0.5, -magnitude, magnitude)


def tail_cut_at_eight(rng: np.random.Generator, n: int) -> Samples:
    samples = SeededGenerator(5).discrete_laplace(1, n)
    return samples[np.abs(samples) < 8]


def sign_taken_from_the_prefix(rng: np.random.Generator, n: int) -> Samples:
    words = rng.integers(0, 2**32, n)
    return map_words(1, words & ~1 | words >> 31).values


def prefixes_only(rng: np.random.Generator, n: int) -> tuple[Samples, NDArray[np.bool_], Samples]:
    """Values at scale 1 from 10-bit prefixes, which of them were undecided, and guesses."""
    words = rng.integers(0, 2**11, n)
    extensions = rng.integers(0, 2**64, (n, 16), dtype=np.uint64)
    mapped = map_words(1, words, extensions, prefix_bits=10)
    middle = ((words >> 1) + 0.5) / 2**10
    y = math.log(2 / (1 + math.exp(-1))) - np.log(middle)
    guesses = np.where(words & 1, -np.floor(y), np.floor(y)).astype(np.int64)
    return mapped.values, mapped.undecided, guesses


def undecided_left_as_they_are(rng: np.random.Generator, n: int) -> Samples:
    values, undecided, guesses = prefixes_only(rng, n)
    return np.where(undecided, guesses, values)


def undecided_dropped(rng: np.random.Generator, n: int) -> Samples:
    values, undecided, _ = prefixes_only(rng, n)
    return values[~undecided]


def test_ten_bit_prefixes_fit_as_well() -> None:
    values, undecided, _ = prefixes_only(np.random.default_rng(6), 2 * 10**6)
    assert undecided.mean() > 0.01
    assert p_value([values], len(values), Fraction(1)) > LIMIT


@pytest.mark.parametrize(
    "mutant",
    [zero_counted_twice, tail_cut_at_eight, sign_taken_from_the_prefix,
     undecided_left_as_they_are, undecided_dropped],
)  # fmt: skip
def test_mutants_are_rejected(mutant: Callable[[np.random.Generator, int], Samples]) -> None:
    samples = mutant(np.random.default_rng(6), 2 * 10**6)
    assert p_value([samples], len(samples), Fraction(1)) < REJECTED


# --- Work --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["1", "4", "10", "1000", "1025", str(2**20), str(2**30)])
def test_undecided_candidates_are_as_rare_as_stated(scale: str) -> None:
    """docs/sampling.md: at most 2^(1-c) + 2 t 2^-40, where 2^c = sqrt(2^bits / t)."""
    t, bits = float(Fraction(scale)), 31 if Fraction(scale) <= 1024 else 63
    stated = 2 * math.sqrt(t / 2**bits) + 2 * t * 2.0**-40
    n = 4 * 10**6
    words = np.random.default_rng(7).integers(0, 2 ** (bits + 1), n, dtype=np.uint64)
    undecided = map_words(scale, words).work["undecided"]
    # Poisson: the chance of exceeding the mean by this much is below 1e-6.
    assert undecided <= n * stated + 6 * math.sqrt(n * stated) + 6
