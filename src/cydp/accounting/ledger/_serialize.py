# SPDX-License-Identifier: MIT
"""What a ledger keeps as text: the fields of its entries, and results of releases.

Results are JSON, in which arrays are bytes. Reading it back cannot run code, as a pickle could.
"""

from __future__ import annotations

import base64
import getpass
import hashlib
import importlib
import json
import math
import os
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import cache
from socket import gethostname
from typing import Any, TypeVar

import numpy as np

from cydp._columns.label_types import NANOSECONDS
from cydp._columns.moments import is_time, read_moment
from cydp._columns.pandas import parts_of_series
from cydp._numbers.rational import read_integer
from cydp._version import __version__
from cydp.accounting._amounts import Amount, amount_of
from cydp.accounting._errors import LedgerCorruptError
from cydp.accounting._loss import Loss

__all__ = [
    "amount_from",
    "check_dims",
    "check_head",
    "check_size",
    "check_string",
    "describe_writer",
    "deserialize",
    "json_of",
    "own_amount_of",
    "read_block_id",
    "read_result",
    "register",
    "serialize",
    "sha256_of",
    "strings_of",
]


_JSON = (
    "what JSON can hold: text, finite numbers, bool, None, and lists and dicts of these whose keys "
    "are all text"
)
_Kind = TypeVar("_Kind")

MOST_BYTES = 2**26  # in the arrays of one result: 64 MiB
_MOST_TEXT = 2**27  # characters of the string of one result
_ARRAY, _FLOAT, _FRACTION, _OBJECT, _SERIES = "$array", "$float", "$fraction", "$object", "$series"
_TEXT = "$text"  # an array of objects, all of them strings
_CLASSES: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {}


def describe_writer() -> dict[str, Any]:
    """Return the fields that say who writes an entry, and when.

    The environment variable CYDP_SERVICE names the service, if it is set.
    """
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    service = os.environ.get("CYDP_SERVICE", "")
    who = _user_and_host() | ({"service": service} if service else {})
    return {"time": now, "pid": os.getpid(), "version": __version__} | who


@cache
def _user_and_host() -> dict[str, str]:
    try:
        user = getpass.getuser()
    except (ImportError, KeyError, OSError):  # the system has no name for the user
        return {"host": gethostname()}
    return {"user": user, "host": gethostname()}


