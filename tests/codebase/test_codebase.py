"""Rules of the code base that no linter knows, and how it was built."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from codebase import import_graph, include_graph
from codebase.rule import rule_of

import cydp

ROOT = Path(__file__).parents[2]
CORE = sorted((ROOT / "csrc").rglob("*.[ch]"))
SOURCES = [*(f for f in CORE if "tests" not in f.parts), *sorted((ROOT / "src").rglob("*.py*"))]
FOLDERS = {
    "include", "base", "generator", "samplers", "mechanisms", "columns", "exact",
    "postprocessing", "tests",
}  # fmt: skip


def test_every_folder_of_the_core_is_seen() -> None:
    assert {file.relative_to(ROOT / "csrc").parts[0] for file in CORE} == FOLDERS
    assert len(CORE) > 120


def test_files_hold_one_thing() -> None:
    """But for the bindings, which are one module so that there is one copy of the core.

    The public header, which is one so that it is a table of contents, has a limit of its own.
    """
    for file in SOURCES:
        if file.suffix not in {".pyc", ".pyx"}:
            most = 720 if file.name == "cydp.h" else 600
            assert file.read_text().count("\n") <= most, file.name


def test_one_binding_chooses_the_kernels() -> None:
    """A second one would link a core of its own, which would serve with portable kernels."""
    (file,) = (ROOT / "src" / "cydp").rglob("*.pyx")
    assert "\nchoose_kernels()\n" in file.read_text()


def test_the_core_knows_nothing_of_python_nor_of_epsilon() -> None:
    for file in CORE:
        code = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL)
        assert "Python.h" not in code
        assert "epsilon" not in code


@rule_of(["-ffast-math", "-Ofast", "-march=native"])
def test_no_flag_breaks_floats_or_portability(flag: str) -> None:
    for file in ROOT.rglob("CMakeLists.txt"):
        assert flag not in file.read_text()


def test_build_info_tells_what_was_built() -> None:
    info = cydp.build.build_info()
    assert set(info) == {"isa", "stream", "aes", "compiler", "flags", "release"}
    assert info["stream"] in ("aes", "chacha20")
    for flag in ("-O3", "-ffp-contract=off", "-fno-strict-aliasing"):
        assert flag in str(info["flags"])


def test_accounting_knows_nothing_of_noise() -> None:
    modules = {n: below for n, below in import_graph.modules().items() if n[:10] == "accounting"}
    assert len(modules) > 20
    needed = {below.split(".")[0] for module in modules.values() for below in module}
    assert needed <= {
        "_arguments", "_call_errors", "_columns", "_extras", "_html_looks", "_numbers",
        "_relations", "_version", "accounting",
    }  # fmt: skip


def test_import_loads_numpy_only() -> None:
    code = "import sys, cydp; print(*{m.split('.')[0] for m in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    others = {"duckdb", "nanoarrow", "pandas", "polars", "pyarrow", "pytest", "scipy"}
    assert not others & set(done.stdout.split())


ISAS = include_graph.ISAS  # best first


def under_isa(isa: str, code: str, stream: str = "") -> subprocess.CompletedProcess[str]:
    forced = {"CYDP_FORCE_ISA": isa, "CYDP_STREAM": stream}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=False, env=os.environ | forced)  # fmt: skip


def test_a_forced_isa_is_the_one_in_use_or_fails_at_import() -> None:
    running = []
    for isa in ISAS:
        done = under_isa(isa, "import cydp; print(cydp.build.build_info()['isa'])")
        if done.returncode == 0:
            assert done.stdout.strip() == isa
            running.append(isa)
        else:
            assert "ImportError: CYDP_FORCE_ISA names no kernels that run here" in done.stderr
    assert running[-1] == "portable"
    unforced = under_isa("", "import cydp; print(cydp.build.build_info()['isa'])")
    assert unforced.stdout.strip() == running[0]


STREAM = """
import hashlib, cydp
rng, digest = cydp.testing.SeededGenerator(2024, stream="chacha20"), hashlib.sha256()
for size in [5, 300, 5000]:
    for scale in ["1e-6", "1/7", "1", "4", "22/3", "10", "1000", "1025", "1e6", "2e10", 2**56]:
        digest.update(rng.discrete_laplace(scale, size).tobytes())
    for sigma in ["0.001", "1/3", "1", "7.99", 8, "10", "1e3", 2**20, "1e9", 2**40, 2**56]:
        digest.update(rng.discrete_gaussian(sigma, size).tobytes())
    for p in ["1/3", "0.5", "1e-6"]:
        digest.update(rng.bernoulli(p, size).tobytes())
