"""The page of the C header: its functions and types with their comments, section by section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import rst

ROOT = Path(__file__).parents[2]
HEADER = ROOT / "csrc" / "include" / "cydp.h"
EXAMPLES = ROOT / "examples" / "extension"
_SECTION = re.compile(r"^/\* (\d+\. .+?) -+ \*/$", re.MULTILINE)
_COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
_FUNCTION = re.compile(r"\b(cydp_\w+)\(")
_TYPE = re.compile(r"^typedef (?:enum|struct) (cydp_\w+)", re.MULTILINE)
_FENCE = re.compile(r"(.*?)^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_END = "#ifdef __cplusplus"


def write(source: Path) -> None:
    """Write the page below `source`."""
    rst.put(source / "reference" / "c_header.rst", page())


def sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the title of each section, and its blocks: what blank lines separate."""
    _, *found = _SECTION.split(text)
    for title, body in zip(found[::2], found[1::2], strict=True):
        yield title, [block for block in body.split(_END)[0].strip().split("\n\n") if block]


def comment_and_code(block: str) -> tuple[str, str]:
    """Return the comment that begins a block, as paragraphs, and the declarations after it."""
    found = _COMMENT.match(block)
    if found is None:
        return "", block
    lines = [re.sub(r"^ ?\* ?", "", line.strip()) for line in found[1].strip().split("\n")]
    return "\n".join(lines), block[found.end() :].strip()


def declared(code: str) -> list[str]:
    """Return the names of the functions of a block, or else of its types."""
    without = _COMMENT.sub("", code)
    outside = re.sub(r"\{.*?\}", "", without, flags=re.DOTALL)
    return list(dict.fromkeys(_FUNCTION.findall(outside) or _TYPE.findall(without)))


def page() -> str:
    """Return the page."""
    text = HEADER.read_text()
    first = comment_and_code(text)[0].split("\n\n")
    listed = next(i for i, paragraph in enumerate(first) if "1. Status" in paragraph)
    lines = [
        rst.heading("The C header", "="),
        "``cydp.h`` is the C API, for C11 and C++17. ``cydp.build.get_include()`` is its folder,",
        "and ``cydp.build.get_lib()`` that of ``libcydp.a``. This page is made from the header.",
        ":doc:`Cydp as a backend </backend>` says which parts are stable, and how threads and",
        "forks are handled.",
        "",
        rst.heading("A program", "-"),
        "It prints a count with noise:",
        "",
        rst.code("c", (EXAMPLES / "one_count.c").read_text()),
        rst.code("sh", command()),
        "On Linux, ``-Wl,-z,now`` keeps noise off the stack. On macOS leave it out. The repository",
        f"has `more examples <{rst.REPOSITORY}examples/extension/README.md>`_: a program with",
        "threads of its own, and an extension in Cython.",
        "",
        rst.heading("Build systems", "-"),
        "``noisy_counts`` is a program, and ``noisy_sum`` an extension of Python.",
        "",
        *builds(),
        rst.heading("Seeded generators for tests", "-"),
        "``cydp_testing.h``, in the same folder, declares one. It gives the same values for the",
        "same key, so its noise is **not private**. Any release may change that header.",
        "",
        rst.code("c", seeded()),
        rst.heading("What holds for all functions", "-"),
        *(f"{paragraph}\n" for paragraph in map(rst.words, first[listed + 1 :])),
    ]
    for title, blocks in sections(text):
        lines.append(rst.heading(title.partition(". ")[2], "-"))
        for block in blocks:
            comment, code = comment_and_code(block)
            if names := declared(code):
                lines.append(rst.heading(", ".join(names), "~"))
            lines += [rst.code("c", code) if code else "", *paragraphs(comment)]
    return "\n".join(lines)


def command() -> str:
    """Return the command that compiles the program, as its README has that of another one."""
    readme = (EXAMPLES / "README.md").read_text()
    (lines,) = re.findall(r"^## C\n\n((?: {4}.*\n)+)", readme, re.MULTILINE)
    return re.sub(r"^ {4}", "", lines, flags=re.MULTILINE).replace("noisy_counts", "one_count")


def builds() -> Iterator[str]:
    """Yield, for each build system of the README of the examples, its name and its lines."""
    readme = (EXAMPLES / "README.md").read_text()
    for name, body in re.findall(r"^## (\w+)\n\n(.*?)(?=^## |\Z)", readme, re.M | re.DOTALL):
        for before, language, lines in _FENCE.findall(body):
            yield rst.heading(name, "~")
            yield f"{rst.words(before)}\n" if before else ""
            yield rst.code(language if language == "python" else "text", lines)


def seeded() -> str:
    """Return the lines of cydp_testing.h that declare its seeded generator."""
    text = HEADER.with_name("cydp_testing.h").read_text()
    (lines,) = re.findall(r"^/\*[^/]*?\*/\ncydp_status cydp_rng_new_seeded\(.*?;$", text, re.M)
    return str(lines)


def paragraphs(comment: str) -> Iterator[str]:
    """Yield the paragraphs of a comment, and the points of its lists."""
    for paragraph in comment.split("\n\n"):
        for number, part in enumerate(re.split(r"^ *- ", paragraph, flags=re.MULTILINE)):
            yield ("- " if number else "") + rst.words(part) + "\n"
