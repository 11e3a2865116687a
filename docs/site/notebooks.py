"""The notebooks of the course: made from its lessons, executed, and put on the site."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from cells import ANSWER, RAISES, SOLUTION, Cell, cells_of
from nbclient import NotebookClient

DATA = Path(__file__).parents[2] / "examples" / "data"
WORKERS = 2
SECONDS_FOR_A_CELL = 120
HEAD = (
    "This notebook is a lesson of the course of cydp. It needs cydp and Jupyter: run "
    '`pip install ".[all]" jupyter` in a clone of cydp. It reads the folder `examples/data`, '
    "which `course.zip` has. It draws new noise in each run, so its numbers differ from those on "
    "the page."
)


def lessons(source: Path) -> list[Path]:
    """Return the pages of the lessons below `source`, which is docs."""
    return sorted(page for page in (source / "course").glob("*.md") if page.stem != "items")


def notebook_of(cells: list[Cell]) -> Any:
    """Return a notebook with all cells: the answers' and the solutions'."""
    title, rest = cells[0], cells[1:]
    first, _, prose = title.text.partition("\n")
    head = Cell("markdown", f"{first}\n\n{HEAD}\n{prose}")
    made = nbformat.v4.new_notebook()
    made.metadata["kernelspec"] = {
        "name": "python3", "display_name": "Python 3", "language": "python"
    }  # fmt: skip
    for number, cell in enumerate([head, *rest]):
        new = nbformat.v4.new_code_cell if cell.kind == "code" else nbformat.v4.new_markdown_cell
        metadata = {"tags": list(cell.tags)} if cell.tags else {}
        # A fixed identity, so that two builds make the same file.
        made.cells.append(new(cell.text, id=f"cell-{number}", metadata=metadata))
    return made


def without(notebook: Any, tag: str) -> Any:
    """Return a copy of a notebook without the cells of a tag."""
    copy = nbformat.from_dict(dict(notebook))
    copy.cells = [cell for cell in notebook.cells if tag not in cell.metadata.get("tags", ())]
    return copy


def execute(notebook: Any) -> Any:
    """Run a notebook beside a copy of the data, and return it with its outputs."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(DATA, Path(folder) / "examples" / "data")
        client = NotebookClient(
            notebook,
            timeout=SECONDS_FOR_A_CELL,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,  # or else the machine's speed decides what is one output
            resources={"metadata": {"path": folder}},
            extra_arguments=[
                "--HistoryManager.hist_file=:memory:",
                "--Application.log_level=ERROR",
            ],
        )
        client.execute()
    for cell in notebook.cells:
        if RAISES in cell.metadata.get("tags", ()):
            shorten_error(cell)
    return notebook


def shorten_error(cell: Any) -> None:
    """Keep the last line of an expected error: the rest has paths of the machine."""
    raised = [output for output in cell.outputs if output.output_type == "error"]
    if not raised:
        raise ValueError(f"the cell should raise an error, and does not: {cell.source}")
    for output in raised:
        output.traceback = [f"{output.ename}: {output.evalue}"]


def write(app: Any, error: Exception | None) -> None:
    """Make the notebooks of all lessons, and the file that has them all; errors fail the build."""
    if error is not None:
        return
    folder = Path(app.outdir) / "course"
    folder.mkdir(exist_ok=True)

    def put(page: Path) -> list[Path]:
        notebook = execute(notebook_of(cells_of(page.read_text(), page.stem)))
        student, solved = folder / f"{page.stem}.ipynb", folder / f"{page.stem}_solutions.ipynb"
        nbformat.write(without(notebook, SOLUTION), student)
        nbformat.write(without(notebook, ANSWER), solved)
        return [student, solved]

    with ThreadPoolExecutor(WORKERS) as pool:
        written = [path for paths in pool.map(put, lessons(Path(app.srcdir))) for path in paths]
    with zipfile.ZipFile(folder.with_suffix(".zip"), "w", zipfile.ZIP_DEFLATED) as together:
        for path in written:
            together.write(path, f"course/{path.name}")
        for path in sorted(DATA.iterdir()):
            together.write(path, f"course/examples/data/{path.name}")


def link(app: Any, page: str, source: list[str]) -> None:
    """Put the links to its notebooks at the head of a lesson, and to all at that of the course."""
    folder, _, name = page.rpartition("/")
    if page == "course":
        line = 'Download <a href="course.zip">all notebooks, with their data</a>.'
    elif folder == "course" and name != "items":
        line = (
            f'Download this lesson as a notebook: <a href="{name}.ipynb" download>exercises</a>, '
            f'<a href="{name}_solutions.ipynb" download>with solutions</a>.'
        )
    else:
        return
    title, _, rest = source[0].partition("\n")
    source[0] = f"{title}\n\n{line}\n{rest}"
