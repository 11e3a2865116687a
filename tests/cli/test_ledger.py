"""cli/_ledger.py, cli/_show.py and cli/_release.py with a ledger, as a user runs them."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from cli.commands import PUMS, Run, instead, refused

import cydp
from cydp import ApproxDP, BudgetLedger, LedgerError, PureDP
from cydp.cli import _payment
from cydp.cli import _show as cli_show
from cydp.releases._histogram import HistogramRows

COLUMN = ["histogram", PUMS, "--column", "age", "--bins", "0:100:10"]
ONE_ROW = ["--max-rows-per-unit", "1"]  # the table has a row for each person
HISTOGRAM = [*COLUMN, *ONE_ROW]
PROGRAM = [sys.executable, "-c", "from cydp.cli import main; raise SystemExit(main())"]


def charges(path: str) -> int:
    with BudgetLedger.open(path) as ledger:
        return sum(entry["kind"] == "charge" for entry in ledger.history())


def test_round_trip(run: Run, path: str) -> None:
    code, head, _ = run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person")
    assert (code, head[:2]) == (0, "2:")
    code, printed, _ = run(*HISTOGRAM, "--epsilon", "1/3", "--ledger", path)
    assert code == 0
    assert printed.splitlines()[0].startswith("histogram: 10 bins; epsilon=1/3")
    assert printed.splitlines()[-2:] == [
        "left in the ledger for each person:",
        "  all: epsilon=2/3",
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
        "all: left epsilon=2/3; spent epsilon=1/3 of epsilon=1; open",
    ]
    code, past, _ = run("ledger", "history", path)
    create, block, charge = past.splitlines()
    assert (create[:2], create.split(" ", 2)[2]) == (
        "1 ", "create epsilon=1 for each person, add-remove"
    )  # fmt: skip
    assert (block[:2], block.split(" ", 2)[2]) == ("2 ", "block all")
    label = "histogram of age in pums.csv by 0:100:10"
    assert (charge[:2], charge.split(" ", 2)[2]) == ("3 ", f"charge epsilon=1/3 to all: {label}")
    assert run("ledger", "verify", path) == (0, f"ok {seq}:{digest}\n", "")
    assert run("ledger", "verify", path, "--head", head.strip())[0] == 0


def test_json_has_exact_texts(run: Run, path: str) -> None:
    budget = ["--epsilon", "2", "--delta", "1e-6"]
    run("ledger", "create", path, *budget, "--privacy-unit", "person-day", "--by-block")
    run("ledger", "add-block", path, "mon", "--epsilon", "1", "--delta", "0", "--dim", "week=3")
    run("ledger", "add-block", path, "tue")
    paid = ["--ledger", path, "--blocks", "mon", "tue"]
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
        "left": {"epsilon": "0", "delta": "0"}, "state": "retired", "dims": {"week": "3"},
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


def test_what_is_left_can_be_spent(run: Run, path: str) -> None:
    run("ledger", "create", path, "--rho", "1/7", "--privacy-unit", "person")
    run(*HISTOGRAM, "--epsilon", "0.5", "--ledger", path)
    left = json.loads(run("ledger", "show", path, "--json")[1])["blocks"]["all"]["left"]
    assert left == {"rho": "1/56"}
    with BudgetLedger.open(path) as ledger:
        ledger.charge(cydp.ZCDP(left["rho"]))
        assert ledger.remaining == cydp.ZCDP(0)


@pytest.mark.parametrize("block", ["a,b", "a b", "-1", "--dim", "x\ny", "'", "日"])
def test_any_text_is_an_id(run: Run, path: str, block: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person", "--by-block")
    assert run("ledger", "add-block", path, "--", block)[0] == 0
    arguments = [*HISTOGRAM, "--epsilon", "0.5", "--ledger", path, f"--blocks={block}"]
    assert run(*arguments)[1].splitlines()[-1] == f"  {block!r}: epsilon=0.5"
    assert list(json.loads(run("ledger", "show", path, "--json")[1])["blocks"]) == [block]
    assert len(run("ledger", "history", path)[1].splitlines()) == 3
    assert run("ledger", "retire", path, "--", block)[0] == 0
    refused(run(*arguments), 1, "was retired")
    assert run("ledger", "show", path)[1].endswith("; retired\n")


def test_values_may_begin_with_a_minus_sign(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "-unit", "--by-block")
    assert run("ledger", "add-block", path, "day", "--dim", "-from=-5")[0] == 0
    state = json.loads(run("ledger", "show", path, "--json")[1])
    assert (state["privacy_unit"], state["blocks"]["day"]["dims"]) == ("-unit", {"-from": "-5"})
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
    assert "is in the table or not, or has other data" in " ".join(run(*paid)[1].split())
    for one in ("add-remove", "change-one"):
        refused(run(*paid, "--relation", one), 2, "is kept under 'add-remove-or-change'")
        of_one = f"{path}-{one}"
        run("ledger", "create", of_one, "--epsilon", "1", "--relation", one, "--privacy-unit", "p")
        released = json.loads(run(*HISTOGRAM, "--epsilon", "0.5", "--ledger", of_one, *either,
                                  "--json")[1])  # fmt: skip
        assert (released["relation"], scale_of(released)) == ("add-remove-or-change", "4")
    assert charges(path) == 2


def test_blocks_are_added_all_or_none(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person", "--by-block")
    assert run("ledger", "add-block", path, "a", "b")[0] == 0
    refused(run("ledger", "add-block", path, "c", "b"), 2, "block 'b' is in the ledger already")
    refused(run("ledger", "add-block", path, "c", "c"), 2, "must be given once")
    refused(run("ledger", "add-block", path, "c", ""), 2, "must not be empty")
    refused(
        run("ledger", "add-block", path, "c", "--epsilon", "2"),
        2,
        "the ledger's, epsilon=1, not epsilon=2",
    )
    assert list(json.loads(run("ledger", "show", path, "--json")[1])["blocks"]) == ["a", "b"]


def test_a_block_pays_in_the_measure_of_the_ledger(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person", "--by-block")
    more = ["--rho", "0.1"]
    message = "error: the budget of a block must be given by --epsilon alone, as the ledger's was, "
    refused(run("ledger", "add-block", path, "a", *more), 2, f"{message}not by --rho")


def scale_of(release: dict[str, Any]) -> str:
    (part,) = release["metadata"]["parts"]
    return str(part["scale"])


NEW = ["ledger", "create", "PATH", "--privacy-unit", "person"]
PAID = [*HISTOGRAM, "--epsilon", "0.1", "--ledger", "LEDGER"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (NEW, 2, "the budget must be given: --epsilon alone"),
        ([*NEW, "--delta", "0.1"], 2, "--epsilon with --delta"),
        ([*NEW, "--rho", "1", "--epsilon", "1"], 2, "--rho alone"),
        ([*NEW, "--epsilon", "-1"], 2, "error: --epsilon must be at least 0, not -1"),
        ([*NEW, "--epsilon", "nan"], 2, "epsilon must be a number"),
        ([*NEW, "--epsilon", "9" * 10**6], 2, "at most 4096 bits"),
        ([*NEW, "--epsilon", "1", "--delta", "1"], 2, "--delta must be less than 1, not 1\n"),
        ([*NEW, "--epsilon", "1", "--relation", "x"], 2, "error: --relation must be"),
        ([*NEW, "--epsilon", "1", "--blocks", "mon"], 2, "unrecognized arguments: --blocks mon"),
        ([*NEW[:-1], " ", "--epsilon", "1"], 2, "--privacy-unit must say"),
        (
            ["ledger", "create", "LEDGER", *NEW[3:], "--rho", "1"],
            2,
            "already: choose another path\n",
        ),
        (
            ["ledger", "create", "FOLDER", *NEW[3:], "--rho", "1"],
            2,
            "error: PATH must be that of a new file",
        ),
        (["ledger", "create", "PATH/x", *NEW[3:], "--rho", "1"], 2, "no ledger can be made"),
        (["ledger", "show", "PATH"], 2, "create a ledger there first by `cydp ledger create`"),
        (["ledger", "history", "FOLDER"], 2, "error: PATH must be the file of a ledger"),
        (["ledger", "verify", PUMS], 2, "ledger: `cydp ledger create` has not made"),
        (["ledger", "show", "x" * 10**4], 2, "cannot open"),
        (["ledger", "verify", "LEDGER", "--head", "7"], 2, "--head: must be SEQ:HASH"),
        (["ledger", "verify", "LEDGER", "--head", "7:" + 64 * "a"], 1, "older than --head"),
        (
            ["ledger", "retire", "LEDGER", "mon"],
            2,
            "error: ID must be in the ledger, which was made",
        ),
        (["ledger", "add-block", "LEDGER", "mon"], 2, "by `cydp ledger create --by-block`"),
        (["ledger", "add-block", "LEDGER", "\udcff"], 2, "the terminal's encoding"),
        (["ledger", "add-block", "LEDGER", "a", "--dim", "k"], 2, "--dim must be KEY=VALUE"),
        (["ledger", "add-block", "LEDGER", "a", "--dim", "budget=1"], 2, "another key"),
        (
            ["ledger", "add-block", "LEDGER", "a", "--dim", "k=1", "--dim", "k=2"],
            2,
            "key once",
        ),
        (["ledger"], 2, "required: COMMAND"),
        ([*PAID[:-1], "PATH"], 2, "there is no ledger"),
        ([*PAID[:-1], "FOLDER"], 2, "error: --ledger must be the file of a ledger"),
        ([*PAID, "--blocks", "all"], 2, "error: --blocks must be left out"),
        ([*PAID, "--blocks", "mon"], 2, "--blocks must be left out"),
        (
            [*PAID, "--blocks", "all", "--blocks", "all"],
            2,
            "error: --blocks must be left out",
        ),
        ([*PAID[:-2], "--blocks", "mon"], 2, "--blocks needs --ledger"),
        ([*PAID[:-2], "--charge-id", "a"], 2, "--charge-id needs --ledger"),
        ([*PAID[:-2], "--data-version", "a"], 2, "--data-version needs --ledger"),
        ([*PAID, "--data-version", "a"], 2, "--data-version needs --charge-id"),
        ([*PAID, "--charge-id", ""], 2, "--charge-id must have 1 to 1,000 characters"),
        ([*PAID, "--relation", "change-one"], 2, "is kept under 'add-remove'"),
        ([*PAID, "--relation", "x"], 2, "error: --relation must be"),
        (
            instead(PAID, "--epsilon", "1.1"),
            1,
            "refused: the release costs epsilon=1.1, and epsilon=1 is left in ",
        ),
        (
            [*COLUMN, *PAID[-4:]],
            2,
            "error: the ledger protects 'person', and this release a row: give --user, or promise "
            "with --max-rows-per-unit=k that no 'person' has more than k rows\n",
        ),
        (
            instead(PAID, "--max-rows-per-unit", "0"),
            2,
            "--max-rows-per-unit: must be a whole number of at least 1",
        ),
        (
            instead(PAID, "--max-rows-per-unit", "many"),
            2,
            "--max-rows-per-unit: must be a whole number",
        ),
        (instead(PAID, "--epsilon", "0"), 2, "epsilon must be greater than 0"),
        (instead(PAID, "--bins", "0:100:7"), 2, "must divide"),
        (instead(PAID, "--column", "salary"), 2, "no column 'salary'"),
        (["histogram", "missing.csv", *PAID[2:]], 2, "no such file"),
        (["histogram", "TEXTS", *PAID[2:]], 2, "must be numeric"),
    ],
)
def test_what_is_refused_charges_and_reads_nothing(
    run: Run,
    tmp_path: Path,
    ledger: str,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    texts = str(tmp_path / "texts.parquet")
    duckdb.execute(f"COPY (SELECT 'x' AS age) TO '{texts}'")
    monkeypatch.setattr(HistogramRows, "count", lambda *_: pytest.fail("the file was read"))
    before = Path(ledger).read_bytes()
    new = str(tmp_path / "new.db")
    names = {"LEDGER": ledger, "PATH": new, "PATH/x": new + "/x", "FOLDER": str(tmp_path)}
    done = run(*((names | {"TEXTS": texts}).get(word, word) for word in arguments))
    refused(done, code, message)
    assert len(done[2]) < 600
    assert Path(ledger).read_bytes() == before
    assert not Path(new).exists()


def test_the_promise_scales_the_noise_and_is_kept(run: Run, ledger: str) -> None:
    paid = [*COLUMN, "--epsilon", "0.1", "--json", "--max-rows-per-unit", "3"]
    release = json.loads(run(*paid, "--ledger", ledger)[1])
    assert (scale_of(release), release["exact"]["epsilon"]) == ("30", "1/10")
    assert scale_of(json.loads(run(*paid)[1])) == "30"
    last = run("ledger", "history", ledger, "--json")[1].splitlines()[-1]
    assert json.loads(last)["params"].endswith("unit='person', max_rows_per_unit=3)")


def test_a_ledger_of_rows_needs_no_promise(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "row")
    assert run(*COLUMN, "--epsilon", "0.5", "--ledger", path)[0] == 0
    assert charges(path) == 1


def test_values_are_read_after_the_charge(
    run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def read(rows: HistogramRows, *_: Any) -> Any:
        with BudgetLedger.open(ledger) as other:
            seen.append(other.spent)
        return np.zeros(10, np.int64)

    monkeypatch.setattr(HistogramRows, "count", read)
    assert run(*HISTOGRAM, "--epsilon", "0.4", "--ledger", ledger)[0] == 0
    assert run(*HISTOGRAM, "--epsilon", "0.7", "--ledger", ledger)[0] == 1
    assert seen == [PureDP("0.4")]


def test_a_file_that_breaks_after_the_charge(run: Run, tmp_path: Path, ledger: str) -> None:
    file = tmp_path / "garbled.parquet"
    duckdb.execute(f"COPY (SELECT 7 * i AS i FROM range(5000) r(i)) TO '{file}'")
    content = bytearray(file.read_bytes())
    content[4:1000] = b"\xff" * 996  # of the values; the footer is whole
    file.write_bytes(content)
    arguments = ["histogram", str(file), "--column", "i", "--bins", "0:9:1", "--epsilon", "0.4"]
    arguments += ONE_ROW
    refused(run(*arguments, "--ledger", ledger), 2, "the ledger was charged all the same")
    assert charges(ledger) == 1
    done = run(*arguments)
    refused(done, 2, "as Parquet")
    assert "ledger" not in done[2]


def test_a_ledger_that_breaks_after_the_charge(
    run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: BudgetLedger) -> Any:
        raise LedgerError("the disk is gone")

    monkeypatch.setattr(_payment, "left_of", broken)
    done = run(*HISTOGRAM, "--epsilon", "0.4", "--ledger", ledger)
    assert done[1].startswith("histogram: 10 bins")
    refused((done[0], "", done[2]), 2, "the disk is gone; the ledger was charged all the same")
    assert charges(ledger) == 1


def test_processes_race_for_what_is_left(ledger: str) -> None:
    command = [*PROGRAM, *HISTOGRAM, "--epsilon", "1/3", "--ledger", ledger]
    racers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    done = [(*racer.communicate(), racer.returncode) for racer in racers]
    assert sorted(code for *_, code in done) == [0, 0, 0, 1, 1, 1]
    for out, err, code in done:
        assert (out == "") == (code == 1)
        assert ("is left in" in err) == (code == 1)
    with BudgetLedger.open(ledger) as opened:
        opened.verify()
        assert opened.remaining == PureDP(0)


@pytest.mark.parametrize(
    "tampering",
    [
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
    ],
)
def test_what_was_tampered_with_is_noticed(run: Run, ledger: str, tampering: str) -> None:
    run(*HISTOGRAM, "--epsilon", "0.4", "--ledger", ledger)
    assert run("ledger", "verify", ledger)[0] == 0
    connection = sqlite3.connect(ledger)
    for trigger in ("no_update", "no_delete", "same_budget", "same_blocks"):
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(tampering)
    connection.commit()
    connection.close()
    done = run("ledger", "verify", ledger)
    assert done[:2] == (1, "")
    assert done[2].count("\n") == 1
    for command in ("show", "history"):  # do not compare, and do not break
        code, out, err = run("ledger", command, ledger)
        assert (code, bool(out), err.count("\n")) in [(0, True, 0), (1, False, 1)]


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
    assert run(*instead(paid, "--ledger", ledger), "--head", head)[0] == 0
    refused(run(*paid[:-2], "--head", head), 2, "--head needs --ledger")


def test_what_is_shown_is_of_one_moment(
    run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_of, calls = cli_show.left_of, []

    def charged_meanwhile(opened: BudgetLedger) -> Any:
        calls.append(opened)
        if len(calls) == 1:
            with BudgetLedger.open(ledger) as other:
                other.charge(PureDP("0.25"))
        return left_of(opened)

    monkeypatch.setattr(cli_show, "left_of", charged_meanwhile)
    state = json.loads(run("ledger", "show", ledger, "--json")[1])
    assert (state["charges"], state["blocks"]["all"]["left"]) == (1, {"epsilon": "0.75"})
    assert len(calls) == 2


def program(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, check=False,
                          env=os.environ | environment)  # fmt: skip


def test_a_terminal_that_lacks_letters(path: str) -> None:
    with BudgetLedger.create(path, ApproxDP(1, 0), privacy_unit="Tür", by_block=True) as ledger:
        ledger.add_block("日")
    done = program("ledger", "show", path, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "privacy unit: T\\xfcr\n" in done.stdout
    assert "'\\u65e5': left" in done.stdout


def test_without_a_standard_output_nothing_is_charged(ledger: str) -> None:
    paid = [*PROGRAM, *HISTOGRAM, "--epsilon", "0.4", "--ledger", ledger]
    done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *paid], stderr=subprocess.PIPE,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "cydp: error: there is no standard output to write to\n"
    assert charges(ledger) == 0


def test_a_reader_that_has_seen_enough(ledger: str) -> None:
    with BudgetLedger.open(ledger) as opened:
        opened.charge_many([{"cost": PureDP(0), "label": "x" * 1000}] * 300)
    command = [*PROGRAM, "ledger", "history", ledger, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 141


def test_an_interruption(run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(rows: HistogramRows, *_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(HistogramRows, "count", interrupted)
    refused(
        run(*HISTOGRAM, "--epsilon", "0.4", "--ledger", ledger),
        130,
        "interrupted; the ledger was charged all the same",
    )
    assert charges(ledger) == 1


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
    assert run("ledger", "show", path)[1].splitlines()[5] == "guarantee: epsilon=1 for all data"
    _, printed, _ = run("ledger", "retire-spent", path)
    with BudgetLedger.open(path) as ledger:
        assert printed.splitlines() == ["'mon'", "{}:{}".format(*ledger.head())]
    assert run("ledger", "retire-spent", path, "--epsilon", "0.2001")[1].startswith("'wed'\n")
    assert ids("--open") == ["tue"]
    assert run("ledger", "blocks", path)[1].splitlines()[2] == (
        "'wed': left epsilon=0; spent epsilon=0.3 of epsilon=0.5; retired; day=47; site=south"
    )
    refused(run("ledger", "blocks", path, "--where", "sight=north"), 2, "no block has 'sight'")
    refused(run("ledger", "blocks", path, "--where", "site"), 2, "--where must be KEY=VALUE")
    refused(run("ledger", "blocks", path, "--rho", "1"), 2, "rho=1")
    refused(run("ledger", "retire-spent", path, "--rho", "1"), 2, "rho=1")


def test_blocks_of_a_ledger_without_blocks(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person")
    for command in ("blocks", "retire-spent"):
        refused(run("ledger", command, path), 2, "the ledger must have blocks")
