# SPDX-License-Identifier: MIT
"""A budget in a file: durable, for several processes, with blocks of growing data."""

from __future__ import annotations

import json
import os
import uuid
from sqlite3 import Connection
from types import TracebackType
from typing import Any, NoReturn, Self

from cydp._call_errors import explain_arguments
from cydp._relations import check_relation
from cydp.accounting._amounts import loss_of_amount
from cydp.accounting._budget import check_budget
from cydp.accounting._errors import (
    LedgerCorruptError,
    LedgerRollbackError,
)
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._words import format_name
from cydp.accounting.ledger._blocks import (
    ALL,
    BlockState,
    LossesByBlock,
    insert_block,
    read_states,
)
from cydp.accounting.ledger._create import create_file
from cydp.accounting.ledger._entries import (
    Entry,
    append_entry,
    count_charges,
    read_entries,
    read_hash,
    read_head,
    read_last_charges,
    verify,
)
from cydp.accounting.ledger._guarantee import guarantee_of
from cydp.accounting.ledger._history import LedgerHistory
from cydp.accounting.ledger._ledger_blocks import LedgerBlocks
from cydp.accounting.ledger._ledger_results import LedgerResults
from cydp.accounting.ledger._path import read_path
from cydp.accounting.ledger._report import MOST_READ, LedgerReport, write_report
from cydp.accounting.ledger._serialize import (
    amount_from,
    check_head,
    check_string,
    describe_writer,
    own_amount_of,
    strings_of,
)
from cydp.accounting.ledger._store import Store

__all__ = ["BudgetLedger"]

_MEASURES: dict[str, type[Loss]] = {"pure": PureDP, "approximate": ApproxDP, "zcdp": ZCDP}
_NAMES = {kind: name for name, kind in _MEASURES.items()}
_ROW = "row"  # which lies in one block


