# SPDX-License-Identifier: MIT
"""What cells of CSV, which have no type, are read as, and what a release says of it.

Parameters alone decide it, so the words are the same whatever a file holds: docs/cli.md, "Files".
And what a release says of keys that suit a column by its type, and may not be meant so:
docs/columns.md, "Kinds".
"""

from __future__ import annotations

from collections.abc import Iterator

from cydp._columns.conditions import Condition, Constant, constants_of

__all__ = ["DAYS", "NOTES", "NUMBER", "OBJECTS", "uses_in_condition", "uses_of_type"]

NUMBER, _TEXT = "number", "text"
OBJECTS, DAYS = "objects", "days"
_KEY, _TIME, _INSTANT = "key", "time", "instant"
_NOISE = "so a column in which nothing is {} gives pure noise"
_WITHOUT = "no date, or time without an offset,"
_WITH = "no time with an offset, such as 2024-01-31T18:00Z,"

NOTES = {
    NUMBER: "a value that is no number counts as missing, " + _NOISE.format("a number"),
    _KEY: "keys are compared as numbers: a value that is no number has no key, "
    + _NOISE.format("a number"),
    _TEXT: "keys are compared as text, so 1 is not 1.0 or 01: to compare numbers, give numbers as "
    "keys",
    _TIME: f"a value that is {_WITHOUT} counts as missing, {_NOISE.format('one')}: for times with "
    "an offset give a zone, as '2024-01-31[Europe/Vienna]' or date_trunc('day', 'ts', "
    "'Europe/Vienna')",
    _INSTANT: f"a value that is {_WITH} counts as missing, {_NOISE.format('one')}: for times "
    "without an offset give no zone",
    f"{NUMBER} of a condition": "for the condition, a value that is no number is missing",
    f"{_TIME} of a condition": f"for the condition, a value that is {_WITHOUT} is missing: for "
    "times with one write timestamp '2024-01-31 18:00+01:00'",
    f"{_INSTANT} of a condition": f"for the condition, a value that is {_WITH} is missing",
    f"{_TEXT} of a condition": "a constant in quotes is compared as text: '1' is not 1.0 or 01; to "
    "compare numbers, write it without quotes",
    OBJECTS: "keys are compared with objects by kind: a text such as '1' or '2024-01-31' is no "
    "number and no date, so a column without the keys' kind gives pure noise: for dates convert it "
    "to datetime64",
    DAYS: "keys are exact times, such as 2024-01-31T00:00, so a later time of the same day has no "
    "key: for days write date_trunc('day', 'ts')",
}  # fmt: skip
"""What a release says, by how entries are used: see `SharedRows.text_as`, `Labels.text_as`."""


def uses_of_type(sql_type: str) -> str:
    """Return what cells are used as that are read as labels of a type of DuckDB.

    >>> uses_of_type("TIMESTAMPTZ"), uses_of_type("BIGINT"), uses_of_type("VARCHAR")
    ('instant', 'key', 'text')
    """
    return {"TIMESTAMP": _TIME, "TIMESTAMPTZ": _INSTANT, "VARCHAR": _TEXT}.get(sql_type, _KEY)


def uses_in_condition(where: Condition) -> Iterator[str]:
    """Yield what cells are used as that a condition compares with constants.

    >>> from cydp._columns.condition_parser import parse_condition
    >>> [*uses_in_condition(parse_condition("a > 1 and b = 'x' and c < date '2024-01-31'"))]
    ['number of a condition', 'time of a condition']
    """
    for constant in constants_of(where.node):
        if (use := _use_of(constant)) is not None:
            yield f"{use} of a condition"


def _use_of(constant: Constant) -> str | None:
    if constant.kind in ("date", "timestamp"):
        return _INSTANT if constant.has_zone else _TIME
    if constant.kind == "text":  # for a number or a time in quotes, 01 is not 1
        return _TEXT if constant.unquoted is not None else None
    return NUMBER if constant.kind == "number" else None
