"""What the system is asked for by a ledger, and what becomes of it when the system refuses."""

import json
import os
import re
import shutil
import signal
import subprocess
from functools import cache
from pathlib import Path

import pytest
from accounting.ledger.ledger_processes import child, new

from cydp import BudgetLedger

WRITES = "pwrite64,write,fdatasync,fsync,ftruncate"


@cache
def strace_works() -> bool:
    probe = ["strace", "-o", os.devnull, "-e", "inject=fsync:error=EIO", "true"]
    return shutil.which("strace") is not None and subprocess.run(probe, check=False).returncode == 0


@pytest.fixture(autouse=True)
def _strace() -> None:
    if not strace_works():
        pytest.skip("needs strace, and leave to use it")


def traced(path: Path, code: str, *options: str, rounds: int = 0) -> tuple[int, bytes]:
    """Run code on the ledger in a child; return its exit code, and what it has written."""
    log = path.with_name("calls")
    started = child(
        code, str(path), str(rounds), before=("strace", "-y", "-s", "40", "-o", str(log), *options)
    )
    out, _ = started.communicate()
    return started.returncode, out


CHARGES = """
ledger = BudgetLedger.open(sys.argv[1])
for _ in range(3):
    os.write(1, b"charging\\n")
    ledger.charge(PureDP("1e-3"))
    os.write(1, b"released\\n")
"""


def test_what_is_released_was_synchronized_before(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    new(path).close()
    code, out = traced(path, CHARGES, "-e", f"trace={WRITES}")
    assert (code, out.count(b"released")) == (0, 3)
    charging, calls, copied = False, "", ""  # of one charge: w for written, s for synchronized
    for line in path.with_name("calls").read_text().splitlines():
        if '"charging' in line:
            charging, calls, copied = True, "", ""
        elif '"released' in line:
            assert charging
            assert re.fullmatch("(w+s+)+", calls), calls
            assert re.fullmatch("(w+s+)+", copied), copied  # the file itself, from the WAL file
            charging = False
        elif charging and "/ledger>" in line:
            copied += "w" if "write" in line.split("(")[0] else "s"
        elif charging and "/ledger-wal>" in line:
            assert re.search(r"= \d+$", line), line
            calls += "w" if "write" in line.split("(")[0] else "s"
    assert not charging
    assert calls


def test_a_new_ledger_is_synchronized_before_and_after_it_is_linked(tmp_path: Path) -> None:
    code = 'BudgetLedger.create(sys.argv[1], PureDP(1), privacy_unit="person")'
    path = tmp_path / "ledger"
    assert traced(path, code, "-e", "trace=pwrite64,fsync,fdatasync,link,linkat")[0] == 0
    done = ""
    for line in path.with_name("calls").read_text().splitlines():
        call, on = line.split("(")[0], re.search(r"<(.*?)>", line.split(",")[0])
        if call.startswith("link"):
            done += "l"
        elif on is not None and on[1].endswith("/ledger"):
            done += "w" if call == "pwrite64" else "s"
        elif on is not None and on[1] == str(tmp_path):
            done += "d"
    assert re.fullmatch("(w+s+)+d*ld+", done), done


KILLED = """
ledger = BudgetLedger.open(sys.argv[1])
ledger.charge_many([{"cost": PureDP("1e-3"), "label": "x" * 1000}] * 3)
os.write(1, b"released\\n")
ledger.close()
"""


@pytest.mark.long
def test_killed_at_any_call(tmp_path: Path) -> None:
    """Of a charge, and of the copying from the WAL file that it does; the file grows."""
    path = tmp_path / "ledger"
    new(path).close()
    charges, seen = 0, set()
    for name in ("pwrite64", "fdatasync", "fsync", "ftruncate"):
        time, code = 0, -signal.SIGKILL
        while code == -signal.SIGKILL:
            time += 1
            inject = f"inject={name}:signal=SIGKILL:when={time}"
            code, out = traced(path, KILLED, "-e", inject, "-P", str(path), "-P", f"{path}-wal")
            ledger = BudgetLedger.open(path)
            ledger.verify()
            found = sum(entry["kind"] == "charge" for entry in ledger.history()) - charges
            assert found in (0, 3)
            assert found == 3 or not out
            seen.add((name, found, bool(out), code))
            charges += found
            ledger.close()
        assert code == 0
    # Before the charge was written, before it was durable, and while it was copied.
    for expected in ("pwrite64", 0, False), ("fdatasync", 3, False), ("pwrite64", 3, False):
        assert (*expected, -signal.SIGKILL) in seen


FAILING = """
folder, released, refused = os.path.dirname(sys.argv[1]), [], 0
for n in range(int(sys.argv[2])):
    try:
        path = f"{folder}/{n}"
        with BudgetLedger.create(path, PureDP(1), privacy_unit="person") as ledger:
            released.append((path, ledger.head()[0]))
    except LedgerError:
        refused += 1
for n in range(2 * int(sys.argv[2])):
    try:
        with BudgetLedger.open(sys.argv[1]) as ledger:
            for _ in range(3):
                released.append((sys.argv[1], ledger.charge(PureDP("1e-3")).seq))
    except LedgerError:
        refused += 1
import json
print(json.dumps([released, refused]))
"""


@pytest.mark.parametrize(
    ("error", "step", "rounds"),
    [("EIO", 37, 12), pytest.param("ENOSPC", 41, 60, marks=pytest.mark.long)],
)
def test_calls_that_fail_now_and_then(tmp_path: Path, error: str, step: int, rounds: int) -> None:
    """Nothing is released that is not in the file, and no file is there that is not whole."""
    path = tmp_path / "ledger"
    new(path).close()
    inject = f"inject=pwrite64,fdatasync,fsync,ftruncate,link,unlink:error={error}:when=5+{step}"
    code, out = traced(path, FAILING, "-e", inject, rounds=rounds)
    assert code == 0
    released, refused = json.loads(out)
    assert refused > rounds / 6
    assert len(released) > rounds / 3
    last: dict[str, int] = {}
    for name, seq in released:
        last[name] = max(seq, last.get(name, 0))
    for file in tmp_path.iterdir():
        if file.name.isdigit() or file == path:
            ledger = BudgetLedger.open(file)
            ledger.verify()
            assert ledger.head()[0] >= last.pop(str(file), 0)
    assert not last
