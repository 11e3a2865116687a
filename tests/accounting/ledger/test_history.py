"""accounting/ledger/_history.py: who charged what, page by page, and in all; in both homes."""

from __future__ import annotations

import datetime
import getpass
import socket
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import new
from accounting.ledger.postgres_server import tamper

from cydp import ZCDP, ApproxDP, BudgetLedger, PureDP, Session
from cydp.accounting import ChargeInDoubtError, LedgerCorruptError
from cydp.accounting.ledger import _serialize
from cydp.cli import main

CENT = PureDP("0.01")


def test_an_entry_says_who_has_written_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with new(path) as ledger:
        ledger.charge(CENT)
        monkeypatch.setenv("CYDP_SERVICE", "nightly")
        ledger.charge(CENT)
        first, second = ledger.history(kind="charge")
    for entry in (first, second):
        assert (entry["user"], entry["host"]) == (getpass.getuser(), socket.gethostname())
        assert entry["version"]
    assert "service" not in first
    assert second["service"] == "nightly"


def test_pages_make_the_whole(path: Path) -> None:
    with new(path) as ledger:
        for i in range(7):
            ledger.charge(CENT, label="ab"[i % 2])
        whole, pages, after = ledger.history(), [], 0
        while page := ledger.history(after=after, most=2):
            assert len(page) <= 2
            pages += page
            after = page[-1]["seq"]
        assert pages == list(whole)
        assert len(whole) == 9
        assert str(ledger.history(after=8)) == str(whole).splitlines()[-1]
        assert ledger.history(after=9) == ledger.history(after=10**9) == []


def test_entries_are_found_by_their_fields(path: Path) -> None:
    with new(path, by_block=True) as ledger:
        ledger.add_blocks(["mon", "tue"])
        for block, label in (("mon", "a"), ("tue", "a"), ("tue", None)):
            ledger.charge(CENT, blocks=[block], label=label)

        def places(**fields: Any) -> list[int]:
            return [entry["seq"] for entry in ledger.history(**fields)]

        assert places(label="a") == [4, 5]
        assert places(label=None) == [6]
        assert places(label="a", blocks=lambda ids: "tue" in ids) == [5]
        assert places(block="mon") == [2]
        assert places(kind="charge", most=1) == [4]
        assert places(kind="charge", after=4, most=1) == [5]
        assert places(time=lambda text: text < "2000") == []
        for wrong in ({"labl": "a"}, {"after": -1}, {"most": 0}):
            with pytest.raises(ValueError, match="must be"):
                ledger.history(**wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="most must be"):
            ledger.history(most="2")  # type: ignore[arg-type]


def test_damage_within_a_page_is_noticed(path: Path) -> None:
    with new(path) as ledger:
        for _ in range(4):
            ledger.charge(CENT, label="ages")
    tamper(path, "UPDATE entry SET body = replace(body, 'ages', 'wage') WHERE seq = 5")
    with BudgetLedger.open(path) as ledger:
        assert len(ledger.history(after=2, most=2)) == 2
        with pytest.raises(LedgerCorruptError, match="entry 5"):
            ledger.history(after=4)


class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz: Any = None) -> Clock:
        return cls(2026, 3, 31, tzinfo=tz)


def test_totals(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_serialize, "datetime", Clock)  # so that no month ends meanwhile
    with new(path, by_block=True) as ledger:
        ledger.add_blocks(["mon", "tue"])
        ledger.charge(CENT, 2, blocks=["mon"], label="a")
        monkeypatch.setenv("CYDP_SERVICE", "nightly")
        ledger.charge(CENT, blocks=["mon", "tue"], label="b")
        ledger.charge(CENT, blocks=["tue"], label="a")
        by_label = ledger.totals("label")
        assert by_label == {"a": PureDP("0.03"), "b": CENT}
        assert list(by_label) == ["a", "b"]
        assert ledger.totals("block") == dict(ledger.spent)
        assert ledger.totals("block") == {"mon": PureDP("0.03"), "tue": PureDP("0.02")}
        assert ledger.totals("service") == {None: PureDP("0.02"), "nightly": PureDP("0.02")}
        assert ledger.totals("user") == {getpass.getuser(): PureDP("0.04")}
        assert ledger.totals("month") == {"2026-03": PureDP("0.04")}
        for by, error in (("colour", ValueError), (1, TypeError)):
            with pytest.raises(error, match="by must be"):
                ledger.totals(by)  # type: ignore[arg-type]


def test_totals_of_a_long_history_take_little_memory(file: Path) -> None:
    with new(file) as ledger:
        ledger.charge_many([{"cost": PureDP("1e-6"), "label": "ages"}] * 2000)
        peaks = {}
        for use in (lambda: ledger.totals("label"), ledger.history):
            tracemalloc.start()
            use()
            peaks[use] = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    totals, history = peaks.values()
    assert totals < history / 10


@pytest.mark.parametrize("budget", [ApproxDP(1, "1e-5"), ZCDP(1)])
def test_totals_of_other_measures(path: Path, budget: Any) -> None:
    cost = budget * 0 + (ApproxDP("0.1", "1e-6") if isinstance(budget, ApproxDP) else ZCDP("0.1"))
    with new(path, budget) as ledger:
        assert ledger.totals("label") == {}
        for _ in range(3):
            ledger.charge(cost)
        assert ledger.totals("label") == {None: ledger.spent}


def test_totals_by_analyst(path: Path) -> None:
    with BudgetLedger.create(path, PureDP(1), privacy_unit="row") as ledger:
        for name in ("ada", "max", "ada"):
            Session([1, 2], ledger, analyst=name).count(epsilon="0.1")
        assert ledger.totals("analyst") == {"ada": PureDP("0.2"), "max": PureDP("0.1")}


def test_the_command_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with new(path) as ledger:
        for label in ("a", "b", "a", None):
            ledger.charge(CENT, label=label)

    def said(*arguments: str) -> list[str]:
        assert main(["ledger", arguments[0], str(path), *arguments[1:]]) == 0
        return capsys.readouterr().out.splitlines()

    assert said("totals", "--by", "label") == [
        "a: epsilon=0.02",
        "b: epsilon=0.01",
        "(none): epsilon=0.01",
    ]
    assert said("totals", "--by", "label", "--json")[1] == '{"label": "b", "epsilon": "0.01"}'
    assert len(said("history", "--kind", "charge")) == 4
    assert [line.split()[0] for line in said("history", "--label", "a")] == ["3", "5"]
    assert [line.split()[0] for line in said("history", "--after", "3", "--most", "2")] == [
        "4",
        "5",
    ]


def test_commands_take_the_place_before_the_first_entry(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new(path).close()
    assert main(["ledger", "history", str(path), "--after", "0"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["1", "2"]
    with pytest.raises(SystemExit):
        main(["ledger", "history", str(path), "--after", "-1"])
    assert "must be a whole number of at least 0" in capsys.readouterr().err


def test_a_result_in_doubt_says_what_can_be_done(path: Path) -> None:
    with new(path) as ledger:
        ledger.charge(PureDP("0.1"), charge_id="monday")
        with pytest.raises(ChargeInDoubtError, match="to release again, use another charge_id"):
            ledger.result("monday")
