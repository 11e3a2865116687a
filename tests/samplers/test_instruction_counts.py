"""Instructions counted by valgrind: for a sampler, they depend on no bit that it draws.

instruction_counts.c, built against what is installed, maps batches of 1,024 candidates under many
keys.
"""

from pathlib import Path

import pytest
from samplers import instructions

pytestmark = instructions.needs_valgrind


@pytest.fixture(scope="module", params=["avx2", "portable"])
def counts(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, list[int]]:
    folder = tmp_path_factory.mktemp("counts")
    program = instructions.built(Path(__file__).with_name("instruction_counts.c"), folder)
    return instructions.counts(program, folder, request.param)


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
