# SPDX-License-Identifier: MIT
"""The query of a release, from its public parameters alone. docs/releases.md, "One way"."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from cydp._columns.canonical import digest_argument
from cydp._generator import Generator
from cydp.accounting._loss import Loss
from cydp.accounting._meaning import notes_on
from cydp.accounting.ledger._serialize import deserialize, serialize
from cydp.releases._answers import Answer, NoisyAnswer, RankAnswer
from cydp.releases._format import format_parameter
from cydp.releases._kept_queries import NESTED, flat_arguments, keep_results, nested_arguments
from cydp.releases._noise_split import (
    ALONE,
    Aggregate,
    Joint,
    Part,
    RowMoves,
    joint_of,
    log_noise,
    split_privacy,
)
from cydp.releases._reads import NOTHING, Reads, known_names, names_of, words_of_reads
from cydp.releases._tally import Tally
from cydp.releases._terms import TERMS, least_noise, losses_by_noise, read_terms, terms_of
from cydp.releases._unit import Unit

if TYPE_CHECKING:
    from cydp.releases._release import Release

__all__ = ["DataQuery", "Given", "Query"]

Given = Mapping[str, Any]
"""The arguments of a call of a release by name, with its defaults."""


_VERSION = 1  # of `Query.to_dict`


@dataclass(frozen=True, repr=False)
class Query(ABC):
    """A release, of any data: what it does and costs follows from public parameters.

    Attributes
    ----------
    privacy : loss
        The loss that the caller allows for the release, under its relation.
    unit : Unit
        The unit that the release protects.
    reads : Reads
        The columns, public keys and edges that it reads.
    parts : mapping of names to Part
        The noisy answers, and how they are made.
    loss : loss
        The cost of the release: `privacy`, with the numbers that follow beside it.

    """

    function: ClassVar[str]
    rows_given: ClassVar[str] = "n"  # the argument of `explain` on which errors depend
    bounded: ClassVar[str] = "rows"  # of a user: see `TERMS`
    column_arguments: ClassVar[tuple[str, ...]] = ("column", "user")
    all_rows_count: ClassVar[bool] = False  # of a user, worth as many rows as their bound

    privacy: Loss
    unit: Unit
    reads: Reads = field(default=NOTHING, init=False, repr=False, compare=False, kw_only=True)
    parts: Mapping[str, Part] = field(init=False, repr=False, compare=False, kw_only=True)
    loss: Loss = field(init=False, repr=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        given = self.privacy_of_parts
        parts, loss = split_privacy(given, self.aggregates(), self.joint)
        # Nobody may change a query that is kept for later releases.
        object.__setattr__(self, "parts", MappingProxyType(parts))
        object.__setattr__(self, "loss", loss if given is self.privacy else self.privacy)

    @classmethod
    @abstractmethod
    def of(cls, given: Given, source: Any | None) -> Query:
        """Return the query of a call.

        Parameters
        ----------
        given : mapping
            The arguments by name. Without a source, public keys may be given as their number.
        source : what `declare` returned, or None
            None: there is no data, as for `explain`.

        Raises
        ------
        TypeError, ValueError
            If an argument is not allowed.

        """

    @abstractmethod
    def aggregates(self) -> Sequence[Aggregate]:
        """Return the exact answers that are released, with their weights."""

    def row_moves(self) -> RowMoves | None:
        """Return what a row does to all parts at once; None: there is one part.

        It is asked only where a unit's rows may become others: a row that comes moves all parts as
        far as it can.
        """
        return None

    @abstractmethod
    def answers(self) -> Sequence[Answer]:
        """Return the released numbers, with their expected errors."""

    def rows_per_key(self, rows: int) -> int | None:
        """Return how many of so many rows each public key has in the mean; None without keys."""
        return None

    @property
    def selections(self) -> dict[str, Any]:
        """The mechanisms that select, by what they select."""
        return {}

    @property
    def title(self) -> str:
        """What a reader calls the release: its function, unless another is a case of it."""
        return self.function

    @property
    def contents(self) -> tuple[str, ...]:
        """The names of the numbers of a table; empty where the title says them."""
        return ()

    @property
    def words_of_parts(self) -> dict[str, str]:
        """What texts call parts, by their names: the numbers that are read off them."""
        read = [answer for answer in self.answers() if isinstance(answer, NoisyAnswer | RankAnswer)]
        return {answer.part.name: answer.name for answer in read}

    @property
    def in_words(self) -> str:
        """What is released of which columns, and for which public keys, in a line for a report."""
        return words_of_reads(self.title, self.reads, self.contents)

    @property
    def path(self) -> str | None:
        """The absolute path, or glob, of the files that the table is; None for other tables."""
        return self.reads.path

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for a reader of the query, besides its noise and errors."""
        return ()

    @property
    def protects(self) -> str:
        """What is protected, in words."""
        return self.unit.words_of(all_rows=self.all_rows_count)

    @property
    def left_out(self) -> tuple[str, ...]:
        """A note on the rows that may be left out to bound what one user adds, or nothing."""
        if not self.unit.has_users:
            return ()
        return (self.unit.left_out(self.left_out_may, all_rows=self.all_rows_count),)

    @property
    def left_out_may(self) -> str:
        """What it may do to the released numbers that rows of a user are left out."""
        return "counts and sums may be too low"

    @property
    def clamped(self) -> tuple[str, ...]:
        """A note on numbers that are clamped to public bounds, or nothing."""
        return ()

    @property
    def rounding(self) -> tuple[str, ...]:
        """A note on times that are rounded down to days, or nothing."""
        return ()

    @property
    def notes_on_cost(self) -> tuple[str, ...]:
        """Notes on a cost that promises next to nothing."""
        return tuple(notes_on(self.loss, self.unit))

    @property
    def standing_notes(self) -> tuple[str, ...]:
        """The notes that every result has: on text, bounds, rows left out, days, and its cost."""
        about_data = *self.reads.notes, *self.clamped, *self.left_out, *self.rounding
        return (*about_data, *self.notes_on_cost)

    @classmethod
    def kept(cls, given: Given, *own: Any) -> Self:
        """Return the query of a call, or the one that was kept of a call with the same arguments.

        `built` makes it of the privacy, the unit, and `own`. It reads the columns that are named by
        `column_arguments`.

        Parameters
        ----------
        given : mapping
        *own : object
            Further arguments that the query depends on, as they were written.

        """
        names, terms = names_of(given, *cls.column_arguments), terms_of(given, cls.bounded)
        written = flat_arguments(own) if any(isinstance(each, NESTED) for each in own) else own
        noise = "noise" in given, given.get("noise")
        found: Any = _kept_query(cls, *names.values(), *terms, *noise, *written)
        return cast(Self, found)

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of parameters as they were written: its fields, unless overridden."""
        return cls(privacy, unit, *own)

    @classmethod
    def least_noisy(cls, privacy: Loss, unit: Unit, noise: str | None, *own: Any) -> Self:
        """Return the query as `built` makes it, with the noise that is asked for, or the least."""
        losses = losses_by_noise(privacy, noise)
        return least_noise(losses, lambda loss: cls.built(loss, unit, *own))

    @property
    def log_noise(self) -> float:
        """How noisy the released numbers are: the less, the better. A sum of logarithms."""
        return log_noise(self.parts)

    def reading(self, **further: Any) -> Self:
        """Return the query with further public keys or edges that it reads."""
        made = object.__new__(type(self))
        vars(made).update(vars(self), reads=self.reads._replace(**further))
        return made

    @cached_property
    def joint(self) -> Joint:
        """What all parts cost together, as a share of the sum of what each can cost alone."""
        moves = self.row_moves() if self.unit.rows_may_become_others else None
        return ALONE if moves is None else joint_of(self.unit, self.aggregates(), moves)

    @property
    def privacy_of_parts(self) -> Loss:
        """The privacy that the parts take; a selection before them takes the rest."""
        return self.privacy

    @property
    def further(self) -> dict[str, Any]:
        """Steps besides the noise of the parts, as JSON can hold them."""
        return {}

    @property
    def relation(self) -> str:
        """The relation of neighbours."""
        return self.unit.relation

    @property
    def mechanisms(self) -> dict[str, Any]:
        """The mechanisms, in the order in which they run, by what they release."""
        return {name: part.mechanism for name, part in self.parts.items()}

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters that the query shows, and a ledger records, besides privacy and unit."""
        own = [each.name for each in fields(self) if each.init and each.repr][2:]
        return {name: getattr(self, name) for name in own}

    @property
    def mechanism_name(self) -> str:
        """What a ledger calls the mechanisms."""
        names = {type(mechanism).__name__: None for mechanism in self.mechanisms.values()}
        return " and ".join(names)

    def to_dict(self) -> dict[str, Any]:
        """Return the query as JSON can hold it: what a ledger keeps, and compares.

        Public keys and edges are there by their number and a digest: `from_dict` restores the rest.
        """
        return {
            "version": _VERSION,
            "query": json.loads(serialize(self)),
            "reads": self.reads.to_dict(),
        }

    @staticmethod
    def from_dict(kept: Mapping[str, Any], **public: Any) -> Query:
        """Return the query from the dictionary that `to_dict` has made of it.

        Parameters
        ----------
        kept : mapping
        **public : object
            The public keys, edges and other inputs that it reads, as in `Reads`.

        Raises
        ------
        ValueError
            For another version, or for public inputs that are missing or belong to another query.

        """
        if kept.get("version") != _VERSION:
            raise ValueError(f"a query must be of version {_VERSION}, not {kept.get('version')!r}")
        query: Query = deserialize(json.dumps(kept["query"]))
        columns = {name: _as_tuple(each) for name, each in kept["reads"]["columns"].items()}
        found = query.reading(columns=columns, where=kept["reads"].get("where"), **public)
        if json.loads(json.dumps(found.reads.to_dict())) != kept["reads"]:
            raise ValueError(
                "the public keys, edges and domains of the query must be given, as they were"
            )
        return found

    def arguments_before(self) -> Any:
        """Return what a ledger compared of a call before it compared queries."""
        columns = list(known_names(self.reads.columns.values()))
        return digest_argument({"columns": columns, "other": self._other_before()})

    def _other_before(self) -> Any:
        return None

    @property
    def _given(self) -> list[Any]:
        """The fields that a query is made of, in their order, without `reads`."""
        return [getattr(self, each.name) for each in fields(self) if each.init]

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._given, self.reads)

    def __repr__(self) -> str:
        parts = [
            repr(self.privacy),
            *(f"{name}={format_parameter(value)}" for name, value in self.parameters.items()),
            f"mechanisms={format_parameter(self.mechanisms)}",
            self.unit.parameters,
        ]
        if self.reads.where is not None:
            parts.append(f"where={self.reads.where!r}")
        return f"{self.function}({', '.join(parts)})"


