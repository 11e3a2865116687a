"""csrc/samplers/discrete_gaussian.c: the pmf by enumeration; goodness of fit with mutants."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from zlib import crc32

import numpy as np
import pytest
from generator.streams import Seeded
from numpy.typing import NDArray
from reference import discrete_gaussian as oracle
from samplers import goodness_of_fit
from samplers.goodness_of_fit import LIMIT, REJECTED, Samples, p_value_of_low_bits
from scipy.stats import poisson

from cydp.testing import MappedBits, discrete_gaussian_sampler, map_bits

Bits = NDArray[np.integer]
PRECISION = 300
CELL = 1 << (PRECISION - 16)  # of a 16-bit prefix

# --- Enumeration: every prefix, so that the pmf is a sum and not an estimate -------------------


def map_same(sigma2: str, planes: list[Bits], signs: Bits | None = None,
             extension: int = 2**63) -> MappedBits:  # fmt: skip
    """Map candidates that have the same 512 bits behind each decision."""
    extensions = np.full((2, len(planes[0]), 8), extension, np.uint64)
    return map_bits(discrete_gaussian_sampler(sigma2=sigma2), planes, signs, extensions)


def share_below(y: int, below: NDArray[np.bool_], undecided: NDArray[np.bool_]) -> int:
    """Return the measure, in 2^-PRECISION, of the U that are taken to be below y.

    `below` says it of the prefixes 0, 1, ...; an undecided one's cell is left to exact
    comparison, which adds its share. A decided cell must lie on one side of y.
    """
    for prefixes, side in ((below & ~undecided, 1), (~below & ~undecided, -1)):
        places = np.flatnonzero(prefixes)
        if len(places):
            end = int(places[-1]) + 1 if side == 1 else int(places[0])
            assert (y - end * CELL) * side >= 0
    inside = sum(min(max(y - u * CELL, 0), CELL) for u in np.flatnonzero(undecided).tolist())
    return int(np.count_nonzero(below & ~undecided)) * CELL + inside


def cells_of(sigma2: Fraction, one_sided: bool) -> set[int]:
    """Return the prefixes of cells that hold a T_k (B_k); infinitely many are in cell 0."""
    found, k = {0}, 1
    while cell := oracle.tail_bounds(sigma2, k, 64, one_sided)[0] >> 48:
        found.add(cell)
        k += 1
    return found


def check_pmf(distribution: Fraction, values: Samples, undecided: NDArray[np.bool_]) -> None:
    """Hold the values of the prefixes 0, 1, ... against the oracle's pmf."""
    tails = []
    for k in range(values.max() + 10):
        low, high = oracle.tail_bounds(distribution, k, PRECISION)
        tails.append(share_below(low, values >= k, undecided))
        assert low <= tails[-1] <= high
    for k, (above, below) in enumerate(itertools.pairwise(tails)):
        low, high = oracle.probability_bounds(distribution, k, PRECISION)
        assert abs(2 * (above - below) - (low + high) * (2 if k else 1)) < 16
    assert set(np.flatnonzero(undecided).tolist()) == cells_of(distribution, one_sided=False)


@pytest.mark.parametrize(
    "sigma2",
    ["1e-6", "1", "210.249", *(pytest.param(s, marks=pytest.mark.long) for s in ("1/9", "16"))],
)
def test_prefixes_enumerate_the_pmf(sigma2: str) -> None:
    prefixes = np.arange(2**16)
    positive = map_same(sigma2, [prefixes], prefixes < 0)
    negative = map_same(sigma2, [prefixes], prefixes >= 0)
    assert np.array_equal(negative.values, -positive.values)
    assert np.array_equal(negative.asked, positive.asked)
    check_pmf(Fraction(sigma2), positive.values, positive.asked[0])
    assert positive.work["undecided"] == positive.asked[0].sum()


def test_the_largest_sigma_of_a_table_fits_into_it() -> None:
    """Entries that are not 0 are at most 63: tails grow with sigma."""
    below, _ = oracle.tail_bounds(oracle.LEAST_SPLIT, 63, 64)
    _, above = oracle.tail_bounds(oracle.LEAST_SPLIT, 64, 64)
    assert above < 2**48 <= below


def table_of(entries: Sequence[int]) -> tuple[Samples, NDArray[np.bool_]]:
    """What a table gives: the values of all prefixes, and which are undecided."""
    prefixes = np.arange(2**16)
    values = (prefixes[:, None] < np.array(entries)).sum(axis=1)
    return values, np.isin(prefixes, [0, *entries])


def test_mutants_of_a_table_are_rejected() -> None:
    """An entry that is off by one, and tails that lack a term: some entry is too small."""
    sigma2 = Fraction("210.249")
    tails = [oracle.tail_bounds(sigma2, k, 64)[0] for k in range(1, 64)]
    missing = oracle.probability_bounds(sigma2, 64, 64)[0] * 2
    entries, fewer = ([y >> 48 for y in ys] for ys in (tails, [y - missing for y in tails]))
    assert entries != fewer
    check_pmf(sigma2, *table_of(entries))
    mutants = [[e + d * (i == k) for i, e in enumerate(entries)] for k in (0, 30, 57)
               for d in (-1, 1)]  # fmt: skip
    for mutant in [*mutants, fewer]:
        with pytest.raises(AssertionError):
            check_pmf(sigma2, *table_of(mutant))


def values_below(mapped: MappedBits) -> NDArray[np.bool_]:
    """Tell which V were accepted: the smallest, since the others are equal in all else."""
    return np.arange(2**16) < mapped.values.size


