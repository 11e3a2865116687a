"""teach/ imports what users can import: names that a public module offers."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

from codebase.import_graph import SOURCE
from codebase.public_api import MODULES
from codebase.rule import rule_of

PUBLIC = {module.__name__ for module in MODULES}
PLUMBING = {  # which has nothing for a user
    "cydp._arguments": "names of the types of parameters in signatures",
    "cydp._call_errors": "errors of wrong calls, as all functions have them",
    "cydp._extras": "libraries that may be missing, and what all pictures share",
    "cydp._numbers": "exact fractions: how numbers are read, rounded and written",
}
RELEASES = {  # lessons that are releases: they stand on query, tally and release, as all do
    "_median_by_halving.py", "_publish_share.py",
}  # fmt: skip
FILES = [
    file for file in sorted((SOURCE / "teach").rglob("*.py")) if file.name not in RELEASES
]  # fmt: skip


def imported(text: str) -> Iterator[tuple[str, str]]:
    """Yield (module, name) of each import from outside of teach; the name is "" for a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [(node.module or "", alias.name) for alias in node.names]
        else:
            continue
        for module, name in found:
            if module.split(".")[0] == "cydp" and module.split(".")[:2] != ["cydp", "teach"]:
                yield module, name


def offends(module: str, name: str) -> bool:
    """Whether an import is neither of a public name nor of plumbing."""
    if any(f"{module}.".startswith(f"{known}.") for known in PLUMBING):
        return False
    if module not in PUBLIC:
        return True
    return name != "" and name not in importlib.import_module(module).__all__


@rule_of(FILES, lambda file: file.relative_to(SOURCE).as_posix())
def test_teach_imports_public_names_only(file: Path) -> None:
    wrong = [each for each in imported(file.read_text()) if offends(*each)]
    assert not wrong, wrong


def attributes(text: str) -> Iterator[ast.Attribute]:
    """Yield the attributes with one underscore."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr):
            yield node


def own_names(text: str) -> Iterator[str]:
    """Yield what a module gives a name: functions, classes, fields, and attributes that are set."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
    yield from (each.attr for each in attributes(text) if isinstance(each.ctx, ast.Store))


def test_teach_reads_no_private_attribute_of_others() -> None:
    texts = {file: file.read_text() for file in FILES}
    own = {name for text in texts.values() for name in own_names(text)}
    for file, text in texts.items():
        assert {each.attr for each in attributes(text)} <= own, file
    assert not {each.attr for each in attributes("law = noise._law")} & own
    assert {"_curve", "_pair"} <= own


def test_all_files_are_seen_and_each_exception_is_needed() -> None:
    assert len(FILES) > 30
    used = {module for file in FILES for module, _ in imported(file.read_text())}
    for known in PLUMBING:
        assert any(f"{module}.".startswith(f"{known}.") for module in used), known
    for name in RELEASES:
        assert any(offends(*each) for each in imported((SOURCE / "teach" / name).read_text()))


@rule_of(
    [
        "from cydp.accounting._plan import Plan", "from cydp.accounting import renyi",
        "def f():\n    from cydp.releases._unit import Unit", "import cydp._relations",
        "from cydp import _core", "import cydp.accounting._loss as loss",
    ]
)  # fmt: skip
def test_a_private_name_is_noticed(text: str) -> None:
    assert [each for each in imported(text) if offends(*each)]


@rule_of(
    [
        "from cydp.accounting import Plan, PureDP", "import cydp", "import numpy",
        "from cydp._numbers.rational import float_of", "from cydp.teach._pictures import new_axes",
    ]
)  # fmt: skip
def test_a_public_name_is_none(text: str) -> None:
    assert not [each for each in imported(text) if offends(*each)]
