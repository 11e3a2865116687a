"""releases/_contribution_bound.py, _left_out.py: bounds of users, and what they leave out."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from releases.shapes import ROWS, SHAPES
from releases.test_one_way import CASES, TABLE, of_users, with_table
from samplers.goodness_of_fit import LIMIT
from scipy.stats import binom, chisquare

import cydp
from cydp import BudgetLedger, PureDP
from cydp.accounting.ledger._serialize import deserialize, serialize
from cydp.releases._run import RELEASES, arguments_of, kind_of, prepare
from cydp.testing import SeededGenerator

KEY = np.array([5, 6], np.uint64)
RELATIONS = "add-remove", "change-one", "add-remove-or-change"


def prepared(table: Any, **given: Any) -> Any:
    asked = {
        "by": None, "share": "0.9", "of": "users", "epsilon": 1, "rho": None, "delta": None,
        "relation": "add-remove", "unit": None,
    }  # fmt: skip
    kind = RELEASES[cydp.contribution_bound]
    return prepare(kind, {"table": table, **asked, **given})


def tally(table: Any, **given: Any) -> list[int]:
    made = prepared(table, **given)
    counts: list[int] = made.query.read(made.source, KEY).parts["bound"].tolist()
    return counts


def contributions(users: list[Any], labels: list[tuple[Any, ...]] | None) -> Counter[Any]:
    """How many rows, or different labels, each user has, by Python's own dictionaries."""
    if labels is None:
        return Counter(user for user in users if user is not None)
    pairs = {
        (user, label)
        for user, label in zip(users, labels, strict=True)
        if user is not None and None not in label
    }
    return Counter(user for user, _ in pairs)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("by", [None, ["word"], ["word", "n"]])
def test_users_are_counted_by_what_they_add(shape: str, by: list[str] | None) -> None:
    labels = None if by is None else [*zip(*(ROWS[name] for name in by), strict=True)]
    for user in ("who", "name"):
        found = contributions(ROWS[user], labels)
        for most in (1, 2, 30):
            wanted = np.bincount([min(each, most) for each in found.values()], minlength=most + 1)
            given = {"user": user, "by": by, "max": most}
            assert tally(SHAPES[shape](ROWS), **given) == wanted[1:].tolist()


# Privacy: all small tables, and all that differ in one user


def distance(ordered: list[int], y: int, share: Fraction) -> Fraction:
    """How far a point is from the quantile, in ranks; no code of the library."""
    below, upto = (sum(x < y for x in ordered), sum(x <= y for x in ordered))
    place = share * len(ordered)
    return max(below - place, place - upto, Fraction(0))


def ranked(rows: tuple[int, ...], most: int, of: str) -> list[int]:
    """The numbers that are ranked, from how many rows each user has."""
    cut = [min(each, most) for each in rows if each]
    return cut if of == "users" else [rank for each in cut for rank in range(1, each + 1)]


def log_chances(rows: tuple[int, ...], query: Any) -> list[float]:
    numbers = ranked(rows, query.max, query.whole)
    scale = query.parts["bound"].choice.scale
    weights = [float(-distance(numbers, y, query.share) / scale) for y in range(1, query.max + 1)]
    total = math.log(math.fsum(map(math.exp, weights)))
    return [weight - total for weight in weights]


