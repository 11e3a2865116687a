# SPDX-License-Identifier: MIT
"""How a ledger is charged: what is spent, released and recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from sqlite3 import Connection
from typing import Any

from cydp._arguments import Integer
from cydp._numbers.rational import index
from cydp.accounting._amounts import add_amounts, exceeds
from cydp.accounting._cost import Cost
from cydp.accounting._errors import (
    BlockRetiredError,
    ChargeInDoubtError,
    LedgerError,
    UnknownBlockError,
)
from cydp.accounting._loss import Loss
from cydp.accounting.ledger import _store
from cydp.accounting.ledger._blocks import (
    ALL,
    State,
    block_ids,
    block_of,
    states,
    told_retired,
    told_unknown,
)
from cydp.accounting.ledger._charges import (
    ARGUMENTS,
    Before,
    Call,
    Charge,
    Receipt,
    check_names,
    checked,
    read_result,
    written,
)
from cydp.accounting.ledger._entries import digest_of, text_of, when
from cydp.accounting.ledger._notes import note
from cydp.accounting.ledger._outcomes import check_size, text_of_result
from cydp.accounting.ledger._scope import LedgerScope

__all__ = ["LedgerCharges"]


class LedgerCharges:
    """The part of `BudgetLedger` that spends its budget."""

    __slots__ = ()

    _store: _store.Store
    budget: Loss
    relation: str

    def scope(
        self,
        *,
        blocks: Iterable[str] | None = None,
        label: str | None = None,
        charge_id: str | None = None,
        data_version: str | None = None,
    ) -> LedgerScope:
        """Return a budget of some blocks, with a label or a charge id, to pass as ``budget=``.

        Parameters
        ----------
        blocks : list of str, optional
            The ids of the blocks that will be read; each pays in full. Leave it out for a ledger
            without blocks.
        label : str, optional
            What the charges are for, in the history.
        charge_id : str, optional
            Makes one release safe to repeat: it is charged, drawn and recorded once, and the same
            call with the same id returns what was recorded, without a charge and without reading
            data. See `once`.
        data_version : str, optional
            With a charge id: what the caller calls the data, so that a repetition on other data is
            refused. The ledger cannot see that the data has changed.

        Returns
        -------
        LedgerScope

        Raises
        ------
        TypeError, ValueError
            For bad ids of blocks or the same one twice, for a bad label, charge id or version, and
            for a version without a charge id.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, DiscreteLaplace, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = folder + "/l"
        ...     with BudgetLedger.create(path, PureDP(1), privacy_unit="person") as ledger:
        ...         budget = ledger.scope(charge_id="visits", data_version="2026-11-20")
        ...         first = DiscreteLaplace(epsilon=0.1, sensitivity=1).release(12, budget=budget)
        ...         again = DiscreteLaplace(epsilon=0.1, sensitivity=1).release(12, budget=budget)
        ...         first == again, ledger.remaining
        (True, PureDP(epsilon=0.9))

        """
        texts = {"label": label, "charge_id": charge_id, "data_version": data_version}
        for name, text in texts.items():
            if text is not None:
                text_of(text, name)
        if data_version is not None and charge_id is None:
            raise ValueError(
                "charge_id must be given with data_version, which only tells whether a repetition "
                "is on the same data"
            )
        ids = () if blocks is None else self._named(block_ids(blocks))
        return LedgerScope(self, ids, label, charge_id, data_version)

    def _named(self, blocks: tuple[str, ...]) -> tuple[str, ...]:
        """Return ids of blocks that somebody wrote; UnknownBlockError for what no block may have.

        The ledger has a block of this name if it was made without blocks, and nobody names it.
        """
        if ALL in blocks:
            told = self._store.read(lambda connection: told_unknown(connection, ALL, "blocks"))
            raise UnknownBlockError(told)
        return blocks

    def _states(self, blocks: Iterable[str] | None = None) -> dict[str, State]:
        """Return budget, spending, rest and whether it is retired, of some blocks or of all."""
        return self._store.read(lambda connection: states(connection, type(self.budget), blocks))

    def charge(
        self,
        cost: Cost,
        count: Integer = 1,
        *,
        blocks: Iterable[str] | None = None,
        charge_id: str | None = None,
        label: str | None = None,
        relation: str | None = None,
    ) -> Receipt:
        """Spend a loss `count` times in each block, durably, or raise and spend nothing.

        Parameters
        ----------
        cost : loss, mechanism or release
        count : int >= 0, default 1
        blocks : list of str, optional
            The ids of the blocks that will be read; each pays in full. Needed if the ledger was
            made with ``by_block=True``.
        charge_id : str, optional
            Makes the call safe to repeat. Default: a fresh one.
        label : str, optional
            For the history.
        relation : {"add-remove", "change-one"}, optional
            The relation that the cost is stated under. None: the loss or the mechanism says it,
            or nobody does.

        Returns
        -------
        Receipt
            For an id that was charged before, and whose result was recorded, it has that result
            and is not `fresh`: nothing was charged now, and new noise must not be drawn.

        Raises
        ------
        BudgetExceededError
            If the cost does not fit into a block. It may use up the budget exactly.
        MeasureMismatchError, RelationMismatchError
            If the cost is of another measure than the ledger, or stated under another relation.
        UnknownBlockError, BlockRetiredError
        ChargeConflictError, ChargeInDoubtError
            If something else, or the same without a recorded result, was charged by this id.
        LedgerError
            If the file cannot be written.
        TypeError, ValueError
            For a bad cost, count, charge id, label or list of blocks.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import ZCDP, BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", ZCDP(1), privacy_unit="person") as ledger:
        ...         ledger.charge(PureDP(0.5), charge_id="monday").cost
        ZCDP(rho=0.125)

        """
        charge = self._checked(cost, count, blocks, charge_id, label, relation)
        receipts: list[Receipt] = []  # so that an interruption of the commit cannot lose it
        try:
            self._store.write(lambda connection: receipts.append(written(connection, charge)))
        except BaseException as error:
            self._note(error, receipts)
            raise
        return receipts[0]

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
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", PureDP(1), privacy_unit="person") as ledger:
        ...         receipts = ledger.charge_many([{"cost": PureDP(0.01), "label": "ages"}] * 50)
        ...         ledger.spent
        PureDP(epsilon=0.5)

        """
        if not isinstance(charges, Iterable):
            raise TypeError(f"charges must be a list of dicts, not {type(charges).__name__}")
        read = [
            self._checked(*(given.get(name, default) for name, default in ARGUMENTS.items()))
            for given in charges
            if not check_names(given)
        ]

        def write(connection: Connection) -> list[Receipt]:
            before = Before()
            return [written(connection, charge, before) for charge in read]

        return self._store.write(write)

    def _checked(
        self, cost: Cost, count: Integer, blocks: Iterable[str] | None, *arguments: Any
    ) -> Charge:
        charge = checked(self.budget, self.relation, cost, count, blocks, *arguments)
        if blocks is not None:
            self._named(charge.blocks)
        return charge

    def once(
        self,
        charge_id: str,
        cost: Cost,
        release: Callable[[], Any],
        count: Integer = 1,
        *,
        blocks: Iterable[str] | None = None,
        label: str | None = None,
        relation: str | None = None,
        function: str | None = None,
        arguments: Any = None,
        data_version: str | None = None,
        nbytes: Integer = 0,
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
            hold, Fractions, arrays of numbers or bool, Series of pandas whose index JSON can hold,
            and releases of cydp; not None.
        function : str, optional
            Names what releases, for a repetition must be of the same. Default: the qualified name
            of `release`; needed if `release` is a lambda or has no name.
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
        >>> from cydp import BudgetLedger, PureDP, histogram
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
        name = _name_of(release) if function is None else function
        call = Call(name, arguments, data_version)
        size = index(nbytes, "nbytes")
        if size < 0:
            raise ValueError(f"nbytes must be at least 0, not {size}")
        check_size(size)
        charge = self._checked(cost, count, blocks, charge_id, label, relation, call)
        receipts: list[Receipt] = []
        try:
            self._store.write(lambda connection: receipts.append(written(connection, charge)))
            if not receipts[0].fresh:
                return receipts[0].result
            text = text_of_result(release())
            self._record(charge_id, text)
            return read_result(text)
        except BaseException as error:
            self._note(error, receipts)
            raise

    def _note(self, error: BaseException, receipts: list[Receipt]) -> None:
        """Tell what became of a charge that was written before an exception, if any was."""
        if not receipts or not receipts[0].fresh:
            return
        receipt = receipts[0]
        try:
            known = self._known(receipt.charge_id)
        except (LedgerError, KeyboardInterrupt):
            note(error, receipt.cost, receipt, "may have been charged")
            return
        if known is not None and known[0] is not None:
            recorded = "its result is recorded: repeat the call to get it"
            note(error, receipt.cost, receipt, end=recorded)
        elif known is not None:
            note(error, receipt.cost, receipt)

    def _known(self, charge_id: str) -> Any:
        """Return None for an id that nothing was charged by, or the text of its result in a row."""
        return self._store.read(lambda connection: _row_of(connection, charge_id))

    def result(self, charge_id: str) -> Any:
        """Return what was recorded for a charge.

        Parameters
        ----------
        charge_id : str

        Raises
        ------
        LedgerError
            If nothing was charged by this id.
        ChargeInDoubtError
            If its result was not recorded.
        TypeError, ValueError
            For a bad id.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", PureDP(1), privacy_unit="person") as ledger:
        ...         _ = ledger.once("monday", PureDP(0.5), lambda: [3, 4], function="visits")
        ...         ledger.result("monday")
        [3, 4]

        """
        known = self._known(text_of(charge_id, "charge_id"))
        if known is None:
            raise LedgerError(_told_uncharged(charge_id))
        if known[0] is None:
            raise ChargeInDoubtError(
                f"charge_id {charge_id!r} was charged and has no recorded result"
            )
        return read_result(known[0])

    def record(self, charge_id: str, result: Any) -> None:
        """Store what was released for a charge, once: who repeats the charge gets it.

        `once` charges, releases and records in one call, and is safer.

        Parameters
        ----------
        charge_id : str
        result : object
            Of a release, not of the data: of the kinds that `once` records.

        Raises
        ------
        TypeError, ValueError
            For a bad id, and for a result that cannot be recorded.
        LedgerError
            If nothing was charged by this id, or its result was recorded before.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
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

        def insert(connection: Connection) -> None:
            known = _row_of(connection, charge_id)
            if known is None:
                raise LedgerError(_told_uncharged(charge_id))
            if known[0] is not None:
                raise LedgerError(
                    f"charge_id {charge_id!r} has a result, which was recorded before and cannot "
                    "be changed"
                )
            connection.execute("INSERT INTO outcome VALUES (?, ?)", (charge_id, text))
            _store.append(connection, entry)

        self._store.write(insert)

    def would_exceed(
        self,
        cost: Cost,
        count: Integer = 1,
        *,
        blocks: Iterable[str] | None = None,
        relation: str | None = None,
    ) -> bool:
        """Whether a charge would be refused for lack of budget, as things stand.

        Nothing is promised: another process may charge in between. Raises what `charge` raises
        for a cost or blocks that could never be charged.
        """
        charge = self._checked(cost, count, blocks, None, None, relation)

        def would_exceed(connection: Connection) -> bool:
            for block in charge.blocks:
                budget, spent, retired = block_of(connection, block)
                if retired:
                    raise BlockRetiredError(told_retired(block))
                if exceeds(add_amounts(spent, charge.asked), budget):
                    return True
            return False

        return self._store.read(would_exceed)


def _name_of(release: Callable[[], Any]) -> str:
    """Return the name of a function; a TypeError for one that has none of its own."""
    name = getattr(release, "__qualname__", "<none>")
    if name.endswith(">"):  # of a lambda; a partial has none
        raise TypeError(
            "function must be given if release is a lambda or has no name: function='...' says "
            "what is released"
        )
    return str(name)


def _told_uncharged(charge_id: str) -> str:
    return f"charge_id {charge_id!r} is not in the ledger: nothing was charged by it"


def _row_of(connection: Connection, charge_id: str) -> Any:
    return connection.execute(
        "SELECT result FROM entry LEFT JOIN outcome USING (charge_id) WHERE charge_id = ?",
        (charge_id,),
    ).fetchone()
