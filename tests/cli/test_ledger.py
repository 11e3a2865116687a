"""cli/_ledger.py, cli/_show.py and cli/_release.py with a ledger, as a user runs them."""

import json
import shutil
import sqlite3
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.commands import PUMS, Run, refused

from cydp import BudgetLedger, PureDP
from cydp.cli import _show as cli_show
from cydp.releases._cells import CellRows

COLUMN = ["histogram", PUMS, "--column", "age", "--bins", "10", "--range", "0:100"]
ONE_ROW = ["--max-rows-per-unit", "1"]  # the table has a row for each person
HISTOGRAM = [*COLUMN, *ONE_ROW]


def charges(path: str) -> int:
    with BudgetLedger.open(path) as ledger:
        return sum(entry["kind"] == "charge" for entry in ledger.history())


def test_round_trip(run: Run, path: str) -> None:
    code, head, _ = run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person")
    assert (code, head[:8]) == (0, "head: 2:")
    code, printed, _ = run(*HISTOGRAM, "--epsilon", "1/3", "--ledger", path)
    assert code == 0
    assert printed.splitlines()[0].startswith("histogram: 10 bins; epsilon=1/3")
    assert printed.splitlines()[-1:] == [
        "left in the ledger for each person: epsilon=2/3",
    ]
    code, shown, _ = run("ledger", "show", path)
    with BudgetLedger.open(path) as ledger:
        seq, digest = ledger.head()
    assert shown.splitlines() == [
        "budget: epsilon=1",
        "privacy unit: person",
        "relation: add-remove",
        "charges: 1",
        f"head: {seq}:{digest}",
        "left epsilon=2/3; spent epsilon=1/3 of epsilon=1; open",
    ]
    code, past, _ = run("ledger", "history", path)
    with BudgetLedger.open(path) as opened:
        assert f"{opened.history()}\n" == past  # in the words of Python
    create, block, charge = past.splitlines()
    assert (create[:2], create.split(" ", 2)[2]) == (
        "1 ", "create epsilon=1 for each person, add-remove"
    )  # fmt: skip
    assert (block[:2], block.split(" ", 2)[2]) == ("2 ", "block")
    label = (
        "histogram of age in pums.csv, bins 10, range 0:100: histogram of age, 10 bins from 0.0 to "
        "100.0"
    )
    assert (charge[:2], charge.split(" ", 2)[2]) == ("3 ", f"charge epsilon=1/3: {label}")
    report = run("ledger", "report", path)[1].splitlines()
    assert report[0] == "budget epsilon=1 for each person, under 'add-remove'"
    assert report[-1].endswith(f"Z epsilon=1/3: {label}")  # in the words of the history
    assert run("ledger", "verify", path) == (0, f"ok {seq}:{digest}\n", "")
    assert run("ledger", "verify", path, "--head", head.strip())[0] == 0


def test_what_is_there_is_taken(run: Run, path: str) -> None:
    create = ["ledger", "create", path, "--epsilon", "1", "--privacy-unit", "row", "--by-block"]
    assert run(*create)[0] == 0
    refused(run(*create), 2, "exists already: add --exist-ok if it is a ledger with these options")
    assert run(*create, "--exist-ok")[0] == 0
    for days in (["mon"], ["mon", "tue"]):
        assert run("ledger", "add-block", path, *days, "--exist-ok")[0] == 0
    refused(run("ledger", "add-block", path, "mon"), 2, "in the ledger already", "--exist-ok")
    refused(
        run("ledger", "add-block", path, "mon", "--epsilon", "0.5", "--exist-ok"),
        1, "with another budget",
    )  # fmt: skip
    refused(
        run("ledger", "create", path, "--epsilon", "2", "--privacy-unit", "row", "--exist-ok"),
        2, "budget must be epsilon=1, as it was made with, not epsilon=2",
    )  # fmt: skip


