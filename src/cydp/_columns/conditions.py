# SPDX-License-Identifier: MIT
"""A condition on one row: ``age >= 18 and country in ('DE', 'FR')``. docs/cli.md, "Conditions".

The grammar is all that there is: comparisons of a column with constants. So whether a row satisfies
a condition depends on this row alone, and nothing can fail on a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cydp._columns.moments import Moment, read_moment

__all__ = [
    "DIGITS",
    "WORDS",
    "Both",
    "Compare",
    "Condition",
    "Constant",
    "Either",
    "In",
    "InBlocks",
    "IsNull",
    "Like",
    "Node",
    "Not",
    "all_of",
    "condition_on_blocks",
    "constants_of",
    "is_number_as_text",
]

WORDS = {
    "and", "or", "not", "in", "between", "like", "is", "null", "true", "false", "date", "timestamp",
}  # fmt: skip
DIGITS = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBER = re.compile(rf"\s*{DIGITS}\s*", re.ASCII)


def is_number_as_text(text: str) -> bool:
    """Whether a text is written as a number is.

    >>> is_number_as_text("01"), is_number_as_text(" -1.5e3 "), is_number_as_text("1x")
    (True, True, False)
    """
    return _NUMBER.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant: its kind, "number", "text", "date", "timestamp" or "boolean", and its text."""

    kind: str
    text: str

    def __str__(self) -> str:
        written = self.text.replace("'", "''")
        return {
            "text": f"'{written}'",
            "date": f"date '{written}'",
            "timestamp": f"timestamp '{written}'",
        }.get(self.kind, self.text)

    @property
    def has_zone(self) -> bool:
        """Whether it is written as a time with an offset or a zone."""
        moment = self.moment
        return moment is not None and moment.zone is not None

    @property
    def moment(self) -> Moment | None:
        """The day or the time that is written; None for none, such as for a month."""
        try:
            return read_moment(self.text, "condition") if self.text[7:8] == "-" else None
        except ValueError:
            return None

    @property
    def unquoted(self) -> Constant | None:
        """The number, date or time that a text is written as; None for other constants.

        >>> str(Constant("text", "10").unquoted), str(Constant("text", "2024-01-31").unquoted)
        ('10', "date '2024-01-31'")
        """
        text = self.text.strip()
        if self.kind != "text":
            return None
        if is_number_as_text(text):
            return Constant("number", text)
        moment = Constant("timestamp", text).moment
        if moment is None:
            return None
        return Constant("date" if moment.is_day else "timestamp", text)


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of a column with a constant."""

    column: str
    operator: str
    constant: Constant

    def __str__(self) -> str:
        return f"{_written(self.column)} {self.operator} {self.constant}"


@dataclass(frozen=True, slots=True)
class In:
    """Whether an entry equals one of some constants of one kind."""

    column: str
    constants: tuple[Constant, ...]

    def __str__(self) -> str:
        return f"{_written(self.column)} in ({', '.join(map(str, self.constants))})"


@dataclass(frozen=True, slots=True)
class Like:
    """Whether a text has a pattern, in which % is any text and _ any character."""

    column: str
    pattern: Constant

    def __str__(self) -> str:
        return f"{_written(self.column)} like {self.pattern}"


@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether an entry is missing."""

    column: str

    def __str__(self) -> str:
        return f"{_written(self.column)} is null"


@dataclass(frozen=True, slots=True)
class InBlocks:
    """Whether an entry, as text, is one of some blocks of a ledger."""

    column: str
    blocks: tuple[str, ...]

    def __str__(self) -> str:
        blocks = (str(Constant("text", block)) for block in self.blocks)
        return f"{_written(self.column)} in blocks ({', '.join(blocks)})"


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition; unknown where that is."""

    part: Node

    def __str__(self) -> str:
        return f"not ({self.part})"


@dataclass(frozen=True, slots=True)
class Both:
    """Several conditions, all of which hold."""

    parts: tuple[Node, ...]

    def __str__(self) -> str:
        return " and ".join(
            f"({part})" if isinstance(part, Either) else str(part) for part in self.parts
        )


@dataclass(frozen=True, slots=True)
class Either:
    """Several conditions, at least one of which holds."""

    parts: tuple[Node, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


Node: TypeAlias = Compare | In | Like | IsNull | InBlocks | Not | Both | Either


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one row.

    Attributes
    ----------
    node : Node
        What it is made of.

    """

    node: Node

    def __str__(self) -> str:
        return str(self.node)

    @property
    def chooses_blocks(self) -> bool:
        """Whether it leaves no rows but those of the blocks that pay."""
        return any(isinstance(part, InBlocks) for part in self._parts)

    @property
    def besides_blocks(self) -> str | None:
        """The condition without that on blocks, as text; None if nothing is left."""
        rest = tuple(part for part in self._parts if not isinstance(part, InBlocks))
        return str(Both(rest)) if rest else None

    @property
    def _parts(self) -> tuple[Node, ...]:
        return self.node.parts if isinstance(self.node, Both) else (self.node,)


def condition_on_blocks(column: str, blocks: Sequence[str]) -> Condition:
    """Return the condition that the entry of a column is one of some blocks.

    >>> print(condition_on_blocks("day", ["2024-01-02", "2024-01-01"]))
    day in blocks ('2024-01-01', '2024-01-02')
    """
    return Condition(InBlocks(column, tuple(sorted(blocks))))


def all_of(conditions: Sequence[Condition]) -> Condition:
    """Return the condition that all of some conditions hold; there is at least one."""
    nodes = tuple(each.node for each in conditions)
    return Condition(nodes[0] if len(nodes) == 1 else Both(nodes))


def constants_of(node: Node) -> Iterator[Constant]:
    """Yield the constants that columns are compared with.

    >>> from cydp._columns.condition_parser import parse_condition
    >>> [*map(str, constants_of(parse_condition("a > 1 and not b in ('x', '2')").node))]
    ['1', "'x'", "'2'"]
    """
    if isinstance(node, Both | Either):
        for part in node.parts:
            yield from constants_of(part)
    elif isinstance(node, Not):
        yield from constants_of(node.part)
    elif isinstance(node, In):
        yield from node.constants
    elif isinstance(node, Compare):
        yield node.constant


def _written(column: str) -> str:
    """Return the name of a column as a condition has it."""
    if re.fullmatch(r"[^\W\d]\w*", column) and column.lower() not in WORDS:
        return column
    return '"' + column.replace('"', '""') + '"'
