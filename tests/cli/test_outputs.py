"""cli/_outputs.py: files are prepared before the charge, and written whole or not at all."""

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from cli.commands import PUMS, WEEK, Run, head, refused

from cydp.cli._outputs import Outputs
from cydp.releases.output import _files

PAID = ["histogram", PUMS, "--column", "age", "--bins", "10", "--range", "0:100",
        "--epsilon", "0.25", "--max-rows-per-unit", "1", "--ledger"]  # fmt: skip


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if "budget.db" not in path.name)


def test_all_files_hold_the_release(run: Run, tmp_path: Path, ledger: str) -> None:
    files = {kind: str(tmp_path / f"r.{kind}") for kind in ("csv", "parquet", "json", "cert")}
    outputs = [word for kind in ("csv", "parquet", "json") for word in ("--output", files[kind])]
    code, printed, _ = run(*PAID, ledger, *outputs, "--certificate", files["cert"], "--json")
    assert code == 0
    facts = json.loads(printed)
    counts, low, high = (facts["columns"]["count"][of] for of in ("values", "lower", "upper"))
    edges = [(10.0 * i, 10.0 * i + 10) for i in range(10)]
    rows = [
        (*ends, *of) for ends, of in zip(edges, zip(counts, low, high, strict=True), strict=True)
    ]
    for kind in ("csv", "parquet"):
        read = duckdb.sql(f"SELECT * FROM '{files[kind]}'")
        assert read.columns == ["age_left", "age_right", "count", "count_lower", "count_upper"]
        assert read.fetchall() == rows
    assert json.loads(Path(files["json"]).read_text())["columns"] == facts["columns"]
    verify = ["verify-release", files["cert"], "--release", files["json"], "--ledger", ledger]
    assert run(*verify)[1].startswith("ok: the certificate holds together")
    assert names(tmp_path) == ["r.cert", "r.csv", "r.json", "r.parquet"]


def test_intervals_are_written_with_the_confidence_that_is_given(run: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "t.csv")
    arguments = ["group-by", WEEK, "--by", "Day", "--key-list", "1,2", "--epsilon", "1",
                 "--output", file, "--confidence", "0.9", "--simultaneous"]  # fmt: skip
    assert run(*arguments)[0] == 0
    read = duckdb.sql(f"SELECT * FROM '{file}'")
    assert read.columns == ["Day", "n", "n_lower", "n_upper"]
    assert [row[0] for row in read.fetchall()] == [1, 2]


def test_a_plot(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "ages.png"
    assert run(*PAID[:-1], "--plot", str(file), "--nonnegative")[0] == 0
    assert file.read_bytes().startswith(b"\x89PNG")


def test_post_processing_is_what_is_shown(run: Run, tmp_path: Path) -> None:
    files = [str(tmp_path / "t.csv"), str(tmp_path / "t.json")]
    more = ["--nonnegative", "--total", "500", "--output", files[0], "--output", files[1]]
    code, printed, _ = run(*PAID[:-1], *more)
    assert code == 0
    assert "biased" in printed
    read = duckdb.sql(f"SELECT sum(count), min(count) >= 0 FROM '{files[0]}'").fetchall()
    assert read == [(500, True)]
    facts = json.loads(Path(files[1]).read_text())
    assert sum(facts["columns"]["count"]["values"]) == 500


def test_force_replaces_and_permissions_are_those_of_a_new_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("old")
    assert run(*PAID[:-1], "--output", str(file), "--force")[0] == 0
    assert file.read_text().startswith("age_left,age_right,count,count_lower,count_upper\n")
    (tmp_path / "plain").write_text("")
    assert stat.S_IMODE(file.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


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
        patched.setattr(_files, "write_file", full)
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
        code, again, _ = run(*PAID, ledger, *files, *once, "--force")
        assert code == 0
        assert "recorded result of charge 'monday'" in again
        assert [line for line in again.splitlines() if line in printed] == printed.splitlines()
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
def test_an_output_that_is_full_says_what_was_charged(run: Run, ledger: str) -> None:
    once = [*PAID, ledger, "--charge-id", "monday"]
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "cydp", *once], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
    refused((done.returncode, "", done.stderr), 2, "cannot write: No space left on device; the "
            "ledger was charged all the same: repeat the command to get the release")  # fmt: skip
    paid = head(ledger)
    assert run(*once)[0] == 0
    assert head(ledger) == paid


def test_an_interruption_while_files_are_written(
    run: Run, tmp_path: Path, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_files, "write_file", interrupted)
    done = run(*PAID, ledger, "--output", str(tmp_path / "a.csv"))
    refused(done, 130, "interrupted; the ledger was charged all the same")
    assert names(tmp_path) == []


def test_a_total_is_an_exact_number(run: Run) -> None:
    arguments = [
        "histogram",
        PUMS,
        "--column",
        "age",
        "--bins",
        "10",
        "--range",
        "0:100",
        "--epsilon",
        "1",
    ]
    for total in ("1e3", "1000", "1000.0", "2000/2"):
        facts = json.loads(run(*arguments, "--total", total, "--json")[1])
        assert sum(facts["columns"]["count"]["values"]) == 1000
