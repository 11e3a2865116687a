"""The randomized response of mechanisms/ and csrc/mechanisms/: distribution, reports, estimates."""

import itertools
import math
import pickle
from collections import Counter
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded
from refusals import check_refusals

from cydp import PureDP, RandomizedResponse, testing
from cydp import _threads as threads
from cydp._core import randomize_responses
from cydp._samplers import prepare_category_offset
from cydp.testing import SeededGenerator, category_offset_sampler, map_bits

CONTEXT = Context(80)


def weight(epsilon: Any, k: int) -> Fraction:
    """P(each lie), from the formulas with 80 digits."""
    ratio = Fraction(CONTEXT.exp(Decimal(epsilon)))
    q = k / (ratio - 1 + k)
    return q / k


# Parameters


def test_p_truth_is_rounded_down_by_little() -> None:
    for epsilon in ("1e-300", "1e-30", "0.001", "0.1", "1", "5", "40", "590"):
        for k in (2, 10, 2**31):
            p = RandomizedResponse(epsilon=epsilon, n_categories=k).p_truth
            lie = (1 - p) / (k - 1)
            ratio, x = p / lie, Fraction(epsilon)
            if x < Fraction(1, 10**20):  # exp(x) - 1 is x (1 + x / 2 + ...)
                low, high = x, x * (1 + x)
            else:
                e = CONTEXT.exp(Decimal(epsilon))
                low, high = (
                    Fraction(end) - 1 for end in (e.next_minus(CONTEXT), e.next_plus(CONTEXT))
                )
            assert low * (1 - Fraction(1, 10**28)) < ratio - 1 <= high, (epsilon, k)
            q = 1 - (p - lie)  # P(truth) = 1 - q + q / k
            assert p == 1 - q + q / k
            assert ratio == (1 - q) * k / q + 1


def test_an_epsilon_of_any_size_is_answered() -> None:
    for epsilon in ("1e300", 10**1200, 601):
        m = RandomizedResponse(epsilon=epsilon, n_categories=5)
        assert m.p_truth == RandomizedResponse(epsilon=600, n_categories=5).p_truth
        assert m.loss == PureDP(epsilon, relation="change-one")
        assert m.release([0, 1, 2, 3, 4]).tolist() == [0, 1, 2, 3, 4]
    tiny = RandomizedResponse(epsilon="1e-1200", n_categories=3)
    assert 1 < tiny.p_truth * 3 < 1 + Fraction(1, 10**1199)
    assert set(tiny.release(np.zeros(100, int)).tolist()) == {0, 1, 2}
    tiny.estimate([0, 1])


def test_parameters_are_exact_frozen_and_pickle() -> None:
    m = RandomizedResponse(epsilon=0.1, n_categories=3)
    assert (m.epsilon, m.n_categories) == (Fraction(1, 10), 3)
    assert m.loss == PureDP("0.1", relation="change-one")
    assert m == RandomizedResponse(epsilon="1/10", n_categories=np.int8(3))
    for other in (
        m,
        RandomizedResponse(epsilon="1/3"),
        RandomizedResponse(epsilon=1e-6, n_categories=7),
        RandomizedResponse(epsilon=2),
    ):
        assert eval(repr(other), {"RandomizedResponse": RandomizedResponse}) == other
        assert pickle.loads(pickle.dumps(other)) == other
    assert m.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_probabilities() -> None:
    m = RandomizedResponse(epsilon=1, n_categories=4)
    lie = weight(1, 4)
    for code in range(4):
        probabilities = m.probabilities(code)
        assert probabilities.dtype == np.float64
        assert probabilities[code] == float(m.p_truth)
        assert np.allclose(np.delete(probabilities, code), float(lie), rtol=1e-15)
        assert math.isclose(probabilities.sum(), 1)
    assert m.probabilities(-1).tolist() == m.probabilities(4).tolist() == [0.25] * 4


# The distribution of category offsets, bit by bit

FEW = [(k, w) for k in (2, 10, 64) for w in (weight(1, k), Fraction(1, k))] + [
    (2, weight(30, 2)), (3, weight(12, 3)), (64, weight(200, 64)), (4, Fraction(1, 1024)),
]  # fmt: skip
MANY = [(k, weight(1, k)) for k in (65, 2**16, 2**16 + 1, 2**31)]
MANY += [(65, Fraction(1, 65)), (2**31, Fraction(1, 2**31)), (65, weight(590, 65))]