print(digest.hexdigest(), rng.bytes(5).hex(), hashlib.sha256(rng.bytes(5000)).hexdigest())
"""


def test_a_seeded_stream_is_the_same_under_every_isa() -> None:
    streams = {isa: under_isa(isa, STREAM) for isa in ISAS}
    printed = {done.stdout for done in streams.values() if done.returncode == 0}
    assert streams["portable"].returncode == 0, streams["portable"].stderr
    assert len(printed) == 1


def test_a_seeded_aes_stream_is_the_same_under_every_isa_and_version() -> None:
    zeros = np.zeros(8, np.uint32)
    versions = sorted(cydp.testing.aes256_words(zeros, zeros[:3], 0))
    code = STREAM.replace("chacha20", "aes")
    done = [under_isa(isa, code, name) for isa in ISAS for name in versions]
    printed = [one.stdout for one in done if one.returncode == 0]
    assert len(printed) >= len(versions)
    assert len(set(printed)) <= 1
    assert under_isa("", STREAM).stdout not in printed


def test_the_environment_names_the_stream() -> None:
    code = "import cydp; print(cydp.build.build_info()['stream'], cydp.Generator().stream)"
    assert under_isa("", code, "chacha20").stdout.split() == ["chacha20", "chacha20"]
    assert under_isa("portable", code).stdout.split() == ["chacha20", "chacha20"]
    best = cydp.testing.aes256_words(np.zeros(8, np.uint32), np.zeros(3, np.uint32), 0)
    default = "aes" if best else "chacha20"
    assert under_isa("", code).stdout.split() == [default, default]
    for isa, stream in [("portable", "aes"), ("", "rot13"), ("", "AES")]:
        done = under_isa(isa, "import cydp", stream)
        assert done.returncode != 0
        assert "ImportError: CYDP_STREAM names no stream that runs here" in done.stderr
    done = under_isa("portable", "import cydp; cydp.Generator(stream='aes')")
    assert "RuntimeError: stream='aes' needs AES instructions" in done.stderr


def test_an_unknown_isa_fails_at_import() -> None:
    done = under_isa("sparc", "import cydp")
    assert done.returncode != 0
    assert "ImportError: CYDP_FORCE_ISA names no kernels that run here" in done.stderr


def test_public_names_resolve_and_are_typed() -> None:
    for name in dir(cydp):
        assert hasattr(cydp, name)
    package = Path(cydp.__file__).parent
    assert (package / "py.typed").is_file()
    for extension in package.glob("*.so"):
        assert (package / f"{extension.name.split('.')[0]}.pyi").is_file()


@pytest.mark.skipif(shutil.which("readelf") is None, reason="there is no readelf")
def test_the_extension_is_bound_when_it_is_loaded() -> None:
    """Its table of functions is read-only from then on: linked with -z relro -z now."""
    file = str(importlib.import_module("cydp._core").__file__)
    with open(file, "rb") as binary:
        if binary.read(4) != b"\x7fELF":
            pytest.skip("the extension is no ELF file")

    def said(option: str) -> str:
        return subprocess.run(
            ["readelf", option, "--wide", file], capture_output=True, text=True, check=True
        ).stdout

    assert re.search(r"\(FLAGS\)\s.*\bBIND_NOW\b|\(FLAGS_1\)\s.*\bNOW\b", said("--dynamic"))
    assert "GNU_RELRO" in said("--program-headers")
