"""cli/_outputs.py: files are prepared before the charge, and written whole or not at all."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from cli.commands import PUMS, WEEK, Run, head, instead, refused

from cydp.cli import _outputs
from cydp.cli._outputs import Outputs

PAID = ["histogram", PUMS, "--column", "age", "--bins", "0:100:10", "--epsilon", "0.25",
        "--max-rows-per-unit", "1", "--ledger"]  # fmt: skip


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if "budget.db" not in path.name)


def test_all_files_hold_the_release(run: Run, tmp_path: Path, ledger: str) -> None:
    files = {kind: str(tmp_path / f"r.{kind}") for kind in ("csv", "parquet", "json", "cert")}
    code, printed, _ = run(
        *PAID, ledger, "--output", files["csv"], "--output", files["parquet"],
        "--output", files["json"], "--certificate", files["cert"], "--json",
    )  # fmt: skip
    assert code == 0
    facts = json.loads(printed)
    counts = facts["columns"]["count"]["values"]
    rows = [(10.0 * i, 10.0 * i + 10, count) for i, count in enumerate(counts)]
    for kind in ("csv", "parquet"):
        read = duckdb.sql(f"SELECT * FROM '{files[kind]}'")
        assert read.columns == ["age_left", "age_right", "count"]
        assert read.fetchall() == rows
    assert json.loads(Path(files["json"]).read_text())["columns"] == facts["columns"]
    assert run("verify-release", files["cert"], "--release", files["json"], "--ledger", ledger)[
        1
    ].startswith("ok: the certificate holds together")
    assert names(tmp_path) == ["r.cert", "r.csv", "r.json", "r.parquet"]


def test_intervals_are_written_if_a_confidence_is_given(run: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "t.csv")
    arguments = ["group-by", WEEK, "--by", "Day", "--key-list", "1,2", "--epsilon", "1",
                 "--output", file, "--confidence", "0.9", "--simultaneous"]  # fmt: skip
    assert run(*arguments)[0] == 0
    read = duckdb.sql(f"SELECT * FROM '{file}'")
    assert read.columns == ["Day", "n", "n_lower", "n_upper"]
    assert [row[0] for row in read.fetchall()] == [1, 2]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_plot(run: Run, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / f"ages.{kind}"
    assert run(*PAID[:-1], "--plot", str(file), "--nonnegative")[0] == 0
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind]
    assert file.read_bytes().startswith(start)


def test_post_processing_is_what_is_shown(run: Run, tmp_path: Path) -> None:
    files = [str(tmp_path / "t.csv"), str(tmp_path / "t.json")]
    more = ["--nonnegative", "--total", "500", "--output", files[0], "--output", files[1]]
    code, printed, _ = run(*PAID[:-1], *more)
    assert code == 0
    assert "biased" in printed
    assert duckdb.sql(f"SELECT sum(count), min(count) >= 0 FROM '{files[0]}'").fetchall() == [
        (500, True)
    ]
    facts = json.loads(Path(files[1]).read_text())
    assert sum(facts["columns"]["count"]["values"]) == 500


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--output", "there.csv"], "'there.csv' exists already: choose another name, or add"),
        (["--output", "new.txt"], "--output must be named *.csv, *.parquet or *.json"),
        (["--output", "new"], "--output must be named"),
        (["--output", "no/new.csv"], "cannot write 'no/new.csv': No such file or directory"),
        (["--output", "folder.csv"], "--output must be a file, and 'folder.csv' is a folder"),
        (["--output", "a.csv", "--output", "./a.csv"], "'./a.csv' is named twice"),
        (["--output", "a.json", "--certificate", "a.json"], "'a.json' is named twice"),
        (["--output", "budget.csv", "--force"], "another file than those that are read"),
        (["--plot", "ages.gif"], "--plot must be named *.png, *.svg or *.pdf"),
        (["--plot", "there.png"], "exists already"),
        (["--force"], "--force needs --output, --plot or --certificate"),
        (["--certificate", "c", "--total", "3"], "--certificate is of the release itself"),
        (["--total", "-1"], "--total: must be a whole number of at least 0"),
        (["--confidence", "1"], "--confidence must be"),
        (["--confidence", "2"], "--confidence must be"),
        (["--confidence", "x"], "--confidence must be a number"),
        (["--output", "x" * 300 + ".csv"], "cannot write"),
    ],
)
def test_what_cannot_be_written_charges_nothing(
    run: Run, tmp_path: Path, ledger: str, monkeypatch: pytest.MonkeyPatch, more: list[str],
    message: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for name in ("there.csv", "there.png"):
        (tmp_path / name).write_text("kept")
    (tmp_path / "folder.csv").mkdir()
    os.symlink(ledger, tmp_path / "budget.csv")
    before, there = head(ledger), names(tmp_path)
    refused(run(*PAID, ledger, *more), 2, message)
    assert head(ledger) == before
    assert names(tmp_path) == there
    assert (tmp_path / "there.csv").read_text() == "kept"


def test_nothing_is_left_behind_by_a_refusal(run: Run, tmp_path: Path, ledger: str) -> None:
    file = str(tmp_path / "new.csv")
    refused(run(*instead([*PAID, ledger], "--epsilon", "2"), "--output", file), 1, "is left in")
    assert names(tmp_path) == []


def test_the_data_is_not_replaced(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "t.csv"
    data.write_text("age\n1\n")
    arguments = ["count", str(data), "--epsilon", "1", "--output", str(data), "--force"]
    refused(run(*arguments), 2, "another file than those that are read")
    assert data.read_text() == "age\n1\n"


def test_force_replaces_and_permissions_are_those_of_a_new_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("old")
    assert run(*PAID[:-1], "--output", str(file), "--force")[0] == 0
    assert file.read_text().startswith("age_left,age_right,count\n")
    (tmp_path / "plain").write_text("")
    assert stat.S_IMODE(file.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_matplotlib_is_looked_for_before_the_charge(
    run: Run, tmp_path: Path, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    before = head(ledger)
    done = run(*PAID, ledger, "--plot", str(tmp_path / "a.png"))
    refused(done, 2, "--plot needs matplotlib: pip install 'cydp[plot]'")
    assert head(ledger) == before


@pytest.mark.parametrize("charge_id", [None, "monday"])
def test_a_file_that_cannot_be_written_after_the_charge(
    run: Run, tmp_path: Path, ledger: str, monkeypatch: pytest.MonkeyPatch, charge_id: str | None
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    first, second = str(tmp_path / "a.json"), str(tmp_path / "b.csv")
    files = ["--output", first, "--output", second]
    once = [] if charge_id is None else ["--charge-id", charge_id]
    with monkeypatch.context() as patched:
        patched.setattr(_outputs, "connect", full)
        code, printed, message = run(*PAID, ledger, *files, *once)
    assert code == 2
    assert printed.startswith("histogram: 10 bins")  # what was paid for is not lost
    assert message.startswith(f"cydp: error: cannot write '{second}': No space left on device; ")
    assert "the ledger was charged all the same, and the release was printed" in message
    assert ("repeat the command to get it again, for which nothing is charged" in message) == (
        charge_id is not None
    )
    assert names(tmp_path) == ["a.json"]
    paid = head(ledger)
    if charge_id is not None:
        again = run(*PAID, ledger, *files, *once, "--force")
        assert again[:2] == (0, printed)
        assert head(ledger) == paid


def test_a_release_that_cannot_be_printed_is_in_its_files(
    run: Run, tmp_path: Path, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = []
    write = Outputs.write
    monkeypatch.setattr(Outputs, "write", lambda *a: (order.append("files"), write(*a)))
    monkeypatch.setattr("builtins.print", lambda *a, **k: order.append("print"))
    assert run(*PAID, ledger, "--output", str(tmp_path / "a.json"))[0] == 0
    assert order == ["files", "print"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("charge_id", [None, "monday"])
def test_an_output_that_is_full_says_what_was_charged(
    run: Run, ledger: str, charge_id: str | None
) -> None:
    once = [] if charge_id is None else ["--charge-id", charge_id]
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "cydp", *PAID, ledger, *once], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
    assert done.returncode == 2
    words = (
        "cydp: error: cannot write: No space left on device; the ledger was charged all the same"
    )
    repeat = ": repeat the command to get the release, for which nothing is charged again"
    assert done.stderr == words + ("" if charge_id is None else repeat) + "\n"
    paid = head(ledger)
    if charge_id is not None:
        assert run(*PAID, ledger, *once)[0] == 0
        assert head(ledger) == paid


def test_an_interruption_while_files_are_written(
    run: Run, tmp_path: Path, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_outputs, "connect", interrupted)
    done = run(*PAID, ledger, "--output", str(tmp_path / "a.csv"))
    refused(done, 130, "interrupted; the ledger was charged all the same")
    assert names(tmp_path) == []


def test_a_total_is_an_exact_number(run: Run) -> None:
    arguments = ["histogram", PUMS, "--column", "age", "--bins", "0:100:10", "--epsilon", "1"]
    for total in ("1e3", "1000", "1000.0", "2000/2"):
        facts = json.loads(run(*arguments, "--total", total, "--json")[1])
        assert sum(facts["columns"]["count"]["values"]) == 1000
