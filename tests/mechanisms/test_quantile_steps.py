"""What a quantile does, seen by valgrind: it depends on no bit that is drawn.

quantile_steps.c is built against what is installed.
"""

import os
import re
import shutil
import subprocess
import sysconfig
from collections import defaultdict
from pathlib import Path

import pytest

import cydp

COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]
pytestmark = [
    pytest.mark.skipif(
        None in (shutil.which(COMPILER), shutil.which("valgrind")), reason="needs valgrind"
    ),
    pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="counts another core"),
]


def run(folder: Path, *valgrind: str, flag: str = "-DNDEBUG") -> subprocess.CompletedProcess[str]:
    source, program = Path(__file__).with_name("quantile_steps.c"), folder / "steps"
    subprocess.run(
        [COMPILER, "-O2", flag, str(source), f"-I{cydp.get_include()}", f"-L{cydp.get_lib()}",
         "-lcydp", "-lm", "-pthread", "-o", str(program)],
        check=True,
    )  # fmt: skip
    return subprocess.run(
        ["valgrind", *valgrind, str(program)],
        cwd=folder, env=os.environ | {"CYDP_FORCE_ISA": "portable"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip


@pytest.mark.long
def test_steps_do_not_vary(tmp_path: Path) -> None:
    done = run(
        tmp_path, "--tool=callgrind", "--toggle-collect=steps", "--dump-after=steps",
        "--callgrind-out-file=out",
    )  # fmt: skip
    counts = defaultdict(list)
    for number, line in enumerate(done.stdout.splitlines(), 1):
        summary = re.search(r"^summary: (\d+)$", (tmp_path / f"out.{number}").read_text(), re.M)
        assert summary
        counts[line].append(int(summary[1]))
    mutant = counts.pop("undecided or not")
    assert len(mutant) == len(set(mutant)) == 2
    assert len(counts) == 30
    for line, steps in counts.items():
        assert len(steps) == 8
        assert len(set(steps)) == 1 < steps[0], (line, steps)
        assert steps == counts[re.sub("ties [0-9]+", "ties 1", line)]  # the same for other records


@pytest.mark.skipif(
    not Path("/usr/include/valgrind/memcheck.h").exists(), reason="needs valgrind's header"
)
def test_one_branch_depends_on_the_bits(tmp_path: Path) -> None:
    """It asks whether the choice is decided; no other branch and no address depends on them."""
    done = run(tmp_path, "--error-limit=no", flag="-DSECRET")
    calls = done.stdout.count("rate")
    errors = re.search(r"ERROR SUMMARY: (\d+) errors", done.stderr)
    assert errors
    assert int(errors[1]) == calls == 240
    assert set(re.findall(r" at 0x\w+: (\w+)", done.stderr)) == {"cydp_quantile_map"}
