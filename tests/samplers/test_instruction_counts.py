"""Instructions counted by valgrind: those of a sampler depend on no bit that it draws.

instruction_counts.c, built against what is installed, maps batches of 1,024 candidates under many
keys.
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


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("counts") / "counts"
    source = Path(__file__).with_name("instruction_counts.c")
    subprocess.run(
        [COMPILER, "-O2", str(source), f"-I{cydp.get_include()}", f"-L{cydp.get_lib()}",
         "-lcydp", "-lm", "-pthread", "-o", str(built)],
        check=True,
    )  # fmt: skip
    return built


@pytest.fixture(scope="module", params=["avx2", "portable"])
def counts(program: Path, request: pytest.FixtureRequest) -> dict[str, list[int]]:
    """Instructions of each call of `steps`, by the line that it prints."""
    folder = program.parent / request.param
    folder.mkdir()
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--toggle-collect=steps", "--dump-after=steps",
         "--callgrind-out-file=out", str(program)],
        cwd=folder, env=os.environ | {"CYDP_FORCE_ISA": request.param},
        capture_output=True, text=True,
    )  # fmt: skip
    if "CYDP_FORCE_ISA" in done.stderr:
        pytest.skip(f"valgrind runs no {request.param} here")
    assert done.returncode == 0, done.stderr
    found = defaultdict(list)
    for number, line in enumerate(done.stdout.splitlines(), 1):
        summary = re.search(r"^summary: (\d+)$", (folder / f"out.{number}").read_text(), re.M)
        assert summary
        found[line].append(int(summary[1]))
    return found


@pytest.mark.parametrize("kind", ["nothing undecided", "fixed work"])
def test_steps_do_not_vary(counts: dict[str, list[int]], kind: str) -> None:
    of_kind = {line: steps for line, steps in counts.items() if line.endswith(kind)}
    assert len(of_kind) == 17
    for line, steps in of_kind.items():
        assert len(steps) == 6
        assert len(set(steps)) == 1 < steps[0], (line, steps)


def test_undecided_candidates_show(counts: dict[str, list[int]]) -> None:
    """The mutant: without fixed work, batches that leave something undecided are told apart."""
    for distribution in ("laplace 5", "laplace 1000", "gaussian 200"):
        assert len(set(counts[f"{distribution}, as it comes"])) > 1
