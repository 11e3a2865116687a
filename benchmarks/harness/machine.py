"""Which machine this is, and whether it was busy or throttled while it measured."""

import hashlib
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from harness.environments import RUNNING

import cydp

BUSY, UNSTEADY = 0.1, 1.25  # shares of the machine, and of the least time, that are reported
BLOCK, COLUMN = bytes(2**20), np.ones(4 * 10**6)


class Watch:
    """How long two fixed pieces of work take again and again, and what other programs use."""

    def __init__(self) -> None:
        self.paces: dict[str, list[float]] = {name: [] for name in WORKS}
        self._before = used()
        self._start = perf_counter()

    def look(self) -> None:
        """Take the time of each fixed piece of work: the least of three."""
        for name, work in WORKS.items():
            self.paces[name].append(min(pace(work) for _ in range(3)))

    def found(self) -> dict[str, Any]:
        """Return the machine's state, as it is kept with results."""
        self.look()
        return {
            "seconds": perf_counter() - self._start,
            "others": self._others(),
            "paces": {
                name: [min(paces), statistics.median(paces), max(paces)]
                for name, paces in self.paces.items()
            },
            "warnings": self.warnings(),
        }

    def warnings(self) -> list[str]:
        """Say what makes the times of this run worse than they could be."""
        warnings = []
        others = self._others()
        if others is not None and others > BUSY:
            warnings.append(f"busy: other programs took {others:.0%} of all cores")
        for name, paces in self.paces.items():
            typical = statistics.median(paces) / min(paces) if paces else 1
            if typical > UNSTEADY:
                warnings.append(
                    f"throttled or shared: {name} took {typical:.2f} times its least time (median)"
                )
        return warnings

    def _others(self) -> float | None:
        """What other programs, and other guests of the same host, took of the time of all cores."""
        before, now = self._before, used()
        if before is None or now is None:
            return None
        total, idle, ours = (late - early for early, late in zip(before, now, strict=True))
        return max(total - idle - ours, 0) / total if total else None


WORKS: dict[str, Callable[[], Any]] = {
    "SHA-256 of 1 MiB": lambda: hashlib.sha256(BLOCK),
    "a sum of 32 MB": lambda: COLUMN.sum(),  # memory that is shared with other guests shows here
}


def pace(work: Callable[[], Any]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def used() -> tuple[float, float, float] | None:
    """Seconds since some moment: of all cores, of those the idle ones, and ours with children."""
    try:
        first = Path("/proc/stat").read_text().splitlines()[0].split()
    except OSError:
        return None
    ticks = [int(part) for part in first[1:9]]  # guests are in user's
    tick = os.sysconf("SC_CLK_TCK")
    times = os.times()
    ours = times.user + times.system + times.children_user + times.children_system
    ours += sum(seconds_of(process.pid) for process in RUNNING)
    return sum(ticks) / tick, (ticks[3] + ticks[4]) / tick, ours


def seconds_of(process: int) -> float:
    """What a child that still runs has used."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def described() -> dict[str, Any]:
    """Return what is known of the machine and of the build, without names of users or hosts."""
    build = cydp.build.build_info()
    return {
        "cpu": processor(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "memory": memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cydp": cydp.__version__,
        "commit": commit(),
        "build": {key: str(build[key]) for key in sorted(build)},
        "forced": {
            name: os.environ[name]
            for name in ("CYDP_FORCE_ISA", "CYDP_STREAM")
            if name in os.environ
        },
        "date": datetime.now(UTC).date().isoformat(),
    }


def processor() -> str:
    """The name of the processor; a virtual machine's may need its family and model."""
    fields = {}
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            fields.setdefault(name.strip(), value.strip())
    except OSError:
        pass
    if sys.platform == "darwin":
        return output("sysctl", "-n", "machdep.cpu.brand_string") or platform.machine()
    name = fields.get("model name") or platform.processor() or platform.machine()
    numbers = [
        f"{key.split()[-1]} {fields[key]}" for key in ("cpu family", "model") if key in fields
    ]
    return f"{name} ({', '.join(numbers)})" if numbers else name


def memory() -> int | None:
    """Bytes of memory."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return None


def commit() -> str:
    """The commit of this checkout, with a mark if sources of the package differ from it."""
    git = "git", "-C", str(Path(__file__).parents[2])
    found = output(*git, "describe", "--always")
    differs = output(*git, "status", "--porcelain", "--", "src", "csrc")
    return f"{found}-dirty" if differs else found or "unknown"


def output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""
