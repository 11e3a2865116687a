"""Wrong versions of cydp that a test must reject, one at a time: do they die?

    python tests/mutants/run.py                  # all
    python tests/mutants/run.py --some 20        # 20 that .ci/run must kill, chosen by the commit
    python tests/mutants/run.py --only clamp     # those with a text in subject, claim or file
    python tests/mutants/run.py --only clamp --seek tests/exact    # which of these tests kills?

`<subject>.toml` lists the mutants of a subject. `old` stands once in `file` and becomes `new`;
`killer` is the test that must fail then, of pytest or `csrc/tests/<subject>/test_<thing>.c`; `long`
says why that test runs in .ci/long alone. Mutants in C and Cython are compiled once, all together:
the environment variable CYDP_MUTANT chooses one. There `old` and `new` are expressions, or
statements that end with a semicolon or a brace (in Cython: one line, with its indentation). The
tests of a kernel's mutant run with its instruction set; a machine that lacks it leaves the mutant
out.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
import traceback
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

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
    subject: str
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
    def isa(self) -> str:
        """The instruction set of its kernel; "" if it is in no kernel."""
        found = re.search("_(portable|avx2|avx512|neon)[.]c$", self.file)
        return found[1] if found else ""

    @property
    def name(self) -> str:
        return f"{self.subject}: {self.claim}"

    def place(self) -> tuple[int, int]:
        """Return where the old text begins and ends in its file."""
        text = (ROOT / self.file).read_text()
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: {self.file} has `old` {text.count(self.old)} times")
        return text.index(self.old), text.index(self.old) + len(self.old)

    def whole(self) -> str:
        """Return the whole file with the new text in it."""
        start, end = self.place()
        text = (ROOT / self.file).read_text()
        return text[:start] + self.new + text[end:]

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
    """Return all mutants, subject by subject."""
    found: list[Mutant] = []
    for file in sorted(Path(__file__).parent.glob("*.toml")):
        for entry in tomllib.loads(file.read_text())["mutant"]:
            found.append(Mutant(number=len(found) + 1, subject=file.stem, **entry))
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


def last_first(mutants: list[Mutant]) -> dict[str, list[tuple[int, int, Mutant]]]:
    """Return where compiled mutants stand in each file, the last one first; none may overlap."""
    places: dict[str, list[tuple[int, int, Mutant]]] = {}
    for mutant in filter(lambda mutant: mutant.is_compiled, mutants):
        places.setdefault(mutant.file, []).append((*mutant.place(), mutant))
    for file, found in places.items():
        found.sort(key=lambda each: each[:2], reverse=True)
        for (start, _, later), (_, end, mutant) in itertools.pairwise(found):
            if end > start:
                raise ValueError(f"{mutant.name}: the text of {later.name}, too, in {file}")
    return places


def switched_sources(mutants: list[Mutant], folder: Path) -> None:
    """Copy what cydp is built from, with every compiled mutant in it, behind the switch."""
    for name in BUILT_FROM:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, folder / name)
    (folder / "csrc/base/mutant.c").write_text(SWITCH)
    (folder / "mutant.h").write_text("extern int cydp_mutant;\n")
    for file, found in last_first(mutants).items():
        text = (ROOT / file).read_text()
        for start, end, mutant in found:
            text = text[:start] + mutant.switched() + text[end:]
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

# What most tests import: once, in the process that a run of tests is a fork of. Never cydp, nor
# what starts threads when it is imported (polars, and jemalloc beneath pyarrow and pandas): a fork
# of theirs may wait for a lock that no thread of its own will give back.
IMPORTED = ("duckdb", "mpmath", "numpy", "scipy.stats")


@dataclass(frozen=True)
class Run:
    """Tests, with an instruction set or the best one, and with a mutant or none."""

    tests: tuple[str, ...]
    isa: str = ""
    mutant: Mutant | None = None

    @property
    def number(self) -> int:
        return self.mutant.number if self.mutant else 0


@dataclass(frozen=True)
class Runner:
    """Runs tests beside a package, and beside copies of it that hold a mutant in Python."""

    package: Path
    work: Path

    def mutated(self, mutant: Mutant) -> Path:
        """Return the package, or for a mutant in Python a copy of it that holds the mutant."""
        if mutant.is_compiled:
            return self.package
        overlay = self.work / f"mutant-{mutant.number}"
        shutil.copytree(self.package / "cydp", overlay / "cydp")
        file = overlay / Path(mutant.file).relative_to("src")
        file.write_text(mutant.whole())
        for stale in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
            stale.unlink()
        return overlay

    def said(self, number: int) -> Path:
        """Return the file of what the tests print for a mutant."""
        return self.work / f"said-{number}"

    def run(self, run: Run, package: Path) -> None:
        """Run tests, and end this process with their exit code."""
        os.dup2(os.open(self.said(run.number), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.dup2(1, 2)
        signal.alarm(SECONDS * (1 if run.mutant else len(run.tests)))
        os.environ.update(PYTHONPATH=str(package), CYDP_MUTANT=str(run.number))
        os.environ["CYDP_FORCE_ISA"] = run.isa
        if run.tests[0].endswith(".c"):
            (program,) = (self.work / "build").rglob(Path(run.tests[0]).stem)
            os.execv(program, [str(program)])
        sys.path.insert(0, str(package))
        options = ["-n", "0", "-q", "-x", "-m", "", "--tb=line", "--no-header"]
        code = pytest.main([*options, "-p", "no:cacheprovider", *run.tests])
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

    def start(self, run: Run, package: Path) -> int:
        """Run tests in a process of its own, and return its number."""
        process = os.fork()
        if process == 0:
            try:
                self.run(run, package)
            except BaseException:
                traceback.print_exc()
            finally:  # never back into the caller, whatever happens
                os._exit(3)
        return process

    def codes(self, runs: list[Run]) -> list[int]:
        """Return the exit code of each run; a process for each core."""
        codes, running, waiting = [0] * len(runs), dict[int, int](), list(range(len(runs)))
        while waiting or running:
            while waiting and len(running) < len(os.sched_getaffinity(0)):
                i = waiting.pop(0)
                mutant = runs[i].mutant
                package = self.package if mutant is None else self.mutated(mutant)
                running[self.start(runs[i], package)] = i
            process, status = os.wait()
            i = running.pop(process)
            codes[i] = os.waitstatus_to_exitcode(status)
            if (mutant := runs[i].mutant) and not mutant.is_compiled:
                shutil.rmtree(self.work / f"mutant-{mutant.number}")
        return codes


def run_here(mutants: list[Mutant]) -> list[Mutant]:
    """Return those but of kernels that this machine cannot run."""
    lacking = set()
    for isa in {mutant.isa for mutant in mutants if mutant.isa}:
        environment = os.environ | {"CYDP_FORCE_ISA": isa}
        command = [sys.executable, "-c", "import cydp"]
        if subprocess.run(command, env=environment, capture_output=True, check=False).returncode:
            lacking.add(isa)
    if lacking:
        print(f"left out, since this machine cannot run it: {', '.join(sorted(lacking))}")
    return [mutant for mutant in mutants if mutant.isa not in lacking]


def runs_without(mutants: list[Mutant]) -> list[Run]:
    """Return runs of all killers without a mutant, in which they must pass."""
    killers = {(mutant.isa, mutant.killer) for mutant in mutants}
    runs = [Run((killer,), isa) for isa, killer in sorted(killers) if killer.endswith(".c")]
    for chosen in sorted({isa for isa, _ in killers}):
        tests = [killer for isa, killer in sorted(killers) if isa == chosen and killer[-2:] != ".c"]
        runs += [Run(tuple(tests), chosen)] if tests else []
    return runs


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--some", type=int, metavar="N", help="N of them, chosen by the commit")
    parser.add_argument("--only", metavar="TEXT", help="with it in subject, claim or file")
    parser.add_argument("--seek", metavar="TESTS", help="print which of these tests kills")
    given = parser.parse_args(arguments)
    mutants = listed()
    for mutant in mutants:
        mutant.place()  # one that no longer applies is an error, chosen or not
    last_first(mutants)
    if given.only:
        mutants = [m for m in mutants if given.only in m.name or given.only in m.file]
    if given.some:
        mutants = chosen_by_commit(mutants, given.some)
    mutants = run_here(mutants)
    for name in IMPORTED:
        import_module(name)
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        in_c = [mutant for mutant in mutants if mutant.is_compiled]
        spec = find_spec("cydp")
        assert spec is not None
        assert spec.origin is not None
        runner = Runner(compiled(in_c, work) if in_c else Path(spec.origin).parents[1], work)
        for run in [] if given.seek else runs_without(mutants):
            if runner.codes([run]) != [0]:
                print(f"without a mutant, these fail: {runner.said(0).read_text()[-3000:]}")
                return 1
        codes = runner.codes([Run((given.seek or m.killer,), m.isa, m) for m in mutants])
        alive = 0
        for mutant, code in zip(mutants, codes, strict=True):
            said = runner.said(mutant.number).read_text()
            died = code == 1 or (code < 0 and code != -signal.SIGALRM)
            alive += not died
            if given.seek:
                print(mutant.name, *re.findall(r"^FAILED (\S+)", said, re.MULTILINE))
            elif not died:
                print(f"ALIVE {mutant.name} ({mutant.file})\n  by {mutant.killer}")
                print(f"  exit code {code}: {said[-600:]}")
    print(f"{len(mutants) - alive} of {len(mutants)} mutants died")
    return alive > 0


if __name__ == "__main__":
    sys.exit(main())
