"""csrc/samplers/decision.c: as many second looks whatever is undecided, and the same values."""

import math
from fractions import Fraction

import numpy as np
import pytest
from generator.streams import Seeded, Stream
from reference import discrete_gaussian as oracle
from reference import from_bits
from samplers.replay import law_of
from scipy.stats import binom

import cydp
from cydp import _threads as threads
from cydp import testing
from cydp.testing import bernoulli_sampler, discrete_laplace_sampler

DISTRIBUTIONS = [
    ("discrete_laplace", "1/7"),
    ("discrete_laplace", "5.5"),
    ("discrete_laplace", "1000"),
    ("discrete_laplace", str(2**20)),
    ("discrete_laplace", str(2**40)),
    ("discrete_laplace", str(2**56)),
    ("discrete_gaussian", "0.3"),
    ("discrete_gaussian", "7.9"),
    ("discrete_gaussian", "14.4"),
    ("discrete_gaussian", "20"),
    ("discrete_gaussian", str(2**40)),
    ("bernoulli", "1/3"),
]
N = 1024
OVERFLOW = 2.0**-48  # of a batch's second looks, as docs/samplers/fixed_work.md states it
MOST = 32


def mapped(distribution: str, parameter: str, key: int, **how: bool) -> testing.MappedBits:
    sampler, rng = law_of(distribution, parameter).sampler, np.random.default_rng(key)
    planes = [rng.integers(0, 2 ** (8 * w), N, dtype=f"u{w}") for w in sampler.layout[0] if w]
    extensions = rng.integers(0, 2**64, (2, N, 24), dtype=np.uint64)
    return testing.map_bits(sampler, planes, rng.integers(0, 2, N) > 0, extensions, **how)


def test_values_are_the_same(seeded: Seeded) -> None:
    fast, fixed = seeded(5), seeded(5, fixed_work=True)
    for n in (1, 256, 257, 5000, 100_000):
        for law, parameter in DISTRIBUTIONS:
            one, two = (getattr(rng, law)(parameter, n) for rng in (fast, fixed))
            assert np.array_equal(one, two), (law, parameter, n)
            assert getattr(fast, law)(parameter) == getattr(fixed, law)(parameter)


def test_values_are_the_same_in_threads(seeded: Seeded, monkeypatch: pytest.MonkeyPatch) -> None:
    n = threads.THREADS_FROM + 12_345
    expected = seeded(6).discrete_laplace(5, n)
    for number in (1, 3):
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        assert np.array_equal(seeded(6, fixed_work=True).discrete_laplace(5, n), expected)


def rates(distribution: str, parameter: str) -> list[float]:
    """With what probability decisions 1 and 2 are undecided, as docs/samplers.md bounds it."""
    value = Fraction(parameter)
    if distribution == "bernoulli":
        return [2.0**-16]
    if distribution == "discrete_gaussian" and value**2 >= oracle.LEAST_SPLIT:
        return [cells("discrete_gaussian", parameter, 1), 2.0**-15 + 2.0**-19]
    if distribution == "discrete_laplace" and value > 2**20:
        return [0, 2.0 ** -from_bits.laplace_split_v(from_bits.laplace_split_bits(value))[1]]
    if distribution == "discrete_laplace" and value > Fraction(11, 2):
        t, bits = float(value), 31 if value <= 1024 else 63
        tail = math.ceil(math.sqrt(t * 2**bits))
        rate = (tail + 1 + 22 * t) * 2.0**-bits + t * (1 / tail + 2.0**-39)
        rate += t * 2.0**-23 + 1.5 * 2.0**-16  # of single precision
        return [rate if bits == 31 else 0]  # of 63 bits: only the exact comparison
    return [cells(distribution, parameter, 0)]