def ids(value: Any) -> str:
    return str(value) if isinstance(value, int) else f"{float(value):.1e}"


@pytest.mark.parametrize(("k", "w"), FEW, ids=ids)
def test_prefixes_enumerate_the_distribution(k: int, w: Fraction) -> None:
    """Decided cells, and the exact shares of those left open: not about, but equal."""
    prefixes = np.arange(2**16)
    mapped = map_bits(category_offset_sampler(w, k), [prefixes])
    decided = ~mapped.asked[0]
    masses = {j: Fraction(int(n), 2**16) for j, n in Counter(mapped.values[decided]).items()}
    for u in prefixes[~decided].tolist():
        for j in range(k):
            low = max((k - 1 - j) * w, Fraction(u, 2**16)) if j < k else 0
            high = (k - j) * w if j else Fraction(1)
            share = min(high, Fraction(u + 1, 2**16)) - low
            masses[j] = masses.get(j, Fraction(0)) + max(share, Fraction(0))
    assert masses[0] == 1 - (k - 1) * w
    assert all(masses.get(j, 0) == w for j in range(1, k))
    assert mapped.work["undecided"] <= k - 1


@pytest.mark.parametrize(("k", "w"), FEW + MANY, ids=ids)
def test_category_offsets_next_to_thresholds(k: int, w: Fraction) -> None:
    """Words around thresholds, followed by bits that stay there, against exact fractions."""
    sampler, rng = category_offset_sampler(w, k), np.random.default_rng(k)
    ((width, _, _), _) = sampler.layout
    bits = 63 if width == 8 else 8 * width
    near = [0, 1, 2, k - 2, k - 1, *rng.integers(0, k, 30).tolist()]
    streams = []
    for j, words in itertools.product(near, (0, 1, 2)):
        length = bits + 64 * words
        at = math.floor(j * w * 2**length)
        streams += [(u, words) for u in (at - 1, at, at + 1) if 0 <= u < 2**length]
    streams += [(u, 0) for u in rng.integers(0, 2**bits, 200, dtype=np.uint64).tolist()]
    extensions = np.zeros((2, len(streams), 16), np.uint64)
    prefixes = np.zeros(len(streams), np.uint64)
    expected = []
    for i, (u, words) in enumerate(streams):
        prefixes[i] = (u >> 64 * words) << (1 if width == 8 else 0)
        extensions[0, i, words:] = 2**63  # U is in the middle of its cell
        for word in range(words):
            extensions[0, i, word] = u >> 64 * (words - 1 - word) & (2**64 - 1)
        middle = Fraction(2 * u + 1, 2 ** (bits + 64 * words + 1))
        expected.append(max(k - 1 - math.floor(middle / w), 0))
    for how in ({}, {"resolve_all": True}, {"fixed_work": True}):
        mapped = map_bits(sampler, [prefixes], None, extensions, **how)
        assert mapped.values.tolist() == expected


@pytest.mark.parametrize(("k", "w"), MANY, ids=ids)
def test_undecided_is_as_rare_as_stated_and_always_looked_at(k: int, w: Fraction) -> None:
    sampler, n = category_offset_sampler(w, k), 2**17
    rng = np.random.default_rng(7)
    (width, _, _), _ = sampler.layout
    words = rng.integers(0, 2 ** (8 * width), n, dtype=f"u{width}")
    work = map_bits(sampler, [words], None, rng.integers(0, 2**64, (2, n, 8), np.uint64)).work
    rate = k * (2.01 / 2 ** (32 if width == 4 else 63) + 2.0**-45)
    assert work["undecided"] <= n * rate + 8 * math.sqrt(n * rate) + 3
    parts = words[: 64 * 1024].reshape(64, 1024)
    looks = {map_bits(sampler, [part], fixed_work=True).work["looks"] for part in parts}
    assert len(looks) == 1


