# SPDX-License-Identifier: MIT
"""csrc/mechanisms/quantile*.c: bit for bit what tests/reference/quantile.py gives; its cost."""

import itertools
import math
import pickle
import random
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from generator.streams import Seeded, Stream
from reference import chacha20, quantile
from reference.keystream import nonce
from samplers.replay import Replay, chunk_bits

import cydp
from cydp import _threads as threads
from cydp._core import choose_quantiles, map_quantile
from cydp._samplers import prepare_quantile
from cydp.exact._grid import Grid
from cydp.exact._sorted_units import SortedUnits, sort_groups, sort_units
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.testing import SeededGenerator

CHUNK, LIMBS, FURTHER = 256, 3, 16
Words = Sequence[int]

QUANTILES = [Fraction(q) for q in ("1/2", "0", "1", "19/20", "1/3", "0.3333333333333333")]
RATES = [
    *map(Fraction, ["1", "1/2", "1/1000000", "1000000", "7/5000"]),
    *[Fraction(1, 10**400), Fraction(10**400), Fraction(2**4000 + 1, 3 * 2**4000)],
]


def fraction_of(limbs: Words) -> Fraction:
    """Return the number in [0, 1) with these limbs, the first one most significant."""
    value = 0
    for limb in limbs:
        value = value << 64 | int(limb)
    return Fraction(value, 1 << 64 * len(limbs))


def mapped(
    units: Sequence[int],
    q: Fraction,
    rate: Fraction,
    ends: tuple[int, int],
    limbs: tuple[Words, Words],
    *,
    wide: bool = True,
) -> tuple[int, list[int]]:
    """Return the unit by the limbs of U and V, confirmed in more precision, and the limbs read."""
    words = [half for u in limbs for limb in u[:LIMBS] for half in (limb & 0xFFFFFFFF, limb >> 32)]
    further = np.array([u[LIMBS:] for u in limbs], np.uint64)
    column = np.array(units, np.int64 if wide else np.int32)
    found, read = [], []
    for resolve_all in (False, True):
        asked = np.zeros(2, np.uint8)
        prepared = prepare_quantile(q, rate)
        found.append(
            map_quantile(prepared, column, *ends, np.array(words, np.uint32), further, resolve_all,
                         asked)
        )  # fmt: skip
        read.append(asked.tolist())
    assert found[0] == found[1]
    return found[0], read[0]


def some_limbs(rng: random.Random) -> Words:
    limbs = [rng.getrandbits(64) for _ in range(LIMBS + FURTHER)]
    for i in range(rng.choice([0] * 9 + [1, 2, 3, 4])):  # U next to 0 or 1
        limbs[i] = rng.choice([0, 2**64 - 1])
    return limbs


@pytest.mark.parametrize("count", [50, pytest.param(600, marks=pytest.mark.long)])
def test_the_unit_is_that_of_the_oracle(count: int) -> None:
    rng = random.Random(1)
    for _ in range(count):
        lowest = rng.choice([0, -3, 5, -(2**30), -(2**51)])
        highest = min(lowest + rng.choice([0, 1, 5, 100, 2**30, 2**52, 2**62]), 2**62)
        most = lowest + rng.choice([0, 1, 5, 2**52, 2**62])  # where ties are many, or none
        units = sorted(
            rng.randint(lowest, min(highest, most)) for _ in range(rng.choice([0, 1, 2, 3, 9, 100]))
        )
        if rng.random() < 0.2:
            units = [rng.choice([lowest, highest])] * len(units)
        q, rate = rng.choice(QUANTILES), rng.choice(RATES)
        limbs = some_limbs(rng), some_limbs(rng)
        wide = highest >= 2**31 or lowest < -(2**31) or rng.random() < 0.5
        unit, _ = mapped(units, q, rate, (lowest, highest), limbs, wide=wide)
        uniforms = fraction_of(limbs[0]), fraction_of(limbs[1])
        assert unit == quantile.choose(units, q, rate, lowest, highest, uniforms)


def limbs_of(number: Fraction) -> Words:
    value = math.floor(number * 2 ** (64 * (LIMBS + FURTHER)))
    return [value >> 64 * i & (2**64 - 1) for i in reversed(range(LIMBS + FURTHER))]


SMALL = [
    ([], (2, 6)),
    ([3], (1, 8)),
    ([1, 1, 4, 4, 4, 7], (1, 9)),
    ([2, 5, 5, 6, 9, 9], (0, 9)),
    ([4, 4, 4], (4, 7)),
    ([7, 7, 7], (4, 7)),
]


