"""docs/site: pictures, the command line, the C header, the ledger's file and errors have pages."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from codebase.reader import ROOT, made_by

import cydp
from cydp.accounting.ledger._postgres_rows import SCHEMA

DOCS = ROOT / "docs"


def drawing_names() -> set[str]:
    """The public methods and functions that draw, found by their names and what they return."""
    found = set()
    for path, things in made_by("pages").public().items():
        for name, thing in things.items():
            if isinstance(thing, type):
                methods = [each for each in dir(thing) if each.startswith("plot")]
                found |= {f"{path}.{name}.{method}" for method in methods}
            elif "matplotlib Axes" in (getattr(thing, "__doc__", None) or ""):
                found.add(f"{path}.{name}")
    return found


def test_each_public_name_that_draws_has_its_picture_on_its_page() -> None:
    drawn, pages = made_by("drawn_names"), made_by("pages")
    assert set(drawn.DRAWN) == drawing_names()
    lines = ["", "Draw the loss.", "", "More."]
    pages.add_picture(None, "method", "cydp.teach.PrivacyLoss.plot", None, None, lines)
    assert lines[:3] == ["", "Draw the loss.", ""]
    assert lines[3] == ".. image:: /pictures/cydp.teach.PrivacyLoss.plot.png"
    assert lines[-2:] == ["", "More."]
    for name, one in drawn.DRAWN.items():
        assert "rng" not in drawn.shown(name), name
        assert one.shows.endswith("."), name


def words_of(figure: Any) -> str:
    from matplotlib.text import Text

    return " ".join(text.get_text() for text in figure.findobj(Text))


def test_numbers_of_alternative_texts_are_in_the_pictures() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip("pandas")
    drawn = made_by("drawn_names")
    checked = 0
    pyplot.close("all")  # what other tests have left: matplotlib warns from 20 on
    for name, one in drawn.DRAWN.items():
        if numbers := re.findall(r"\d+[.,]\d+", one.shows):
            words = words_of(drawn.draw(name))
            pyplot.close("all")
            assert all(number in words for number in numbers), (name, numbers)
            checked += 1
    assert checked >= 8


def test_pictures_are_equal_in_each_build_and_never_large(tmp_path: Path) -> None:
    for needed in ("matplotlib", "pandas", "PIL"):
        pytest.importorskip(needed)
    pictures = made_by("pictures")
    name = "cydp.teach.figures.averages"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "PICTURES", {})
        patch.setattr(pictures.drawn_names, "DRAWN", {name: pictures.drawn_names.DRAWN[name]})
        for folder in ("one", "two"):
            (tmp_path / folder).mkdir()
            pictures.write(tmp_path / folder)
        one, two = ((tmp_path / each / "pictures" / f"{name}.png") for each in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
        one.write_bytes(b"of older code")
        os.utime(one, (0, 0))
        pictures.write(tmp_path / "one")
        assert one.read_bytes() == two.read_bytes()
        patch.setattr(pictures, "MOST_BYTES", 1000)
        with pytest.raises(ValueError, match=r"averages\.png has \d+,\d+ bytes"):
            pictures.write(tmp_path / "two")


def test_the_command_line_has_each_option_and_runs_each_example() -> None:
    commands = made_by("commands")
    found = commands.pages()
    for name, command in commands.commands(commands._main._make_parser()).items():
        page = found[f"command_{name.replace('-', '_')}"]
        assert f"cydp {name} <command_" in found["command_line"]
        for each in [command, *commands.commands(command).values()]:
            assert f"{each.prog}\n" in page
            for action in each._actions:
                if action.option_strings and "--help" not in action.option_strings:
                    assert f"``{action.option_strings[0]}" in page
    assert "count: 2,278 rows; epsilon=1" in found["command_count"]  # by the fixed key
    assert "head: 2:<64 hex digits>" in found["command_ledger"]
    with pytest.raises(SystemExit):
        commands.run(["cydp count no_such_file.csv --epsilon 1"])


def test_the_page_of_the_header_has_each_function_once() -> None:
    c_header = made_by("c_header")
    page = c_header.page()
    declared = set(
        re.findall(r"^[a-z].*?\b(cydp_\w+)\(", c_header.HEADER.read_text(), re.MULTILINE)
    )
    assert len(declared) > 50
    headings = [
        name for line in re.findall(r"^(.+)\n~+$", page, re.MULTILINE) for name in line.split(", ")
    ]
    assert declared <= set(headings)
    assert len(headings) == len(set(headings))
    assert "Returns the stream of a generator." in page
    assert "one_count.c -o one_count" in page
    for build in ("CMake", "meson", "setuptools"):
        assert f"\n{build}\n~" in page
    assert 'Extension("noisy_sum"' in page
    assert "\n   cydp_status cydp_rng_new_seeded(" in page
    assert not re.search(r"\bsections? \d", page)  # the page shows no number of a section


def tables_of(section: str) -> dict[str, list[tuple[str, str]]]:
    """The tables of the ledger's page: their columns and types, in order."""
    page = (DOCS / "reference" / "ledger_file.md").read_text()
    text = page.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| (\w+) \|", text, re.MULTILINE)
    found: dict[str, list[tuple[str, str]]] = {}
    for table, column, kind in rows:
        found.setdefault(table, []).append((column, kind))
    return found


def test_the_page_of_the_ledgers_file_has_its_tables(tmp_path: Path) -> None:
    with cydp.BudgetLedger.create(tmp_path / "x.db", cydp.PureDP(1), privacy_unit="row"):
        pass
    file = sqlite3.connect(tmp_path / "x.db")
    made = {
        table: [(name, kind) for _, name, kind, *_ in file.execute(f"PRAGMA table_info({table})")]
        for (table,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    assert tables_of("Tables") == made
    page = (DOCS / "reference" / "ledger_file.md").read_text()
    ((version,),) = file.execute("PRAGMA user_version")
    ((kind,),) = file.execute("PRAGMA application_id")
    file.close()
    assert f"| `PRAGMA user_version` | {version} |" in page
    assert f"| `{kind:#x}` | a ledger |" in page


def test_the_page_of_the_ledgers_file_has_the_tables_of_a_server() -> None:
    made = {}
    for table, body in re.findall(r"CREATE TABLE cydp\.(\w+) \((.*?)\);", SCHEMA, re.DOTALL):
        made[table] = re.findall(r"(?:^|,)\s*([a-z_]+) (text|integer|bigint)\b", body)
    assert tables_of("On a server") == made


def test_the_page_of_errors_has_each_public_error() -> None:
    page = (DOCS / "reference" / "errors.md").read_text()
    errors = {
        name
        for things in made_by("pages").public().values()
        for name, thing in things.items()
        if isinstance(thing, type) and issubclass(thing, BaseException)
    }
    assert set(re.findall(r"^## (\w+Error)$", page, re.MULTILINE)) == errors
