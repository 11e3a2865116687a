"""Rules of the code base that no linter knows, and what is installed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cydp

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*(ROOT / "csrc").glob("*.[ch]"), *(ROOT / "src").rglob("*.py*")])


def test_what_is_installed_is_what_is_tested() -> None:
    assert not Path(cydp.__file__).is_relative_to(ROOT / "src")


def test_bindings_are_short_and_files_hold_one_thing() -> None:
    for file in SOURCES:
        lines = file.read_text().count("\n") if file.suffix != ".pyc" else 0
        assert lines <= (300 if file.suffix == ".pyx" else 600), file.name


def test_the_core_knows_nothing_of_python_nor_of_epsilon() -> None:
    for file in (ROOT / "csrc").rglob("*.[ch]"):
        code = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL)
        assert "Python.h" not in code
        assert "epsilon" not in code


@pytest.mark.parametrize("flag", ["-ffast-math", "-Ofast", "-march=native"])
def test_no_flag_breaks_floats_or_portability(flag: str) -> None:
    for file in ROOT.rglob("CMakeLists.txt"):
        assert flag not in file.read_text()


def test_accounting_knows_nothing_of_noise() -> None:
    for file in (ROOT / "src" / "cydp" / "accounting").glob("*.py"):
        imported = re.findall(r"^(?:from|import) (cydp[\w.]*)", file.read_text(), re.MULTILINE)
        assert {name.split(".")[1] for name in imported} <= {"accounting", "rational"}


def test_import_needs_numpy_only() -> None:
    code = "import sys, cydp; print(*{m.split('.')[0] for m in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"duckdb", "scipy", "pandas", "pytest"} & set(done.stdout.split())


@pytest.mark.parametrize("isa", ["portable", ""])
def test_a_forced_isa_is_the_one_in_use(isa: str) -> None:
    code = "import cydp; print(cydp.build_info()['isa'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env=os.environ | {"CYDP_FORCE_ISA": isa})  # fmt: skip
    assert done.stdout.strip() == (isa or cydp.build_info()["isa"])


def test_an_unknown_isa_fails_at_import() -> None:
    done = subprocess.run([sys.executable, "-c", "import cydp"], capture_output=True, text=True,
                          check=False, env=os.environ | {"CYDP_FORCE_ISA": "sparc"})  # fmt: skip
    assert done.returncode != 0
    assert "ImportError: CYDP_FORCE_ISA names no kernels that run here" in done.stderr


def test_public_names_resolve_and_are_typed() -> None:
    for name in cydp.__all__:
        assert hasattr(cydp, name)
    package = Path(cydp.__file__).parent
    assert (package / "py.typed").is_file()
    for extension in package.glob("*.so"):
        assert (package / f"{extension.name.split('.')[0]}.pyi").is_file()
