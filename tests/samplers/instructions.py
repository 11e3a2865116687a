"""What valgrind sees of programs in C that are built against what is installed."""

import os
import re
import shutil
import subprocess
import sysconfig
from collections import defaultdict
from pathlib import Path

import pytest

import cydp

_COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]
needs_valgrind = [
    pytest.mark.skipif(
        None in (shutil.which(_COMPILER), shutil.which("valgrind")), reason="needs valgrind"
    ),
    pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="counts another core"),
]


def built(source: Path, folder: Path, flag: str = "-DNDEBUG") -> Path:
    """Return the program of a source, in a folder."""
    program = folder / source.stem
    subprocess.run(
        [_COMPILER, "-O2", flag, str(source), f"-I{cydp.build.get_include()}",
         f"-L{cydp.build.get_lib()}",
         "-lcydp", "-lm", "-pthread", "-o", str(program)],
        check=True,
    )  # fmt: skip
    return program


def run(program: Path, folder: Path, isa: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["valgrind", *options, str(program)],
        cwd=folder, env=os.environ | {"CYDP_FORCE_ISA": isa}, capture_output=True, text=True,
    )  # fmt: skip


def counts(program: Path, folder: Path, isa: str) -> dict[str, list[int]]:
    """Return the instructions of each call of `steps`, by the line that it prints."""
    done = run(
        program, folder, isa, "--tool=callgrind", "--toggle-collect=steps", "--dump-after=steps",
        "--callgrind-out-file=out",
    )  # fmt: skip
    if "CYDP_FORCE_ISA" in done.stderr:
        pytest.skip(f"valgrind runs no {isa} here")
    assert done.returncode == 0, done.stderr
    found = defaultdict(list)
    for number, line in enumerate(done.stdout.splitlines(), 1):
        summary = re.search(r"^summary: (\d+)$", (folder / f"out.{number}").read_text(), re.M)
        assert summary
        found[line].append(int(summary[1]))
    return found
