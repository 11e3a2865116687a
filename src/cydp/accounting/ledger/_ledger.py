# SPDX-License-Identifier: MIT
"""A budget in a file: durable, for several processes, with blocks of growing data."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Mapping
from sqlite3 import Connection
from types import TracebackType
from typing import Any, NoReturn, Self

from cydp._named import explained, own_methods
from cydp._relations import check_relation
from cydp.accounting._amounts import loss_of_amount
from cydp.accounting._budget import check_budget
from cydp.accounting._errors import (
    BlockRetiredError,
    LedgerCorruptError,
    LedgerError,
    LedgerRollbackError,
    UnknownBlockError,
)
from cydp.accounting._format import format_name, html_of
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting.ledger import _store
from cydp.accounting.ledger._blocks import (
    ALL,
    State,
    block_ids,
    block_of,
    insert_block,
    parts_within,
    states,
    told_retired,
    told_unknown,
    verify,
)
from cydp.accounting.ledger._charging import LedgerCharges
from cydp.accounting.ledger._entries import (
    dims_of,
    fractions_of,
    head_of,
    parts_of,
    text_of,
    texts_of,
    when,
)
from cydp.accounting.ledger._report import report_of

__all__ = ["BudgetLedger"]

_MEASURES: dict[str, type[Loss]] = {"pure": PureDP, "approximate": ApproxDP, "zcdp": ZCDP}
_NAMES = {kind: name for name, kind in _MEASURES.items()}


@own_methods
class BudgetLedger(LedgerCharges):
    """A budget that is kept in a file, charged durably before data is read.

    Several processes and threads may charge one ledger. Entries are appended and chained by
    hashes; nothing is paid back. Made by `create` and `open`.

    Attributes
    ----------
    budget : loss
        What may be spent in all. Of a ledger with blocks: the most that a block may have.
    relation : {"add-remove", "change-one"}
        The relation of neighbours that the losses are stated under.
    privacy_unit : str
        Whom a unit stands for.

    Notes
    -----
    Blocks with budgets of their own: Lecuyer, Spahn, Vodrahalli, Geambasu, Hsu, "Privacy accounting
    and quality control in the Sage differentially private ML platform", 2019.

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

    __slots__ = ("_store", "budget", "privacy_unit", "relation")

    _store: _store.Store
    budget: Loss
    privacy_unit: str
    relation: str

    def __init__(self, *use_create_or_open: object, **instead: object) -> None:
        raise TypeError(
            "a BudgetLedger is made by BudgetLedger.create(path, budget, privacy_unit='person') or "
            "opened by BudgetLedger.open(path)"
        )

    @classmethod
    @explained
    def create(
        cls,
        path: str | os.PathLike[str],
        budget: Loss,
        *,
        relation: str = "add-remove",
        privacy_unit: str,
        by_block: bool = False,
    ) -> Self:
        """Make a ledger in a new file.

        Parameters
        ----------
        path : path
            Of a file that does not exist.
        budget : PureDP, ApproxDP or ZCDP
            Also the measure that it is kept in.
        relation : {"add-remove", "change-one"}, default "add-remove"
            The relation of neighbours that the losses are stated under.
        privacy_unit : str
            Whom a unit stands for: "person", "person-day".
        by_block : bool, default False
            Whether blocks of data will be added, each with a budget of its own, which is at most
            this one.

        Raises
        ------
        TypeError, ValueError
            For a bad parameter.
        LedgerError
            If there is a file already, or none can be made that keeps what is written.

        """
        check_budget(budget, relation)
        if not text_of(privacy_unit, "privacy_unit").strip():
            raise ValueError("privacy_unit must say whom a unit stands for, such as 'person'")
        if not isinstance(by_block, bool):
            raise TypeError(
                f"by_block must be True or False, not {type(by_block).__name__}: blocks are added "
                "later, by add_blocks"
            )
        if check_relation(relation) == "change-one" and by_block:
            raise ValueError(
                "relation must be 'add-remove' for a ledger with blocks: under 'change-one' a "
                "record that changes may move from one block to another"
            )
        about = {
            "kind": "create", "measure": _NAMES[type(budget)], "budget": texts_of(parts_of(budget)),
            "relation": relation, "privacy_unit": privacy_unit, "uuid": str(uuid.uuid4()),
        }  # fmt: skip

        def write(connection: Connection) -> tuple[int, str]:
            _store.append(connection, about | when())
            if not by_block:
                _store.append(connection, {"kind": "block", "block": ALL} | when())
                insert_block(connection, ALL, parts_of(budget))
            return _store.head(connection)

        head = _store.Store.create(_store.path_of(path), write)
        return cls.open(path, expect_head=head)

    @classmethod
    @explained
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
            Of a file with one name (one hard link, no mount point) on a disk of this machine.
        expect_head : (int, str), optional
            What `head()` gave before and was kept elsewhere: an older copy of the file is refused.
        read_only : bool, default False
            Whether to refuse every change with a LedgerError. Permission to read the file and its
            folder is then enough.

        Raises
        ------
        LedgerError
            If there is no ledger, or it is damaged, older than expected, of another version, or
            has another name.

        """
        seq, digest = (0, "") if expect_head is None else head_of(expect_head)

        def about(connection: Connection) -> tuple[Loss, str, str]:
            first = connection.execute("SELECT body FROM entry WHERE seq = 1").fetchone()
            if expect_head is not None:
                row = connection.execute("SELECT hash FROM entry WHERE seq = ?", (seq,)).fetchone()
                if row is None or row[0] != digest:
                    raise LedgerRollbackError(
                        "the ledger is older than expect_head, or another one: it does not have "
                        f"the entry {seq} with that hash; find the newest copy"
                    )
            try:
                told = json.loads(first[0])
                budget = loss_of_amount(_MEASURES[told["measure"]], fractions_of(told["budget"]))
                return budget, check_relation(told["relation"]), told["privacy_unit"]
            except (TypeError, KeyError, ValueError, ArithmeticError):
                raise LedgerCorruptError(
                    "the ledger is damaged: its first entry is not what was written"
                ) from None

        file = _store.Store.open(_store.path_of(path), read_only=read_only)
        with file.closed_by_errors():
            budget, relation, unit = file.read(about)
        new = object.__new__(cls)
        for name, value in zip(cls.__slots__, (file, budget, unit, relation), strict=True):
            object.__setattr__(new, name, value)
        return new

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"the {name} of a ledger cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the {name} of a ledger cannot be deleted")

    def add_block(self, block: str, budget: Loss | None = None, **dims: Any) -> None:
        """Add a block of data that nothing was charged for yet.

        Parameters
        ----------
        block : str
            Its id, such as a day. Which records lie in it must not depend on the data.
        budget : loss, optional
            Of the ledger's measure. At most the ledger's budget, which is the default.
        **dims
            What else is to be known of the block; kept in the history.

        Raises
        ------
        TypeError, ValueError
            For a bad id, a budget that is larger or of another measure, and for dims that JSON
            cannot hold.
        LedgerError
            If the ledger was made without blocks, or has such a block.

        """
        self.add_blocks([text_of(block, "block")], budget, **dims)

    def add_blocks(
        self, blocks: Iterable[str] | Mapping[str, Loss], budget: Loss | None = None, **dims: Any
    ) -> None:
        """Add several blocks of data at once, as `add_block` does, all of them or none.

        Parameters
        ----------
        blocks : list of str, or dict of losses by block id
            A dict gives each block its own budget; then `budget` must be left out.
        budget, **dims
            As in `add_block`, for all of these blocks.

        Raises
        ------
        TypeError, ValueError, LedgerError
            As `add_block` does.

        """
        if isinstance(blocks, Mapping):
            if budget is not None:
                raise TypeError(
                    "budget must be left out if blocks is a dict, which has a budget for each"
                )
            budgets = dict(blocks)
        else:
            budgets = dict.fromkeys(block_ids(blocks), self.budget if budget is None else budget)
        if ALL in block_ids(list(budgets)):
            raise ValueError(
                "block must not be 'all', which stands for a ledger without blocks: use another id"
            )
        parts = {
            block: parts_within(budget, self.budget, self.relation)
            for block, budget in budgets.items()
        }
        described = dims_of(dims)

        def insert(connection: Connection) -> None:
            for block, part in parts.items():
                known = connection.execute("SELECT id FROM block WHERE id IN (?, ?)", (ALL, block))
                found = known.fetchone()
                if found == (ALL,):
                    raise LedgerError(
                        "no block can be added, since the ledger was made without blocks: make "
                        "another ledger with by_block=True"
                    )
                if found is not None:
                    raise LedgerError(
                        f"block {block!r} is in the ledger already: use another id, or leave it out"
                    )
                entry = {"kind": "block", "block": block, "budget": texts_of(part)}
                _store.append(connection, entry | {"dims": described} | when())
                insert_block(connection, block, part)

        self._store.write(insert)

    def retire(self, block: str) -> None:
        """Let nothing be charged to a block any more, for ever.

        Parameters
        ----------
        block : str

        Raises
        ------
        UnknownBlockError, BlockRetiredError
            If there is no such block, or it was retired before.
        TypeError, ValueError
            For a bad id.

        """
        text_of(block, "block")

        def update(connection: Connection) -> None:
            if block == ALL:
                raise UnknownBlockError(told_unknown(connection, block, "block"))
            if block_of(connection, block, "block")[2]:
                raise BlockRetiredError(told_retired(block))
            _store.append(connection, {"kind": "retire", "block": block} | when())
            connection.execute("UPDATE block SET retired = 1 WHERE id = ?", (block,))

        self._store.write(update)

    @property
    def spent(self) -> Any:
        """What was charged; of a ledger with blocks, a dict of losses by block id."""
        found = {block: spent for block, (_, spent, _, _) in self._states().items()}
        return found.get(ALL, found)

    @property
    def remaining(self) -> Any:
        """What may still be charged; of a ledger with blocks, a dict of losses by block id.

        That is 0 for a retired block, whatever was charged to it.
        """
        found = {block: left for block, (_, _, left, _) in self._states().items()}
        return found.get(ALL, found)

    def history(self) -> list[dict[str, Any]]:
        """Return all entries, oldest first, with their hashes checked.

        Raises
        ------
        LedgerCorruptError
            If an entry is not what was written.

        """
        return self._store.read(lambda connection: list(_store.entries(connection)))

    def head(self) -> tuple[int, str]:
        """Return place and hash of the last entry; kept elsewhere, they show an old copy."""
        return self._store.read(_store.head)

    def verify(self) -> None:
        """Compute everything anew from the entries, and compare.

        Raises
        ------
        LedgerCorruptError
            If the file is damaged, or anything in it is not what was written.

        """
        self._store.read(verify)

    def report(self) -> str:
        """Return for people what was spent, on what, and what is left.

        Of more than 20 blocks or 20 charges, the last ones.
        """

        def seen(connection: Connection) -> tuple[dict[str, State], list[_store.Entry]]:
            return states(connection, type(self.budget)), list(_store.entries(connection))

        found, entries = self._store.read(seen)
        charges = [entry for entry in entries if entry["kind"] == "charge"]
        about = f"budget {self.budget} for each {format_name(self.privacy_unit)}"
        about += f", under {self.relation!r}"
        return report_of(about, found, charges, type(self.budget))

    def _repr_html_(self) -> str:
        return html_of(self.report())

    def close(self) -> None:
        """Close the file; the next use opens it again."""
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
