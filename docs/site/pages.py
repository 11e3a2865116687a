"""Pages of the site that are made from the package: the reference, name by name."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import rst
from drawn_names import DRAWN, shown

MODULES = {
    "cydp": "Releases, budgets and noise, from the top",
    "cydp.releases": "What releases return",
    "cydp.mechanisms": "Mechanisms",
    "cydp.sensitivity": "Sensitivities",
    "cydp.accounting": "Losses, budgets, ledgers and plans",
    "cydp.interactive": "Questions as they come",
    "cydp.local": "The local setting",
    "cydp.workloads": "Many counts at once, and running totals",
    "cydp.publishing": "Tables for everybody",
    "cydp.sampling": "Samples",
    "cydp.models": "Models, and streams of blocks",
    "cydp.distributed": "Tables on several machines",
    "cydp.random": "Noise",
    "cydp.exact": "Exact counts and sums, without noise",
    "cydp.teach": "Lessons",
    "cydp.teach.attacks": "Attacks and their defences",
    "cydp.teach.figures": "Pictures of noise",
    "cydp.teach.scores": "Scores of a median",
    "cydp.teach.sensitivity": "Sensitivities by exhaustion",
    "cydp.teach.utility": "Errors, measured",
    "cydp.testing": "For tests",
}


def names_of(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the public classes, functions and constants of a module."""
    for name in module.__all__:
        found = getattr(module, name)
        if not inspect.ismodule(found) and not name.startswith("__"):
            yield name, found


def first_line(thing: Any) -> str:
    """Return what a thing is, from its docstring."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def public() -> dict[str, dict[str, Any]]:
    """Return the public names of each module; what two modules have stands with the first."""
    seen: set[int] = set()
    found: dict[str, dict[str, Any]] = {}
    for path in MODULES:
        mine = dict(names_of(importlib.import_module(path)))
        found[path] = {name: one for name, one in mine.items() if id(one) not in seen}
        seen |= {id(one) for one in mine.values()}
    return found


def write(source: Path) -> None:
    """Write the pages of the reference below `source`, where they have changed."""
    folder = source / "reference"
    written = set()

    def put(path: Path, text: str) -> None:
        written.add(path)
        rst.put(path, text)

    found = public()
    for path, things in found.items():
        lines = [path, "=" * len(path), "", f"{MODULES[path]}.", ""]
        lines += [".. list-table::", "   :widths: 30 70", ""]
        for name, thing in things.items():
            lines += [f"   * - :doc:`{name} <{path}.{name}>`", f"     - {first_line(thing)}"]
            put(folder / f"{path}.{name}.rst", page_of(path, name, thing))
        lines += ["", ".. toctree::", "   :hidden:", ""]
        lines += [f"   {path}.{name}" for name in things]
        put(folder / f"{path}.rst", "\n".join(lines) + "\n")
    for stale in set(folder.glob("cydp*.rst")) - written:
        stale.unlink()


def page_of(path: str, name: str, thing: Any) -> str:
    """Return the page of one public name."""
    full = f"{path}.{name}"
    if inspect.isclass(thing):
        body = f".. autoclass:: {full}\n   :members:\n   :inherited-members: {_FOREIGN}\n"
    elif callable(thing):
        body = f".. autofunction:: {full}\n"
    else:
        body = f".. autodata:: {full}\n"
    return f"{name}\n{'=' * len(name)}\n\n.. currentmodule:: {path}\n\n{body}"


def add_picture(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Put a picture, and the code that draws it, behind the first line of what draws it."""
    if name not in DRAWN:
        return
    picture = [
        f".. image:: /pictures/{name}.png",
        f"   :alt: {DRAWN[name].shows}",
        "",
        *rst.code("python", shown(name)).split("\n"),
    ]
    first = next(number for number, line in enumerate(lines) if line)
    end = lines.index("", first) if "" in lines[first:] else len(lines)
    lines[end:end] = ["", *picture]


def escape_globs(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Let the star of "data/*.csv" be a star, and not the begin of emphasis."""
    lines[:] = [line.replace("/*.", r"/\*.") for line in lines]


_FOREIGN = "tuple, dict, list, Exception, Mapping, Sequence"  # classes whose members we do not show
_OUTSIDE = re.compile(r"\]\((?:\.\./)+((?!\.)[^)#\s]*)(#[^)\s]*)?\)")


def to_repository(app: Any, page: str, source: list[str]) -> None:
    """Let links to what is not on the site, such as examples, lead to the repository."""
    depth = page.count("/")

    def replace(found: re.Match[str]) -> str:
        ups = found[0].count("../")
        if ups <= depth:
            return found[0]
        return f"]({rst.REPOSITORY}{found[1]}{found[2] or ''})"

    source[0] = _OUTSIDE.sub(replace, source[0])


def write_list(app: Any, error: Exception | None) -> None:
    """Write llms.txt: a line for each page of the site, for programs that read it."""
    if error is not None:
        return
    lines = ["# cydp", "", "> Statistics about people with differential privacy, in Python.", ""]
    titles = sorted((page, title.astext()) for page, title in app.env.titles.items())
    lines += [f"- [{title}]({page}.html)" for page, title in titles]
    (Path(app.outdir) / "llms.txt").write_text("\n".join(lines) + "\n")