def cells(distribution: str, parameter: str, plane: int) -> float:
    """The share of 16-bit words that leave U undecided, counted."""
    sampler = law_of(distribution, parameter).sampler
    words = [np.zeros(2**16, f"u{w}") for w in sampler.layout[0] if w]
    words[plane] = np.arange(2**16, dtype=np.uint16)
    done = testing.map_bits(sampler, words, np.zeros(2**16))
    return done.asked[0].mean()


def slots(mean: float) -> int:
    n, bound = 0, mean
    while bound > OVERFLOW and n < MOST:
        n += 1
        bound *= mean / (n + 1)
    return n


def test_as_many_looks_whatever_is_undecided() -> None:
    """As many as overflow with the probability that is stated, of the rates that are stated."""
    for law in DISTRIBUTIONS:
        of = rates(*law)
        expected = sum(min(slots(N * rate), N) for rate in of)
        works = [mapped(*law, key, fixed_work=True).work for key in range(15)]
        assert {work["looks"] for work in works} == {expected}, law
        for rate in of:
            for n in (1, 256, N, 2048):
                assert binom.sf(min(slots(n * rate), n), n, rate) <= OVERFLOW
        if sum(of) > 1e-4:  # the mutant: the looks of the fast way vary
            fast = {mapped(*law, key).work["looks"] for key in range(40)}
            assert len(fast) > 1
            assert max(fast) < expected


def test_more_than_there_is_room_for() -> None:
    sampler, signs = discrete_laplace_sampler(1), np.arange(300) % 2 == 0
    extensions = np.random.default_rng(3).integers(0, 2**64, (2, 300, 24), dtype=np.uint64)
    for word in (0, 1, 24109, 35280):  # cells of scale 1: 65536 T_k
        planes = [np.full(300, word, np.uint16)]
        fixed = testing.map_bits(sampler, planes, signs, extensions, fixed_work=True)
        exact = testing.map_bits(sampler, planes, signs, extensions, resolve_all=True)
        assert np.array_equal(fixed.values, exact.values)
        assert fixed.work["undecided"] in (0, 300)


def test_undecided_candidates_in_every_place() -> None:
    """Each lane of a batch alone, and every second: those and no others are looked at."""
    sampler, n = bernoulli_sampler("1/3"), 200
    extensions = np.random.default_rng(4).integers(0, 2**64, (2, n, 8), dtype=np.uint64)
    for lanes in [*([i] for i in range(n)), range(0, n, 2), []]:
        words = np.full(n, 60_000, np.uint16)
        words[list(lanes)] = 2**16 // 3
        fixed = testing.map_bits(sampler, [words], None, extensions, fixed_work=True)
        exact = testing.map_bits(sampler, [words], None, extensions, resolve_all=True)
        assert np.array_equal(fixed.values, exact.values)
        assert fixed.work["undecided"] == len(list(lanes))
        assert set(np.flatnonzero(fixed.asked[0])) - {0} == set(lanes) - {0}


def test_a_generator_of_fixed_work_serves_everything(stream: Stream) -> None:
    g = cydp.Generator(fixed_work=True, stream=stream)
    release = cydp.histogram([1, 2, 3], 3, (0, 3), epsilon=1, rng=g)
    assert release.counts.shape == (3,)
    assert np.random.Generator(g).permutation(3).shape == (3,)
    assert len(g.bytes(5)) == 5


def test_dummies_never_reach_the_exact_comparison() -> None:
    """They are lane 0; its own decision is the exact comparison's here, which runs once for it."""
    sampler, n = bernoulli_sampler("1/3"), 100
    words = np.full(n, 60_000, np.uint16)
    words[0] = 0x5555  # 1/3, and so for 192 bits more; then below it
    extensions = np.full((2, n, 24), 0x5555555555555555, np.uint64)
    extensions[0, 0, 3] = 0
    fixed = testing.map_bits(sampler, [words], None, extensions, fixed_work=True)
    assert fixed.values.tolist() == [True] + [False] * (n - 1)
    assert fixed.work["looks"] > 1
    assert fixed.work["resolved"] == fixed.work["undecided"] == 1
