"""A lesson of the course as cells: prose, code, exercises and solutions, from its page."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from rst import REPOSITORY

HERE = "docs/course"

# Tags of cells; Jupyter knows "raises-exception", the others are ours.
ANSWER, SOLUTION, RAISES = "answer", "solution", "raises-exception"
IN_WORDS = "*Your answer in words:*"

_FENCE = re.compile(r"```(\w*)$")
_DIRECTIVE = re.compile(r":{3,}\{([\w-]+)\} ?(.*)$")
_CLOSED = re.compile(r":{3,}$")
_OPTIONS = re.compile(r"^(:{3,}\{[\w-]+\}.*\n)(?::[\w-]+:.*\n)+", re.MULTILINE)
_IMAGE = re.compile(r"!\[.*\]\(.*\)$")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")
_NOTES = ("note", "tip", "important", "warning", "caution")


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: "markdown" or "code", and the tags that say what it is."""

    kind: str
    text: str
    tags: tuple[str, ...] = ()


def cells_of(text: str, name: str) -> list[Cell]:
    """Return the cells of a lesson.

    Parameters
    ----------
    text : str
        The page.
    name : str
        The name of its file in docs/course, without the suffix, for links.

    Raises
    ------
    ValueError
        An exercise has no solution, a picture does not stand behind the block that draws it, or a
        directive is none that notebooks can show.

    """
    return _Page(name).read(_OPTIONS.sub(r"\1", text).splitlines())


def code_cells(text: str) -> Iterator[str]:
    """Yield the cells of a block: each ends where the page shows a value, which the cell shows."""
    lines, start = text.splitlines(), 0
    for statement in ast.parse(text).body:
        assert statement.end_lineno is not None
        assert statement.end_col_offset is not None
        last = lines[statement.end_lineno - 1].encode()  # offsets count bytes
        comment = last[statement.end_col_offset :].strip()
        if isinstance(statement, ast.Expr) and comment:
            shown = last[: statement.end_col_offset].decode()
            yield "\n".join([*lines[start : statement.end_lineno - 1], shown]).strip("\n")
            start = statement.end_lineno
    rest = "\n".join(lines[start:]).strip("\n")
    if rest:
        yield rest


def with_whole_links(prose: str, name: str) -> str:
    """Let links to other pages lead to the repository, since a notebook stands alone."""

    def whole(found: re.Match[str]) -> str:
        target = posixpath.join(HERE, found[1] or f"{name}.md")
        return f"]({REPOSITORY}{posixpath.normpath(target)}{found[2] or ''})"

    return _LINK.sub(whole, prose)


class _Page:
    """A reader of one page, from its first line to the last."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cells: list[Cell] = []
        self.prose: list[str] = []
        self.open: list[str] = []  # the names of the directives around the line
        self.exercise = ""  # the heading of an exercise that has no solution yet
        self.solution = 0  # how many cells are before the last solution

    def read(self, lines: list[str]) -> list[Cell]:
        rest = iter(lines)
        for line in rest:
            if fence := _FENCE.match(line):
                self.block(fence[1], list(iter(rest.__next__, "```")))
            elif directive := _DIRECTIVE.match(line):
                self.directive(directive[1], directive[2], rest)
            elif _CLOSED.match(line):
                self.close()
            elif _IMAGE.match(line):
                self.picture()
            else:
                self.line(line)
        self.flush()
        self.expect_no_exercise()
        return self.cells

    def add(self, kind: str, text: str, *tags: str) -> None:
        solved = (SOLUTION,) if "solution" in self.open else ()
        self.cells.append(Cell(kind, text, (*solved, *tags)))

    def flush(self) -> None:
        """End the cell of prose."""
        prose = "\n".join(self.prose).strip("\n")
        self.prose = []
        if prose:
            self.add("markdown", with_whole_links(prose, self.name))

    def line(self, line: str) -> None:
        if line.startswith("#"):
            self.flush()
            self.expect_no_exercise()
            self.exercise = line if line.startswith("### Exercise") else ""
        quoted = bool(self.open) and self.open[-1] in _NOTES
        self.prose.append(f"> {line}".rstrip() if quoted else line)

    def block(self, kind: str, lines: list[str]) -> None:
        text = "\n".join(lines)
        if kind == "text":  # which the cell prints
            return
        if kind not in ("python", "pycon"):
            self.prose += [f"```{kind}", *lines, "```"]
            return
        self.flush()
        if kind == "pycon":
            self.add("code", lines[0].removeprefix(">>> "), RAISES)
            return
        for each in code_cells(text):
            self.add("code", each)

    def directive(self, name: str, title: str, rest: Iterator[str]) -> None:
        if name in ("figure", "image"):
            self.picture()
            next(line for line in rest if _CLOSED.match(line))  # its caption is left out, too
        elif name == "dropdown" and title == "Solution":
            self.flush()
            if not self.exercise:
                raise ValueError(f"{self.name}: a solution without an exercise")
            self.exercise = ""
            self.open.append("solution")
            self.solution = len(self.cells)
        elif name in _NOTES:
            self.open.append(name)
            self.prose += [f"> **{name.title()}.** {title}".rstrip(), ">"]
        else:
            raise ValueError(f"{self.name}: no cell shows the directive {name}")

    def close(self) -> None:
        if not self.open:
            raise ValueError(f"{self.name}: a directive ends that was not begun")
        if self.open[-1] not in _NOTES:
            self.flush()
        if self.open.pop() == "solution":
            self.leave_room()

    def leave_room(self) -> None:
        """Give an answer the kinds of cells that its solution has: words, code or both."""
        kinds = {cell.kind for cell in self.cells[self.solution :]}
        room = [
            Cell(kind, text, (ANSWER,))
            for kind, text in (("markdown", IN_WORDS), ("code", ""))
            if kind in kinds
        ]
        self.cells[self.solution : self.solution] = [
            *room,
            Cell("markdown", "**Solution.**", (SOLUTION,)),
        ]

    def picture(self) -> None:
        """Leave a picture out, since the cell before draws it."""
        drawn = self.cells and self.cells[-1].kind == "code" and not "".join(self.prose).strip()
        if not drawn:
            raise ValueError(f"{self.name}: a picture does not follow the block that draws it")

    def expect_no_exercise(self) -> None:
        if self.exercise:
            raise ValueError(f"{self.name}: no solution to {self.exercise!r}")
