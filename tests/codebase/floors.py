"""The floors of the house, derived from its includes and imports, as docs/architecture.md has them.

python tests/codebase/floors.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import indent

Graph = Mapping[str, set[str]]  # what each node needs


def floors(graph: Graph) -> list[set[str]]:
    """From the ground up: each needs floors below it only. A circle is a ValueError."""
    left, stack = dict(graph), []
    while left:
        floor = {name for name, below in left.items() if not below & left.keys()}
        if not floor:
            raise ValueError("a circle among " + ", ".join(sorted(left)))
        stack.append(floor)
        left = {name: below for name, below in left.items() if name not in floor}
    return stack


def drawing(stack: Iterable[set[str]]) -> str:
    """The floors as text, the highest first."""
    return "\n".join("  ".join(sorted(floor)) for floor in reversed(list(stack)))


def page() -> str:
    """Both houses, as docs/architecture.md shows them."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from codebase import import_graph, include_graph

    python = floors(import_graph.rooms(import_graph.modules()))
    core = floors(include_graph.folders(include_graph.units()))
    houses = {"src/cydp": drawing(python), "csrc": drawing(core)}
    return "\n\n".join(f"{name}\n{indent(text, '  ')}" for name, text in houses.items())


if __name__ == "__main__":
    print(page())
