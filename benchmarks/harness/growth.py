"""How cost grows: time, CPU time and memory at each size, each in a process of its own.

A file of benchmarks has functions that prepare a call: `prepare(*arguments)` returns the call and
what checks its answer. `point` runs one in a new process, which is this file run as a script.
"""

import json
import runpy
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

SECONDS, TURNS = 0.25, 15  # what repeated calls of one point may take, and how many there are
BEYOND = 4  # times the least time: from there on, a point shows growth and not the fixed cost
SHOWN = 2**18  # bytes: what the allocator has in store hides less


def point(
    file: str, prepare: str, arguments: Sequence[int], small: Sequence[int], x: float
) -> dict[str, Any]:
    """Measure a call in a process of its own, which first makes the same call on small input."""
    question = json.dumps([prepare, arguments, small])
    command = [sys.executable, __file__, file, question]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode:
        raise RuntimeError(found.stderr)
    return {"x": x, **json.loads(found.stdout)}


def repeated(call: Any, first: tuple[float, float] | None = None) -> dict[str, Any]:
    """Call again and again; a first turn that was long is the only one."""
    turns = [first] if first and first[0] > SECONDS else []
    until = perf_counter() + SECONDS
    while len(turns) < TURNS and (not turns or perf_counter() < until):
        cpu, wall = process_time(), perf_counter()
        call()
        turns.append((perf_counter() - wall, process_time() - cpu))
    walls, cpus = zip(*turns, strict=True)
    seconds = [float(q) for q in np.percentile(walls, [25, 50, 75])]
    return {"seconds": seconds, "cpu": float(np.median(cpus)), "peak": None, "turns": len(turns)}


def exponent(points: Sequence[dict[str, Any]]) -> float:
    """Fit a straight line to log(seconds) over log(x), by least squares, and return its slope.

    The points are those that take BEYOND times the least time or more; where fewer than three do,
    the time hardly depends on x, and all points are taken.
    """
    return fit([(point["x"], point["seconds"][1]) for point in points], fewest=3)


def memory_exponent(points: Sequence[dict[str, Any]]) -> float | None:
    """Fit the same to the peaks of SHOWN bytes or more; None where fewer than two are."""
    shown = [(point["x"], point["peak"]) for point in points if (point["peak"] or 0) >= SHOWN]
    return fit(shown, fewest=2) if len(shown) >= 2 else None


def fit(points: Sequence[tuple[float, float]], fewest: int) -> float:
    least = min(y for _, y in points)
    beyond = [(x, y) for x, y in points if y >= BEYOND * least]
    x, y = np.log(beyond if len(beyond) >= fewest else points).T
    return float(np.polyfit(x, y, 1)[0])


def peak() -> int:
    """The largest memory of this process so far, in bytes."""
    try:
        for row in Path("/proc/self/status").read_text().splitlines():
            if row.startswith("VmHWM:"):
                return int(row.split()[1]) * 1024
    except OSError:
        pass
    import resource  # not on Windows

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def forget_peak() -> None:
    """Linux: the peak becomes what the process holds now. Elsewhere it stays that of the data."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def main() -> None:
    file = Path(sys.argv[1])
    sys.path[:0] = [str(file.parent)]
    name, arguments, small = json.loads(sys.argv[2])
    from cydp import _threads

    _threads.NUM_THREADS = 1
    prepare = runpy.run_path(str(file))[name]
    call, check = prepare(*small)
    check(call())  # imports, and what is set up once
    call, check = prepare(*arguments)
    forget_peak()
    before, cpu, wall = peak(), process_time(), perf_counter()
    answer = call()
    first = perf_counter() - wall, process_time() - cpu
    taken = max(peak() - before, 0)
    check(answer)
    del answer
    json.dump({**repeated(call, first), "peak": taken}, sys.stdout)


if __name__ == "__main__":
    main()
