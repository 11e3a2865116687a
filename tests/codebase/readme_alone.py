"""Types the README where nothing is installed but cydp with the extras of its first command.

    python tests/codebase/readme_alone.py FOLDER

Libraries of other distributions cannot be imported, but for those of pytest: the reader needs it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"([\w.-]+)\s*(?:\[([\w,\s-]*)\])?")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def brought_by(requirements: Iterable[str]) -> set[str]:
    """Return the distributions that these requirements install, whatever else their markers ask."""
    found: set[str] = set()
    left = list(requirements)
    while left:
        name, extras = NAME.match(left.pop()).groups()  # type: ignore[union-attr]
        if plain(name) == "cydp":
            left += [each for extra in (extras or "").split(",") if extra for each in EXTRAS[extra]]
        elif plain(name) not in found:
            found.add(plain(name))
            try:
                needed = metadata.requires(name) or []
            except metadata.PackageNotFoundError:  # for another system
                continue
            left += [each for each in needed if "extra ==" not in each]
    return found


def first_command() -> str:
    return re.search(r'pip install "\.(\[.*?\])"', (ROOT / "README.md").read_text())[1]  # type: ignore[index]


def others(extras: str) -> list[str]:
    """Return the modules of installed distributions that ``pip install ".[extras]"`` lacks."""
    has = brought_by([*PROJECT["dependencies"], f"cydp{extras}", "pytest"]) | {"cydp"}
    return [
        module
        for module, distributions in metadata.packages_distributions().items()
        if not has & {*map(plain, distributions)}
    ]


def main(folder: Path) -> None:
    from codebase.reader import blocks_of, reader_in

    for module in others(first_command()):
        sys.modules[module] = None  # type: ignore[assignment]
    with pytest.MonkeyPatch.context() as monkeypatch:
        reader = reader_in(folder, monkeypatch)
        for kind, text in blocks_of(ROOT / "README.md"):
            getattr(reader, kind)(text)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    main(Path(sys.argv[1]))
