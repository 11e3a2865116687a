"""The code of functions, whose lines are counted."""

import ast
from pathlib import Path
from textwrap import dedent


def body(file: Path, function: str) -> str | None:
    """Return the body of a function in a file that is not imported; None: it has none."""
    code = file.read_text()
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return dedent("\n".join(code.splitlines()[node.lineno : node.end_lineno]))
    return None


def count(code: str) -> int:
    """Return how many lines of code there are."""
    return len([line for line in code.splitlines() if line.strip()])


def lines(file: Path, function: str) -> int | None:
    """Return how many lines of code a function's body has; None: there is no such function."""
    found = body(file, function)
    return None if found is None else count(found)
