# SPDX-License-Identifier: MIT
"""A budget in a file: durable, for several processes, with blocks of growing data."""

import json
import os
import uuid
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, NoReturn, Self, SupportsIndex

from cydp.accounting import store
from cydp.accounting.blocks import ALL, block_ids, block_of, from_row, insert_block, replayed
from cydp.accounting.budget import Cost, check_budget, total_of
from cydp.accounting.charges import (
    ARGUMENTS,
    Call,
    Charge,
    Receipt,
    check_names,
    checked,
    read_result,
    written,
)
from cydp.accounting.entries import (
    digest_of,
    fractions_of,
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
from cydp.accounting.ledger_blocks import LedgerBlocks
from cydp.accounting.loss import ZCDP, ApproxDP, Loss, PureDP, loss_from
from cydp.accounting.notes import note
from cydp.accounting.outcomes import check_size, text_of_result
from cydp.accounting.report import html_of, printable
from cydp.rational import index
from cydp.relations import check_relation

_MEASURES: dict[str, type[Loss]] = {"pure": PureDP, "approximate": ApproxDP, "zcdp": ZCDP}
_NAMES = {kind: name for name, kind in _MEASURES.items()}
_SHOWN = 20  # charges of a report


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

    def __init__(self) -> None:
        raise TypeError("a BudgetLedger is made by BudgetLedger.create or BudgetLedger.open")

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
        check_budget(budget, relation)
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
        return cls.open(path)

    @classmethod
    def open(cls, path: str | os.PathLike[str], expect_head: tuple[int, str] | None = None) -> Self:
        """Open a ledger.

        Parameters
        ----------
        path : path
        expect_head : (int, str), optional
            What `head()` gave before and was kept elsewhere: an older copy of the file is refused.

        Raises
        ------
        LedgerError
            If there is none, or it is damaged, older than expected or of another version.

        """
        seq, digest = (0, "") if expect_head is None else head_of(expect_head)
        file = store.Store.open(store.path_of(path))
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

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the {name} of a ledger cannot be deleted")

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

    def add_blocks(self, blocks: Iterable[str], budget: Loss | None = None, **dims: Any) -> None:
        """Add several blocks of data at once, as `add_block` does, all of them or none."""
        ids = block_ids(blocks)
        if ALL in ids:
            raise ValueError("a block cannot have the id 'all'")
        allowed = self.budget if budget is None else check_budget(budget, self.relation)
        if type(allowed) is not type(self.budget):
            raise TypeError(f"budget must be of the ledger's measure, as {self.budget} is")
        parts = parts_of(allowed)
        if any(a > b for a, b in zip(parts, parts_of(self.budget), strict=True)):
            raise ValueError(f"budget must be at most the ledger's, {self.budget}")
        json_of(dims, "dims")
        with self._store.writing() as connection:
            for block in ids:
                known = connection.execute("SELECT id FROM block WHERE id IN (?, ?)", (ALL, block))
                found = known.fetchone()
                if found == (ALL,):
                    raise LedgerError("the ledger was made without blocks")
                if found is not None:
                    raise LedgerError(f"the ledger has a block {block!r} already")
                entry = {"kind": "block", "block": block, "budget": texts_of(parts), "dims": dims}
                store.append(connection, entry | when())
                insert_block(connection, block, parts)

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

    def blocks(
        self,
        *blocks: str,
        label: str | None = None,
        charge_id: str | None = None,
        data_version: str | None = None,
    ) -> LedgerBlocks:
        """Return the budget of some blocks, to be passed as ``budget=``.

        Parameters
        ----------
        *blocks : str
            The blocks that will be read. For a ledger without blocks: none, or "all".
        label : str, optional
            What the charges are for, in the history.
        charge_id : str, optional
            Makes one release safe to repeat: it is charged, drawn and recorded once, and the same
            call with the same id returns what was recorded, without a charge and without reading
            data. See `once`.
        data_version : str, optional
            What the caller calls the data, so that a repetition on other data is refused.

        Raises
        ------
        TypeError, ValueError
            For the same block twice, and for what is no block, label, id or version.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import DiscreteLaplace
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = folder + "/l"
        ...     with BudgetLedger.create(path, PureDP(1), privacy_unit="person") as ledger:
        ...         budget = ledger.blocks(charge_id="visits", data_version="2026-11-20")
        ...         first = DiscreteLaplace(0.1).release(12, budget=budget)
        ...         again = DiscreteLaplace(0.1).release(12, budget=budget)
        ...         first == again, ledger.remaining
        (True, PureDP(epsilon=0.9))

        """
        texts = {"label": label, "charge_id": charge_id, "data_version": data_version}
        for name, text in texts.items():
            if text is not None:
                text_of(text, name)
        return LedgerBlocks(self, block_ids(blocks or (ALL,)), label, charge_id, data_version)

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
            For an id that was charged before, and whose result was recorded, it has that result
            and is not `fresh`: nothing was charged now, and new noise must not be drawn.

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

    def once(
        self,
        charge_id: str,
        cost: Cost,
        release: Callable[[], Any],
        count: SupportsIndex = 1,
        *,
        blocks: Sequence[str] | None = None,
        label: str | None = None,
        relation: str | None = None,
        function: str | None = None,
        arguments: Any = None,
        data_version: str | None = None,
        nbytes: SupportsIndex = 0,
    ) -> Any:
        """Charge, release and record; a repetition returns what was recorded.

        Parameters
        ----------
        charge_id : str
            Names this one release.
        cost, count, blocks, label, relation
            As in `charge`.
        release : callable
            Called without arguments after the charge. What it returns is recorded: what JSON can
            hold, arrays of numbers or bool, and releases of cydp; not None.
        function : str, optional
            Names what releases; default: the qualified name of `release`.
        arguments : what JSON can hold, optional
            The public arguments of the release. The ledger keeps their SHA-256.
        data_version : str, optional
            What the caller calls the data.
        nbytes : int, default 0
            How many bytes the arrays of the result will have, if that is known.

        Returns
        -------
        object
            The result, as it is read back from its record; tuples are lists.

        Raises
        ------
        ChargeConflictError
            If the id was charged with another cost, function, arguments, version or blocks.
        ChargeInDoubtError
            If the id was charged and has no recorded result: another process is at work, or
            one was stopped. The result may have been released, so to release again takes another
            id, and another charge.
        TypeError, ValueError, PrivacyError
            What `charge` raises, and for `nbytes` beyond 2**26, before anything is charged. For a
            result that cannot be recorded, after the charge, as a note to the error says.

        Notes
        -----
        The record is durable before the call returns.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import histogram
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", PureDP(1), privacy_unit="person") as ledger:
        ...
        ...         def ages():
        ...             return histogram([18, 25], 2, (0, 40), epsilon=0.5)
        ...
        ...         first = ledger.once("ages", PureDP(0.5), ages, data_version="2026")
        ...         again = ledger.once("ages", PureDP(0.5), ages, data_version="2026")
        ...         bool((first.counts == again.counts).all()), ledger.spent
        (True, PureDP(epsilon=0.5))

        """
        text_of(charge_id, "charge_id")
        if not callable(release):
            raise TypeError(f"release must be callable, not {type(release).__name__}")
        name = getattr(release, "__qualname__", type(release).__qualname__)
        call = Call(name if function is None else function, arguments, data_version)
        check_size(index(nbytes, "nbytes"))
        charge = self._checked(cost, count, blocks, charge_id, label, relation, call)
        with self._store.writing() as connection:
            receipt = written(connection, charge)
        if not receipt.fresh:
            return receipt.result
        try:
            text = text_of_result(release())
            self._record(charge_id, text)
        except BaseException as error:
            note(error, receipt.cost, receipt)
            raise
        return read_result(text)

    def record(self, charge_id: str, result: Any) -> None:
        """Store what was released for a charge, once: who repeats the charge gets it.

        `once` charges, releases and records in one call, and is safer.

        Parameters
        ----------
        charge_id : str
        result : what JSON can hold, arrays of numbers or bool, and releases of cydp; not None
            Of a release, not of the data.

        Raises
        ------
        TypeError, ValueError
            For a bad id, and for a result that cannot be recorded.
        LedgerError
            If nothing was charged by this id, or its result was recorded before.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", PureDP(1), privacy_unit="person") as ledger:
        ...         receipt = ledger.charge(PureDP(0.5), charge_id="monday")
        ...         ledger.record("monday", {"counts": [3, 4]})
        ...         again = ledger.charge(PureDP(0.5), charge_id="monday")
        ...         again.result, again.fresh  # and nothing is charged
        ({'counts': [3, 4]}, False)

        """
        self._record(text_of(charge_id, "charge_id"), text_of_result(result))

    def _record(self, charge_id: str, text: str) -> None:
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
        return self._by_block(lambda budget, spent: spent)

    @property
    def remaining(self) -> Any:
        """What may still be charged; of a ledger with blocks, a dict of them."""
        return self._by_block(
            lambda budget, spent: tuple(a - b for a, b in zip(budget, spent, strict=True))
        )

    def _by_block(self, part: Any) -> Any:
        kind = type(self.budget)
        with self._store.reading() as connection:
            rows = connection.execute("SELECT id, budget, spent FROM block ORDER BY id").fetchall()
        try:
            found = {block: loss_from(kind, part(from_row(b), from_row(s))) for block, b, s in rows}
        except ValueError:  # less than nothing is left
            raise LedgerCorruptError("a block of the ledger is not what was written") from None
        return found.get(ALL, found)

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
            if connection.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
                raise LedgerCorruptError("the file of the ledger is damaged")
            try:
                blocks, results = replayed(store.entries(connection))
            except (LookupError, TypeError, ValueError, ArithmeticError):
                raise LedgerCorruptError("an entry of the ledger is not what is written") from None
            if blocks != set(connection.execute("SELECT id, budget, spent, retired FROM block")):
                raise LedgerCorruptError("the blocks of the ledger are not what its entries say")
            stored = connection.execute("SELECT charge_id, result FROM outcome")
            if results != {(charge_id, digest_of(str(text))) for charge_id, text in stored}:
                raise LedgerCorruptError("the results of the ledger are not what its entries say")

    def report(self) -> str:
        """Return for people what was spent, on what, and what is left."""
        lines = [f"budget {self.budget} for each {self.privacy_unit}, under {self.relation!r}"]
        spent, remaining = self.spent, self.remaining
        if isinstance(spent, dict):
            lines += [
                f"  {block}: spent {spent[block]}, left {remaining[block]}" for block in spent
            ]
        else:
            lines.append(f"  spent {spent}, left {remaining}")
        charges = [entry for entry in self.history() if entry["kind"] == "charge"]
        if len(charges) > _SHOWN:
            lines.append(f"  {len(charges) - _SHOWN:,} charges, and then")
        for entry in charges[-_SHOWN:]:
            cost = loss_from(type(self.budget), fractions_of(entry["cost"]))
            on = "" if entry["blocks"] == [ALL] else f" in {', '.join(map(repr, entry['blocks']))}"
            what = printable(entry["label"] or entry["params"] or "a loss")
            lines.append(f"  {entry['seq']}. {entry['time'][:19]}Z {cost}{on}: {what}")
        return "\n".join(lines)

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
        return f"<BudgetLedger: {self.budget} for each {self.privacy_unit}, {self.relation!r}>"


def head_of(expected: tuple[int, str]) -> tuple[int, str]:
    """Return what `head` gave; TypeError or ValueError for what it never gives."""
    if not isinstance(expected, tuple | list) or len(expected) != 2:
        raise TypeError("expect_head must be what head() gave, a place and a hash")
    seq, digest = index(expected[0], "expect_head[0]"), text_of(expected[1], "expect_head[1]")
    if not 0 < seq < 2**63:
        raise ValueError("expect_head[0] must be the place of an entry")
    return seq, digest
