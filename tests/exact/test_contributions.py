"""exact.bound_contributions: its definition row by row, and what it must not depend on."""

import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference.siphash import MASK, siphash

from cydp import _core, exact
from cydp import _threads as threads
from cydp.testing import SeededGenerator


def bound(users: Any, partitions: Any, most: int, rows: int = 1, rng: Any = None) -> Any:
    return exact.bound_contributions(
        users, partitions, max_partitions=most, max_rows_per_partition=rows, rng=rng
    )


def word(x: int) -> bytes:
    return (x & MASK).to_bytes(8, "little")


def name_of(value: int | str, key: bytes) -> int:
    """What is hashed of an identity: a number itself, a string's hash."""
    if not isinstance(value, str):
        return int(value) & MASK
    text = value.encode("utf-8", "surrogatepass")
    state = len(text)
    for i in range(0, max(len(text), 1), 8):
        state = siphash(key, word(state) + text[i : i + 8].ljust(8, b"\0"))
    return state


def expected(
    users: Sequence[Any],
    groups: Sequence[Any],
    most_groups: int,
    most_rows: int,
    seed: int,
    contents: Sequence[int] | None = None,
) -> list[bool]:
    """By the definition in docs/exact/contributions.md, one user at a time."""
    key = SeededGenerator(seed).bytes(16)
    rows = defaultdict(lambda: defaultdict(list))
    for i, (user, group) in enumerate(zip(users, groups, strict=True)):
        if user is not None and group is not None:
            rows[user][group].append(i)
    stays = [False] * len(users)
    for user, pairs in rows.items():
        name = word(name_of(user, key))
        named = [(name_of(group, key), group) for group in pairs]
        ranked = sorted((siphash(key, name + word(other)), group) for other, group in named)
        for pair, group in ranked[:most_groups]:
            copies = Counter[int]()
            held = []
            for place in pairs[group]:
                content = contents[place] if contents else 0
                held.append(
                    (siphash(key, word(pair) + word(content) + word(copies[content])), place)
                )
                copies[content] += 1
            for _, place in sorted(held)[:most_rows]:
                stays[place] = True
    return stays


def random_ids(
    rng: np.random.Generator, n: int, users: int, groups: int, wide: bool = True
) -> tuple[Any, Any]:
    """Some users have few rows, some many. Wide ids are beyond 32 bits."""
    u = np.minimum(rng.integers(0, users, n), rng.integers(0, users, n))
    g = rng.integers(-groups, 0, n)
    return (u - users // 2, g * 2**40) if wide else (2**32 - 1 - u, 2**32 + g)


def test_siphash_of_the_paper() -> None:
    key, message = bytes(range(16)), bytes(range(15))
    assert siphash(key, message, 2, 4) == 0xA129CA6149BE45E5
    assert siphash(key, b"", 2, 4) == 0x726FDB47DD0E0E31
    assert siphash(key, b"") == 0xABAC0158050FC4DC  # of SipHash-1-3, as others have it


SIZES = [(1, 1, 1), (300, 10, 5), (9000, 900, 7), (9000, 3, 400), (2000, 2000, 2), (3000, 4, 3)]


def test_the_definition() -> None:
    """Rows, users and groups of each size, with each pair of limits and width of ids."""
    limits = [(most_groups, most_rows) for most_groups in (1, 3, 70) for most_rows in (1, 2, 7)]
    for number, (most_groups, most_rows) in enumerate(limits):
        for wide in (False, True):
            n, users, groups = SIZES[(number + wide) % 6]
            u, g = random_ids(np.random.default_rng(n + users), n, users, groups, wide)
            stays = bound(u, g, most_groups, most_rows, SeededGenerator(n))
            assert stays.dtype == bool
            assert stays.tolist() == expected(u.tolist(), g.tolist(), most_groups, most_rows, n)


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1)),
            st.one_of(st.none(), st.integers(-2, 2)),
        ),
        max_size=60,
    ),
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_lists_with_nothing(rows: list[Any], most_groups: int, most_rows: int) -> None:
    users, groups = [u for u, _ in rows], [g for _, g in rows]
    stays = bound(users, groups, most_groups, most_rows, SeededGenerator(5))
    assert stays.tolist() == expected(users, groups, most_groups, most_rows, 5)


@given(st.lists(st.tuples(st.text("ab\u20ac\U0001f600", max_size=4), st.text("xy", max_size=2)),
                max_size=40))  # fmt: skip
def test_strings(rows: list[tuple[str, str]]) -> None:
    users, groups = [u for u, _ in rows], [g for _, g in rows]
    want = expected(users, groups, 2, 1, 6)
    assert bound(users, groups, 2, 1, SeededGenerator(6)).tolist() == want
    narrow, *others = (
        bound(np.array(users, dtype), np.array(groups, "U"), 2, 1, SeededGenerator(6))
        for dtype in ("<U4", ">U4", "<U9")
    )
    assert kept(users, groups, narrow) == kept(users, groups, np.array(want, bool))
    assert all(np.array_equal(narrow, other) for other in others)


