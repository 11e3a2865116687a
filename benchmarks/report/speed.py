"""The short table of the project's README: a few works, losses among them, and the best rivals."""

from harness.record import duration
from report import cells
from report.load import Results
from report.tables import called, is_rival, warnings
from report.verdicts import fastest

SHOWN = {  # what the table calls a work: the work, and the rivals beside it
    "10^6 discrete Laplace, scale 1": (
        "discrete Laplace, 10^6, scale 1", ("numpy, exponentials", "numpy"),
    ),
    "private counts of 10^6 keys, 10^7 rows": (
        "release: counts of 10^7 rows by 10^6 known keys",
        ("OpenDP, numpy", "OpenDP, Polars", "numpy"),
    ),
    "100 durable charges": ("ledger: 100 durable charges", ("diffprivlib",)),
}  # fmt: skip


def speed_table(results: Results) -> str:
    """The works of the table that were measured, each with its rivals."""
    machine, rows = results.machine, []
    for label, (work, rivals) in SHOWN.items():
        record = results.records.get(work)
        names = [fastest(record, rival) for rival in rivals] if record else []
        found = {name: record.ways[name] for name in names if name} if record else {}
        if record and found:
            ours = next(iter(record.ways.values()))
            times = [f"{called(name)} {duration(way.seconds[1])}" for name, way in found.items()]
            x = [cells.ratio(way.ratio, rival=is_rival(n)) for n, way in found.items()]
            rows.append([label, duration(ours.seconds[1]), "; ".join(times), ", ".join(x)])
    said = (
        f"{machine['cpu']}, {results.kernels} kernels, {machine['date']}; medians, with quartiles "
        "where there were several turns.\n"
    )
    told = cells.table(["work", "cydp", "beside it", "x"], rows)
    return "\n".join(text for text in (warnings(results), said, told) if text)
