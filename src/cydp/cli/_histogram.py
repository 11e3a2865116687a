# SPDX-License-Identifier: MIT
"""``cydp histogram``: a private histogram of a column of a file, paid by a ledger or not."""

from __future__ import annotations

import argparse
import json
import math
import sys
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from cydp._numbers.rational import float_of, read_exact
from cydp._numbers.rounding import as_float
from cydp.accounting._errors import LedgerError
from cydp.accounting._format import format_name
from cydp.accounting._measure import exact_string
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._scope import LedgerScope
from cydp.cli._column_file import FileError, open_column
from cydp.cli._format import format_block, format_numbers, head_of, json_of, left_of
from cydp.cli._ledger import read_block_id
from cydp.cli._ledger_file import open_ledger
from cydp.mechanisms._discrete_laplace import DiscreteLaplace
from cydp.releases._histogram import histogram
from cydp.releases._histogram_release import HistogramRelease

__all__ = ["add_command"]

_CONFIDENCE = 0.999
_MOST_BINS = 10**6
_LONGEST_LABEL = 1000
_CHARGED = "the ledger was charged all the same"


def add_command(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "histogram",
        help="print a private histogram of a column of a CSV or Parquet file",
        epilog="With --ledger, all arguments, the ledger, the file and its column are checked; "
        "then epsilon is charged durably; then the values are read. What was charged stays "
        "charged, whatever happens afterwards. In JSON the release's numbers are floats, "
        'rounded up if need be, beside exact texts; those of the ledger are exact texts ("0.1", '
        '"1/3").',
    )
    parser.add_argument(
        "file", metavar="FILE", help="a file named *.parquet is read as Parquet, others as CSV"
    )
    parser.add_argument("--column", required=True, help="name of a numeric column")
    parser.add_argument(
        "--bins",
        required=True,
        metavar="LO:HI:STEP",
        help="equal bins, chosen without looking at the data",
    )
    parser.add_argument("--epsilon", required=True, help="privacy cost: 1, 0.1, 1/3 ...")
    parser.add_argument(
        "--relation",
        help="what neighbours differ in: add-remove or change-one (default: the ledger's; "
        "add-remove without one)",
    )
    parser.add_argument(
        "--max-rows-per-unit",
        type=int,
        metavar="K",
        help="your promise that no person, or whatever the unit of the ledger is, has more than K "
        "rows in FILE; the noise grows with K. A ledger whose unit is not a row needs it and keeps "
        "it in its history (default: what is protected is a row)",
    )
    parser.add_argument("--ledger", metavar="PATH", help="the ledger that pays")
    parser.add_argument(
        "--blocks",
        nargs="+",
        action="extend",
        type=read_block_id,
        metavar="ID",
        help="the blocks of the ledger that the data in FILE belongs to; each pays in full "
        "(--blocks=-1 for an id that begins with a minus sign)",
    )
    parser.add_argument(
        "--label",
        metavar="TEXT",
        help="what the ledger's history says of the release (default: column, file name and bins)",
    )
    parser.add_argument(
        "--charge-id",
        metavar="ID",
        help="with --ledger, makes the command safe to repeat: a repetition prints what was "
        "released before, and charges nothing",
    )
    parser.add_argument(
        "--data-version",
        metavar="TEXT",
        help="with --charge-id, your name for the data: a repetition with another is refused",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_histogram)


def _histogram(options: argparse.Namespace) -> int:
    edges = _read_edges(options.bins)
    # Refuses bad parameters before a file is looked at.
    _release((), edges, options, "add-remove")
    if options.ledger is not None:
        return _release_from_ledger(options, edges)
    for name in ("blocks", "label", "charge_id", "data_version"):
        if getattr(options, name) is not None:
            option = f"--{name.replace('_', '-')}"
            raise ValueError(f"{option} needs --ledger: give the ledger, or leave {option} out")
    column = open_column(options.file, options.column)
    release = _release(column, edges, options, "add-remove")
    print(json.dumps(_dict_of(release)) if options.json else release)
    return 0