def kept(users: Sequence[Any], groups: Sequence[Any], stays: NDArray[np.bool_]) -> Counter[Any]:
    """How many groups of each user stay."""
    return Counter(user for user, _ in {(users[i], groups[i]) for i in np.flatnonzero(stays)})


def test_strings_that_numpy_would_merge() -> None:
    users = ["a", "a\0", "a\0\0", "", "\0"]
    assert bound(users, [1] * 5, 1).all()
    assert bound([u.encode() for u in users], [1] * 5, 1).all()
    assert bound([1] * 5, users, 5).all()
    assert bound([1] * 5, users, 2).sum() == 2


def test_dtypes_and_strides() -> None:
    rng = np.random.default_rng(3)
    users, groups = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    want = expected(users.tolist(), groups.tolist(), 1, 2, 9)
    turned = expected(users[::-1].tolist(), groups[::-1].tolist(), 1, 2, 9)
    for dtype in (*("int8", "int16", "int32", "int64", ">i4", ">i8"),
                  *("uint8", "uint16", "uint32", "uint64", "bool")):  # fmt: skip
        u, g = users.astype(dtype), groups.astype(dtype)
        assert bound(u, g, 1, 2, SeededGenerator(9)).tolist() == want
        apart = np.zeros(1200, dtype)
        apart[::3] = u
        assert bound(apart[::3], g, 1, 2, SeededGenerator(9)).tolist() == want
        assert bound(u[::-1], g[::-1], 1, 2, SeededGenerator(9)).tolist() == turned
        u.flags.writeable = False
        assert bound(u, g, 1, 2, SeededGenerator(9)).tolist() == want


def test_masked_rows_count_for_nothing() -> None:
    u = np.ma.array([1, 1, 1, 2, 2], mask=[0, 1, 0, 0, 1])
    g = np.ma.array([1, 2, 3, 4, 5], mask=[0, 0, 1, 0, 0])
    assert bound(u, g, 1).tolist() == [True, False, False, True, False]
    assert bound([None, float("nan")], [1, 2], 1).tolist() == [False, False]
    assert bound([float("nan"), 3], [1, 1], 1).tolist() == [False, True]
    users = np.ma.array(np.array(["a", "b", None], object), mask=[True, False, False])
    assert bound(users, [1, 1, 1], 1).tolist() == [False, True, False]
    assert bound(np.array([None, 3.0, 3], object)[::2], [1, 1], 1).tolist() == [False, True]


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    u, g = random_ids(np.random.default_rng(8), 100_000, 5000, 20)
    valid = np.random.default_rng(9).random(100_000) < 0.9
    u = np.ma.array(u, mask=~valid)
    alone = bound(u, g, 3, 2, SeededGenerator(4))
    monkeypatch.setattr(threads, "THREADS_FROM", 0)
    for number in (2, 3, 16):
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        assert np.array_equal(bound(u, g, 3, 2, SeededGenerator(4)), alone)


# --- What a user's sample must not depend on ----------------------------------------------------
# Neither other users nor the order of rows choose the groups: the definition has them nowhere.


def test_other_users_names_do_not_matter() -> None:
    users, groups = [f"u{i % 40:03d}" for i in range(400)], [f"g{i // 40}" for i in range(400)]
    alone = bound(users, groups, 2, 1, SeededGenerator(5))
    for user in ("zoe", "a much longer name", "u\0", ""):
        for group in ("g0", "a longer group", ""):
            stays = bound([*users, user], [*groups, group], 2, 1, SeededGenerator(5))
            assert np.array_equal(stays[:400], alone)


def test_one_long_string_takes_its_own_memory_only() -> None:
    users = [f"user {i}" for i in range(20_000)]
    tracemalloc.start()
    assert bound([*users, "x" * 10**6], [0] * 20_001, 1).all()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**25


def test_integers_of_any_size_in_a_list() -> None:
    ids = [2**63 + 7, 5, -1, 2**64, 2**64 + 1, -(2**70), 5, np.uint64(2**63 + 7)]
    assert bound(ids, [1] * 8, 1).sum() == 6
    assert bound([1] * 8, ids, 8).sum() == 6


def test_a_new_key_for_each_call() -> None:
    u, g = np.zeros(200, int), np.arange(200)
    drawn = {int(np.flatnonzero(bound(u, g, 1))[0]) for _ in range(40)}
    assert len(drawn) > 20


@pytest.mark.parametrize("wide", [False, True])
def test_users_whose_order_bits_are_equal_stay_apart(wide: bool) -> None:
    """Of 300,000 users, hundreds share their bucket and the next 7 bits with another one."""
    rng = np.random.default_rng(12)
    ids = np.unique(rng.integers(0, 2**63 if wide else 2**32, 300_000))
    order = rng.permutation(4 * len(ids))
    u, g = np.repeat(ids, 4)[order], np.tile(np.arange(4), len(ids))[order]
    users, groups = np.unique(u[bound(u, g, 2, 1, SeededGenerator(77))], return_counts=True)
    assert np.array_equal(users, ids)
    assert (groups == 2).all()


