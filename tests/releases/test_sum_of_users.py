"""releases/_sum.py: the sum of each user is clamped, beside the number of their rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import check_refusals
from releases.exact_answers import without_noise

import cydp
from cydp import ApproxDP, PrivacyFilter, PureDP, Session
from cydp._columns.declared import Labels
from cydp.exact._contributions import PairNumbers, bound_users

TABLE: dict[str, list[Any]] = {
    "who": ["a", "a", "a", "b", None, "c", "c"], "euros": [90, 20, None, 10, 70, -30, 500],
}  # fmt: skip
ASKED: dict[str, Any] = {"column": "euros", "user": "who", "epsilon": 1}


def exact(table: Any, bounds: Any, **given: Any) -> Fraction:
    """Return the sum without noise."""
    with without_noise():
        return cydp.sum(table, bounds, **{**ASKED, "max_rows": 100, **given}).exact


def test_sums_by_hand() -> None:
    for most, expected in ((1000, 90 + 20 + 10 - 30 + 100), (100, 100 + 10 + 70),
                           (50, 50 + 10 + 50), ("0.5", 1.5)):  # fmt: skip
        found = exact(TABLE, (-100, 100), max_sum_per_user=most)
        assert found == pytest.approx(Fraction(expected), abs=1e-6)
    filled = exact(TABLE, (-100, 100), max_sum_per_user=110, missing=-20)
    assert filled == pytest.approx(90 + 10 + 70, abs=1e-6)
    negative = exact({"who": ["a", "b"], "euros": [-70, 5]}, (-100, 100), max_sum_per_user=50)
    assert negative == pytest.approx(-45, abs=1e-6)
    assert exact({"who": [], "euros": []}, (0, 1), max_sum_per_user=1) == 0


def test_a_bound_that_nobody_reaches_changes_nothing() -> None:
    random = np.random.default_rng(1)
    table = {"who": random.integers(0, 40, 500), "euros": random.normal(5, 9, 500)}
    for bounds in ((-4, 10), (0, 10), (2, 3)):
        assert exact(table, bounds, max_sum_per_user=10**6) == exact(table, bounds)
        few = exact(table, bounds, max_sum_per_user=10**6, max_rows=500)
        assert few == exact(table, bounds, max_rows=500)


# Privacy


NUMBERS = (None, -100.0, -4.0, 0.5, 6.0, 10.0)
SETTINGS: list[tuple[Any, int, Any, Any]] = [
    ((-4, 10), 3, 7, "drop"), ((-4, 10), 3, 11, "drop"), ((-4, 10), 2, 100, "drop"),
    ((0, 10), 3, 12, "drop"), ((-10, -4), 3, 12, "drop"), ((5, 10), 3, 12, 6),
]  # fmt: skip


def rows_of_one() -> Iterator[tuple[Any, ...]]:
    """Return the rows of a user: none, or up to three."""
    for n in range(4):
        yield from itertools.combinations_with_replacement(NUMBERS, n)


@pytest.mark.parametrize(("bounds", "rows", "most", "missing"), SETTINGS)
def test_all_small_neighbours(bounds: Any, rows: int, most: Any, missing: Any) -> None:
    """A user comes or goes, or has other rows: no further apart than the noise is for, and as far.

    Beside another user, whose rows do not change.
    """
    given: dict[str, Any] = {"max_sum_per_user": most, "missing": missing, "max_rows": rows}
    sums = []
    for own in rows_of_one():
        table = {"who": ["a"] * len(own) + ["b", "b"], "euros": [*own, 8.0, -3.0]}
        table["euros"] = np.array(table["euros"], float)
        sums.append(exact(table, bounds, **given))
    largest = {
        "add-remove": max(abs(each - sums[0]) for each in sums),
        "change-one": max(sums) - min(sums),
        "add-remove-or-change": max(sums) - min(sums),
    }
    for relation, apart in largest.items():
        asked = {**ASKED, **given, "relation": relation}
        (part,) = cydp.explain(cydp.sum, bounds, **asked).query.parts.values()
        bound = part.change.l1 * part.step
        assert apart <= bound
        if most < 100:  # else the bound on rows is the smaller one, and not all are at a bound
            assert apart == bound
        assert part.noise.scale == part.change.l1
    household = {**ASKED, **given, "unit": ("household", "person")}
    (part,) = cydp.explain(cydp.sum, bounds, **household).query.parts.values()
    assert part.change.l1 * part.step >= largest["change-one"]


def test_rows_of_a_user_have_one_number() -> None:
    """However users are written: they are told apart as for the bound on their rows."""
    users = [1, 1.0, True, np.int64(1), "1", b"1", Fraction(1), 2**70, 2.0**70, -1, 2**64 - 1, None,
             ("a", 1), ("a", 1.0), float("nan"), "a", np.str_("a"), 0, False, -0.0]  # fmt: skip
    key = np.array([3, 7], np.uint64)
    floats, large = np.array([1.5, 1.5, np.nan, 2]), np.array([2**64 - 1, 1], np.uint64)
    for column in (users, floats, large, ["b", "a", "b"]):
        labels, n = Labels(column), len(column)
        for some in (np.ones(n, np.bool_), np.arange(n) % 2 == 0):
            pairs = PairNumbers(n)
            stays = bound_users(
                labels, (~some).astype(np.uint32), 1, key, max_partitions=1, pairs=pairs
            )
            numbers, counted = pairs.numbers, pairs.numbers < pairs.count
            assert some[counted].all()
            assert (stays <= counted).all()
            assert sorted(numbers[stays]) == sorted(set(numbers[counted]))


def test_noise_is_for_the_sum_and_not_for_the_rows() -> None:
    given: dict[str, Any] = {"column": "euros", "user": "who", "epsilon": 1}
    for rows in (1, 1000, 2**40):
        query = cydp.explain(cydp.sum, (0, 200), max_rows=rows, max_sum_per_user=50, **given).query
        (part,) = query.parts.values()
        assert part.noise.scale * part.step == 50
        assert query.loss == PureDP(1, relation="add-remove")


def test_a_heavy_tail_has_less_error() -> None:
    """Of 500 users who spend 20, some 1,000 times: with a bound the noise is 50 times less."""
    random = np.random.default_rng(2)
    visits = np.where(random.random(500) < 0.01, 1000, 5)
    table = {"who": np.repeat(np.arange(500), visits), "euros": np.full(visits.sum(), 20.0)}
    rows = cydp.sum(table, (0, 50), max_rows=1000, **ASKED)
    both = cydp.sum(table, (0, 50), max_rows=1000, max_sum_per_user=1000, **ASKED)
    assert rows.error_bound() == pytest.approx(50 * both.error_bound(), rel=1e-6)


# Ways


def test_files_are_read_in_pieces(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    who, euros = random.integers(0, 50, 3000), random.integers(-20, 90, 3000)
    path = tmp_path / "visits.csv"
    lines = [f"u{one},{two}" for one, two in zip(who, euros, strict=True)]
    path.write_text("\n".join(["who,euros", *lines]))
    table = {"who": [f"u{one}" for one in who], "euros": euros}
    given: dict[str, Any] = {"max_sum_per_user": 700, "max_rows": 10**6}
    expected = exact(table, (-10, 80), **given)
    assert exact(str(path), (-10, 80), **given) == expected
    by_hand = [np.clip(euros[who == user], -10, 80).sum() for user in range(50)]
    assert expected == pytest.approx(np.clip(by_hand, -700, 700).sum(), abs=1e-3)


def test_it_is_said() -> None:
    release = cydp.sum(TABLE, (0, 100), max_rows=9, max_sum_per_user=50, **ASKED)
    for text in (str(release), str(release.to_html()), str(cydp.explain(
            cydp.sum, (0, 100), max_rows=9, max_sum_per_user=50, **ASKED))):  # fmt: skip
        assert "of the sum of each who, what is beyond 50 in size is left out" in " ".join(
            text.split()
        )
    assert "max_sum_per_user=50" in repr(release.query)
    plain = cydp.sum(TABLE, (0, 100), max_rows=9, **ASKED).query
    assert "most" not in str(plain.to_dict())
    assert "max_sum" not in repr(plain)
    assert release.query != plain
    assert release.query.from_dict(release.query.to_dict()) == release.query


def test_sessions_and_approximate_costs() -> None:
    session = Session(TABLE, PrivacyFilter(ApproxDP(9, 1e-3)), user="who")
    given: dict[str, Any] = {"column": "euros", "max_rows": 9, "epsilon": 1}
    one = session.sum((0, 100), max_sum_per_user=50, **given)
    two = session.sum((0, 100), max_sum_per_user="60", delta=1e-6, noise="gaussian", **given)
    assert float(one.mechanism.scale * one.query.parts["sum"].step) == 50
    assert isinstance(two.loss, ApproxDP)


def test_nothing_that_a_record_holds_changes_a_message() -> None:
    for column in ([1e308, -1e308, 5], [np.nan] * 3, [np.inf, 0, 1]):
        made = cydp.sum(
            {"who": ["a", "a", None], "euros": np.array(column)}, (-1, 1), max_rows=2,
            max_sum_per_user=1, **ASKED,
        )  # fmt: skip
        assert type(made.value) is float


def test_refusals() -> None:
    def explain(**given: Any) -> Any:
        return lambda: cydp.explain(cydp.sum, (0, 100), epsilon=1, **given)

    of_user: dict[str, Any] = {"user": "who", "max_rows": 3}
    check_refusals(
        {
            "no user": (explain(max_sum_per_user=5), TypeError,
                ("max_sum_per_user bounds the sum of a user: give user= as well",)),
            "a promise": (explain(max_sum_per_user=5, max_rows_per_unit=3), TypeError,
                ("give user= as well",)),
            "none": (explain(max_sum_per_user=0, **of_user), ValueError,
                ("max_sum_per_user must be greater than 0, not 0",)),
            "below": (explain(max_sum_per_user=-5, **of_user), ValueError, ("greater than 0",)),
            "tiny": (explain(max_sum_per_user="1e-9", **of_user), ValueError,
                ("max_sum_per_user must be at least a step of the grid",)),
            "no number": (explain(max_sum_per_user="many", **of_user), ValueError,
                ("max_sum_per_user",)),
        }
    )  # fmt: skip
