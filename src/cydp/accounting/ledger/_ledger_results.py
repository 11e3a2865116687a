# SPDX-License-Identifier: MIT
"""The part of `BudgetLedger` that records results, so that a release is safe to repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import read_integer
from cydp.accounting._budget import Asked
from cydp.accounting._cost import Cost, is_made, note_release
from cydp.accounting._errors import (
    BudgetExceededError,
    ChargeInDoubtError,
    LedgerError,
    UnknownBlockError,
)
from cydp.accounting._loss_numbers import read_count
from cydp.accounting.ledger._blocks import check_block_ids
from cydp.accounting.ledger._charge import Booking
from cydp.accounting.ledger._entries import append_entry
from cydp.accounting.ledger._ledger_charges import LedgerCharges
from cydp.accounting.ledger._paid import PaidByLedger
from cydp.accounting.ledger._rows import Rows
from cydp.accounting.ledger._scope import LedgerScope
from cydp.accounting.ledger._serialize import (
    check_string,
    describe_writer,
    read_result,
    serialize,
    sha256_of,
)

__all__ = ["LedgerResults"]


class LedgerResults(LedgerCharges):
    """A ledger that records results."""

    __slots__ = ()

    block_column: str | None

    @explain_arguments
    def scope(
        self,
        *,
        blocks: Iterable[str | date] | None = None,
        label: str | None = None,
        charge_id: str | None = None,
        data_version: str | None = None,
        table_in_blocks: bool = False,
        account: str | None = None,
    ) -> LedgerScope:
        """Return a budget with blocks, an account, a label or an id, to be passed as ``budget=``.

        Parameters
        ----------
        blocks : list of str or dates, optional
            The ids of the blocks that will be read; each pays in full. Leave it out for a ledger
            without blocks.
        label : str, optional
            What the charges are for; the history shows it.
        charge_id : str, optional
            Makes one release safe to repeat: it is charged, drawn and recorded once, and the same
            call with the same id returns what was recorded, without a charge and without reading
            data. See `once`.
        data_version : str, optional
            With a charge id, the caller's name for the data, so that a repetition on other data is
            refused. The ledger compares the absolute path of a table that is one. It cannot see
            that the data has changed, nor distinguish frames or queries.
        table_in_blocks : bool, default False
            The caller's promise that all rows of the table lie in the blocks. Without it a release
            reads only the rows of the blocks, of a path or a relation of DuckDB, if the ledger has
            a `block_column`; else it is refused.
        account : str, optional
            The account that pays, of what `open_account` has set aside for it.

        Returns
        -------
        LedgerScope

        Raises
        ------
        TypeError, ValueError
            For bad ids of blocks or the same id twice, for a bad label, charge id, version or
            account, and for a version without a charge id.

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
        texts = {
            "label": label, "charge_id": charge_id, "data_version": data_version,
            "account": account,
        }  # fmt: skip
        for name, text in texts.items():
            if text is not None:
                check_string(text, name)
        if data_version is not None and charge_id is None:
            raise ValueError(
                "charge_id must be given with data_version, which only tells whether a repetition "
                "is on the same data"
            )
        ids = () if blocks is None else self._check_named(check_block_ids(blocks))
        if not isinstance(table_in_blocks, bool):
            raise TypeError(
                f"table_in_blocks must be True or False, not {type(table_in_blocks).__name__}"
            )
        if table_in_blocks and not ids:
            raise ValueError("table_in_blocks must be left out without blocks")
        return LedgerScope(
            self,  # type: ignore[arg-type]
            ids,
            label,
            charge_id,
            data_version,
            table_in_blocks=table_in_blocks,
            account=account,
        )

    @explain_arguments
    def once(
        self,
        charge_id: str,
        cost: Cost,
        release: Callable[[], Any],
        count: Integer = 1,
        *,
        blocks: Iterable[str | date] | None = None,
        label: str | None = None,
        relation: str | None = None,
        function: str | None = None,
        arguments: Any = None,
        data_version: str | None = None,
        nbytes: Integer = 0,
        account: str | None = None,
    ) -> Any:
        """Charge, release and record; a repetition returns what was recorded.

        Parameters
        ----------
        charge_id : str
            The name of this one release.
        cost, count, blocks, label, relation
            As in `charge`.
        release : callable
            Called without arguments after the charge. Its result is recorded. The result can hold
            what JSON can hold, Fractions, arrays of numbers, times or text, Series of pandas with
            an index that JSON can hold, and releases of cydp. It must not be None.
        function : str, optional
            The name of the function that releases, which must be the same in a repetition. Default:
            the qualified name of `release`. Needed if `release` is a lambda or has no name.
        arguments : what JSON can hold, optional
            The public arguments of the release. The ledger keeps their SHA-256.
        data_version : str, optional
            The caller's name for the data.
        nbytes : int, default 0
            How many bytes the arrays of the result will have, if that is known.
        account : str, optional
            As in `charge`; it must be the same in a repetition.

        Returns
        -------
        object
            The result, as it is read back from its record; tuples have become lists.

        Raises
        ------
        ChargeConflictError
            If the id was charged with another cost, function, arguments, version or blocks.
        ChargeInDoubtError
            If the id was charged and has no recorded result: another process is at work, or a
            process was stopped. The result may have been released, so to release again takes
            another id, and another charge.
        TypeError, ValueError, PrivacyError
            The errors that `charge` raises, and a ValueError for `nbytes` above 2**26, before
            anything is charged. An error for a result that cannot be recorded comes after the
            charge, and has a note that says so.

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
        check_string(charge_id, "charge_id")
        if not callable(release):
            raise TypeError(f"release must be callable, not {type(release).__name__}")
        size = read_integer(nbytes, "nbytes")
        if size < 0:
            raise ValueError(f"nbytes must be at least 0, not {size}")
        name = _function_name(release) if function is None else function
        asked = Asked(cost, name, read_count(count), lambda: arguments, size)
        try:
            booking = Booking(
                blocks, label, charge_id, data_version, relation=relation, account=account
            )
            paid = self._book(asked, booking)
            return paid.keep(release()) if paid.fresh else paid.result
        except BaseException as error:
            for answer in asked.answers:
                answer.note(error)
            # What a loss or a mechanism is for is released after the charge.
            if isinstance(error, BudgetExceededError) and not asked.answers and is_made(cost):
                note_release(error, cost)
            raise

    def _pay(self, asked: Asked) -> PaidByLedger:
        """Charge for one call of a release, as `charge` does."""
        try:
            return self._book(asked)
        except UnknownBlockError as error:
            raise UnknownBlockError(
                f"budget must be ledger.scope(blocks=[...]), not the ledger itself: {error}"
            ) from None

    @explain_arguments
    def result(self, charge_id: str) -> Any:
        """Return the result that was recorded for a charge.

        Parameters
        ----------
        charge_id : str
            The id that was charged.

        Returns
        -------
        object
            As `once` returns it.

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
        charge = self._read_charge(check_string(charge_id, "charge_id"))
        if charge is None:
            raise LedgerError(_uncharged_message(charge_id))
        *_, result = charge
        if result is None:
            raise ChargeInDoubtError(
                f"charge_id {charge_id!r} was charged and has no recorded result, which may have "
                "been released: to release again, use another charge_id, which is charged again"
            )
        return read_result(result)

    @explain_arguments
    def record(self, charge_id: str, result: Any) -> None:
        """Record the result of a charge, once. A repetition of the charge returns it.

        `once` charges, releases and records in one call, and is safer.

        Parameters
        ----------
        charge_id : str
            The id that was charged.
        result : object
            The result of the release, of the kinds that `once` records. It must not be data.

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
        self._record(check_string(charge_id, "charge_id"), serialize(result))

    def _record(self, charge_id: str, text: str) -> None:
        entry = {
            "kind": "result",
            "result_of": charge_id,
            "sha256": sha256_of(text),
        } | describe_writer()

        def insert(rows: Rows) -> None:
            charge = rows.charge(charge_id)
            if charge is None:
                raise LedgerError(_uncharged_message(charge_id))
            if charge[-1] is not None:
                raise LedgerError(
                    f"charge_id {charge_id!r} has a result, which was recorded before and cannot "
                    "be changed"
                )
            rows.add_result(charge_id, text)
            append_entry(rows, entry)

        self._store.write(insert)


def _function_name(release: Callable[[], Any]) -> str:
    """Return the name of a function; a TypeError for one that has none of its own."""
    name = getattr(release, "__qualname__", "<none>")
    if name.endswith(">"):  # of a lambda; a partial has none
        raise TypeError(
            "function must be given if release is a lambda or has no name: function='...' says "
            "what is released"
        )
    return str(name)


def _uncharged_message(charge_id: str) -> str:
    return f"charge_id {charge_id!r} is not in the ledger: nothing was charged by it"
