"""mechanisms/_partition_selection.py: probabilities, privacy, draws."""

import itertools
import math
import pickle
from collections.abc import Callable, Iterable, Iterator
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from generator.streams import Seeded

from cydp import ApproxDP
from cydp._numbers.intervals import exp_below
from cydp.mechanisms import PartitionSelection
from cydp.mechanisms._partition_selection import MOST_COUNT, compute_table, draw_kept
from cydp.testing import SeededGenerator

CONTEXT = Context(130)
SHARES = [("1", "1e-5"), ("0.1", "1e-6"), ("0.01", "0.3"), ("10", "1e-10"), ("1e-3", "1e-3"),
          ("50", "1e-100"), ("1e-50", "0.001"), ("1/3", "1/7"), ("700", "1e-200"), ("2", "0.99"),
          ("1", "1e-1200")]  # fmt: skip
SLOW = [("1e-3", "1e-3"), ("1e-50", "0.001"), ("1", "1e-1200")]


def decimal(number: str) -> Decimal:
    x = Fraction(number)
    return CONTEXT.divide(Decimal(x.numerator), Decimal(x.denominator))


def ratio_bounds(epsilon: str) -> tuple[Fraction, Fraction]:
    value = CONTEXT.exp(decimal(epsilon))
    margin = 1 - Fraction(1, 10**120)
    return Fraction(value) * margin, Fraction(value) / margin


def table(epsilon: str, delta: str) -> list[Fraction]:
    made = compute_table(Fraction(epsilon), Fraction(delta))
    return [Fraction(share, 2**made.bits) for share in made.exact()]


def reference(epsilon: str, delta: str) -> Iterator[Fraction]:
    """The recurrence in decimals of 130 digits."""
    ratio, least = CONTEXT.exp(decimal(epsilon)), decimal(delta)
    one, pi = Decimal(1), Decimal(0)
    while pi < one:
        yield Fraction(pi)
        up = CONTEXT.fma(ratio, pi, least)
        left = CONTEXT.subtract(CONTEXT.subtract(one, pi), least)
        pi = min(up, CONTEXT.subtract(one, CONTEXT.divide(left, ratio)), one)
    yield Fraction(1)


def is_private(pi: Iterable[Fraction], ratio: Fraction, delta: Fraction) -> bool:
    return all(
        0 <= low <= high <= 1
        and high <= ratio * low + delta
        and (1 - low) <= ratio * (1 - high) + delta
        for low, high in itertools.pairwise(pi)
    )


# The probabilities


all_shares = pytest.mark.parametrize(
    ("epsilon", "delta"),
    [pytest.param(*each, marks=pytest.mark.long if each in SLOW else ()) for each in SHARES],
)


@all_shares
def test_neighbouring_counts_are_as_close_as_promised(epsilon: str, delta: str) -> None:
    """For the E in use, which is at most exp(epsilon): exact fractions, for all n.

    No larger probabilities exist, but for what is below the grid of delta.
    """
    pi, ratio = table(epsilon, delta), exp_below(min(Fraction(epsilon), Fraction(600)))
    assert 1 < ratio <= ratio_bounds(epsilon)[1]
    assert pi[0] == 0
    assert pi[-1] == 1 > pi[-2]
    assert is_private(pi, ratio, Fraction(delta))
    assert not is_private(pi, ratio, Fraction(delta) * (1 - Fraction(1, 2**60)))
    if Fraction(epsilon) > 600 or Fraction(delta) < Fraction(1, 10**1000):
        return
    best = list(reference(epsilon, delta))
    assert len(best) <= len(pi) <= len(best) + 1
    for mine, most in itertools.zip_longest(pi, best, fillvalue=Fraction(1)):
        assert most * (1 - Fraction(1, 2**57)) <= mine <= most * (1 + Fraction(1, 10**100))
        assert (1 - mine) - (1 - most) <= (1 - most) / 2**50 + Fraction(delta) / 2**50


