"""Another extension: built against what is installed, and run."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import cydp

SOURCE = Path(__file__).parents[2] / "examples" / "extension" / "noisy_sum.pyx"
COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]


@pytest.mark.skipif(shutil.which(COMPILER) is None, reason="needs a C compiler")
def test_the_example_extension(tmp_path: Path) -> None:
    shutil.copy(SOURCE, tmp_path)
    subprocess.run(
        [sys.executable, "-m", "cython", "-3", "noisy_sum.pyx"], cwd=tmp_path, check=True
    )
    undefined = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    subprocess.run(
        [COMPILER, "-shared", "-fPIC", "noisy_sum.c", "-o", "noisy_sum.so", *undefined,
         f"-I{sysconfig.get_path('include')}", f"-I{cydp.get_include()}",
         f"-L{cydp.get_lib()}", "-lcydp", "-lm", "-pthread"],
        cwd=tmp_path, check=True,
    )  # fmt: skip
    code = (
        "from noisy_sum import noisy_sum\n"
        "drawn = {noisy_sum([1, 2, 3], 2**40) for _ in range(100)}\n"
        "assert len(drawn) == 100 and max(map(abs, drawn)) < 2**47\n"
        "try: noisy_sum([1], 0)\n"
        "except ValueError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "scale must be between 1 and 2**56\n"