def test_the_core_refuses_what_is_no_distribution() -> None:
    refused = [
        (Fraction(1, 2**901), 2), (Fraction(1, 2) + Fraction(1, 2**400), 2), (Fraction(1), 2),
        (Fraction(1, 3), 4), (Fraction(1, 5), 1), (Fraction(1, 2**40), 2**31 + 1), (Fraction(3), 2),
    ]  # fmt: skip
    check_refusals({
        f"{k} categories of {float(w)}": (
            lambda w=w, k=k: prepare_category_offset(w, k), ValueError, ("parameter",)
        )
        for w, k in refused
    })  # fmt: skip


def test_reports_need_samplers_of_category_offsets() -> None:
    codes, reports = np.zeros(4, np.uint8), np.zeros(4, np.uint8)
    two, three, coin = (
        category_offset_sampler("0.3", 2),
        category_offset_sampler("0.3", 3),
        testing.bernoulli_sampler(1),
    )
    wide = category_offset_sampler("0.001", 300)
    for offset, uniform in ((two, three), (coin, two), (two, coin), (wide, wide)):
        with pytest.raises(ValueError, match="parameter"):
            randomize_responses(SeededGenerator(1)._stream, offset, uniform, codes, reports, 1)


# Streams. samplers/test_sampler.py replays reports from the key, outsiders' too.


@pytest.mark.parametrize("k", [2, 200, 70_000])
def test_any_number_of_threads_gives_the_same_reports(
    seeded: Seeded, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = np.arange(threads.THREADS_FROM + 12_345, dtype=np.int32) % k
    codes[1::1000] = -1
    m, released = RandomizedResponse(epsilon=1, n_categories=k), []
    for number in (1, 2, 5):
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        rng = seeded(1, fixed_work=number == 5)
        released.append([m.release(c, rng=rng) for c in (codes, codes[:9])])
    for others in released[1:]:
        for one, other in zip(released[0], others, strict=True):
            assert np.array_equal(one, other)


def test_every_dtype_gives_the_same_reports(seeded: Seeded) -> None:
    m = RandomizedResponse(epsilon=2, n_categories=5)
    for n in (1, 255, 2048, 8193, 131_073):
        codes = np.arange(n) % 5
        codes[::7] = 5
        expected = m.release(codes, rng=seeded(2))
        for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "u8", ">i2", ">u4", ">i8"):
            released = m.release(codes.astype(dtype), rng=seeded(2))
            assert released.dtype == np.dtype(dtype)
            assert np.array_equal(released, expected), (n, dtype)


STORED = [
    [1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1],
    [6, 6, 6, 6, 6, 0, 6, 7, 4, 8, 5, 1],
    [119, 80, 125, 19, 197, 46, 146, 38, 75, 2, 75, 69],
    [404243, 90868, 212579, 162972, 967424, 298233, 355898, 24316, 707995, 412232, 410758, 386621],
]


def test_stored_reports() -> None:
    """Changes here belong into the changelog."""
    reports = [
        RandomizedResponse(epsilon=1, n_categories=k)
        .release(np.arange(12) % k, rng=SeededGenerator(7))
        .tolist()
        for k in (2, 10, 200, 10**6)
    ]
    assert reports == STORED


# Arrays


def test_dtypes_and_shapes_are_kept() -> None:
    m = RandomizedResponse(epsilon=700)  # the truth, always
    assert type(m.release(1)) is int
    assert type(m.release(np.uint8(1))) is int
    assert m.release(True) is True
    assert m.release(np.False_) is False
    for shape in [(0,), (), (2, 3), (1, 0, 2)]:
        released = m.release(np.ones(shape, np.uint16))
        assert released.shape == shape
        assert released.dtype == np.uint16
        assert (released == 1).all()
    flags = np.array([True, False, True])
    assert m.release(flags).dtype == np.bool_
    assert m.release(flags).tolist() == [True, False, True]
    assert m.release([True, False]).dtype == np.bool_
    assert m.release([[0], [1]]).tolist() == [[0], [1]]
    assert m.release([]).shape == (0,)
    codes = np.arange(40).reshape(4, 10) % 2
    for view in (codes[::-1, ::3], codes.T, np.asfortranarray(codes), codes.astype(">i4")[:, ::-2]):
        assert np.array_equal(m.release(view), view)
    frozen = codes.copy()
    frozen.flags.writeable = False
    assert np.array_equal(m.release(frozen), codes)
    unaligned = np.frombuffer(b"\0" + codes.tobytes(), np.uint8)[1:].view(codes.dtype)
    assert np.array_equal(m.release(unaligned), codes.reshape(-1))
    assert np.array_equal(codes, np.arange(40).reshape(4, 10) % 2)  # the input is left alone


