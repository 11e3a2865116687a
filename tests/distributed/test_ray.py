"""The recipe for Ray gives the local release of the same rows, bit for bit, for one charge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cydp
from cydp.distributed import Run

from .engines import (
    calls,
    code_of,
    in_files,
    killer,
    local_release,
    release_in_pieces,
    write_tables,
)  # fmt: skip

ray = pytest.importorskip("ray", reason="without ray")
pytest.importorskip("ray.data", reason="without ray[data]")
pytestmark = [pytest.mark.hosts, pytest.mark.filterwarnings("ignore")]
Recipe = dict[str, Any]
PIECES = 3


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recipe]:
    """Yield the names of the page, whose code has run."""
    names: Recipe = {"budget": cydp.PrivacyFilter(cydp.PureDP(1))}
    folder = tmp_path_factory.mktemp("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))  # Ray writes a token there
        ray.init(
            num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
        )  # fmt: skip
        ray.data.DataContext.get_current().enable_progress_bars = False
        exec(code_of("Ray", folder), names)
        yield names
        ray.shutdown()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_tables(tmp_path_factory.mktemp("ray"))


@pytest.fixture(scope="module")
def folder(path: str) -> str:
    return in_files(path)


def test_the_page(recipe: Recipe) -> None:
    assert recipe["budget"].remaining == cydp.PureDP(0)
    assert recipe["release"].query == recipe["plan"].query
    found, reader = recipe["found"], recipe["run"].reader
    with pytest.raises(ValueError, match="twice"):
        reader.from_arrow(pa.concat_tables([found, found]), pieces=recipe["n"])


@pytest.mark.parametrize("name", ["sum", "group_by, found", "each table"])
def test_rows_of_users_give_the_local_release(
    recipe: Recipe, path: str, folder: str, name: str
) -> None:
    """The draws are the same, so equal releases have equal exact answers."""
    function, args, given = calls(users=True)[name]
    rows = ray.data.read_parquet(folder)
    like = rows.schema().base_schema

    def tallies(run: Run) -> Any:
        found = recipe["tables"](rows, like, run.reader, PIECES)
        return run.reader.from_arrow(found, pieces=PIECES)

    made = release_in_pieces(tallies, function, like, *args, **given)
    assert made == local_release(function, path, *args, **given)


def test_files_give_the_local_release(recipe: Recipe, path: str, folder: str) -> None:
    files = sorted(map(str, Path(folder).iterdir()))
    for name, (function, args, given) in calls(users=False).items():
        made = release_in_pieces(
            lambda run: recipe["tallies"](files, run.reader),
            function, pq.read_schema(path), *args, **given,
        )  # fmt: skip
        assert made == local_release(function, path, *args, **given), name


def test_a_worker_that_dies_costs_no_answer(
    recipe: Recipe, path: str, folder: str, tmp_path: Path
) -> None:
    function, args, given = calls(users=True)["each table"]
    rows, marker = ray.data.read_parquet(folder), tmp_path / "killed"
    like = rows.schema().base_schema

    def tallies(run: Run) -> Any:
        dying = rows.map_batches(killer(marker), batch_format="pyarrow")
        found = recipe["tables"](dying, like, run.reader, PIECES)
        return run.reader.from_arrow(found, pieces=PIECES)

    made = release_in_pieces(tallies, function, like, *args, **given)
    assert made == local_release(function, path, *args, **given)
    assert marker.exists()
