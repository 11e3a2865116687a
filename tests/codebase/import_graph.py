"""The import graph of src/cydp.

A package is here a package or a top-level module of `cydp`; `accounting/ledger` is a package of
its own. An `__init__.py` offers what is inside to users, and is no part of the graph.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "cydp"
INNER = {  # packages inside of packages
    "accounting.ledger": "accounting/ledger", "releases.output": "releases/output",
}  # fmt: skip


def name_of(file: Path) -> str:
    """The name of a module within `cydp`, by its file: "accounting._loss", "_core"."""
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def files() -> Mapping[str, Path]:
    """Modules and extensions, by name; "" is the package itself."""
    found = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.pyx")]
    return {name_of(file): file for file in sorted(found)}


def is_init(file: Path) -> bool:
    return file.name == "__init__.py"


def _imports_of(node: ast.AST) -> Iterator[ast.ImportFrom | ast.Import]:
    """Every import that may run, in functions too; what only a type checker reads does not."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.ImportFrom | ast.Import):
            yield child
        yield from _imports_of(child)


@cache
def imports(file: Path) -> frozenset[str]:
    """The modules of `cydp` that a file imports, or imports names from."""
    known, found = files(), set[str]()
    for node in _imports_of(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] == "cydp"]
            found |= {name.partition(".")[2] for name in names}
        elif (node.module or "").split(".")[0] == "cydp":
            package = str(node.module).partition(".")[2]
            for alias in node.names:
                inner = f"{package}.{alias.name}".lstrip(".")
                found.add(inner if inner in known else package)
    return frozenset(found)


def modules() -> dict[str, set[str]]:
    """What each module needs, `__init__.py` and extensions aside."""
    return {
        name: set(imports(file))
        for name, file in files().items()
        if not is_init(file) and file.suffix == ".py"
    } | {name: set() for name, file in files().items() if file.suffix == ".pyx"}


def package_of(module: str) -> str:
    """The package that a module is in."""
    for inner, package in INNER.items():
        if module == inner or module.startswith(inner + "."):
            return package
    return module.split(".")[0]


def packages(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """What each package needs."""
    found: dict[str, set[str]] = {}
    for name, below in graph.items():
        found.setdefault(package_of(name), set()).update(map(package_of, below))
    return {name: below - {name} for name, below in found.items()}
