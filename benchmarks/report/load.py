"""Reads files of results: `benchmarks/results/<machine>/results.json`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.record import Record, Way
from harness.results import FORMAT

FILE = "results.json"


@dataclass(frozen=True)
class Results:
    """What one run found, as `harness/results.py` wrote it."""

    name: str  # of the folder
    machine: Mapping[str, Any]
    state: Mapping[str, Any]
    records: Mapping[str, Record]  # by the name of the work
    curves: Sequence[Mapping[str, Any]]
    notes: Mapping[str, Mapping[str, Any]]  # by the name of the work
    rivals: Mapping[str, str]  # versions, or why one is missing
    raw: Mapping[str, Any]

    @property
    def forced(self) -> bool:
        """Whether the kernels were chosen by hand, not by what the machine has."""
        return bool(self.machine["forced"])

    @property
    def kernels(self) -> str:
        """The kind of kernels, as aims name it."""
        build = self.machine["build"]
        isa, stream, aes = build["isa"], build["stream"], build["aes"]
        if isa in ("portable", "neon"):
            return str(isa)
        if stream != "aes":
            return "ChaCha20"
        if aes == "aesni":
            return "AES-NI"
        return "AVX-512" if isa == "avx512" else "AVX2"

    @property
    def warnings(self) -> list[str]:
        """What makes the figures worse than they could be."""
        return [*self.state["warnings"]]

    def works(self) -> set[str]:
        """The names of all works that were measured."""
        return {*self.records, *self.notes, *(curve["work"] for curve in self.curves)}


def read(folder: Path) -> dict[str, Any]:
    """Return the results in a folder as they stand there; refuse a format that is not known."""
    found: dict[str, Any] = json.loads((folder / FILE).read_text())
    if found.get("format") != FORMAT:
        raise ValueError(f"{folder.name}: format {found.get('format')}, not {FORMAT}")
    return found


def load(folder: Path) -> Results:
    """Read the results in a folder, whose name is that of the machine."""
    found = read(folder)
    return Results(
        name=folder.name,
        machine=found["machine"],
        state=found["state"],
        records={record["group"]: record_of(record) for record in found["records"]},
        curves=found["curves"],
        notes={note["group"]: note for note in found["notes"]},
        rivals=found.get("rivals", {}),
        raw=found,
    )


def record_of(kept: Mapping[str, Any]) -> Record:
    ways = {
        name: Way(**{**way, "seconds": tuple(way["seconds"]), "ratio": tuple(way["ratio"])})
        for name, way in kept["ways"].items()
    }
    return Record(**{**kept, "ways": ways})


def load_all(root: Path) -> list[Results]:
    """Read all results of a checkout, those of chosen kernels behind the others."""
    files = (root / "benchmarks" / "results").glob(f"*/{FILE}")
    found = [load(file.parent) for file in files]
    return sorted(found, key=lambda results: (results.forced, results.name))
