# SPDX-License-Identifier: MIT
"""A condition as an expression of DuckDB that cannot fail on a value.

Values are compared after TRY_CAST, or a cast that every value of the type has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TypeAlias

from cydp._columns.conditions import (
    Both,
    Condition,
    Constant,
    Either,
    In,
    InBlocks,
    IsNull,
    Like,
    Node,
    Not,
)
from cydp._columns.csv_cells import cells_as, day_of, sql_text
from cydp._columns.moments import Moment

__all__ = ["check_blocks", "sql_of_condition"]

Lookup: TypeAlias = Callable[[str], tuple[str, str]]
"""Returns the SQL of a column and its type; the type is "" for text that may stand for any type."""

_INTEGERS = {
    f"{sign}{kind}" for sign in ("", "U") for kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
} | {"HUGEINT"}
_NUMBERS = ("FLOAT", "DOUBLE", "UHUGEINT", "DECIMAL")
_TEXT = ("VARCHAR", "ENUM", "UUID")
_TIMES = ("text", "date", "timestamp")  # kinds of constants
_ORDERS = ("<", "<=", ">", ">=")
_FIRST_DIGIT = re.compile(r"\s*[-+]?\.?\d")  # of what is meant as a number or a date
_ANY_DAY = re.compile(r"-?infinity|\d{4,}-\d\d-\d\d(?: \(BC\))?", re.ASCII)  # of DuckDB
_ZONED = "TIMESTAMP WITH TIME ZONE"
_MOST = 2**127  # a HUGEINT is below it
_MOST_EXACT = 2**53  # a float tells integers apart up to here


def sql_of_condition(condition: Condition, column: Lookup) -> str:
    """Return an expression that is true of the rows that satisfy a condition.

    Parameters
    ----------
    condition : Condition
    column : callable
        As `Lookup`; it raises for a column that is not there.

    Raises
    ------
    ValueError
        For a constant of another type than its column, by types alone, and for a number or a time
        in quotes that gives an order of cells without a type.

    Examples
    --------
    >>> from cydp._columns.condition_parser import parse_condition
    >>> print(sql_of_condition(parse_condition("age >= 18"), lambda name: (f'"{name}"', "BIGINT")))
    (CAST("age" AS HUGEINT) >= CAST('18' AS HUGEINT))

    """
    return _sql(condition.node, column)


def check_blocks(condition: Condition, column: Lookup) -> None:
    """Raise a ValueError for a block of a ledger that no row can lie in, by the column's type.

    The parameters are as in `sql_of_condition`.
    """
    parts = condition.node.parts if isinstance(condition.node, Both) else (condition.node,)
    for part in parts:
        if isinstance(part, InBlocks):
            kind = column(part.column)[1]
            for block in part.blocks:
                _check_block(part.column, block, kind)


def _check_block(name: str, block: str, kind: str) -> None:
    day = day_of(block)
    if kind in _INTEGERS:
        wanted = "" if re.fullmatch("0|-?[1-9][0-9]*", block, re.ASCII) else "an integer"
    elif day not in (None, block):
        wanted = f"written {day!r}"
    elif not kind or _is_text(kind):
        wanted = ""
    else:
        wanted = "" if _ANY_DAY.fullmatch(block) else "a day, such as '2024-01-31'"
    if wanted:
        raise ValueError(
            f"blocks must be those that rows can lie in, by the ledger's column {name!r}, which "
            f"holds {kind[:40] or 'text'}: {block!r} must be {wanted}"
        )


def _sql(node: Node, column: Lookup) -> str:
    if isinstance(node, Both | Either):
        word = " AND " if isinstance(node, Both) else " OR "
        return f"({word.join(_sql(part, column) for part in node.parts)})"
    if isinstance(node, Not):
        return f"(NOT {_sql(node.part, column)})"
    sql, kind = column(node.column)
    if isinstance(node, IsNull):
        return f"({_entry(sql, kind)} IS NULL)"
    if isinstance(node, InBlocks):
        blocks = ", ".join(map(sql_text, node.blocks))
        return f"({_block(node.column, sql, kind)} IN ({blocks}){_span(sql, kind, node.blocks)})"
    if isinstance(node, Like):
        if kind and not _is_text(kind):
            raise ValueError(
                f"condition must have a column of text before 'like', and {node.column!r} holds "
                f"{kind[:40]}"
            )
        values, (pattern,) = _comparable(node.column, sql, kind, [node.pattern])
        return f"({values} LIKE {pattern})"
    if isinstance(node, In):
        values, constants = _comparable(node.column, sql, kind, node.constants)
        return f"({values} IN ({', '.join(constants)}))"
    if not kind and node.operator in _ORDERS and (meant := node.constant.unquoted) is not None:
        moment = meant.moment
        offset = ""
        if moment is not None and moment.zone is None:
            offset = f", or with an offset, timestamp '{_clock(moment)}+00:00'"
        raise ValueError(
            f"condition must compare {node.column!r} of CSV with {meant}{offset}, not with "
            f"{node.constant}: the letters of texts decide their order"
        )
    is_order_of_text = node.operator in _ORDERS and node.constant.kind == "text"
    if not kind and is_order_of_text and _FIRST_DIGIT.match(node.constant.text):
        raise ValueError(
            f"condition must compare {node.column!r} of CSV with a number such as 9.5 or date "
            f"'2024-01-31', not with {node.constant}: the letters of texts decide their order"
        )
    values, (constant,) = _comparable(node.column, sql, kind, [node.constant])
    return f"({values} {node.operator} {constant})"


def _comparable(
    name: str, sql: str, kind: str, constants: Sequence[Constant]
) -> tuple[str, list[str]]:
    """Return the entries of a column, and constants, as one type; a ValueError if there is none."""
    wanted = constants[0].kind
    texts = [constant.text for constant in constants]
    if not kind and wanted in _TIMES[1:] and any(each.has_zone for each in constants):
        return _microseconds(cells_as(sql, "TIMESTAMPTZ")), [_instant(each, name) for each in texts]
    if not kind:
        if wanted == "number" and any(abs(Decimal(text)) > _MOST_EXACT for text in texts):
            raise ValueError(
                f"condition must have a number of at most 2**53 for {name!r}, whose cells of CSV "
                "are read as floats: write it as a text in quotes, with = or in"
            )
        # A cast of the column itself would move into the reader, and be an error of the line.
        values = cells_as(sql, "TIMESTAMP") if wanted in _TIMES[1:] else _entry(sql, kind)
        return _cast(values, wanted), [_typed(wanted, text, name) for text in texts]
    if kind.endswith("]"):  # a list
        wanted = "nothing"
    if wanted == "number":
        numbers = list(map(Decimal, texts))
        if kind in _INTEGERS and all(map(_is_hugeint, numbers)):
            return f"CAST({sql} AS HUGEINT)", [f"CAST('{int(n)}' AS HUGEINT)" for n in numbers]
        if kind in _INTEGERS or kind.startswith(_NUMBERS):
            return _cast(sql, wanted), [_typed(wanted, text, name) for text in texts]
    elif wanted == "boolean" and kind == "BOOLEAN":
        return sql, texts
    elif wanted == "text" and _is_text(kind):
        return f"CAST({sql} AS VARCHAR)", [sql_text(text) for text in texts]
    elif kind == _ZONED and wanted in _TIMES:
        return _microseconds(sql), [_instant(text, name) for text in texts]
    elif kind.startswith(("DATE", "TIMESTAMP")) and wanted in _TIMES:
        # A text is a time where the column has times.
        wanted = "date" if kind == "DATE" and all(map(_is_date, texts)) else "timestamp"
        return _cast(sql, wanted), [_typed(wanted, text, name) for text in texts]
    raise ValueError(
        f"condition must compare column {name!r}, which holds {kind[:40]}, with a constant of its "
        f"type, not with {constants[0]}"
    )


def _is_hugeint(number: Decimal) -> bool:
    return abs(number) < _MOST and number == number.to_integral_value()


def _is_text(kind: str) -> bool:
    return kind.startswith(_TEXT) and not kind.endswith("]")  # as a list does


def _entry(sql: str, kind: str) -> str:
    """Return an entry as it is there: an empty cell of CSV is missing, and so is NaN."""
    if not kind:
        return f"NULLIF({sql}, '')"
    return _no_nan(sql) if kind in ("FLOAT", "DOUBLE") else sql


def _block(name: str, sql: str, kind: str) -> str:
    """Return the block that a row lies in, by its entry: one text for each value."""
    if not kind or _is_text(kind):
        text = f"CAST({_entry(sql, kind)} AS VARCHAR)"
        return f"COALESCE({_day(cells_as(text, 'TIMESTAMP'))}, {text})"
    if kind == "DATE" or (kind.startswith("TIMESTAMP") and kind != _ZONED):
        return _day(sql)
    if kind in _INTEGERS:
        return f"CAST({sql} AS VARCHAR)"
    wanted = (
        "its days depend on a zone: give a table with the days in a column of this name, such as "
        f"{name} at time zone 'Europe/Vienna' of DuckDB"
        if kind == _ZONED
        else "it must hold text, integers, dates or times without a zone"
    )
    raise ValueError(
        f"column {name!r} cannot tell the blocks of rows, since it holds {kind[:40]}: {wanted}"
    )


def _day(times: str) -> str:
    return f"CAST(TRY_CAST({times} AS DATE) AS VARCHAR)"


def _span(sql: str, kind: str, blocks: Sequence[str]) -> str:
    """Return what each row of these blocks satisfies as well, if all of them are days.

    DuckDB compares it with the least and the largest time of a part of a file, and reads no other.
    """
    days = [date.fromisoformat(block) for block in blocks if _is_date(block)]
    if kind not in ("DATE", "TIMESTAMP") or len(days) < len(blocks) or max(days) == date.max:
        return ""
    end = max(days) + timedelta(days=1)
    return f" AND {sql} >= {kind} '{min(days)}' AND {sql} < {kind} '{end}'"


def _cast(sql: str, wanted: str) -> str:
    """Return entries as the type of a constant; null where they are none."""
    if wanted == "text":
        return sql
    types = {"number": "DOUBLE", "date": "DATE", "timestamp": "TIMESTAMP", "boolean": "BOOLEAN"}
    cast = f"TRY_CAST({sql} AS {types[wanted]})"
    return _no_nan(cast) if wanted == "number" else cast


def _no_nan(sql: str) -> str:
    """Return numbers with null in place of NaN, which DuckDB takes for the largest number."""
    return f"CASE WHEN isnan({sql}) THEN NULL ELSE {sql} END"


def _typed(wanted: str, text: str, name: str) -> str:
    """Return a constant of a kind."""
    if wanted == "text":
        return sql_text(text)
    if wanted == "number":
        return f"CAST('{float(text)!r}' AS DOUBLE)"
    if wanted == "boolean":
        return text
    moment = _moment(text, name)
    if moment.zone is not None:
        raise ValueError(f"condition must have a time without a zone for {name!r}, not {text!r}")
    if wanted == "date":
        if not _is_date(text):
            raise ValueError(f"condition must have a date such as 2024-01-31, not {text[:40]!r}")
        return f"DATE '{text}'"
    return f"TIMESTAMP '{_clock(moment)}'"


def _clock(moment: Moment) -> str:
    """Return what a clock shows, of a time without a zone.

    >>> _clock(Moment(86_400 * 10**9))
    '1970-01-02 00:00:00'
    """
    return str(datetime(1970, 1, 1) + timedelta(microseconds=moment.nanoseconds // 1000))


def _microseconds(instants: str) -> str:
    return f"CASE WHEN isfinite({instants}) THEN epoch_us({instants}) ELSE NULL END"


def _instant(text: str, name: str) -> str:
    """Return a time with a zone as microseconds."""
    moment = _moment(text, name)
    if moment.zone is None:
        raise ValueError(
            f"condition must have a time with an offset for {name!r}, such as "
            f"'2024-01-31T00:00+00:00' or '2024-01-31[Europe/Vienna]', not {text!r}"
        )
    return str(moment.nanoseconds // 1000)


def _moment(text: str, name: str) -> Moment:
    """Return the moment that a constant is; a ValueError for anything else."""
    moment = Constant("timestamp", text).moment
    if moment is None:
        raise ValueError(
            f"condition must have a date or a time for {name!r}, such as '2024-01-31', '2024-01-31 "
            "18:00' or, of a zone that is known here, '2024-01-31[Europe/Vienna]', not "
            f"{text[:40]!r}"
        )
    return moment


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
