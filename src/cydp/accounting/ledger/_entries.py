# SPDX-License-Identifier: MIT
"""What the entries of a ledger are made of: texts, numbers as texts, who and when."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from cydp._numbers.rational import index
from cydp._version import __version__
from cydp.accounting._amounts import Amount, amount_of
from cydp.accounting._loss import Loss

__all__ = [
    "digest_of",
    "dims_of",
    "fractions_of",
    "head_of",
    "json_of",
    "parts_of",
    "text_of",
    "texts_of",
    "when",
]

_JSON = (
    "what JSON can hold: text, finite numbers, bool, None, and lists and dicts of these whose keys "
    "are all text"
)


def when() -> dict[str, Any]:
    """Return who writes an entry, and when."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")
    return {"time": now, "pid": os.getpid(), "version": __version__}


def text_of(value: str, name: str) -> str:
    """Return a text that a ledger can hold; TypeError or ValueError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {type(value).__name__}")
    if not 0 < len(value) <= 1000:
        raise ValueError(f"{name} must have 1 to 1,000 characters")
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{name} must be text that UTF-8 can encode, without lone surrogates")
    return value


def json_of(value: Any, name: str, *, sort_keys: bool = False) -> str:
    """Return the JSON of a value; TypeError or ValueError for what it cannot hold."""
    try:
        return json.dumps(value, allow_nan=False, sort_keys=sort_keys)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must be {_JSON}") from None
    except RecursionError:
        raise ValueError(f"{name} must not be nested so deeply, or hold itself") from None


def dims_of(dims: dict[str, Any]) -> dict[str, Any]:
    """Return what JSON makes of the dims of a block; TypeError or ValueError if it cannot.

    Later changes by the caller are not in it.
    """
    texts = {name: json_of(value, name, sort_keys=True) for name, value in dims.items()}
    return {name: json.loads(text) for name, text in texts.items()}


def head_of(expected: tuple[int, str]) -> tuple[int, str]:
    """Return what `head` gave; TypeError or ValueError for what it never gives."""
    if not isinstance(expected, tuple | list) or len(expected) != 2:
        raise TypeError(
            "expect_head must be a pair (place, hash), as ledger.head() returns it, not "
            f"{type(expected).__name__}"
        )
    seq, digest = index(expected[0], "expect_head[0]"), text_of(expected[1], "expect_head[1]")
    if not 0 < seq < 2**63:
        raise ValueError("expect_head[0] must be the place of an entry, which is at least 1")
    return seq, digest


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def parts_of(loss: Loss) -> Amount:
    """Return the numbers of a loss in its own measure."""
    return amount_of(loss, loss)


def texts_of(parts: Amount) -> list[str]:
    """Return fractions as JSON can hold them."""
    return [str(part) for part in parts]


def fractions_of(texts: Sequence[str]) -> Amount:
    """Read what `texts_of` has written."""
    return tuple(map(Fraction, texts))
