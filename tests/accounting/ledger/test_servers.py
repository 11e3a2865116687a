"""accounting/ledger/_postgres_store.py: a ledger on a server that stops, breaks, or forgets."""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from accounting.ledger.ledger_processes import new
from accounting.ledger.postgres_server import Place, PostgresServer, missing, tamper
from accounting.ledger.told_charges import TINY, Counted, Wait, count, told_until_killed

from cydp import BudgetLedger, LedgerError, PureDP
from cydp.accounting import (
    ChargeInDoubtError,
    LedgerCorruptError,
    LedgerRollbackError,
    LedgerSchemaError,
)
from cydp.accounting.ledger import _postgres_store
from cydp.accounting.ledger._postgres_rows import grants
from cydp.cli import main

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=missing()),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
DOCS = Path(__file__).parents[3] / "docs" / "accounting" / "ledger.md"


@pytest.fixture
def place(server: PostgresServer, request: pytest.FixtureRequest) -> Place:
    return Place(server.address(), f"{request.node.name} {time.time_ns()}")


@pytest.fixture
def own() -> Iterator[PostgresServer]:
    """A server of one test, which may stop it."""
    server = PostgresServer()
    yield server
    server.close()


class Proxy:
    """A port before a server that cuts connections in the middle of a COMMIT."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.cut: str | None = None  # "before" or "after" the server has the COMMIT
        self.away = False  # whether nobody can connect
        self._pairs: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.away:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._to))
                self._pairs += [client, server]
                threading.Thread(target=self._ask, args=(client, server), daemon=True).start()
                threading.Thread(target=self._answer, args=(server, client), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                if self.cut and b"COMMIT\0" in data:
                    cut, self.cut = self.cut, None
                    if cut == "after":
                        client.shutdown(socket.SHUT_WR)  # the answer is lost
                        server.sendall(data)
                        time.sleep(0.2)
                    break
                server.sendall(data)
        self._end(client, server)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data)
        self._end(client, server)

    @staticmethod
    def _end(*ends: socket.socket) -> None:
        for each in ends:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.break_all()

    def break_all(self) -> None:
        """Cut all connections."""
        self._end(*self._pairs)


@pytest.fixture
def proxy(server: PostgresServer) -> Iterator[Proxy]:
    found = Proxy(server.port)
    yield found
    found.close()


def behind(proxy: Proxy, server: PostgresServer, place: Place) -> Place:
    return Place(server.address(port=proxy.port), place.partition("#")[2])


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_connection_that_breaks_in_a_commit(
    proxy: Proxy, server: PostgresServer, place: Place, cut: str
) -> None:
    """What the server has is charged, once; what it has not is refused. Nobody is left in doubt."""
    new(place).close()
    with BudgetLedger.open(behind(proxy, server, place)) as ledger:
        ledger.charge(PureDP("0.125"))
        proxy.cut = cut
        if cut == "before":
            with pytest.raises(LedgerError, match="and nothing was charged: try again"):
                ledger.charge(PureDP("0.25"), charge_id="monday")
            assert ledger.spent == PureDP("0.125")
            ledger.charge(PureDP("0.25"), charge_id="monday")
        else:
            assert ledger.charge(PureDP("0.25"), charge_id="monday").fresh
        assert ledger.spent == PureDP("0.375")
        ledger.verify()


def test_what_was_not_charged_may_not_have_been(
    proxy: Proxy, server: PostgresServer, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is away when the note is to be written, and it had answered before."""
    look_up = _postgres_store.PostgresStore._look_up

    def and_leave(store: Any) -> bool:
        found = look_up(store)
        monkeypatch.setattr(_postgres_store, "BUSY_SECONDS", 1)
        proxy.away = True
        proxy.break_all()
        return found

    new(place).close()
    with BudgetLedger.open(behind(proxy, server, place)) as ledger:
        monkeypatch.setattr(_postgres_store.PostgresStore, "_look_up", and_leave)
        proxy.cut = "before"
        with pytest.raises(LedgerError, match="and nothing was charged: try again") as error:
            ledger.charge(PureDP("0.25"), charge_id="monday")
        assert not hasattr(error.value, "__notes__")
        monkeypatch.undo()
        proxy.away = False
        assert ledger.spent == PureDP(0)


