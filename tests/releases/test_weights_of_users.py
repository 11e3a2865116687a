"""releases/_user_sums.py: all rows of a user count in sums, worth as many as their bound."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import check_refusals
from releases.exact_answers import Answers, Recorder, answers, without_noise

import cydp
from cydp.exact._contributions import PairNumbers
from cydp.exact._grid import Grid
from cydp.releases import _mean, _user_sums
from cydp.releases._missing import count_present, is_absent
from cydp.releases._user_sums import add_exactly, bounded_sums, moments_of_users, worth_of

BOUNDS = (-10, 60)
BY_USER: dict[str, Any] = {"user": "who", "epsilon": 1}
ONE: dict[str, Any] = {"column": "x", **BY_USER}
RELEASES = (cydp.sum, cydp.mean, cydp.variance)


def table_of_rows() -> dict[str, Any]:
    """Return rows of 300 users with few rows, and of five with many; some lack a user or number."""
    random = np.random.default_rng(5)
    who = np.concatenate([random.integers(5, 305, 1500), random.integers(0, 5, 800)]).astype(object)
    who[::13] = None
    x = random.random(len(who)) * 100 - 20
    x[::17] = np.nan
    return {"who": who, "x": x, "key": random.integers(0, 4, len(who))}


TABLE = table_of_rows()


def by_hand(rows: int, missing: float | None, key: int | None = None) -> list[float]:
    """Return the sum, the mean and the variance of rows that weigh min(1, rows / all of a user)."""
    who, x = TABLE["who"], TABLE["x"]
    x = np.clip(x if missing is None else np.where(np.isnan(x), missing, x), *BOUNDS)
    inside = ~np.isnan(x) & (True if key is None else TABLE["key"] == key)
    weights = np.zeros(len(x))
    for user in {each for each in who if each is not None}:
        own = inside & (who == user)
        weights[own] = min(1, rows / max(own.sum(), 1))
    x, weights = x[weights > 0], weights[weights > 0]
    mean = weights @ x / weights.sum()
    return [weights @ x, mean, weights @ (x - mean) ** 2 / weights.sum()]


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("missing", [None, 20])
@pytest.mark.parametrize("rows", [1, 3, 10**6])
def test_by_hand(rows: int, missing: Any, relation: str) -> None:
    given: dict[str, Any] = {**ONE, "max_rows": rows, "relation": relation}
    given |= {} if missing is None else {"missing": missing}
    with without_noise():
        found = [release(TABLE, BOUNDS, **given).value for release in RELEASES]
    assert found == pytest.approx(by_hand(rows, missing), rel=1e-6)


@pytest.mark.parametrize("missing", [None, 20])
@pytest.mark.parametrize("keys", [None, [3, 9, 0, 1, 2]])
def test_by_key(keys: list[int] | None, missing: Any) -> None:
    columns = {"sums": {"x": BOUNDS}, "means": {"x": BOUNDS}}
    given: dict[str, Any] = {"delta": 1e-6, **BY_USER, "max_partitions": 4, "keys": keys}
    given |= {} if missing is None else {"missing": missing}
    for rows in (1, 2, 10**6):
        with without_noise():
            found = cydp.group_by(TABLE, "key", max_rows_per_partition=rows, **columns, **given)
        for key in range(4):
            place = list(found.keys).index(key)
            expected = by_hand(rows, missing, key)[:2]
            assert [found["sum_x"][place], found["mean_x"][place]] == pytest.approx(expected)


def test_no_row_is_drawn() -> None:
    """Neither the secret key nor the order of the rows changes an answer."""
    order = np.random.default_rng(1).permutation(len(TABLE["x"]))
    other = {name: column[order] for name, column in TABLE.items()}
    with without_noise() as recorder:
        for release in RELEASES:
            found = set()
            for recorder.secret, table in ((1, TABLE), (2, TABLE), (3, other)):
                found.add(release(table, BOUNDS, max_rows=2, **ONE).exact)
            assert len(found) == 1


def numbered(users: NDArray[np.uint32]) -> PairNumbers:
    pairs = PairNumbers(len(users))
    pairs.numbers[:], pairs.count = users, int(users.max(initial=0)) + 1
    return pairs


def test_large_numbers() -> None:
    """Totals and rows for which int64 has no room for products."""
    grid = Grid(0, 0, 2**50)
    users, units = np.repeat(np.array([0, 1], np.uint32), [1, 999]), np.full(1000, 2**50)
    _, sums, rows = bounded_sums(numbered(users), units, grid, 900)
    assert (sums.tolist(), rows.tolist()) == ([2**50, 900 * 2**50], [1, 900])
    grid = Grid(0, -5, 2**22 - 6)
    users = np.repeat(np.array([0, 1], np.uint32), [1, 2**20])
    units = np.full(2**20 + 1, 2**22 - 6)
    for most in (2**19, 2**30):
        squares, _, rows = moments_of_users(numbered(users), units, grid, most)
        square = (2**22 - 1) ** 2
        assert (squares.tolist(), rows.tolist()) == ([square, square * 2**20], [1, 2**20])
        assert add_exactly(squares) == square * (2**20 + 1)
        assert worth_of(squares[1], rows[1], 2**19) == square * 2**19
    assert [len(each) for each in moments_of_users(numbered(users[:0]), units[:0], grid, 1)] == [
        0,
        0,
        0,
    ]


# Privacy


def test_numbers_that_another_thread_writes_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """They change after it was asked which are missing: a sum is of the rows that count."""
    x = np.full(1000, np.nan)
    x[0] = 3

    def absent(values: Any) -> Any:
        found = is_absent(values)
        x[:] = 7
        return found

    monkeypatch.setattr(_user_sums, "is_absent", absent)
    _, sums, rows = bounded_sums(numbered(np.zeros(1000, np.uint32)), x, Grid(0, 0, 10), 1)
    assert (sums.tolist(), rows.tolist()) == ([3], [1])

    def present(values: Any) -> int:
        count = count_present(values)
        x[:] = np.nan
        return count

    monkeypatch.setattr(_mean, "count_present", present)
    query: Any = cydp.explain(cydp.mean, (1000, 1001), epsilon=1, relation="change-one").query
    x[:] = 1000.5
    total, count = _mean.sums_of(query, x)
    assert (total, count) == (0, 1000)


def rows_of_one(entries: Sequence[Any], most: int) -> Iterator[tuple[Any, ...]]:
    """Return the rows of a user: none, or up to so many."""
    for n in range(most + 1):
        yield from itertools.combinations_with_replacement(entries, n)


def cost(one: Answers, two: Answers) -> float:
    """Return the privacy loss of Laplace noise between two exact answers, at most."""
    return sum(
        float(np.abs(np.subtract(one.exact[name], two.exact[name], dtype=object)).sum())
        / float(part.mechanism.scale)
        for name, part in one.query.parts.items()
    )


def largest_cost(recorder: Recorder, tables: Sequence[Any], ask: Callable[[Any], Any]) -> float:
    """Return the largest cost between any two tables; in the first one the user is not."""
    found = [answers(recorder, 3, lambda table=table: ask(table)) for table in tables]
    if found[0].query.unit.rows_may_become_others:
        return max(cost(one, two) for one, two in itertools.combinations(found, 2))
    return max(cost(found[0], each) for each in found)


NUMBERS = (None, -100.0, -9.9999999, 0.5, 3.14159, 10.0)
REACHED = 0.99  # the rounding of the noise's scale, and pieces of squares


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize(
    "given",
    [
        {}, {"missing": 6}, {"relation": "change-one"}, {"unit": ("household", "person")},
        {"relation": "add-remove-or-change", "missing": 6}, {"split": {"sum": 2}},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("release", RELEASES)
def test_all_small_neighbours(release: Any, given: dict[str, Any], rows: int) -> None:
    """A user comes, goes or has other rows, up to four: epsilon is kept, and reached."""
    if release is cydp.sum and "split" in given:
        return
    tables = []
    for own in rows_of_one(NUMBERS, 4):
        x = np.array([8.0, -3.0, *own], float)
        tables.append({"who": ["b", "b", *["a"] * len(own)], "x": x})

    def ask(table: Any) -> Any:
        return release(table, (-10, 10), max_rows=rows, **ONE, **given)

    with without_noise() as recorder:
        found = largest_cost(recorder, tables, ask)
    assert REACHED < found <= 1 + 1e-12


@pytest.mark.parametrize(("rows", "partitions"), [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("missing", ["drop", 1])
def test_all_small_neighbours_by_key(
    rows: int, partitions: int, relation: str, missing: Any
) -> None:
    entries = [(key, x) for key in (0, 1, 2) for x in (None, -1.0, 0.3, 2.0)]
    tables = []
    for own in rows_of_one(entries, 3):
        keys, x = zip(*[(0, 1.5), (1, 0.1), *own], strict=True)
        who = ["b", "b", *["a"] * len(own)]
        tables.append({"who": who, "key": keys, "x": np.array(x, float)})

    def ask(table: Any) -> Any:
        return cydp.group_by(
            table, "key", keys=[0, 1, 2], sums={"x": (-1, 2)}, means={"x": (-1, 2)},
            max_partitions=partitions, max_rows_per_partition=rows, relation=relation,
            missing=missing, **BY_USER,
        )  # fmt: skip

    with without_noise() as recorder:
        found = largest_cost(recorder, tables, ask)
    assert 0.8 < found <= 1 + 1e-12  # a sum and a mean are at their worst for different numbers


SUMS = [  # bounds, rows of a user in a key, the largest sum, and what is missing
    ((-1, 2), 3, 2.5, "drop"), ((-1, 2), 3, 0.25, "drop"), ((0, 2), 2, 3, 1),
    ((-2, -1), 2, 1, "drop"), ((1, 2), 1, 100, "drop"),
]  # fmt: skip


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize(("bounds", "rows", "most", "missing"), SUMS)
def test_all_small_neighbours_with_a_largest_sum(
    bounds: Any, rows: int, most: Any, missing: Any, relation: str
) -> None:
    """Two keys: no further apart than the noise is for, beside the counts if in both of them."""
    entries = [(key, x) for key in (0, 1) for x in (None, -2.0, 0.4, 2.0)]
    tables = []
    for own in rows_of_one(entries, 3):
        keys, x = zip(*[(0, 1.5), (1, 0.1), *own], strict=True)
        who = ["b", "b", *["a"] * len(own)]
        tables.append({"who": who, "key": keys, "x": np.array(x, float)})
    for partitions in (1, 2):

        def ask(table: Any, partitions: int = partitions) -> Any:
            return cydp.group_by(
                table, "key", keys=[0, 1], count=partitions == 2, sums={"x": bounds},
                missing=missing, max_partitions=partitions, max_rows_per_partition=rows,
                relation=relation, max_sum_per_user=most, **BY_USER,
            )  # fmt: skip

        with without_noise() as recorder:
            found = largest_cost(recorder, tables, ask)
        assert found <= 1 + 1e-12
        if partitions == 1:  # else it takes more rows, and both parts may not be at their worst
            assert found > REACHED


def test_a_largest_sum_by_key() -> None:
    given: dict[str, Any] = {"max_partitions": 4, **BY_USER, "sums": {"x": BOUNDS}}
    who, x = TABLE["who"], np.clip(TABLE["x"], *BOUNDS)
    expected = []
    for key in range(4):
        own = [x[(TABLE["key"] == key) & (who == user) & ~np.isnan(x)].sum() for user in range(305)]
        expected.append(np.clip(own, -40, 40).sum())
    for keys, delta in (([0, 1, 2, 3], None), (None, 1e-6)):
        with without_noise():
            found = cydp.group_by(
                TABLE, "key", keys=keys, delta=delta, max_rows_per_partition=1000,
                max_sum_per_user=40, **given,
            )  # fmt: skip
        assert found["sum_x"] == pytest.approx(expected)
        assert "max_sum_per_user=40" in repr(found.query)
        assert "in a partition, what is beyond 40 in size is left out" in " ".join(
            str(found).split()
        )
    counts = {**given, "keys": [0, 1], "max_rows_per_partition": 1000}
    noise = cydp.explain(cydp.group_by, "key", max_sum_per_user=40, **counts).query.parts
    assert noise["sum_x"].mechanism.scale * noise["sum_x"].step == 2 * 2 * 40
    assert noise["n"].mechanism.scale == 2 * 2 * 1000


def test_refusals() -> None:
    def explain(**given: Any) -> Any:
        asked = {"keys": [1, 2], "sums": {"x": BOUNDS}, "epsilon": 1, **given}
        return lambda: cydp.explain(cydp.group_by, "key", **asked)

    of_user: dict[str, Any] = {"user": "who", "max_partitions": 2, "max_sum_per_user": 5}
    one_column = "max_sum_per_user is of one column: sums must have one"
    check_refusals(
        {
            "no user": (explain(max_sum_per_user=5), TypeError, ("give user= as well",)),
            "a promise": (explain(max_sum_per_user=5, max_rows_per_unit=3), TypeError,
                ("give user= as well",)),
            "rows of all keys": (
                explain(max_sum_per_user=5, user="who", max_rows=3), TypeError,
                ("give max_partitions instead of max_rows",)),
            "two columns": (explain(**of_user, sums={"x": BOUNDS, "y": BOUNDS}), TypeError,
                (one_column,)),
            "no column": (explain(**of_user, sums=None), TypeError, (one_column,)),
            "none": (explain(**{**of_user, "max_sum_per_user": 0}), ValueError,
                ("max_sum_per_user must be greater than 0, not 0",)),
        }
    )  # fmt: skip


# Ways


def test_files_are_read_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    rows = zip(TABLE["who"], TABLE["x"], TABLE["key"], strict=True)
    cells = (",".join("" if each in (None, "nan") else str(each) for each in row) for row in rows)
    path.write_text("\n".join(["who,x,key", *cells]).replace("nan", ""))
    keyed: dict[str, Any] = {"keys": [0, 1, 2, 3], "max_partitions": 4, **BY_USER}
    with without_noise():
        for release in RELEASES:
            found = [release(each, BOUNDS, max_rows=2, **ONE).exact for each in (TABLE, str(path))]
            assert found[0] == found[1]
        one, two = (
            cydp.group_by(each, "key", sums={"x": BOUNDS}, means={"x": BOUNDS}, **keyed)
            for each in (TABLE, str(path))
        )
    assert one["sum_x"].tolist() == two["sum_x"].tolist()
    assert one["mean_x"].tolist() == two["mean_x"].tolist()


def test_it_is_said() -> None:
    words = "all rows of each who count, worth 2 rows at most, and rows whose who is missing are"
    for release in RELEASES:
        made = release(TABLE, BOUNDS, max_rows=2, **ONE)
        text = " ".join(str(made).split())
        assert words in text
        assert "of each who all rows count, worth 2 rows at most" in made.query.protects
        assert "beyond" not in text
    given: dict[str, Any] = {"keys": [1, 2], "max_partitions": 1, **BY_USER}
    words = "in sums and means all rows of a who in a partition count, worth 1 row at most"
    notes = cydp.explain(cydp.group_by, "key", means={"x": BOUNDS}, **given).notes
    assert words in notes
    for other in ({"quantiles": {"x": (0.5, BOUNDS)}}, {"sums": {}}):
        assert words not in cydp.explain(cydp.group_by, "key", **other, **given).notes
    every = {name: each for name, each in given.items() if name != "max_partitions"}
    notes = cydp.explain(cydp.group_by, "key", means={"x": BOUNDS}, max_rows=3, **every).notes
    assert not any("worth" in each for each in notes)
