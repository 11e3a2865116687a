"""interactive/_session.py: stored answers, what they cost, and what is refused."""

from __future__ import annotations

import inspect
import pydoc
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    BudgetExceededError,
    BudgetLedger,
    PrivacyFilter,
    PureDP,
    Session,
    releases,
)
from cydp.accounting import UnitMismatchError, UnknownBlockError
from cydp.accounting.ledger._sqlite_rows import SqliteRows

X, S, U = [1.0, 2.0, 3.0, 4.0], ["a", "b", "a", "c"], [7, 7, 8, 9]
TABLE = {"x": X, "s": S, "u": U}
SURE = 10**5  # an epsilon with noise of 0, but for a chance below e^-10000
# Sums, means and variances are off by 1.6e-4 or less on average, with exponential tails.
NEAR = 0.01

CALLS: dict[str, Callable[[Session], Any]] = {
    "count": lambda s: s.count(column="x", epsilon=SURE).value,
    "sum": lambda s: s.sum((0, 8), column="x", epsilon=SURE).value,
    "mean": lambda s: s.mean((0, 8), column="x", epsilon=SURE).value,
    "variance": lambda s: s.variance((0, 8), column="x", epsilon=SURE).value,
    "median": lambda s: s.median((0, 8), column="x", epsilon=SURE).value,
    "quantile": lambda s: s.quantile(0.9, (0, 8), column="x", epsilon=SURE).value,
    "histogram": lambda s: s.histogram(2, (0, 8), column="x", epsilon=SURE).counts.tolist(),
    "histogramdd": lambda s: s.histogramdd(
        (2, 1), [(0, 8), (0, 9)], columns=["x", "u"], epsilon=SURE).counts.ravel().tolist(),
    "value_counts": lambda s: s.value_counts(["a", "b"], column="s", epsilon=SURE).counts.tolist(),
    "group_by": lambda s: s.group_by("s", keys=["a"], epsilon=SURE).counts.tolist(),
    "top_k": lambda s: s.top_k(1, ["a", "b"], column="s", epsilon=SURE).keys.tolist(),
    "bounds": lambda s: tuple(s.bounds(column="x", epsilon=SURE)),
}  # fmt: skip
ANSWERS = {
    "count": 4, "sum": 10, "mean": 2.5, "variance": 1.25, "histogram": [3, 1], "quantile": 4,
    "histogramdd": [3, 1], "value_counts": [2, 1], "group_by": [2], "top_k": ["a"],
}  # fmt: skip


