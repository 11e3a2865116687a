"""The code of functions, whose lines are counted."""

import ast
from pathlib import Path
from textwrap import dedent


def function(file: Path, name: str) -> str | None:
    """Return a function in a file that is not imported; None: it has none of this name."""
    code = file.read_text()
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return "\n".join(code.splitlines()[node.lineno - 1 : node.end_lineno])
    return None


def body(file: Path, name: str) -> str | None:
    """Return the body of a function in a file that is not imported, whose head is a line."""
    found = function(file, name)
    return None if found is None else dedent(found.partition("\n")[2])


def count(code: str) -> int:
    """Return how many lines of code there are."""
    return len([line for line in code.splitlines() if line.strip()])


def lines(file: Path, name: str) -> int | None:
    """Return how many lines of code a function's body has; None: there is no such function."""
    found = body(file, name)
    return None if found is None else count(found)