def neighbours(relation: str, most: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All pairs of tables of three users at most that differ in the rows of one."""
    for others in range(3):
        for rest in combinations_with_replacement(range(1, most + 2), others):
            for mine in range(1, most + 2):
                if relation != "change-one":
                    yield (*rest, mine), rest
                if relation != "add-remove":
                    yield from (((*rest, mine), (*rest, other)) for other in range(most + 2))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("of", ["users", "contributions"])
def test_one_user_moves_no_chance_by_more_than_epsilon(relation: str, of: str) -> None:
    largest = 0.0
    for most, share in product((1, 2, 3), ("0.9", "1/2", "0.2")):
        query = prepared(
            {"u": [1]}, user="u", max=most, share=share, of=of, relation=relation
        ).query
        for one, two in neighbours(relation, most):
            both = zip(log_chances(one, query), log_chances(two, query), strict=True)
            largest = max(largest, *(abs(first - second) for first, second in both))
    assert 0.2 < largest <= 1 + 1e-9


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("of", ["users", "contributions"])
def test_one_user_moves_no_score_by_more_than_the_sensitivity(relation: str, of: str) -> None:
    for most, share in product((1, 2, 3), ("0.9", "1/2", "0.2")):
        query = prepared(
            {"u": [1]}, user="u", max=most, share=share, of=of, relation=relation
        ).query
        largest = max(
            abs(
                distance(ranked(one, most, of), y, query.share)
                - distance(ranked(two, most, of), y, query.share)
            )
            for one, two in neighbours(relation, most)
            for y in range(1, most + 1)
        )
        stated = query.parts["bound"].change.l1
        assert largest <= stated
        if of == "users" and most > 1:  # with one bound to choose from, nothing moves
            assert largest == stated


def test_bounds_are_chosen_with_these_chances() -> None:
    rows, n = (1, 1, 2, 3, 3, 4), 20_000
    table = {"u": [user for user, each in enumerate(rows) for _ in range(each)]}
    for of in ("users", "contributions"):
        made = prepared(table, user="u", max=4, share="0.8", of=of)
        counts, rng = made.query.read(made.source, KEY), SeededGenerator(7)
        drawn = np.bincount([made.query.draw(counts, rng) for _ in range(n)], minlength=5)[1:]
        expected = n * np.exp(log_chances(rows, made.query))
        assert chisquare(drawn, expected).pvalue > LIMIT
        assert chisquare(drawn, expected[::-1]).pvalue < LIMIT


def test_the_choice_is_within_its_stated_error_in_a_thousand_runs() -> None:
    rng = np.random.default_rng(3)
    rows = np.minimum(rng.geometric(0.2, 3000), 60)
    table, seeds = {"u": np.repeat(np.arange(3000), rows)}, SeededGenerator(11)
    for of, confidence in product(("users", "contributions"), ("0.5", "0.95")):
        numbers = np.array(ranked(tuple(rows.tolist()), 50, of))
        missed = 0
        for _ in range(1000):
            made = cydp.contribution_bound(table, user="u", max=50, of=of, epsilon=1, rng=seeds)
            place, y = 0.95 * len(numbers), made.value
            off = max((numbers < y).sum() - place, place - (numbers <= y).sum(), 0)
            missed += off > made.rank_error(confidence)
        assert binom.sf(missed - 1, 1000, 1 - float(confidence)) > LIMIT


def test_a_bound_is_an_integer_for_releases() -> None:
    visits = {"u": np.arange(900) // 3, "day": np.arange(900) % 3}
    found = cydp.contribution_bound(visits, user="u", by="day", max=9, epsilon=10)
    assert (found.value, int(found), f"{found:}") == (3, 3, repr(found))
    made = cydp.value_counts(
        visits, range(3), column="day", user="u", max_partitions=found, epsilon=1
    )
    assert made.query.unit.max_partitions == 3


def test_what_the_largest_bound_means_is_said_whatever_is_found() -> None:
    """A note that came with some answers alone would still be an answer, but no neighbour test."""
    visits = {"u": np.arange(900) // 3}
    for most in (2, 9):
        found = cydp.contribution_bound(visits, user="u", max=most, epsilon=99)
        note = f"a bound of {most} may be too low, since more rows count as {most}"
        assert note in found.query.left_out[1]


def test_it_is_charged_for_its_unit_and_recorded(tmp_path: Path) -> None:
    visits = {"u": np.arange(60) // 3}
    with BudgetLedger.create(tmp_path / "l", PureDP(1), privacy_unit="person") as ledger:
        given = {"user": "u", "max": 9, "epsilon": "1/2"}
        with pytest.raises(cydp.accounting.UnitMismatchError):
            cydp.contribution_bound(visits, **given, budget=ledger)
        scope = ledger.scope(charge_id="bound")
        one, two = (
            cydp.contribution_bound(visits, **given, unit="person", budget=scope) for _ in range(2)
        )
        assert (one, ledger.spent) == (two, PureDP("1/2"))
        with pytest.raises(cydp.accounting.LedgerError):
            cydp.contribution_bound(visits, **given, unit="person", share="1/2", budget=scope)


def test_a_table_of_one_column_has_users() -> None:
    """With the name of its users it is a table of rows, and without it a column of entries."""
    for table in ({"u": [1, 1, None]}, pd.DataFrame({"u": [1, 1, None]})):
        given: dict[str, Any] = {"user": "u", "max_rows": 2, "epsilon": 1000}
        assert cydp.count(table, **given).value == 2
        assert cydp.count(table, **given | {"max_rows": 1}).value == 1


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"user": None}, "user must be given"),
    ({"max": 0}, "max must be from 1 to 1,048,576, not 0"),
    ({"max": 2**20 + 1}, "max must be"),
    ({"share": 0}, "share must be between 0 and 1, and not 0"),
    ({"share": 1}, "share must be between 0 and 1"),
    ({"share": 1.5}, "share must be"),
    (
        {"of": "rows"},
        "of must be 'users', or 'contributions' for a share of all rows",
    ),
    ({"by": "week"}, "by must be a column of table, which has 'u', 'day'"),
    ({"user": "who"}, "user must be a column of table"),
    ({"epsilon": None}, "epsilon must be given"),
]


def test_mistakes_are_said_before_anything_is_charged(tmp_path: Path) -> None:
    visits = {"u": [1, 2], "day": [1, 2]}
    usual: dict[str, Any] = {"user": "u", "max": 3, "epsilon": 1}
    with BudgetLedger.create(tmp_path / "l", PureDP(1), privacy_unit="u") as ledger:
        for wrong, words in WRONG:
            with pytest.raises((TypeError, ValueError), match=words):
                cydp.contribution_bound(visits, **usual | wrong, budget=ledger)
        assert ledger.spent == PureDP(0)


# What bounds leave out

VISITS: dict[str, Any] = {
    "u": [1, 1, 1, 1, 1, 2, 2, 3, None, 4], "day": list("aabbcabxaa"),
    "x": [1, None, 3, 4, 5, 6, 7, 8, 9, 1],
}  # fmt: skip


def parts(function: Any, *args: Any, **given: Any) -> Any:
    kind = kind_of(function)
    arguments = arguments_of(function, args, {"epsilon": 1, **given})
    made = prepare(kind, arguments | {kind.data: VISITS})
    return made.query.read(made.source, KEY).parts["left_out"]


def test_rows_that_are_left_out_are_counted_up_to_a_bound() -> None:
    """User 1 has five rows, of which two are left out, or more; of others none are."""
    count = {"user": "u", "max_rows": 2}
    assert [parts(cydp.count, **count, left_out=most) for most in (1, 2, 3, 9)] == [1, 2, 3, 3]
    assert parts(cydp.count, column="x", **count, left_out=9) == 2  # a null takes no place
    by = {"column": "day", "user": "u", "max_partitions": 3}
    assert parts(cydp.value_counts, ["a", "b", "c"], **by, left_out=9) == 2
    assert parts(cydp.value_counts, ["a"], **by, left_out=9) == 1
    assert parts(cydp.value_counts, **by, left_out=9, delta=0.1) == 2
    assert parts(cydp.value_counts, ["a", "b"], **by | {"max_partitions": 1}, left_out=9) == 4
    assert parts(cydp.value_counts, ["a", "b"], **by | {"max_partitions": 1}, left_out=1) == 2


@pytest.mark.parametrize("relation", RELATIONS)
def test_one_user_moves_the_rows_that_are_left_out_by_their_bound(relation: str) -> None:
    """Noise is for the largest change among all tables of two users and four rows each."""
    for most, bound in product((1, 2), (1, 2)):
        given = {"user": "u", "max_rows": bound, "left_out": most, "relation": relation}
        (change,) = (
            part.change
            for part in cydp.explain(cydp.count, epsilon=1, **given).query.parts.values()
            if part.name == "left_out"
        )
        found = {
            rows: sum(min(max(each - bound, 0), most) for each in rows)
            for rows in product(range(5), range(5))
        }
        pairs = [
            (one, two)
            for one, two in product(found, found)
            if one[0] == two[0] and (relation != "add-remove" or 0 in (one[1], two[1]))
        ]
        assert change.l1 == change.l2 == max(abs(found[a] - found[b]) for a, b in pairs)


def test_the_parts_of_an_estimate_cost_epsilon_together() -> None:
    """No part is cheaper because rows of others cannot move at once: left out rows can."""
    for relation in RELATIONS:
        given = {"user": "u", "relation": relation, "left_out": 4, "split": {"left_out": 3}}
        shown = cydp.explain(cydp.count, epsilon=1, max_rows=2, **given)
        table = cydp.explain(
            cydp.group_by, "day", keys=4, sums={"x": (0, 3)}, epsilon=1, max_partitions=2, **given
        )
        for each in (shown, table):
            costs = [part.mechanism.epsilon for part in each.query.parts.values()]
            assert sum(costs) == 1
            assert each.split["left_out"] == Fraction(3, 2 + len(costs))


def test_an_estimate_is_a_noisy_number_with_an_error() -> None:
    table = {"u": np.arange(10_000) // 5, "day": np.arange(10_000) % 5}  # two of five stay
    rng, n, off = SeededGenerator(4), 400, []
    for _ in range(n):
        one = cydp.count(table, user="u", max_rows=2, left_out=4, epsilon=1, rng=rng)
        assert one.left_out is not None
        off.append(one.left_out - 6000)
    by = cydp.value_counts(
        table, range(5), column="day", user="u", max_partitions=2, left_out=4, epsilon=1, rng=rng
    )
    assert by.left_out is not None
    assert abs(by.left_out - 6000) < 200
    bound = cydp.explain(cydp.count, user="u", max_rows=2, left_out=4, epsilon=1).error_bound()[
        "left_out"
    ]
    missed = sum(abs(each) > bound for each in off)
    assert binom.sf(missed - 1, n, 0.05) > LIMIT
    (note,) = (each for each in by.to_dict()["notes"] if "estimate" in each)
    reach = float(cydp.explain(cydp.value_counts, 5, user="u", max_partitions=2, left_out=4,
                               epsilon=1).error["left_out"] or 0)  # fmt: skip
    low, high = (f"{by.left_out + off:,.0f}" for off in (-reach, reach))
    assert f"({low} to {high}, with 95 % confidence)" in note
    assert note in " ".join(str(by).split())
    nothing = {"user": [1], "max_rows": 1, "left_out": 9, "epsilon": "1/100"}
    made = [cydp.count([1], **nothing, rng=SeededGenerator(seed)) for seed in range(20)]
    below = [each for each in made if (each.left_out or 0) < 0]
    assert below
    for each in below:
        text = " ".join(str(each).split())
        assert "an estimated 0 rows were left out (0 to " in text
        assert f"confidence; the noisy number is {each.left_out:,}), counting at" in text
    assert cydp.count([1], epsilon=1).left_out is None


def test_a_query_without_an_estimate_is_that_of_earlier_versions() -> None:
    """Or charge ids of theirs would belong to another query."""
    given: dict[str, Any] = {"user": [1], "epsilon": 1}
    for made in (
        cydp.count([1], max_rows=1, **given),
        cydp.value_counts([1], [1], max_partitions=1, **given),
    ):
        assert "left_out" not in json.dumps(made.query.to_dict())
        assert "left_out" not in serialize(made)
    made = cydp.count([1], max_rows=1, left_out=2, **given)
    assert "most_left_out" in json.dumps(made.query.to_dict())
    assert deserialize(serialize(made)) == made


WRONG_ESTIMATES: list[tuple[dict[str, Any], str]] = [
    ({"left_out": 0, "user": [1], "max_rows": 1}, "left_out must be from 1"),
    ({"left_out": 3}, "left_out is about rows of users: give user="),
    ({"left_out": 3, "max_rows_per_unit": 2}, "left_out is about rows of users"),
    ({"split": {"left_out": 3}}, "split must have weights of count"),
]


def test_an_estimate_needs_users_and_a_bound() -> None:
    for wrong, words in WRONG_ESTIMATES:
        with pytest.raises((TypeError, ValueError), match=words):
            cydp.count([1.0], epsilon=1, **wrong)


MAY = ["counts and sums may be too low", "weighs less than in the table", "keys may be others"]


def test_releases_say_to_what_numbers_are_clamped() -> None:
    """Whatever the column holds, in every output."""
    table = {"k": ["a", "a"], "x": [1, 50], "u": [1, 2]}
    of_x = "a number below 0 counts as 0, and above 20 as 20"
    given: dict[str, Any] = {"bounds": (0, 20), "column": "x", "epsilon": 1}
    for function in (cydp.sum, cydp.mean, cydp.variance, cydp.median):
        for x in ([1, 50], [1, 2], []):
            made = function({"x": x}, **given)
            assert of_x in " ".join(str(made).split())
            assert made.to_dict()["notes"][0].startswith(of_x)
        plain = {name: each for name, each in given.items() if name != "column"}
        assert cydp.explain(function, **plain).notes[-1].startswith(of_x)
    days = cydp.median(
        {"d": np.array(["2024-01-05"], "M8[D]")},
        ("2024-01-01", "2024-12-31"),
        column="d",
        epsilon=1,
    )
    assert "a time before 2024-01-01 counts as 2024-01-01, and after 2024-12-31 as" in str(days)
    both = {"means": {"x": (0, 20)}, "sums": {"x": (0, 20), "u": ("0.5", 2)}}
    found = cydp.group_by(table, "k", keys=["a"], epsilon=1, **both)
    (words,) = found.query.clamped
    assert words.count("a number of x below 0 counts as 0, and above 20 as 20") == 1
    assert "; a number of u below 0.5 counts as 0.5, and above 2 as 2. Errors" in words


def test_releases_of_users_say_what_their_bound_leaves_out() -> None:
    """Every release: in text, HTML, JSON and before there is data. Records do not change it."""
    for name, case in CASES.items():
        if not case.bound:
            continue
        given = {"epsilon": 1, **case.given, **of_users(case)}
        args = with_table(case, TABLE)
        made = case.function(*args, **given)
        *_, words = made.query.left_out
        some = "what each u has beyond "
        assert words.startswith("all rows of each u" if made.query.all_rows_count else some), name
        assert any(each in words for each in MAY), name
        assert "about the noise alone" in words
        assert words in " ".join(str(made).split()), name
        assert words in made.to_html(), name
        assert words in made.to_dict()["notes"], name
        assert words in cydp.explain(case.function, *case.args, **given).notes, name
        plain = case.function(*args, **{"epsilon": 1, **case.given})
        assert "beyond" not in str(plain), name
        assert "worth" not in str(plain), name
        assert plain.query.left_out == (), name


WORDS = [
    ({"max_rows": 2}, "what each who has beyond 2 rows is left out"),
    ({"max_rows": 2, "unit": "visitor"}, "what each visitor has beyond 2 rows is left out"),
    ({"max_rows": 1}, "each who counts once, however many rows they have; rows whose who is"),
]


def test_words_of_bounds() -> None:
    for given, words in WORDS:
        made = cydp.explain(cydp.count, user="who", epsilon=1, **given)
        assert made.notes[-1].startswith(words)
    by: dict[str, Any] = {"keys": 3, "user": "who", "epsilon": 1}
    for n, rows, words in ((1, 1, "1 row in one partition"), (4, 3, "3 rows in each of 4 part")):
        made = cydp.explain(cydp.value_counts, max_partitions=n, max_rows_per_partition=rows, **by)
        assert made.notes[-1].startswith(f"what each who has beyond {words}")
    kinds = {"sums": "sums may be too low. E", "means": "may be too low, and a who with many rows"}
    for kind, words in kinds.items():
        numbers: dict[str, Any] = {kind: {"x": (0, 1)}, "max_partitions": 1}
        assert words in cydp.explain(cydp.group_by, "k", **numbers, **by).notes[-1]
    numbers |= {"count": False}
    assert "so a who with many" in cydp.explain(cydp.group_by, "k", **numbers, **by).notes[-1]
    made = cydp.explain(cydp.top_k, 1, max_rows_per_partition=2, **by)
    words = "what each who has beyond 2 rows in each partition is left out"
    assert made.notes[-1].startswith(words)
