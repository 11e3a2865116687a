"""Pages of the site that are made from the package: the reference, name by name."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import print_form
import proofs
import rst
from drawn_names import DRAWN, shown

MODULES = {
    "cydp": "Releases, mechanisms, budgets and noise: what most users need",
    "cydp.releases": "The results that releases return, and post-processing of them",
    "cydp.mechanisms": "Mechanisms: noise on numbers, choices by scores, randomized response",
    "cydp.sensitivity": "Sensitivities of counts, sums, means, extremes and several queries",
    "cydp.accounting": "Losses, budgets, ledgers, plans and conversions",
    "cydp.interactive": "Sessions: questions to one table, as they come",
    "cydp.local": "Surveys in which people randomize their own answers",
    "cydp.workloads": "Many counts at once: ranges, tables, any matrix, running totals",
    "cydp.publishing": "Tables for everybody: consistent, hierarchical, synthetic",
    "cydp.sampling": "Releases on a secret sample of the rows",
    "cydp.models": "Linear regression, and the error of a model",
    "cydp.distributed": "Releases of tables on several machines",
    "cydp.random": "Exact noise in arrays, for your own system",
    "cydp.exact": "Exact counts and sums, without noise and not private",
    "cydp.teach": "Lessons: privacy loss, the meaning of an epsilon, exposed shares",
    "cydp.teach.attacks": "Attacks and their defences",
    "cydp.teach.figures": "Pictures for lectures",
    "cydp.teach.scores": "Scores of a median",
    "cydp.teach.sensitivity": "The sensitivity of your own function, from all small tables",
    "cydp.teach.utility": "Measured and predicted errors of mechanisms and workloads",
    "cydp.testing": "Fixed keys for tests; never for data",
    "cydp.build": "The C core: how it was built, and where your own C finds it",
}
# What is no function and no class has no docstring of its own.
VALUES = {
    "cydp.accounting.Cost": (
        "What a budget charges: a `Loss`, or a mechanism or a release, which has one.",
        "It is for annotations of types.",
    ),
    "cydp.accounting.Loss": (
        "A privacy loss: `PureDP`, `ApproxDP`, `ZCDP` or `ApproxZCDP`.",
        "It is for annotations of types.",
    ),
    "cydp.teach.utility.WORKLOADS": (
        "The workloads that `measure` knows by name, and what the size of each counts.",
        "A dict of texts.",
    ),
}


def names_of(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the public classes, functions and constants of a module."""
    for name in module.__all__:
        found = getattr(module, name)
        if not inspect.ismodule(found) and not name.startswith("__"):
            yield name, found


def first_line(full: str, thing: Any) -> str:
    """Return what a thing is: the first line of its docstring, or of the words for a value."""
    return VALUES[full][0] if full in VALUES else (inspect.getdoc(thing) or "").partition("\n")[0]


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
            lines += [
                f"   * - :doc:`{name} <{path}.{name}>`",
                f"     - {first_line(f'{path}.{name}', thing)}",
            ]
            put(folder / f"{path}.{name}.rst", page_of(path, name, thing))
        lines += ["", ".. toctree::", "   :hidden:", ""]
        lines += [f"   {path}.{name}" for name in things]
        put(folder / f"{path}.rst", "\n".join(lines) + "\n")
    for stale in set(folder.glob("cydp*.rst")) - written:
        stale.unlink()


def page_of(path: str, name: str, thing: Any) -> str:
    """Return the page of one public name."""
    full = f"{path}.{name}"
    if full in VALUES:
        words = "\n\n".join(rst.indent(line) for line in VALUES[full])
        body = f".. py:data:: {full}\n\n{words}\n"
        if isinstance(thing, dict):
            listed = "\n".join(f"- ``{key!r}``: {value}" for key, value in thing.items())
            body += f"\n{rst.indent(listed)}\n"
    elif inspect.isclass(thing):
        body = f".. autoclass:: {full}\n   :members:\n   :inherited-members: {_FOREIGN}\n"
    else:
        body = f".. autofunction:: {full}\n"
    heading = f"{name}\n{'=' * len(name)}\n\n.. currentmodule:: {path}\n\n"
    return heading + body + proofs.links(thing)


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


def without_signature(
    app: Any, what: str, name: str, obj: Any, options: Any, signature: str | None, returned: Any
) -> tuple[str, None] | None:
    """Show a class as a name alone where it explains no parameters: nobody makes one by a call."""
    if signature is None or what not in ("class", "exception"):
        return None
    return None if "\nParameters\n" in inspect.getdoc(obj) else ("", None)


def skip_foreign(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out a method that a class of ours takes over from Python, with Python's docstring."""
    made = getattr(obj, "__func__", obj)
    foreign = inspect.isfunction(made) and not made.__module__.startswith("cydp")
    return True if foreign else None


# Classes of Python whose members the pages leave out.
_FOREIGN = (
    "tuple, dict, list, Mapping, Sequence, Exception, BaseException, "
    "float, Fraction, Rational, Real, Complex"
)
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
    """Write llms.txt: a line for each page, in the order of the site, for programs that read it."""
    if error is not None:
        return
    lines = ["# cydp", "", "> Statistics about people with differential privacy, in Python.", ""]
    for page in print_form.pages_of(app.env, "index"):
        lines.append(f"- [{app.env.titles[page].astext()}]({page}.html)")
    (Path(app.outdir) / "llms.txt").write_text("\n".join(lines) + "\n")
