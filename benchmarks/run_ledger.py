"""Measures a ledger in a file and on a PostgreSQL server beside bare transactions, and as it grows.

    python benchmarks/run_ledger.py           # up to 10^6 entries: half an hour
    python benchmarks/run_ledger.py --small   # once, 10^3 entries; nothing is written

It starts a server, by the binaries that Debian or a `pg_ctl` in PATH has; without them, or without
`cydp[postgres]`, that half is left out. The first writes `results/<machine>/ledger.json`, and
`ledger.md` beside it. Answers are checked: what was spent, how many entries there are, `verify()`.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "tests"))  # it has the server that tests use, too

from accounting.ledger.postgres_server import missing  # noqa: E402
from harness.environments import Process  # noqa: E402
from harness.machine import Watch, described  # noqa: E402
from harness.record import quartiles  # noqa: E402
from ledger import growth  # noqa: E402
from ledger.homes import BUDGET, FileHome, Home, ServerHome  # noqa: E402
from report import ledger_page, pages  # noqa: E402
from run import name_of_machine  # noqa: E402
from run_cluster import state_of  # noqa: E402

import cydp  # noqa: E402
from cydp import BudgetLedger, PureDP  # noqa: E402

WAYS = HERE / "ledger" / "ways.py"
MANY = 100
TURNS = {1: 100, MANY: 20}  # of one transaction with so many charges
ROUNDS, CHARGES = 5, 320  # of clients, who make so many charges together
CLIENTS = 1, 4, 16
LENGTHS = 10**3, 10**4, 10**5, 10**6
SECONDS = 2.0  # for a way to use a ledger of a length; one that takes longer has one turn


def main() -> int:
    """Measure everything, and write what was found."""
    parser = argparse.ArgumentParser(description="Measure ledgers beside bare transactions.")
    parser.add_argument("--small", action="store_true", help="once; nothing is written")
    parser.add_argument("--name", help="the folder of benchmarks/results that is written")
    parser.add_argument("--folder", help="for files of up to 1 GB (default: a temporary one)")
    parser.add_argument("--longest", type=int, default=LENGTHS[-1], help="entries of a ledger")
    asked = parser.parse_args()
    wanted = [length for length in LENGTHS if length <= asked.longest]
    if not cydp.build.build_info()["release"]:
        parser.error("benchmarks need a release build of cydp")
    watch, load = Watch(), os.getloadavg()[0]
    cells = list[dict[str, Any]]()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder, homes(Path(folder)) as found:
        file = file_system_of(folder)
        versions = {name: text for home in found for name, text in home.versions().items()}
        for cell in all_cells(found, wanted, small=asked.small):
            cells.append(cell)
            print(ledger_page.said(cell), flush=True)
            watch.look()
    if not asked.small:
        result = {
            "machine": described(), "state": state_of(watch), "versions": versions,
            "load": [load, os.getloadavg()[0]], "file system": file, "without": missing(),
            "cells": cells,
        }  # fmt: skip
        written = HERE / "results" / (asked.name or name_of_machine()) / ledger_page.FILE
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(json.dumps(result, indent=1, allow_nan=False) + "\n")
        for page in pages.write(HERE.parent):
            print(f"written: {page.relative_to(HERE.parent)}")
    return 0


@contextmanager
def homes(folder: Path) -> Iterator[list[Home]]:
    """A folder, and a server if there can be one."""
    found: list[Home] = [FileHome(folder)]
    if why := missing():
        print(f"no server: {why}")
        yield found
        return
    server = ServerHome()
    with closing(server.server):
        yield [*found, server]


def all_cells(found: list[Home], wanted: list[int], *, small: bool) -> Iterator[dict[str, Any]]:
    """Yield what was measured: transactions, clients, and ledgers that grow."""
    for home in found:
        for many in (1, MANY):
            yield from transactions(home, many, 2 if small else TURNS[many])
    for home in found:
        for clients in (2,) if small else CLIENTS:
            yield from together(home, clients, *((1, 8) if small else (ROUNDS, CHARGES)))
    yield from lengths(found, *((wanted[:1], 0) if small else (wanted, SECONDS)))


def transactions(home: Home, many: int, turns: int) -> Iterator[dict[str, Any]]:
    """Charge, or charge many at once, and insert as many rows, in turn."""
    place, bare = home.ledger(f"{many} at once"), home.bare()
    BudgetLedger.create(place, BUDGET, privacy_unit="person").close()
    function, more = ("charge", []) if many == 1 else ("charge_many", [many])
    started = {title: Process(Path(sys.executable), WAYS) for title in ("cydp", *bare)}
    ways = {"cydp": started["cydp"].way(function, place, *more)}
    for title, (inserts, arguments) in bare.items():
        ways[title] = started[title].way(inserts, *arguments, many)
    seconds: dict[str, list[float]] = {title: [] for title in ways}
    for _ in range(1 + turns):  # the first is no part of what is measured
        for title, way in ways.items():
            way()
            seconds[title].append(way.taken[0])
    for process in started.values():
        process.end()
    check_ledger(place, many * (1 + turns))
    for title, way in bare.items():
        assert home.rows(way) == many * (1 + turns), title
    for title in ways:
        ratios = [a / b for a, b in zip(seconds["cydp"][1:], seconds[title][1:], strict=True)]
        yield {
            "what": "transaction", "home": home.name, "many": many, "way": title,
            "seconds": quartiles(seconds[title][1:]), "ratio": quartiles(ratios),
        }  # fmt: skip


def together(home: Home, clients: int, rounds: int, charges: int) -> Iterator[dict[str, Any]]:
    """Let clients charge one ledger at once, and insert into one table, in turn."""
    place, bare = home.ledger(f"{clients} clients"), home.bare()
    BudgetLedger.create(place, BUDGET, privacy_unit="person").close()
    each = charges // clients
    calls = {"cydp": ("charge", [place])} | {title: tuple(way) for title, way in bare.items()}
    rates: dict[str, list[float]] = {title: [] for title in calls}
    workers = [Process(Path(sys.executable), WAYS) for _ in range(clients)]
    with ThreadPoolExecutor(clients) as pool:
        for _ in range(rounds):
            for title, (function, arguments) in calls.items():
                begin = time.monotonic() + 0.3 + clients / 10
                ready = [
                    worker.way("from_a_moment", function, arguments, each, begin)
                    for worker in workers
                ]
                taken = list(pool.map(lambda way: way(), ready))
                first, last = min(begun for begun, _ in taken), max(end for _, end in taken)
                rates[title].append(each * clients / (last - first))
    for worker in workers:
        worker.end()
    check_ledger(place, each * clients * rounds)
    for title, way in bare.items():
        assert home.rows(way) == each * clients * rounds, title
    for title, found in rates.items():
        yield {
            "what": "clients", "home": home.name, "clients": clients, "way": title,
            "rate": quartiles(found),
        }  # fmt: skip


def lengths(found: list[Home], wanted: list[int], most: float) -> Iterator[dict[str, Any]]:
    """Use ledgers of each length, which `charge_many` has made in the file."""
    file, *servers = found
    assert isinstance(file, FileHome)
    for length, path in file.grown(wanted):
        places = {file.name: path}
        for server in servers:
            assert isinstance(server, ServerHome)
            places[server.name] = server.copy_of(path)
        for use in growth.USES:
            for home, place in places.items():
                cell = growth.measured(place, use, length, most)
                yield {"what": "length", "home": home, "length": length, "use": use,
                       "seconds": quartiles(cell["seconds"]), "peak": cell["peak"]}  # fmt: skip


def check_ledger(place: str, charges: int) -> None:
    """Raise an AssertionError, or what `verify` raises, unless a ledger has so many charges."""
    with BudgetLedger.open(place, read_only=True) as ledger:
        assert ledger.spent == PureDP(PureDP("0.001").epsilon * charges), place
        assert len(ledger.history(kind="charge")) == charges, place
        ledger.verify()


def file_system_of(folder: str) -> str:
    """Return the type of a folder's file system, where the system tells it."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    except OSError:
        return "unknown"
    above = [each for each in mounts if Path(folder).resolve().is_relative_to(each[1])]
    return max(above, key=lambda each: len(each[1]))[2]


if __name__ == "__main__":
    sys.exit(main())
