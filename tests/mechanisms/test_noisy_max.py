"""csrc/mechanisms/noisy_max*.c: word for word what tests/reference/selection.py gives."""

import math
import pickle
import random
import threading
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded, Stream
from numpy.typing import NDArray
from reference import chacha20, selection
from reference.keystream import nonce
from samplers.replay import Replay, chunk_bits

from cydp import ExponentialMechanism, PermuteAndFlip
from cydp import _threads as threads
from cydp._columns.mechanism_inputs import declare_scores, read_scores
from cydp._core import map_noisy_max, report_noisy_max
from cydp._samplers import prepare_noisy_max
from cydp.testing import SeededGenerator

MECHANISMS = [ExponentialMechanism, PermuteAndFlip]
CHUNK, LEVEL = 2048, 64
RATES = ["1/2", "1/20", "1000", Fraction(1, 10**400), Fraction(10**400), Fraction(1, 3 * 2**4000)]

both = pytest.mark.parametrize("gumbel", [True, False], ids=["gumbel", "exponential"])


class Bits:
    """The bits of the candidates of a seeded generator's first call."""

    def __init__(self, seed: int, stream: Stream, candidates: int) -> None:
        self.key, self.words = Replay(seed, stream).call_key(), list[int]()
        for chunk in range(math.ceil(candidates / CHUNK)):
            words = min(candidates - chunk * CHUNK, CHUNK)
            bits = chunk_bits(stream, self.key, chunk, 4 * words)
            self.words += np.frombuffer(bits, "<u4")[:words].tolist()

    @lru_cache(None)  # noqa: B019
    def level(self, i: int, level: int) -> bytes:
        block = chacha20.block(self.key, nonce(1, level, 0, i // CHUNK), i % CHUNK)
        return b"".join(block[8 * j : 8 * j + 8][::-1] for j in range(8))

    def bits(self, i: int, n: int) -> int:
        value, have = self.words[i], 32
        for level in range(math.ceil((n - have) / 512)):
            value, have = value << 512 | int.from_bytes(self.level(i, level), "big"), have + 512
        return value >> (have - n)


def rows_of(scores: NDArray[Any]) -> list[list[Any]]:
    return scores.reshape(-1, scores.shape[-1]).tolist()


def expected(
    scores: NDArray[Any], rate: Fraction, gumbel: bool, stream: Stream, seed: int
) -> list[int]:
    words, m = Bits(seed, stream, scores.size), scores.shape[-1]
    return [
        selection.report_noisy_max(row, rate, gumbel, lambda i, n, k=k: words.bits(k * m + i, n))
        for k, row in enumerate(rows_of(scores))
    ]


def drawn(
    scores: NDArray[Any],
    rate: Fraction,
    gumbel: bool,
    rng: SeededGenerator,
    *,
    resolve_all: bool = False,
) -> list[int]:
    values = read_scores(declare_scores(scores))
    chosen = np.empty(math.prod(scores.shape[:-1]), np.int64)
    prepared = prepare_noisy_max(gumbel, rate)
    report_noisy_max(prepared, rng._stream, values, chosen, 1, resolve_all)
    return chosen.tolist()


def zoo(seed: int = 1) -> dict[str, NDArray[Any]]:
    """Return rows of each kind: shapes that cross chunks, and scores at the edges."""
    rng = np.random.default_rng(seed)
    ends = np.array([np.nan, -np.inf, np.inf, 5e-324, -5e-324, 0.0, -0.0, 1e308, -1e308, 1.5])
    one, up = np.ones(40), np.nextafter(1, 2)
    return {
        "equal": np.zeros((1, 2 * CHUNK + 7)),
        "normal": rng.normal(size=(20, 107)) * 5,
        "heavy": rng.standard_cauchy((20, 107)) * 1e3,
        "pairs": rng.normal(size=(600, 2)),
        "alone": rng.normal(size=(50, 1)),
        "an ulp apart": np.where(rng.random((50, 40)) < 0.5, one, up),
        "spread of 1e300": 10.0 ** rng.uniform(-300, 300, (50, 20)),
        "edges": rng.choice(ends, (300, 4)),
        "finite edges": rng.choice(ends[3:], (100, 5)),
        "NaN": np.full((5, 30), np.nan),
        "integers": rng.integers(-20, 20, (30, 50)),
        "int64": rng.integers(-(2**63), 2**63 - 1, (30, 50), endpoint=True),
        "uint64": rng.integers(2**64 - 8, 2**64 - 1, (30, 50), np.uint64, endpoint=True),
        "float32": rng.normal(size=(30, 50)).astype(np.float32),
    }


@both
@pytest.mark.parametrize(
    ("kind", "most"),
    [(kind, 24) for kind in ("pairs", "an ulp apart", "edges", "int64")]
    + [pytest.param(kind, 600, marks=pytest.mark.long) for kind in zoo()],
)
def test_the_winner_is_that_of_the_oracle(
    kind: str, most: int, gumbel: bool, stream: Stream, seeded: Seeded
) -> None:
    scores = zoo()[kind][:most]
    for seed, text in enumerate(RATES if len(scores) > 1 else RATES[:1]):
        part, rate = scores[seed :: len(RATES)], Fraction(text)
        if part.size:
            found = drawn(part, rate, gumbel, seeded(seed))
            assert found == expected(part, rate, gumbel, stream, seed), text


def test_a_row_that_crosses_chunks_has_the_winner_of_the_oracle(
    stream: Stream, seeded: Seeded
) -> None:
    """All scores are equal, so that any of the words may decide; rows begin within a chunk."""
    scores = np.zeros((5, CHUNK // 3 + 3))
    assert drawn(scores, Fraction(1), True, seeded(3)) == [
        min(range(scores.shape[1]), key=lambda i, k=k: words.bits(k * scores.shape[1] + i, 64))
        for words in [Bits(3, stream, scores.size)] for k in range(5)
    ]  # fmt: skip


def with_bits(
    scores: Sequence[float],
    rate: Fraction,
    gumbel: bool,
    words: Sequence[int],
    extensions: NDArray[np.uint64],
) -> tuple[int, NDArray[np.uint8]]:
    """Return the winner by given bits, confirmed by exact comparison, and which bits were read."""
    values, given = np.array(scores), np.array(words, np.uint32)
    prepared, chosen = prepare_noisy_max(gumbel, rate), []
    for resolve_all in (False, True):
        asked = np.zeros(len(values), np.uint8)
        chosen.append(map_noisy_max(prepared, values, given, extensions, resolve_all, asked))
        if not resolve_all:
            read = asked
    assert chosen[0] == chosen[1]
    bits = lambda i, n: (  # noqa: E731
        int.from_bytes(
            int(words[i]).to_bytes(4, "big") + extensions[i].astype(">u8").tobytes(), "big"
        )
        >> (32 + 64 * extensions.shape[1] - n)
    )
    assert chosen[0] == selection.report_noisy_max(scores, rate, gumbel, bits)
    return chosen[0], read


def some_extensions(rng: random.Random, n: int) -> NDArray[np.uint64]:
    words = [[rng.getrandbits(64) for _ in range(16)] for _ in range(n)]
    for row in words:  # long runs of zeros and ones, where U is next to 0 or 1
        for j in range(rng.choice([0, 0, 1, 3])):
            row[j] = rng.choice([0, 2**64 - 1])
    return np.array(words, np.uint64)


@both
@pytest.mark.parametrize(
    "rate",
    ["1/1000", *(pytest.param(rate, marks=pytest.mark.long) for rate in ("1/2", "1e9"))],
)
def test_words_that_do_not_decide(rate: str, gumbel: bool) -> None:
    """Equal words, all zeros and all ones: further bits decide, and are read."""
    rng = random.Random(1)
    looked = 0
    for _ in range(40):
        n = rng.choice([2, 3, 17])
        words = [rng.choice([0, 0, 1, 2, 5, 2**31, 2**32 - 1, 2**32 - 1]) for _ in range(n)]
        scores = [rng.choice([0.0, 0.0, 1e-9, 1.0]) for _ in range(n)]
        _, asked = with_bits(scores, Fraction(rate), gumbel, words, some_extensions(rng, n))
        looked += int(asked.sum())
    assert looked > 40


@both
def test_near_ties(gumbel: bool) -> None:
    """The noise of one candidate is the other's plus the difference of scores, up to 2^-n.

    Comparisons in 128, 256 and 512 bits are too close to call then, and those in more decide.
    """
    rng, bits = random.Random(7), 32 + 64 * 16
    context = Context(400)
    for distance in (0.0, 5e-324, 2.0**-20, 0.75, 3.5):
        factor = context.exp(-Decimal(distance))
        for level in (32, 64, 126, 128, 129, 200, 254, 400):
            extensions, words = some_extensions(rng, 2), [rng.getrandbits(32) | 1, 0]
            u = int.from_bytes(words[0].to_bytes(4, "big") + extensions[0].astype(">u8").tobytes())
            share = context.divide(Decimal(2 * u + 1), Decimal(2 ** (bits + 1)))
            if gumbel:  # E_a exp(-D) = E_b for E = -ln(1 - U)
                power = context.multiply(context.ln(context.subtract(Decimal(1), share)), factor)
                other = context.subtract(Decimal(1), context.exp(power))
            else:
                other = context.multiply(share, factor)
            balance = int(context.multiply(other, Decimal(2**bits)).to_integral_value())
            for sign in (-1, 1):
                near = balance + sign * 2 ** (bits - level)
                if not 0 <= near < 2**bits:
                    continue
                words[1] = near >> (bits - 32)
                rest = (near & (2 ** (bits - 32) - 1)).to_bytes(128, "big")
                extensions[1] = np.frombuffer(rest, ">u8")
                chosen, asked = with_bits([distance, 0.0], Fraction(1), gumbel, words, extensions)
                assert chosen == (0 if sign > 0 else 1), (distance, level)
                assert level < 64 or asked.all()


@both
def test_a_tie_for_ever_is_an_error(gumbel: bool) -> None:
    extensions = np.full((2, 16), 2**63, np.uint64)
    with pytest.raises(RuntimeError, match="1,024 random bits"):
        with_bits([1.0, 1.0], Fraction(1), gumbel, [7, 7], extensions)


def test_ones_for_ever_are_an_error() -> None:
    """A candidate with a key below the floor cannot be told from the ones that were left out."""
    extensions = np.full((2, 16), 2**64 - 1, np.uint64)
    with pytest.raises(RuntimeError, match="1,024 random bits"):
        with_bits([0.0, -1e9], Fraction(1), True, [2**32 - 1, 5], extensions)
    extensions[0, 14] -= np.uint64(1)
    assert with_bits([0.0, -1e9], Fraction(1), True, [2**32 - 1, 5], extensions)[0] == 0


LONG = 64 * CHUNK  # what a thread takes at a time


@pytest.mark.parametrize(
    ("kind", "shape"),
    [(PermuteAndFlip, (3 * LONG + 1,)), (ExponentialMechanism, (LONG // 50, 150))]
    + [
        pytest.param(kind, shape, marks=pytest.mark.long)
        for kind in MECHANISMS
        for shape in [(5 * LONG + 1,), (3, LONG + 5), (LONG // 50, 150), (LONG, 4)]
    ],
)
def test_any_number_of_threads_selects_the_same(
    seeded: Seeded, kind: Any, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = np.random.default_rng(1).normal(size=shape)
    monkeypatch.setattr(threads, "THREADS_FROM", 0)
    found = []
    for number in (1, 2, 5):
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        rng = seeded(1, fixed_work=number == 5)  # which changes nothing
        found.append([
            kind(epsilon=0.1, sensitivity=1).release(data, rng=rng)
            for data in (scores, (scores * 9).astype(int))
        ])  # fmt: skip
    for others in found[1:]:
        for one, other in zip(found[0], others, strict=True):
            assert np.array_equal(one, other)


def test_calls_do_not_repeat_each_other(seeded: Seeded) -> None:
    rng, scores = seeded(1), np.zeros((100, 1000))
    calls = [
        PermuteAndFlip(epsilon=1, sensitivity=1).release(scores, rng=rng).tolist() for _ in range(3)
    ]
    assert all(a != b for a, b in pairwise(calls))
    assert len({tuple(row) for row in calls}) == 3
    assert all(len(set(row)) > 80 for row in calls)  # every row has words of its own


def test_scores_that_change_under_the_call_stay_in_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread writes; what is chosen is a place of the row."""
    scores, over = np.zeros((64, 5000)), threading.Event()

    def write() -> None:
        rng = np.random.default_rng(1)
        while not over.is_set():
            scores[:] = rng.choice([np.nan, np.inf, -np.inf, 1e308, -1e308, 0], scores.shape)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(15):
            for kind in MECHANISMS:
                chosen = kind(epsilon=1, sensitivity=1).release(scores)
                assert ((chosen >= 0) & (chosen < 5000)).all()
    finally:
        over.set()
        writer.join()


def test_selections_do_not_pickle() -> None:
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(prepare_noisy_max(True, Fraction(1)))


@both
def test_integers_far_apart_at_tiny_rates(gumbel: bool, seeded: Seeded) -> None:
    """Differences beyond 2**63 were once halved twice: the fast path must be the exact one."""
    scores = np.tile(np.array([2**63 - 1, 0, -(2**63), 5, 2**62]), (600, 1))
    for rate in (Fraction(1, 2**62), Fraction(1, 2**64), Fraction(3, 2**61)):
        exact = drawn(scores, rate, gumbel, seeded(1), resolve_all=True)
        assert drawn(scores, rate, gumbel, seeded(1)) == exact
