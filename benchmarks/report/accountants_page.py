"""The page of accountants beside each other: `results/<machine>/accountants.md`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from accountants.cases import CASES
from harness.record import duration
from report import cells as shown

FILE, PAGE = "accountants.json", "accountants.md"


class Way(NamedTuple):
    """An accountant: its title, and whether it is ours."""

    title: str
    ours: bool = False


WAYS = {
    "cydp": Way("cydp", ours=True),
    "pld": Way("dp-accounting, PLD"),
    "rdp": Way("dp-accounting, RDP"),
    "opacus": Way("Opacus, RDP"),
    "prv": Way("prv_accountant, upper end"),
}
HOW = """
Each accountant computes the least epsilon that it can prove for a plan at a given delta, with its
own settings: PLD on a grid of 1e-4, RDP at its own orders, prv_accountant with an error of 0.01 in
epsilon (its command has 0.1) and of a thousandth of delta. Each turn is a process of its own, with
the library already imported. The figures are the time of the first call and the peak memory of the
process. Times are the median of three turns, or one turn above 20 s. "Lower end" is the lower bound
of dp-accounting's PLD: no valid epsilon is below it. It is loose for many steps on samples. cydp's
noise is on a grid or on integers. The noise of the others is continuous where the plan says
Gaussian or Laplace. "None": the library has no accountant for the plan. cydp's proofs include the
rounding of all floats; the rounding of the others is not bounded.
"""


def said(cell: Mapping[str, Any]) -> str:
    """Return a line for a terminal."""
    head = f"{CASES[cell['case']].title}, {WAYS[cell['way']].title}: "
    return head + (cell["none"] if "none" in cell else ", ".join(figures(cell)))


def figures(cell: Mapping[str, Any]) -> list[str]:
    """The epsilon, the seconds and the memory."""
    return [epsilon(cell["epsilon"]), duration(cell["seconds"]), shown.size(cell["peak"])]


def epsilon(value: float) -> str:
    """Six digits: accountants differ in the fourth."""
    return f"{value:.6g}"


def epsilons(found: Mapping[tuple[str, str], Mapping[str, Any]]) -> str:
    """A row for each plan: all epsilons, and ours over the least of them and of the others."""
    rows = []
    for name, case in CASES.items():
        known = {way: found[name, way]["epsilon"] for way in WAYS
                 if "epsilon" in found.get((name, way), {})}  # fmt: skip
        others = [each for way, each in known.items() if not WAYS[way].ours]
        over = known["cydp"] / min(others)
        ratio = f"{over:.5f}"
        rows.append(
            [
                case.title, f"{case.delta:g}", epsilon(found[name, "lower end"]["epsilon"]),
                *(epsilon(known[way]) if way in known else "none" for way in WAYS),
                f"**{ratio}**" if over > 1 else ratio,
                "" if case.published is None else f"{case.published:g}",
            ]
        )  # fmt: skip
    head = ["plan", "delta", "lower end", *(way.title for way in WAYS.values()),
            "cydp over the least other", "published"]  # fmt: skip
    return shown.table(head, rows)


def costs(found: Mapping[tuple[str, str], Mapping[str, Any]], name: str) -> str:
    """A row for each plan: seconds or memory of each; bold where ours is not the least."""
    rows = []
    for case in CASES:
        known = {way: found[case, way][name] for way in WAYS if name in found.get((case, way), {})}
        say = duration if name == "seconds" else shown.size
        texts = [say(known[way]) if way in known else "none" for way in WAYS]
        if known["cydp"] > min(known.values()):
            texts[0] = f"**{texts[0]}**"
        rows.append([CASES[case].title, *texts])
    return shown.table(["plan", *(way.title for way in WAYS.values())], rows)


def sources() -> str:
    return shown.table(["plan", "source"], [[case.title, case.source] for case in CASES.values()])


def page(name: str, found: Mapping[str, Any]) -> str:
    """All that one run found."""
    machine, state, plans = found["machine"], found["state"], found["plans"]
    cells = {(cell["case"], cell["way"]): cell for cell in found["cells"]}
    warned = "".join(f"**Warning: {each}.**\n\n" for each in state["warnings"])
    about = (
        f"{machine['cpu']}, {machine['cores']} cores, {shown.size(machine['memory'])} of memory, "
        f"{machine['system']}, Python {machine['python']}, cydp {machine['cydp']} "
        f"({machine['commit']}), {machine['date']}. "
        + ", ".join(f"{library} {version}" for library, version in found["versions"].items())
        + ".\n"
    )
    random = (
        f"{plans['plans']:,} plans of up to four kinds of releases each, drawn by a fixed seed, "
        f"compared with dp-accounting's PLD on a grid of {plans['interval']:g}. cydp's epsilon, "
        f"divided by PLD's upper end, is at most {plans['largest']:.6f} (plan "
        f"{plans['seed of the largest']}); its median is {plans['median']:.6f}, and for a "
        f"hundredth of the plans it is {plans['low']:.6f} or less. cydp is above the upper end by "
        f"more than the rounding to six digits for {plans['above the upper end']:,} plans, and by "
        f"more than a thousandth for {plans['above by a thousandth']:,}. It is never below the "
        "lower end.\n"
    )
    sections = {
        "Epsilon": "Bold: another library proves a smaller epsilon.\n\n" + epsilons(cells),
        "Time of the first call": "Bold: cydp is slower than the fastest.\n\n"
        + costs(cells, "seconds"),
        "Memory": "Of the process, with the library. Bold: cydp needs more than another one.\n\n"
        + costs(cells, "peak"),
        "Random plans": random,
        "Sources": sources(),
    }
    head = f"# Accountants: {name}\n\n{warned}{about}{HOW}"
    return head + "".join(f"\n## {title}\n\n{text}" for title, text in sections.items())


def pages(root: Path) -> dict[Path, str]:
    """Return the page of each machine that has measured it."""
    files = sorted((root / "benchmarks" / "results").glob(f"*/{FILE}"))
    return {
        file.with_name(PAGE): page(file.parent.name, json.loads(file.read_text())) for file in files
    }