class BudgetLedger(LedgerResults, LedgerBlocks):
    """A budget that is kept in a file, charged durably before data is read.

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
        Tells this ledger from every other one.
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
    ) -> Self:
        """Make a ledger in a new file.

        Parameters
        ----------
        path : path
            The path of a file that does not exist.
        budget : PureDP, ApproxDP or ZCDP
            What may be spent in all. Charges must be in its measure.
        relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
            The relation of neighbours that the losses are stated under.
        privacy_unit : str
            What one unit stands for, such as "person" or "person-day".
        by_block : bool, default False
            Whether blocks of data will be added, each with its own budget, which is at most this
            budget. What is protected is a unit in one block: with blocks for days and
            ``privacy_unit="person"`` a "person in one block", and no person who comes on several
            days.
        units_in_one_block : bool, default False
            The caller's promise that all records of a unit lie in one block, as with blocks of
            people, or with blocks for days and ``privacy_unit="person-day"``. The unit is then
            protected as a whole. It is always so for ``privacy_unit="row"``.
        block_column : str, optional
            The name of the column whose entry is the block that a row lies in: its text, an integer
            in digits, a date as "2024-01-31", or the day of a time. A release that is paid by
            `scope(blocks=...)` then reads the rows of these blocks alone.

        Returns
        -------
        BudgetLedger

        Raises
        ------
        TypeError, ValueError
            For a bad parameter.
        LedgerError
            If there is a file already, or no file can be made that keeps what is written.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import ZCDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = BudgetLedger.create(folder + "/ledger", ZCDP(1), privacy_unit="person")
        ...     ledger.remaining
        ...     ledger.close()
        ZCDP(rho=1)

        """
        check_budget(budget, relation)
        if not check_string(privacy_unit, "privacy_unit").strip():
            raise ValueError("privacy_unit must say what one unit stands for, such as 'person'")
        if not isinstance(by_block, bool):
            raise TypeError(
                f"by_block must be True or False, not {type(by_block).__name__}: blocks are added "
                "later, by add_blocks"
            )
        if check_relation(relation) != "add-remove" and by_block:
            raise ValueError(
                f"relation must be 'add-remove' for a ledger with blocks: under {relation!r} a "
                "record that changes may move from one block to another"
            )
        if not isinstance(units_in_one_block, bool):
            raise TypeError(
                f"units_in_one_block must be True or False, not {type(units_in_one_block).__name__}"
            )
        if units_in_one_block and not by_block:
            raise ValueError("units_in_one_block must be left out for a ledger without blocks")
        if block_column is not None:
            check_string(block_column, "block_column")
            if not by_block:
                raise ValueError("block_column must be left out for a ledger without blocks")
        splits = by_block and not units_in_one_block and privacy_unit != _ROW
        about = {
            "kind": "create",
            "measure": _NAMES[type(budget)],
            "budget": strings_of(own_amount_of(budget)),
            "relation": relation,
            "privacy_unit": _part_of(privacy_unit) if splits else privacy_unit,
            "whole_unit": privacy_unit,
            "uuid": str(uuid.uuid4()),
            # Earlier ledgers have no such entry.
            **({} if block_column is None else {"block_column": block_column}),
        }

        def write(connection: Connection) -> tuple[int, str]:
            connection.execute("INSERT INTO head VALUES (?, 0, '')", (about["uuid"],))
            append_entry(connection, about | describe_writer())
            if not by_block:
                append_entry(connection, {"kind": "block", "block": ALL} | describe_writer())
                insert_block(connection, ALL, own_amount_of(budget))
            return read_head(connection)

        head = create_file(read_path(path), write)
        return cls.open(path, expect_head=head)

    @classmethod
    @explain_arguments
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        expect_head: tuple[int, str] | None = None,
        read_only: bool = False,
    ) -> Self:
        """Open a ledger.

        Parameters
        ----------
        path : path
            The path of a file with one name (one hard link, no mount point) on a disk of this
            machine.
        expect_head : (int, str), optional
            A head that `head()` has returned and that was kept elsewhere. An older copy of the file
            is refused.
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
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = folder + "/ledger"
        ...     BudgetLedger.create(path, PureDP(1), privacy_unit="person").close()
        ...     with BudgetLedger.open(path, read_only=True) as ledger:
        ...         ledger.privacy_unit
        'person'

        """
        seq, digest = (0, "") if expect_head is None else check_head(expect_head)

        def about(connection: Connection) -> tuple[str, str | None, Loss, str, str, str]:
            first = connection.execute("SELECT body FROM entry WHERE seq = 1").fetchone()
            if expect_head is not None and read_hash(connection, seq) != digest:
                raise LedgerRollbackError(
                    "the ledger is older than expect_head, or another one: it does not have "
                    f"the entry {seq} with that hash; find the newest copy"
                )
            try:
                entry = json.loads(first[0])
                budget = loss_of_amount(_MEASURES[entry["measure"]], amount_from(entry["budget"]))
                unit, id_ = entry["privacy_unit"], entry["uuid"]
                whole, column = entry["whole_unit"], entry.get("block_column")
                return whole, column, budget, unit, check_relation(entry["relation"]), id_
            except (TypeError, KeyError, ValueError, ArithmeticError):
                raise LedgerCorruptError(
                    "the ledger is damaged: its first entry is not what was written"
                ) from None

        file = Store.open(read_path(path), read_only=read_only)
        with file.closed_by_errors():
            found = file.read(about)
        new = object.__new__(cls)
        for name, value in zip(cls.__slots__, (file, *found), strict=True):
            object.__setattr__(new, name, value)
        return new

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"the {name} of a ledger cannot be changed")

    @property
    def spent(self) -> Any:
        """What was charged; of a ledger with blocks, a dict of losses by block id."""
        found = LossesByBlock({id_: each.spent for id_, each in self._states().items()})
        return found.get(ALL, found)

    @property
    def remaining(self) -> Any:
        """What may still be charged; of a ledger with blocks, a dict of losses by block id.

        That is 0 for a retired block, whatever was charged to it.
        """
        found = LossesByBlock({id_: each.remaining for id_, each in self._states().items()})
        return found.get(ALL, found)

    def history(self) -> LedgerHistory:
        """Return all entries, oldest first, and check their hashes.

        Returns
        -------
        LedgerHistory
            A list of dict, which prints a line for each entry, as `cydp ledger history` does.

        Raises
        ------
        LedgerCorruptError
            If an entry is not what was written.

        Examples
        --------
        >>> import tempfile
        >>> import cydp
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = BudgetLedger.create(f"{folder}/b.db", cydp.PureDP(1), privacy_unit="row")
        ...     _ = ledger.charge(cydp.PureDP("0.1"), label="ages")
        ...     entries = ledger.history()
        ...     ledger.close()
        >>> entries[-1]["label"]
        'ages'
        >>> print(entries)  # doctest: +ELLIPSIS
        1 ... create epsilon=1 for each row, add-remove
        2 ... block
        3 ... charge epsilon=0.1: ages

        """
        entries = self._store.read(lambda connection: list(read_entries(connection)))
        return LedgerHistory(entries, self.budget)

    def head(self) -> tuple[int, str]:
        """Return the head: the place and the hash of the last entry.

        A head that is kept elsewhere lets `open` refuse an older copy of the file.
        """
        return self._store.read(read_head)

    def verify(self) -> None:
        """Compute all blocks and results from the entries, and compare the file with them.

        Raises
        ------
        LedgerCorruptError
            If the file is damaged, or does not hold what was written.

        """
        self._store.read(verify)

    def report(self) -> LedgerReport:
        """Return a text for people that says what was spent, on what, and what is left.

        Returns
        -------
        LedgerReport
            It prints a line for blocks that have spent the same, those that have spent before the
            others, and a line for each thing that was released: at which entries, when, at which
            cost, by which label, of which columns, file, public keys and condition. If there are
            more than 20, the last 20; earlier ones are counted. "No result" is said of a charge
            with an id whose result was not recorded. Hashes of
            the last 1,000 charges are checked; `verify` checks all. Its `to_html()` is a page that
            says what is protected and promised, for people who decide on budgets.

        Examples
        --------
        >>> import tempfile
        >>> import cydp
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     budget = cydp.PureDP(1)
        ...     with BudgetLedger.create(folder + "/l", budget, privacy_unit="row") as ledger:
        ...         table = {"sex": ["f", "m"], "age": [31, 64]}
        ...         release = cydp.value_counts(
        ...             table, ["f", "m"], column="sex", epsilon=0.5, budget=ledger
        ...         )
        ...         print(ledger.report().text.splitlines()[-1].partition("Z ")[2])
        PureDP(epsilon=0.5): value_counts by sex, keys f, m

        """

        def read(
            connection: Connection,
        ) -> tuple[dict[str, BlockState], list[Entry], int, set[str]]:
            states, charges = read_states(connection, type(self.budget)), count_charges(connection)
            recorded = {row[0] for row in connection.execute("SELECT charge_id FROM outcome")}
            return states, read_last_charges(connection, MOST_READ), charges, recorded

        blocks, charges, n_charges, recorded = self._store.read(read)
        guarantee = (
            blocks[ALL].spent if ALL in blocks else guarantee_of(blocks, self.budget, self.relation)
        )
        about = self.budget, self.privacy_unit, self.relation, guarantee
        return write_report(
            *about, self._in_all_blocks(blocks), blocks, charges, n_charges, recorded
        )

    def _repr_html_(self) -> str:
        return self.report().to_html()

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
        return f"<BudgetLedger: {self.budget} for each {unit}, {self.relation!r}>"


def _part_of(unit: str) -> str:
    """Return what a ledger protects if its blocks may split a unit."""
    return f"{unit} in one block"
