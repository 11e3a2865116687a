"""The page of ledgers beside bare transactions: `results/<machine>/ledger.md`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.record import duration
from report import cells as shown

FILE, PAGE = "ledger.json", "ledger.md"
QUIET = 0.5  # the load average above which a page says that others were at work
OURS = "cydp"
REPORT = "report()", 10**5, 1.0  # its aim: seconds at so many entries
PAGES = "last page of history"

Cell = Mapping[str, Any]

HOW = """
Ledgers and plain tables are on the same server, or in the same folder. A charge is one durable
transaction, and so is a plain insert of 500 characters, about the size of a ledger's entry: on the
server by psycopg, prepared, with `synchronous_commit` on; in a file by sqlite3, with
`synchronous=FULL`. Ways take turns. Times are medians with the interquartile range in brackets,
ratios are medians with the quartiles. All answers are checked: the sum that is spent, the number of
entries and of rows, and `verify()` of each ledger.
"""
WHY = """
A charge costs more than an insert. On a server a charge sends nine requests, and an insert sends
one. The nine begin the transaction, take the lock, read the last entry that this client has seen,
the id, the sum that is spent and the head, write the sum and the entry, and commit. Within a
transaction of a hundred charges, each charge sends four requests, while psycopg sends a hundred
inserts at once. In a file, SQLite syncs four times for a charge, and once for an insert with a WAL
file: a ledger is complete without its WAL file.
"""
TOGETHER = """
Transactions per second, of all clients together; each client is a process. Charges of one ledger
run one after the other, because each must see what the one before has spent. Inserts into one table
of the server do not wait for each other, and share syncs of its log.
"""
GROWN = """
The entries in the file were made by `charge_many`. The server has the same entries, copied into its
tables, with a row for the sum after each charge. Each use is a process of its own, with everything
already imported. Its first turn does not count, unless it takes seconds. Memory is the peak of the
process, with Python and the library. `history()`, `verify()` and `totals` read and hash all
entries, and `history()` also keeps them in memory: read a long history by pages.
"""


def said(cell: Cell) -> str:
    """Return a line for a terminal."""
    if cell["what"] == "transaction":
        figures = spread(cell["seconds"])
        head = f"{cell['way']}, {cell['many']} in a transaction"
    elif cell["what"] == "clients":
        figures = shown.ratio(cell["rate"], rival=False) + " a second"
        head = f"{cell['way']}, {clients_of(cell['clients'])}"
    else:
        figures = f"{spread(cell['seconds'])}, {shown.size(cell['peak'])}"
        head = f"{cell['use']} of {shown.count(cell['length'])} entries"
    return f"{cell['home']}: {head}: {figures}"


def spread(seconds: Sequence[float]) -> str:
    """The median, and the distance of the quartiles."""
    low, median, high = seconds
    return f"{duration(median)} ({duration(high - low)})" if high > low else duration(median)


def transactions(cells: Iterable[Cell]) -> str:
    """A row for each way: a transaction of one, and of many."""
    found = [cell for cell in cells if cell["what"] == "transaction"]
    sizes = sorted({cell["many"] for cell in found})
    rows = []
    for home, way in dict.fromkeys((cell["home"], cell["way"]) for cell in found):
        here = {cell["many"]: cell for cell in found if (cell["home"], cell["way"]) == (home, way)}
        figures = []
        for many in sizes:
            figures.append(spread(here[many]["seconds"]))
            figures.append("" if way == OURS else over(here[many]["ratio"]))
        rows.append([home, way, *figures])
    head = ["home", "way"]
    for many in sizes:
        head += [f"{many} in a transaction", "cydp over it"]
    return shown.table(head, rows)


def over(ratio: Sequence[float]) -> str:
    """How many times as much ours takes, bold where it is more."""
    text = shown.ratio(ratio, rival=False)
    return f"**{text}**" if ratio[1] > 1 else text


def clients(cells: Iterable[Cell]) -> str:
    """A row for each home and number of clients: charges and inserts a second."""
    found = [cell for cell in cells if cell["what"] == "clients"]
    rows = []
    for home, way in dict.fromkeys((cell["home"], cell["way"]) for cell in found):
        rates = {
            cell["clients"]: shown.ratio(cell["rate"], rival=False)
            for cell in found if (cell["home"], cell["way"]) == (home, way)
        }  # fmt: skip
        rows.append([home, way, *rates.values()])
    numbers = dict.fromkeys(cell["clients"] for cell in found)
    return shown.table(["home", "way", *map(clients_of, numbers)], rows)


def clients_of(count: int) -> str:
    return f"{count} clients" if count > 1 else "1 client"


def growth(cells: Iterable[Cell]) -> str:
    """A table of times and one of memory: a row for each use and home, a column for each length."""
    found = [cell for cell in cells if cell["what"] == "length"]
    lengths = dict.fromkeys(cell["length"] for cell in found)
    times, sizes = [], []
    for use, home in dict.fromkeys((cell["use"], cell["home"]) for cell in found):
        here = [cell for cell in found if (cell["use"], cell["home"]) == (use, home)]
        times.append([f"`{use}`" if "(" in use else use, home,
                      *(spread(cell["seconds"]) for cell in here)])  # fmt: skip
        sizes.append([*times[-1][:2], *(shown.size(cell["peak"]) for cell in here)])
    head = ["use", "home", *(f"{shown.count(length)} entries" for length in lengths)]
    return f"{shown.table(head, times)}\n{shown.table(head, sizes)}"


def verdicts(cells: Iterable[Cell]) -> str:
    """What was aimed at for ledgers that grow, and whether it was reached."""
    found = {
        (cell["home"], cell["use"], cell["length"]): cell["seconds"][1]
        for cell in cells if cell["what"] == "length"
    }  # fmt: skip
    use, length, most = REPORT
    lines = []
    for home in dict.fromkeys(home for home, _, _ in found):
        if (home, use, length) in found:
            took = found[home, use, length]
            word = "reached" if took < most else "**missed**"
            lines.append(
                f"- `{use}` at {shown.count(length)} entries, {home}: {duration(took)}; the aim "
                f"was less than {duration(most)}: {word}.\n"
            )
        lengths = sorted(n for at, what, n in found if (at, what) == (home, PAGES))
        short, long = (found[home, PAGES, n] for n in (lengths[0], lengths[-1]))
        lines.append(
            f"- The last page of the history, {home}: {duration(long)} at "
            f"{shown.count(lengths[-1])} entries, {shown.number(long / short)} times the time "
            f"at {shown.count(lengths[0])}.\n"
        )
    return "".join(lines)


def page(name: str, found: Cell) -> str:
    """All that one run found."""
    machine, state, cells = found["machine"], found["state"], found["cells"]
    warned = "".join(f"**Warning: {each}.**\n\n" for each in state["warnings"])
    if found["without"]:
        warned += f"**Without a server: {found['without']}.**\n\n"
    before, after = found["load"]
    loads = f"{before:.1f} before, {after:.1f} at the end"
    if before > QUIET:
        loads += (
            " (other programs were running: times are too long, and differences of some "
            "milliseconds mean nothing)"
        )
    about = (
        f"{machine['cpu']}, {machine['cores']} cores, {shown.size(machine['memory'])} of memory, "
        f"{machine['system']}, files on {found['file system']}, "
        f"Python {machine['python']}, cydp {machine['cydp']} ({machine['commit']}), "
        f"{machine['date']}. "
        + ", ".join(f"{library} {version}" for library, version in found["versions"].items())
        + f". Load average: {loads}.\n"
    )
    sections = {
        "One transaction": f"{transactions(cells)}{WHY}",
        "Clients at once": f"{TOGETHER.lstrip()}\n{clients(cells)}",
        "Ledgers that grow": f"{GROWN.lstrip()}\n{verdicts(cells)}\n{growth(cells)}",
    }
    head = f"# Ledgers: {name}\n\n{warned}{about}{HOW}"
    return head + "".join(f"\n## {title}\n\n{text}" for title, text in sections.items())


def pages(root: Path) -> dict[Path, str]:
    """Return the page of each machine that has measured it."""
    files = sorted((root / "benchmarks" / "results").glob(f"*/{FILE}"))
    return {
        file.with_name(PAGE): page(file.parent.name, json.loads(file.read_text())) for file in files
    }
