# SPDX-License-Identifier: MIT
"""Attacks by counts: two that differ by a person, and the mean of many answers to one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._extras import ink_of, with_letters
from cydp._numbers.rational import format_number, read_positive
from cydp.accounting import PureDP
from cydp.exact import match_domains
from cydp.mechanisms import DiscreteLaplace
from cydp.random import Generator
from cydp.sensitivity import count as sensitivity_of_count
from cydp.teach._pictures import draw_line, new_axes, set_numbers, set_words
from cydp.teach.attacks._attack import CHANCE, Attack, Trial, largest_success, release_while_paid
from cydp.teach.attacks._counts import (
    QUESTION,
    count_where,
    read_answer_count,
    rows_inside,
    success_of_sum,
    trial_of_mean,
    where_domains,
)
from cydp.teach.meaning._curves import label_of

__all__ = ["AveragingAttack", "averaging", "differencing", "repeated_array"]

_MOST_POINTS = 1000  # of a line


@explain_arguments
def differencing(
    table: Any, where: Any, who: Any, *, epsilon: Number = 1, rng: Generator | None = None
) -> Attack:
    """Subtract two counts that differ by one person: exact ones, and ones that a budget paid for.

    The first counts the records with a property; the second counts them without one person, whom
    the attacker describes by what everybody may know. Each looks harmless.

    Parameters
    ----------
    table : frame, table, relation or dict of columns
        What releases take.
    where : dict by column
        The property that the attacker wants to know of the person, as in ``{"married": 1}``: a
        label, a list of labels, or a tuple (bins, range).
    who : dict by column
        What the attacker knows of the person, which must describe one record, in the same form.
    epsilon : number > 0, default 1
        The budget of the defended release, half for each of the two counts.
    rng : Generator, optional
        The source of the noise. A seeded one keeps the numbers of a lesson.

    Returns
    -------
    Attack
        `observed` of each trial is a dict of the two ``counts``, and whether the attacker says
        that the person ``has`` the property.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed, or `who` does not describe one record. The undefended
        release tells the person's data: the table must be one that is public.

    Notes
    -----
    The privacy cost is the `loss` of the defended trial. docs/teach/attacks.md has the proofs.

    References
    ----------
    .. [1] Denning, Denning, Schwartz, "The tracker: a threat to statistical database security",
       1979.

    Examples
    --------
    >>> people = {"sex": ["f", "m", "f"], "age": [18, 44, 71], "ill": [0, 1, 1]}
    >>> attack = differencing(people, {"ill": 1}, {"sex": "f", "age": 71})
    >>> attack.undefended.observed
    {'counts': (2, 1), 'has': True}
    >>> round(attack.defended.success, 4), round(attack.defended.limit, 4)
    (0.5649, 0.7311)

    """
    total = read_positive(epsilon, "epsilon")
    noise = DiscreteLaplace(epsilon=total / 2, sensitivity=sensitivity_of_count())
    matched = match_domains(table, where_domains(where, "where"), where_domains(who, "who"))
    has, is_person = map(rows_inside, matched)
    if np.count_nonzero(is_person) != 1:
        raise ValueError("who must describe one record of the table, not none and not several")
    exact = int(has.sum()), int((has & ~is_person).sum())
    noisy, spent = release_while_paid(noise, exact, total, rng)
    return Attack(
        name="Differencing",
        question="does a person have a property, by two counts?",
        chance=CHANCE,
        undefended=Trial(
            release="two exact counts",
            method="no noise",
            loss=None,
            success=1.0,
            limit=1.0,
            observed=_difference(*exact),
        ),
        defended=Trial(
            release="two noisy counts of one budget",
            method=type(noise).__name__,
            loss=spent,
            success=success_of_sum(noise, 2, 1),
            limit=largest_success(spent, CHANCE),
            observed=_difference(*noisy.tolist()),
        ),
    )


def _difference(everybody: int, others: int) -> dict[str, Any]:
    """Return what the attacker makes of two counts."""
    return {"counts": (everybody, others), "has": everybody - others >= 1}


@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class AveragingAttack(Attack):
    """An attack on a count by the mean of many answers. `averaging` returns it.

    Attributes
    ----------
    name, question, chance, undefended, defended
        As in `Attack`.
    exact_count : int
        With the person whom the attacker asks about; without them it is less by 1.

    """

    exact_count: int

    def plot_means(self, ax: Any = None) -> Any:
        """Draw the mean of the first answers against their number (extra ``plot``).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: axes of a new figure.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ImportError
            Without matplotlib.

        """
        ax = new_axes(ax, size=(6.4, 4.8))
        trials = {"undefended": self.undefended, "defended": self.defended}
        for number, (name, trial) in enumerate(trials.items()):
            answers = trial.observed["answers"]
            n = np.unique(np.geomspace(1, len(answers), _MOST_POINTS).astype(np.int64))
            means = np.cumsum(answers)[n - 1] / n
            draw_line(
                ax, n, means, f"{name}: {_count_words(len(answers))}, {_letters(trial)}", number
            )
            ax.plot(n[-1:], means[-1:], "os"[number], color=f"C{number}")
        ends = [1, len(self.undefended.observed["answers"])]
        for style, count, label in (
            (":", self.exact_count, "with the person"),
            ("-", self.exact_count - 1, "without the person"),
        ):
            ax.plot(
                ends, [count] * 2, color=ink_of(ax), linewidth=0.9, linestyle=style,
                label=f"exact count {label}",
            )  # fmt: skip
        ax.set_xscale("log")
        set_numbers(ax.xaxis, ax.yaxis)
        title = f"{self.name}: the mean goes to the exact count,\nunless a budget ends the answers"
        set_words(ax, title, "answers so far (count)", "mean of the answers (records)")
        ax.legend(loc="upper left", bbox_to_anchor=(0, -0.17), frameon=False)
        return ax


def _letters(trial: Trial) -> str:
    """Return what a trial costs, as pictures write it."""
    assert trial.loss is not None
    return with_letters(label_of(trial.loss))


@explain_arguments
def averaging(
    table: Any,
    where: Any,
    *,
    epsilon: Number = "0.1",
    count: Integer = 10_000,
    total: Number = 1,
    rng: Generator | None = None,
) -> AveragingAttack:
    """Ask for one count many times, and average the answers: without a budget, and with one.

    The attacker knows all others that are counted, and bets on whether one more person is: whether
    the mean is nearer to the count with them or without them.

    Parameters
    ----------
    table : frame, table, relation or dict of columns
        What releases take.
    where : dict by column
        Which records are counted: a label, a list of labels, or a tuple (bins, range), as in
        ``{"married": 1, "age": (1, (30, 40))}``.
    epsilon : number > 0, default 0.1
        The privacy cost of each answer.
    count : int, 1 to 10**7, default 10,000
        How many answers the attacker asks for.
    total : number >= epsilon, default 1
        The epsilon that the budget of the defended release allows in all.
    rng : Generator, optional
        The source of the noise. A seeded one keeps the numbers of a lesson.

    Returns
    -------
    AveragingAttack
        `observed` of each trial is a dict of the ``answers``, their ``mean``, and whether the
        attacker bets that the person is counted.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed, or no record is counted. The undefended release tells
        the count: the table must be one that is public.

    Notes
    -----
    The privacy cost is the `loss` of each trial. docs/teach/attacks.md has the proofs.

    References
    ----------
    .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, section 3.5.

    Examples
    --------
    >>> from cydp.testing import SeededGenerator
    >>> people = {"sex": ["f", "m", "f"], "age": [18, 44, 71]}
    >>> attack = averaging(people, {"sex": "f"}, rng=SeededGenerator(1))
    >>> attack.undefended.release, round(attack.undefended.success, 4)
    ('10,000 answers of epsilon=0.1', 0.9998)
    >>> attack.defended.release, round(attack.defended.success, 4)
    ('10 answers, then the budget refuses', 0.5463)
    >>> round(attack.defended.limit, 4)
    0.7311

    """
    each, asked, limit = (
        read_positive(epsilon, "epsilon"),
        read_answer_count(count),
        read_positive(total, "total"),
    )
    if limit < each:
        raise ValueError(
            f"total must be at least epsilon, {format_number(each)}, not {format_number(limit)}"
        )
    noise = DiscreteLaplace(epsilon=each, sensitivity=sensitivity_of_count())
    exact = count_where(table, where)
    free = noise.release(np.full(asked, exact), rng=rng)
    paid, spent = release_while_paid(noise, [exact] * asked, limit, rng)
    unpaid = PureDP(asked * each, relation=noise.relation)
    words = [_count_words(n) for n in (asked, len(paid))]
    refused = ", then the budget refuses" if len(paid) < asked else ""
    return AveragingAttack(
        name="Averaging",
        question=QUESTION,
        chance=CHANCE,
        undefended=trial_of_mean(
            f"{words[0]} of epsilon={format_number(each)}", unpaid, noise, free, exact
        ),
        defended=trial_of_mean(f"{words[1]}{refused}", spent, noise, paid, exact),
        exact_count=exact,
    )


def _count_words(answers: int) -> str:
    return f"{answers:,} answer{'s' if answers > 1 else ''}"


@explain_arguments
def repeated_array(
    table: Any,
    where: Any,
    *,
    epsilon: Number = 1,
    count: Integer = 1_000_000,
    rng: Generator | None = None,
) -> Attack:
    """Release an array that repeats one count: with the sensitivity of one entry, and of all.

    A mechanism cannot know what the entries of an array are. Whoever states the sensitivity of one
    count for an array of many copies states an epsilon that is wrong by their number, and a budget
    that believes it pays once. The attacker averages the entries.

    Parameters
    ----------
    table, where, rng
        As in `averaging`.
    epsilon : number > 0, default 1
        What is stated for the array.
    count : int, 1 to 10**7, default 1,000,000
        How many entries the array has.

    Returns
    -------
    Attack
        `observed` is as in `averaging`; `loss` is what was truly spent, not what was stated.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed.

    Notes
    -----
    The privacy cost is the `loss` of each trial. The right sensitivity is the sum over the entries,
    ``queries(*[count()] * n)``: docs/teach/attacks.md, docs/sensitivity.md.

    References
    ----------
    .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, section 3.3.

    Examples
    --------
    >>> people = {"sex": ["f", "m", "f"], "age": [18, 44, 71]}
    >>> attack = repeated_array(people, {"sex": "f"}, count=10_000)
    >>> attack.undefended.loss, attack.defended.loss
    (PureDP(epsilon=10000, relation='add-remove'), PureDP(epsilon=1, relation='add-remove'))
    >>> round(attack.undefended.success, 4), round(attack.defended.success, 4)
    (1.0, 0.5014)

    """
    stated, entries = read_positive(epsilon, "epsilon"), read_answer_count(count)
    one = sensitivity_of_count()
    trusting = DiscreteLaplace(epsilon=stated, sensitivity=one)
    honest = DiscreteLaplace(epsilon=stated, sensitivity=entries * one)
    array = np.full(entries, count_where(table, where))
    exact, words = int(array[0]), f"an array of length {entries:,} that repeats one count"
    wrong = trusting.release(array, rng=rng)
    (right,), spent = release_while_paid(honest, [array], stated, rng)
    return Attack(
        name="Repeated array",
        question=QUESTION,
        chance=CHANCE,
        undefended=trial_of_mean(
            f"{words}, of which sensitivity=1 and epsilon={format_number(stated)} are stated",
            PureDP(stated * entries, relation=one.relation),
            trusting,
            wrong,
            exact,
        ),
        defended=trial_of_mean(f"{words}, of sensitivity={entries:,}", spent, honest, right, exact),
    )
