"""The recipe for Beam gives the local release of the same rows, bit for bit, for one charge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cydp
from cydp.distributed import Reader, Run

from .engines import calls, code_of, in_files, local_release, release_in_pieces, write_tables

beam = pytest.importorskip("apache_beam", reason="without apache-beam")
pytestmark = [pytest.mark.hosts, pytest.mark.filterwarnings("ignore")]
Recipe = dict[str, Any]
PIECES = 3


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    """Return the names of the page, whose code has run."""
    from apache_beam.options.pipeline_options import PipelineOptions

    options = PipelineOptions(["--runner=DirectRunner"])
    names: Recipe = {"budget": cydp.PrivacyFilter(cydp.PureDP(1)), "options": options}
    exec(code_of("Beam", tmp_path_factory.mktemp("beam")), names)
    return names


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_tables(tmp_path_factory.mktemp("beam"))


@pytest.fixture(scope="module")
def folder(path: str) -> str:
    return in_files(path)


def test_the_page(recipe: Recipe) -> None:
    assert recipe["budget"].remaining == cydp.PureDP(0)
    assert recipe["release"].query == recipe["plan"].query


def added_up(recipe: Recipe, tallies: Any, folder: Path, zero: pa.Table) -> Any:
    """Write the sum of tallies, as the page does."""
    sink = beam.io.WriteToParquetBatched(f"{folder}/tally", zero.schema, shard_name_template="")
    return tallies | beam.CombineGlobally(recipe["AddUp"]()) | sink


@pytest.mark.parametrize("users", [False, True])
def test_files_give_the_local_release(
    recipe: Recipe, path: str, folder: str, users: bool, tmp_path: Path
) -> None:
    """The draws are the same, so equal releases have equal exact answers."""
    like, files = pq.read_schema(path), sorted(map(str, Path(folder).iterdir()))

    def of_users(pipeline: Any, reader: Reader) -> Any:
        rows = pipeline | beam.io.ReadFromParquetBatched(f"{folder}/*", columns=like.names)
        nobody = pipeline | beam.Create([(i, like.empty_table()) for i in range(PIECES)])
        placed = rows | beam.FlatMap(recipe["placed"], reader, PIECES)
        pieces = (placed, nobody) | beam.Flatten() | beam.GroupByKey()
        return pieces | beam.Map(recipe["counted"], reader, PIECES)

    def of_files(pipeline: Any, reader: Reader) -> Any:
        n = len(files)
        count = beam.MapTuple(lambda i, file: reader.tally(file, piece=i, pieces=n))
        return pipeline | beam.Create(enumerate(files)) | count

    def tallies(run: Run) -> Any:
        with beam.Pipeline(options=recipe["options"]) as pipeline:
            tallies = (of_users if users else of_files)(pipeline, run.reader)
            zero = run.reader.tally(like.empty_table(), piece=0, pieces=PIECES)
            added_up(recipe, tallies, tmp_path, zero.to_arrow())
        found = pq.read_table(tmp_path / "tally")
        return run.reader.from_arrow(found, pieces=PIECES if users else len(files))

    for name, (function, args, given) in calls(users).items():
        made = release_in_pieces(tallies, function, like, *args, **given)
        assert made == local_release(function, path, *args, **given), name


def test_tallies_add_up_in_any_order(recipe: Recipe) -> None:
    """Also of bundles that got none."""
    plan = cydp.distributed.prepare(cydp.count, {"x": []}, column="x", epsilon=1)
    reader, add = plan.pay(None).reader, recipe["AddUp"]()
    one, two = (reader.tally({"x": [1.0]}, piece=i, pieces=2) for i in range(2))
    none = add.create_accumulator()
    whole = add.merge_accumulators([none, add.add_input(none, two), add.add_input(none, one), none])
    assert add.merge_accumulators([none, none]) is None
    assert add.extract_output(whole).equals((one + two).to_arrow())