def test_many_charges_that_were_not_made_are_said_not_to_be(
    proxy: Proxy, server: PostgresServer, place: Place
) -> None:
    new(place).close()
    with BudgetLedger.open(behind(proxy, server, place)) as ledger:
        proxy.cut = "before"
        with pytest.raises(LedgerError, match="and nothing was charged: try again"):
            ledger.charge_many([{"cost": PureDP("0.25")}] * 2)
        assert ledger.spent == PureDP(0)


def test_a_result_that_is_not_written_was_charged(
    proxy: Proxy, server: PostgresServer, place: Place
) -> None:
    new(place).close()
    with BudgetLedger.open(behind(proxy, server, place)) as ledger:

        def release() -> int:
            proxy.cut = "before"
            return 1

        with pytest.raises(LedgerError, match="broke before the server had") as error:
            ledger.once("monday", PureDP("0.25"), release)
        assert str(error.value).endswith("broke before the server had written")
        assert "was charged as entry 3" in error.value.__notes__[0]
        assert ledger.spent == PureDP("0.25")


def charge_while_it_is_cut(
    proxy: Proxy, server: PostgresServer, place: Place, cuts: int
) -> Counted:
    """Cut COMMITs of four processes, one after the other; what became of their charges."""

    def cut(_: Wait) -> None:
        for number in range(cuts):
            proxy.cut = "after" if number % 2 else "before"
            while proxy.cut:
                time.sleep(0.01)

    told = told_until_killed(behind(proxy, server, place), "cuts", 4, cut, again=True)
    return count(place, told)


