"""The pages of the command line: each command with its example and all of its options."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rst

from cydp.cli import _main
from cydp.releases import _run
from cydp.testing import SeededGenerator

DATA = Path(__file__).parents[2] / "examples" / "data"
_HASH = re.compile(r"\b[0-9a-f]{64}\b")  # of a ledger, whose id is new in each build


def write(source: Path) -> None:
    """Write the pages below `source`."""
    for name, text in pages().items():
        rst.put(source / "reference" / f"{name}.rst", text)


def commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the commands of a parser by name, without their aliases."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                if command not in found.values():
                    found[name] = command
    return found


def pages() -> dict[str, str]:
    """Return the text of each page by its name, the list of the commands first."""
    parser = _main._make_parser()
    lines = [
        rst.heading("The command line", "="),
        "Each command, with an example and all options, made from its ``--help``. In a checkout",
        "the examples run as they stand; your numbers differ, because noise is new each time.",
        ":doc:`The command line and the ledger </cli>` explains the order of a release, files,",
        "conditions and outputs.",
        "",
        rst.words(parser.epilog or ""),
        "",
        ".. list-table::",
        "   :widths: 30 70",
        "",
    ]
    made = {"command_line": ""}
    for name, command in commands(parser).items():
        page = f"command_{name.replace('-', '_')}"
        summary, _ = summary_and_example(command)
        lines += [f"   * - :doc:`cydp {name} <{page}>`", f"     - {rst.words(summary)}"]
        made[page] = page_of(command)
    lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {page}" for page in made if made[page])]
    made["command_line"] = "\n".join(lines) + "\n"
    return made


def page_of(command: argparse.ArgumentParser) -> str:
    """Return the page of a command, with those below it."""
    lines = [rst.heading(command.prog, "="), *section_of(command, output=True)]
    for below in commands(command).values():
        lines += [rst.heading(below.prog, "-"), *section_of(below, output=False)]
    return "\n".join(lines) + "\n"


def section_of(command: argparse.ArgumentParser, *, output: bool) -> Iterator[str]:
    """Yield what a command does, its example, the output of that if wanted, and its options."""
    summary, example = summary_and_example(command)
    yield from (rst.words(summary), "", rst.code("sh", "\n".join(example)))
    if output:
        yield rst.code("text", run(example))
    yield rst.code("text", usage_of(command))
    for group in command._action_groups:
        actions = [each for each in group._group_actions if each.help != argparse.SUPPRESS]
        actions = [each for each in actions if not isinstance(each, argparse._HelpAction)]
        actions = [each for each in actions if not isinstance(each, argparse._SubParsersAction)]
        if not actions:
            continue
        title = "arguments" if group.title == "positional arguments" else str(group.title)
        yield from (f"**{rst.words(title[0].upper() + title[1:])}**", "")
        if group.description:
            yield from (rst.words(group.description), "")
        for action in actions:
            yield from (
                f"``{invocation(command, action)}``",
                rst.indent(help_of(command, action)),
                "",
            )
    for paragraph in (command.epilog or "").split("\n\n"):
        yield from (rst.words(paragraph), "")


def summary_and_example(command: argparse.ArgumentParser) -> tuple[str, list[str]]:
    """Return what a command does, and the lines of its example."""
    summary, _, example = str(command.description).partition("\n\nExample:\n")
    return summary, [line.strip() for line in example.splitlines()]


def usage_of(command: argparse.ArgumentParser) -> str:
    """Return the first lines of the help."""
    return command.format_help().partition("\n\n")[0]


def invocation(command: argparse.ArgumentParser, action: argparse.Action) -> str:
    """Return how an option is written: --epsilon E."""
    return command._get_formatter()._format_action_invocation(action)


def help_of(command: argparse.ArgumentParser, action: argparse.Action) -> str:
    """Return what an option does, which may go without saying, as of --delta."""
    said = command._get_formatter()._expand_help(action) if action.help else ""
    return rst.words(said) or "\\"


def run(lines: list[str]) -> str:
    """Run commands in a folder that has the examples' data, and return what they print.

    The noise is of a fixed key where no ledger pays, so that builds are equal.
    """
    printed, before = io.StringIO(), Path.cwd()
    generator: Any = _run.generator_or_default
    seeded = SeededGenerator(1)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
        shutil.copytree(DATA, Path(folder) / "examples" / "data")
        os.chdir(folder)
        _run.generator_or_default = lambda rng: rng or seeded
        try:
            for line in lines:
                if _main.main(shlex.split(line)[1:]) != 0:
                    raise ValueError(f"{line} has failed")
        finally:
            _run.generator_or_default = generator
            os.chdir(before)
    return _HASH.sub("<64 hex digits>", printed.getvalue())
