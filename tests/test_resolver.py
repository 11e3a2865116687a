"""csrc/resolver.c against a second implementation, and against the fast path."""

from fractions import Fraction

import numpy as np
import pytest
from reference import discrete_laplace as oracle

from cydp.testing import map_words

SCALES = [
    "1e-6", "1/7", "0.5", "1", "22/7", "5.5", "10", "1000/3", "1000", "1024", "1025",
    "123456.789", str(2**20), f"{2**36}", f"{3 * 2**40 + 1}/3", str(2**56),
    # Rationals of about two thousand bits.
    f"{3**1250}/{2**1960 + 1}",
]  # fmt: skip
LARGEST = 2**63 - 1  # where |X| stops
DEEP = 3 * 512  # extension bits given: more than the 1,024 that the resolver may need


def word_bits(scale: str) -> int:
    return 31 if Fraction(scale) <= 1024 else 63


def random_words(bits: int, n: int, key: int) -> np.ndarray:
    rng = np.random.default_rng(key)
    return rng.integers(0, 2 ** (bits + 1), n, dtype=np.uint64)


def random_extensions(n: int, key: int) -> np.ndarray:
    return np.random.default_rng(key).integers(0, 2**64, (n, DEEP // 64), dtype=np.uint64)


def expected(scale: str, words: np.ndarray, bits: int, extensions: np.ndarray) -> list[int]:
    values = [
        oracle.value(Fraction(scale), int(word), bits, row.tolist().__getitem__)
        for word, row in zip(words, extensions, strict=True)
    ]
    return [max(-LARGEST, min(value, LARGEST)) for value in values]


@pytest.mark.parametrize("scale", SCALES)
def test_random_prefixes(scale: str) -> None:
    bits = word_bits(scale)
    words, extensions = random_words(bits, 400, 1), random_extensions(400, 2)
    mapped = map_words(scale, words, extensions, resolve_all=True)
    assert mapped.undecided.all()
    assert mapped.values.tolist() == expected(scale, words, bits, extensions)


@pytest.mark.parametrize("scale", SCALES)
def test_smallest_and_largest_prefixes(scale: str) -> None:
    bits = word_bits(scale)
    ends = [0, 1, 2, 3, 2 ** (bits + 1) - 1, 2 ** (bits + 1) - 2, 2**bits, 2**bits - 1]
    words, extensions = np.array(ends, np.uint64), random_extensions(len(ends), 3)
    extensions[:2, :3] = 0  # u = 0 and then 192 more zeros
    mapped = map_words(scale, words, extensions, resolve_all=True)
    assert mapped.values.tolist() == expected(scale, words, bits, extensions)


@pytest.mark.parametrize("scale", SCALES[1:])
@pytest.mark.parametrize("agree", [64, 200, 500, 900])
def test_bits_that_follow_a_threshold(scale: str, agree: int) -> None:
    """U equals T_k for `agree` bits and then differs in the next, either way."""
    bits = word_bits(scale)
    law = Fraction(scale)
    ks = sorted({1, 2, 3, max(1, int(law)), max(1, int(5 * law))})
    words, rows = [], []
    for k in ks:
        threshold, _ = oracle.tail_bounds(law, k, bits + DEEP)
        if threshold < 4:  # below the bits that are given
            continue
        for bit in (0, 1):  # the next 0 becomes 1: U > T_k; the next 1 becomes 0: U < T_k
            place = bits + DEEP - agree - 1
            while threshold >> place & 1 != bit:
                place -= 1
            stream = threshold ^ 1 << place
            words.append((stream >> DEEP) << 1)
            rest = stream & (2**DEEP - 1)
            rows.append([rest >> shift & (2**64 - 1) for shift in range(DEEP - 64, -1, -64)])
    given, extensions = np.array(words, np.uint64), np.array(rows, np.uint64)
    mapped = map_words(scale, given, extensions, resolve_all=True)
    assert mapped.values.tolist() == expected(scale, given, bits, extensions)
    assert mapped.work["levels"] >= (1 + (agree > 512 + 64)) * len(given)


def test_a_stream_that_never_decides_is_an_error() -> None:
    threshold, _ = oracle.tail_bounds(Fraction(1), 1, 31 + DEEP)
    rest = [threshold >> shift & (2**64 - 1) for shift in range(DEEP - 64, -1, -64)]
    word = np.array([threshold >> DEEP << 1], np.uint64)
    with pytest.raises(RuntimeError, match="1,024 random bits"):
        map_words(1, word, np.array([rest], np.uint64))


@pytest.mark.parametrize("scale", SCALES[:-4] + SCALES[-1:])
def test_everything_through_the_resolver_equals_the_fast_path(scale: str) -> None:
    bits = word_bits(scale)
    words, extensions = random_words(bits, 20_000, 4), random_extensions(20_000, 5)
    fast = map_words(scale, words, extensions)
    exact = map_words(scale, words, extensions, resolve_all=True)
    assert np.array_equal(fast.values, exact.values)
    assert fast.work["undecided"] < 200
    assert exact.work["undecided"] == 20_000
    if Fraction(scale) > 1:  # the test has power: neighbouring laws give other values
        other = map_words(Fraction(scale) * Fraction(1001, 1000), words, extensions)
        assert not np.array_equal(other.values, exact.values)
