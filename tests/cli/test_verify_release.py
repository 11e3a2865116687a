"""cli/_commands.py: a certificate is checked offline, as a user runs it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.commands import Run

import cydp
from cydp import BudgetLedger, PureDP


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Return the paths of a certificate, its release and its ledger."""
    found = {name: tmp_path / name for name in ("certificate", "release", "ledger")}
    with BudgetLedger.create(found["ledger"], PureDP(1), privacy_unit="row") as ledger:
        release = cydp.histogram([1.0, 2.0], 4, (0, 4), epsilon="1/3", budget=ledger)
        found["certificate"].write_text(json.dumps(release.certificate(ledger=ledger)))
    found["release"].write_text(release.to_json() + "\n")
    return found


def verify(run: Run, *arguments: object) -> tuple[int, str, str]:
    return run("verify-release", *map(str, arguments))


def test_what_holds(run: Run, files: dict[str, Path]) -> None:
    before = files["ledger"].read_bytes()
    code, out, err = verify(run, files["certificate"])
    assert (code, err, out.count("ok: ")) == (0, "", 1)
    code, out, err = verify(
        run, files["certificate"], "--release", files["release"], "--ledger", files["ledger"]
    )
    assert (code, err, out.count("ok: ")) == (0, "", 3)
    assert files["ledger"].read_bytes() == before


def change(file: Path, *path: Any, to: Any) -> None:
    certificate = json.loads(file.read_text())
    inner = certificate
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    file.write_text(json.dumps(certificate))


def test_what_does_not_hold(run: Run, files: dict[str, Path]) -> None:
    files["release"].write_text(files["release"].read_text().replace("[", "[1, ", 1))
    code, out, err = verify(run, files["certificate"], "--release", files["release"])
    assert (code, err) == (1, "")
    assert "does not hold: the SHA-256" in out
    change(files["certificate"], "ledger", "entry", "hash", to="0" * 64)
    code, out, _ = verify(run, files["certificate"], "--ledger", files["ledger"])
    assert code == 1
    assert "not in the ledger" in out
    assert "ok: " not in out
    change(files["certificate"], "loss", "epsilon", to="1/4")
    code, out, _ = verify(run, files["certificate"])
    assert code == 1
    assert 'loss is stated as {"epsilon": "1/4"}, and follows as {"epsilon": "1/3"}' in out


def test_a_damaged_ledger_does_not_hold(run: Run, files: dict[str, Path]) -> None:
    connection = sqlite3.connect(files["ledger"])
    with connection:
        connection.execute("DROP TRIGGER IF EXISTS entry_update")
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE entry SET body = replace(body, '1/3', '1/4') WHERE seq = 3")
    connection.close()
    code, _, err = verify(run, files["certificate"], "--ledger", files["ledger"])
    assert code == 1
    assert "the ledger is damaged" in err


def test_a_certificate_without_a_ledger_or_of_another_version(
    run: Run, files: dict[str, Path]
) -> None:
    change(files["certificate"], "version", to="9.9")
    code, out, _ = verify(run, files["certificate"])
    assert (code, "note: made by cydp" in out) == (0, True)
    change(files["certificate"], "ledger", to=None)
    assert verify(run, files["certificate"])[0] == 0
    code, out, _ = verify(run, files["certificate"], "--ledger", files["ledger"])
    assert (code, "names no ledger" in out) == (1, True)


def test_wrong_use(run: Run, files: dict[str, Path], tmp_path: Path) -> None:
    for arguments in (
        [],
        [tmp_path / "missing"],
        [tmp_path],
        [files["release"]],
        [files["certificate"], "--release", tmp_path / "missing"],
        [files["certificate"], "--ledger", tmp_path / "missing"],
        [files["certificate"], "--ledger", files["release"]],
        [files["ledger"]],
    ):
        code, out, err = verify(run, *arguments)
        assert (code, out) == (2, ""), arguments
        assert len(err.splitlines()) >= 1


def test_the_queries_of_every_package_are_known(tmp_path: Path) -> None:
    """In a process that has imported none of these packages."""
    table = {"x": [1.0, 2.0], "y": [1.0, 2.0], "g": ["a", "b"]}
    keys = {"g": ["a", "b"]}
    releases = [
        cydp.publishing.contingency_tables(table, keys, ["g"], epsilon=1),
        cydp.publishing.hierarchy({"g": ["a"]}, ["g"], ["a", "b"], epsilon=1),
        cydp.models.linear_regression(table, {"x": (0, 3)}, {"y": (0, 3)}, epsilon=1),
        cydp.teach.median_by_halving([1, 2], (0, 4), epsilon=1),
        cydp.workloads.range_counts([1, 2], 4, (0, 4), epsilon=1),
        cydp.workloads.marginals(table, keys, ["g"], epsilon=1),
        cydp.workloads.linear_queries([0, 1], [[1, 1]], 2, (0, 2), epsilon=1),
    ]
    files = [tmp_path / str(i) for i in range(len(releases))]
    for file, release in zip(files, releases, strict=True):
        file.write_text(json.dumps(release.certificate()))
    code = "import sys, cydp.cli as c; [c.main(['verify-release', x]) for x in sys.argv[1:]]"
    done = subprocess.run([sys.executable, "-c", code, *files], capture_output=True, check=True)
    assert done.stdout.count(b"ok: ") == len(releases), done.stdout
