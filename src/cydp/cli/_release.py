# SPDX-License-Identifier: MIT
"""The way of every release of a command: check, open, charge, read, print, write; or a dry run.

All that can be checked is checked before the charge. docs/cli.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any

from cydp._columns.condition_parser import parse_condition
from cydp._columns.conditions import Condition, all_of, condition_on_blocks
from cydp._columns.csv_uses import NUMBER, uses_in_condition, uses_of_type
from cydp._columns.file_errors import FileError
from cydp._columns.files import DataFile, Format, open_data
from cydp._columns.stored_tables import table_of_relation
from cydp._columns.table import Table
from cydp._numbers.rational import read_level
from cydp.accounting._errors import (
    LedgerError,
    PrivacyError,
)
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._scope import LedgerScope
from cydp.cli._keys_file import check_key_list, read_keys
from cydp.cli._messages import in_options, json_in_options, json_of
from cydp.cli._outputs import Outputs, Showing
from cydp.cli._payment import (
    check_ledger_options,
    describe_left,
    json_of_ledger,
    ledger_of,
    left_in,
    rows_of_blocks,
    scope_of,
)
from cydp.cli._progress import watching
from cydp.cli._stdin import STDIN, with_stdin
from cydp.releases._explain import explain
from cydp.releases._group_by import group_by
from cydp.releases._run import Prepared, arguments_of, kind_of, prepare, with_noise
from cydp.releases._unit import check_ledger
from cydp.releases.output._text_html import wrapped

__all__ = ["Request", "charged_words", "release"]


_UNREAD = "could not be read"  # in the error of a relation, if its query fails


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a command asks for.

    Attributes
    ----------
    function : callable
        A release of the library.
    named : mapping
        Its own arguments, but for the column and the keys.
    numbers : sequence of str
        Columns of numbers.
    times : mapping of str
        Columns of dates or times that are binned or ranked, and the type of DuckDB of each.
    labels : sequence of str
        Columns of keys, and the column that has its entries counted.
    column : str or None
        The column that is released, for releases of one column.
    every_row : bool
        Whether all rows are counted, so that there is no column.
    by : sequence of str or None
        The columns of keys.
    keys : str
        The argument that has the public keys.
    label : str
        What the ledger's history says of the release by default.

    """

    function: Callable[..., Any]
    named: Mapping[str, Any]
    numbers: Sequence[str]
    times: Mapping[str, str]
    labels: Sequence[str]
    column: str | None
    every_row: bool
    by: Sequence[str] | None
    keys: str
    label: str


def release(options: argparse.Namespace, request: Request) -> int:
    """Run a command: print the release, write its files, and return the exit code.

    Raises
    ------
    TypeError, ValueError
        For a mistake, before anything is charged. For a FileError after the charge, the message
        says so.
    PrivacyError
        If the budget refuses. Then nothing is charged.

    """
    form = _check(options, request)
    with (
        Outputs.prepare(options) as outputs,
        ledger_of(options) as ledger,
        with_stdin(options.files) as files,
    ):
        relation = options.relation or ("add-remove" if ledger is None else ledger.relation)
        data = open_data(files, form)
        labels = [*request.labels, *([] if options.user is None else [options.user])]
        where = _condition(options, ledger)
        named, notes = dict(request.named) | _common(options, request, relation), list[str]()
        types: dict[str, str] = {}
        if request.by is not None:
            named[request.keys], types, notes = read_keys(
                options.keys, options.key_list, request.by, data, Format()
            )
        rows = data.relation(
            request.numbers,
            labels,
            request.times,
            label_types=types,
            every_row=request.every_row,
            where=where,
        )
        text_as = _text_as(data, request, types, where)
        table = partial(table_of_relation, rows, repeatable=True, where=where, text_as=text_as)
        promised = getattr(options, "max_rows_per_unit", None)
        if ledger is not None and promised is not None and options.unit is None:
            # Of a ledger of rows, a unit that has several rows is none.
            named["unit"] = None if ledger.privacy_unit == "row" else ledger.privacy_unit
        if request.every_row:
            named["column"] = data.row_name(labels)
        elif request.column is not None:
            named["column"] = request.column
        columns = [*request.numbers, *request.times, *labels]
        budget = None if ledger is None else scope_of(ledger, options, columns, request.label)
        if options.dry_run:
            return _explain_dry(options, request, table, named, budget, notes)
        data.check()
        released = _run(options, request, data, table, named | {"budget": budget})
        try:
            return _publish(options, data, request, released, outputs, ledger, notes)
        except (KeyboardInterrupt, OSError) as error:
            if ledger is not None:
                error.add_note("the ledger was charged; its result is recorded")
            raise