# Groups of user 5: their hashes under key 78 share the upper 32 bits, and the first is less.
ALIKE = [
    (291_086, 204_655), (301_916, 286_771), (64_025, 58_355), (245_910, 178_051),
    (152_435, 50_014), (336_595, 126_939), (198_633, 354_803), (117_799, 232_511),
    (24_861, 329_681),
]  # fmt: skip


def test_all_bits_of_the_hash_decide() -> None:
    """In some pairs the group itself would say otherwise."""
    key = SeededGenerator(78).bytes(16)
    for pair in ALIKE:
        pair = pair[0] + 2**62, pair[1] + 2**62
        first, second = (siphash(key, word(8) + word(group)) for group in pair)
        assert first >> 32 == second >> 32
        assert first < second
        assert bound([8, 8], pair[::-1], 1, 1, SeededGenerator(78)).tolist() == [False, True]


def test_pairs_whose_priorities_begin_alike_stay_apart() -> None:
    """Of 400,000 users with 6 groups, six or so have two groups with equal first 20 bits."""
    n, groups, most = 400_000, 6, 3
    u = np.repeat(np.arange(n), 2 * groups)
    g = np.tile(np.arange(groups), 2 * n)  # the rows of a pair are not next to each other
    kept_pairs = (u * groups + g)[bound(u, g, most, 1, SeededGenerator(0))]
    assert len(np.unique(kept_pairs)) == len(kept_pairs)  # one row each
    assert (np.bincount(kept_pairs // groups, minlength=n) == most).all()


def bound_words(
    users: NDArray[Any], groups: NDArray[Any], most: int, rows: int, seed: int, contents: Any = None
) -> tuple[NDArray[np.bool_], NDArray[np.uint32], int]:
    """Return which rows stay, the numbers of pairs, and how many numbers there are."""
    n, u = len(users), users.astype(np.int64).view(np.uint64)
    labels, codes = np.unique(groups.astype(np.int64), return_inverse=True)
    partitions = codes.astype(np.uint32), labels.view(np.uint64)
    words = None if contents is None else contents.astype(np.uint64)
    stays, numbers = np.zeros(n, np.bool_), np.empty(n, np.uint32)
    key = np.frombuffer(SeededGenerator(seed).bytes(16), np.uint64)
    mask = stays.view(np.uint8)
    wanted = most, rows, key, 1, mask, numbers
    count = _core.bound_contributions(u, u, None, *partitions, words, None, *wanted)
    return stays, numbers, count


@pytest.mark.parametrize("wide", [False, True])
def test_contents_decide_which_rows_stay(wide: bool) -> None:
    """In any order of rows, for few and many rows of a pair, with and without copies."""
    rng = np.random.default_rng(15)
    for n, users, kinds in ((60, 3, 4), (600, 9, 10**6), (4000, 3, 30), (4000, 2, 10**6)):
        u, g = random_ids(rng, n, users, 2, wide)
        contents = rng.integers(0, kinds, n)
        for rows in (1, 3, 70):
            stays, *_ = bound_words(u, g, 1, rows, n, contents)
            asked = u.tolist(), g.tolist(), 1, rows, n, contents.tolist()
            assert stays.tolist() == expected(*asked)
            order = rng.permutation(n)
            turned, *_ = bound_words(u[order], g[order], 1, rows, n, contents[order])
            kept_rows = sorted(zip(u[stays], g[stays], contents[stays], strict=True))
            u2, g2, c2 = (x[order][turned] for x in (u, g, contents))
            assert sorted(zip(u2, g2, c2, strict=True)) == kept_rows


@pytest.mark.parametrize("wide", [False, True])
def test_rows_of_a_pair_have_one_number(wide: bool) -> None:
    """They are as many as there are pairs that stay, whether the rows stay or not."""
    for n, users, groups in ((40_000, 3000, 7), (40_000, 60_000, 2), (5000, 3, 400)):
        u, g = random_ids(np.random.default_rng(n), n, users, groups, wide)
        for most, rows in ((2, 1), (3, 2), (1, 50)):
            stays, numbers, count = bound_words(u, g, most, rows, 3)
            assert np.array_equal(stays, bound(u, g, most, rows, SeededGenerator(3)))
            pairs = np.unique(np.stack([u, g], 1), axis=0, return_inverse=True)[1].ravel()
            inside = np.isin(pairs, pairs[stays])
            assert np.array_equal(inside, numbers < count)
            of_user = np.unique(u, return_counts=True)[1]
            assert count == np.minimum(of_user, most).sum()
            assert (numbers[~inside] == 2**32 - 1).all()
            together = np.unique(np.stack([pairs, numbers], 1)[inside], axis=0)
            assert len(np.unique(together[:, 0])) == len(together)
            assert len(np.unique(together[:, 1])) == len(together)


# --- Ends ---------------------------------------------------------------------------------------


def test_no_rows_and_limits_beyond_all_rows() -> None:
    assert bound([], [], 1).shape == (0,)
    assert bound(np.array([], "U3"), np.array([], np.int8), 1).shape == (0,)
    assert bound([1, 1], [1, 2], 10**30, 10**30).all()
