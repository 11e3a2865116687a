"""The roofline: how much of what the machine can give each kernel reaches.

A call takes at least the time to read its keystream, and the time to move its bytes through
memory, one after the other. Both rates are of the same run (`bench_limits.py`). Bytes are divided
by the fastest rate of reading, writing and copying a working set of the closest size: a kernel is
hardly faster, whatever it does with them. Keystream is divided by the rate of the stream in use,
for each thread. A share above 1 says that the two overlapped, or that data had stayed in a cache
nearer than the one that was measured.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LIMIT = "limit: "
LIMITS = LIMIT, "keystream, "  # works that are limits themselves
MEMORY = re.compile(LIMIT + r"(read|write|copy) (\d+) MB, (\d+) thread")
KEYSTREAM = re.compile(LIMIT + r"keystream (\w+), ")
BOUND = ("keystream", "memory")  # the larger part of the least time


@dataclass(frozen=True)
class Limits:
    """What the machine gave: bytes in a second."""

    memory: Mapping[tuple[int, int], float]  # by working set in bytes, and threads
    keystream: float | None  # of one thread

    def memory_rate(self, moved: int, threads: int) -> float:
        """The rate of the working set that is closest, for as many threads or the most below."""
        most = max(n for _, n in self.memory if n <= max(threads, 1))
        sizes = [size for size, n in self.memory if n == most]
        return self.memory[min(sizes, key=lambda size: abs(math.log(moved / size))), most]


def limits(results: Mapping[str, Any]) -> Limits:
    """Read the limits from a file of results, as `json.load` returns it."""
    memory: dict[tuple[int, int], float] = {}
    keystream = None
    for record in results["records"]:
        group = record["group"]
        seconds = next(iter(record["ways"].values()))["least"]  # a limit is the most that it gave
        if found := MEMORY.match(group):
            key = int(found[2]) * 10**6, int(found[3])
            memory[key] = max(memory.get(key, 0.0), record["moved"] / seconds)
        elif (found := KEYSTREAM.match(group)) and found[1] == results["machine"]["build"][
            "stream"
        ]:
            keystream = record["keystream"] / seconds
    return Limits(memory, keystream)


def shares(results: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    """Return the share of the limit of each work whose bytes are known, the largest first.

    Each has "group", "seconds" (median), "limit_seconds", "keystream_seconds", "memory_seconds",
    "bound" ("keystream" or "memory"), "share" and "threads". Works whose limit was not measured
    are left out.
    """
    known, found = limits(results), []
    for record in results["records"]:
        moved, keystream = record["moved"] or 0, record["keystream"] or 0
        unknown = (moved and not known.memory) or (keystream and not known.keystream)
        if record["group"].startswith(LIMITS) or unknown or not (moved or keystream):
            continue
        threads = record["threads"]
        memory_seconds = moved / known.memory_rate(moved, threads) if moved else 0.0
        keystream_seconds = keystream / known.keystream / threads if known.keystream else 0.0
        least = memory_seconds + keystream_seconds
        seconds = next(iter(record["ways"].values()))["seconds"][1]
        found.append(
            {
                "group": record["group"],
                "seconds": seconds,
                "limit_seconds": least,
                "keystream_seconds": keystream_seconds,
                "memory_seconds": memory_seconds,
                "bound": BOUND[memory_seconds > keystream_seconds],
                "share": least / seconds,
                "threads": threads,
            }
        )
    return sorted(found, key=lambda share: -share["share"])
