"""What a run has reached of what was aimed at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.record import Record
from report.aims import BYTES, MEMORY, SECONDS, SHARE, Aim, X
from report.load import Results


@dataclass(frozen=True)
class Verdict:
    """An aim and the figure beside it: None if this run has not measured it."""

    aim: Aim
    asked: float
    best: float  # what a prototype reached
    measured: tuple[float, float, float] | None  # quartiles

    @property
    def reached(self) -> bool:
        return self._at(self.asked)

    @property
    def word(self) -> str:
        """What is said of it in a table."""
        if self.measured is None:
            return "not measured"
        if not self.reached:
            return "**gap**"
        return "pass" if self._at(self.best) else "pass, below the aim"

    def _at(self, figure: float) -> bool:
        if self.measured is None:
            return False
        median = self.measured[1]
        return median >= figure if self.aim.unit in (X, SHARE) else median <= figure


def verdicts(
    results: Results, aims: Sequence[Aim], shares: Sequence[Mapping[str, Any]] = ()
) -> list[Verdict]:
    """Judge the aims that there are for the kernels in use.

    With chosen kernels a run may measure some works only: the others are left out.
    """
    found = []
    for aim in aims:
        if results.kernels in aim.asked:
            asked = aim.asked[results.kernels]
            best = aim.aim.get(results.kernels, asked)
            verdict = Verdict(aim, asked, best, measured(results, aim, shares))
            if verdict.measured is not None or not results.forced:
                found.append(verdict)
    return found


def measured(
    results: Results, aim: Aim, shares: Sequence[Mapping[str, Any]]
) -> tuple[float, float, float] | None:
    if aim.unit == SHARE:
        here = [share["share"] for share in shares if share["group"] == aim.work]
        return (here[0],) * 3 if here else None
    if aim.unit == BYTES:
        kept = results.notes.get(aim.work, {}).get(aim.way)
        return None if kept is None else (kept,) * 3
    if aim.unit == MEMORY:
        curves = [curve for curve in results.curves if curve["work"] == aim.work]
        if not curves or all(point["peak"] is None for point in curves[0]["points"]):
            return None
        return (curves[0].get("memory_slope") or 0.0,) * 3  # none: all peaks are tiny
    record = results.records.get(aim.work)
    if record is None:
        return None
    ours = record.ways[aim.way] if aim.way else next(iter(record.ways.values()))
    if aim.unit == SECONDS:
        return ours.seconds
    name = fastest(record, aim.rival)
    if name is None:
        return None
    beside = record.ways[name]
    if not aim.way:
        return beside.ratio
    low, median, high = beside.ratio
    return low / ours.ratio[1], median / ours.ratio[1], high / ours.ratio[1]


def fastest(record: Record, rival: str) -> str | None:
    """The fastest way of a rival: the one of this name, or of those with a detail behind it."""
    if rival in record.ways:
        return rival
    names = [name for name in record.ways if name.startswith(f"{rival}, ")]
    return min(names, key=lambda name: record.ways[name].ratio[1], default=None)