def test_a_report_is_a_page(run: Run, path: str, ledger: str, tmp_path: Path) -> None:
    """It is that of Python, is written whole, and replaces no file unless it is told to."""
    page = str(tmp_path / "r.html")
    code, printed, said = run("ledger", "report", ledger, "--html", page)
    assert (code, said) == (0, "")
    with BudgetLedger.open(ledger) as opened:
        written = Path(page).read_text()
        assert written.startswith("<!doctype html>\n")
        assert opened.report().to_html() in written
        assert "PureDP" not in printed
    refused(run("ledger", "report", ledger, "--html", page), 2, "exists already", "--force")
    assert run("ledger", "report", ledger, "--html", page, "--force")[0] == 0
    for target, words in ((str(tmp_path), "is a folder"), (f"{page}/x", "cannot write")):
        refused(run("ledger", "report", ledger, "--html", target), 2, words)
    refused(run("ledger", "report", ledger, "--html", ledger, "--force"), 2, "another file")
    refused(run("ledger", "report", ledger, "--force"), 2, "--force needs --html")


def test_a_budget_of_rho_and_delta(run: Run, path: str) -> None:
    budget = ["--rho", "1", "--delta", "1e-6"]
    assert run("ledger", "create", path, *budget, "--privacy-unit", "person")[0] == 0
    run(*HISTOGRAM, "--rho", "0.5", "--ledger", path)
    printed = run("ledger", "charge", path, "--label", "keys", "--rho", "0", "--delta", "1e-7")[1]
    assert "rho=0.5, delta=9e-07" in printed
    refused(run(*HISTOGRAM, "--rho", "0.6", "--ledger", path), 1, "costs rho=0.6, delta=0, and rho")
    assert "budget: rho=1, delta=1e-06" in run("ledger", "show", path)[1]
    assert run("ledger", "verify", path)[0] == 0


def test_json_has_exact_texts(run: Run, path: str) -> None:
    budget = ["--epsilon", "2", "--delta", "1e-6"]
    unit = ["--privacy-unit", "person-day", "--by-block", "--units-in-one-block"]
    run("ledger", "create", path, *budget, *unit)
    run("ledger", "add-block", path, "mon", "--epsilon", "1", "--delta", "0", "--dim", "week=3")
    run("ledger", "add-block", path, "tue")
    paid = ["--ledger", path, "--blocks", "mon", "tue", "--file-in-blocks"]
    release = json.loads(run(*HISTOGRAM, "--epsilon", "0.3", *paid, "--json")[1])
    assert len(release["columns"]["count"]["values"]) == 10
    left = {
        "mon": {"epsilon": "0.7", "delta": "0"}, "tue": {"epsilon": "1.7", "delta": "1e-06"},
    }  # fmt: skip
    with BudgetLedger.open(path) as ledger:
        head = "{}:{}".format(*ledger.head())
        long = Fraction(1, 3**200)
        ledger.charge(PureDP(long), blocks=["tue"], label="long")
    assert release["ledger"] == {"privacy_unit": "person-day", "left": left, "head": head}
    run("ledger", "retire", path, "mon")
    state = json.loads(run("ledger", "show", path, "--json")[1])
    assert state["budget"] == {"epsilon": "2", "delta": "1e-06"}
    assert (state["privacy_unit"], state["relation"]) == ("person-day", "add-remove")
    assert state["charges"] == 2
    assert state["head"].startswith("6:")
    assert state["blocks"]["mon"] == {
        "budget": {"epsilon": "1", "delta": "0"}, "spent": {"epsilon": "0.3", "delta": "0"},
        "left": {"epsilon": "0", "delta": "0"}, "set_aside": {"epsilon": "0", "delta": "0"},
        "state": "retired", "dims": {"week": "3"},
    }  # fmt: skip
    tue = state["blocks"]["tue"]
    assert Fraction(tue["left"]["epsilon"]) == Fraction("1.7") - long
    assert Fraction(tue["spent"]["epsilon"]) == Fraction("0.3") + long
    assert tue["state"] == "open"
    shown = run("ledger", "show", path)[1]
    assert "left epsilon=about 1.69999, delta=1e-06; spent epsilon=about 0.300001," in shown
    entries = [
        json.loads(line) for line in run("ledger", "history", path, "--json")[1].splitlines()
    ]
    assert [entry["kind"] for entry in entries] == [
        "create", "block", "block", "charge", "charge", "retire"
    ]  # fmt: skip
    assert [entry["seq"] for entry in entries] == [1, 2, 3, 4, 5, 6]
    assert entries[0]["budget"] == state["budget"]
    assert entries[3]["cost"] == {"epsilon": "0.3", "delta": "0"}
    assert entries[3]["blocks"] == ["mon", "tue"]
    assert (Fraction(entries[4]["cost"]["epsilon"]), entries[4]["label"]) == (long, "long")


