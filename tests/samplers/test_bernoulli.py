"""csrc/samplers/bernoulli.c: p by enumeration, and by exact binomial tails with mutants."""

from fractions import Fraction

import numpy as np
import pytest
from generator.streams import Seeded
from samplers.goodness_of_fit import LIMIT, REJECTED
from scipy.stats import binom

from cydp import _core
from cydp.testing import SeededGenerator, bernoulli_sampler, map_bits

COINS = [
    "1/3", "1e-3", "1/2", "6/7", "1e-6", "1e-300", "3/65536", "65535/65536",
    f"{2**884 + 1}/{2**900}",
    # Next to 1, where 2^16 p, and p itself, round to the next integer.
    *(f"{2**n - 1}/{2**n}" for n in (17, 24, 39, 40, 41, 53, 54, 60, 64, 65, 128, 400)),
]  # fmt: skip


def test_prefixes_enumerate_p() -> None:
    for p in COINS:
        check_prefixes(p)


def check_prefixes(p: str) -> None:
    exact, prefixes = Fraction(p), np.arange(2**16)
    # A decided cell lies on one side of p: no bits behind it can change the value.
    extensions = np.full((2, 2**16, 8), 2**63, np.uint64)
    mapped = map_bits(bernoulli_sampler(p), [prefixes], None, extensions)
    decided = ~mapped.asked[0]
    true, false = prefixes[mapped.values & decided], prefixes[~mapped.values & decided]
    assert not len(true) or Fraction(int(true[-1]) + 1, 2**16) <= exact
    assert not len(false) or Fraction(int(false[0]), 2**16) >= exact
    # With the exact comparison's share of the others, p: not about, but equal.
    share = Fraction(len(true), 2**16)
    for u in np.flatnonzero(~decided).tolist():
        share += min(max(exact - Fraction(u, 2**16), Fraction(0)), Fraction(1, 2**16))
    assert share == exact
    assert mapped.work["undecided"] == np.count_nonzero(~decided) <= 1


def test_the_core_refuses_a_p_that_is_above_1_by_less_than_its_precision() -> None:
    ones, power = np.full(18, 2**64 - 1, np.uint64), np.array([0] * 18 + [1], np.uint64)
    above = power.copy()
    above[0] = 1
    for p in (ones, power):
        assert _core.make_sampler("bernoulli", p, power).boolean
    with pytest.raises(ValueError, match="outside its range"):
        _core.make_sampler("bernoulli", above, power)


def test_undecided_cells_are_split_at_p() -> None:
    """Bits that stay below p, reach it and exceed it, 64 and 128 bits behind the prefix."""
    for p in COINS:
        check_cells(p)


def check_cells(p: str) -> None:
    exact = Fraction(p)
    for words in (1, 2):
        bits = 16 + 64 * words
        at = (exact.numerator << bits) // exact.denominator
        streams = [u for u in (at - 1, at, at + 1) if 0 <= u < 2**bits]
        extensions = np.zeros((2, len(streams), 16), np.uint64)
        extensions[:, :, words:] = 2**63  # U is in the middle of its cell
        for i, u in enumerate(streams):
            extensions[0, i, :words] = [u >> 64 * j & (2**64 - 1) for j in range(words)][::-1]
        prefixes = np.array([u >> 64 * words for u in streams])
        expected = [Fraction(2 * u + 1, 2 ** (bits + 1)) < exact for u in streams]
        for resolve_all in (False, True):
            mapped = map_bits(
                bernoulli_sampler(p), [prefixes], None, extensions, resolve_all=resolve_all
            )
            assert mapped.values.tolist() == expected


def p_value(heads: int, n: int, p: Fraction) -> float:
    """Exact two-sided tail of a binomial count."""
    below, above = binom.cdf(heads, n, float(p)), binom.sf(heads - 1, n, float(p))
    return float(min(1, 2 * min(below, above)))


def test_counts_fit_p_and_not_one_that_is_off(seeded: Seeded) -> None:
    n = 10**6
    for p, factor in (("1/3", "1.01"), ("1/2", "1.01"), ("6/7", "1.01"), ("1e-3", "1.25")):
        heads = seeded(20261122).bernoulli(p, n)
        assert heads.dtype == np.bool_
        assert p_value(int(heads.sum()), n, Fraction(p)) > LIMIT
        mutant = seeded(20261122).bernoulli(Fraction(p) * Fraction(factor), n)
        assert p_value(int(mutant.sum()), n, Fraction(p)) < REJECTED


def test_zero_and_one_are_certain_and_need_no_words() -> None:
    rng = SeededGenerator(8)
    for p in (0, 1, 0.0, "1.0", Fraction(0), Fraction(7, 7)):
        assert bernoulli_sampler(p).layout == ((0, 0, 0), False)
        assert (rng.bernoulli(p, 10_000) == bool(Fraction(p))).all()
        assert rng.bernoulli(p) is bool(Fraction(p))
