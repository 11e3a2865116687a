"""Every release is prepared once: what wraps a release works for each of them, from one code."""

from __future__ import annotations

import inspect
import json
import pickle
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

import cydp
from cydp import BudgetLedger, PrivacyFilter, PureDP, Session, models, publishing, workloads
from cydp.accounting import UnitMismatchError
from cydp.exact._sorted_units import SortedUnits
from cydp.releases._group_rows import FoundTally
from cydp.releases._query import Query
from cydp.releases._run import RELEASES, arguments_of, kind_of, prepare
from cydp.releases._tally import Tally
from cydp.sampling import on_sample
from cydp.teach import median_by_halving
from cydp.testing import SeededGenerator

N = 60
RANDOM = np.random.default_rng(1)
TABLE: dict[str, Any] = {
    "x": RANDOM.uniform(0, 10, N), "y": RANDOM.uniform(0, 4, N),
    "s": RANDOM.choice(["a", "b", "c"], N), "u": np.arange(N) // 4,
}  # fmt: skip
TABLE["s"][: N // 3] = "c"  # so that a part of the rows has not all keys
X: dict[str, Any] = {"column": "x"}
DOMAINS: dict[str, Any] = {"s": ["a", "b"], "x": (2, (0, 10))}
MODEL = models.linear_regression(
    TABLE, {"x": (0, 10)}, {"y": (0, 4)}, epsilon=10**4, rng=SeededGenerator(1)
)
RANKS = "does not merge"


class Case(NamedTuple):
    """A call of a release; what bounds its users; and why its tallies do not merge, if so."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    given: Mapping[str, Any] = MappingProxyType({})
    bound: str = "max_rows"
    merges: bool = True


CASES: dict[str, Case] = {
    "count": Case(cydp.count, (), X),
    "count of rows": Case(cydp.count, ()),
    "count of labels": Case(cydp.count, (), {"column": "s"}),
    "sum": Case(cydp.sum, ((0, 10),), X),
    "mean": Case(cydp.mean, ((0, 10),), X),
    "variance": Case(cydp.variance, ((0, 10),), X),
    "quantile": Case(cydp.quantile, ([0.25, 0.5], (0, 10)), X, merges=False),
    "median": Case(cydp.median, ((0, 10),), X, merges=False),
    "interval": Case(cydp.median, ((0, 10),), X | {"interval": 0.5}, merges=False),
    "halving": Case(median_by_halving, ((0, 10),), X, merges=False),
    "histogram": Case(cydp.histogram, (4, (0, 10)), X, "max_partitions"),
    "histogram by": Case(
        cydp.histogram, (4, (0, 10)), X | {"by": "s", "by_keys": ["a", "b"]}, "max_partitions"
    ),
    "histogramdd": Case(
        cydp.histogramdd, (2, [(0, 10), (0, 4)]), {"columns": ["x", "y"]}, "max_partitions"
    ),
    "value_counts": Case(cydp.value_counts, (["a", "b"],), {"column": "s"}, "max_partitions"),
    "group_by": Case(
        cydp.group_by, ("s",), {"keys": ["a", "b"], "sums": {"x": (0, 10)}, "means": {"y": (0, 4)}},
        "max_partitions",
    ),
    "group_by, found": Case(
        cydp.group_by, ("s",), {"delta": 0.1, "sums": {"x": (0, 10)}}, "max_partitions"
    ),
    "group_by, ranked": Case(
        cydp.group_by, ("s",), {"keys": ["a"], "quantiles": {"x": (0.5, (0, 10))}},
        "max_partitions", merges=False,
    ),
    "top_k": Case(cydp.top_k, (1, ["a", "b"]), {"column": "s"}, "max_rows_per_partition"),
    "contribution_bound": Case(
        cydp.contribution_bound, (), {"user": "u", "by": "s", "max": 5, "unit": "row"}, ""
    ),
    "top_k, found": Case(cydp.top_k, (2,), {"column": "s", "delta": 0.1}, "max_partitions"),
    "bounds": Case(cydp.bounds, (), X, "max_partitions"),
    "range_counts": Case(workloads.range_counts, (8, (0, 10)), X, "max_partitions"),
    "linear_queries": Case(
        workloads.linear_queries, ([[1, 1, 0, 0], [0, 1, 1, 1]], 4, (0, 10)), X, "max_partitions"
    ),
    "marginals": Case(workloads.marginals, (DOMAINS, ["s", ("s", "x")])),
    "contingency_tables": Case(publishing.contingency_tables, (DOMAINS, [("s", "x")])),
    "hierarchy": Case(publishing.hierarchy, (["s"], ["a", "b"])),
    "linear_regression": Case(models.linear_regression, ({"x": (0, 10)}, {"y": (0, 4)})),
    "validated_error": Case(models.validated_error, (MODEL,)),
}  # fmt: skip
NO_CALL = (workloads.RunningCounts,)  # a stream: its data comes later
Found = list[str]


def prepared(case: Case, table: Any = TABLE, **given: Any) -> Any:
    kind = kind_of(case.function)
    arguments = arguments_of(case.function, case.args, {"epsilon": 1, **case.given, **given})
    return prepare(kind, arguments | {kind.data: table})


def of_users(case: Case) -> dict[str, Any]:
    return {"user": "u", case.bound: 2} if case.bound else {}


def every(check: Callable[[Case], bool]) -> Found:
    """Return the cases that fail a check."""
    return [name for name, case in CASES.items() if not check(case)]


def test_every_release_is_here() -> None:
    asked = {case.function for case in CASES.values()}
    assert set(RELEASES) == asked


def test_it_is_explained_without_data_by_the_query_that_runs() -> None:
    def check(case: Case) -> bool:
        shown = cydp.explain(case.function, *case.args, **{"epsilon": 1, **case.given})
        query = prepared(case).query
        errors = shown.error_bound(count=2)
        return shown.query == query and str(shown).startswith(query.title) and bool(errors)

    assert every(check) == []


def test_a_session_asks_it_and_remembers() -> None:
    def check(case: Case) -> bool:
        if case.function is median_by_halving:  # a lesson, for which a session has no method
            return True
        session = Session(TABLE, PrivacyFilter(PureDP(2)))
        if "delta" in case.given:
            session = Session(TABLE, PrivacyFilter(cydp.ApproxDP(2, 0.5)))
        given = dict(case.given)
        if "user" in given:
            of_users = {name: given.pop(name) for name in ("user", "unit")}
            session = Session(TABLE, PrivacyFilter(PureDP(2)), **of_users)
        ask = getattr(session, case.function.__name__)
        one, two = (ask(*case.args, epsilon=1, **given) for _ in range(2))
        return bool(one == two) and [each.repeated for each in session.history()] == [False, True]

    assert every(check) == []


def test_it_is_released_of_a_sample() -> None:
    """A sample of all rows gives the release itself; a sample of none gives an empty table's."""

    def check(case: Case) -> bool:
        given = {"epsilon": 10**4, **case.given}
        if "user" in given:
            with pytest.raises(TypeError, match="user"):
                on_sample(case.function, TABLE, *case.args, **given, share=1)
            return True
        whole = case.function(*with_table(case, TABLE), **given, rng=SeededGenerator(5))
        rows = {"rng": SeededGenerator(5), "share": 1}
        made = on_sample(case.function, TABLE, *case.args, **given, **rows)
        none = on_sample(case.function, TABLE, *case.args, **given, **rows | {"share": "1e-300"})
        return type(made.release) is type(whole) and made.query.asked == whole.query == (
            none.query.asked
        )

    assert every(check) == []


def with_table(case: Case, table: Any) -> tuple[Any, ...]:
    """Return the positional arguments of a call with its data."""
    names = list(inspect.signature(case.function).parameters)
    place = names.index(kind_of(case.function).data)
    return (*case.args[:place], table, *case.args[place:])


def test_a_charge_id_gives_it_back(tmp_path: Path) -> None:
    with BudgetLedger.create(
        tmp_path / "l", cydp.ApproxDP(100, 0.9), privacy_unit="row"
    ) as ledger:  # fmt: skip

        def check(case: Case) -> bool:
            given = {"epsilon": 1, **case.given}
            if case.function is cydp.group_by and "delta" in given:
                return True  # its keys are of objects: tests/releases/test_charge_ids.py
            scope = ledger.scope(charge_id=repr(case)[:900])
            one, two = (
                case.function(*with_table(case, TABLE), **given, budget=scope) for _ in range(2)
            )
            return bool(one == two) and one.payment == two.payment

        assert every(check) == []


def test_without_memory_for_it_nothing_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(case: Case) -> bool:
        budget = PrivacyFilter(cydp.ApproxDP(1, 0.5))
        given = {"epsilon": 1, **case.given, "budget": budget}
        with monkeypatch.context() as patched:
            patched.setattr(type(prepared(case).query), "nbytes", 2**59)
            with pytest.raises(
                ValueError, match=r"needs about 2,147,483,648\.0 GiB: ask for fewer"
            ):
                case.function(*with_table(case, TABLE), **given)
        return bool(budget.remaining == budget.budget)

    assert every(check) == []


def test_a_sample_without_memory_for_it_is_not_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = PrivacyFilter(PureDP(1))
    monkeypatch.setattr(kind_of(cydp.histogram), "nbytes", 2**59)
    with pytest.raises(ValueError, match="fewer bins"):
        on_sample(cydp.histogram, [1.0], 2, (0, 2), epsilon=1, share="1/2", budget=budget)
    assert budget.remaining == budget.budget


def test_without_memory_for_its_edges_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*args: object) -> None:
        raise MemoryError("Unable to allocate 763. MiB")

    monkeypatch.setattr("cydp.exact._cell_axes.public_bins", no_memory)
    with pytest.raises(ValueError, match=r"^there is no memory for the release: ask"):
        cydp.histogram([1.0], 12345, (0, 2), epsilon=1)


