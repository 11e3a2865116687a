# SPDX-License-Identifier: MIT
"""A budget in a file or on a server: durable, for all processes, with blocks of growing data."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NoReturn, Self

from cydp._call_errors import explain_arguments
from cydp._relations import check_relation
from cydp.accounting._amounts import loss_of_amount
from cydp.accounting._errors import (
    LedgerCorruptError,
    LedgerError,
    LedgerRollbackError,
)
from cydp.accounting._loss import Loss
from cydp.accounting._words import format_name
from cydp.accounting.ledger._address import is_server
from cydp.accounting.ledger._blocks import (
    ALL,
    insert_block,
)
from cydp.accounting.ledger._create import MEASURES, first_entry, kept_of
from cydp.accounting.ledger._entries import (
    append_entry,
    read_hash,
)
from cydp.accounting.ledger._head_file import RememberingStore
from cydp.accounting.ledger._homes import create_store, open_store
from cydp.accounting.ledger._ledger_accounts import LedgerAccounts
from cydp.accounting.ledger._ledger_blocks import LedgerBlocks
from cydp.accounting.ledger._ledger_copies import LedgerCopies
from cydp.accounting.ledger._ledger_looks import LedgerLooks
from cydp.accounting.ledger._ledger_names import LedgerNames
from cydp.accounting.ledger._ledger_results import LedgerResults
from cydp.accounting.ledger._rows import FROZEN, Rows, Store
from cydp.accounting.ledger._serialize import (
    amount_from,
    check_head,
    describe_writer,
    own_amount_of,
)

__all__ = ["BudgetLedger"]


class BudgetLedger(
    LedgerResults, LedgerBlocks, LedgerAccounts, LedgerNames, LedgerLooks, LedgerCopies
):
    """A budget in a file, or on a PostgreSQL server, charged durably before data is read.

    Several processes and threads may charge one ledger. Entries are only appended, and are chained
    by hashes. Nothing is paid back. `create` and `open` return ledgers.

    Attributes
    ----------
    budget : loss
        What may be spent in all. For a ledger with blocks, the most that a block may have.
    relation : {"add-remove", "change-one", "add-remove-or-change"}
        The relation of neighbours that the losses are stated under.
    privacy_unit : str
        What is protected, such as "person", or "person in one block" if blocks split people.
    uuid : str
        Identifies this ledger.
    block_column : str or None
        The column whose entry is the block that a row lies in, if that is known.

    Notes
    -----
    Each block may have its own budget [1]_.

    References
    ----------
    .. [1] Lecuyer, Spahn, Vodrahalli, Geambasu, Hsu, "Privacy accounting and quality control in the
       Sage differentially private ML platform", 2019.

    Examples
    --------
    >>> import tempfile
    >>> from cydp import PureDP
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = folder + "/ledger"
    ...     with BudgetLedger.create(path, PureDP(1), privacy_unit="person") as ledger:
    ...         receipt = ledger.charge(PureDP("0.3"), label="ages")
    ...         ledger.remaining
    PureDP(epsilon=0.7)

    """

    __slots__ = (
        "_store", "_whole_unit", "block_column", "budget", "privacy_unit", "relation", "uuid",
    )  # fmt: skip

    _store: Store
    _whole_unit: str  # as given to `create`; the privacy unit may be a part of it
    block_column: str | None
    budget: Loss
    privacy_unit: str
    relation: str
    uuid: str

    def __init__(self, *use_create_or_open: object, **instead: object) -> None:
        raise TypeError(
            "a BudgetLedger is made by BudgetLedger.create(path, budget, privacy_unit='person') or "
            "opened by BudgetLedger.open(path)"
        )

    @classmethod
    @explain_arguments
    def create(
        cls,
        path: str | os.PathLike[str],
        budget: Loss,
        *,
        relation: str = "add-remove",
        privacy_unit: str,
        by_block: bool = False,
        units_in_one_block: bool = False,
        block_column: str | None = None,
        exist_ok: bool = False,
    ) -> Self:
        """Make a ledger in a new file, or on a PostgreSQL server.

        Parameters
        ----------
        path : path or str
            The path of a file that does not exist, unless `exist_ok` is True; or the address of a
            database and a new name in it, as in "postgresql://host/database#visits".
        budget : PureDP, ApproxDP, ZCDP or ApproxZCDP
            What may be spent in all. Charges must be in its measure.
        relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
            The relation of neighbours that the losses are stated under.
        privacy_unit : str
            What one unit stands for, such as "person" or "person-day".
        by_block : bool, default False
            Whether blocks of data will be added, each with its own budget, which is at most this
            budget. What is protected is a unit in one block: with blocks for days and
            ``privacy_unit="person"`` a "person in one block", but not a person who comes on several
            days.
        units_in_one_block : bool, default False
            The caller's promise that all records of a unit lie in one block, as with blocks of
            people, or with blocks for days and ``privacy_unit="person-day"``. The unit is then
            protected as a whole. It is always so for ``privacy_unit="row"``.
        block_column : str, optional
            The name of the column whose entry is the block that a row lies in: its text, an integer
            in digits, a date as "2024-01-31", or the day of a time. A release that is paid by
            `scope(blocks=...)` then reads the rows of these blocks alone.
        exist_ok : bool, default False
            Whether to open a ledger that is there already, with all that was charged to it, if it
            was made with the same settings. So a script can run again, in several processes at once
            too. An older copy of the file is not detected: use `expect_head` of `open` for that.

        Returns
        -------
        BudgetLedger

        Raises
        ------
        TypeError, ValueError
            For a bad parameter.
        LedgerError
            If there is a file already, or, with `exist_ok`, one that is no ledger of these
            settings, and if no file can be made that keeps what is written.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import ZCDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for _ in range(2):
        ...         with BudgetLedger.create(
        ...             folder + "/ledger", ZCDP(1), privacy_unit="person", exist_ok=True
        ...         ) as ledger:
        ...             receipt = ledger.charge(ZCDP("0.1"))
        ...     ledger.remaining
        ZCDP(rho=0.8)

        """
        if isinstance(path, Loss) and isinstance(budget, str | os.PathLike):
            raise TypeError(
                "path, the first argument, must be a path, and budget is one: are they swapped?"
            )
        about = first_entry(
            budget, relation, privacy_unit, by_block, units_in_one_block, block_column
        )
        if not isinstance(exist_ok, bool):
            raise TypeError(f"exist_ok must be True or False, not {type(exist_ok).__name__}")

        def write(rows: Rows) -> tuple[int, str]:
            append_entry(rows, about | describe_writer())
            if not by_block:
                append_entry(rows, {"kind": "block", "block": ALL} | describe_writer())
                insert_block(rows, ALL, own_amount_of(budget))
            return rows.last()

        try:
            head = create_store(path, about["uuid"], write, or_open=True)
        except LedgerError:
            if not exist_ok or not (is_server(path) or os.path.isfile(path)):
                raise
        else:
            return cls.open(path, expect_head=head)
        ledger = cls.open(path)
        with ledger._store.closed_by_errors():
            if ledger._store.read(lambda rows: rows.is_frozen):
                raise LedgerError(f"{path} is {FROZEN}")
            ledger._check_same(path, about, by_block=by_block)
        return ledger

    def _check_same(
        self, path: str | os.PathLike[str], about: Mapping[str, Any], *, by_block: bool
    ) -> None:
        """Raise a LedgerError unless the ledger was made with these settings."""
        unit, whole = about["privacy_unit"], about["whole_unit"]
        budget = loss_of_amount(MEASURES[about["measure"]], amount_from(about["budget"]))
        settings = {
            "budget": (self.budget, budget),
            "relation": (self.relation, about["relation"]),
            "privacy_unit": (self._whole_unit, whole),
            "by_block": (ALL not in self._states(), by_block),
            "units_in_one_block": (self.privacy_unit == self._whole_unit, unit == whole),
            "block_column": (self.block_column, about.get("block_column")),
        }
        for name, (kept, given) in settings.items():
            if kept != given:
                raise LedgerError(
                    f"{path} exists already, and {name} must be {kept!r}, as it was made with, not "
                    f"{given!r}: choose another path for another budget"
                )

    @classmethod
    @explain_arguments
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        expect_head: tuple[int, str] | None = None,
        head_file: str | os.PathLike[str] | None = None,
        read_only: bool = False,
    ) -> Self:
        """Open a ledger.

        Parameters
        ----------
        path : path or str
            The path of a file with one name (one hard link, no mount point) on a disk of this
            machine; or the address of a database and the name of a ledger in it, as in
            "postgresql://host/database#visits".
        expect_head : (int, str), optional
            A head that `head()` has returned and that was kept elsewhere. An older copy of the
            ledger is refused.
        head_file : path, optional
            A small file that keeps the head which this client has seen last, and is made by the
            first use. A ledger that lacks that head is refused. It should not be stored with the
            ledger, so that they are not set back together.
        read_only : bool, default False
            Whether to refuse every change with a LedgerError. Permission to read the file and its
            folder is then enough.

        Returns
        -------
        BudgetLedger

        Raises
        ------
        LedgerError
            If there is no ledger at the path, or the ledger is damaged, older than expected, of
            another version, or in use by another name.
        TypeError, ValueError
            For a bad path or head.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = folder + "/ledger"
        ...     BudgetLedger.create(path, PureDP(1), privacy_unit="person").close()
        ...     with BudgetLedger.open(path, read_only=True) as ledger:
        ...         ledger.privacy_unit
        'person'

        """
        seq, digest = (0, "") if expect_head is None else check_head(expect_head)

        def about(rows: Rows) -> tuple[str, str | None, Loss, str, str, str]:
            first = rows.entry(1)
            if expect_head is not None and read_hash(rows, seq) != digest:
                raise LedgerRollbackError(
                    "the ledger is older than expect_head, or another one: it does not have "
                    f"the entry {seq} with that hash; find the newest copy"
                )
            try:
                entry = json.loads(first[2] if first else "")
                budget = loss_of_amount(MEASURES[entry["measure"]], amount_from(entry["budget"]))
                unit, id_ = entry["privacy_unit"], entry["uuid"]
                whole, column = entry.get("whole_unit", unit), entry.get("block_column")
                if "whole_unit" not in entry:  # of format 1, which did not ask what blocks split
                    unit = kept_of(unit, rows.block(ALL) is None)
                return whole, column, budget, unit, check_relation(entry["relation"]), id_
            except (TypeError, KeyError, ValueError, ArithmeticError):
                raise LedgerCorruptError(
                    "the ledger is damaged: its first entry is not what was written"
                ) from None

        store = open_store(path, read_only=read_only)
        with store.closed_by_errors():
            found = store.read(about)
            if head_file is not None:
                store = RememberingStore(store, head_file, found[-1])
        new = object.__new__(cls)
        for name, value in zip(cls.__slots__, (store, *found), strict=True):
            object.__setattr__(new, name, value)
        return new

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"the {name} of a ledger cannot be changed")

    def _repr_html_(self) -> str:
        return self.report().to_html()

    @explain_arguments
    def close(self) -> None:
        """Close the file. The next use of the ledger opens it again."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        """Refuse: another process opens the ledger by its path."""
        raise TypeError("a BudgetLedger cannot be pickled or copied: open it by its path")

    def __repr__(self) -> str:
        unit = format_name(self.privacy_unit)
        frozen = ", a frozen copy" if self._store.frozen else ""
        return f"<BudgetLedger: {self.budget} for each {unit}, {self.relation!r}{frozen}>"