def _text_as(
    data: DataFile, request: Request, types: Mapping[str, str], where: Condition | None
) -> list[str]:
    """Return what text is read as, as columns of files say it in Python."""
    if data.has_types:
        return []
    return [
        *([NUMBER] if request.numbers else []),
        *map(uses_of_type, (*types.values(), *request.times.values())),
        *([] if where is None else uses_in_condition(where)),
    ]


def _condition(options: argparse.Namespace, ledger: BudgetLedger | None) -> Condition | None:
    """Return the condition on rows: that of the options, and that they lie in the blocks."""
    parts = [] if options.where is None else [parse_condition(options.where)]
    found = None if ledger is None else rows_of_blocks(ledger, options)
    if found is not None:
        parts.append(condition_on_blocks(*found))
    return all_of(parts) if parts else None


def _check(options: argparse.Namespace, request: Request) -> Format:
    """Check all that can be checked before a file is looked at."""
    check_ledger_options(options)
    if options.where is not None:
        parse_condition(options.where)
    named = dict(request.named) | _common(options, request, options.relation or "add-remove")
    if request.by is not None:
        check_key_list(options.key_list, request.by)
        is_public = options.keys is not None or options.key_list is not None
        # How many there are is seen later: as many as are needed.
        named[request.keys] = named.get("k", 1) if is_public else None
    explain(request.function, **named)
    if options.confidence is not None:
        read_level(options.confidence)
    if options.file_format == "parquet" and options.delimiter is not None:
        raise ValueError("--delimiter is for CSV, and --format is parquet")
    if options.certificate is not None and _processes(options):
        raise ValueError(
            "--certificate is of the release itself: leave --nonnegative and --total out"
        )
    if options.rows is not None and not options.dry_run:
        raise ValueError("--rows needs --dry-run: a release counts by itself")
    form = Format(options.file_format, options.delimiter)
    for each in options.files:
        form.of(each)
    if options.files.count(STDIN) > 1:
        raise ValueError("the standard input, -, must be named once")
    return form


def _common(options: argparse.Namespace, request: Request, relation: str) -> dict[str, Any]:
    """Return the arguments of the common options. No release takes all of them."""
    unit = options.unit
    found = vars(options) | {
        "relation": relation, "unit": unit[0] if unit is not None and len(unit) == 1 else unit
    }  # fmt: skip
    names = ("epsilon", "rho", "delta", "relation", "user", "unit", "max_rows_per_unit", "max_rows",
             "max_partitions", "max_rows_per_partition")  # fmt: skip
    taken = signature(request.function).parameters
    return {name: found[name] for name in names if name in taken}


def _run(
    options: argparse.Namespace,
    request: Request,
    data: DataFile,
    table: Callable[..., Table],
    named: dict[str, Any],
) -> Any:
    """Charge, read and release."""
    try:
        with watching(data.count_rows) as watch:
            return request.function(table(watch=watch), **named)
    except Exception as error:
        charged = charged_words(error, options.charge_id)
        is_known = isinstance(error, PrivacyError | TypeError | ValueError)
        if is_known and not charged and _UNREAD not in str(error):
            raise
        if isinstance(error, MemoryError):
            what = data.too_little_memory
        else:
            what = str(error) if isinstance(error, PrivacyError) else data.cannot_read
        raise FileError(what + charged) from None


def _prepared(request: Request, table: Table, named: dict[str, Any]) -> Prepared:
    kind = kind_of(request.function)
    return prepare(kind, arguments_of(request.function, (), named) | {kind.data: table})