def test_a_ledger_of_another_unit_refuses_it(tmp_path: Path) -> None:
    with BudgetLedger.create(
        tmp_path / "l", cydp.ApproxDP(100, 0.9), privacy_unit="person"
    ) as ledger:  # fmt: skip

        def check(case: Case) -> bool:
            try:
                case.function(
                    *with_table(case, TABLE), **{"epsilon": 1, **case.given}, budget=ledger
                )
            except UnitMismatchError:
                return True
            return False

        assert every(check) == []
        assert ledger.spent.epsilon == 0


def same(one: Any, two: Any) -> bool:
    if isinstance(one, SortedUnits):
        return same(one.units, two.units) and same(one.offsets, two.offsets)
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, two))
    return bool(one == two)


@pytest.mark.parametrize("users", [False, True])
def test_tallies_of_three_pieces_are_that_of_the_whole(users: bool) -> None:
    key = np.array([3, 4], np.uint64)
    pieces = [
        {name: column[first : first + N // 3] for name, column in TABLE.items()}
        for first in range(0, N, N // 3)  # a user has four rows one after the other
    ]

    def check(case: Case) -> bool:
        given = of_users(case) if users else {}
        whole, *parts = (prepared(case, table, **given) for table in (TABLE, *pieces))
        tallies: list[Tally] = [
            each.query.read(each.source, key if each.query.unit.has_users else None)
            for each in (whole, *parts)
        ]
        tallies = [pickle.loads(pickle.dumps(each)) for each in tallies]
        if not case.merges:
            with pytest.raises(TypeError, match="do not merge in bounded memory"):
                tallies[1] + tallies[2]
            return True
        merged = tallies[1] + tallies[2] + tallies[3]
        fields = {"parts", "keys", "units"} & set(dir(merged))
        for name in fields - {"parts"}:
            one, two = getattr(merged, name), getattr(tallies[0], name)
            if not (same(one, two) if name == "units" else all(map(same, one, two))):
                return False
        return list(merged.parts) == list(tallies[0].parts) and all(
            same(each, tallies[0].parts[name]) for name, each in merged.parts.items()
        )

    assert every(check) == []


def test_nothing_is_counted_outside_of_a_sample() -> None:
    """The tally of a sample is the tally of its rows alone."""
    stays = np.arange(N) % 3 == 0
    inside = {name: column[stays] for name, column in TABLE.items()}

    def check(case: Case) -> bool:
        whole, few = prepared(case), prepared(case, inside)
        whole.source.sample = lambda rows: stays[:rows]
        if whole.query.unit.has_users:  # a sample is of rows
            return True
        one, two = (each.query.read(each.source, None) for each in (whole, few))
        if isinstance(one, FoundTally):  # a key that no row of the sample has is there, too
            return same(one.units, two.units)
        return all(same(each, two.parts[name]) for name, each in one.parts.items())

    assert every(check) == []


def test_a_sum_of_tallies_ends_where_int64_does() -> None:
    query, ends = prepared(CASES["value_counts"]).query, np.iinfo(np.int64)
    one, two = (
        Tally(query, {"n": np.array([first, second])})
        for first, second in ((2**62, -(2**62) - 1), (2**62, -(2**62)))
    )
    assert (one + two).parts["n"].tolist() == [ends.max, ends.min]


def test_tallies_of_other_queries_are_not_added() -> None:
    one, two = (prepared(CASES["sum"], epsilon=epsilon) for epsilon in (1, 2))
    first, second = (each.query.read(each.source, None) for each in (one, two))
    with pytest.raises(ValueError, match="of one query"):
        first + second
    assert "NOT private" in repr(first)
    for one, two in (
        (prepared(CASES["histogram"]), prepared(CASES["histogram"]._replace(args=(4, (0, 9))))),
        (prepared(CASES["sum"]), prepared(CASES["sum"]._replace(given={"column": "y"}))),
    ):
        assert one.query == two.query
        with pytest.raises(ValueError, match="of one query"):
            one.query.read(one.source, None) + two.query.read(two.source, None)


SECRET = "alice"
ROWS: dict[str, Callable[[Any], Any]] = {
    "tuple": tuple, "deque": deque, "list": list, "array": np.array,
    "named": lambda rows: {"name": list(rows)},
}  # fmt: skip


@pytest.mark.parametrize("kind", ROWS)
def test_no_record_is_taken_for_a_name(kind: str, tmp_path: Path) -> None:
    """Whatever holds users or keys: they are in no query, entry, pickle of a query, or kept one."""
    users, numbers = ROWS[kind]([SECRET, "bob", SECRET]), [0.5, 1, 2]
    calls: dict[str, Callable[[Any], Any]] = {
        "count": lambda b: cydp.count(numbers, user=users, max_rows=1, epsilon=1, budget=b),
        "sum": lambda b: cydp.sum(numbers, (0, 4), user=users, max_rows=1, epsilon=1, budget=b),
        "histogram": lambda b: cydp.histogram(
            numbers, 2, (0, 4), user=users, max_partitions=1, epsilon=1, budget=b
        ),
        "by": lambda b: cydp.histogram(
            numbers, 2, (0, 4), by=users, by_keys=["bob"], epsilon=1, budget=b
        ),
        "top_k": lambda b: cydp.top_k(
            numbers, 1, [1, 2], user=users, max_rows_per_partition=1, epsilon=1, budget=b
        ),
        "range_counts": lambda b: workloads.range_counts(
            numbers, 2, (0, 4), user=users, max_partitions=1, epsilon=1, budget=b
        ),
        "histogramdd": lambda b: cydp.histogramdd(
            {"x": numbers}, 2, [(0, 4), (0, 4)], columns=["x", [77.25, 1, 2]], epsilon=1, budget=b
        ),
    }
    with BudgetLedger.create(tmp_path / "l", PureDP(99), privacy_unit="user") as ledger:
        for name, call in calls.items():
            scope = None
            if name not in ("by", "histogramdd"):
                scope = ledger.scope(charge_id=name)
            try:
                made = call(scope)
            except TypeError:  # such a column is refused
                continue
            text = json.dumps(made.query.to_dict()) + repr(made.query.reads.columns)
            assert SECRET not in text + str(pickle.dumps(made.query)), name
            assert "77.25" not in text, name
        assert SECRET not in json.dumps(list(ledger.history()), default=str)


def test_a_tuple_is_a_name_where_a_table_has_it() -> None:
    table = {("a", 1): [1.0, 2], ("a", 2): [3.0, 4]}
    keys = [
        json.dumps(prepared(Case(cydp.count, (), {"column": name}), table).query.to_dict())
        for name in table
    ]
    assert keys[0] != keys[1]
    with pytest.raises(TypeError, match="user must be the name"):
        Session([1.0, 2.0], PrivacyFilter(PureDP(1)), user=(SECRET, "bob"), max_rows=1)
    numbers = Session({1: [1.0] * 90, "1": [3.0] * 90}, PrivacyFilter(PureDP(99)))
    one, two = (
        numbers.contingency_tables({c: (4, (0, 4))}, [c], epsilon=9).noisy[0] for c in (1, "1")
    )
    assert int(one.argmax()) == 1
    assert int(two.argmax()) == 3


def test_a_query_is_restored_from_its_dictionary() -> None:
    def check(case: Case) -> bool:
        query = prepared(case).query
        kept, reads = query.to_dict(), query.reads
        found = Query.from_dict(
            json.loads(json.dumps(kept)), keys=reads.keys, edges=reads.edges, public=reads.public
        )
        again = pickle.loads(pickle.dumps(query))
        return found == query == again and found.to_dict() == kept == again.to_dict()

    assert every(check) == []
    kept = prepared(CASES["value_counts"]).query.to_dict()
    for wrong in ({"version": 2}, {}):
        with pytest.raises(ValueError, match="must be"):
            Query.from_dict(kept | wrong)
