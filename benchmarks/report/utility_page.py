"""The page of errors, and the table of errors to expect, made from results and nothing else."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from report import cells as shown
from report.documents import filled
from report.utility_reasons import REASONS
from utility.tasks import Task, tasks

FOLDER = Path("benchmarks", "results", "utility")
BEFORE, NOW, PICTURE = "before.json", "now.json", "errors.svg"
CHOOSING = Path("docs", "releases", "choosing.md")
LIBRARIES = ("OpenDP", "diffprivlib", "python-dp", "formulas")
GOAL = 1.05
SURE = 3  # standard errors, which chance does not explain
HOW = """\
Each figure is the error against the exact answer over many runs, on the same data, with the same
epsilon and the same privacy unit: a row, or a user with all of their rows if the task has users
(under add-remove). Epsilon is 1 and delta is 0 unless the task says otherwise. **Best known** is
the best method that we know of, by its formula or simulated in numpy without protection. *formulas*
are those of Tumult and PipelineDP, which are not installed. In brackets are standard errors.
**Ratio** is the error of cydp now divided by the least error: of the best known method, or of a
library that is better by more than chance (three standard errors). Bold: the ratio is above 1.05 by
more than chance. An error of 0 is 0 in every run. Bounds and other public parameters are the same
for all. For each library, the number of rows per user is the one that makes its error least. cydp's
noise has fixed seeds, so that its figures can be repeated.
"""
UNITS = """
- **diffprivlib** treats the number of rows as public in means and variances. So its means here are
  a sum divided by a count, and it has no figure for a variance. It has no users.
- **OpenDP** chooses quantiles among 1,001 points, or among all integers if they are fewer. Its
  variance treats the number of rows as public, too.
- **python-dp** is Google's C++ library. A call gives one number. The rows of a user are bounded
  before the call, and keys are selected with half of epsilon.
"""
SOURCES = """
1. Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms", 2009.
2. Geng, Viswanath, "The optimal mechanism in differential privacy", 2014.
3. Kulesza, Suresh, Wang, "Mean estimation in the add-remove model of differential privacy", 2024.
4. Kaplan, Schnapp, Stemmer, "Differentially private approximate quantiles", 2022.
5. McKenna, Sheldon, "Permute-and-flip: a new mechanism for differentially private selection", 2020.
6. Korolova, Kenthapadi, Mishra, Ntoulas, "Releasing search queries and clicks privately", 2009.
7. McKenna, Miklau, Hay, Machanavajjhala, "Optimizing error of high-dimensional statistical queries
   under differential privacy", 2018.
8. Fichtenberger, Henzinger, Upadhyay, "Constant matters: fine-grained error bound on differentially
   private continual observation", 2023.
9. Xiao, He, Zhang, Kifer, "An optimal and scalable matrix mechanism for noisy marginals under
   convex loss functions", 2023.
10. Balle, Wang, "Improving the Gaussian mechanism for differential privacy", 2018.
11. Hay, Rastogi, Miklau, Suciu, "Boosting the accuracy of differentially private histograms through
    consistency", 2010.
