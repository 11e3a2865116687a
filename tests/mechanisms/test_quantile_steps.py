"""What a quantile does, seen by valgrind: it depends on no bit that is drawn.

quantile_steps.c is built against what is installed.
"""

import re
from pathlib import Path

import pytest
from samplers import instructions

SOURCE = Path(__file__).with_name("quantile_steps.c")
pytestmark = instructions.needs_valgrind


@pytest.mark.long
def test_steps_do_not_vary(tmp_path: Path) -> None:
    counts = instructions.counts(instructions.built(SOURCE, tmp_path), tmp_path, "portable")
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
    program = instructions.built(SOURCE, tmp_path, "-DSECRET")
    done = instructions.run(program, tmp_path, "portable", "--error-limit=no")
    assert done.returncode == 0, done.stderr
    calls = done.stdout.count("rate")
    errors = re.search(r"ERROR SUMMARY: (\d+) errors", done.stderr)
    assert errors
    assert int(errors[1]) == calls == 240
    assert set(re.findall(r" at 0x\w+: (\w+)", done.stderr)) == {"cydp_quantile_map"}