def excess(pairs: list[tuple[Fraction, Fraction]], ratio: Fraction) -> Fraction:
    """Return the sum over all masks of what P is above ratio Q."""
    over = Fraction(0)
    for mask in itertools.product([False, True], repeat=len(pairs)):
        p, q = (
            math.prod(x[i] if kept else 1 - x[i] for x, kept in zip(pairs, mask, strict=True))
            for i in (0, 1)
        )
        over += max(p - ratio * q, Fraction(0))
    return over


@pytest.mark.parametrize(("most", "relation", "tight"), [
    (1, "add-remove", 1), (2, "add-remove", 0.98), (1, "change-one", 0.8),
    (1, "add-remove-or-change", 0.8),
    pytest.param(3, "add-remove", 0.98, marks=pytest.mark.long),
    pytest.param(2, "change-one", 0.7, marks=pytest.mark.long),
])  # fmt: skip
def test_all_partitions_of_a_user_together(most: int, relation: str, tight: float) -> None:
    """Exactly: over all masks of a small table that users join and leave."""
    m = PartitionSelection(epsilon="0.9", delta="0.03", max_partitions=most, relation=relation)
    changed = most * (1 if relation == "add-remove" else 2)
    made = m._table()
    pi = [Fraction(share, 2**made.bits) for share in made.exact()]
    assert pi == table(str(m.epsilon / changed), str(m.delta / changed))
    ratio = ratio_bounds("0.9")[0]
    steps = [(0, 1), (1, 2), (4, 5), (len(pi) // 2, len(pi) // 2 + 1)]
    steps += [(len(pi) - 3, len(pi) - 2), (len(pi) - 2, len(pi) - 1)]
    rises = itertools.combinations_with_replacement(steps, most)
    falls = list(itertools.combinations_with_replacement(steps, changed - most))
    worst = Fraction(0)
    for up, down in itertools.product(rises, falls):
        pairs = [(pi[b], pi[a]) for a, b in up] + [(pi[a], pi[b]) for a, b in down]
        worst = max(worst, excess(pairs, ratio), excess([(q, p) for p, q in pairs], ratio))
    assert tight * (1 - 1e-9) * m.delta <= worst <= m.delta


def test_probability() -> None:
    m = PartitionSelection(epsilon=1, delta="1e-5", max_partitions=2)
    pi = table("1/2", "5e-6")
    assert [m.probability(n) for n in range(len(pi))] == [float(share) for share in pi]
    ns = np.array([[-5, 0, 1], [10, 10**6, 2**62]])
    assert m.probability(ns).tolist() == [[0, 0, 5e-6], [float(pi[10]), 1, 1]]
    assert type(m.probability(3)) is float
    assert m.probability(10**30) == 1
    assert m.probability(np.uint64(2**64 - 1)) == 1
    assert m.probability([]).shape == (0,)


def test_change_one_costs_twice_as_much() -> None:
    one = PartitionSelection(epsilon=1, delta="1e-5", max_partitions=3, relation="change-one")
    assert one.probability(range_ := np.arange(200)).tolist() == (
        PartitionSelection(epsilon=1, delta="1e-5", max_partitions=6).probability(range_).tolist()
    )
    assert one.loss == ApproxDP(1, "1e-5", relation="change-one")


# Parameters


def test_parameters_are_exact_frozen_and_pickle() -> None:
    m = PartitionSelection(epsilon=0.1, delta=1e-6, max_partitions=np.int64(3))
    assert (m.epsilon, m.delta, m.max_partitions) == (Fraction(1, 10), Fraction(1, 10**6), 3)
    assert m.relation == "add-remove"
    assert m.loss == ApproxDP("0.1", "1e-6", relation="add-remove")
    for other in (
        m,
        PartitionSelection(epsilon="1/3", delta="1/7", relation="change-one", max_partitions=1),
    ):
        assert eval(repr(other), {"PartitionSelection": PartitionSelection}) == other
        assert pickle.loads(pickle.dumps(other)) == other
    assert m.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_the_longest_tables_are_served() -> None:
    flat = PartitionSelection(epsilon="1e-300", delta="1e-4", max_partitions=1)
    assert flat.probability(10**4) == 1
    m = PartitionSelection(epsilon="1e-3", delta="1e-7", max_partitions=1)
    assert m.probability(MOST_COUNT) == 1
    assert m.release(np.array([0, MOST_COUNT])).tolist() == [False, True]


# Draws


def words_of(*values: int) -> Callable[[int], bytes]:
    """A source of these words of 64 bits, and no others."""
    stream = iter(values)
    return lambda n: b"".join(next(stream).to_bytes(8, "little") for _ in range(n // 8))


@all_shares
def test_draws_compare_endless_bits(epsilon: str, delta: str) -> None:
    """Words at pi, below and above, to three words behind the first; ends as well."""
    made = compute_table(Fraction(epsilon), Fraction(delta))
    pi = table(epsilon, delta)
    for n in sorted({0, 1, 2, 3, len(pi) // 2, len(pi) - 2, len(pi) - 1}):
        if n >= len(pi):
            continue
        for length in (1, 2, 3):
            at = math.floor(pi[n] * 2 ** (64 * length))
            for u in {min(max(at + step, 0), 2 ** (64 * length) - 1) for step in (-1, 0, 1)}:
                words = [u >> 64 * i & (2**64 - 1) for i in reversed(range(length))]
                stream = [*words, *[2**63, 0] * 40]  # U is in the middle of its cell
                expected = Fraction(2 * u + 1, 2 ** (64 * length + 1)) < pi[n]
                kept = draw_kept(made, np.array([n]), words_of(*stream))
                assert kept.tolist() == [expected], (n, length, u - at)


def test_ties_take_the_words_behind_those_of_their_block() -> None:
    made = compute_table(Fraction(1), Fraction(1, 10**5))
    ends = made.words.tolist()
    left = made.bits - 64
    rest = [next(itertools.islice(made.exact(), n, None)) - (ends[n] << left) for n in (4, 5)]
    after = [part << 64 >> left for part in rest]
    counts = np.array([4, 3, 5, 4])
    words = [ends[4], ends[3] - 1, ends[5], ends[4], after[0] - 1, after[1] + 1, after[0] - 1]
    assert draw_kept(made, counts, words_of(*words)).tolist() == [True, True, False, True]


def test_blocks_are_drawn_one_after_the_other(seeded: Seeded) -> None:
    m, n = PartitionSelection(epsilon=1, delta="1e-5", max_partitions=1), 2**16 + 777
    counts = np.arange(n) % 23
    kept = m.release(counts, rng=seeded(3))
    rng = seeded(3)
    bits = rng.bytes(8 * 2**16) + rng.bytes(8 * 777)
    ends = np.array([math.floor(pi * 2**64) for pi in table("1", "1e-5")[:23]])
    assert np.array_equal(kept, np.frombuffer(bits, np.uint64) < ends[counts].astype(np.uint64))


STORED = [0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1]


def test_stored_selections() -> None:
    """Changes here belong into the changelog."""
    kept = PartitionSelection(epsilon=1, delta="1e-5", max_partitions=1).release(
        np.arange(5, 17), rng=SeededGenerator(7)
    )
    assert kept.astype(int).tolist() == STORED


def test_shapes_and_dtypes() -> None:
    m = PartitionSelection(epsilon=1, delta="1e-5", max_partitions=1)
    assert m.release(10**6) is True
    assert m.release(0) is False
    assert m.release(-(10**30)) is False
    assert m.release(np.int8(-1)) is False
    for shape in [(0,), (), (2, 3), (1, 0, 2)]:
        kept = m.release(np.full(shape, 1000))
        assert isinstance(kept, np.ndarray)
        assert kept.shape == shape
        assert kept.dtype == np.bool_
        assert kept.all()
    counts = np.array([[0, 100, -1], [100, 0, 100]])
    for dtype in ["i1", "i2", ">i4", "i8"]:
        for view in (counts.astype(dtype), counts.astype(dtype)[::-1, ::2], counts.astype(dtype).T):
            assert np.array_equal(m.release(view), view > 0)
    assert m.release([0, 2**70, -(2**70)]).tolist() == [False, True, False]
    assert m.release(np.array([2**64 - 1, 0], np.uint64)).tolist() == [True, False]
