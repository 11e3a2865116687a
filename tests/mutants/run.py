"""Wrong versions of cydp that a test must reject, one at a time: do they die?

    python tests/mutants/run.py                  # all
    python tests/mutants/run.py --some 20        # 20 that .ci/run must kill, chosen by the commit
    python tests/mutants/run.py --only clamp     # those whose room, claim or file holds a text
    python tests/mutants/run.py --only clamp --seek tests/exact    # which of these tests kills?

`<room>.toml` lists the mutants of a room. `old` stands once in `file` and becomes `new`; `killer`
is the test that must fail then, of pytest or `csrc/tests/<room>/test_<thing>.c`; `long` says why
that test runs in .ci/long alone. Mutants in C and Cython are compiled once, all together: the
environment variable CYDP_MUTANT chooses one. There `old` and `new` are expressions, or statements
that end with a semicolon or a brace (in Cython: one line, with its indentation).
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

__all__ = ["Mutant", "listed"]

ROOT = Path(__file__).parents[2]
BUILT_FROM = (
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "csrc",
    "packaging",
    "pyproject.toml",
    "src",
)
COMPILED = {".c", ".h", ".pyx"}
SECONDS = 300  # after which a test has not ended: it hangs, and the mutant lives


@dataclass(frozen=True)
class Mutant:
    """One wrong version. `number` is what CYDP_MUTANT chooses it by."""

    number: int
    room: str
    claim: str
    file: str
    old: str
    new: str
    killer: str
    long: str = ""

    @property
    def is_compiled(self) -> bool:
        return Path(self.file).suffix in COMPILED

    @property
    def name(self) -> str:
        return f"{self.room}: {self.claim}"

    def place(self) -> tuple[int, int]:
        """Return where the old text begins and ends in its file."""
        text = (ROOT / self.file).read_text()
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: {self.file} has `old` {text.count(self.old)} times")
        return text.index(self.old), text.index(self.old) + len(self.old)

    def switched(self) -> str:
        """Return code that does the old thing, or the new one where this mutant is chosen."""
        chosen = f"cydp_mutant == {self.number}"
        if self.file.endswith(".pyx"):
            if self.old.startswith("    "):
                indent = re.match(" *", self.old)[0]  # type: ignore[index]
                new = indent + "    " + (self.new.strip() or "pass")
                old = f"{indent}    {self.old.strip()}"
                return f"{indent}if {chosen}:\n{new}\n{indent}else:\n{old}"
            return f"({self.new} if {chosen} else {self.old})"
        if self.old.rstrip()[-1] in ";}":
            return f"if ({chosen}) {{ {self.new} }} else {{ {self.old} }}"
        return f"({chosen} ? ({self.new}) : ({self.old}))"


def listed() -> list[Mutant]:
    """Return all mutants, those of one room together."""
    found: list[Mutant] = []
    for file in sorted(Path(__file__).parent.glob("*.toml")):
        for entry in tomllib.loads(file.read_text())["mutant"]:
            found.append(Mutant(number=len(found) + 1, room=file.stem, **entry))
    return found


def chosen_by_commit(mutants: list[Mutant], count: int) -> list[Mutant]:
    commit = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    quick = [mutant for mutant in mutants if not mutant.long]
    print(f"{count} of {len(quick)} mutants, chosen by {commit}")
    return random.Random(commit).sample(quick, min(count, len(quick)))


# Builds

SWITCH = """\
#include <stdlib.h>
int cydp_mutant;
__attribute__((constructor)) static void choose(void) {
  const char *number = getenv("CYDP_MUTANT");
  cydp_mutant = number ? atoi(number) : 0;
}
"""


def switched_sources(mutants: list[Mutant], folder: Path) -> None:
    """Copy what cydp is built from, with every compiled mutant in it, behind the switch."""
    for name in BUILT_FROM:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, folder / name)
    (folder / "csrc/base/mutant.c").write_text(SWITCH)
    (folder / "mutant.h").write_text("extern int cydp_mutant;\n")
    places: dict[str, list[tuple[int, int, Mutant]]] = {}
    for mutant in mutants:
        places.setdefault(mutant.file, []).append((*mutant.place(), mutant))
    for file, found in places.items():
        text = (ROOT / file).read_text()
        first = len(text)
        for start, end, mutant in sorted(found, key=lambda each: each[:2], reverse=True):
            if end > first:
                raise ValueError(f"{mutant.name}: another mutant is in the same text of {file}")
            text, first = text[:start] + mutant.switched() + text[end:], start
        if file.endswith(".pyx"):
            declared = "cdef extern from *:\n    int cydp_mutant\n"
            text = text.replace("\ncimport cython\n", f"\ncimport cython\n\n{declared}\n", 1)
        (folder / file).write_text(text)


def compiled(mutants: list[Mutant], work: Path) -> Path:
    """Return a folder with the package as it is but for the switch; C tests are built beside it."""
    print(f"compiling {len(mutants)} mutants", flush=True)
    sources, package = work / "sources", work / "compiled"
    sources.mkdir()
    switched_sources(mutants, sources)
    flags = f"-include {sources / 'mutant.h'} -w"
    tests = any(mutant.killer.endswith(".c") for mutant in mutants)
    settings = {"build-dir": work / "build", "cmake.define.CMAKE_C_FLAGS": flags,
                "cmake.define.CYDP_TESTS": "ON" if tests else "OFF"}  # fmt: skip
    given = [part for key, value in settings.items() for part in ("-C", f"{key}={value}")]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", package]
    subprocess.run([*pip, *given, sources], check=True)
    return package


# Runs


@dataclass(frozen=True)
class Run:
    """How the killers are run: beside which package, and in which folder files may be written."""

    package: Path
    work: Path

    def test(self, killers: Iterable[str], package: Path, number: int = 0) -> tuple[int, str]:
        """Return the exit code of tests with a package, and what they printed."""
        killers = list(killers)
        environment = os.environ | {"PYTHONPATH": str(package), "CYDP_MUTANT": str(number)}
        if killers[0].endswith(".c"):
            (program,) = (self.work / "build").rglob(Path(killers[0]).stem)
            command = [str(program)]
        else:
            command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-x", "-m", "", "--tb=line",
                       "--no-header", "-p", "no:cacheprovider", *killers]  # fmt: skip
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
                timeout=SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return 0, f"no end within {SECONDS} s"
        return done.returncode, done.stdout + done.stderr

    def mutate(self, mutant: Mutant) -> Path:
        """Return a copy of the package in which a mutant in Python is."""
        overlay = self.work / f"mutant-{mutant.number}"
        shutil.copytree(self.package / "cydp", overlay / "cydp")
        start, end = mutant.place()
        text = (ROOT / mutant.file).read_text()
        file = overlay / Path(mutant.file).relative_to("src")
        file.write_text(text[:start] + mutant.new + text[end:])
        for stale in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
            stale.unlink()
        return overlay

    def lives(self, mutant: Mutant, seek: str) -> str:
        """Return why a mutant lives, or nothing; print what kills it if that is sought."""
        overlay = self.package if mutant.is_compiled else self.mutate(mutant)
        code, said = self.test(
            [seek or mutant.killer], overlay, mutant.number if mutant.is_compiled else 0
        )
        if not mutant.is_compiled:
            shutil.rmtree(overlay)
        if seek:
            failed = re.findall(r"^FAILED (\S+)", said, re.MULTILINE)
            print(f"{mutant.name}\n    {' '.join(failed)}", flush=True)
        died = code == 1 or code < 0  # a test failed, or the process crashed
        return "" if died else f"exit code {code}: {said[-600:]}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--some", type=int, metavar="N", help="N of them, chosen by the commit")
    parser.add_argument("--only", metavar="TEXT", help="those whose room, claim or file holds it")
    parser.add_argument("--seek", metavar="TESTS", help="print which of these tests kills")
    given = parser.parse_args(arguments)
    mutants = listed()
    for mutant in mutants:
        mutant.place()  # one that no longer applies is an error, chosen or not
    if given.only:
        mutants = [m for m in mutants if given.only in m.name or given.only in m.file]
    if given.some:
        mutants = chosen_by_commit(mutants, given.some)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        in_c = [mutant for mutant in mutants if mutant.is_compiled]
        spec = find_spec("cydp")
        assert spec is not None
        assert spec.origin is not None
        run = Run(compiled(in_c, work) if in_c else Path(spec.origin).parents[1], work)
        killers = {mutant.killer for mutant in mutants}
        in_python = sorted(killer for killer in killers if not killer.endswith(".c"))
        for group in [in_python, *([killer] for killer in killers if killer.endswith(".c"))]:
            code, said = run.test(group, run.package) if group and not given.seek else (0, "")
            if code:
                print(f"without a mutant, these fail: {said[-3000:]}")
                return 1
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            alive = list(pool.map(lambda mutant: run.lives(mutant, given.seek), mutants))
    for mutant, why in zip(mutants, alive, strict=True):
        if why:
            print(f"ALIVE {mutant.name} ({mutant.file})\n  by {mutant.killer}\n{why}")
    print(f"{sum(not why for why in alive)} of {len(mutants)} mutants died")
    return any(alive)


if __name__ == "__main__":
    sys.exit(main())
