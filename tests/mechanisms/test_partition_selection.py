"""mechanisms/_partition_selection.py and _keep_probability.py: probabilities, privacy, draws."""

import dataclasses
import itertools
import math
import pickle
from collections.abc import Callable, Iterable, Iterator
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from generator.streams import Seeded
from refusals import Refusal, check_refusals
from samplers.goodness_of_fit import LIMIT, REJECTED
from scipy.stats import beta, binom

from cydp import ApproxDP, PartitionSelection
from cydp._numbers.intervals import exp_below
from cydp.mechanisms._keep_probability import MOST_COUNT, compute_table, draw_kept
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


def test_rounding_a_closed_form_entry_by_entry_is_not_private() -> None:
    epsilon, delta = "1", "1e-5"
    ratio, bits = ratio_bounds(epsilon)[1], compute_table(Fraction(1), Fraction(delta)).bits
    cut = [Fraction(math.floor(pi * 2**bits), 2**bits) for pi in reference(epsilon, delta)]
    assert not is_private(cut, ratio, Fraction(delta))
    floats = [Fraction(float(pi)) for pi in reference(epsilon, delta)]
    assert not is_private(floats, ratio, Fraction(delta))
    late = [Fraction(0), *table(epsilon, delta)]  # off by one: private, and worse than it need be
    assert is_private(late, ratio, Fraction(delta))
    early = table(epsilon, delta)[1:]  # the other way: an empty partition may be seen
    assert early[0] > 0


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
    pi = table(str(m.epsilon / changed), str(m.delta / changed))
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
    table_of_wrong: dict[str, Refusal] = {
        f"{wrong}": (lambda wrong=wrong: m.probability(wrong), TypeError, ("n must be integers",))
        for wrong in (1.0, True, "1", None, [0.5])
    }
    check_refusals(table_of_wrong)


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
    with pytest.raises(dataclasses.FrozenInstanceError):
        m.delta = Fraction(1)  # type: ignore[misc]


BAD = [0, -1, math.nan, math.inf, "x", "1e400000", 10**2000]


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


def p_value(kept: int, n: int, chance: Fraction) -> float:
    below, above = binom.cdf(kept, n, float(chance)), binom.sf(kept - 1, n, float(chance))
    return float(min(1, 2 * min(below, above)))


def test_rates_fit_and_mutants_do_not(seeded: Seeded) -> None:
    m, n = PartitionSelection(epsilon=1, delta="1e-5", max_partitions=1), 10**6
    pi = table("1", "1e-5")
    for count in (9, 12, 15):
        kept = int(m.release(np.full(n, count), rng=seeded(4)).sum())
        assert p_value(kept, n, pi[count]) > LIMIT
        for mutant in (pi[count - 1], pi[count + 1], (pi[count] + Fraction(1, 300)) % 1):
            assert p_value(kept, n, mutant) < REJECTED


def lower(successes: int, n: int) -> float:
    return float(beta.ppf(1e-6, successes, n - successes + 1))


def upper(successes: int, n: int) -> float:
    return float(beta.isf(1e-6, successes + 1, n - successes))


@pytest.mark.parametrize(("relation", "most"), [("add-remove", 3), ("change-one", 1)])
def test_keys_of_single_users_are_seen_within_delta(
    seeded: Seeded, most: int, relation: str
) -> None:
    """10^6 keys of one user each: a user's risk is that any of their `most` keys is seen."""
    delta, n = 0.01, 10**6 // most * most
    m = PartitionSelection(epsilon=1, delta=delta, max_partitions=most, relation=relation)
    twice = 2 if relation == "change-one" else 1  # half of them are the keys that the user leaves
    users = m.release(np.ones(n, int), rng=seeded(5)).reshape(-1, most).any(axis=1)
    assert lower(int(users.sum()), len(users)) <= delta / twice
    assert upper(int(users.sum()), len(users)) >= 0.98 * delta / twice
    # The mutants: delta for each key; rows (three a user) for users.
    if most > 1:
        each = PartitionSelection(epsilon=1, delta=delta, max_partitions=1).release(
            np.ones(n, int), rng=seeded(5)
        )
        risk = each.reshape(-1, most).any(axis=1)
        assert lower(int(risk.sum()), len(risk)) > delta
    rows = m.release(np.full(n, 3), rng=seeded(5)).reshape(-1, most).any(axis=1)
    assert lower(int(rows.sum()), len(rows)) > delta
    assert not m.release(np.zeros(n, int)).any()


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
