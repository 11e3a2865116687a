"""The recipe for Dask gives the local release of the same rows, bit for bit, for one charge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import cydp
from cydp.distributed import PieceTally, Run

from .engines import (
    calls,
    code_of,
    in_files,
    killer,
    local_release,
    release_in_pieces,
    write_tables,
)

dd = pytest.importorskip("dask.dataframe", reason="without dask[dataframe,distributed]")
pytestmark = [pytest.mark.hosts, pytest.mark.filterwarnings("ignore::ResourceWarning")]
Recipe = dict[str, Any]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("dask.distributed", reason="without dask[distributed]")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def recipe(cluster: Any, tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    """Return the names of the page, whose code has run."""
    names: Recipe = {"budget": cydp.PrivacyFilter(cydp.PureDP(1))}
    exec(code_of("Dask", tmp_path_factory.mktemp("dask")), names)
    return names


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_tables(tmp_path_factory.mktemp("dask"))


@pytest.fixture(scope="module")
def frame(path: str) -> Any:
    return dd.read_parquet(in_files(path), dtype_backend="pyarrow")


def counted(recipe: Recipe, frame: Any, users: bool) -> Callable[[Run], tuple[PieceTally, ...]]:
    """Return what counts a frame by the recipe."""

    def tallies(run: Run) -> Any:
        rows = recipe["shuffled"](frame, run.reader) if users else frame
        return recipe["tallies"](rows, run.reader)

    return tallies


def test_the_page(recipe: Recipe) -> None:
    assert recipe["budget"].remaining == cydp.PureDP(0)
    assert recipe["release"].query == recipe["plan"].query


@pytest.mark.parametrize("users", [False, True])
def test_frames_give_the_local_release(recipe: Recipe, path: str, frame: Any, users: bool) -> None:
    """The draws are the same, so equal releases have equal exact answers."""
    tallies = counted(recipe, frame, users)
    for name, (function, args, given) in calls(users).items():
        made = release_in_pieces(tallies, function, frame._meta, *args, **given)
        assert made == local_release(function, path, *args, **given), name


@pytest.mark.parametrize("pieces", [1, 3])
def test_integers_beside_missing_ones_stay_integers(
    recipe: Recipe, path: str, frame: Any, pieces: int
) -> None:
    """As users too: some of them are beyond what a float holds."""
    rows = frame.repartition(npartitions=pieces)
    given = {"column": "i", "user": "i", "max_rows": 2, "max_sum_per_user": 2**55}
    args = ((-(2**62), 2**62),)
    made = release_in_pieces(counted(recipe, rows, True), cydp.sum, frame._meta, *args, **given)
    assert made == local_release(cydp.sum, path, *args, **given)


@pytest.mark.parametrize("users", [False, True])
def test_a_worker_that_dies_costs_no_answer_and_no_second_charge(
    recipe: Recipe, path: str, frame: Any, users: bool, tmp_path: Path
) -> None:
    function, args, given = calls(users)["each table"]
    before, after = tmp_path / "before", tmp_path / "after"

    def tallies(run: Run) -> Any:
        rows = frame.map_partitions(killer(before), meta=frame._meta)
        rows = recipe["shuffled"](rows, run.reader) if users else rows
        rows = rows.map_partitions(killer(after), meta=rows._meta)
        return recipe["tallies"](rows, run.reader)

    made = release_in_pieces(tallies, function, frame._meta, *args, **given)
    assert made == local_release(function, path, *args, **given)
    assert before.exists()
    assert after.exists()


def test_pieces_that_are_missing_there_twice_or_mixed_are_refused(
    recipe: Recipe, frame: Any
) -> None:
    budget = cydp.PrivacyFilter(cydp.PureDP(1))
    given = {"column": "x", "user": "u", "max_rows": 1, "epsilon": 1}
    run = cydp.distributed.prepare(cydp.count, frame._meta, **given).pay(budget)
    first, *others = counted(recipe, frame, True)(run)
    for tallies, said in ((others, "missing"), ([first, first, *others], "twice")):
        with pytest.raises(ValueError, match=said):
            run.release(tallies)
    with pytest.raises(ValueError, match="rows of users of other pieces"):
        counted(recipe, frame, False)(run)
    run.release([first, *others])
    assert budget.remaining == cydp.PureDP(0)
