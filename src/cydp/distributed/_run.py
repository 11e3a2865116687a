# SPDX-License-Identifier: MIT
"""A plan that was paid: it draws once from the tallies of all pieces. docs/distributed.md."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from cydp._call_errors import explain_arguments
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp.accounting._budget import Paid
from cydp.accounting._errors import PrivacyError
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._paid import PaidByLedger, Receipt, payment_of
from cydp.distributed._piece_tally import PieceTally, add_up
from cydp.distributed._reader import Reader
from cydp.mechanisms._run import check_generator
from cydp.releases._release import Release
from cydp.releases._tally import Tally

__all__ = ["Run", "SavedRun"]

_NAMED = 5  # of the pieces that are missing


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SavedRun:
    """A run that a ledger records, for a driver that is started anew. Secret, as the data is.

    A pickle carries it. It has the key of the run, by which the rows of users are chosen.

    Attributes
    ----------
    reader : Reader
        Of the run.
    receipt : Receipt
        Of the charge.
    ledger : str
        The UUID of the ledger.

    Examples
    --------
    >>> import pickle, tempfile
    >>> import cydp
    >>> plan = cydp.distributed.prepare(cydp.count, [], epsilon=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with cydp.BudgetLedger.create(
    ...         folder + "/l", cydp.PureDP(1), privacy_unit="row"
    ...     ) as ledger:
    ...         kept = pickle.dumps(plan.pay(ledger.scope(charge_id="rows")).save())
    ...         run = pickle.loads(kept).resume(ledger)  # after a restart
    ...         run.release(run.reader.tally([7, 9], piece=0, pieces=1)).payment.charge_id
    'rows'

    """

    reader: Reader
    receipt: Receipt
    ledger: str

    @explain_arguments
    def resume(self, ledger: BudgetLedger) -> Run:
        """Return the run, to go on with: nothing is charged again.

        If several drivers resume a run, all of them return the release that was recorded first.

        Parameters
        ----------
        ledger : BudgetLedger
            The ledger that has paid.

        Returns
        -------
        Run

        Raises
        ------
        TypeError, ValueError
            If it is another ledger, or none.
        LedgerError
            If the charge is not in the ledger, as in a copy from before it.

        Examples
        --------
        >>> import tempfile
        >>> import cydp
        >>> plan = cydp.distributed.prepare(cydp.count, [], epsilon=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with cydp.BudgetLedger.create(
        ...         folder + "/l", cydp.PureDP(1), privacy_unit="row"
        ...     ) as ledger:
        ...         run = plan.pay(ledger.scope(charge_id="rows"))
        ...         again = run.save().resume(ledger)
        ...         tally = run.reader.tally([7, 9], piece=0, pieces=1)
        ...         run.release(tally) == again.release(tally), ledger.remaining
        (True, PureDP(epsilon=0))

        """
        if not isinstance(ledger, BudgetLedger):
            raise TypeError(f"ledger must be a BudgetLedger, not {type(ledger).__name__}")
        if ledger.uuid != self.ledger:
            raise ValueError("ledger must be the one that has paid for the run")
        paid = PaidByLedger(ledger, self.receipt, records=True)
        return Run(self.reader, paid.read_again())

    def __repr__(self) -> str:
        return f"<saved run of {self.reader.plan!r}: secret, as the data is>"


class Run:
    """A release that was paid for, and is drawn once. `ReleasePlan.pay` returns it.

    It cannot be pickled or copied, since two copies could draw twice: `save` returns what another
    process can go on with.

    Attributes
    ----------
    reader : Reader
        What goes to workers.

    Examples
    --------
    >>> import cydp
    >>> run = cydp.distributed.prepare(cydp.count, [], epsilon=1).pay(None)
    >>> run.release(run.reader.tally([7, 9], piece=0, pieces=1)).loss
    PureDP(epsilon=1, relation='add-remove')

    """

    __slots__ = ("_lock", "_paid", "_pid", "_release", "reader")

    def __init__(self, reader: Reader, paid: Paid | None) -> None:
        self.reader, self._paid, self._lock = reader, paid, threading.Lock()
        self._pid = os.getpid()
        self._release: Release | None = None
        if paid is not None and not paid.fresh:
            self._release = reader.plan.query.result(paid.result, payment_of(paid))

    def save(self) -> SavedRun:
        """Return what a driver keeps of the run to go on after a stop. Secret, as the data is.

        Returns
        -------
        SavedRun

        Raises
        ------
        TypeError
            Unless a ledger records the release, so that it is drawn once.

        Examples
        --------
        >>> import tempfile
        >>> import cydp
        >>> plan = cydp.distributed.prepare(cydp.count, [], epsilon=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with cydp.BudgetLedger.create(
        ...         folder + "/l", cydp.PureDP(1), privacy_unit="row"
        ...     ) as ledger:
        ...         plan.pay(ledger.scope(charge_id="rows")).save().receipt.charge_id
        'rows'

        """
        paid = self._paid
        if not isinstance(paid, PaidByLedger) or not paid.records:
            raise TypeError(
                "a run can be saved only if a ledger records its release, so that it is drawn "
                "once: pay by ledger.scope(charge_id=...)"
            )
        return SavedRun(self.reader, replace(paid.receipt, result=None), paid.ledger.uuid)

    @explain_arguments
    def release(
        self,
        tallies: PieceTally | Iterable[PieceTally],
        *,
        rng: Generator | None = None,
    ) -> Any:
        """Add up the tallies of all pieces, draw the noise once, and return the release.

        Parameters
        ----------
        tallies : PieceTally, or iterable of PieceTally
            Of all pieces, in any order; some may be added up already.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.

        Returns
        -------
        Release
            What the release itself returns of the whole table. Every further call returns the same
            one, and reads no tallies.

        Raises
        ------
        TypeError, ValueError
            If a piece is missing, or there twice, or if a tally is of another run, plan or number
            of pieces. Nothing is drawn then, and the call may be repeated.
        PrivacyError
            In a forked process.
        LedgerError
            If the ledger cannot record it.

        Notes
        -----
        Privacy cost: what the run has paid, however many drivers call it.

        Examples
        --------
        >>> import cydp
        >>> plan = cydp.distributed.prepare(cydp.count, [], epsilon=1)
        >>> run = plan.pay(None)
        >>> tallies = [run.reader.tally([1, 2, 3], piece=i, pieces=2) for i in range(2)]
        >>> release = run.release(tallies)
        >>> release.error_bound(), run.release([]) is release
        (3, True)

        """
        if os.getpid() != self._pid:
            raise PrivacyError(
                "a Run cannot be released in a forked process, which would draw once more: another "
                "driver takes run.save()"
            )
        with self._lock:
            if self._release is None:
                self._release = self._draw(tallies, rng)
            return self._release

    def _draw(self, tallies: PieceTally | Iterable[PieceTally], rng: Generator | None) -> Release:
        query, paid, generator = self.reader.plan.query, self._paid, generator_or_default(rng)
        if paid is None:
            return query.result(query.draw(self._whole(tallies), generator), None)
        check_generator(generator)
        try:
            drawn = query.draw(self._whole(tallies), generator)
            return query.result(paid.keep(drawn), payment_of(paid))
        except BaseException as error:
            paid.note(error)
            raise

    def _whole(self, tallies: PieceTally | Iterable[PieceTally]) -> Tally:
        """Return the tally of all rows."""
        reader, found = self.reader, set[int]()

        def checked(tally: object) -> PieceTally:
            if not isinstance(tally, PieceTally):
                raise TypeError(f"tallies must be of PieceTally, not {type(tally).__name__}")
            found.add(tally.pieces)
            if (
                tally.of_run != (reader.plan.fingerprint, reader.number, max(found))
                or len(found) > 1
            ):
                raise ValueError("tallies must be of this run, and of one number of pieces")
            return tally

        given = [tallies] if isinstance(tallies, PieceTally) else tallies
        done, tally = add_up(map(checked, given), reader.plan._outline, reader.plan.query)
        pieces = max(found, default=1)
        if missing := pieces - len(done):
            some = itertools.islice((i for i in range(pieces) if i not in done), _NAMED)
            raise ValueError(
                f"tallies must be of all pieces: {missing:,} of {pieces:,} are missing, the first "
                f"{', '.join(map(str, some))}"
            )
        return tally

    def __reduce__(self) -> NoReturn:
        """Refuse: two copies could draw twice."""
        raise TypeError(
            "a Run cannot be pickled or copied, because it is drawn once: workers take run.reader, "
            "and another driver run.save()"
        )

    def __repr__(self) -> str:
        state = "paid" if self._release is None else "released"
        return f"<run of {self.reader.plan!r}: {state}>"
