# SPDX-License-Identifier: MIT
"""The parser of a condition: it reads a text from left to right. docs/cli.md, "Conditions"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from cydp._columns.conditions import (
    DIGITS,
    WORDS,
    Both,
    Compare,
    Condition,
    Constant,
    Either,
    In,
    IsNull,
    Like,
    Node,
    Not,
)

__all__ = ["parse_condition"]


_LONGEST = 10_000  # characters
_DEEPEST = 50  # parentheses and nots

_SHOWN = 60  # characters of a condition, in an error
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
_TOKEN = re.compile(
    rf"""\s*(?:
    (?P<name>[^\W\d]\w*) | "(?P<quoted>(?:[^"]|"")+)" | '(?P<text>(?:[^']|'')*)'
    | (?P<number>{DIGITS})(?![\w.])
    | (?P<sign><=|>=|<>|!=|==|[=<>(),])
    )""",
    re.VERBOSE,
)

_BARE_DATE = re.compile(r"\d{4}-\d\d?(?:-\d\d?)?")

# What other languages write, and what stands for it here.
_UNKNOWN = {
    "&": "'and'",
    "|": "'or'",
    "!": "'not'",
    "'": "a quote at the end of a text as at its beginning",
    '"': "a quote at the end of a name as at its beginning",
    "`": "names in double quotes",
}


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
    >>> print(parse_condition("age>=18 AND (country='DE' OR 'FR' = country)"))
    age >= 18 and (country = 'DE' or country = 'FR')
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


class _Parser:
    """Reads one condition from left to right."""

    def __init__(self, written: str) -> None:
        self._written = written
        self._tokens = [*_tokens_of(written), ("end", "", len(written))]
        self._next, self._depth = 0, 0

    def parse(self) -> Condition:
        if self._kind == "name" and self._text.lower() == "where":
            raise ValueError("condition must begin with what follows 'where': leave 'where' out")
        node = self._any()
        if self._kind == "sign":
            raise ValueError(
                "condition must compare a column once at a time, at "
                f'{self._rest}: as in "1 < age and age < 9"'
            )
        if self._kind != "end":
            raise self._error("'and', 'or' or its end")
        return Condition(node)

    @property
    def _kind(self) -> str:
        return self._tokens[self._next][0]

    @property
    def _text(self) -> str:
        return self._tokens[self._next][1]

    @property
    def _rest(self) -> str:
        """What is left of the condition, for an error."""
        rest = self._written[self._tokens[self._next][2] :].strip()
        return repr(rest if len(rest) <= _SHOWN else rest[:_SHOWN] + " ...") if rest else "its end"

    def _error(self, wanted: str) -> ValueError:
        return ValueError(
            f"condition must have {wanted} at {self._rest}, as in \"age >= 18 and sex = 'f'\""
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
            self._need("null", "'null' or 'not null' behind 'is'")
            return Not(IsNull(column)) if is_not else IsNull(column)
        is_not = self._take("not") is not None
        node = self._of_column(column, is_not)
        return Not(node) if is_not else node

    def _of_column(self, column: str, is_not: bool) -> Node:
        if self._take("in") is not None:
            self._need("(", "'('")
            if self._kind == ")":
                raise self._error("at least one constant in the parentheses")
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
        if self._kind == "(":
            raise ValueError(
                f"condition must have columns and constants alone, and {column[:_SHOWN]!r} is "
                "followed by parentheses, as a function is: there are no functions"
            )
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
        if self._kind == "name" and self._text.lower() == "timestamptz":
            self._tokens[self._next] = ("timestamp", *self._tokens[self._next][1:])
        for kind in ("date", "timestamp"):
            if self._take(kind) is not None:
                return Constant(kind, self._need("text", f"a text such as {kind} '2024-01-31'"))
        if self._kind == "null":
            raise self._error("'is null' or 'is not null' for a missing value")
        if self._kind == "name":
            name = self._text[:_SHOWN]
            raise ValueError(
                f"condition must have a constant at {self._rest}, and {name!r} without single "
                f"quotes is a column: write '{name}' for a text; two columns are not compared"
            )
        raise self._error(wanted)


def _tokens_of(written: str) -> Iterator[tuple[str, str, int]]:
    """Yield the kind, the text and the place of each token."""
    place = 0
    while written[place:].strip():
        match = _TOKEN.match(written, place)
        if match is None:
            rest = written[place:].strip()[:_SHOWN]
            wanted = next(
                (words for sign, words in _UNKNOWN.items() if rest.startswith(sign)),
                "names, constants and comparisons",
            )
            raise ValueError(f"condition must have {wanted}, not {rest!r}")
        kind, text = next(
            (kind, text) for kind, text in match.groupdict().items() if text is not None
        )
        if kind == "name" and text.lower() in WORDS:
            kind = text = text.lower()
        elif kind == "quoted":
            kind, text = "name", text.replace('""', '"')
        elif kind == "text":
            text = text.replace("''", "'")
        elif kind == "sign" and text in "(),":
            kind = text
        if kind == "number" and (date := _BARE_DATE.match(written, match.start("number"))):
            raise ValueError(
                f"condition must have dates in single quotes, such as '2024-01-31', not {date[0]}"
            )
        has_quote = match.lastgroup in ("quoted", "text")
        yield kind, text, match.start(match.lastgroup or 0) - has_quote
        place = match.end()
