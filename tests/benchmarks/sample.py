"""Results as a run writes them, made by hand, for tests of what is made from them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from harness.results import FORMAT


def way(median: float, x: float, spread: float = 0.1) -> dict[str, Any]:
    """A way of this median and ratio, with quartiles that far off."""
    around = [1 - spread, 1.0, 1 + spread]
    return {
        "seconds": [median * q for q in around],
        "least": median / 2,
        "cpu": median * 2,
        "turns": 31,
        "ratio": [x * q for q in around] if x != 1 else [1.0, 1.0, 1.0],
    }


def record(group: str, seconds: float, beside: dict[str, float], threads: int = 1) -> Any:
    """A work of ours that takes so long, and rivals that take x times that."""
    ways = {"cydp": way(seconds, 1)} | {name: way(seconds * x, x) for name, x in beside.items()}
    return {"group": group, "ways": ways, "moved": None, "keystream": None, "threads": threads}


FOUND: dict[str, Any] = {
    "format": FORMAT,
    "machine": {
        "cpu": "A processor",
        "cores": 2,
        "memory": 8 * 10**9,
        "system": "Linux x86_64",
        "python": "3.11.7",
        "numpy": "2.4.6",
        "cydp": "0.1.0",
        "commit": "0123456",
        "build": {
            "isa": "avx512", "stream": "aes", "aes": "vaes512", "compiler": "gcc 12.2.0",
            "flags": "-O3", "release": "True",
        },
        "forced": {},
        "date": "2026-11-23",
    },
    "state": {
        "seconds": 600.0,
        "others": 0.01,
        "paces": {"a sum": [1e-3, 1.1e-3, 1.2e-3]},
        "warnings": [],
    },
    "records": [
        record("discrete Laplace, 10^6, scale 1", 8e-4, {"cydp, fixed work": 1.4, "numpy": 21.0}),
        record(
            "discrete Gaussian, 10^6, sigma 10", 1e-3,
            {"numpy": 11.4, "numpy, rounded": 12.0, "jax_privacy's method, PCG64": 90.0,
             "OpenDP, of 1": 9e3, "OpenDP, of 10": 6e3},
        ),
        record("clamped sum, 10^7 float64", 3e-3, {"numpy": 5.0, "numpy, sum alone": 0.96}),
        record("two threads: discrete Laplace, 10^7, scale 10", 8e-3, {"one thread": 1.9}, 2),
    ],
    "curves": [
        {
            "work": "clamped sum", "axis": "rows", "unit": "rows", "slope": 0.98,
            "points": [
                {"x": 1000, "seconds": [1e-6, 2e-6, 3e-6], "cpu": 2e-6, "peak": 1000},
                {"x": 10**8, "seconds": [0.03, 0.04, 0.05], "cpu": 0.04, "peak": 2 * 10**6},
            ],
            "beside": {
                "numpy": {
                    "points": [
                        {"x": 1000, "seconds": [1e-6, 4e-6, 3e-6], "cpu": 2e-6, "peak": None},
                        {"x": 2**20, "seconds": [0.03, 0.05, 0.05], "cpu": 0.04, "peak": None},
                    ],
                    "slope": 1.02,
                }
            },
        }
    ],
    "notes": [{"group": "wheel", "bytes of it": 800_000}],
    "rivals": {"numpy": "2.4.6", "OpenDP": "No matching distribution found for opendp"},
}  # fmt: skip


def results(**changed: Any) -> Any:
    """A copy, with other values at the names before and behind "__"."""
    found = copy.deepcopy(FOUND)
    for path, value in changed.items():
        *parents, name = path.split("__")
        place = found
        for parent in parents:
            place = place[parent]
        place[name] = value
    return found


def write(root: Path, machine: str, found: Any) -> Path:
    """Write results where the report looks for them, and return their folder."""
    folder = root / "benchmarks" / "results" / machine
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(found))
    return folder