def check_string(value: str, name: str) -> str:
    """Return a string that a ledger can hold; TypeError or ValueError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {type(value).__name__}")
    if not 0 < len(value) <= 1000:
        raise ValueError(f"{name} must have 1 to 1,000 characters")
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{name} must be text that UTF-8 can encode, without lone surrogates")
    return value


def read_block_id(block: Any, name: str) -> str:
    """Return the id of a block; a day is the text that ISO 8601 has for it.

    Raises
    ------
    TypeError, ValueError
        For anything but text and days, and for a time that is no midnight.

    Examples
    --------
    >>> from datetime import date
    >>> read_block_id(date(2024, 1, 31), "block"), read_block_id("mon", "block")
    ('2024-01-31', 'mon')

    """
    if isinstance(block, str) or not is_time(block):
        return check_string(block, name)
    moment = read_moment(block, name)
    day, rest = divmod(moment.nanoseconds, NANOSECONDS["D"])
    is_longer = isinstance(block, np.datetime64) and np.datetime_data(block.dtype)[0] in "YMW"
    if rest or is_longer or moment.zone is not None:
        raise ValueError(f"{name} must be a day, without a time of day and a zone, or text")
    return str(np.datetime64(day, "D"))


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
    """Return a copy of the dims of a block, as JSON holds them; else TypeError or ValueError.

    A day is its text, as in the id of a block.
    """
    days = {
        name: read_block_id(each, name)
        for name, each in dims.items()
        if isinstance(each, date | np.datetime64)
    }
    texts = {name: json_of(value, name, sort_keys=True) for name, value in {**dims, **days}.items()}
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
    """Return the amount that `strings_of` has written as strings."""
    return tuple(map(Fraction, strings))


def register(
    kind: type[_Kind], pack: Callable[[_Kind], Any], unpack: Callable[[Any], _Kind]
) -> None:
    """Let results have objects of a class, which `pack` turns into results of other kinds."""
    _CLASSES[kind.__name__] = kind, pack, unpack


def serialize(result: Any) -> str:
    """Return a result as a string.

    Raises
    ------
    TypeError, ValueError
        If the result is None, if it holds anything but JSON, Fractions, arrays of numbers, times or
        text, pandas Series of these, and releases, or if it is longer than a ledger keeps.

    Examples
    --------
    >>> deserialize(serialize({"counts": np.array([1, 2])}))
    {'counts': array([1, 2])}

    """
    if result is None:
        raise TypeError("result must not be None, which could not be told from no result")
    try:
        packed, size = _pack(result)
        check_size(size)
        text = json.dumps(packed, allow_nan=False)
    except RecursionError:
        raise ValueError("result must not be nested so deeply, or hold itself") from None
    check_size(len(text) - _MOST_TEXT + MOST_BYTES)
    return text


def deserialize(text: str) -> Any:
    """Return the result that `serialize` has written; tuples have become lists."""
    return _unpack(json.loads(text))


def read_result(text: str) -> Any:
    """Return a recorded result; a LedgerCorruptError for a string that is no result."""
    try:
        return deserialize(text)
    except (ValueError, TypeError, LookupError):
        raise LedgerCorruptError(
            "the ledger is damaged: a result is not what was written"
        ) from None


def check_size(size: int) -> None:
    """Raise a ValueError for more bytes than a ledger keeps of one result."""
    if size > MOST_BYTES:
        raise ValueError(
            f"a ledger keeps results of up to {MOST_BYTES:,} bytes, and this one has {size:,}: "
            "charge without a charge_id, and store the result elsewhere"
        )


def _pack(result: Any) -> tuple[Any, int]:
    """Return a result as JSON can hold it, and how many bytes its arrays have."""
    if isinstance(result, np.generic):
        return _pack(result.item())
    if isinstance(result, np.ndarray):
        if result.dtype == object and result.ndim == 1 and set(map(type, result)) <= {str}:
            return {_TEXT: result.tolist()}, 0
        if result.dtype.kind not in "biufmM" or isinstance(result, np.ma.MaskedArray):
            raise TypeError(
                "result must have arrays of numbers, times or text only, without a mask"
            )
        native = np.ascontiguousarray(result, result.dtype.newbyteorder("<"))
        data = base64.b64encode(native.tobytes()).decode()
        return {_ARRAY: [native.dtype.str, list(result.shape), data]}, native.nbytes
    for name, (kind, pack, _) in _CLASSES.items():
        if type(result) is kind:
            packed, size = _pack(pack(result))
            return {_OBJECT: [name, packed]}, size
    if isinstance(result, dict):
        if not all(isinstance(key, str) and not key.startswith("$") for key in result):
            raise TypeError("result must have keys that are text and do not begin with '$'")
        parts = {key: _pack(value) for key, value in result.items()}
        return {key: part for key, (part, _) in parts.items()}, sum(n for _, n in parts.values())
    if isinstance(result, list | tuple):
        entries = [_pack(entry) for entry in result]
        return [entry for entry, _ in entries], sum(size for _, size in entries)
    if (series := parts_of_series(result)) is not None:
        packed, size = _pack(series)
        return {_SERIES: packed}, size
    if isinstance(result, Fraction):
        return {_FRACTION: str(result)}, 0
    if isinstance(result, float) and not math.isfinite(result):
        return {_FLOAT: repr(result)}, 0
    if not (result is None or isinstance(result, str | int | float)):
        raise TypeError(
            "result must hold what JSON can, Fractions, arrays, Series and releases only, not "
            f"{type(result).__name__}"
        )
    return result, 0


def _unpack(packed: Any) -> Any:
    if isinstance(packed, list):
        return [_unpack(entry) for entry in packed]
    if not isinstance(packed, dict):
        return packed
    if _ARRAY in packed:
        kind, shape, data = packed[_ARRAY]
        stored = np.dtype(kind)
        array = np.frombuffer(base64.b64decode(data), stored).reshape(shape)
        return array.astype(stored.newbyteorder("="))
    if _TEXT in packed:
        return np.array([*packed[_TEXT], None], object)[:-1]  # of objects, even if it is empty
    if _SERIES in packed:
        index, name, values = map(_unpack, packed[_SERIES])
        return importlib.import_module("pandas").Series(values, index=index, name=name)
    if _FRACTION in packed:
        return Fraction(packed[_FRACTION])
    if _FLOAT in packed:
        return float(packed[_FLOAT])
    if _OBJECT in packed:
        name, parts = packed[_OBJECT]
        return _CLASSES[name][2](_unpack(parts))
    return {key: _unpack(value) for key, value in packed.items()}
