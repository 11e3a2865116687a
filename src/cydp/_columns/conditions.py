# SPDX-License-Identifier: MIT
"""A condition on one row: ``age >= 18 and country in ('DE', 'FR')``. docs/cli.md, "Conditions".

The grammar is all that there is: comparisons of a column with constants. So whether a row satisfies
a condition depends on this row alone, and nothing can fail on a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

__all__ = [
    "Both",
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
    "parse_condition",
]

_LONGEST = 10_000  # characters
_DEEPEST = 50  # parentheses and nots
_SHOWN = 60  # characters of a condition, in an error
_WORDS = {
    "and", "or", "not", "in", "between", "like", "is", "null", "true", "false", "date", "timestamp",
}  # fmt: skip
_OPERATORS = {
    "=": "=",
    "==": "=",
    "!=": "<>",
    "<>": "<>",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}  # 18 <= age
_DIGITS = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBER = re.compile(_DIGITS)
_TOKEN = re.compile(
    rf"""\s*(?:
    (?P<name>[^\W\d]\w*) | "(?P<quoted>(?:[^"]|"")+)" | '(?P<text>(?:[^']|'')*)'
    | (?P<number>{_DIGITS})(?![\w.])
    | (?P<sign><=|>=|<>|!=|==|[=<>(),])
    )""",
    re.VERBOSE,
)


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
    def unquoted(self) -> Constant | None:
        """The number, date or time that a text is written as; None for other constants.

        >>> str(Constant("text", "10").unquoted), str(Constant("text", "2024-01-31").unquoted)
        ('10', "date '2024-01-31'")
        """
        text = self.text.strip()
        if self.kind != "text":
            return None
        if _NUMBER.fullmatch(text):
            return Constant("number", text)
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return None
        return Constant("date" if text == moment.date().isoformat() else "timestamp", text)


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


def parse_condition(written: str) -> Condition:
    """Return a condition from its text.

    Parameters
    ----------
    written : str
        Comparisons of columns with constants, ``in``, ``between``, ``like`` and ``is null``, with
        ``and``, ``or``, ``not`` and parentheses. Names of columns may stand in double quotes.

    Raises
    ------
    TypeError, ValueError
        For anything else. The message shows the condition, which is public.

    Examples
    --------
    >>> print(parse_condition("AGE>=18 AND (country='DE' OR 'FR' = country)"))
    AGE >= 18 and (country = 'DE' or country = 'FR')
    >>> print(parse_condition("day between date '2024-01-01' and date '2024-01-31'"))
    day >= date '2024-01-01' and day <= date '2024-01-31'

    """
    if not isinstance(written, str):
        raise TypeError(f"condition must be a text, not {type(written).__name__}")
    if len(written) > _LONGEST:
        raise ValueError(f"condition must have at most {_LONGEST:,} characters")
    try:
        written.encode()
    except UnicodeEncodeError:
        raise ValueError("condition must be text in UTF-8") from None
    if "\0" in written:
        raise ValueError("condition must have no zero characters")
    return _Parser(written).parse()


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
    if re.fullmatch(r"[^\W\d]\w*", column) and column.lower() not in _WORDS:
        return column
    return '"' + column.replace('"', '""') + '"'


class _Parser:
    """Reads one condition from left to right."""

    def __init__(self, written: str) -> None:
        self._written = written
        self._tokens = [*_tokens_of(written), ("end", "", len(written))]
        self._next, self._depth = 0, 0

    def parse(self) -> Condition:
        node = self._any()
        if self._kind != "end":
            raise self._error("'and', 'or' or its end")
        return Condition(node)

    @property
    def _kind(self) -> str:
        return self._tokens[self._next][0]

    def _error(self, wanted: str) -> ValueError:
        place = self._tokens[self._next][2]
        rest = self._written[place:].strip()
        shown = repr(rest if len(rest) <= _SHOWN else rest[:_SHOWN] + " ...") if rest else "its end"
        return ValueError(
            f"condition must have {wanted} at {shown}, as in \"age >= 18 and sex = 'f'\""
        )

    def _take(self, *kinds: str) -> str | None:
        """Return the text of the next token, if it is of one of these kinds, and pass it."""
        kind, text, _ = self._tokens[self._next]
        if kind not in kinds:
            return None
        self._next += 1
        return text

    def _need(self, kind: str, wanted: str) -> str:
        found = self._take(kind)
        if found is None:
            raise self._error(wanted)
        return found

    def _joined(self, part: Callable[[], Node], word: str) -> list[Node]:
        parts = [part()]
        while self._take(word) is not None:
            parts.append(part())
        return parts

    def _any(self) -> Node:
        parts = self._joined(self._all, "or")
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _all(self) -> Node:
        parts: list[Node] = []
        for part in self._joined(self._one, "and"):
            parts += part.parts if isinstance(part, Both) else [part]
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _one(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError(f"condition must have at most {_DEEPEST} parentheses in each other")
        if self._take("not") is not None:
            node: Node = Not(self._one())
        elif self._take("(") is not None:
            node = self._any()
            self._need(")", "')'")
        else:
            node = self._compared()
        self._depth -= 1
        return node

    def _compared(self) -> Node:
        column = self._take("name")
        if column is None:
            constant = self._constant("the name of a column, or a constant")
            operator = self._operator()
            column = self._need("name", "the name of a column")
            return Compare(column, _TURNED.get(operator, operator), constant)
        if self._take("is") is not None:
            is_not = self._take("not") is not None
            self._need("null", "'null'")
            return Not(IsNull(column)) if is_not else IsNull(column)
        is_not = self._take("not") is not None
        node = self._of_column(column, is_not)
        return Not(node) if is_not else node

    def _of_column(self, column: str, is_not: bool) -> Node:
        if self._take("in") is not None:
            self._need("(", "'('")
            constants = [self._constant()]
            while self._take(",") is not None:
                constants.append(self._constant())
            self._need(")", "',' or ')'")
            if len({constant.kind for constant in constants}) > 1:
                raise ValueError(
                    f"condition must have constants of one kind in {In(column, tuple(constants))}"
                )
            return In(column, tuple(constants))
        if self._take("between") is not None:
            low = self._constant()
            self._need("and", "'and'")
            return Both((Compare(column, ">=", low), Compare(column, "<=", self._constant())))
        if self._take("like") is not None:
            return Like(column, Constant("text", self._need("text", "a text such as 'a%'")))
        if is_not:
            raise self._error("'in', 'between' or 'like'")
        return Compare(column, self._operator(), self._constant())

    def _operator(self) -> str:
        return _OPERATORS[self._need("sign", "a comparison, 'in', 'between', 'like' or 'is'")]

    def _constant(
        self, wanted: str = "a constant: a number, a 'text', date '2024-01-31'"
    ) -> Constant:
        for kind in ("number", "text"):
            if (found := self._take(kind)) is not None:
                return Constant(kind, found)
        if (found := self._take("true", "false")) is not None:
            return Constant("boolean", found)
        for kind in ("date", "timestamp"):
            if self._take(kind) is not None:
                return Constant(kind, self._need("text", f"a text such as {kind} '2024-01-31'"))
        if self._kind == "null":
            raise self._error("'is null' or 'is not null' for a missing value")
        raise self._error(wanted)


def _tokens_of(written: str) -> Iterator[tuple[str, str, int]]:
    """Yield the kind, the text and the place of each token."""
    place = 0
    while written[place:].strip():
        match = _TOKEN.match(written, place)
        if match is None:
            rest = written[place:].strip()[:_SHOWN]
            raise ValueError(f"condition must have names, constants and comparisons, not {rest!r}")
        kind, text = next(
            (kind, text) for kind, text in match.groupdict().items() if text is not None
        )
        if kind == "name" and text.lower() in _WORDS:
            kind = text = text.lower()
        elif kind == "quoted":
            kind, text = "name", text.replace('""', '"')
        elif kind == "text":
            text = text.replace("''", "'")
        elif kind == "sign" and text in "(),":
            kind = text
        yield kind, text, match.start(match.lastgroup or 0)
        place = match.end()