@pytest.mark.parametrize(
    ("q", "rate"),
    [
        pytest.param(
            q, Fraction(r), marks=() if (i, r) in ((0, "1/2"), (4, "3")) else pytest.mark.long
        )
        for i, q in enumerate(QUANTILES)
        for r in ("1/2", "1/1000000", "3")
    ],
)
def test_each_unit_has_its_probability_to_700_bits(q: Fraction, rate: Fraction) -> None:
    """U on either side of each of its limits, and of V's, which add up to the definition's."""
    for units, ends in SMALL:
        exact = quantile.probabilities(units, q, rate, *ends)
        passed = Fraction(0)
        for first, last in quantile.gaps(units, q, *ends):
            width, mass = last - first + 1, sum(Fraction(exact[y]) for y in range(first, last + 1))
            assert all(
                abs(Fraction(exact[y]) * width - mass) < Fraction(1, 10**400)
                for y in range(first, last + 1)
            )
            near = Fraction(1, 2**700)
            for point in range(width):
                for u in (passed + near, passed + mass - near):
                    start, end = (Fraction(point + k, width) for k in (0, 1))
                    for v in (start + near, end - near):
                        unit, _ = mapped(units, q, rate, ends, (limbs_of(u), limbs_of(v)))
                        assert unit == first + point
            passed += mass


TIE = [4], Fraction(1, 2), Fraction(1), (1, 8)  # 4 weighs 1; 1 to 3, then 5 to 8, exp(-1/2)


def limit_of_tie() -> Words:
    """Return the limbs of the U that lies between 4 and 1 to 3."""
    return limbs_of(Fraction(quantile.probabilities(*TIE[:3], *TIE[3])[4]))


def test_a_tie_for_ever_is_an_error() -> None:
    half = [2**63] + [0] * (LIMBS + FURTHER - 1)
    for u in (limit_of_tie(), [2**64 - 1] * (LIMBS + FURTHER)):
        with pytest.raises(RuntimeError, match="1,024 random bits"):
            mapped(*TIE, (u, half))


