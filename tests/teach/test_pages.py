"""The overview of the lessons runs; its lecture and the benchmark have every picture."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from codebase.reader import ROOT, Reader, blocks_of, reader_in

from cydp import teach
from cydp.teach import attacks, figures, utility

PAGE = ROOT / "docs" / "teach.md"
LECTURE = PAGE.read_text().partition("\n| minutes |")[2].partition("\n\n")[0]
EXPRESSIONS = [each for each in re.findall(r"`([^`]*)`", LECTURE) if each.endswith(")")]


@contextmanager
def recorded() -> Iterator[tuple[set[str], set[str]]]:
    """Let what draws only say that it was called; yield all such names, and those called."""
    every, called = set(), set()

    def recorder(name: str) -> Callable[..., None]:
        every.add(name)
        return lambda *args, **keywords: called.add(name)

    with pytest.MonkeyPatch.context() as patch:
        for package in (teach, attacks, figures, utility):
            for name, thing in inspect.getmembers(package):
                if inspect.isclass(thing):
                    for method in [each for each in vars(thing) if each.startswith("plot")]:
                        patch.setattr(thing, method, recorder(f"{name}.{method}"))
                elif inspect.isfunction(thing) and thing.__annotations__["return"] == "Any":
                    patch.setattr(package, name, recorder(name))
        yield every, called


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with pytest.MonkeyPatch.context() as patch:
        reader = reader_in(tmp_path_factory.mktemp("page"), patch)
        for kind, text in blocks_of(PAGE):
            getattr(reader, kind)(text)
        assert Path("two_epsilons.png").read_bytes().startswith(b"\x89PNG")
        yield reader


def test_blocks_print_what_is_shown_and_the_lecture_has_every_picture(page: Reader) -> None:
    with recorded() as (every, called):
        for expression in EXPRESSIONS:
            eval(expression, page.names)
    assert len(every) > 20
    assert called == every


@pytest.mark.long
def test_the_benchmark_has_every_picture() -> None:
    from bench_teach import PICTURES

    with recorded() as (every, called):
        for draw in PICTURES.values():
            draw()
    assert {name for name in every - called if f"figures.{name}" not in PICTURES} == set()