def test_integers_that_no_dtype_holds_are_answered() -> None:
    m = RandomizedResponse(epsilon=1, n_categories=3)
    assert m.release(10**30) in (0, 1, 2)
    assert m.release([2**63, -(10**30), 1]).dtype == np.int64
    assert set(m.release(np.full(100, 2**64 - 1, np.uint64)).tolist()) == {0, 1, 2}


def test_a_dtype_holds_every_category() -> None:
    for dtype, k in (("i1", 128), ("u1", 256), ("i2", 2**15), ("u2", 2**16)):
        top = RandomizedResponse(epsilon=590, n_categories=k).release(np.full(300, k - 1, dtype))
        assert (top == k - 1).all()
        flat = RandomizedResponse(epsilon="1e-9", n_categories=k)
        spread = flat.release(np.full(3000, k - 1, dtype))
        assert 0 <= spread.min() <= spread.max() < k
        assert len(set(spread.tolist())) > min(k, 3000) / 3


# Estimates


@pytest.mark.parametrize(
    ("epsilon", "truth"), [("1", [0, 0, 2]), ("0.3", [1, 2, 2]), ("2", [1, 0])]
)
def test_estimates_are_unbiased_and_so_are_their_variances(epsilon: str, truth: list[int]) -> None:
    """Exact expectations, over all reports that these people can send."""
    k = max(truth) + 1
    m = RandomizedResponse(epsilon=epsilon, n_categories=k)
    lie = (1 - m.p_truth) / (k - 1)
    mean, square, variance = np.zeros(k), np.zeros(k), np.zeros(k)
    for reports in itertools.product(range(k), repeat=len(truth)):
        chance = float(math.prod(m.p_truth if r == t else lie
                                 for r, t in zip(reports, truth, strict=True)))  # fmt: skip
        counts, about = m.estimate(reports)
        mean += chance * counts
        square += chance * counts**2
        variance += chance * about
        assert (about >= 0).all()
        assert math.isclose(counts.sum(), len(truth))
    assert np.allclose(mean, np.bincount(truth, minlength=k), rtol=0, atol=1e-10)
    assert np.allclose(square - mean**2, variance, rtol=1e-10)


def test_estimates_of_arrays() -> None:
    m = RandomizedResponse(epsilon=1, n_categories=4)
    codes = np.random.default_rng(1).integers(0, 4, (1000, 100), dtype=np.uint8)
    counts, variance = m.estimate(m.release(codes, rng=SeededGenerator(1)))
    true = np.bincount(codes.reshape(-1), minlength=4)
    assert counts.shape == variance.shape == (4,)
    assert counts.dtype == variance.dtype == np.float64
    assert (np.abs(counts - true) < 6 * np.sqrt(variance)).all()
    assert m.estimate([]).counts.tolist() == [0] * 4
    missing = m.estimate(np.array([0, -1, 0, 3], np.int8))
    assert missing.counts.tolist() == m.estimate([0, None, 0, 3]).counts.tolist()
    two = RandomizedResponse(epsilon=1)
    assert two.estimate([True, False]).counts.tolist() == two.estimate([1, 0]).counts.tolist()


def test_a_report_tells_as_little_as_promised() -> None:
    """P(report | one truth) <= exp(epsilon) P(report | another), the outsiders included."""
    for epsilon, k in itertools.product(["0.01", "1", "20"], [2, 3, 100]):
        m = RandomizedResponse(epsilon=epsilon, n_categories=k)
        bound = Fraction(CONTEXT.exp(Decimal(epsilon)).next_plus(CONTEXT))
        lie = (1 - m.p_truth) / (k - 1)
        uniform = Fraction(1, k)
        for one, other in itertools.permutations([m.p_truth, lie, uniform], 2):
            assert one <= bound * other