def charged_words(error: BaseException, charge_id: str | None) -> str:
    """Return what to add to a message about an error if a ledger was charged before it."""
    notes = " ".join(getattr(error, "__notes__", ()))
    if "charged" not in notes:
        return ""
    words = "; the ledger was charged all the same"
    if "may have been charged" in notes:
        words = "; the ledger may have been charged"
    if charge_id is None:
        return words
    if "its result is recorded" in notes:
        return f"{words}: repeat the command to get the release, for which nothing is charged again"
    return f"{words}, and a repetition needs another --charge-id, which is charged again"


def _publish(
    options: argparse.Namespace,
    data: DataFile,
    request: Request,
    released: Any,
    outputs: Outputs,
    ledger: BudgetLedger | None,
    notes: list[str],
) -> int:
    """Write the files and print the release, which is shown even if a file cannot be written."""
    failures: list[str] = []
    confidence, simultaneous = options.confidence, options.simultaneous
    showing = Showing(released, released, confidence, simultaneous)
    try:
        showing = Showing(released, _process(options, released), confidence, simultaneous)
        outputs.write(showing)
    except (TypeError, ValueError) as error:
        failures.append(str(error))
    lines = [wrapped(f"note: {note}") for note in notes]
    about: dict[str, Any] = {}
    if ledger is not None:
        try:
            paid = ledger.scope(blocks=options.blocks, account=options.account)
            left = left_in(paid)
            about["ledger"] = json_of_ledger(ledger, left)
            lines += describe_left(paid, left)
        except LedgerError as error:  # no refusal, which would have charged nothing
            failures.append(str(error))
    if options.json:
        facts = json_in_options(showing.facts)
        print(json_of(facts | {"notes": [*facts["notes"], *notes]} | about))
    else:
        print(in_options(showing.text), *lines, sep="\n")
    sys.stdout.flush()
    if failures:
        raise FileError("; ".join(failures) + _after_release(options))
    return 0


def _processes(options: argparse.Namespace) -> bool:
    total = getattr(options, "total", None)
    return total is not None or getattr(options, "nonnegative", False)


def _process(options: argparse.Namespace, released: Any) -> Any:
    """Apply the post-processors that were asked for."""
    if getattr(options, "nonnegative", False):
        released = released.nonnegative()
    if getattr(options, "total", None) is not None:
        released = released.with_total(options.total)
    return released


def _after_release(options: argparse.Namespace) -> str:
    """Return what to say if a release was made and printed, and something failed after it."""
    if options.ledger is None:
        return "; the release was printed"
    words = "; the ledger was charged all the same, and the release was printed"
    if options.charge_id is None:
        return words
    return f"{words}: repeat the command to get it again, for which nothing is charged"


def _explain_dry(
    options: argparse.Namespace,
    request: Request,
    table: Callable[..., Table],
    named: dict[str, Any],
    budget: LedgerScope | None,
    notes: Sequence[str],
) -> int:
    """Print what a release would do and cost, and raise what the ledger would raise.

    Nothing is read and nothing is charged.
    """
    given = dict(with_noise(named, budget))
    prepared = _prepared(request, table(), given)
    given.pop("column", None)
    if options.rows is not None:
        given["n_per_key" if request.function is group_by else "n"] = options.rows
    explained = explain(request.function, confidence=options.confidence or "0.95", **given)
    if (where := prepared.query.reads.where) is not None:
        notes = [f"only rows where {where}", *notes]
    lines, facts = [in_options(str(explained))], json_in_options(explained.metadata)
    lines += [wrapped(f"note: {note}") for note in notes]
    if notes:
        facts["notes"] = list(notes)
    refusal: PrivacyError | None = None
    if budget is not None:
        ledger = budget.ledger
        assert isinstance(ledger, BudgetLedger)
        check_ledger(budget, explained.query.unit)
        was_charged = False
        if budget.charge_id is not None:
            was_charged, refusal = budget._look_up(prepared.asked)
        if not was_charged:
            refusal = ledger._refused(explained.query, 1, budget._booking)
        left = left_in(budget)
        lines += describe_left(budget, left)
        facts["ledger"] = json_of_ledger(ledger, left) | {"pays": refusal is None}
        if refusal is None:
            lines.append(
                "the charge id was charged before: nothing would be charged again"
                if was_charged
                else "the ledger would pay; nothing was charged and no value was read"
            )
    print(json_of(facts)) if options.json else print(*lines, sep="\n")
    if refusal is not None:
        raise refusal
    return 0