@pytest.mark.parametrize("cuts", [12, pytest.param(200, marks=pytest.mark.long)])
def test_connections_that_break_in_commits_of_many(
    proxy: Proxy, server: PostgresServer, place: Place, cuts: int
) -> None:
    new(place).close()
    found = charge_while_it_is_cut(proxy, server, place, cuts)
    assert found.lost == found.twice == found.wrongly_refused == 0
    # Every second COMMIT did not reach the server; some only read, for the note of an error.
    assert found.refused >= cuts // 8


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_server_that_is_away_leaves_a_doubt_that_is_looked_up(
    proxy: Proxy, server: PostgresServer, place: Place, cut: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    new(place).close()
    with BudgetLedger.open(behind(proxy, server, place)) as ledger:
        # Not before: the server itself ends a transaction that is idle for as long.
        monkeypatch.setattr(_postgres_store, "BUSY_SECONDS", 1)
        proxy.cut, proxy.away = cut, True
        with pytest.raises(
            ChargeInDoubtError, match="take it as spent, and release nothing"
        ) as error:
            ledger.charge(PureDP("0.25"), charge_id="monday")
        assert "may have been charged as entry 3" in error.value.__notes__[0]
        with pytest.raises(LedgerError, match="cannot use"):
            ledger.charge(PureDP("0.125"))
        monkeypatch.undo()
        proxy.away = False
        assert ledger.spent == PureDP("0.25" if cut == "after" else 0)
        if cut == "after":
            with pytest.raises(ChargeInDoubtError, match="has no recorded result"):
                ledger.charge(PureDP("0.25"), charge_id="monday")
        ledger.verify()


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_move_whose_commit_nobody_answers_leaves_one_ledger(
    proxy: Proxy, server: PostgresServer, place: Place, cut: str
) -> None:
    new(place).close()
    with BudgetLedger.open(behind(proxy, server, place)) as ledger:
        ledger.charge(PureDP("0.125"))
        proxy.cut = cut
        if cut == "before":
            with pytest.raises(LedgerError, match="this ledger is as it was; the copy is frozen"):
                ledger.move(place.with_name("there"))
        else:
            ledger.move(place.with_name("there"))
    charged = []
    for each in (place, place.with_name("there")):
        with BudgetLedger.open(each) as copy, suppress(LedgerError):
            charged.append(copy.charge(TINY))
    assert len(charged) == 1


def charge_while_it_stops(own: PostgresServer, place: Place, stops: int) -> Counted:
    """Stop a server again and again while four processes charge; what became of their charges."""
    rng = random.Random(1)

    def stop(wait: Wait) -> None:
        for _ in range(stops):
            wait(6)
            time.sleep(rng.random() / 4)
            own.stop("immediate")
            own.start()
        wait(1)

    return count(place, told_until_killed(place, "stops", 4, stop, again=True))


@pytest.mark.parametrize("stops", [3, pytest.param(50, marks=pytest.mark.long)])
def test_a_server_that_stops_as_in_a_power_cut(own: PostgresServer, stops: int) -> None:
    """Whatever was acknowledged is there, nothing is there twice, and no refusal was wrong."""
    place = Place(own.address(), "visits")
    new(place, PureDP(1)).close()
    found = charge_while_it_stops(own, place, stops)
    assert found.lost == found.twice == found.wrongly_refused == 0
    assert found.acknowledged > 5 * stops
    assert found.refused > 0
    assert found.in_doubt <= 4  # of those who were killed at the end


def test_a_server_that_was_set_back_is_refused(own: PostgresServer) -> None:
    """As by a restored backup, or a standby that lost the last transactions."""
    place = Place(own.address(), "visits")
    with new(place) as ledger:
        head = set_back(own, ledger)
        for use in (ledger.head, lambda: ledger.charge(TINY), lambda: ledger.spent, ledger.history):
            with pytest.raises(LedgerRollbackError, match="does not have the entry 4 that it had"):
                use()
    with pytest.raises(LedgerRollbackError, match="older than expect_head"):
        BudgetLedger.open(place, expect_head=head)
    with BudgetLedger.open(place) as other:  # who has seen nothing cannot tell
        assert other.spent == PureDP("0.125")


def set_back(own: PostgresServer, ledger: BudgetLedger) -> tuple[int, str]:
    """Charge twice, let the server forget the second charge, and return the head after it."""
    ledger.charge(PureDP("0.125"))
    own.stop()
    backup = own.folder / "backup"
    shutil.copytree(own.data, backup)
    own.start()
    ledger.charge(PureDP("0.25"))
    head = ledger.head()
    own.stop()
    shutil.rmtree(own.data)
    backup.rename(own.data)
    give_to_owner(own)
    own.start()
    return head


def give_to_owner(server: PostgresServer) -> None:
    owner = server.folder.stat()
    for each in (server.data, *server.data.rglob("*")):
        os.chown(each, owner.st_uid, owner.st_gid)
    server.data.chmod(0o700)


def test_servers_that_may_lose_charges_are_refused(own: PostgresServer) -> None:
    place = Place(own.address(), "visits")
    new(place).close()
    for name in ("fsync", "full_page_writes"):
        own.stop()
        own.set(**{name: "off"})
        own.start()
        with pytest.raises(LedgerError, match=f"{name} = off, and may lose charges"):
            BudgetLedger.open(place)
        own.set(**{name: "on"})
    own.stop()
    own.set(synchronous_commit="off")
    own.start()
    with BudgetLedger.open(place) as ledger:
        shown: list[Any] = []
        ledger._store.write(
            lambda rows: shown.extend(
                rows._connection.execute(f"SHOW {name}").fetchone()[0]  # type: ignore[attr-defined]
                for name in ("synchronous_commit", "lock_timeout")
            )
        )
        assert shown == ["on", "30s"]
    own.stop()
    own.set(default_transaction_read_only="on")  # as a standby has it
    own.start()
    with pytest.raises(LedgerError, match="standby"):
        BudgetLedger.open(place)
    with BudgetLedger.open(place, read_only=True) as ledger:
        assert ledger.spent == PureDP(0)


def test_a_full_disk(own: PostgresServer) -> None:
    """Files of the server may not grow; what does not fit is refused, and all else stays."""
    place = Place(own.address(), "visits")
    new(place).close()
    own.stop()
    own.start(most_bytes=17 * 2**20)  # segments of its log have 16 MiB
    noise = np.random.default_rng(1)
    ledger = BudgetLedger.open(place)
    done: list[tuple[str, Any]] = []

    def fill() -> None:
        for number in range(30):
            result = noise.integers(0, 2**62, 2**17)
            ledger.once(f"{number}", PureDP("0.01"), lambda found=result: found, function="f")
            done.append((f"{number}", result))

    with pytest.raises(LedgerError, match=r"cannot use .*: error ") as error:
        fill()
    assert "was charged as entry" in str(error.value.__notes__)
    ledger.close()
    assert len(done) > 3
    own.stop()
    own.start()
    with BudgetLedger.open(place) as ledger:
        ledger.verify()
        for charge_id, result in done:
            assert (ledger.result(charge_id) == result).all()
        assert ledger.spent.epsilon == PureDP("0.01").epsilon * (len(done) + 1)
        with pytest.raises(ChargeInDoubtError):
            ledger.result(str(len(done)))


def test_rights(server: PostgresServer, place: Place) -> None:
    """By what the command prints: who charges can neither change nor delete; readers only read."""
    import psycopg

    new(place).close()
    given = grants("service") + grants("auditor", read_only=True)
    assert re.findall(r"```sql\n(.*?)```", DOCS.read_text(), re.DOTALL) == [given]
    with psycopg.connect(server.address(), autocommit=True) as owner:
        for role in ("service", "auditor"):
            owner.execute(f"DROP OWNED BY {role}") if exists(owner, role) else None
            owner.execute(f"DROP ROLE IF EXISTS {role}")
            owner.execute(f"CREATE ROLE {role} LOGIN")
        owner.execute(given)
    name = place.partition("#")[2]
    service, auditor = (Place(server.address(role), name) for role in ("service", "auditor"))
    with BudgetLedger.open(service) as ledger:
        ledger.once("monday", PureDP("0.25"), lambda: 1, function="f")
        ledger.verify()
    with BudgetLedger.open(auditor, read_only=True) as ledger:
        assert ledger.spent == PureDP("0.25")
        assert "0.25" in ledger.report().text
        ledger.verify()
    with (
        BudgetLedger.open(auditor) as ledger,
        pytest.raises(LedgerError, match="has not the rights"),
    ):
        ledger.charge(PureDP("0.25"))
    with psycopg.connect(server.address("service"), autocommit=True) as connection:
        for table in ("about", "entry", "block", "state", "outcome", "ledger"):
            for command in (f"DELETE FROM cydp.{table}", f"TRUNCATE cydp.{table} CASCADE"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(command)
        for change in ("entry SET body = ''", "state SET spent = ''", "ledger SET name = 'x'"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"UPDATE cydp.{change}")


def exists(connection: Any, role: str) -> bool:
    found = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,))
    return found.fetchone() is not None


