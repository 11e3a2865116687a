"""docs/site/cells.py and notebooks.py: what becomes of a lesson's page in its notebooks."""

from __future__ import annotations

import importlib
import zipfile
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from codebase.reader import ROOT

LESSON = """\
# A lesson

Read [more](../exact.md#bins), [here](#next), [there](https://example.org).

```python
import math

# A comment that stays.
math.sqrt(4)  # 2.0
x = 3
(
    x,
    "é",
)  # (3, 'é')
print(x)
```

```text
3
```

:::{figure} ../pictures/x.png
:alt: Words.

A caption.
:::

:::{note}
It is so.
:::

### Exercise 1.1: roots

What is the root of 9? Not this:

```pycon
>>> math.sqrt(-1)
ValueError: math domain error
```

:::{dropdown} Solution
Three.

```python
math.sqrt(9)  # 3.0
```
:::

## The end
"""


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "docs" / "site")
    return importlib.import_module("cells")


@pytest.fixture
def notebooks(cells: ModuleType) -> ModuleType:
    for needed in ("nbformat", "nbclient"):
        pytest.importorskip(needed, reason="notebooks are made with the extra docs")
    return importlib.import_module("notebooks")


def test_a_lesson_becomes_cells(cells: ModuleType) -> None:
    made = cells.cells_of(LESSON, "laplace")
    whole = cells.REPOSITORY
    assert [(cell.kind, cell.text, cell.tags) for cell in made] == [
        (
            "markdown",
            f"# A lesson\n\nRead [more]({whole}docs/exact.md#bins), "
            f"[here]({whole}docs/course/laplace.md#next), [there](https://example.org).",
            (),
        ),
        ("code", "import math\n\n# A comment that stays.\nmath.sqrt(4)", ()),
        ("code", 'x = 3\n(\n    x,\n    "é",\n)', ()),
        ("code", "print(x)", ()),
        ("markdown", "> **Note.**\n>\n> It is so.", ()),
        (
            "markdown",
            "### Exercise 1.1: roots\n\nWhat is the root of 9? Not this:",
            (),
        ),
        ("code", "math.sqrt(-1)", ("raises-exception",)),
        ("markdown", "*Your answer in words:*", ("answer",)),
        ("code", "", ("answer",)),
        ("markdown", "**Solution.**", ("solution",)),
        ("markdown", "Three.", ("solution",)),
        ("code", "math.sqrt(9)", ("solution",)),
        ("markdown", "## The end", ()),
    ]


@pytest.mark.parametrize(
    ("solution", "kinds"),
    [
        ("Three.", ["markdown"]),
        ("```python\n3\n```", ["code"]),
        ("Three:\n\n```python\n3\n```", ["markdown", "code"]),
    ],
)
def test_an_answer_has_the_cells_that_it_needs(
    cells: ModuleType, solution: str, kinds: list[str]
) -> None:
    page = f"# A\n\n### Exercise 1.1: x\n\nWhy?\n\n:::{{dropdown}} Solution\n{solution}\n:::\n"
    made = cells.cells_of(page, "a")
    assert [cell.kind for cell in made if cells.ANSWER in cell.tags] == kinds
    assert made[-1].tags == (cells.SOLUTION,)


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("# A\n\n### Exercise 1.1: x\n\nWhy?\n", "no solution to '### Exercise 1.1: x'"),
        ("# A\n\n### Exercise 1: x\n\n## B\n", "no solution to '### Exercise 1: x'"),
        ("# A\n\n:::{dropdown} Solution\n:::\n", "a solution without an exercise"),
        ("# A\n\n![alt](x.png)\n", "a picture does not follow the block that draws it"),
        ("```python\nx = 1\n```\n\nA.\n\n:::{image} x.png\n:::\n", "a picture does not follow"),
        ("# A\n\n:::{toctree}\n:::\n", "no cell shows the directive toctree"),
        ("# A\n\n:::\n", "a directive ends that was not begun"),
    ],
)
def test_a_page_that_makes_no_notebook_is_refused(
    cells: ModuleType, page: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        cells.cells_of(page, "a")


def tags_of(notebook: Any) -> list[str]:
    return [tag for cell in notebook.cells for tag in cell.metadata.get("tags", ())]


def test_students_get_no_solution(notebooks: ModuleType) -> None:
    nbformat = importlib.import_module("nbformat")
    both = notebooks.notebook_of(notebooks.cells_of(LESSON, "laplace"))
    student, solved = notebooks.without(both, "solution"), notebooks.without(both, "answer")
    for made in (both, student, solved):
        nbformat.validate(made)
    assert tags_of(both) == ["raises-exception", *["answer"] * 2, *["solution"] * 3]
    assert tags_of(student) == ["raises-exception", "answer", "answer"]
    assert tags_of(solved) == ["raises-exception", *["solution"] * 3]
    assert "math.sqrt(9)" in nbformat.writes(solved)
    assert "math.sqrt(9)" not in nbformat.writes(student)
    assert 'pip install ".[all]" jupyter' in student.cells[0].source
    assert student.cells[0].source.startswith("# A lesson\n")


def test_the_files_for_students_have_no_solution(
    notebooks: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebooks, "execute", lambda notebook: notebook)
    (tmp_path / "docs" / "course").mkdir(parents=True)
    (tmp_path / "docs" / "course" / "laplace.md").write_text(LESSON)
    site = tmp_path / "site"
    site.mkdir()
    notebooks.write(SimpleNamespace(srcdir=tmp_path / "docs", outdir=site), None)
    with zipfile.ZipFile(site / "course.zip") as together:
        for name, has_solution in (("laplace", False), ("laplace_solutions", True)):
            text = (site / "course" / f"{name}.ipynb").read_text()
            assert ("math.sqrt(9)" in text) == has_solution
            assert together.read(f"course/{name}.ipynb").decode() == text


def test_an_error_is_shown_without_the_paths_of_whoever_built_it(notebooks: ModuleType) -> None:
    nbformat = importlib.import_module("nbformat")
    cell = nbformat.v4.new_code_cell("f()")
    lines = ["Traceback", "/folder/x.py", "ValueError: no"]
    cell.outputs = [
        nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=lines)
    ]
    notebooks.shorten_error(cell)
    assert cell.outputs[0].traceback == ["ValueError: no"]
    cell.outputs = []
    with pytest.raises(ValueError, match="should raise an error"):
        notebooks.shorten_error(cell)


def test_each_lesson_makes_notebooks(cells: ModuleType) -> None:
    pages = [page for page in (ROOT / "docs" / "course").glob("*.md") if page.stem != "items"]
    assert len(pages) == 10
    for page in pages:
        made = cells.cells_of(page.read_text(), page.stem)
        assert any(cell.kind == "code" for cell in made), page.stem


def test_links_to_notebooks_stand_at_the_head(notebooks: ModuleType) -> None:
    source = ["# A lesson\n\nWords.\n"]
    notebooks.link(None, "course/noise", source)
    title, _, line = source[0].splitlines()[:3]
    assert title == "# A lesson"
    assert 'href="noise.ipynb"' in line
    assert 'href="noise_solutions.ipynb"' in line
    for page in ("course/items", "start"):
        notebooks.link(None, page, untouched := ["# A\n"])
        assert untouched == ["# A\n"]
