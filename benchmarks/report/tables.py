"""Tables in Markdown, made from one file of results and from nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.record import Record, duration
from report import cells
from report.aims import AIMS, BYTES, MEMORY, SECONDS, SHARE, Aim
from report.load import Results
from report.reasons import reason
from report.topics import OTHER, TOPICS, topic
from report.verdicts import Verdict, fastest, verdicts
from rivals import RIVALS, Rival

ERROR = "error of "  # how notes of releases begin that have one
Shares = Sequence[Mapping[str, Any]]


def library(way: str) -> Rival | None:
    """The rival whose way it is; none for ways of ours, and for parts of one."""
    name = way.partition(",")[0]
    return RIVALS.get(name) or RIVALS.get(name.removesuffix("'s method"))


def is_rival(way: str) -> bool:
    return library(way) is not None


def protection(way: str) -> str:
    """How far the noise of a rival's way protects: no, yes, in doubles, bits or budgets only."""
    rival = library(way)
    if rival is None:
        return ""
    if rival.private.startswith("no from PCG64"):
        return "no" if "PCG64" in way else "in doubles"
    return rival.private


def called(way: str) -> str:
    """A way's name, and how far its noise protects, if it is a rival's and does not quite."""
    words = {"no": " (not private)", "in doubles": " (noise in doubles)"}
    return way + words.get(protection(way), "")


def wanted(aim: Aim, figure: float) -> str:
    if aim.unit == SECONDS:
        return f"{duration(figure)} at most"
    if aim.unit == BYTES:
        return f"{cells.size(figure)} at most"
    if aim.unit == MEMORY:
        return f"memory's slope {figure:g} at most"
    return f"{figure:.0%} of the limit" if aim.unit == SHARE else f"{cells.number(figure)}x"


def reached(verdict: Verdict) -> str:
    if verdict.measured is None:
        return ""
    low, median, high = verdict.measured
    if verdict.aim.unit == SECONDS:
        spread = f" ({duration(low)} to {duration(high)})" if high > low else ""
        return duration(median) + spread
    if verdict.aim.unit == BYTES:
        return cells.size(median)
    if verdict.aim.unit == SHARE:
        return f"{median:.0%}"
    if verdict.aim.unit == MEMORY:
        return f"{median:.2f}"
    return cells.ratio(verdict.measured, rival=is_rival(verdict.aim.rival))


def aims_table(results: Results, shares: Shares = (), aims: Sequence[Aim] = AIMS) -> str:
    """Each aim: what was asked, what a prototype reached, what was measured, and why not."""
    rows = []
    for verdict in verdicts(results, aims, shares):
        aim = verdict.aim
        best = "" if verdict.best == verdict.asked else wanted(aim, verdict.best)
        record = results.records.get(aim.work)
        beside = (record and fastest(record, aim.rival)) or aim.rival
        missed = verdict.measured is not None and verdict.word != "pass"
        why = reason(aim.work, beside, results.kernels) if missed else ""
        rows.append(
            [aim.work, called(beside), wanted(aim, verdict.asked), best, reached(verdict),
             verdict.word, why]
        )  # fmt: skip
    head = ["work", "beside", "asked", "aim", "measured", "", "why"]
    return cells.table(head, rows)


def works_tables(results: Results) -> str:
    """All works by topic: our time, and each other way's time and x."""
    parts = []
    for name in (*TOPICS, OTHER):
        here = [record for group, record in results.records.items() if topic(group) == name]
        rows = [row for record in here for row in rows_of(record)]
        if rows:
            head = ["work", "cydp", "beside it", "takes", "x"]
            parts.append(f"### {name}\n\n{cells.table(head, rows)}")
    return "\n".join(parts)


def rows_of(record: Record) -> Iterator[list[str]]:
    """A line for each way beside the first; times on the processor where threads share a work."""

    def taken(name: str) -> str:
        way = record.ways[name]
        cpu = f", CPU {duration(way.cpu)}" if record.threads > 1 else ""
        return cells.time(way) + cpu

    first, *others = record.ways
    ours = taken(first) if first == "cydp" else f"{first.removeprefix('cydp, ')}: {taken(first)}"
    work = record.group
    if not others:
        yield [work, ours, "", "", ""]
    for name in others:
        x = cells.ratio(record.ways[name].ratio, rival=is_rival(name))
        yield [work, ours, called(name), taken(name), x]
        work = ours = ""


def losses(results: Results) -> list[tuple[str, str, float]]:
    """Each work that a rival does faster, the rival, and x; of a curve the worst point."""
    found = [
        (group, name, way.ratio[1])
        for group, record in results.records.items()
        for name, way in record.ways.items()
        if is_rival(name) and way.ratio[1] < 1
    ]
    for curve in results.curves:
        ours = {point["x"]: point["seconds"][1] for point in curve["points"]}
        for name, theirs in curve.get("beside", {}).items():
            both = [point for point in theirs["points"] if point["x"] in ours]
            x, at = min((p["seconds"][1] / ours[p["x"]], p["x"]) for p in both)
            if is_rival(name) and x < 1:
                work = f"{curve['work']}, over {curve['axis']}: {cells.count(at)}"
                found.append((work, name, x))
    return found


