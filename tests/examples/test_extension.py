"""What others build on cydp: the header in C and C++, a program and an extension, built and run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import cydp

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "extension"
# The commands of a section of its README.
COMMANDS = {
    title: re.sub(r"^ {4}", "", block, flags=re.MULTILINE)
    for title, block in re.findall(
        r"^## (\S+)\n\n((?: {4}.*\n)+)", (EXAMPLE / "README.md").read_text(), re.MULTILINE
    )
}
CC = (sysconfig.get_config_var("CC") or "cc").split()[0]
pytestmark = pytest.mark.skipif(shutil.which(CC) is None, reason="needs a C compiler")
# Programs would have to be linked with the sanitizers that the library then needs.
plain = pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="the library is under sanitizers"
)


def run(command: list[str], folder: Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, cwd=folder, input=given, capture_output=True, check=False)


def build(title: str, folder: Path, include: str | None = None) -> Path:
    """Type the commands of a section of the README, with another folder of headers if given."""
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
    commands = COMMANDS[title]
    if include is not None:
        assert commands.count("cydp.build.get_include()") == 1
        commands = commands.replace("cydp.build.get_include()", f'"{include}"')
    if sys.platform == "darwin":
        commands = commands.replace("-shared", "-bundle -undefined dynamic_lookup")
        commands = commands.replace(" -Wl,-z,now", "")
    names = f'python() {{ "{sys.executable}" "$@"; }}\ncc() {{ "{CC}" "$@"; }}\n'
    done = run(["sh", "-e", "-c", names + commands], folder)
    assert done.returncode == 0, done.stderr.decode()
    return folder


@pytest.fixture(scope="module")
def another_header(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder of headers with an ABI version that is not the library's."""
    folder = tmp_path_factory.mktemp("another") / "include"
    shutil.copytree(cydp.build.get_include(), folder)
    text = (folder / "cydp.h").read_text()
    assert text.count("#define CYDP_ABI_VERSION ") == 1
    (folder / "cydp.h").write_text(
        text.replace("#define CYDP_ABI_VERSION ", "#define CYDP_ABI_VERSION 1000 + ")
    )
    return str(folder)


SAYS = "cydp.h and libcydp.a have different ABI versions"


def test_the_installed_headers_are_those_of_the_core() -> None:
    core = {file.name: file.read_text() for file in (ROOT / "csrc" / "include").iterdir()}
    assert core == {
        file.name: file.read_text() for file in Path(cydp.build.get_include()).iterdir()
    }


def test_the_readme_shows_how_both_are_built() -> None:
    assert set(COMMANDS) == {"C", "Cython"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(build("C", tmp_path_factory.mktemp("program")) / "noisy_counts")


@plain
def test_the_program_adds_noise_to_each_count(program: str, tmp_path: Path) -> None:
    for n in (0, 1, 1025, 2**16, 200_001):
        counts = np.arange(n) * 1000
        done = run([program, str(2**40)], tmp_path, counts.tobytes())
        assert (done.returncode, done.stderr) == (0, b"")
        noise = np.frombuffer(done.stdout, np.int64) - counts
        assert len(noise) == n
        assert len(set(noise)) > n - 100  # no thread repeats another's noise
        assert (abs(noise) < 2**47).all()


@plain
def test_the_program_writes_nothing_if_a_call_fails(program: str, tmp_path: Path) -> None:
    for scale in ("0", "-1", "many", str(2**56 + 1)):
        done = run([program, scale], tmp_path, bytes(80))
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr == b"noisy_counts: a parameter is outside its range\n"


@plain
def test_the_program_of_the_reference_prints_a_count_with_noise(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(COMMANDS, "C", COMMANDS["C"].replace("noisy_counts", "one_count"))
        program = str(build("C", tmp_path) / "one_count")
    printed = {int(run([program], tmp_path).stdout) for _ in range(20)}
    assert len(printed) > 1
    assert all(abs(count - 549) < 1000 for count in printed)  # except with probability e^-100


@plain
def test_the_program_needs_no_python(program: str, tmp_path: Path) -> None:
    if shutil.which("ldd") is None:
        pytest.skip("there is no ldd")
    assert b"python" not in run(["ldd", program], tmp_path).stdout


@plain
def test_a_program_with_another_header_is_refused(another_header: str, tmp_path: Path) -> None:
    done = run([str(build("C", tmp_path, another_header) / "noisy_counts"), "10"], tmp_path, b"")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith(f"noisy_counts: {SAYS}")


USE = """
from noisy_sum import noisy_sum
drawn = {noisy_sum([1, 2, 3], 2**40) for _ in range(100)}
assert len(drawn) == 100 and max(map(abs, drawn)) < 2**47
try: noisy_sum([1], 0)
except ValueError as error: print(error)
try: noisy_sum([1.5], 1)
except TypeError as error: print(error)
"""


def test_the_extension_draws_noise(tmp_path: Path) -> None:
    done = run([sys.executable, "-c", USE], build("Cython", tmp_path))
    assert done.stderr == b""
    scale, kind = done.stdout.decode().splitlines()
    assert scale == "scale must be between 1 and 2**56"
    assert kind == "'float' object cannot be interpreted as an integer"


@pytest.mark.long
def test_an_extension_with_another_header_fails_at_import(
    another_header: str, tmp_path: Path
) -> None:
    done = run([sys.executable, "-c", USE], build("Cython", tmp_path, another_header))
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[-1].startswith(f"ImportError: {SAYS}")


USER = """
#include "cydp_testing.h"
int main(void) { return cydp_init() == CYDP_OK && cydp_abi_version() == CYDP_ABI_VERSION ? 0 : 1; }
"""


@plain
@pytest.mark.parametrize("language", ["c11", "c++17"])
def test_the_headers_compile_without_a_warning(language: str, tmp_path: Path) -> None:
    compiler, file = (CC, "use.c") if language == "c11" else ("c++", "use.cpp")
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    (tmp_path / file).write_text(USER)
    done = run(
        [compiler, f"-std={language}", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror",
         file, "-o", "use", f"-I{cydp.build.get_include()}", f"-L{cydp.build.get_lib()}",
        "-lcydp", "-lm",
         "-pthread"], tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    assert run([str(tmp_path / "use")], tmp_path).returncode == 0
