"""np.random.Generator on the bits of cydp."""

import threading

import numpy as np
from generator.streams import Seeded, Stream
from reference import keystream
from scipy.stats import kstest

import cydp


def test_numpys_distributions_work(seeded: Seeded) -> None:
    rng = np.random.Generator(seeded(1))
    assert kstest(rng.random(10**5), "uniform").pvalue > 1e-6
    assert kstest(rng.normal(size=10**5), "norm").pvalue > 1e-6
    assert sorted(rng.permutation(10)) == list(range(10))
    assert set(rng.integers(0, 3, 1000)) == {0, 1, 2}


def test_a_mutant_is_noticed(seeded: Seeded) -> None:
    rng = np.random.Generator(seeded(1))
    assert kstest(rng.random(10**5) ** 1.05, "uniform").pvalue < 1e-6


def test_the_bits_are_the_generators(stream: Stream, seeded: Seeded) -> None:
    refill = keystream.refill(stream, (5).to_bytes(32, "little"))
    words = np.frombuffer(refill[64:], np.uint64)
    doubles = np.random.Generator(seeded(5)).random(100)
    assert np.array_equal(doubles, (words[:100] >> np.uint64(11)) * 2.0**-53)
    whole = np.random.Generator(seeded(5)).integers(0, 2**64, 100, dtype=np.uint64)
    assert np.array_equal(whole, words[:100])


def test_numpys_generator_keeps_ours_alive() -> None:
    rng = np.random.Generator(cydp.Generator())
    junk = [cydp.Generator() for _ in range(100)]
    del junk
    assert len(np.unique(rng.integers(0, 2**63, 1000))) == 1000


def test_threads_share_numpys_generator(stream: Stream) -> None:
    rng, drawn = np.random.Generator(cydp.Generator(stream=stream)), list[np.ndarray]()

    def draw() -> None:
        drawn.append(rng.integers(0, 2**64, 10_000, dtype=np.uint64))

    workers = [threading.Thread(target=draw) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(np.unique(np.concatenate(drawn))) == 80_000
