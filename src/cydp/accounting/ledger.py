# SPDX-License-Identifier: MIT
"""A budget in a file: durable, for several processes, with blocks of growing data."""

import json
import os
import uuid
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, NoReturn, Self, SupportsIndex

from cydp.accounting import store
from cydp.accounting.blocks import (
    ALL,
    State,
    block_ids,
    block_of,
    insert_block,
    parts_within,
    states,
    verify,
)
from cydp.accounting.budget import Cost, check_budget, total_of
from cydp.accounting.charges import ARGUMENTS, Charge, Receipt, check_names, checked, written
from cydp.accounting.entries import (
    digest_of,
    dims_of,
    fractions_of,
    head_of,
    json_of,
    parts_of,
    text_of,
    texts_of,
    when,
)
from cydp.accounting.errors import (
    BlockRetiredError,
    LedgerCorruptError,
    LedgerError,
    LedgerRollbackError,
)
from cydp.accounting.ledger_report import report_of
from cydp.accounting.loss import ZCDP, ApproxDP, Loss, PureDP, loss_from
from cydp.accounting.report import html_of, printable
from cydp.relations import check_relation

_MEASURES: dict[str, type[Loss]] = {"pure": PureDP, "approximate": ApproxDP, "zcdp": ZCDP}
_NAMES = {kind: name for name, kind in _MEASURES.items()}


