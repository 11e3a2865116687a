"""Every help begins with an example, which runs as it stands."""

import argparse
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.commands import DATA, Run

from cydp.cli._main import _make_parser


def commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, ...]]:
    yield ()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield from ((name, *more) for more in commands(command))


ALL = list(commands(_make_parser()))


def test_all_commands_are_seen() -> None:
    assert len(ALL) > 15
    assert {("histogram",), ("group-by",), ("ledger", "charge"), ("ledger",), ()} <= set(ALL)


@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_the_example_of_a_help_runs(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    code, text, _ = run(*command, "--help")
    assert code == 0
    monkeypatch.chdir(tmp_path)
    os.symlink(DATA.parent, tmp_path / "examples")
    example = re.search(r"^usage: (?:.+\n)+\n.+\n\nExample:\n((?:  cydp .*\n)+)\n", text)
    assert example is not None
    lines = example[1].splitlines()
    name = " ".join(command).replace("add-blocks", "add-block")  # another name of it
    assert lines[-1].startswith(f"  cydp {name}".rstrip())
    for line in lines:
        code, printed, message = run(*shlex.split(line)[1:])
        assert (code, message) == (0, "")
        assert printed


@pytest.mark.parametrize(
    "arguments",
    [
        ("mean", "--column", "age", "--bounds", "0:100"),
        ("variance", "--column", "age", "--bounds", "0:100"),
        ("group-by", "--by", "sex", "--key-list", "0,1", "--mean", "age:0:100"),
    ],
)
def test_the_part_that_a_help_names_is_one(run: Run, arguments: tuple[str, ...]) -> None:
    command, *further = arguments
    _, text, _ = run(command, "--help")
    (split,) = re.findall(r"privacy, such as (\w+=3)\s", text)
    pums = str(DATA / "pums.csv")
    code, _, _ = run(command, pums, *further, "--split", split, "--epsilon", "1")
    assert code == 0