def losses_table(results: Results) -> str:
    """The works that a rival does faster, and why."""
    rows = [
        [work, called(rival), f"**{cells.number(x)}**", reason(work, rival, results.kernels)]
        for work, rival, x in sorted(losses(results), key=lambda loss: loss[2])
    ]
    return cells.table(["work", "faster", "x", "why"], rows)


def growth_table(results: Results) -> str:
    """How time and memory grow: the ends of each curve, and its exponent; ours, then others."""
    rows = []
    for curve in results.curves:
        work = curve["work"]
        for name, found in {"cydp": curve, **curve.get("beside", {})}.items():
            rows.append([work, called(name), *ends_of(curve["axis"], found)])
            work = ""
    head = ["work", "", "from, to", "takes", "slope", "memory"]
    return cells.table(head, rows)


def ends_of(axis: str, curve: Mapping[str, Any]) -> list[str]:
    first, last = curve["points"][0], curve["points"][-1]
    given = f"{cells.count(first['x'])} to {cells.count(last['x'])} {axis}"
    times = " to ".join(duration(point["seconds"][1]) for point in (first, last))
    peaks = [point.get("peak") for point in (first, last)]
    memory = "" if None in peaks else " to ".join(map(cells.size, peaks))
    return [given, times, f"{curve['slope']:.2f}", memory]


def roofline_table(shares: Shares) -> str:
    """What each work takes of the time that its bytes and keystream would take at the limit."""
    rows = [
        [share["group"], duration(share["seconds"]), duration(share["limit_seconds"]),
         share["bound"], f"{share['share']:.0%}"]
        for share in shares
    ]  # fmt: skip
    return cells.table(["work", "takes", "limit", "bound by", "share of the limit"], rows)


def accuracy_table(results: Results) -> str:
    """The errors of releases against the exact answer, and the lines of code that each takes."""
    rows = []
    for work, note in results.notes.items():
        code, shown = note.get("lines of code", {}), work
        for key, error in note.items():
            if key.startswith(ERROR):
                name = key.removeprefix(ERROR)
                about = [str(error[kind]) for kind in ("RMSE", "median", "RMSE about their mean")]
                rows.append([shown, name, str(code.get(name, "")), *about, str(error["runs"])])
                shown = ""
    head = ["work", "", "lines", "RMSE", "median error", "RMSE about their mean", "runs"]
    return cells.table(head, rows)


def notes_list(results: Results) -> str:
    """What else benchmarks found, besides times."""
    lines = []
    for name, note in results.notes.items():
        found = [
            f"{key} {told(value, 'bytes' in f'{name} {key}')}"
            for key, value in note.items()
            if key != "group" and not key.startswith((ERROR, "lines of"))
        ]
        lines += [f"- {name}: {'; '.join(found)}\n"] if found else []
    return "".join(lines)


def told(value: Any, of_bytes: bool) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {told(part, of_bytes)}" for key, part in value.items())
    return cells.size(value) if of_bytes else str(value)


def warnings(results: Results) -> str:
    """What a reader must know before any figure."""
    return "".join(f"> **Warning: {warning}.**\n" for warning in results.warnings)


def machine_table(results: Results) -> str:
    """The machine, the build, and the machine's state while it measured."""
    machine, build, state = results.machine, results.machine["build"], results.state
    forced = ", ".join(f"{name}={value}" for name, value in sorted(machine["forced"].items()))
    others = "unknown" if state["others"] is None else f"{state['others']:.0%} of all cores"
    aes = [build["aes"]] if build["stream"] == "aes" else []
    parts = [build["isa"], build["stream"], *aes]
    rows = [
        ["processor", f"{machine['cpu']}, cores in use: {machine['cores']}"],
        ["memory", cells.size(machine["memory"]) or "unknown"],
        ["system", machine["system"]],
        ["kernels", f"{results.kernels} ({', '.join(parts)})"],
        ["chosen by", forced or "the machine"],
        ["build", f"{build['compiler']} {build['flags']}"],
        ["versions",
         f"cydp {machine['cydp']} ({machine['commit']}), numpy {machine['numpy']}, "
         f"Python {machine['python']}"],
        ["measured", machine["date"]],
        ["the benchmarks took", f"{state['seconds'] / 60:.1f} min"],
        ["other programs took", others],
        *([f"{name} took", f"{duration(usual)} (from {duration(least)} to {duration(most)})"]
          for name, (least, usual, most) in state["paces"].items()),
    ]  # fmt: skip
    return cells.table(["", ""], rows)


def rivals_table(results: Results) -> str:
    """Each rival: what it is, whether it is private, and its version or why it is missing."""
    rows = [
        [name, rival.what, rival.private, results.rivals.get(name, "not asked for")]
        for name, rival in RIVALS.items()
    ]
    return cells.table(["library", "what it is", "private", "version, or why it is missing"], rows)
