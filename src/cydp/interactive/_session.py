# SPDX-License-Identifier: MIT
"""A session: questions to one table, one after the other, that one budget pays."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from inspect import signature
from typing import Any, NoReturn

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._columns.tables import is_one_connection
from cydp._numbers.rational import float_of, format_number, read_exact, read_integer
from cydp.accounting._amounts import (
    Amount,
    add_amounts,
    amount_of,
    loss_like,
    subtract_amounts,
    zero_amount,
)
from cydp.accounting._errors import ChargeInDoubtError, PrivacyError, UnknownAccountError
from cydp.accounting._filter import PrivacyFilter
from cydp.accounting._renyi_dp import AnyLoss
from cydp.accounting._words import format_loss, format_name, html_of
from cydp.accounting.ledger._blocks import ALL
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._scope import LedgerScope
from cydp.accounting.ledger._serialize import amount_from, check_string
from cydp.interactive._analyst import WatchedBudget, analyst_of, check_analyst, label_of, seq_of
from cydp.interactive._memory import Memory, SessionEntry, Slot, write_report
from cydp.interactive._methods import METHODS, method, refuse_arguments_of_session
from cydp.interactive._question import (
    Question,
    check_name,
    check_names,
    check_table,
    message_for_session,
    opened,
    question_of,
)
from cydp.mechanisms._run import Budget, check_budget_type
from cydp.models import _linear_regression, _validated_error
from cydp.publishing import _contingency_tables, _hierarchy
from cydp.releases import (
    _bounds,
    _contribution_bound,
    _count,
    _group_by,
    _histogram,
    _histogramdd,
    _mean,
    _quantile,
    _sum,
    _top_k,
    _value_counts,
    _variance,
)
from cydp.releases._explain import explain
from cydp.releases._explanation import Explanation
from cydp.releases._reads import is_name
from cydp.releases._run import Prepared, arguments_of, kind_of, prepare_anywhere, with_noise
from cydp.releases._unit import UnitName, check_ledger, read_unit, user_key
from cydp.workloads import _linear_queries, _marginals, _range_counts

__all__ = ["Session"]

_OF_PARTITIONS = {"max_partitions", "max_rows_per_partition"}
_LONGEST_PAUSE = 0.25  # seconds between two looks for an answer that another process draws


class Session:
    """Questions to one table, one after the other, that one budget pays.

    The releases are its methods, without the table, ``budget`` and ``rng``. The same question is
    answered once: a repetition gets the stored answer, at no cost. The same question in
    another form pays, and when the budget is spent there are no more answers.

    Parameters
    ----------
    table : table or column
        The data, as releases take them, such as the path of files. It is kept, not copied, and read
        anew for each question that pays.
    budget : PrivacyFilter, BudgetLedger or LedgerScope
        What pays. A filter is for the threads of one process, a ledger for several processes.
    version : str, optional
        The data owner's name for the contents of the table: contents that change need another
        version. With a ledger, it stores the answers: every session of the same version, in any
        process, gets them. Default: answers are stored in this object alone.
    analyst : str, optional
        Who asks. A ledger records it in the label of each charge.
    user : name of a column, optional
        Who each record belongs to, for all questions. The protected unit is then a user. Default: a
        record.
    unit : str or sequence of str, optional
        What the protected unit is called in a ledger's `privacy_unit`, such as "person". A sequence
        adds the units within it: ("household", "person"). Default: the name of the column of users.
    max_rows : int >= 1, optional
        The most records of one user that count, for each question that takes it and does not say
        otherwise.
    max_partitions : int >= 1, optional
        The most partitions (bins, keys or cells) in which records of one user count, for each
        question that takes it and does not say otherwise.
    max_rows_per_partition : int >= 1, optional
        The most records of one user that count in each bin, key or cell, for each question that
        takes it and does not say otherwise.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    wait : number >= 0, default 30
        For how many seconds to wait for an answer that another process has paid for and has not
        recorded yet.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter. No data is read.
    UnitMismatchError, UnknownBlockError
        If the ledger protects another unit, or needs blocks.

    Examples
    --------
    >>> from cydp import PrivacyFilter, PureDP
    >>> table = {"age": [31, 64, 25], "income": [100, 250, 0]}
    >>> session = Session(table, PrivacyFilter(PureDP(1)), analyst="ada")
    >>> first = session.mean((0, 100), column="age", epsilon=0.4)
    >>> session.mean((0, 100.0), column="age", epsilon="2/5") == first
    True
    >>> _ = session.histogram(2, (0, 100), column="age", epsilon=0.1)
    >>> print(session.report())
    session of 'ada', budget PureDP(epsilon=1) under 'add-remove'
      spent PureDP(epsilon=0.5), of which PureDP(epsilon=0.5) here; left PureDP(epsilon=0.5)
          cost         question
      1.  epsilon=0.4  mean(bounds=(0, 100), column='age', epsilon=0.4)
      2.  0, repeated  mean(bounds=(0, 100.0), column='age', epsilon='2/5')
      3.  epsilon=0.1  histogram(bins=2, range=(0, 100), column='age', epsilon=0.1)

    """

    __slots__ = ("_analyst", "_budget", "_defaults", "_memories", "_table", "_version", "_wait")

    count = method(_count.count)
    sum = method(_sum.sum)
    mean = method(_mean.mean)
    variance = method(_variance.variance)
    median = method(_quantile.median)
    quantile = method(_quantile.quantile)
    histogram = method(_histogram.histogram)
    histogramdd = method(_histogramdd.histogramdd)
    value_counts = method(_value_counts.value_counts)
    group_by = method(_group_by.group_by)
    top_k = method(_top_k.top_k)
    bounds = method(_bounds.bounds)
    contribution_bound = method(_contribution_bound.contribution_bound)
    range_counts = method(_range_counts.range_counts)
    linear_queries = method(_linear_queries.linear_queries)
    marginals = method(_marginals.marginals)
    contingency_tables = method(_contingency_tables.contingency_tables)
    hierarchy = method(_hierarchy.hierarchy)
    linear_regression = method(_linear_regression.linear_regression)
    validated_error = method(_validated_error.validated_error)

    @explain_arguments
    def __init__(
        self,
        table: Any,
        budget: Budget,
        *,
        version: str | None = None,
        analyst: str | None = None,
        user: Any = None,
        unit: UnitName | None = None,
        max_rows: Integer | None = None,
        max_partitions: Integer | None = None,
        max_rows_per_partition: Integer | None = None,
        max_rows_per_unit: Integer | None = None,
        wait: Number = 30,
    ) -> None:
        if hasattr(self, "_memories"):
            raise TypeError("a Session is made once: make another one")
        check_budget_type(budget)
        check_table(table)
        if isinstance(budget, LedgerScope) and budget.charge_id is not None:
            raise ValueError(
                "budget must be a scope without a charge_id: a session has one for each question"
            )
        self._version = None if version is None else str(check_string(version, "version"))
        self._analyst = None if analyst is None else check_analyst(analyst)
        seconds = read_exact(wait, "wait")
        if seconds < 0:
            raise ValueError(f"wait must be at least 0 seconds, not {format_number(seconds)}")
        self._wait = float_of(seconds)
        check_name(user, "user")
        if isinstance(user, tuple) and not is_name(user, table):
            raise TypeError("user must be the name of a column of the session's table")
        own = {
            "max_rows": max_rows,
            "max_partitions": max_partitions,
            "max_rows_per_partition": max_rows_per_partition,
        }
        protected = read_unit(
            budget.relation,
            user_key(user),
            unit,
            "rows" if max_rows is not None else "rows in each partition",
            **own,
            max_rows_per_unit=max_rows_per_unit,
        )
        check_ledger(budget, protected)
        self._defaults = own | {
            "relation": budget.relation,
            "user": user,
            "unit": unit,
            "max_rows_per_unit": max_rows_per_unit,
        }
        self._table, self._budget = table, budget
        self._memories = {os.getpid(): Memory()}
        self._accounts()  # an UnknownBlockError for a ledger that needs blocks

    @property
    def analyst(self) -> str | None:
        """Who asks."""
        return self._analyst

    @property
    def version(self) -> str | None:
        """The data owner's name for the contents of the table."""
        return self._version

    @property
    def budget(self) -> Any:
        """The most that all who share the budget may spend; a dict of losses by block id."""
        return self._budget.budget

    @property
    def relation(self) -> str:
        """The relation of neighbours: the budget's."""
        return self._budget.relation

    @property
    def spent(self) -> Any:
        """What was charged by all who share the budget; for several blocks, a dict of losses."""
        return self._budget.spent

    @property
    def remaining(self) -> Any:
        """What may still be charged; for several blocks, a dict of losses."""
        return self._budget.remaining

    @explain_arguments
    def history(self) -> list[SessionEntry]:
        """Return the questions of this session in this process, oldest first.

        Questions that were refused are not in it. The costs add up to what it has paid.

        Examples
        --------
        >>> from cydp import PrivacyFilter, PureDP
        >>> session = Session({"age": [31, 64]}, PrivacyFilter(PureDP(1)))
        >>> answers = [session.count(epsilon=0.1) for _ in range(2)]
        >>> [(entry.question, str(entry.cost.epsilon)) for entry in session.history()]
        [('count(epsilon=0.1)', '1/10'), ('count(epsilon=0.1)', '0')]

        """
        return list(self._current().entries)

    @explain_arguments
    def spent_by_analyst(self) -> dict[str | None, Any]:
        """Return the charges by the names of analysts; together they are what was spent.

        A ledger knows the charges of all sessions, and with a filter this session knows its own.
        Charges without the name of an analyst stand under None.

        Returns
        -------
        dict
            Losses; for several blocks of a ledger, dicts of losses by block id.

        Raises
        ------
        LedgerCorruptError
            If an entry of the ledger is not what was written.

        """
        budget = self._one_budget
        if isinstance(self._budget, PrivacyFilter):
            entries, spent = self._current().entries.copy(), self._budget.spent
            mine = self._sum_of(entries)
            rest = subtract_amounts(amount_of(spent, spent), mine)
            amounts = {self._analyst: mine}
            if self._analyst is None or any(rest):
                amounts[None] = add_amounts(amounts.get(None, self._nothing), rest)
            return {who: loss_like(budget, amount) for who, amount in amounts.items()}
        ledger, blocks = self._ledger(), self._blocks or (ALL,)
        nothing = dict.fromkeys(blocks, self._nothing)
        totals: dict[str | None, dict[str, Amount]] = defaultdict(nothing.copy)
        for entry in ledger.history():
            if entry["kind"] == "charge":
                total, cost = totals[analyst_of(entry)], amount_from(entry["cost"])
                for block in set(blocks) & set(entry["blocks"]):
                    total[block] = add_amounts(total[block], cost)
        found = {
            who: {block: loss_like(budget, amount) for block, amount in total.items()}
            for who, total in totals.items()
        }
        if len(blocks) > 1:
            return dict(found)
        return {who: losses[blocks[0]] for who, losses in found.items()}

    def explain(self, function: str | Callable[..., Any], *args: Any, **kwargs: Any) -> Explanation:
        """Say what a question would do and cost, without data, as `cydp.explain` does.

        Parameters
        ----------
        function : str or callable
            The name of a method, such as "histogram", or the release.
        *args, **kwargs : object
            Arguments of the method and of `cydp.explain`, such as `error`.

        Returns
        -------
        Explanation

        Raises
        ------
        TypeError, ValueError
            As `cydp.explain` does.

        Examples
        --------
        >>> from cydp import PrivacyFilter, PureDP
        >>> session = Session({"age": [31, 64]}, PrivacyFilter(PureDP(1)))
        >>> session.explain("count", error=5).loss
        PureDP(epsilon=0.5382, relation='add-remove')

        """
        refuse_arguments_of_session(kwargs)
        release: Any = function
        if isinstance(function, str):
            release = METHODS.get(function)
            if release is None:
                raise ValueError(
                    f"function must be the name of a release: {', '.join(METHODS)}; not "
                    f"{function[:40]!r}"
                )
        elif getattr(function, "__self__", None) is self:  # a method of this session
            release = METHODS.get(function.__name__, function)
        if not any(release is each for each in METHODS.values()):
            return explain(release, *args, **kwargs)  # which raises the error
        asked = self._with_defaults(release, kwargs)
        if "noise" in signature(release).parameters:
            asked = {**with_noise({"noise": None, **asked}, self._budget)}
        return explain(release, *args, **asked)

    @explain_arguments
    def report(self) -> str:
        """Return a text for people: what was spent, what is left, and what each question cost.

        Returns
        -------
        str
            One line for each question of this session. If there are more than 20, the last 20.

        """
        who = "" if self._analyst is None else f" of {self._analyst!r}"
        about = f"session{who}, budget {format_loss(self._one_budget, left=True)}"
        if not isinstance(self._budget, PrivacyFilter):
            about += f" for each {format_name(self._ledger().privacy_unit)}"
        about += f" under {self.relation!r}"
        if isinstance(self._budget, LedgerScope) and self._budget.account is not None:
            about += f", paid by account {self._budget.account!r}"
        if self._version is not None:
            about += f", table version {self._version!r}"
        entries = self._current().entries.copy()
        here = loss_like(self._one_budget, self._sum_of(entries))
        accounts = [(block, spent, here, left) for block, spent, left in self._accounts()]
        return write_report(about, accounts, entries)

    def __repr__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        return html_of(self.report())

    def __reduce__(self) -> NoReturn:
        """Refuse: a copy would keep answers and a history of its own."""
        raise TypeError(
            "a Session cannot be pickled or copied: make one in each process, of one BudgetLedger "
            "and one version"
        )

    def _ask(self, release: Callable[..., Any], written: Mapping[str, Any]) -> Any:
        """Return the answer of a release to the arguments of a call."""
        given = dict(written)
        again = read_integer(given.pop("again", 0), "again")
        if again < 0:
            raise ValueError(f"again must be at least 0, not {again}")
        shown = dict(given)
        given = arguments_of(release, (), self._with_defaults(release, given))
        check_names(given)
        with self._turn():
            prepared = self._prepare(release, given)
        question = question_of(prepared.query, release, shown, again)
        memory = self._current()
        slot = memory.slot(question.key)
        with slot.lock:
            if slot.is_asked:
                raise PrivacyError(
                    "this thread is asking this very question: a signal handler or a finalizer "
                    "cannot ask it meanwhile"
                )
            if slot.answer is not None:
                memory.entries.append(self._repeated(question, slot.seq))
                return slot.answer
            try:
                slot.is_asked = True
                self._pay(prepared, question, again, slot, memory)
            finally:
                slot.is_asked = False
            return slot.answer

    def _prepare(self, release: Callable[..., Any], given: Mapping[str, Any]) -> Prepared:
        """Return a release of the session's table, checked."""
        kind = kind_of(release)
        try:
            return prepare_anywhere(
                kind, {**given, kind.data: opened(self._table), "budget": self._budget}
            )
        except (TypeError, ValueError) as error:
            error.args = tuple(map(message_for_session, error.args))
            raise

    def _turn(self) -> AbstractContextManager[Any]:
        return self._current().turn if is_one_connection(self._table) else nullcontext()

    def _pay(
        self, prepared: Prepared, question: Question, again: int, slot: Slot, memory: Memory
    ) -> None:
        """Put the answer into the slot, and what was paid into the history."""
        watched = WatchedBudget(self._payer(question))
        answer = None
        until = time.monotonic() + (0 if slot.has_failed else self._wait)
        try:
            while answer is None:
                try:
                    with self._turn():
                        answer = prepared.release(watched, None)
                except ChargeInDoubtError:
                    if not self._is_recorded(watched, until):
                        raise self._in_doubt(question, again) from None
        finally:
            paid = watched.paid(failed=answer is None)
            if paid is not None and not paid.fresh:
                memory.entries.append(self._repeated(question, seq_of(paid)))
            elif paid is not None:
                memory.entries.append(
                    SessionEntry(
                        question.text,
                        self._analyst,
                        question.query.loss,
                        paid.cost,
                        answered=answer is not None,
                        seq=seq_of(paid),
                    )
                )
                slot.has_failed = answer is None
            if answer is not None:
                slot.seq, slot.answer = seq_of(paid), answer

    def _is_recorded(self, watched: WatchedBudget, until: float) -> bool:
        """Wait until another process has recorded an answer; return whether it has."""
        ledger = self._ledger()
        pause = 0.005
        while True:
            charge = ledger._read_charge(str(watched.charge_id))
            if charge is not None and charge[-1] is not None:
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _in_doubt(self, question: Question, again: int) -> ChargeInDoubtError:
        return ChargeInDoubtError(
            f"{question.text} was charged to the ledger, and its answer is not recorded: another "
            "process is still at work, or one was stopped and may have released it. Repeat the "
            f"question later, or pay for another answer with again={again + 1}"
        )

    def _repeated(self, question: Question, seq: int | None) -> SessionEntry:
        cost = loss_like(self._one_budget, self._nothing)
        return SessionEntry(
            question.text, self._analyst, question.query.loss, cost, repeated=True, seq=seq
        )

    def _payer(self, question: Question) -> Budget:
        """Return the budget of one question."""
        if isinstance(self._budget, PrivacyFilter):
            return self._budget
        scope = self._budget.label if isinstance(self._budget, LedgerScope) else None
        label = label_of(self._analyst, scope, question.text)
        version, blocks = self._version, self._blocks
        charge_id = None if version is None else question.charge_id(version, blocks)
        account = self._budget.account if isinstance(self._budget, LedgerScope) else None
        return LedgerScope(
            self._ledger(), blocks, label, charge_id, version, self._analyst, account=account
        )

    def _with_defaults(
        self, release: Callable[..., Any], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the arguments of a question, with the ones that the session adds."""
        names = signature(release).parameters
        own = {name: value for name, value in self._defaults.items() if name in names}
        own = {name: value for name, value in own.items() if value is not None}
        asked = {name: value for name, value in given.items() if value is not None}
        # Of a question that takes either bound, its own comes first, then that of partitions.
        if "max_rows" in asked:
            own = {name: value for name, value in own.items() if name not in _OF_PARTITIONS}
        elif not _OF_PARTITIONS.isdisjoint(own | asked):
            own.pop("max_rows", None)
        return own | asked

    def _current(self) -> Memory:
        """Return the memory of this process: in a forked child, one of its own."""
        found = self._memories.get(os.getpid())
        if found is None:
            parent = list(self._memories.values())[-1]
            found = self._memories.setdefault(os.getpid(), parent.after_fork())
        return found

    def _ledger(self) -> BudgetLedger:
        ledger: Any = self._budget.ledger if isinstance(self._budget, LedgerScope) else self._budget
        assert isinstance(ledger, BudgetLedger)
        return ledger

    @property
    def _blocks(self) -> tuple[str, ...]:
        return self._budget.blocks if isinstance(self._budget, LedgerScope) else ()

    @property
    def _one_budget(self) -> AnyLoss:
        """The whole budget; for a ledger with blocks, the most that a block has."""
        whole = self._budget if isinstance(self._budget, PrivacyFilter) else self._ledger()
        return whole.budget

    @property
    def _nothing(self) -> Amount:
        budget = self._one_budget
        return zero_amount(amount_of(budget, budget))

    def _sum_of(self, entries: list[SessionEntry]) -> Amount:
        """Return what was paid for questions."""
        total, budget = self._nothing, self._one_budget
        for entry in entries:
            total = add_amounts(total, amount_of(entry.cost, budget))
        return total

    def _accounts(self) -> list[tuple[str, AnyLoss, AnyLoss]]:
        """Return the name of each block, or "", what was spent of it and what is left."""
        if isinstance(self._budget, PrivacyFilter):
            spent = self._budget.spent
            limit = self._budget.budget
            left = subtract_amounts(amount_of(limit, limit), amount_of(spent, spent))
            return [("", spent, loss_like(self._one_budget, left))]
        whole = self._budget
        try:
            scope = whole if isinstance(whole, LedgerScope) else self._ledger().scope()
            states = scope._states()
        except UnknownAccountError:  # it was closed
            return []
        return [
            ("" if block == ALL else block, state.spent, state.remaining)
            for block, state in states.items()
        ]
