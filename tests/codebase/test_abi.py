"""The ABI version of cydp.h rises when a declaration changes; Cython knows every declaration."""

import re
from pathlib import Path

import pytest
from codebase.declarations import HEADER, abi_version, declarations, file_of, main, stored
from codebase.rule import rule_of

ROOT = Path(__file__).parents[2]
TEXT = HEADER.read_text()
CYTHON = (ROOT / "src" / "cydp" / "__init__.pxd").read_text()
NAME = re.compile(r"\b(?:cydp|CYDP)_\w+")


def lost(header: str) -> list[str]:
    """The declarations that are stored under the ABI version and that a header has not."""
    declared = declarations(header)
    return [line for line in stored(abi_version(TEXT)) if line not in declared]


def test_the_abi_version_rises_when_a_declaration_changes() -> None:
    assert lost(TEXT) == [], (
        "a declaration of cydp.h changed: raise CYDP_ABI_VERSION, say in CHANGELOG.md what "
        "changed, and run `python tests/codebase/declarations.py`, which stores the new version. "
        "If no release has this version yet, change its file instead"
    )


def test_what_is_new_is_stored() -> None:
    known = stored(abi_version(TEXT))
    assert [line for line in declarations(TEXT) if line not in known] == [], (
        "run `python tests/codebase/declarations.py`, which stores what is new in cydp.h"
    )
    assert len(known) > 100


@rule_of(
    [
        ("size_t cydp_sampler_chunk(", "uint64_t cydp_sampler_chunk("),
        ("int64_t *noise);", "int64_t *sum);"),
        ("#define CYDP_SMALL_CALL 256", "#define CYDP_SMALL_CALL 512"),
        ("  CYDP_F64,\n", ""),
        ("  cydp_dtype dtype;\n} cydp_axis;", "} cydp_axis;"),
        ("bool cydp_is_release(void);", ""),
        ("return cydp_init_abi(CYDP_ABI_VERSION);", "return CYDP_OK;"),
    ],
)
def test_a_change_is_noticed(change: tuple[str, str]) -> None:
    old, new = change
    assert TEXT.count(old) == 1 or old == "int64_t *noise);"
    assert lost(TEXT.replace(old, new)) != []


@rule_of(
    [
        ("/* Frees bins; NULL is allowed. */", ""),
        ("bool cydp_is_release(void);", "bool\n  cydp_is_release(void); int cydp_new(void);"),
        ("  CYDP_U8\n}", "  CYDP_U8,\n  CYDP_NEW\n}"),
    ],
)
def test_comments_and_additions_are_no_change(change: tuple[str, str]) -> None:
    old, new = change
    assert TEXT.count(old) == 1
    assert lost(TEXT.replace(old, new)) == []


def test_what_is_added_is_stored_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "abi.txt"
    file.write_text("int cydp_gone(void);\n")
    monkeypatch.setattr("codebase.declarations.file_of", lambda version: file)
    main()
    assert file.read_text().splitlines() == ["int cydp_gone(void);", *declarations(TEXT)]
    main()
    assert capsys.readouterr().out.endswith("0 declarations added to abi.txt\n")


def test_this_version_is_the_last_one() -> None:
    version = abi_version(TEXT)
    assert file_of(version).is_file()
    assert not file_of(version + 1).is_file()


def test_cython_knows_every_declaration_and_no_other() -> None:
    declared = {name for line in declarations(TEXT) for name in NAME.findall(line)}
    assert len(declared) > 100
    assert declared - set(NAME.findall(CYTHON)) == set()
    assert set(NAME.findall(CYTHON)) - declared == set()
