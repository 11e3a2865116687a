"""The file of results of one run: machine, records, curves of growth, and notes."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import rivals
from harness.machine import Watch, described
from harness.record import Record

FORMAT = 2


class Results:
    """What a run of the benchmarks has found so far."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.curves: list[dict[str, Any]] = []
        self.notes: list[dict[str, Any]] = []
        self.watch = Watch()

    def add(self, group: str, found: dict[str, Any]) -> None:
        """Take what a benchmark left in its extra_info."""
        record, curve = found.pop("record", None), found.pop("curve", None)
        if record:
            self.records.append(record)
        if curve:
            self.curves.append(curve)
        if found:
            self.notes.append({"group": group, **found})

    def lines(self) -> list[str]:
        """Say it for a terminal."""
        lines = [line for record in self.records for line in record.lines()]
        for curve in self.curves:
            lines.append(f"{curve['work']}: over {curve['axis']}, slope {curve['slope']:.3g}")
        for note in self.notes:
            lines += [f"{note['group']}: {key} {note[key]}" for key in note if key != "group"]
        lines += [f"library left out: {name}: {why}" for name, why in rivals.SKIPPED.items()]
        return lines + [f"machine: {warning}" for warning in self.watch.warnings()]

    def write(self, file: Path) -> None:
        """Write all of it, for the tables and the plots."""
        kept = {
            "format": FORMAT,
            "machine": described(),
            "state": self.watch.found(),
            "rivals": rivals.versions(),
            "records": [asdict(record) for record in self.records],
            "curves": self.curves,
            "notes": self.notes,
        }
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(kept, indent=1, allow_nan=False) + "\n")
