"""What modules offer to each other, and what dir() shows to a user."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from types import ModuleType, UnionType

from codebase.public_api import EVERYTHING, MODULES, members, things
from codebase.rule import rule_of

import cydp

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "cydp"
FUTURE = "from __future__ import annotations"


def name_of(file: Path) -> str:
    parts = ["cydp", *file.relative_to(SOURCE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


EXTENSIONS = {file.stem for file in SOURCE.glob("*.pyx")}
FILES = {name_of(file): file for file in sorted(SOURCE.rglob("*.py"))}
module = rule_of(FILES)


@cache
def text_of(file: Path) -> str:
    return file.read_text()


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(text_of(file))


@module
def test_a_module_says_what_it_offers(name: str) -> None:
    offered = importlib.import_module(name).__all__
    assert [*offered] == [*dict.fromkeys(offered)]
    for each in offered:
        assert hasattr(importlib.import_module(name), each)
        assert each == "__version__" or not each.startswith("_")


def used_of_siblings(tree: ast.Module) -> set[tuple[str, str]]:
    """Pairs (module, name) that a module imports or reads from modules of this package."""
    bound, used = {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "cydp":
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in FILES:
                    bound[alias.asname or alias.name] = inner
                else:
                    used.add((str(node.module), alias.name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            sibling = bound.get(node.value.id)
            if sibling is not None and f"{sibling}.{node.attr}" not in FILES:
                used.add((sibling, node.attr))
    return used


@module
def test_a_module_uses_only_what_its_siblings_offer(name: str) -> None:
    for sibling, used in used_of_siblings(tree_of(FILES[name])):
        extension = sibling == "cydp" and used in EXTENSIONS
        if sibling in FILES and not extension:
            assert used in importlib.import_module(sibling).__all__, (sibling, used)


@cache
def uses() -> set[tuple[str, str]]:
    """Pairs (module, name) that any file uses, also in code that it holds as text."""
    found: set[tuple[str, str]] = set()
    folders = [ROOT / folder for folder in ("src", "tests", "benchmarks", "docs")]
    for file in [f for folder in folders for f in folder.rglob("*.*")]:
        if file.suffix in (".py", ".md"):
            text = text_of(file)
            for path in re.findall(r"\bcydp(?:\.\w+)+", text):
                *parents, name = path.split(".")
                found.add((".".join(parents), name))
            for sibling, names in re.findall(r"from (cydp[\w.]*) import ([\w, ]+)", text):
                found |= {(sibling, name) for name in re.findall(r"\w+", names)}
        if file.suffix == ".py":
            found |= used_of_siblings(tree_of(file))
            found |= {("", name) for name in re.findall(r'setattr\([\w.]+, "(\w+)"', text)}
    scripts = re.findall(r'"(cydp[\w.]*):(\w+)"', text_of(ROOT / "pyproject.toml"))
    return found | set(scripts)


@module
def test_what_a_private_module_offers_is_used(name: str) -> None:
    if name in {public.__name__ for public in MODULES} or name == "cydp._arguments":
        return  # for users, and for signatures to come
    for each in importlib.import_module(name).__all__:
        assert {(name, each), ("", each)} & uses(), each


@module
def test_annotations_stay_as_they_are_written(name: str) -> None:
    """Else a signature shows what an alias stands for: lines of numpy's unions."""
    tree = tree_of(FILES[name])
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    typed = any(isinstance(node, ast.AnnAssign) for node in ast.walk(tree))
    if typed or any(function.returns for function in functions):
        assert FUTURE in text_of(FILES[name]).splitlines()


@rule_of(MODULES)
def test_dir_shows_what_a_user_may_call(public: ModuleType) -> None:
    builtin = {"sum"} if public is cydp else set()
    assert dir(public) == sorted({*public.__all__} | builtin)
    for name in dir(public):
        thing = getattr(public, name)
        if isinstance(thing, UnionType):  # a name for several classes
            continue
        is_module = isinstance(thing, ModuleType)
        home = thing.__name__ if is_module else getattr(thing, "__module__", "cydp")
        assert home.split(".")[0] == "cydp", name


def test_a_star_import_replaces_no_builtin() -> None:
    names: dict[str, object] = {}
    exec("from cydp import *", names)
    assert {*names, *cydp.__all__}.isdisjoint({*dir(builtins)} - {"__builtins__"})
    assert {*dir(cydp)} - {*cydp.__all__} == {*dir(cydp)} & {*dir(builtins)}
    assert cydp.sum is cydp.releases.sum


@rule_of(MODULES)
def test_a_thing_has_one_name_in_a_module(public: ModuleType) -> None:
    found = [id(getattr(public, name)) for name in public.__all__]
    assert len(found) == len(set(found))


def test_a_thing_has_one_name_in_all_modules() -> None:
    names: dict[int, set[str]] = {}
    for public in MODULES:
        for name in public.__all__:
            names.setdefault(id(getattr(public, name)), set()).add(name)
    assert [found for found in names.values() if len(found) > 1] == []


CLASSES = [(name, thing) for name, thing in things() if inspect.isclass(thing)]


@rule_of(CLASSES, lambda named: named[0])
def test_a_class_shows_what_it_documents(named: tuple[str, type]) -> None:
    """An attribute without an underscore has a docstring, or an entry in the class's docstring."""
    name, owner = named
    for key, attribute in members(owner):
        entry = re.search(
            rf"^ *(?:\w+, )*{key}(?:, \w+)*(?: :|$)", owner.__doc__ or "", re.MULTILINE
        )
        documented = not inspect.ismemberdescriptor(attribute) and (
            inspect.getdoc(attribute) and (callable(attribute) or isinstance(attribute, property))
        )
        assert entry or documented or isinstance(attribute, classmethod), f"{name}.{key}"


def test_what_is_found_is_all_of_it() -> None:
    """The rules of the interface are held for what a user can reach."""
    names = {public.name for public in EVERYTHING}
    assert {"cydp.PureDP.group", "cydp.Plan", "cydp.exact.GridSum.value"} <= names
    assert any(name.endswith("Estimate.interval") for name in names)  # only ever returned
