"""The layers of the code, from its includes and imports, as docs/architecture.md shows them.

python tests/codebase/layers.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import indent

Graph = Mapping[str, set[str]]  # what each node needs


def layers(graph: Graph) -> list[set[str]]:
    """The lowest first: each needs layers below it only. A circle is a ValueError."""
    left, stack = dict(graph), []
    while left:
        layer = {name for name, below in left.items() if not below & left.keys()}
        if not layer:
            raise ValueError("a circle among " + ", ".join(sorted(left)))
        stack.append(layer)
        left = {name: below for name, below in left.items() if name not in layer}
    return stack


def drawing(stack: Iterable[set[str]]) -> str:
    """The layers as text, the highest first."""
    return "\n".join("  ".join(sorted(layer)) for layer in reversed(list(stack)))


def page() -> str:
    """Both halves, as docs/architecture.md shows them."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from codebase import import_graph, include_graph

    python = layers(import_graph.packages(import_graph.modules()))
    core = layers(include_graph.folders(include_graph.units()))
    halves = {"src/cydp": drawing(python), "csrc": drawing(core)}
    return "\n\n".join(f"{name}\n{indent(text, '  ')}" for name, text in halves.items())


if __name__ == "__main__":
    print(page())