def _release(
    column: Any,
    edges: list[float],
    options: argparse.Namespace,
    relation: str,
    budget: LedgerScope | None = None,
) -> HistogramRelease:
    """Return the release that the options ask for, under `relation` if they name none."""
    return histogram(
        column,
        edges,
        epsilon=options.epsilon,
        relation=options.relation or relation,
        max_rows_per_unit=options.max_rows_per_unit,
        budget=budget,
    )


def _release_from_ledger(options: argparse.Namespace, edges: list[float]) -> int:
    if options.data_version is not None and options.charge_id is None:
        raise ValueError("--data-version needs --charge-id: give the id, or leave it out")
    with open_ledger(BudgetLedger.open, options.ledger) as ledger:
        column = open_column(options.file, options.column)
        try:
            budget = ledger.scope(
                blocks=options.blocks,
                label=_make_label(options),
                charge_id=options.charge_id,
                data_version=_name_source(options),
            )
            release = _release(column, edges, options, ledger.relation, budget)
        except FileError as error:  # the values could not be read
            raise FileError(f"{error}; {_CHARGED}") from None
        try:
            left, head = left_of(ledger), head_of(ledger)
        except LedgerError as error:  # no refusal, which would have charged nothing
            raise FileError(f"{error}; {_CHARGED}") from None
    if options.blocks:
        left = {block: left[block] for block in options.blocks}
    if options.json:
        about = {"privacy_unit": ledger.privacy_unit, "left": left, "head": head}
        print(json_of(_dict_of(release) | {"ledger": about}))
    else:
        print(release)
        print(f"left in the ledger for each {format_name(ledger.privacy_unit)}:")
        for block, loss in left.items():
            print(f"  {format_block(block)}: {format_numbers(loss, left=True)}")
    return 0


def _name_source(options: argparse.Namespace) -> str | None:
    """Return a name for the data of a charge id: a repetition must be on the same data."""
    if options.charge_id is None:
        return None
    text = json.dumps([Path(options.file).name, options.column, options.data_version])
    return text if len(text) <= _LONGEST_LABEL else sha256(text.encode()).hexdigest()


def _make_label(options: argparse.Namespace) -> str:
    if options.label is not None:
        return str(options.label)
    label = f"histogram of {options.column} in {Path(options.file).name} by {options.bins}"
    return label.encode(errors="replace").decode()[:_LONGEST_LABEL]


def _read_edges(spec: str) -> list[float]:
    parts = spec.split(":")
    if len(parts) != 3:
        raise ValueError(f"--bins must be LO:HI:STEP, such as 0:100:10, not {spec!r}")
    low, high, step = (
        read_exact(part, f"{name} of --bins")
        for part, name in zip(parts, ("LO", "HI", "STEP"), strict=True)
    )
    if low >= high or step <= 0:
        raise ValueError(f"--bins must have LO < HI and STEP > 0, not {spec!r}")
    count = (high - low) / step
    if count.denominator != 1:
        raise ValueError(
            f"STEP of --bins must divide HI - LO into a whole number of bins, not {spec!r}"
        )
    if count > _MOST_BINS:
        raise ValueError(f"--bins must ask for at most {_MOST_BINS} bins, not {spec!r}")
    # Each rounded once, so that 0.1:0.4:0.1 has the edge 0.3.
    edges = [float_of(low + i * step) for i in range(int(count) + 1)]
    if not all(a < b < math.inf for a, b in pairwise([-sys.float_info.max, *edges])):
        raise ValueError(f"--bins must have distinct edges as floats, not {spec!r}")
    return edges


def _dict_of(release: HistogramRelease) -> dict[str, object]:
    mechanism = release.mechanism
    assert isinstance(mechanism, DiscreteLaplace)  # for epsilon alone
    return {
        "counts": release.counts.tolist(),
        "edges": release.edges.tolist(),
        "epsilon": as_float(mechanism.epsilon),
        "relation": release.relation,
        "mechanism": type(mechanism).__name__,
        "scale": as_float(mechanism.scale),
        "sensitivity": as_float(mechanism.sensitivity),
        "error_bound": release.error_bound(_CONFIDENCE, count=max(len(release.counts), 1)),
        "confidence": _CONFIDENCE,
        "exact": {
            name: exact_string(getattr(mechanism, name))
            for name in ("epsilon", "scale", "sensitivity")
        },
    }