ROLES = ["Service", 'a "b"; DROP SCHEMA cydp', "with space", "\u65e5"]


@pytest.mark.parametrize("role", ROLES)
def test_grants_are_for_the_role_of_that_name(
    role: str, server: PostgresServer, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    import psycopg
    from psycopg.sql import SQL, Identifier

    new(place).close()
    with psycopg.connect(server.address()) as owner:  # which is rolled back
        owner.execute(SQL("CREATE ROLE {}").format(Identifier(role)))
        for more, right in (["--read-only"], False), ([], True):
            assert main(["ledger", "grants", "--role", role, *more]) == 0
            owner.execute(capsys.readouterr().out)
            for may, wanted in (("SELECT", True), ("INSERT", right), ("UPDATE", False)):
                found = owner.execute(
                    "SELECT has_table_privilege(%s, 'cydp.entry', %s)", (role, may)
                )
                assert found.fetchone() == (wanted,)
        owner.rollback()
    for wrong in ("", "x" * 64, "a\0b"):
        with pytest.raises(SystemExit):
            main(["ledger", "grants", "--role", wrong])
        assert "--role must have 1 to 63 bytes" in capsys.readouterr().err


def test_even_the_owner_only_adds(server: PostgresServer, place: Place) -> None:
    import psycopg

    with new(place) as ledger:
        ledger.once("monday", PureDP("0.25"), lambda: 1, function="f")
    with psycopg.connect(server.address(), autocommit=True) as connection:
        for table in ("about", "entry", "block", "state", "outcome", "ledger"):
            for command in (f"DELETE FROM cydp.{table}", f"TRUNCATE cydp.{table} CASCADE"):
                with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                    connection.execute(command)
        for change in ("entry SET body = ''", "state SET spent = ''", "ledger SET name = 'x'"):
            with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                connection.execute(f"UPDATE cydp.{change}")


TAMPERED = {
    "a sum": "UPDATE state SET spent = '[\"0\"]' WHERE step = 1 AND ledger = {key}",
    "an entry": "UPDATE entry SET body = replace(body, '1/4', '1/8') WHERE ledger = {key}",
    "an entry that is missing": "DELETE FROM entry WHERE seq = 3 AND ledger = {key}",
    "a result": "UPDATE outcome SET result = '2' WHERE ledger = {key}",
    "an id": "UPDATE entry SET charge_id = 'tuesday' WHERE seq = 3 AND ledger = {key}",
    "the key of an id": "UPDATE entry SET charge_key = 'x' WHERE seq = 3 AND ledger = {key}",
    "a budget": "UPDATE block SET budget = '[\"2\"]' WHERE ledger = {key}",
    "a block": "INSERT INTO block VALUES ({key}, 'x', 'x', '[\"1\"]')",
}


@pytest.mark.parametrize("what", TAMPERED)
def test_changes_are_noticed(place: Place, what: str) -> None:
    with new(place) as ledger:
        ledger.once("monday", PureDP("0.25"), lambda: 1, function="f")
    tamper(place, TAMPERED[what].format(key=place.key))
    with BudgetLedger.open(place) as ledger, pytest.raises(LedgerCorruptError):
        ledger.verify()


def test_addresses_and_messages(server: PostgresServer, place: Place) -> None:
    """No message shows a password, or a value of the ledger."""
    refused: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
        "no name": (lambda: BudgetLedger.open(server.address()), ValueError, "after '#'"),
        "no ledger": (lambda: BudgetLedger.open(f"{server.address()}#x"), LedgerError, "no ledger"),
        "no database": (
            lambda: BudgetLedger.open("postgresql://me:secret@127.0.0.1:1/x#v"), LedgerError,
            "cannot use postgresql://127.0.0.1:1/x#v",
        ),
        "no text": (lambda: new(place).charge(TINY, charge_id="a\0b"), LedgerError, "NUL"),
    }  # fmt: skip
    for call, error, words in refused.values():
        with pytest.raises(error, match=words) as raised:
            call()
        assert "secret" not in str(raised.value)


