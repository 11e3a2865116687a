# SPDX-License-Identifier: MIT
"""``cydp verify-release``, which checks the certificate of a release."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

from cydp._columns.file_errors import FileError
from cydp._version import __version__
from cydp.accounting._words import format_name
from cydp.cli._options import add_parser
from cydp.cli._payment import open_to_read
from cydp.releases._certificate import (
    read_certificate,
    wrong_in_certificate,
    wrong_in_ledger,
    wrong_in_release,
)

__all__ = ["add_verify_release"]

# Beside the releases; once imported, their queries can be built again.
_PACKAGES_OF_QUERIES = ("cydp.models", "cydp.publishing", "cydp.teach", "cydp.workloads")


def add_verify_release(commands: Any) -> None:
    """Add ``verify-release`` to the parser."""
    parser = add_parser(
        commands,
        "verify-release",
        "check the certificate of a release, without data and without a network",
        "Exit codes: 0 all that was checked holds; 1 something does not hold; 2 a mistake "
        "in the command, or a file that cannot be read or is no certificate. A certificate is not "
        "signed: it holds together, and with --ledger the release was paid for, but it does not "
        "say which data were read.",
        example=[
            "cydp histogram examples/data/pums.csv --column age --bins 10 --range 0:100 "
            "--epsilon 1 --output ages.json --certificate ages.cert",
            "cydp verify-release ages.cert --release ages.json",
        ],
    )
    parser.add_argument(
        "certificate",
        metavar="CERTIFICATE",
        help="what --certificate writes, or JSON of release.certificate() in Python",
    )
    parser.add_argument(
        "--release",
        metavar="FILE",
        help="what was released: what --output FILE.json writes, or release.to_json() in Python",
    )
    parser.add_argument("--ledger", metavar="PATH", help="the ledger that has paid")
    parser.set_defaults(run=_verify_release)


def _verify_release(options: argparse.Namespace) -> int:
    certificate = read_certificate(_read(options.certificate))
    released = None if options.release is None else _read(options.release)
    for package in _PACKAGES_OF_QUERIES:
        import_module(package)
    wrong = wrong_in_certificate(certificate)
    checked = ["the certificate holds together: loss and scales follow from its parameters"]
    if released is not None:
        wrong += wrong_in_release(certificate, released)
        checked.append("the release is the one of the certificate")
    if options.ledger is not None and not wrong:
        with open_to_read(options.ledger) as ledger:
            wrong += wrong_in_ledger(certificate, ledger)
        checked.append("the ledger is whole, and has the entry that paid for the release")
    version = certificate.get("version")
    if version != __version__:
        print(f"note: made by cydp {format_name(str(version))}, checked by cydp {__version__}")
    for sentence in wrong:
        print(f"does not hold: {sentence}")
    if wrong:
        return 1
    for sentence in checked:
        print(f"ok: {sentence}")
    return 0


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise FileError(f"cannot read {path}: {reason}") from None
