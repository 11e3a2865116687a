"""The include graph of csrc, and what would be wrong with it.

A unit is a header and the source files of its name, also for single instruction sets:
`samplers/acceptance` is `acceptance.h`, `acceptance.c`, `acceptance_avx2.c`, ...
"""

import re
from collections.abc import Iterator
from pathlib import Path

CORE = Path(__file__).parents[2] / "csrc"
PUBLIC = "include/cydp"
ISAS = re.findall(r"#define CYDP_OF_(\w+)\(", (CORE / "base" / "isa.h").read_text().lower(), re.I)
BUILT = re.search(r"^set\(isas ([\w ]+)\)", (CORE / "CMakeLists.txt").read_text(), re.MULTILINE)
assert BUILT
ISA = re.compile(rf"_({BUILT[1].replace(' ', '|')}|each)$")  # AES's instruction sets too
KERNEL = re.compile(r"^ +KERNEL\((\w+)((?:, \w+)+)\)", re.MULTILINE)

Graph = dict[str, set[str]]


def files() -> list[Path]:
    """Sources and headers of the library, without its tests."""
    return [f for f in sorted(CORE.rglob("*.[ch]")) if "tests" not in f.relative_to(CORE).parts]


def code(file: Path) -> str:
    return re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL)


def unit(file: Path) -> str:
    return ISA.sub("", file.relative_to(CORE).with_suffix("").as_posix())


def includes(file: Path) -> Iterator[Path]:
    """The project's files that a file includes, by their paths in csrc; public ones by name."""
    for name in re.findall(r'^#include "([^"]+)"', code(file), re.MULTILINE):
        path = CORE / (name if "/" in name else f"include/{name}")
        assert path.is_file(), f'{file.relative_to(CORE)} includes "{name}", which is not there'
        yield path


def units() -> Graph:
    """Which units each unit includes."""
    graph: Graph = {}
    for file in files():
        graph.setdefault(unit(file), set()).update(map(unit, includes(file)))
    return {name: below - {name} for name, below in graph.items()}


def folders(graph: Graph) -> Graph:
    """Which folders each folder includes from."""
    found: Graph = {}
    for name, below in graph.items():
        folder = name.split("/")[0]
        found.setdefault(folder, set()).update({n.split("/")[0] for n in below} - {folder})
    return found


def defined(file: Path) -> set[str]:
    """The functions that a source file gives to others."""
    return set(re.findall(r"^(?!static)[a-z][^;={}()]*?\b(cydp_\w+)\([^;{}]*\) \{", code(file),
                          re.MULTILINE))  # fmt: skip


def kernels(folder: str) -> list[tuple[str, dict[str, str]]]:
    """The kernels in the list of a folder, and which version each instruction set uses."""
    header = CORE / folder / "kernels.h"
    rows = KERNEL.findall(code(header)) if header.is_file() else []
    isas = [isa for isa in ISAS if isa != "portable"]
    return [
        (name, dict(zip(isas, versions.split(", ")[1:], strict=True))) for name, versions in rows
    ]


def kernel_functions(folder: str) -> set[str]:
    """The functions that the folder's list of kernels declares."""
    return {
        f"cydp_{name}_{isa}"
        for name, versions in kernels(folder)
        for isa in {*versions.values(), "portable"}
    }


def undeclared() -> Iterator[str]:
    """Functions that are declared elsewhere than in the header of their file: hidden arrows."""
    headers = (CORE / "include").glob("*.h")
    public = {name for file in headers for name in re.findall(r"\b(cydp_\w+)\(", code(file))}
    for file in files():
        if file.suffix == ".c":
            own = CORE / f"{unit(file)}.h"
            declared = set(re.findall(r"\b(cydp_\w+)\(", code(own))) if own.is_file() else set()
            for name in defined(file) - public - declared - kernel_functions(file.parent.name):
                yield f"{file.relative_to(CORE)}: {name}"