def test_further_bits_are_read_only_where_the_first_do_not_decide() -> None:
    rng, limit = random.Random(2), limit_of_tie()
    one = [rng.getrandbits(64) for _ in range(LIMBS + FURTHER)]
    assert mapped(*TIE, (one, one))[1] == [0, 0]
    for place in (LIMBS, 2 * LIMBS, 4 * LIMBS + 3):
        for limb, unit in ((0, 4), (2**64 - 1, 1 + 3 * one[0] // 2**64)):
            u = [*limit[:place], limb, *limit[place + 1 :]]
            assert mapped(*TIE, (u, one)) == (unit, [1, 1])
    third = [2**64 // 3] * LIMBS + [0] * FURTHER  # V lies between two points of 1 to 3
    assert mapped(*TIE, ([2**63, *one[1:]], third))[1] == [1, 1]


# Streams ----------------------------------------------------------------------------------------


class Bits:
    """The uniforms of the groups of a seeded generator's first call."""

    def __init__(self, seed: int, stream: Stream, groups: int) -> None:
        self.key, self.limbs = Replay(seed, stream).call_key(), list[int]()
        for chunk in range(math.ceil(groups / CHUNK)):
            size = 48 * min(groups - chunk * CHUNK, CHUNK)  # bytes
            bits = chunk_bits(stream, self.key, chunk, size)[:size]
            self.limbs += np.frombuffer(bits, "<u8").tolist()

    def uniform(self, group: int, decision: int) -> Fraction:
        at = 2 * LIMBS * group + LIMBS * (decision - 1)
        chunk, place = divmod(group, CHUNK)
        blocks = [
            chacha20.block(self.key, nonce(decision, level, 0, chunk), place) for level in (0, 1)
        ]
        further = [np.frombuffer(block, "<u8").tolist() for block in blocks]
        return fraction_of([*self.limbs[at : at + LIMBS], *further[0], *further[1]])


def some_groups(n_groups: int, seed: int = 1) -> SortedUnits:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_groups, 6 * n_groups).astype(np.uint32)
    values = rng.choice([rng.integers(0, 9, codes.size), rng.integers(0, 2**20, codes.size)])
    return sort_groups(codes, values, n_groups, Grid(0, 0, 2**20))


def units_by_group(records: SortedUnits) -> list[list[int]]:
    bounds = itertools.pairwise(records.offsets.tolist())
    return [records.units[first:end].tolist() for first, end in bounds]


def test_groups_are_chosen_as_the_oracle_does(stream: Stream, seeded: Seeded) -> None:
    for seed, (q, epsilon) in enumerate([("0.9", "1/100"), ("1/3", 50)]):
        records = some_groups(300, seed)
        m = QuantileMechanism(epsilon=epsilon, sensitivity=1, q=q)
        chosen, bits = m.choose(records, seeded(seed)), Bits(seed, stream, 300)
        rate = Fraction(epsilon) / 2
        by_group = units_by_group(records)
        for group in [*range(0, 300, 60), *range(CHUNK - 2, CHUNK + 2)]:
            units = by_group[group]
            uniforms = bits.uniform(group, 1), bits.uniform(group, 2)
            expected = quantile.choose(units, Fraction(q), rate, 0, 2**20, uniforms)
            assert chosen[group] == expected


def test_any_number_of_threads_chooses_the_same(
    seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    records, m = some_groups(40_000), QuantileMechanism(epsilon=1, sensitivity=1, q="2/3")
    monkeypatch.setattr(threads, "THREADS_FROM", 0)
    found = []
    for number in (1, 2, 3, 8):
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        found.append(m.choose(records, seeded(1)))
    assert all(np.array_equal(found[0], other) for other in found[1:])


def test_the_records_change_nothing_that_is_drawn_later(seeded: Seeded) -> None:
    """A call takes one key, whatever the column holds."""
    m, grid, later = QuantileMechanism(epsilon=1, sensitivity=1, q="1/2"), Grid(0, 0, 99), []
    for values in ([], [5.0], [math.nan] * 3, np.arange(5000) % 99.0):
        rng = seeded(4)
        m.choose(sort_units(np.array(values, float), grid), rng)
        later.append(rng.bytes(64))
    assert len(set(later)) == 1


def test_offsets_and_dtypes_are_checked() -> None:
    rng, prepared = SeededGenerator(1), prepare_quantile(Fraction(1, 2), Fraction(1))
    units, chosen = np.array([1, 2, 3]), np.empty(2, np.int64)
    for offsets in ([0, 1, 2], [1, 2, 3], [0, 3], [0, 4, 3], [0, -1, 3], [0, 1, 2, 3]):
        with pytest.raises(ValueError, match=r"offsets|range"):
            choose_quantiles(
                prepared, rng._stream, units, np.array(offsets), 0, 9, chosen, 1, False
            )
    with pytest.raises(ValueError, match="range"):
        choose_quantiles(prepared, rng._stream, np.zeros(3), np.array([0, 1, 3]), 0, 9, chosen)
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(prepared)


# Privacy ----------------------------------------------------------------------------------------

GRID = range(4)


def tables(most: int) -> list[tuple[int, ...]]:
    return [t for n in range(most + 1) for t in itertools.combinations_with_replacement(GRID, n)]


def distance(one: tuple[int, ...], other: tuple[int, ...], q: Fraction) -> Fraction:
    return max(abs(quantile.score(one, q, y) - quantile.score(other, q, y)) for y in GRID)


@pytest.mark.parametrize(
    ("q", "rows", "most"),
    [("9/10", 1, 3), ("1/2", 2, 3), *[
        pytest.param(q, rows, 4, marks=pytest.mark.long)
        for q in ("1/2", "0", "1", "9/10", "1/3") for rows in (1, 2)
    ]],
)  # fmt: skip
def test_the_sensitivity_of_the_score_is_as_stated(q: str, rows: int, most: int) -> None:
    """All pairs of small tables: the bound holds, and is reached."""
    rank, added, changed = Fraction(q), Fraction(0), Fraction(0)
    for table in tables(most):
        for extra in tables(rows):
            more = tuple(sorted(table + extra))
            added = max(added, distance(table, more, rank))
            if len(table) > 2:
                continue
            for other in tables(rows):  # fewer or more numbers, too: some may be missing
                changed = max(changed, distance(more, tuple(sorted(table + other)), rank))
    assert added == rows * max(rank, 1 - rank)
    assert changed == rows
    for groups in (1, 2, 5):  # both: of the old rows and of the new ones
        totals = [2 * (groups - both) * added + both * changed for both in range(groups + 1)]
        assert max(totals) == 2 * groups * rows * max(rank, 1 - rank)


@pytest.mark.parametrize(
    ("q", "n"), [(Fraction(9, 10), 10), pytest.param(Fraction(1, 2), 2, marks=pytest.mark.long)]
)
def test_neighbours_differ_by_at_most_epsilon(q: Fraction, n: int) -> None:
    sensitivity = max(q, 1 - q)
    rate = 1 / QuantileMechanism(epsilon=1, sensitivity=sensitivity, q=q).scale

    def loss_of(table: tuple[int, ...], record: int, highest: int) -> Decimal:
        one, other = (
            quantile.probabilities(sorted(units), q, rate, 0, highest)
            for units in (table, (*table, record))
        )
        return max(abs((one[y] / other[y]).ln()) for y in one)

    for table in tables(2):
        for record in GRID:
            assert loss_of(table, record, GRID[-1]) <= Decimal(1) + Decimal("1e-20")
    # Nearly all grid points are above the quantile, and a record comes that is above, too.
    assert Decimal("0.99") < loss_of((1,) * n, 2000, 2000) <= Decimal(1)


# The mechanism ----------------------------------------------------------------------------------


def test_parameters_are_exact() -> None:
    m = QuantileMechanism(epsilon=0.1, sensitivity=3, q=0.95)
    assert (m.epsilon, m.sensitivity, m.q) == (Fraction(1, 10), 3, Fraction(19, 20))
    assert (m.scale, m.relation) == (60, None)
    assert repr(m) == "QuantileMechanism(epsilon=0.1, sensitivity=3, q=0.95)"
    assert pickle.loads(pickle.dumps(m)) == m
    assert m != QuantileMechanism(epsilon=0.1, sensitivity=3, q=0.94)
    assert m.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_it_costs_what_the_exponential_mechanism_does() -> None:
    norm = cydp.sensitivity.count(relation="change-one")
    m = QuantileMechanism(epsilon="1/3", sensitivity=norm, q="1/2")
    assert m.relation == "change-one"
    assert m.loss == cydp.ExponentialMechanism(epsilon="1/3", sensitivity=norm).loss
    assert m.loss.rho == Fraction(1, 72)