@pytest.mark.parametrize("name", ["%20", "%20%09", "a%0Ab", "a\nb", "a%00b", "a%7F", "%E2%80%A8"])
def test_names_that_cannot_be_read_in_a_line_are_refused(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is connected."""
    monkeypatch.setattr(_postgres_store, "import_extra", pytest.fail)
    with pytest.raises(ValueError, match="path must name a ledger by more than spaces"):
        BudgetLedger.open(f"postgresql://me:secret@h/d#{name}")
    with pytest.raises(SystemExit):
        main(["ledger", "show", f"postgresql://me:secret@h/d#{name}"])
    said = capsys.readouterr().err
    assert "PATH must name a ledger by more than spaces" in said
    assert "secret" not in said


def test_a_missing_library_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SystemExit) as ended_by:
        main(["ledger", "show", "postgresql://h/d#v"])
    assert ended_by.value.code == 2
    wanted = "a ledger on a PostgreSQL server needs psycopg: pip install 'cydp[postgres]'"
    assert wanted in capsys.readouterr().err


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_the_default_isolation_of_a_database_does_not_matter(
    server: PostgresServer, place: Place, level: str
) -> None:
    """A charge that has waited for another one sees what that one has spent."""
    options = quote(f"-c default_transaction_isolation={level}".replace("e r", "e\\ r"))
    there = Place(f"{server.address()}?options={options}", place.partition("#")[2])
    new(place, PureDP(1)).close()

    def charge(_: int) -> None:
        with BudgetLedger.open(there) as ledger:
            for _ in range(5):
                ledger.charge(PureDP("0.01"))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(charge, range(4)))
    with BudgetLedger.open(place) as ledger:
        assert ledger.spent == PureDP("0.2")


ADDRESSES = [
    "postgresql+psycopg://me:SECRET@h/d#v", "Postgresql://me:SECRET@h/d#v",
    " postgresql://me:SECRET@h/d#v", "postgresql:/me:SECRET@h/d#v", "postgresql:me:SECRET@h/d#v",
    "postgresql://me:a/SECRET@h/d#v", "postgresql://me:a#SECRET@h/d#v",
    "postgresql://me:x@y#SECRET@h/d#v", "postgresql://me:SECRET/d#v", "mysql://me:SECRET@h/d",
    "postgresql://me:SECRET?x@h/d#v", "dbname=d password=SECRET#v",
]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_is_no_address_is_refused_and_not_shown(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match="path must") as error:
        BudgetLedger.open(address)
    with pytest.raises(SystemExit):
        main(["ledger", "show", address])
    assert "SECRET" not in str(error.value) + capsys.readouterr().err


@pytest.mark.parametrize(
    "address",
    ["postgresql://h/d", "postgres://me:p%2F%23@[::1]:5432,h-2.x:5433/d?sslmode=require",
     "postgresql://", "postgresql:///d?host=/var/run/postgresql"],
)  # fmt: skip
def test_addresses_of_all_kinds(address: str) -> None:
    store = _postgres_store.PostgresStore(f"{address}#a b")
    assert "p%2F" not in store.place
    assert store.place.endswith("#a b")


def test_a_missing_name_is_told_by_commands(
    server: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["ledger", "show", server.address()])
    assert "after '#'" in capsys.readouterr().err


def test_an_encoding_of_the_client_does_not_matter(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "SQL_ASCII")
    with new(place.with_name("\u65e5")) as ledger:
        assert ledger.charge(TINY, label="\u65e5").fresh


def test_another_version_is_refused_by_its_number(own: PostgresServer) -> None:
    place = Place(own.address(), "visits")
    new(place).close()
    tamper(place, "UPDATE about SET version = 99")
    wanted = r"budgets#{} has tables of version 99, and this version .* reads version 1: update"
    for read_only in (True, False):
        with pytest.raises(LedgerSchemaError, match=wanted.format("visits")):
            BudgetLedger.open(place, read_only=read_only)
    with pytest.raises(LedgerSchemaError, match=wanted.format("visits other")):
        new(place.with_name("other"))
    tamper(place, "DELETE FROM about")
    with pytest.raises(LedgerSchemaError, match="has tables of no version"):
        BudgetLedger.open(place)


def test_ledgers_of_one_database_are_apart(place: Place) -> None:
    with closing(new(place)) as first, closing(new(place.with_name("b"), PureDP(2))) as second:
        first.charge(PureDP("0.5"), charge_id="monday")
        second.charge(PureDP("0.25"), charge_id="monday")
        assert (first.spent, second.spent) == (PureDP("0.5"), PureDP("0.25"))
        assert first.uuid != second.uuid
        first.verify()
        second.verify()


def test_a_lock_that_is_held_is_waited_for_and_told(
    server: PostgresServer, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    ledger = new(place)
    with psycopg.connect(server.address()) as other:
        other.execute("SELECT key FROM cydp.ledger FOR UPDATE")
        assert ledger.spent == PureDP(0)  # readers wait for nobody
        with pytest.raises(LedgerError, match="exists already"):  # nor does who makes a ledger
            new(place)
        monkeypatch.setattr(_postgres_store, "BUSY_SECONDS", 1)
        ledger.close()  # the next connection waits as long
        with pytest.raises(LedgerError, match="for 1 seconds: try again later"):
            ledger.charge(TINY)
        other.rollback()
    monkeypatch.undo()
    ledger.close()
    assert ledger.charge(TINY).fresh
    ledger.close()


class Counting:
    """A connection that counts what it asks the server."""

    def __init__(self, connection: Any) -> None:
        self._connection, self.count = connection, 0

    def execute(self, *given: Any) -> Any:
        self.count += 1
        return self._connection.execute(*given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def test_how_often_a_charge_asks_the_server(place: Place) -> None:
    """On a far server most of the time goes into that."""
    with new(place) as ledger:
        store: Any = ledger._store
        asked = store._connection = Counting(store._connection)
        ledger.charge(TINY)
        assert asked.count == 9
        ledger.charge_many([{"cost": TINY}] * 10)
        assert asked.count == 9 + 9 + 9 * 4
        ledger.verify()


def test_the_command_line(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    create = ["ledger", "create", place, "--epsilon", "1", "--privacy-unit", "row"]
    assert main(create) == 0
    with pytest.raises(SystemExit):
        main(create)
    assert "exists already" in capsys.readouterr().err
    table = str(DOCS.parents[2] / "examples" / "data" / "pums.csv")
    assert main(["count", table, "--epsilon", "0.25", "--ledger", place]) == 0
    assert main(["ledger", "show", place]) == 0
    assert "0.75" in capsys.readouterr().out
    assert main(["ledger", "verify", place]) == 0


def test_where_nothing_can_be_written_commands_are_told_what_can_be_done(
    server: PostgresServer, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    new(place).close()
    options = quote("-c default_transaction_read_only=on")
    there = Place(f"{server.address()}?options={options}", place.partition("#")[2])
    with pytest.raises(LedgerError, match=r"use the primary, or open .* with read_only=True"):
        BudgetLedger.open(there)
    with pytest.raises(SystemExit):
        main(["ledger", "charge", there, "--epsilon", "0.1", "--label", "x"])
    said = capsys.readouterr().err
    assert "use the primary; commands that only look, such as `cydp ledger show`" in said
    assert "read_only" not in said
    assert main(["ledger", "show", there]) == 0
