"""What cydp.h declares, and which of it the file of its ABI version, abi_<version>.txt, holds.

`python tests/codebase/declarations.py` adds new declarations to that file.
"""

import re
from collections.abc import Iterator
from pathlib import Path

HEADER = Path(__file__).parents[2] / "csrc" / "include" / "cydp.h"


def declarations(header: str) -> list[str]:
    """The constants, types and functions of a header, a line each, as a compiler sees them.

    Each name of an enumeration has a line of its own, so that one more at the end adds a line.
    """
    code = re.sub(r"/\*.*?\*/", " ", header, flags=re.DOTALL)
    code = re.sub(r"#ifdef __cplusplus.*?#endif", "", code, flags=re.DOTALL)
    lines = re.findall(r"^#define[ ]+\w+.*?[ ]+\S.*$", code, re.MULTILINE)
    for part in statements(re.sub(r"^#.*$", "", code, flags=re.MULTILINE)):
        if enumeration := re.fullmatch(r"typedef enum \w+ \{(.*)\} (\w+);", part):
            names = enumeration[1].split(",")
            lines += [f"{enumeration[2]} {i}: {name.strip()}" for i, name in enumerate(names)]
        else:
            lines.append(part)
    return [" ".join(line.split()) for line in lines]


def statements(code: str) -> Iterator[str]:
    """Split at semicolons outside of braces, and behind the bodies of functions."""
    depth, text = 0, ""
    for character in " ".join(code.split()):
        text += character
        depth += {"{": 1, "}": -1}.get(character, 0)
        body = character == "}" and text.partition("{")[0].rstrip().endswith(")")
        if depth == 0 and (character == ";" or body):
            yield text.strip()
            text = ""
    assert not text.strip(), text


def abi_version(header: str) -> int:
    found = re.search(r"^#define CYDP_ABI_VERSION (\d+)$", header, re.MULTILINE)
    assert found
    return int(found[1])


def file_of(version: int) -> Path:
    return Path(__file__).with_name(f"abi_{version}.txt")


def stored(version: int) -> list[str]:
    file = file_of(version)
    return file.read_text().splitlines() if file.is_file() else []


def main() -> None:
    header = HEADER.read_text()
    version = abi_version(header)
    added = [line for line in declarations(header) if line not in stored(version)]
    with file_of(version).open("a") as file:
        file.writelines(f"{line}\n" for line in added)
    print(f"{len(added)} declarations added to {file_of(version).name}")


if __name__ == "__main__":
    main()
