# SPDX-License-Identifier: MIT
"""The part of `BudgetLedger` that spends its budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any, TypeVar

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp.accounting._budget import Asked, Paid
from cydp.accounting._cost import Cost, note_release
from cydp.accounting._errors import (
    BudgetExceededError,
    ChargeConflictError,
    ChargeInDoubtError,
    LedgerError,
    UnknownBlockError,
)
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._blocks import (
    ALL,
    BlockState,
    read_block,
    read_states,
    unknown_message,
)
from cydp.accounting.ledger._charge import (
    ARGUMENTS,
    UNBOOKED,
    Booking,
    Call,
    Charge,
    check_arguments,
    check_charge,
    check_unit,
)
from cydp.accounting.ledger._paid import PaidByLedger, Receipt
from cydp.accounting.ledger._rows import FROZEN, ChargeRow, Rows, Store
from cydp.accounting.ledger._serialize import check_size
from cydp.accounting.ledger._write_charge import ChargesOfCall, balance_after, refusal, write_charge

__all__ = ["LedgerCharges"]

T = TypeVar("T")


class LedgerCharges:
    """A ledger that can be charged."""

    __slots__ = ()

    _store: Store
    budget: Loss
    relation: str
    privacy_unit: str
    _whole_unit: str

    def _check_named(self, blocks: tuple[str, ...]) -> tuple[str, ...]:
        """Return ids of blocks that the caller has named; UnknownBlockError for the id "all".

        It is the only block of a ledger that was made without blocks, and no caller may name it.
        """
        if ALL in blocks:
            message = self._store.read(lambda rows: unknown_message(rows, ALL, "blocks"))
            raise UnknownBlockError(message)
        return blocks

    def _states(self, blocks: Iterable[str] | None = None) -> dict[str, BlockState]:
        """Return the states of some blocks, or of all."""
        return self._store.read(lambda rows: read_states(rows, type(self.budget), blocks))

    @explain_arguments
    def charge(
        self,
        cost: Cost,
        count: Integer = 1,
        *,
        blocks: Iterable[str | date] | None = None,
        charge_id: str | None = None,
        label: str | None = None,
        relation: str | None = None,
        account: str | None = None,
    ) -> Receipt:
        """Spend a loss `count` times in each block, durably, or raise and spend nothing.

        Parameters
        ----------
        cost : loss, mechanism or release
            What one release costs.
        count : int >= 0, default 1
            How many releases there are.
        blocks : list of str or dates, optional
            The ids of the blocks that will be read; each pays in full. Needed if the ledger was
            made with ``by_block=True``.
        charge_id : str, optional
            Makes the call safe to repeat. Default: a new id.
        label : str, optional
            What the charge is for; the history shows it.
        relation : {"add-remove", "change-one", "add-remove-or-change"}, optional
            The relation that the cost is stated under. None: the relation that the loss or the
            mechanism states, if it states one.
        account : str, optional
            The account that pays, of what is set aside for it in these blocks. Default: what is
            not set aside.

        Returns
        -------
        Receipt
            If the id was charged before and its result was recorded, the receipt has that result
            and is not `fresh`: nothing was charged now, and new noise must not be drawn.

        Raises
        ------
        BudgetExceededError
            If the cost does not fit into a block, or into the account. It may use up the budget
            exactly.
        MeasureMismatchError, RelationMismatchError
            If the cost is of another measure than the ledger, or stated under another relation.
        UnitMismatchError
            If the cost is a release, or was made of a release, that protects another unit than the
            ledger, or that reads several blocks and does not state that its unit contains a unit in
            one block.
        UnknownBlockError, BlockRetiredError, UnknownAccountError
            If the ledger does not have a block, or the block was retired, or the account is not
            open in it.
        ChargeConflictError, ChargeInDoubtError
            If another charge has this id, or the same charge has no recorded result.
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
        ZCDP(rho=0.1224593312018546)

        """
        booking = Booking(blocks, label, charge_id, relation=relation, account=account)
        charge = self._check(cost, count, booking)
        answers: list[Paid] = []
        try:
            return self._write(charge, answers, records=False).receipt
        except BaseException as error:
            for paid in answers:
                paid.note(error)
            if isinstance(error, BudgetExceededError):
                note_release(error, cost)
            raise

    @explain_arguments
    def charge_many(self, charges: Sequence[dict[str, Any]]) -> list[Receipt]:
        """Make several charges in one transaction, all of them or none.

        Parameters
        ----------
        charges : sequence of dict
            The arguments of `charge`, by name.

        Returns
        -------
        list of Receipt
            One for each charge.

        Raises
        ------
        TypeError, ValueError, PrivacyError
            The error that `charge` raises for one of them; then nothing is charged.

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
        checked, costs = [], []
        for given in charges:
            check_arguments(given)
            cost, count, *booked = (given.get(name, each) for name, each in ARGUMENTS.items())
            booking = Booking(**dict(zip([*ARGUMENTS][2:], booked, strict=True)))
            checked.append(self._check(cost, count, booking))
            costs.append(given["cost"])

        def write(rows: Rows) -> list[Receipt]:
            call = ChargesOfCall()
            return [write_charge(rows, charge, call) for charge in checked]

        try:
            return self._charged(write, [])
        except BudgetExceededError as error:
            note_release(error, *costs)
            raise

    def _check(
        self, cost: Cost, count: Integer, booking: Booking, call: Call | None = None
    ) -> Charge:
        charge = check_charge(self.budget, self.relation, cost, count, booking, call)
        check_unit(cost, self.privacy_unit, self._whole_unit, len(charge.blocks))
        if booking.blocks is not None:
            self._check_named(charge.blocks)
        return charge

    def _book(self, asked: Asked, booking: Booking = UNBOOKED) -> PaidByLedger:
        """Charge for one call of a release; with a charge id, its result is recorded by `keep`."""
        charge = self._charge_of(asked, booking)
        return self._write(charge, asked.answers, records=booking.charge_id is not None)

    def _charge_of(self, asked: Asked, booking: Booking) -> Charge:
        call = None
        if booking.charge_id is not None:
            check_size(asked.nbytes)
            arguments = None if asked.arguments is None else asked.arguments()
            call = Call(asked.function, arguments, booking.data_version)
        return self._check(asked.cost, asked.count, booking, call)

    def _look_up(self, asked: Asked, booking: Booking) -> tuple[bool, LedgerError | None]:
        """Return whether a call was charged before, and how it would be refused.

        The booking has a charge id. Nothing is written.
        """
        assert booking.charge_id is not None
        if self._read_charge(booking.charge_id) is None:
            return False, None
        charge = self._charge_of(asked, booking)
        try:
            # Entries stay, so that this is a repetition still.
            self._store.read(lambda rows: write_charge(rows, charge))
        except (ChargeConflictError, ChargeInDoubtError) as error:
            return True, error
        return True, None

    def _write(self, charge: Charge, answers: list[Paid], *, records: bool) -> PaidByLedger:
        def write(rows: Rows) -> None:
            receipt = write_charge(rows, charge)
            answers.append(PaidByLedger(self, receipt, records=records))

        self._charged(write, answers)
        paid = answers[-1]
        assert isinstance(paid, PaidByLedger)
        return paid

    def _charged(self, write: Callable[[Rows], T], answers: list[Paid]) -> T:
        """Write charges; an error says that nothing was charged, where that is certain."""
        try:
            return self._store.write(write)
        except LedgerError as error:
            if not error._is_undone:
                raise
            answers.clear()  # else a note would say that the charge may have been made
            raise LedgerError(f"{error}, and nothing was charged: try again") from None

    def _read_charge(self, charge_id: str) -> ChargeRow | None:
        """Return the charge of an id, or None."""
        return self._store.read(lambda rows: rows.charge(charge_id))

    @explain_arguments
    def would_exceed(
        self,
        cost: Cost,
        count: Integer = 1,
        *,
        blocks: Iterable[str | date] | None = None,
        relation: str | None = None,
        account: str | None = None,
    ) -> bool:
        """Whether a charge would be refused for lack of budget, as things stand.

        The answer may be outdated at once: another process may charge in between. The parameters
        are as in `charge`. A cost or blocks that could never be charged raise what `charge` raises.

        Returns
        -------
        bool

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", PureDP(1), privacy_unit="person") as ledger:
        ...         ledger.would_exceed(PureDP(0.5), count=3)
        True

        """
        booking = Booking(blocks, relation=relation, account=account)
        return self._refused(cost, count, booking) is not None

    def _refused(self, cost: Cost, count: Integer, booking: Booking) -> BudgetExceededError | None:
        """Return the error that a charge would raise for lack of budget, as things stand."""
        charge = self._check(cost, count, booking)

        def read(rows: Rows) -> BudgetExceededError | None:
            if rows.is_frozen:
                raise LedgerError(f"the ledger is {FROZEN}")
            for block in charge.blocks:
                balance = read_block(rows, block)
                after = balance_after(balance, block, charge.requested, booking.account)
                if after.is_overdrawn(booking.account):
                    return refusal(charge.kind, block, balance, charge.requested, booking.account)
            return None

        return self._store.read(read)
