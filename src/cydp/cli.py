# SPDX-License-Identifier: MIT
"""The command line: arguments in, the public API, text or JSON out."""

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import NoReturn

import cydp
from cydp.engines.duckdb import open_column
from cydp.rational import exact, float_of
from cydp.selftest import checks

_CONFIDENCE = 0.999
_MOST_BINS = 10**6


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line and exit with 2."""
        self.exit(2, f"{self.prog}: error: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``cydp``; return the exit code."""
    parser = _parser()
    options = parser.parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    try:
        code = int(options.run(options))
        sys.stdout.flush()
    except (TypeError, ValueError) as error:
        parser.error(" ".join(str(error).split()))
    except OSError as error:
        # What is still in the buffer would fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader has seen enough
            return 1
        parser.error(f"cannot write: {error.strerror}")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="cydp", description="Exact noise and private histograms.")
    parser.add_argument("--version", action="version", version=f"cydp {cydp.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    histogram = commands.add_parser(
        "histogram", help="print a private histogram of a column of a CSV or Parquet file"
    )
    histogram.add_argument("file", metavar="FILE", help="*.parquet, else read as CSV")
    histogram.add_argument("--column", required=True, help="name of a numeric column")
    histogram.add_argument(
        "--bins", required=True, metavar="LO:HI:STEP", help="equal bins; never from the data"
    )
    histogram.add_argument("--epsilon", required=True, help="privacy cost: 1, 0.1, 1/3 ...")
    histogram.add_argument(
        "--relation",
        default="add-remove",
        help="what neighbours differ in: add-remove (default) or change-one",
    )
    histogram.add_argument("--json", action="store_true", help="print JSON")
    histogram.set_defaults(run=_histogram)

    selftest = commands.add_parser("selftest", help="check the installed package")
    selftest.set_defaults(run=_selftest)
    return parser


def _joined(arguments: Sequence[str]) -> list[str]:
    """Tie values that may begin with a minus sign to their option, for argparse."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] in ("--bins", "--column", "--epsilon"):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _edges(spec: str) -> list[float]:
    parts = spec.split(":")
    if len(parts) != 3:
        raise ValueError(f"--bins must be LO:HI:STEP, such as 0:100:10, not {spec!r}")
    low, high, step = (
        exact(part, f"{name} of --bins")
        for part, name in zip(parts, ("LO", "HI", "STEP"), strict=True)
    )
    if low >= high or step <= 0:
        raise ValueError(f"--bins must have LO < HI and STEP > 0, not {spec!r}")
    count = (high - low) / step
    if count.denominator != 1:
        raise ValueError(f"STEP of --bins must divide HI - LO into whole bins, not {spec!r}")
    if count > _MOST_BINS:
        raise ValueError(f"--bins must ask for at most {_MOST_BINS} bins, not {spec!r}")
    # Each rounded once, so that 0.1:0.4:0.1 has the edge 0.3.
    edges = [float_of(low + i * step) for i in range(int(count) + 1)]
    if not all(a < b < math.inf for a, b in pairwise([-sys.float_info.max, *edges])):
        raise ValueError(f"--bins must have distinct edges as floats, not {spec!r}")
    return edges


def _histogram(options: argparse.Namespace) -> int:
    edges = _edges(options.bins)
    privacy = {"epsilon": options.epsilon, "relation": options.relation}
    cydp.histogram((), edges, **privacy)  # refuses bad parameters before a file is read
    column = open_column(options.file, options.column)
    release = cydp.histogram(column, edges, **privacy)
    print(json.dumps(_json(release)) if options.json else release)
    return 0


def _json(release: cydp.HistogramRelease) -> dict[str, object]:
    mechanism = release.mechanism
    return {
        "counts": release.counts.tolist(),
        "edges": release.edges.tolist(),
        "epsilon": float_of(mechanism.epsilon),
        "relation": release.relation,
        "mechanism": type(mechanism).__name__,
        "scale": float_of(mechanism.scale),
        "sensitivity": float_of(mechanism.sensitivity),
        "error_bound": release.error_bound(_CONFIDENCE, simultaneous=True),
        "confidence": _CONFIDENCE,
    }


def _selftest(options: argparse.Namespace) -> int:
    build = cydp.build_info()
    print(f"cydp {cydp.__version__}, {build['isa']} kernels, {build['compiler']}")
    failed = 0
    for name, holds in checks():
        print(f"{'ok    ' if holds else 'FAILED'}  {name}")
        failed += not holds
    return 1 if failed else 0
