"""A run is paid once, before anything is read, and drawn once, whoever goes on with it."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cydp
from cydp import ZCDP, ApproxDP, BudgetExceededError, BudgetLedger, PrivacyFilter, PureDP
from cydp.accounting import ChargeConflictError, ChargeInDoubtError, LedgerError, PrivacyError
from cydp.distributed import PieceTally, ReleasePlan, Run, SavedRun, prepare
from cydp.testing import SeededGenerator

TABLE = {"s": ["a", "b", "a", "c", None], "u": [1, 1, 2, 3, 3], "x": [1.0, 2.0, None, 4.0, 5.0]}
LIKE: dict[str, Any] = {name: [] for name in TABLE}
GIVEN: dict[str, Any] = {"keys": ["a", "b"], "user": "u", "max_partitions": 1, "epsilon": 1}


def planned(**further: Any) -> ReleasePlan:
    return prepare(cydp.group_by, LIKE, "s", **(GIVEN | further))


def tallies_of(run: Run, pieces: int = 2) -> list[PieceTally]:
    places = run.reader.pieces_of(TABLE, pieces)
    return [
        run.reader.tally(
            {name: [each for each, at in zip(column, places, strict=True) if at == piece]
             for name, column in TABLE.items()},
            piece=piece, pieces=pieces,
        )
        for piece in range(pieces)
    ]  # fmt: skip


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[BudgetLedger]:
    with BudgetLedger.create(tmp_path / "l", PureDP(9), privacy_unit="u") as made:
        yield made


def test_the_release_is_that_of_the_whole_table() -> None:
    run = planned(epsilon=10**6).pay(None, rng=SeededGenerator(1))
    made = run.release(tallies_of(run), rng=SeededGenerator(2))
    local = cydp.group_by(TABLE, "s", **GIVEN | {"epsilon": 10**6}, rng=SeededGenerator(3))
    assert type(made) is type(local)
    assert made.query == local.query
    assert made.query.to_dict() == local.query.to_dict()
    assert made.counts.sum() == 2  # of three users one has no row with a key
    assert made.payment is None


def test_noise_is_that_of_the_query() -> None:
    """The same draws as a local release of the same tally."""
    plan = prepare(cydp.histogram, [], 4, (0, 4), epsilon="1/10")
    run = plan.pay(None)
    made = run.release([run.reader.tally([1.0, 3.5], piece=0, pieces=1)], rng=SeededGenerator(7))
    assert made == cydp.histogram([1.0, 3.5], 4, (0, 4), epsilon="1/10", rng=SeededGenerator(7))


def test_it_is_paid_once_and_drawn_once() -> None:
    budget = PrivacyFilter(PureDP(1))
    run = planned().pay(budget)
    assert budget.remaining == PureDP(0)
    tallies = tallies_of(run)
    release = run.release(iter(tallies))
    assert run.release([]) is run.release(tallies) is release
    assert budget.remaining == PureDP(0)
    with pytest.raises(BudgetExceededError):
        planned().pay(budget)


def test_threads_draw_once() -> None:
    run = planned(epsilon="1/1000").pay(None)
    tallies, found = tallies_of(run), list[Any]()

    def slowly() -> Iterator[PieceTally]:  # so that other threads come meanwhile
        time.sleep(0.02)
        yield from tallies

    threads = [
        threading.Thread(target=lambda: found.append(run.release(slowly()))) for _ in range(8)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 8
    assert {id(each) for each in found} == {id(found[0])}


def test_what_is_refused_draws_nothing_and_may_be_repeated() -> None:
    run, other = planned().pay(PrivacyFilter(PureDP(1))), planned().pay(None)
    tallies = tallies_of(run)
    mixed = [tallies[0], tallies_of(other)[1]]
    wrong: list[Any] = [
        [], tallies[:1], tallies + tallies[1:], mixed, [tallies[0], tallies_of(run, 3)[2]],
        [tallies[0], "tally"], tallies[1],
    ]  # fmt: skip
    for given in wrong:
        with pytest.raises((TypeError, ValueError), match=r"pieces|piece|this run|PieceTally") as e:
            run.release(given)
        assert "nothing was released" in str(e.value.__notes__)
    assert type(run.release(tallies)) is type(other.release(tallies_of(other)))


def test_a_user_in_two_pieces_is_refused() -> None:
    """Else they could change the answers twice as far; rows without a user may be anywhere."""
    reader = planned().pay(None).reader
    (place,) = {*reader.pieces_of({**TABLE, "u": [7] * 5}, 50).tolist()}
    users: dict[str, Any] = {"s": ["a"] * 3, "x": [1.0] * 3, "u": [7, None, 7]}
    other = (place + 1) % 50
    assert reader.tally(users, piece=place, pieces=50).done == {place}
    assert reader.tally(users | {"u": [None] * 3}, piece=other, pieces=50).done == {other}
    with pytest.raises(ValueError, match="no rows of users of other pieces"):
        reader.tally(users, piece=other, pieces=50)
    promised = reader.tally(users, piece=other, pieces=50, users_in_one_piece=True)
    assert promised.done == {other}


def test_other_tallies_are_not_added() -> None:
    run = planned().pay(None)
    one, two = tallies_of(run)
    again = run.reader.tally(LIKE, piece=0, pieces=2)
    for other, words in (
        (tallies_of(planned().pay(None))[1], "one run"),
        (tallies_of(planned(epsilon=2).pay(None))[1], "one run"),
        (tallies_of(run, 3)[1], "one run"),
        (again, "counted once"),
    ):
        with pytest.raises(ValueError, match=words):
            one + other
    with pytest.raises(ValueError, match="counted once"):
        (one + two) + again
    assert (one + two).done == {0, 1}
    for wrong in (1, 0.0, False):
        with pytest.raises(TypeError):
            wrong + one
    with pytest.raises(TypeError):
        one + 1


def test_tables_of_other_runs_or_with_a_piece_twice_are_refused() -> None:
    run = planned().pay(None)
    one, two = (each.to_arrow() for each in tallies_of(run))
    read = run.reader.from_arrow
    other = tallies_of(planned().pay(None))[1].to_arrow()

    def joined(*tables: pa.Table) -> pa.Table:
        return pa.concat_tables([each.replace_schema_metadata(None) for each in tables])

    assert read(joined(one, two), pieces=2).done == {0, 1}
    none = joined(one).slice(0, 0)
    assert read(none, pieces=2).done == set()
    far = pa.table({"key": pa.array([10**6]), "low": pa.array([1]), "high": pa.array([0])})
    wrong = {
        "counted once": joined(one, one), "this run": joined(one, other),
        "no other keys": joined(one, far), "columns": one.drop_columns(["low"]),
        "integers": one.cast(pa.schema({name: pa.float64() for name in one.column_names})),
    }  # fmt: skip
    for words, table in wrong.items():
        with pytest.raises(ValueError, match=words):
            read(table, pieces=2)
    with pytest.raises(ValueError, match="this run"):
        read(joined(one, two), pieces=3)


def test_engines_add_tables_up() -> None:
    run = planned().pay(None)
    tallies = tallies_of(run, 3)
    rows = pa.concat_tables([each.to_arrow().replace_schema_metadata(None) for each in tallies])
    one, two, three = tallies
    wanted = pickle.dumps(one + two + three)
    frame = pl.from_arrow(rows)
    assert isinstance(frame, pl.DataFrame)
    sums: dict[str, Any] = {
        "DuckDB": duckdb.sql(
            "select key, sum(low)::bigint as low, sum(high)::bigint as high from rows group by key"
        ),
        "polars": frame.group_by("key").agg(pl.col("low").sum(), pl.col("high").sum()),
        "pandas": rows.to_pandas().groupby("key").sum().reset_index(),
        "pyarrow": rows,  # one below the other
    }
    for name, table in sums.items():
        assert pickle.dumps(run.reader.from_arrow(table, pieces=3)) == wanted, name
    uncast = duckdb.sql("select key, sum(low) as low, sum(high) as high from rows group by key")
    with pytest.raises(ValueError, match="integers of 64 bits"):
        run.reader.from_arrow(uncast, pieces=3)


@pytest.mark.parametrize(
    "extra", ["duckdb", "matplotlib", "nanoarrow", "pandas", "polars", "pyarrow"]
)
def test_without_an_extra_pieces_are_read_and_added(
    extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.split(".")[0] == extra] or [extra]:
        monkeypatch.setitem(sys.modules, name, None)
    run = pickle.loads(pickle.dumps(planned())).pay(None)
    one, two = tallies_of(run)
    assert len(run.release([one + two]).counts) == 2
    if extra in ("nanoarrow", "pyarrow"):
        with pytest.raises(ImportError, match=extra):
            one.to_arrow()


def test_a_refused_charge_reads_nothing(ledger: BudgetLedger) -> None:
    reads = list[str]()

    class Watched(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            reads.append(name)
            return super().__getitem__(name)

    plan = prepare(cydp.group_by, Watched(TABLE), "s", **GIVEN | {"epsilon": 10})
    seen = len(reads)
    with pytest.raises(BudgetExceededError):
        plan.pay(ledger)
    with pytest.raises(TypeError, match="budget must be"):
        plan.pay("path")  # type: ignore[arg-type]
    assert len(reads) == seen
    assert ledger.spent == PureDP(0)


def test_rows_that_are_only_looked_like_are_never_read() -> None:
    class Never:
        """A column that has a type and no readable rows."""

        def __init__(self, dtype: str) -> None:
            self.dtype, self.ndim = np.dtype(dtype), 1

        def __len__(self) -> int:
            return 5

        def __array__(self, *_: Any, **__: Any) -> Any:
            raise AssertionError("a row was read")

    like = {"s": Never("int64"), "u": Never("int64"), "x": Never("float64")}
    for given in ({"sums": {"x": (0, 5)}}, {"means": {"x": (0, 5)}}, {}):
        plan = prepare(cydp.group_by, like, "s", **GIVEN | {"keys": [1, 2]} | given)
        assert plan.pay(None).reader


def test_a_plan_of_types_alone_holds_no_record() -> None:
    secret = {"s": ["secret", "a"], "u": ["hidden", "bob"], "x": [77.25, 1.0]}
    plan = prepare(cydp.group_by, secret, "s", **GIVEN, sums={"x": (0, 5)})
    text = str(pickle.dumps(plan)) + repr(plan)
    assert "secret" not in text
    assert "hidden" not in text
    assert np.float64(77.25).tobytes() not in pickle.dumps(plan)
    schema = pa.schema({"s": pa.string(), "u": pa.int64(), "x": pa.float64()})
    assert len(pickle.dumps(prepare(cydp.group_by, schema, "s", **GIVEN))) < 3000


def test_a_plan_is_of_no_file(tmp_path: Path) -> None:
    """A charge id belongs to the table of the workers, and not to the file that it looks like."""
    pq.write_table(pa.table(TABLE), tmp_path / "like.parquet")
    plan = prepare(cydp.group_by, str(tmp_path / "like.parquet"), "s", **GIVEN)
    assert plan.query.path is None
    assert plan.fingerprint == prepare(cydp.group_by, pa.table(TABLE), "s", **GIVEN).fingerprint


def test_the_fingerprint_is_of_query_keys_and_types() -> None:
    def of(like: Any = LIKE, **further: Any) -> str:
        return prepare(cydp.group_by, like, "s", **GIVEN | further).fingerprint

    others = [
        of(epsilon=2), of(keys=["a", "c"]), of(max_partitions=2), of(sums={"x": (0, 1)}),
        of({**LIKE, "u": np.zeros(0, np.int64)}),
    ]  # fmt: skip
    assert of() == of(TABLE) == of({**LIKE, "other": []})
    assert len({of(), *others}) == 6
    assert pickle.loads(pickle.dumps(planned())).fingerprint == of()


def test_a_recorded_release_is_given_back_after_a_restart(ledger: BudgetLedger) -> None:
    scope = ledger.scope(charge_id="one", data_version="v")
    run = planned().pay(scope)
    release = run.release(tallies_of(run))
    assert release.payment.charge_id == "one"
    assert ledger.spent == PureDP(1)
    again = planned().pay(ledger.scope(charge_id="one", data_version="v"))
    assert again.release([]) == release
    assert again.release([]).payment == release.payment
    assert again.release([]).payment.recorded
    assert ledger.spent == PureDP(1)
    for wrong in (planned(epsilon=2), planned(keys=["a", "c"])):
        with pytest.raises(ChargeConflictError):
            wrong.pay(scope)


def test_a_driver_that_stopped_goes_on_without_a_second_charge(ledger: BudgetLedger) -> None:
    scope = ledger.scope(charge_id="one")
    run = planned().pay(scope)
    saved = pickle.dumps(run.save())
    tallies = tallies_of(run)
    del run
    with pytest.raises(ChargeInDoubtError):  # not without what was saved
        planned().pay(scope)
    resumed = pickle.loads(saved).resume(ledger)
    release = resumed.release(tallies)  # which were made before: the key is the same
    assert ledger.spent == PureDP(1)
    assert pickle.loads(saved).resume(ledger).release([]) == release
    assert planned().pay(scope).release([]) == release
    assert release.payment == resumed.release([]).payment
    assert release.payment.charge_id == "one"


def test_two_drivers_of_one_run_never_give_two_releases(ledger: BudgetLedger) -> None:
    run = planned(epsilon="1/1000").pay(ledger.scope(charge_id="one"))
    others = [run.save().resume(ledger) for _ in range(4)]  # all before the first has drawn
    tallies = tallies_of(run)
    releases = [each.release(tallies) for each in (*others, run)]
    assert all(each == releases[0] for each in releases)
    assert ledger.result("one") is not None


def test_only_the_ledger_that_paid_resumes(ledger: BudgetLedger, tmp_path: Path) -> None:
    saved = planned().pay(ledger.scope(charge_id="one")).save()
    with BudgetLedger.create(tmp_path / "other", PureDP(9), privacy_unit="u") as other:
        with pytest.raises(ValueError, match="the one that has paid"):
            saved.resume(other)
        never = SavedRun(saved.reader, saved.receipt, other.uuid)
        with pytest.raises(LedgerError, match="not in the ledger"):
            never.resume(other)
    with pytest.raises(TypeError, match="BudgetLedger"):
        saved.resume(PrivacyFilter(PureDP(1)))  # type: ignore[arg-type]


def test_what_could_be_drawn_twice_is_not_saved_or_copied(ledger: BudgetLedger) -> None:
    for budget in (None, PrivacyFilter(PureDP(1)), ledger, ledger.scope(label="a")):
        run = planned().pay(budget)
        with pytest.raises(TypeError, match="saved only if a ledger records"):
            _ = run.save()
        for copied in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled or copied"):
                copied(run)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_draws_nothing() -> None:
    run = planned().pay(PrivacyFilter(PureDP(1)))
    tallies = tallies_of(run)
    child = os.fork()
    if child == 0:
        try:
            run.release(tallies)
        except PrivacyError:
            os._exit(3)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3


def test_nothing_seeded_is_paid_for(ledger: BudgetLedger) -> None:
    for budget in (PrivacyFilter(PureDP(1)), ledger):
        with pytest.raises(TypeError, match="seeded"):
            planned().pay(budget, rng=SeededGenerator(1))
        assert budget.spent == PureDP(0)
        run = planned().pay(budget)
        with pytest.raises(TypeError, match="seeded"):
            run.release(tallies_of(run), rng=SeededGenerator(1))


def test_the_key_is_secret_and_new_for_each_run() -> None:
    plan = planned()
    one, two = (plan.pay(None).reader for _ in range(2))
    assert one._key != two._key
    assert len(one._key) == 16
    assert one.number != two.number
    assert str(one._key) not in repr(one)


def test_blocks_and_noise_that_a_budget_would_choose_are_said(tmp_path: Path) -> None:
    with BudgetLedger.create(
        tmp_path / "l", PureDP(9), privacy_unit="u", by_block=True, block_column="day"
    ) as ledger:
        ledger.add_block("mon")
        plan = planned(unit="u")
        with pytest.raises(ValueError, match="table_in_blocks=True"):
            plan.pay(ledger.scope(blocks=["mon"]))
        assert ledger.scope(blocks=["mon"]).spent == PureDP(0)
        plan.pay(ledger.scope(blocks=["mon"], table_in_blocks=True))
        assert ledger.scope(blocks=["mon"]).spent == PureDP(1)
    budget = PrivacyFilter(ZCDP(9))
    with pytest.raises(ValueError, match="noise must be given"):
        planned(delta=1e-6).pay(budget)
    assert planned(delta=1e-6, noise="gaussian").pay(budget).reader
    assert planned(delta=1e-6).pay(PrivacyFilter(ApproxDP(9, 0.1))).reader


def test_a_pool_of_two_processes(tmp_path: Path, ledger: BudgetLedger) -> None:
    """Files are read by their paths, on workers that are started anew."""
    table = pa.table(TABLE)
    run = prepare(cydp.group_by, table.schema, "s", **GIVEN).pay(ledger)
    places = run.reader.pieces_of(table, 2)
    files = [str(tmp_path / f"{piece}.parquet") for piece in range(2)]
    for piece, file in enumerate(files):
        pq.write_table(table.filter(pa.array(places == piece)), file)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        tasks = [
            pool.submit(run.reader.tally, file, piece=piece, pieces=2)
            for piece, file in enumerate(files)
        ]
        tallies = [each.result() for each in tasks]
    here = [
        run.reader.tally(table.filter(pa.array(places == i)), piece=i, pieces=2) for i in range(2)
    ]
    assert [pickle.dumps(each) for each in tallies] == [pickle.dumps(each) for each in here]
    assert run.release(tallies).payment.seq == ledger.head()[0]