@pytest.mark.parametrize(
    ("sigma2", "m"),
    [
        ("210.25", 1),
        *(pytest.param(*each, marks=pytest.mark.long) for each in (("300", 2), ("240", 1))),
    ],
)
def test_candidates_of_the_split_enumerate_the_pmf(sigma2: str, m: int) -> None:
    distribution, prefixes, zeros = Fraction(sigma2), np.arange(2**16), np.zeros(2**16, np.int64)
    base = distribution / 4**m
    # x of each prefix, from candidates with R = 0: none is rejected.
    mapped = map_same(sigma2, [zeros, prefixes, zeros])
    x = mapped.values >> m
    undecided = mapped.asked[0]
    assert np.array_equal(x << m, mapped.values)
    assert not mapped.asked[1].any()
    assert set(np.flatnonzero(undecided).tolist()) == cells_of(base, one_sided=True)
    shares = [
        share_below(oracle.tail_bounds(base, k, PRECISION, True)[0], x >= k, undecided)
        for k in range(x[~undecided].max() + 2)
    ]
    rate = Fraction(oracle.acceptance_rate_bounds(distribution, PRECISION)[0], 2**PRECISION)
    for k in range(len(shares) - 1):
        prefix = int(np.flatnonzero(x == k)[-1])
        for r in range(2**m):
            # The candidates of this x and R, whichever their V.
            for sign in (0, 1):
                words = zeros + (r << 1 | sign), zeros + prefix, prefixes
                tried = map_same(sigma2, list(words))
                assert set(tried.values.tolist()) <= {((k << m) + r) * (-1) ** sign}
                if not sign:
                    accepted = values_below(tried)
            if k == r == 0:
                assert tried.values.size == 0  # no negative zero
            low, high = oracle.acceptance_bounds(distribution, k, r, PRECISION)
            share = share_below(low, accepted, tried.asked[1]) if r else 2**PRECISION
            assert low <= share <= high
            # The probabilities of x, V, R and the sign, given that a candidate is accepted.
            found = Fraction((shares[k] - shares[k + 1]) * share, 4**PRECISION << (m + 1))
            low, high = oracle.probability_bounds(distribution, (k << m) + r, PRECISION)
            assert abs(found / rate - Fraction(low, 2**PRECISION)) < Fraction(1, 2**250)


# --- Goodness of fit ---------------------------------------------------------------------------


def p_value(samples: Samples, sigma2: Fraction) -> float:
    """To where 100 samples are expected."""
    spread = math.sqrt(2 * sigma2 * math.log(len(samples) / 100))
    tail = lambda k: Fraction(oracle.tail_bounds(sigma2, k, 100)[0], 2**100)  # noqa: E731
    return goodness_of_fit.p_value(samples, spread, tail)


# Tables, where they end, and the split at each width of words.
SIGMAS = [
    "1/3", "1", "10", "14.499", "14.5", "15.999", "100", "1000000", str(2**40), str(2**56)
]  # fmt: skip


def misfits(seeded: Seeded, n: int) -> dict[str, float]:
    """Return the sigmas with n values, or lowest bits if sigma is large, that do not fit."""
    found = {}
    for sigma in SIGMAS:
        samples = seeded(crc32(sigma.encode())).discrete_gaussian(sigma, n)
        p = p_value(samples, Fraction(sigma) ** 2)
        if Fraction(sigma) >= 10**6:
            p = min(p, p_value_of_low_bits(samples))
        found |= {sigma: p} if p < LIMIT else {}
    return found


def test_goodness_of_fit(seeded: Seeded) -> None:
    assert misfits(seeded, 2 * 10**5) == {}


@pytest.mark.long
def test_goodness_of_fit_of_many(seeded: Seeded) -> None:
    assert misfits(seeded, 10**7) == {}


def test_mutants_are_rejected() -> None:
    """A sigma that is off; a sign that is a bit of R, or of V; V that is U."""
    n = 3 * 10**5
    first, u, v = np.random.default_rng(6).integers(0, 2**16, (3, n))
    samples = map_same("225", [first, u, v]).values
    assert p_value(samples, Fraction(225)) > LIMIT
    assert p_value(samples, Fraction(230)) < REJECTED
    mutants = {
        "a bit of R": [first & ~1 | first >> 1 & 1, u, v],
        "a bit of V": [first & ~1 | v & 1 | v >> 15, u, v],
        "V is U": [first, u, u],
    }
    for name, planes in mutants.items():
        samples = map_same("225", planes).values
        assert p_value(samples, Fraction(225)) < REJECTED, name


# --- Work --------------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma2", ["210.25", "1e6", str(2**60), str(2**112)])
def test_undecided_candidates_are_as_rare_as_stated(sigma2: str) -> None:
    """Of x the cells that hold a B_k, and no other; of V the cell of exp(-g) and its guard."""
    sampler, parts, n = discrete_gaussian_sampler(sigma2=sigma2), 3, 2 * 10**5
    distribution = Fraction(sigma2)
    held = cells_of(distribution / 4 ** oracle.split_bits(distribution), one_sided=True)
    rng = np.random.default_rng(7)
    extensions = rng.integers(0, 2**64, (2, n, 8), dtype=np.uint64)
    of_v = 0
    for _ in range(parts):
        planes = [rng.integers(0, 2 ** (8 * w), n, dtype=f"u{w}") for w in sampler.layout[0]]
        mapped = map_bits(sampler, planes, None, extensions)
        assert np.array_equal(mapped.asked[0], np.isin(planes[1], list(held)))
        of_v += mapped.asked[1].sum()
        assert mapped.work["candidates"] == n
        assert mapped.work["resolved"] <= mapped.work["undecided"]
        assert mapped.work["levels"] == mapped.asked.sum()
    mean = parts * n * 2.1 * 2.0**-16  # the widest guard of a kernel, and g > 1.25
    assert poisson.isf(1 - LIMIT, mean / 8) <= of_v <= poisson.isf(LIMIT, mean)