class BudgetLedger:
    """A budget that is kept in a file, charged durably before data is read.

    Several processes and threads may charge one ledger. Entries are appended and chained by
    hashes; nothing is paid back. Made by `create` and `open`.

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

    _store: store.Store
    budget: Loss
    privacy_unit: str
    relation: str

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError(
            "a BudgetLedger is made by BudgetLedger.create(path, budget, privacy_unit=...) or by "
            "BudgetLedger.open(path)"
        )

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        budget: Loss,
        *,
        relation: str = "add-remove",
        privacy_unit: str,
        blocks: bool = False,
    ) -> Self:
        """Make a ledger in a new file.

        Parameters
        ----------
        path : path
            Of a file that does not exist.
        budget : PureDP, ApproxDP or ZCDP
            Also the measure that it is kept in.
        relation : {"add-remove", "change-one"}
        privacy_unit : str
            Whom a unit stands for: "person", "person-day".
        blocks : bool, default False
            Whether blocks will be added, each with a budget of its own, at most this one. Else
            there is one, "all".

        Raises
        ------
        TypeError, ValueError
            For a bad parameter.
        LedgerError
            If there is a file already, or none can be made that keeps what is written.

        """
        check_budget(budget)
        if not text_of(privacy_unit, "privacy_unit").strip():
            raise ValueError("privacy_unit must say whom a unit stands for, such as 'person'")
        if check_relation(relation) == "change-one" and blocks:
            raise ValueError(
                "relation must be 'add-remove' for blocks: a record that changes may move"
            )
        about = {
            "kind": "create", "measure": _NAMES[type(budget)], "budget": texts_of(parts_of(budget)),
            "relation": relation, "privacy_unit": privacy_unit, "uuid": str(uuid.uuid4()),
        }  # fmt: skip
        with store.Store.creating(store.path_of(path)) as connection:
            store.append(connection, about | when())
            if not blocks:
                store.append(connection, {"kind": "block", "block": ALL} | when())
                insert_block(connection, ALL, parts_of(budget))
            head = store.head(connection)
        return cls.open(path, head)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        expect_head: tuple[int, str] | None = None,
        *,
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
            Whether to refuse every change with a LedgerError. To open it, leave to read the file
            and its folder is enough.

        Raises
        ------
        LedgerError
            If there is no ledger, or it is damaged, older than expected, of another version, or
            has another name.

        """
        seq, digest = (0, "") if expect_head is None else head_of(expect_head)
        file = store.Store.open(store.path_of(path), read_only=read_only)
        with file.closed_by_errors(), file.reading() as connection:
            first = connection.execute("SELECT body FROM entry WHERE seq = 1").fetchone()
            if expect_head is not None:
                row = connection.execute("SELECT hash FROM entry WHERE seq = ?", (seq,)).fetchone()
                if row is None or row[0] != digest:
                    raise LedgerRollbackError(f"the ledger does not have the entry {seq} it had")
            try:
                about = json.loads(first[0])
                budget = loss_from(_MEASURES[about["measure"]], fractions_of(about["budget"]))
                relation, unit = check_relation(about["relation"]), about["privacy_unit"]
            except (TypeError, KeyError, ValueError, ArithmeticError):
                raise LedgerCorruptError(
                    "the first entry of the ledger is not what was written"
                ) from None
        new = object.__new__(cls)
        for name, value in zip(cls.__slots__, (file, budget, unit, relation), strict=True):
            object.__setattr__(new, name, value)
        return new

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"the {name} of a ledger cannot be changed")

    def add_block(self, block: str, budget: Loss | None = None, **dims: Any) -> None:
        """Add a block of data that nothing was charged for yet.

        Parameters
        ----------
        block : str
            Its id, such as a day. What lies in it must not depend on the data.
        budget : loss, optional
            Of the ledger's measure; default, and at most, the ledger's budget.
        **dims
            What else is to be known of it; kept in the history.

        Raises
        ------
        TypeError, ValueError
            For a bad id, a larger budget or one of another measure, and for dims that JSON has not.
        LedgerError
            If the ledger was made without blocks, or has such a block.

        """
        self.add_blocks([block], budget, **dims)

    def add_blocks(
        self, blocks: Iterable[str] | Mapping[str, Loss], budget: Loss | None = None, **dims: Any
    ) -> None:
        """Add several blocks of data at once, as `add_block` does, all of them or none.

        A mapping gives each block its own budget; it is a TypeError to pass `budget` besides.
        """
        if isinstance(blocks, Mapping):
            if budget is not None:
                raise TypeError("budget must not be given besides a mapping of blocks to budgets")
            budgets = dict(blocks)
        else:
            budgets = dict.fromkeys(block_ids(blocks), self.budget if budget is None else budget)
        if ALL in block_ids(list(budgets)):
            raise ValueError("a block cannot have the id 'all'")
        parts = {block: parts_within(budget, self.budget) for block, budget in budgets.items()}
        described = dims_of(dims)
        with self._store.writing() as connection:
            for block, part in parts.items():
                known = connection.execute("SELECT id FROM block WHERE id IN (?, ?)", (ALL, block))
                found = known.fetchone()
                if found == (ALL,):
                    raise LedgerError("the ledger was made without blocks")
                if found is not None:
                    raise LedgerError(f"the ledger has a block {block!r} already")
                entry = {"kind": "block", "block": block, "budget": texts_of(part)}
                store.append(connection, entry | {"dims": described} | when())
                insert_block(connection, block, part)

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
            For what is no id.

        """
        text_of(block, "block")
        with self._store.writing() as connection:
            if block_of(connection, block)[2]:
                raise BlockRetiredError(f"block {block!r} was retired")
            store.append(connection, {"kind": "retire", "block": block} | when())
            connection.execute("UPDATE block SET retired = 1 WHERE id = ?", (block,))

    def blocks(self, *blocks: str, label: str | None = None) -> "LedgerBlocks":
        """Return the budget of some blocks, to be passed as ``budget=``.

        Parameters
        ----------
        *blocks : str
            Those that will be read. For a ledger without blocks, "all".
        label : str, optional
            What the charges are for, in the history.

        Raises
        ------
        TypeError, ValueError
            For no blocks, or the same one twice.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import DiscreteLaplace
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = folder + "/l"
        ...     with BudgetLedger.create(
        ...         path, PureDP(1), privacy_unit="person-day", blocks=True
        ...     ) as ledger:
        ...         ledger.add_block("2026-11-20")
        ...         budget = ledger.blocks("2026-11-20", label="visits")
        ...         visits = DiscreteLaplace(0.1).release(12, budget=budget)
        ...         ledger.remaining
        {'2026-11-20': PureDP(epsilon=0.9)}

        """
        return LedgerBlocks(
            self, block_ids(blocks), None if label is None else text_of(label, "label")
        )

    def charge(
        self,
        cost: Cost,
        count: SupportsIndex = 1,
        *,
        blocks: Sequence[str] | None = None,
        charge_id: str | None = None,
        label: str | None = None,
        relation: str | None = None,
    ) -> Receipt:
        """Spend a loss so many times in each block, durably, or raise and spend nothing.

        Parameters
        ----------
        cost : loss, mechanism or release
        count : int >= 0, default 1
        blocks : sequence of str, optional
            Those that will be read; each pays in full. Needed if the ledger has any.
        charge_id : str, optional
            Makes the call safe to repeat. Default: a fresh one.
        label : str, optional
            For the history.
        relation : str, optional
            What the loss is stated under, if that is known.

        Returns
        -------
        Receipt
            For an id that was charged before, and whose result was recorded: that result.

        Raises
        ------
        BudgetExceededError
            If it does not fit into a block. It may fit exactly.
        MeasureMismatchError, RelationMismatchError
            If the loss says nothing in the ledger's measure, or is stated under another relation.
        UnknownBlockError, BlockRetiredError
        ChargeConflictError, ChargeInDoubtError
            If something else, or the same without a recorded result, was charged by this id.
        LedgerError
            If the file cannot be written.
        TypeError, ValueError
            For what is no loss, count, id or label.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", ZCDP(1), privacy_unit="person") as ledger:
        ...         ledger.charge(PureDP(0.5), charge_id="monday").cost
        ZCDP(rho=0.125)

        """
        charge = self._checked(cost, count, blocks, charge_id, label, relation)
        with self._store.writing() as connection:
            return written(connection, charge)

    def charge_many(self, charges: Sequence[dict[str, Any]]) -> list[Receipt]:
        """Make several charges in one transaction, all of them or none.

        Parameters
        ----------
        charges : sequence of dict
            The arguments of `charge`, by name.

        Returns
        -------
        list of Receipt
            One for each.

        Raises
        ------
        TypeError, ValueError, PrivacyError
            What `charge` raises for any of them; then none is charged.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", PureDP(1), privacy_unit="person") as ledger:
        ...         receipts = ledger.charge_many([{"cost": PureDP(0.01), "label": "ages"}] * 50)
        ...         ledger.spent
        PureDP(epsilon=0.5)

        """
        if not isinstance(charges, Iterable):
            raise TypeError(f"charges must be dicts, not {type(charges).__name__}")
        read = [
            self._checked(*(given.get(name, default) for name, default in ARGUMENTS.items()))
            for given in charges
            if not check_names(given)
        ]
        with self._store.writing() as connection:
            return [written(connection, charge) for charge in read]

    def _checked(self, cost: Cost, *arguments: Any) -> Charge:
        return checked(self.budget, self.relation, cost, *arguments)

    def record(self, charge_id: str, result: Any) -> None:
        """Store what was released for a charge, once: who repeats the charge gets it.

        Parameters
        ----------
        charge_id : str
        result : what JSON can hold
            Of a release, not of the data.

        Raises
        ------
        TypeError, ValueError
            For what JSON cannot hold.
        LedgerError
            If nothing was charged by this id, or its result was recorded before.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", PureDP(1), privacy_unit="person") as ledger:
        ...         receipt = ledger.charge(PureDP(0.5), charge_id="monday")
        ...         ledger.record("monday", {"counts": [3, 4]})
        ...         ledger.charge(PureDP(0.5), charge_id="monday").result  # and nothing is charged
        {'counts': [3, 4]}

        """
        text = json_of(result, "result")
        entry = {"kind": "result", "result_of": charge_id, "sha256": digest_of(text)} | when()
        with self._store.writing() as connection:
            known = connection.execute(
                "SELECT result FROM entry LEFT JOIN outcome USING (charge_id) WHERE charge_id = ?",
                (charge_id,),
            ).fetchone()
            if known is None:
                raise LedgerError(f"nothing was charged by the id {charge_id!r}")
            if known[0] is not None:
                raise LedgerError(f"the result of {charge_id!r} was recorded before")
            connection.execute("INSERT INTO outcome VALUES (?, ?)", (charge_id, text))
            store.append(connection, entry)

    @property
    def spent(self) -> Any:
        """What was charged; of a ledger with blocks, a dict of them."""
        found = {block: spent for block, (_, spent, _, _) in self._by_block().items()}
        return found.get(ALL, found)

    @property
    def remaining(self) -> Any:
        """What may still be charged; of a ledger with blocks, a dict of them.

        That is 0 for a retired block, whatever was charged to it.
        """
        found = {block: left for block, (_, _, left, _) in self._by_block().items()}
        return found.get(ALL, found)

    def _by_block(self) -> dict[str, State]:
        with self._store.reading() as connection:
            return states(connection, type(self.budget))

    def would_exceed(
        self, cost: Cost, count: SupportsIndex = 1, *, blocks: Sequence[str] | None = None
    ) -> bool:
        """Whether a charge would be refused for lack of budget, as things stand.

        Nothing is promised: another process may charge in between. Raises what `charge` raises
        for a cost or blocks that could never be charged.
        """
        charge = self._checked(cost, count, blocks, None, None, None)
        with self._store.reading() as connection:
            for block in charge.blocks:
                budget, spent, retired = block_of(connection, block)
                if retired:
                    raise BlockRetiredError(f"block {block!r} was retired")
                total = map(total_of, spent, charge.asked)
                if any(a > b for a, b in zip(total, budget, strict=True)):
                    return True
        return False

    def history(self) -> list[dict[str, Any]]:
        """Return all entries, oldest first, with their hashes checked.

        Raises
        ------
        LedgerCorruptError
            If one is not what was written.

        """
        with self._store.reading() as connection:
            return list(store.entries(connection))

    def head(self) -> tuple[int, str]:
        """Return place and hash of the last entry; kept elsewhere, they show an old copy."""
        with self._store.reading() as connection:
            return store.head(connection)

    def verify(self) -> None:
        """Compute everything anew from the entries, and compare.

        Raises
        ------
        LedgerCorruptError
            If the file is damaged, or anything in it is not what was written.

        """
        with self._store.reading() as connection:
            verify(connection)

    def report(self) -> str:
        """Return for people what was spent, on what, and what is left.

        Of more than 20 blocks or 20 charges, the last ones.
        """
        with self._store.reading() as connection:
            found = states(connection, type(self.budget))
            charges = [entry for entry in store.entries(connection) if entry["kind"] == "charge"]
        about = f"budget {self.budget} for each {printable(self.privacy_unit)}"
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
        unit = printable(self.privacy_unit)
        return f"<BudgetLedger: {self.budget} for each {unit}, {self.relation!r}>"


class LedgerBlocks:
    """Some blocks of a ledger, as a budget; made by `BudgetLedger.blocks`."""

    __slots__ = ("blocks", "label", "ledger")

    def __init__(self, ledger: BudgetLedger, blocks: tuple[str, ...], label: str | None) -> None:
        self.ledger, self.blocks, self.label = ledger, blocks, label

    def charge(
        self, cost: Cost, count: SupportsIndex = 1, *, relation: str | None = None
    ) -> Receipt:
        """Spend a loss in each of the blocks, as `BudgetLedger.charge` does."""
        return self.ledger.charge(
            cost, count, blocks=self.blocks, label=self.label, relation=relation
        )

    def would_exceed(self, cost: Cost, count: SupportsIndex = 1) -> bool:
        """Whether a charge would be refused for lack of budget, as things stand."""
        return self.ledger.would_exceed(cost, count, blocks=self.blocks)

    def __repr__(self) -> str:
        return f"{self.ledger!r}.blocks({', '.join(map(repr, self.blocks))})"
