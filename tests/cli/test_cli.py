"""cli/_main.py, as a user runs it."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.commands import AGES, PUMS, Run, head, parquet, refused

import cydp
from cydp import BudgetLedger, PureDP
from cydp.cli import main

HISTOGRAM = [
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


def counts_of(printed: dict[str, Any]) -> Any:
    return np.array(printed["columns"]["count"]["values"])


@pytest.mark.parametrize("given", ["0", "abc", "-1", "1.5"])
@pytest.mark.parametrize(
    "command", [["-m", "cydp"], ["-c", "import sys, cydp.cli; sys.exit(cydp.cli.main())"]]
)
def test_a_bad_number_of_threads_is_told_in_one_line(given: str, command: list[str]) -> None:
    environment = os.environ | {"CYDP_NUM_THREADS": given}
    arguments = [sys.executable, *command, "count", PUMS, "--epsilon", "1"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"cydp: error: CYDP_NUM_THREADS must be from 1 to 1024, not {given!r}\n")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*HISTOGRAM, "--json", "--confidence", "0.999"]) == 0
    printed = json.loads(capsys.readouterr().out)
    counts, edges = np.histogram(AGES, 10, (0, 100))
    assert printed["axes"] == [{"name": "age", "edges": edges.tolist()}]
    assert (printed["epsilon"], printed["relation"]) == (1, "add-remove")
    bound = cydp.DiscreteLaplace(epsilon=1, sensitivity=1).error_bound(0.999, count=10)
    error = printed["columns"]["count"]["error"]
    assert (error["confidence"], error["together"]) == (0.999, bound)
    # 4 times as wide: wrong once in 10^12 runs.
    assert (np.abs(counts_of(printed) - counts) <= 4 * bound).all()
    assert any("pure noise" in note for note in printed["notes"])


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*HISTOGRAM, "--relation", "change-one"]) == 0
    release = cydp.histogram(PUMS, 10, (0, 100), column="age", epsilon=1, relation="change-one")
    lines = capsys.readouterr().out.splitlines()
    shown = release.to_text().splitlines()
    assert lines[-2].startswith("note: a value that is no number counts as missing")
    for line, own in zip(lines, shown, strict=True):
        assert line == own or own.lstrip().startswith("[")


def test_bins_and_edges(capsys: pytest.CaptureFixture[str]) -> None:
    for bins, edges in [
        (["4", "--range", "-10:10"], [-10, -5, 0, 5, 10]),
        (["1e1", "--range", "0..5"], np.linspace(0, 5, 11).tolist()),
        (["-1.5,0.1,7/2"], [-1.5, 0.1, 3.5]),
    ]:
        assert main([*HISTOGRAM[:4], "--bins", *bins, "--epsilon", "1/3", "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed["axes"][0]["edges"] == edges
        assert printed["exact"]["epsilon"] == "1/3"


def test_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [HISTOGRAM[0], parquet(tmp_path), *HISTOGRAM[2:-1], "1000", "--json"]
    assert main(arguments) == 0
    counts, _ = np.histogram(AGES, 10, (0, 100))
    printed = json.loads(capsys.readouterr().out)
    assert counts_of(printed).tolist() == counts.tolist()
    (note,) = printed["notes"]  # a column of numbers needs none about values that are no numbers
    assert note.startswith("epsilon=1000 is above 10")


def test_the_package_is_a_program() -> None:
    done = subprocess.run([sys.executable, "-m", "cydp", *HISTOGRAM], capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("histogram: 10 bins")


def test_version_and_selftest(run: Run) -> None:
    assert run("--version")[1] == f"cydp {cydp.__version__}\n"
    code, printed, _ = run("selftest")
    assert code == 0
    assert printed.startswith(f"cydp {cydp.__version__}, {cydp.build.build_info()['isa']} kernels")
    assert "FAILED" not in printed


@pytest.mark.parametrize("stream", ["ascii", None])
def test_a_terminal_that_lacks_letters_or_is_closed(
    path: str, stream: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with BudgetLedger.create(path, PureDP(1), privacy_unit="Tür", by_block=True) as ledger:
        ledger.add_block("日")
        ledger.add_block("tue")
    written = io.BytesIO()
    if stream is not None:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, stream))
        assert main(["ledger", "show", path]) == 0
        assert b"privacy unit: T\\xfcr in one block\n" in written.getvalue()
        assert b"'\\u65e5': left" in written.getvalue()
        return
    before = head(path)
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SystemExit) as refused:  # it could not be read, and would be paid for
        main([*HISTOGRAM, "--max-rows-per-unit", "1", "--ledger", path, "--blocks", "tue"])
    assert refused.value.code == 2
    assert head(path) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_is_closed_or_full(ledger: str) -> None:
    with BudgetLedger.open(ledger) as opened:
        opened.charge_many([{"cost": PureDP(0), "label": "x" * 1000}] * 300)
    command = [sys.executable, "-m", "cydp", "ledger"]
    running = subprocess.Popen([*command, "history", ledger, "--json"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)  # fmt: skip
    assert running.stdout is not None
    running.stdout.readline()
    running.stdout.close()  # its reader has seen enough
    # What is written waits in a buffer until the end, as it usually does.
    buffered = {name: os.environ[name] for name in os.environ if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        done = subprocess.run([*command, "show", ledger], stdout=full, stderr=subprocess.PIPE,
                              text=True, check=False, env=buffered)  # fmt: skip
    refused((done.returncode, "", done.stderr), 2, "cannot write: No space left on device")
    assert running.communicate()[1] == b""
    assert running.returncode == 141
