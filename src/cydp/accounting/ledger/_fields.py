# SPDX-License-Identifier: MIT
"""The fields of a ledger's entries: strings, numbers as strings, who wrote an entry and when."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._numbers.rational import read_integer
from cydp._version import __version__
from cydp.accounting._amounts import Amount, amount_of
from cydp.accounting._loss import Loss

__all__ = [
    "amount_from",
    "check_dims",
    "check_head",
    "check_string",
    "describe_writer",
    "json_of",
    "own_amount_of",
    "sha256_of",
    "strings_of",
]

_JSON = (
    "what JSON can hold: text, finite numbers, bool, None, and lists and dicts of these whose keys "
    "are all text"
)


def describe_writer() -> dict[str, Any]:
    """Return the fields that say who writes an entry, and when."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")
    return {"time": now, "pid": os.getpid(), "version": __version__}


def check_string(value: str, name: str) -> str:
    """Return a string that a ledger can hold; TypeError or ValueError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {type(value).__name__}")
    if not 0 < len(value) <= 1000:
        raise ValueError(f"{name} must have 1 to 1,000 characters")
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{name} must be text that UTF-8 can encode, without lone surrogates")
    return value


def json_of(value: Any, name: str, *, sort_keys: bool = False) -> str:
    """Return the JSON of a value; TypeError or ValueError for a value that JSON cannot hold.

    A scalar of numpy counts as the number that it holds.
    """
    try:
        return json.dumps(value, allow_nan=False, sort_keys=sort_keys, default=_plain)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must be {_JSON}") from None
    except RecursionError:
        raise ValueError(f"{name} must not be nested so deeply, or hold itself") from None


def _plain(value: Any) -> bool | int | float:
    """Return the number in a scalar of numpy; TypeError for anything else."""
    found = value.item() if isinstance(value, np.generic) else None
    if not isinstance(found, bool | int | float):
        raise TypeError
    return found


def check_dims(dims: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of the dims of a block, as JSON holds them; else TypeError or ValueError."""
    texts = {name: json_of(value, name, sort_keys=True) for name, value in dims.items()}
    return {name: json.loads(text) for name, text in texts.items()}


def check_head(expected: tuple[int, str]) -> tuple[int, str]:
    """Return a head as `head()` returns it; TypeError or ValueError for anything else."""
    if not isinstance(expected, tuple | list) or len(expected) != 2:
        raise TypeError(
            "expect_head must be a pair (place, hash), as ledger.head() returns it, not "
            f"{type(expected).__name__}"
        )
    seq, digest = (
        read_integer(expected[0], "expect_head[0]"),
        check_string(expected[1], "expect_head[1]"),
    )
    if not 0 < seq < 2**63:
        raise ValueError("expect_head[0] must be the place of an entry, which is at least 1")
    return seq, digest


def sha256_of(text: str) -> str:
    """Return the SHA-256 of a string, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def own_amount_of(loss: Loss) -> Amount:
    """Return the amount of a loss in its own measure."""
    return amount_of(loss, loss)


def strings_of(amount: Amount) -> list[str]:
    """Return the fractions of an amount as strings, which JSON can hold."""
    return [str(number) for number in amount]


def amount_from(strings: Sequence[str]) -> Amount:
    """Return the amount of which `strings_of` has made strings."""
    return tuple(map(Fraction, strings))
