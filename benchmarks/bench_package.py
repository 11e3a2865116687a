"""What a user waits for and stores before the first call: import, wheel, installation.

A wheel is made anew of the installed files, by deflate as in any wheel: building one takes minutes.
"""

import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
import zipfile
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import rivals
from harness import in_turn
from harness.environments import UnavailableError, python_with
from harness.processes import NewProcess, run

import cydp

IMPORT = """
module, before = sys.argv[1:]
if before:
    __import__(before)
cpu, start = process_time(), perf_counter()
__import__(module)
answer(wall=perf_counter() - start, cpu=process_time() - cpu, loaded=module in sys.modules)
"""
ALL = """
import numpy
cpu, start = process_time(), perf_counter()
import cydp
loaded = all(hasattr(cydp, name) for name in cydp.__all__)  # most modules load at first use
answer(wall=perf_counter() - start, cpu=process_time() - cpu, loaded=loaded)
"""
MEMORY = """
import numpy
before = peak()
import cydp
answer(before=before, after=peak())
"""
INSTALLED = """
import importlib.metadata
found = {}
for package in importlib.metadata.distributions():
    files = [file.locate() for file in package.files or () if file.suffix != ".pyc"]
    found[package.metadata["Name"]] = sum(f.stat().st_size for f in files if f.is_file())
answer(**found)
"""
MODULES = {"OpenDP": "opendp.prelude", "diffprivlib": "diffprivlib", "python-dp": "pydp"}
PACKAGES = {"OpenDP": "opendp", "diffprivlib": "diffprivlib", "python-dp": "python-dp"}
UNUSED = {"pip", "setuptools"}  # of an environment


def pythons() -> dict[str, Path]:
    """The Pythons of the rivals that have one."""
    found = {}
    for name in MODULES:
        if name in rivals.SKIPPED:
            continue
        try:
            found[name] = python_with(rivals.RIVALS[name].requirements)
        except UnavailableError as error:
            rivals.SKIPPED[name] = str(error)
    return found


def bench_import(benchmark: Any) -> None:
    """What an import adds to numpy's, each time in a new process."""
    benchmark.group = "package: import, numpy imported before"
    ways = {
        "cydp": NewProcess(IMPORT, "cydp", "numpy"),
        "cydp, all public names": NewProcess(ALL),
        "yardstick, numpy itself": NewProcess(IMPORT, "numpy", ""),
    }
    for name, python in pythons().items():
        ways[name] = NewProcess(IMPORT, MODULES[name], "numpy", python=python)
    answers = in_turn.measure(benchmark, ways, rounds=15)
    assert all(answer["loaded"] for answer in answers.values())
    memory = run(MEMORY)
    if memory["before"] is not None:
        added = memory["after"] - memory["before"]
        benchmark.extra_info["MiB of memory that the import adds"] = round(added / 2**20, 2)


def wheel(folder: Path) -> Path:
    """Return a wheel of the installed files."""
    package = importlib.metadata.distribution("cydp")
    # Other files are the installer's.
    about = {"METADATA", "WHEEL", "entry_points.txt", "LICENSE", "cydp.cdx.json"}
    kept = {
        str(file): file
        for file in package.files or ()
        if (file.parts[0] == "cydp" and file.suffix != ".pyc") or file.name in about
    }
    folder_about = next(file for file in kept.values() if file.name == "WHEEL").parent
    tag = next(
        line.removeprefix("Tag: ")
        for line in (package.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag: ")
    )
    made = folder / f"cydp-{package.version}-{tag}.whl"
    record = f"{folder_about}/RECORD"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        rows = []
        for name, file in kept.items():
            content = file.locate().read_bytes()
            hashed = urlsafe_b64encode(sha256(content).digest()).decode().rstrip("=")
            rows.append(f"{name},sha256={hashed},{len(content)}\n")
            archive.writestr(name, content)
        archive.writestr(record, "".join([*rows, f"{record},,\n"]))
    return made


def bench_install(benchmark: Any, tmp_path: Path) -> None:
    """pip, with the wheel at hand: no network, no dependencies."""
    benchmark.group = "package: installation of the wheel"
    if importlib.util.find_spec("pip") is None:
        pytest.skip("this environment has no pip")
    made, target = wheel(tmp_path), tmp_path / "target"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]

    def install() -> int:
        shutil.rmtree(target, ignore_errors=True)
        where = ["--no-deps", "--no-index", "--target", target]
        subprocess.run([*pip, *where, made], check=True, capture_output=True)
        return len([*target.rglob("*.py")])

    modules = in_turn.measure(benchmark, {"cydp": install}, rounds=3)["cydp"]
    assert modules == len([*Path(cydp.__file__).parent.rglob("*.py")])
    benchmark.extra_info["bytes of the wheel"] = made.stat().st_size


def bench_size(benchmark: Any) -> None:
    """Bytes of installed files, without compiled Python, alone and with what they need."""
    benchmark.group = "package: bytes of installed files"
    found = {}

    def look() -> None:
        here = run(INSTALLED)
        found["cydp"] = here["cydp"], here["cydp"] + here["numpy"]
        for name, python in pythons().items():
            there = run(INSTALLED, python=python)
            needed = sum(size for package, size in there.items() if package not in UNUSED)
            found[name] = there[PACKAGES[name]], needed

    benchmark.pedantic(look, rounds=1)
    assert all(0 < alone < needed for alone, needed in found.values())
    for name, (alone, needed) in found.items():
        benchmark.extra_info[name] = {"alone": alone, "with what it needs": needed}
