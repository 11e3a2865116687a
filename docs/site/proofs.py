"""Which page explains a public name: the page whose box of sources has the file of that name."""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

DOCS = Path(__file__).parents[1]
PACKAGE = "src/cydp"
# What these files define makes nothing private: exact answers, keys for tests, lessons.
_NO_PROOF = re.compile(
    rf"{PACKAGE}/(exact/|teach/|testing\.|build\.|_generator\.|_default_generator\.|_prefetch\.)"
)
_SOURCES = re.compile(r"^Source: (.*?)(?:\s+Tests: |\n\n|\n:::|\Z)", re.DOTALL | re.MULTILINE)


def links(thing: Any) -> str:
    """Return the lines that lead from a name to its proofs, or to what explains it; or nothing."""
    file = _file_of(thing)
    is_error = inspect.isclass(thing) and issubclass(thing, BaseException)
    pages = ["reference/errors"] if is_error else proving(file)
    if not pages:
        return ""
    named = ", ".join(f":doc:`{_title(page)} </{page}>`" for page in pages)
    heading = "Read on" if is_error or _NO_PROOF.match(file) else "Why it is private"
    return f"\n.. rubric:: {heading}\n\n{named}.\n"


def proving(file: str) -> list[str]:
    """Return the pages that name a file of the package, or else its nearest folder."""
    folders = [f"{parent}/" for parent in PurePosixPath(file).parents]
    places = [file, *(folder for folder in folders if len(folder) > len(f"{PACKAGE}/"))]
    by_place = _pages()
    return next((by_place[place] for place in places if place in by_place), [])


@cache
def _pages() -> dict[str, list[str]]:
    """Return the pages of each file and folder of the package that boxes of sources name."""
    found: dict[str, list[str]] = {}
    for path in sorted(DOCS.rglob("*.md")):
        page = path.relative_to(DOCS).with_suffix("").as_posix()
        folder = ""
        for sources in _SOURCES.findall(path.read_text()):
            for name in re.findall(r"`([^`]+)`", sources):
                place = name if "/" in name else folder + name
                folder = place.rpartition("/")[0] + "/"
                if place.startswith(f"{PACKAGE}/") and page not in found.get(place, []):
                    found.setdefault(place, []).append(page)
    return found


def _file_of(thing: Any) -> str:
    """Return the file that defines a name, from the root of the repository."""
    try:
        file = inspect.getsourcefile(inspect.unwrap(thing))
    except TypeError:  # a number, or a value of another type that no file defines
        return ""
    _, inside, path = (file or "").rpartition("/cydp/")
    return f"{PACKAGE}/{path}" if inside else ""


@cache
def _title(page: str) -> str:
    """Return the first heading of a page."""
    return (DOCS / f"{page}.md").read_text().partition("\n")[0].removeprefix("# ").replace("`", "")