KINDS: dict[str, Callable[[], Any]] = {
    "dict": lambda: TABLE,
    "pandas": lambda: pd.DataFrame(TABLE),
    "polars": lambda: pl.DataFrame(TABLE),
    "pyarrow": lambda: pa.table(TABLE),
    "duckdb": lambda: duckdb.connect().from_df(pd.DataFrame(TABLE)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_release_is_asked_of_each_kind_of_table(kind: str) -> None:
    """And a table that is a query is read as often as it is asked."""
    session = Session(KINDS[kind](), PrivacyFilter(PureDP(100 * SURE)))
    for name, call in CALLS.items():
        answer = call(session)
        if name in ANSWERS:
            assert answer == pytest.approx(ANSWERS[name], abs=NEAR) if isinstance(
                answer, float) else answer == ANSWERS[name], name  # fmt: skip
        assert call(session) == answer
    assert session.count(column="x", epsilon=SURE, again=1).value == 4
    assert session.spent == PureDP((len(CALLS) + 1) * SURE)
    assert len(session.history()) == 2 * len(CALLS) + 1


def test_threads_take_turns_at_a_connection_of_duckdb() -> None:
    """Which refuses a second call meanwhile, after the charge."""
    session = Session(KINDS["duckdb"](), PrivacyFilter(PureDP(100 * SURE)))
    answers: list[Any] = []

    def work(place: int) -> None:
        answers.extend(session.count(epsilon=SURE, again=10 * place + i).value for i in range(10))

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [4] * 40


def test_keys_and_bounds_that_are_objects() -> None:
    """Keys that can be read once, and bounds that another release found."""
    session = Session(TABLE, PrivacyFilter(PureDP(10 * SURE)))
    asked = session.value_counts(iter(["a", "b"]), column="s", epsilon=SURE)
    assert asked.counts.tolist() == [2, 1]
    assert session.value_counts(["a", "b"], column="s", epsilon=SURE) is asked
    found = session.bounds(column="x", epsilon=SURE)
    total = session.sum(found, column="x", epsilon=SURE)
    assert session.sum(tuple(found), column="x", epsilon=SURE) is total
    texts = [entry.question for entry in session.history()[-2:]]
    assert texts[0] == texts[1] == f"sum(bounds={tuple(found)!r}, column='x', epsilon=100000)"
    edges = session.histogramdd([[0, 2.5, 9], 1], [None, (0, 9)], columns=["x", "u"], epsilon=SURE)
    assert edges.counts.ravel().tolist() == [2, 2]


def test_a_column_alone_is_a_table() -> None:
    session = Session(np.array(X), PrivacyFilter(PureDP(2 * SURE)))
    assert session.count(epsilon=SURE).value == 4
    assert session.sum((0, 8), epsilon=SURE).value == pytest.approx(10, abs=NEAR)
    assert Session({"x": X}, PrivacyFilter(PureDP(SURE))).count(epsilon=SURE).value == 4
    for empty in ({}, pd.DataFrame()):
        assert Session(empty, PrivacyFilter(PureDP(SURE))).count(epsilon=SURE).value == 0


# Stored answers


def payers(folder: Path, budget: Any, **more: Any) -> Iterator[Any]:
    yield PrivacyFilter(budget)
    ledger = BudgetLedger.create(folder / "ledger", budget, privacy_unit="row")
    yield ledger
    yield ledger.scope(label="study")


def test_a_repeated_question_is_answered_once(tmp_path: Path) -> None:
    for place, payer in enumerate(payers(tmp_path, PureDP(1)), 1):
        for version in (None, "1"):
            before = payer.spent.epsilon
            session = Session(TABLE, payer, version=version, analyst="ada")
            first = session.count(epsilon=0.1, again=place)
            for epsilon in ("0.1", Fraction(1, 10)):
                assert session.count(epsilon=epsilon, again=place) is first
            assert [entry.repeated for entry in session.history()] == [False, True, True]
            assert session.spent.epsilon - before == Fraction(1, 10)
            paid, *repeated = session.history()
            assert (paid.cost.epsilon, paid.loss.epsilon) == (Fraction(1, 10), Fraction(1, 10))
            assert paid.analyst == "ada"
            for entry in repeated:
                assert (entry.cost.epsilon, entry.loss) == (0, paid.loss)
            assert {entry.seq for entry in repeated} == {paid.seq}
            assert paid.question.startswith("count(epsilon=0.1, again=")


def test_a_version_stores_answers_in_the_ledger(tmp_path: Path) -> None:
    with BudgetLedger.create(tmp_path / "ledger", PureDP(1), privacy_unit="row") as ledger:
        ada = Session(TABLE, ledger, version="1", analyst="ada")
        first = ada.histogram(4, (0, 8), column="x", epsilon=0.1)
    with BudgetLedger.open(tmp_path / "ledger") as ledger:
        bob = Session(pd.DataFrame(TABLE), ledger, version="1", analyst="bob")
        assert bob.histogram(4, (0, 8.0), column="x", epsilon=0.1) == first
        assert [(entry.repeated, entry.seq) for entry in bob.history()] == [(True, 3)]
        assert bob.spent == PureDP(0.1)
        for other in (Session(TABLE, ledger, version="2"), Session(TABLE, ledger)):
            other.histogram(4, (0, 8), column="x", epsilon=0.1)
            assert [entry.repeated for entry in other.history()] == [False]
        labels = [entry["label"] for entry in ledger.history() if entry["kind"] == "charge"]
    question = "histogram(bins=4, range=(0, 8), column='x', epsilon=0.1)"
    assert labels == [f"[ada] {question}", question, question]


def test_contents_do_not_matter(tmp_path: Path) -> None:
    """The owner of a table that changes says so by another version."""
    table = {"x": [1.0] * 3}
    session = Session(table, PrivacyFilter(PureDP(10 * SURE)))
    assert session.count(epsilon=SURE).value == 3
    table["x"] = [1.0] * 5
    assert session.count(epsilon=SURE).value == 3
    assert session.count(epsilon=SURE, again=1).value == 5  # it is kept, not copied


def test_the_same_question_in_another_form_pays() -> None:
    """The budget stops averaging: no store of answers does."""
    session = Session(TABLE, PrivacyFilter(PureDP(1)))
    session.histogram(10, (0, 10), column="x", epsilon=0.25)
    session.histogram(20, (0, 10), column="x", epsilon=0.25)  # merge two bins
    session.count(column="x", epsilon=0.25)
    session.count(epsilon="0.125")
    session.count(epsilon="0.1250")
    session.count(epsilon="0.124")
    assert session.remaining == PureDP("0.001")
    with pytest.raises(BudgetExceededError):
        session.count(column="x", epsilon="0.1251")
    assert len(session.history()) == 6


# What it costs


@pytest.mark.parametrize(
    ("budget", "privacy", "cost"),
    [
        (PureDP(1), {"epsilon": 0.5}, PureDP(0.5)),
        (ZCDP(1), {"epsilon": 0.5}, ZCDP(PureDP(0.5).rho)),
        (ZCDP(1), {"rho": 0.5}, ZCDP(0.5)),
        (ApproxDP(1, 1e-5), {"epsilon": 0.5, "delta": 1e-6}, ApproxDP(0.5, 0)),
        (
            ApproxDP(1, 1e-5),
            {"epsilon": 0.5, "delta": 1e-6, "noise": "gaussian"},
            ApproxDP(0.5, 1e-6),
        ),
        (ApproxDP(1, 1e-5), {"epsilon": 0.5}, ApproxDP(0.5, 0)),
    ],
)
def test_costs_are_in_the_measure_of_the_budget(
    tmp_path: Path, budget: Any, privacy: dict[str, Any], cost: Any
) -> None:
    ledger = BudgetLedger.create(tmp_path / "ledger", budget, privacy_unit="row")
    for payer in (PrivacyFilter(budget), ledger):
        session = Session(TABLE, payer)
        session.count(**privacy)
        session.count(**privacy)
        assert [str(entry.cost) for entry in session.history()][:1] == [str(cost)]
        assert session.spent == session.history()[0].cost
        assert session.spent_by_analyst() == {None: session.spent}
        assert f"of which {cost} here" in session.report()


def test_analysts_have_paid_all_of_it(tmp_path: Path) -> None:
    for payer in payers(tmp_path, PureDP(1)):
        before = payer.spent.epsilon  # by the ledger, before its scope
        for analyst, epsilon in (("ada", "0.1"), ("ada", "0.02"), ("bob", "0.005")):
            session = Session(TABLE, payer, analyst=analyst)
            session.count(epsilon=epsilon)
        payer.charge(PureDP("0.0001"))
        found = {who: loss.epsilon for who, loss in session.spent_by_analyst().items()}
        assert sum(found.values()) == session.spent.epsilon
        if isinstance(payer, PrivacyFilter):
            assert found == {"bob": Fraction("0.005"), None: Fraction("0.1201")}
        elif before == 0:
            expected = {"ada": Fraction("0.12"), "bob": Fraction("0.005"), None: Fraction("0.0001")}
            assert found == expected


def test_the_report_says_what_is_left(tmp_path: Path) -> None:
    with BudgetLedger.create(tmp_path / "ledger", PureDP(5), privacy_unit="row") as ledger:
        ledger.charge(PureDP(1))
        session = Session(TABLE, ledger, version="1", analyst="ada")
        assert len(session.report().splitlines()) == 2
        session.count(epsilon=0.5)
        session.count(epsilon=0.5)
        assert repr(session) == session.report()
        about, spent, _, first, second = session.report().splitlines()
        assert about.startswith("session of 'ada', budget PureDP(epsilon=5) for each row under")
        assert about.endswith("table version '1'")
        assert "spent PureDP(epsilon=1.5), of which PureDP(epsilon=0.5) here; left" in spent
        assert first.split() == ["1.", "epsilon=0.5", "4", "count(epsilon=0.5)"]
        assert second.split() == ["2.", "0,", "repeated", "4", "count(epsilon=0.5)"]
        assert session._repr_html_().startswith("<pre>session of 'ada'")
        for i in range(20):
            session.count(epsilon=0.1, again=i)
        lines = session.report().splitlines()
        assert lines[2] == "  2 questions, and then"
        assert len(lines) == 24


def test_blocks_pay_in_full_and_are_part_of_the_key(tmp_path: Path) -> None:
    with BudgetLedger.create(
        tmp_path / "ledger", PureDP(1), privacy_unit="row", by_block=True
    ) as ledger:
        ledger.add_blocks(["mon", "tue"])
        with pytest.raises(UnknownBlockError, match="blocks"):
            Session(TABLE, ledger, version="1")
        both = Session(
            TABLE,
            ledger.scope(blocks=["mon", "tue"], table_in_blocks=True),
            version="1",
            analyst="ada",
        )
        both.count(epsilon=0.25)
        one = Session(TABLE, ledger.scope(blocks=["tue"], table_in_blocks=True), version="1")
        one.count(epsilon=0.25)
        one.count(epsilon=0.25)
        Session(
            TABLE, ledger.scope(blocks=["tue", "mon"], table_in_blocks=True), version="1"
        ).count(epsilon=0.25)
        assert both.spent == {"mon": PureDP(0.25), "tue": PureDP(0.5)}
        assert one.remaining == PureDP(0.5)
        assert one.spent_by_analyst() == {"ada": PureDP(0.25), None: PureDP(0.25)}
        assert both.spent_by_analyst()["ada"] == dict.fromkeys(("mon", "tue"), PureDP(0.25))
        assert "'tue': spent PureDP(epsilon=0.5), of which PureDP(epsilon=0.25) here" in repr(both)
        other = Session(
            TABLE, ledger.scope(blocks=["mon"], table_in_blocks=True), version="1", analyst="bob"
        )
        other.count(epsilon=0.125)
        assert other.spent_by_analyst()["bob"] == PureDP(0.125)
        assert one.spent_by_analyst()["bob"] == PureDP(0)


# Errors after the charge


class Unreadable:
    """A column that fails when it is read."""

    dtype, shape, ndim = np.dtype(float), (3,), 1

    def __len__(self) -> int:
        return 3

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise OSError("the disk is gone")


def test_a_charge_without_an_answer_is_in_the_history(tmp_path: Path) -> None:
    for payer in payers(tmp_path, PureDP(1)):
        session = Session(Unreadable(), payer)
        before = payer.spent.epsilon
        for _ in range(2):  # each pays: nothing was released
            with pytest.raises(OSError, match="gone"):
                session.count(epsilon=0.125)
        assert session.spent.epsilon - before == Fraction(1, 4)
        assert [(entry.answered, entry.cost) for entry in session.history()] == (
            2 * [(False, PureDP(0.125))]
        )
        assert session.report().endswith("count(epsilon=0.125): no answer")


def test_a_failure_with_a_version_is_in_doubt_at_once(tmp_path: Path) -> None:
    """This process does not wait for itself."""
    with BudgetLedger.create(tmp_path / "ledger", PureDP(1), privacy_unit="row") as ledger:
        session = Session(Unreadable(), ledger, version="1", wait=10**6)
        with pytest.raises(OSError, match="gone"):
            session.count(epsilon=0.5)
        with pytest.raises(cydp.accounting.ChargeInDoubtError, match="again=1"):
            session.count(epsilon=0.5)
        assert session.spent == PureDP(0.5)
        assert len(session.history()) == 1


def test_a_charge_that_was_rolled_back_is_not_in_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads: Iterator[Any] = iter([KeyboardInterrupt])

    last = SqliteRows.last

    def interrupted(rows: Any) -> Any:
        """Interrupt the first transaction that charges, between its charge and its commit."""
        found = last(rows)
        if found[0] == 3 and (error := next(heads, None)):
            raise error
        return found

    with BudgetLedger.create(tmp_path / "ledger", PureDP(1), privacy_unit="row") as ledger:
        session = Session(TABLE, ledger, version="1")
        monkeypatch.setattr(SqliteRows, "last", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.count(epsilon=0.5)
        assert session.history() == []
        assert session.spent == PureDP(0)
        session.count(epsilon=0.5)
        assert [entry.cost for entry in session.history()] == [PureDP(0.5)]


# Settings


def test_the_session_says_what_is_protected(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with BudgetLedger.create(path, PureDP(SURE), privacy_unit="person") as ledger:
        for settings in ({}, {"user": "u"}, {"user": "u", "unit": "household"}):
            with pytest.raises(UnitMismatchError):
                Session(TABLE, ledger, **settings)
        promise = Session(TABLE, ledger, max_rows_per_unit=2)
        promise.count(epsilon=1)
        session = Session(TABLE, ledger, user="u", unit="person", max_rows=1, max_partitions=2)
        assert session.count(epsilon=SURE // 2).value == 3  # of 7 one row counts
        assert session.count(epsilon=1, max_rows=2).query.unit.max_rows == 2
        release = session.histogram(2, (0, 8), column="x", epsilon=1)
        assert (release.query.unit.name, release.query.unit.max_partitions) == ("person", 2)
        assert session.explain("count", epsilon=1).query == session.count(epsilon=1).query
    session = Session(TABLE, PrivacyFilter(PureDP(1), relation="change-one"))
    assert session.count(epsilon=1).relation == session.relation == "change-one"


def test_explain_costs_nothing() -> None:
    session = Session(TABLE, PrivacyFilter(PureDP(1)), user="u", max_rows=3)
    wanted = cydp.explain(cydp.sum, (0, 5), column="x", epsilon=1, user="u", max_rows=3)
    given = {"column": "x", "epsilon": 1}
    for function in ("sum", cydp.sum, session.sum):
        assert repr(session.explain(function, (0, 5), **given)) == repr(wanted)
    assert session.explain("count", error=10).loss.epsilon > 0
    assert session.spent == PureDP(0)


def test_names_are_python_text(tmp_path: Path) -> None:
    with BudgetLedger.create(tmp_path / "ledger", PureDP(1), privacy_unit="row") as ledger:
        session = Session(TABLE, ledger, version=np.str_("1"), analyst=np.str_("ada"))
        assert (type(session.version), type(session.analyst)) == (str, str)
        assert repr(session).startswith("session of 'ada', ")
        assert "table version '1'" in repr(session)


# Methods


def test_methods_are_the_releases_without_what_a_session_has() -> None:
    no_releases = ("date_trunc", "explain", "where")
    names = [name for name in releases.__all__ if name.islower() and name not in no_releases]
    assert set(names) == {*CALLS, "contribution_bound"}  # which needs a session with users
    left_out = {"budget", "rng", "relation", "user", "unit", "max_rows_per_unit"}
    for name in names:
        release, method = getattr(releases, name), getattr(Session, name)
        theirs = list(inspect.signature(release).parameters.values())[1:]
        ours = list(inspect.signature(method).parameters.values())
        assert ours[0].name == "self"
        assert ours[1:-1] == [each for each in theirs if each.name not in left_out]
        assert ours[-1].name == "again"
        text = pydoc.plain(pydoc.render_doc(method))
        for each in ours[1:]:
            assert any(
                line.strip().startswith(each.name) or f", {each.name}" in line
                for line in text.splitlines()
            ), (name, each.name)  # fmt: skip
        assert not any(f"{each} :" in text for each in left_out), name
        assert method.__doc__.count("Parameters\n---") == 1
        assert method.__qualname__ == f"Session.{name}"


def test_bounds_of_rows_and_of_partitions() -> None:
    both = Session(TABLE, PrivacyFilter(PureDP(99)), user="u", max_rows=3, max_partitions=2)
    rows = Session(TABLE, PrivacyFilter(PureDP(99)), user="u", max_rows=3)
    asked = [
        (both.count(epsilon=1), (None, 3)),
        (both.value_counts(["a"], column="s", epsilon=1), (2, 1)),
        (both.value_counts(["a"], column="s", epsilon=1, max_rows=5), (None, 5)),
        (rows.value_counts(["a"], column="s", epsilon=1), (None, 3)),
        (rows.value_counts(["a"], column="s", epsilon=1, max_partitions=4), (4, 1)),
    ]
    for made, bounds in asked:
        assert (made.query.unit.max_partitions, made.query.unit.max_rows) == bounds