def test_any_text_is_an_id(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person", "--by-block")
    blocks = ["a,b", "a b", "-1", "--dim", "x\ny", "'", "日"]
    for block in blocks:
        assert run("ledger", "add-block", path, "--", block)[0] == 0
    paid = [*HISTOGRAM, "--epsilon", "0.5", "--ledger", path, "--file-in-blocks"]
    for block in blocks:
        assert run(*paid, f"--blocks={block}")[1].splitlines()[-1] == f"  {block!r}: epsilon=0.5"
    assert list(json.loads(run("ledger", "show", path, "--json")[1])["blocks"]) == blocks
    assert len(run("ledger", "history", path)[1].splitlines()) == 1 + 2 * len(blocks)
    for block in blocks[2:4]:
        assert run("ledger", "retire", path, "--", block)[0] == 0
        refused(run(*paid, f"--blocks={block}"), 1, "was retired")
    assert run("ledger", "show", path)[1].count("; retired\n") == 2


def test_values_may_begin_with_a_minus_sign(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "-unit", "--by-block")
    assert run("ledger", "add-block", path, "day", "--dim", "-from=-5")[0] == 0
    state = json.loads(run("ledger", "show", path, "--json")[1])
    assert (state["privacy_unit"], state["blocks"]["day"]["dims"]) == (
        "-unit in one block",
        {"-from": "-5"},
    )
    refused(run("ledger", "add-block", path, "b", "--rho", "-1"), 2, "rho must be at least 0")


def test_the_relation_is_the_ledgers(run: Run, path: str) -> None:
    budget = ["--epsilon", "1", "--relation", "change-one"]
    run("ledger", "create", path, *budget, "--privacy-unit", "person")
    paid = [*HISTOGRAM, "--epsilon", "0.5", "--ledger", path, "--json"]
    release = json.loads(run(*paid)[1])
    assert (release["relation"], scale_of(release)) == ("change-one", "4")
    assert json.loads(run(*paid, "--relation", "change-one")[1])["relation"] == "change-one"
    refused(run(*paid, "--relation", "add-remove"), 2, "is kept under 'change-one'")
    assert charges(path) == 2


def test_either_relation_pays_from_each_budget(run: Run, path: str) -> None:
    either = ["--relation", "add-remove-or-change"]
    run("ledger", "create", path, "--epsilon", "1", *either, "--privacy-unit", "person")
    paid = [*HISTOGRAM, "--epsilon", "0.25", "--ledger", path]
    release = json.loads(run(*paid, "--json")[1])
    assert (release["relation"], scale_of(release)) == ("add-remove-or-change", "8")
    refused(run(*paid, "--relation", "change-one"), 2, "is kept under 'add-remove-or-change'")
    assert charges(path) == 1
    for one in ("add-remove", "change-one"):
        of_one = f"{path}-{one}"
        run("ledger", "create", of_one, "--epsilon", "1", "--relation", one, "--privacy-unit", "p")
        more = ["--epsilon", "0.5", "--ledger", of_one, *either, "--json"]
        released = json.loads(run(*HISTOGRAM, *more)[1])
        assert (released["relation"], scale_of(released)) == ("add-remove-or-change", "4")


def scale_of(release: dict[str, Any]) -> str:
    (part,) = release["metadata"]["parts"]
    return str(part["scale"])


def test_the_promise_scales_the_noise_and_is_kept(run: Run, ledger: str) -> None:
    paid = [*COLUMN, "--epsilon", "0.1", "--json", "--max-rows-per-unit", "3"]
    release = json.loads(run(*paid, "--ledger", ledger)[1])
    assert (scale_of(release), release["exact"]["epsilon"]) == ("30", "1/10")
    assert scale_of(json.loads(run(*paid)[1])) == "30"
    rows = f"{ledger}-of-rows"
    run("ledger", "create", rows, "--epsilon", "1", "--privacy-unit", "row")
    assert run(*COLUMN, "--epsilon", "0.5", "--ledger", rows)[0] == 0  # without a promise
    last = run("ledger", "history", ledger, "--json")[1].splitlines()[-1]
    assert json.loads(last)["params"].endswith("unit='person', max_rows_per_unit=3)")


def test_processes_race_for_what_is_left(ledger: str) -> None:
    command = [sys.executable, "-m", "cydp", *HISTOGRAM, "--epsilon", "0.5", "--ledger", ledger]
    racers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    done = [(*racer.communicate(), racer.returncode) for racer in racers]
    assert sorted(code for *_, code in done) == [0, 0, 1]
    for out, err, code in done:
        assert (out == "") == (code == 1)
        assert ("is left in" in err) == (code == 1)
    with BudgetLedger.open(ledger) as opened:
        opened.verify()
        assert opened.remaining == PureDP(0)


def test_what_was_tampered_with_is_noticed(run: Run, tmp_path: Path, ledger: str) -> None:
    with BudgetLedger.open(ledger) as opened:
        opened.charge(PureDP("0.4"))
    assert run("ledger", "verify", ledger)[0] == 0
    copy = str(tmp_path / "copy.db")
    for tampering in (
        "UPDATE block SET spent = '[\"0\"]'",
        "UPDATE block SET spent = 'text'",
        "UPDATE block SET spent = '[\"1/0\"]'",
        "UPDATE block SET budget = '[\"x\"]'",
        "DELETE FROM block",
        "DELETE FROM entry WHERE seq = 3",
        "UPDATE entry SET body = x'00ff' WHERE seq = 3",
        "UPDATE entry SET body = CAST(x'ff' AS TEXT) WHERE seq = 3",
        "UPDATE entry SET body = replace(body, 'person', 'people') WHERE seq = 1",
        "DROP TABLE entry",
    ):
        shutil.copy(ledger, copy)
        connection = sqlite3.connect(copy)
        for trigger in ("no_update", "no_delete", "same_budget", "same_blocks"):
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute(tampering)
        connection.commit()
        connection.close()
        code, out, err = run("ledger", "verify", copy)
        assert (code, out, err.count("\n")) == (1, "", 1), tampering
        for command in ("show", "history"):  # do not compare, and do not break
            code, out, err = run("ledger", command, copy)
            assert (code, bool(out), err.count("\n")) in [(0, True, 0), (1, False, 1)], tampering


def test_a_command_that_looks_needs_no_permission_to_write(
    run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, ways = BudgetLedger.open, []

    def watched(*arguments: Any, **given: Any) -> BudgetLedger:
        ways.append(given.get("read_only"))
        return opened(*arguments, **given)

    monkeypatch.setattr(BudgetLedger, "open", watched)
    for command in ("show", "history", "verify"):
        assert run("ledger", command, ledger)[0] == 0
    assert run(*HISTOGRAM, "--epsilon", "0.5", "--ledger", ledger, "--dry-run")[0] == 0
    assert ways == [True] * 4


def test_an_older_copy_is_noticed_by_its_head(run: Run, tmp_path: Path, ledger: str) -> None:
    copy = str(tmp_path / "copy.db")
    shutil.copy(ledger, copy)
    run(*HISTOGRAM, "--epsilon", "0.4", "--ledger", ledger)
    head = run("ledger", "verify", ledger)[1].split()[1]
    assert run("ledger", "verify", copy)[0] == 0
    refused(run("ledger", "verify", copy, "--head", head), 1, "does not have the entry 3")
    paid, old = [*HISTOGRAM, "--epsilon", "0.4", "--ledger", copy], Path(copy).read_bytes()
    for command in (
        paid,
        [*paid, "--dry-run"],
        ["ledger", "charge", copy, "--epsilon", "0.1", "--label", "x"],
        ["ledger", "add-block", copy, "mon"],
        ["ledger", "retire", copy, "mon"],
    ):
        refused(run(*command, "--head", head), 1, "the ledger is older than --head")
    assert Path(copy).read_bytes() == old
    assert run(*paid[:-1], ledger, "--head", head)[0] == 0
    refused(run(*paid[:-2], "--head", head), 2, "--head needs --ledger")


def test_what_is_shown_is_of_one_moment(
    run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_blocks, calls = cli_show._read_blocks, []

    def charged_meanwhile(opened: BudgetLedger) -> Any:
        calls.append(opened)
        if len(calls) == 1:
            with BudgetLedger.open(ledger) as other:
                other.charge(PureDP("0.25"))
        return read_blocks(opened)

    monkeypatch.setattr(cli_show, "_read_blocks", charged_meanwhile)
    state = json.loads(run("ledger", "show", ledger, "--json")[1])
    assert (state["charges"], state["blocks"]["all"]["left"]) == (1, {"epsilon": "0.75"})
    assert len(calls) == 2


def test_an_interruption(run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(rows: CellRows, *_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(CellRows, "count", interrupted)
    done = run(*HISTOGRAM, "--epsilon", "0.4", "--ledger", ledger)
    refused(done, 130, "interrupted; the ledger was charged all the same")
    assert charges(ledger) == 1


def test_the_guarantee_of_a_person_in_several_blocks(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "ride", "--by-block")
    run("ledger", "add-block", path, "mon", "tue", "wed")
    for day, cost in (("mon", "0.5"), ("tue", "0.3"), ("wed", "0.1")):
        command = ["--blocks", day, "--epsilon", cost, "--label", "by hand"]
        assert run("ledger", "charge", path, *command)[0] == 0
    asked: list[tuple[list[str], str, str]] = [
        ([], "0.5", "ride in one block"),
        (["--unit", "ride in one block"], "0.5", "ride in one block"),
        (["--unit", "ride"], "0.9", "ride"),
        (["--unit", "ride", "--max-blocks", "2"], "0.8", "ride with records in at most 2 blocks"),
    ]
    for options, epsilon, unit in asked:
        lines = run("ledger", "show", path, *options)[1].splitlines()
        assert lines[5] == f"guarantee: epsilon={epsilon} for each {unit}"
        together = "guarantee: epsilon=0.9 for each ride with records in all blocks"
        assert lines[6:7] == [together] if not options else together not in lines
        about = json.loads(run("ledger", "show", path, *options, "--json")[1])
        assert about["guarantee"] == {"epsilon": epsilon}
        assert about["in_all_blocks"] == {"unit": "ride", "guarantee": {"epsilon": "0.9"}}
        most = int(options[-1]) if "--max-blocks" in options else None
        assert about["guarantee_for"] == {"unit": unit.partition(" with")[0], "max_blocks": most}
    wrong: list[tuple[list[str], str]] = [
        (["--unit", "person"], "--unit must be 'ride in one block', or 'ride'"),
        (["--max-blocks", "2"], "--max-blocks must be left out for 'ride in one block'"),
        (["--unit", "ride", "--max-blocks", "0"], "must be a whole number of at least 1"),
    ]
    for options, words in wrong:
        refused(run("ledger", "show", path, *options), 2, words)


def test_blocks_that_can_pay(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "ride", "--by-block")
    run("ledger", "add-block", path, "tue", "mon", "--dim", "site=north", "--dim", "day=47")
    with BudgetLedger.open(path) as ledger:
        ledger.add_block("wed", PureDP(0.5), site="south", day=47)
        ledger.charge(PureDP(1), blocks=["mon"])
        ledger.charge(PureDP("0.3"), blocks=["wed"])

    def ids(*arguments: str) -> list[str]:
        code, printed, _ = run("ledger", "blocks", path, *arguments, "--json")
        assert code == 0
        return [json.loads(line)["block"] for line in printed.splitlines()]

    assert ids() == ["tue", "mon", "wed"]
    assert ids("--epsilon", "0.2") == ["tue", "wed"]
    assert ids("--where", "day=47", "--where", "site=south") == ["wed"]
    assert ids("--where", "day=47") == ["tue", "mon", "wed"]
    assert run("ledger", "show", path)[1].splitlines()[5] == (
        "guarantee: epsilon=1 for each ride in one block"
    )
    _, printed, _ = run("ledger", "retire-spent", path)
    with BudgetLedger.open(path) as ledger:
        assert printed.splitlines() == ["'mon'", "head: {}:{}".format(*ledger.head())]
    assert run("ledger", "retire-spent", path, "--epsilon", "0.2001")[1].startswith("'wed'\n")
    assert ids("--open") == ["tue"]
    assert run("ledger", "blocks", path)[1].splitlines()[2] == (
        "'wed': left epsilon=0; spent epsilon=0.3 of epsilon=0.5; retired; day=47; site=south"
    )