@dataclass(frozen=True, repr=False)
class DataQuery(Query):
    """A release of a table or a column.

    A subclass is a kind of release. It says which columns it needs (`declare`), what its parameters
    mean (`of`), what it counts or adds up in the rows (`read`), and what it releases (`draw`,
    `result`). All else is done by `cydp.releases._run`, which knows no kind of release.
    """

    data: ClassVar[str] = "x"  # the argument that has the data

    @classmethod
    @abstractmethod
    def of(cls, given: Given, source: Any | None) -> DataQuery:
        """Return the query of a call; `source` is what `declare` returned."""

    @classmethod
    def settled(cls, given: Given) -> Given:
        """Return the arguments, with those read that both `declare` and `of` need."""
        return given

    @classmethod
    @abstractmethod
    def declare(cls, given: Given) -> Any:
        """Return the columns of a call, declared; no value is read.

        Returns
        -------
        source
            With `users`, a column or None, and `length`, the number of rows or None.

        Raises
        ------
        TypeError, ValueError
            For columns that are not there, of other types, or of lengths that are known to differ.

        """

    @abstractmethod
    def read(self, source: Any, key: NDArray[np.uint64] | None) -> Tally:
        """Return the exact answers; the data is read here, and nowhere else.

        Parameters
        ----------
        source : what `declare` returned
        key : ndarray of uint64, shape (2,), or None
            By it the rows of each user that count are chosen; None without users.

        """

    def draw(self, tally: Tally, generator: Generator) -> Any:
        """Return the numbers to release from a tally: unless overridden, each part with its noise.

        The answer of a single part, else a list of answers.
        """
        drawn = self.noisy(tally, generator)
        return drawn if len(drawn) > 1 else drawn[0]

    def noisy(self, tally: Tally, generator: Generator) -> list[Any]:
        """Return each part with its noise."""
        return [
            part.noise.release(tally.parts[name], rng=generator)
            for name, part in self.parts.items()
        ]

    @abstractmethod
    def result(self, drawn: Any, payment: Any) -> Release:
        """Return the release of what `draw` returned, or a ledger has recorded."""

    @property
    def nbytes(self) -> int:
        """How many bytes the released arrays have, if that is known."""
        return 0

    def check_recorded(self, source: Any) -> None:
        """Raise a TypeError if a ledger might not be able to record the released numbers."""
        return


def _as_tuple(name: Any) -> Any:
    return tuple(map(_as_tuple, name)) if isinstance(name, list) else name


def _rebuild(kind: type[Query], given: Sequence[Any], reads: Reads) -> Query:
    return kind(*given).reading(**reads._asdict())


@keep_results
def _kept_query(kind: type[Query], *rest: Any) -> Query:
    """Return a query of names of columns, of terms, and of the parameters of its kind."""
    n_names, n_terms = len(kind.column_arguments), len(TERMS[kind.bounded])
    columns, rest = dict(zip(kind.column_arguments, rest[:n_names], strict=True)), rest[n_names:]
    privacy, unit = read_terms(rest[:n_terms], kind.bounded)
    adds_noise, noise, *flat = rest[n_terms:]
    own = [*nested_arguments(iter(flat))]
    if adds_noise:
        return kind.least_noisy(privacy, unit, noise, *own).reading(columns=columns)
    return kind.built(privacy, unit, *own).reading(columns=columns)