"""
Found = Mapping[tuple[str, str], Any]  # what was measured, by task and library


def read(folder: Path) -> tuple[Found, dict[str, Any]]:
    """Return the cells of both files, of which `before` is one library, and the heads of the files.

    A task without a figure of cydp is of an earlier benchmark, and left out.
    """
    heads = {name: json.loads((folder / name).read_text()) for name in (BEFORE, NOW)}
    found = {(cell["task"], cell["library"]): cell for cell in heads[NOW]["cells"]}
    found |= {(cell["task"], "before"): cell for cell in heads[BEFORE]["cells"]}
    return found, heads


def least(found: Found, task: str) -> tuple[float, float]:
    """Return the error of the best known method, or of a library that is better beyond chance."""
    best, *others = [
        (cell["error"], cell["spread"])
        for library in ("best", *LIBRARIES)
        if "error" in (cell := found.get((task, library), {}))
    ]
    better = [other for other in others if other[0] + SURE * other[1] < best[0] - SURE * best[1]]
    return min(better, default=best)


def ratio(error: float, best: float) -> float:
    """Return the ratio of two errors, which is 1 for two that are 0."""
    if not best:
        return 1.0 if not error else float("inf")
    return error / best


def times(error: float, best: float) -> str:
    """Write the ratio; the error of a method that is hardly ever wrong is hardly known."""
    over = ratio(error, best)
    return f"{over:.2f}" if over < 100 else "over 100"


def loses(found: Found, task: str) -> bool:
    """Tell whether cydp is above the goal, beyond what chance explains."""
    ours, (best, spread) = found[task, "cydp"], least(found, task)
    return bool(ours["error"] - SURE * ours["spread"] > GOAL * (best + SURE * spread))


def page(found: Found, heads: Mapping[str, Any]) -> str:
    """All that was measured."""
    now, before = heads[NOW], heads[BEFORE]
    versions = ", ".join(f"{name} {version}" for name, version in now["versions"].items())
    head = (
        f"# Errors of releases, in {len(shown_tasks(found))} tasks\n\n"
        f"cydp {now['cydp']} ({now['commit']}), before: {before['cydp']} ({before['commit']}); "
        f"{versions}. Made by `python benchmarks/run_utility.py`.\n\n{HOW}"
    )
    sections = {
        "The picture": f"![Errors over the least error of each task]({PICTURE})\n",
        "Errors": errors_table(found),
        "Where cydp is above 1.05": losses_table(found),
        "How much of a user counts": choices_table(found),
        "What the others do": UNITS.lstrip(),
        "The best methods known": methods_table() + SOURCES,
    }
    return head + "".join(f"\n## {title}\n\n{text}" for title, text in sections.items() if text)


def errors_table(found: Found) -> str:
    rows = []
    for name, task in shown_tasks(found).items():
        best, _ = least(found, name)
        over = times(found[name, "cydp"]["error"], best)
        rows.append([
            task.title, task.data, task.measure.name, figure(found.get((name, "best"))),
            figure(found.get((name, "before"))), figure(found[name, "cydp"]),
            f"**{over}**" if loses(found, name) else over,
            *(figure(found.get((name, library))) for library in LIBRARIES),
        ])  # fmt: skip
    head = ["task", "data", "error", "best known", "cydp before", "cydp now", "ratio", *LIBRARIES]
    return shown.table(head, rows)


def shown_tasks(found: Found) -> dict[str, Task]:
    return {name: task for name, task in tasks().items() if (name, "cydp") in found}


def figure(cell: Mapping[str, Any] | None) -> str:
    """Three digits, and the standard error where it shows in them."""
    if cell is None or "error" not in cell:
        return "none"
    error, spread = cell["error"], cell["spread"]
    text = shown.number(error) if error < 1000 else f"{float(f'{error:.3g}'):,.0f}"
    return f"{text} ({spread / error:.0%})" if error and spread / error >= 0.005 else text


def losses_table(found: Found) -> str:
    rows = [
        [task.title, task.data, times(found[name, "cydp"]["error"], least(found, name)[0]),
         REASONS.get(name, "")]
        for name, task in shown_tasks(found).items() if loses(found, name)
    ]  # fmt: skip
    return shown.table(["task", "data", "ratio", "reason"], rows)


def choices_table(found: Found) -> str:
    """What each library was asked to count of a user, where its error is least."""
    rows = []
    libraries = ("before", "cydp", "best", *LIBRARIES)
    for name, task in shown_tasks(found).items():
        chosen = [found.get((name, library), {}).get("choice", {}) for library in libraries]
        if any(chosen):
            said = [", ".join(f"{key}: {value}" for key, value in each.items()) for each in chosen]
            rows.append([task.title, task.data, *said])
    head = ["task", "data", "cydp before", "cydp now", "best known", *LIBRARIES]
    return shown.table(head, rows)


def methods_table() -> str:
    """The first line of what each method says of itself."""
    from utility import best

    kinds = {task.kind: task for task in tasks().values()}
    rows = []
    for kind in kinds:
        said = getattr(best, kind).__doc__.split("\n\n")[0].rstrip(".")
        titles = dict.fromkeys(t.title.split(",")[0] for t in tasks().values() if t.kind == kind)
        rows.append(["; ".join(titles), " ".join(said.split())])
    return shown.table(["task", "method"], rows)


def expected_table(cells: list[Any]) -> str:
    """Errors of cydp as shares, by epsilon and rows."""
    columns = list(dict.fromkeys((cell["epsilon"], cell["rows"]) for cell in cells))
    rows: dict[str, list[str]] = {}
    for cell in cells:
        row = rows.setdefault(cell["release"], [cell["release"], cell["of"]])
        row.append(percent(cell["share"]))
    head = [f"epsilon {epsilon:g}, {n:,} rows" for epsilon, n in columns]
    return shown.table(["release", "error in % of", *head], [*rows.values()])


def percent(share: float) -> str:
    """Two digits; errors above the whole are no answer."""
    return "over 100" if share > 1 else f"{float(f'{100 * share:.2g}'):g}"


def pages(root: Path) -> dict[Path, str]:
    """Return the page of errors, and the page with those to expect, if they were measured."""
    folder, choosing = root / FOLDER, root / CHOOSING
    if not complete(folder):
        return {}
    found, heads = read(folder)
    part = {"expected": expected_table(heads[NOW]["expected"])}
    return {
        folder / "README.md": page(found, heads),
        choosing: filled(choosing.read_text(), part),
    }


def complete(folder: Path) -> bool:
    """Tell whether cydp was measured, before and now."""
    files = folder / BEFORE, folder / NOW
    return all(map(Path.exists, files)) and "expected" in json.loads(files[1].read_text())
