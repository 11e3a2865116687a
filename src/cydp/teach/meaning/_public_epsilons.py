# SPDX-License-Identifier: MIT
"""Epsilons in public use, with their units and sources. docs/teach/meaning.md: how read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

from cydp._extras import EPSILON, import_extra, ink_of
from cydp.accounting import ZCDP, ApproxDP, Loss, PureDP
from cydp.teach._pictures import EDGE, new_axes, set_numbers, set_words

__all__ = ["PublicEpsilon", "PublicEpsilons", "public_epsilons"]

# Read on 2026-11-23, in archived copies of these pages.
_READ = {
    "source": "the publisher's text",
    "registry": "the Differential Privacy Deployments Registry of OpenDP, which quotes it",
    "list": "Desfontaines, 'A list of real-world uses of differential privacy'",
}

_APPLE = "https://www.apple.com/privacy/docs/Differential_Privacy_Overview.pdf"
_APPLE_NOTE = "the sum of a day, by the list; Apple states it for each donation"
_CENSUS = "https://arxiv.org/abs/2204.08986"
_WIKIMEDIA = "https://analytics.wikimedia.org/published/datasets"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicEpsilon:
    """One use of differential privacy, with the numbers that its publisher states.

    Attributes
    ----------
    who, what : str
        The publisher, and what is published or learned.
    epsilon, delta : str
        As stated, for one unit; delta is "0" for pure differential privacy.
    rho : str or None
        The rho of zCDP, where it is what the publisher promises; epsilon is then said at delta.
    unit : str
        What one epsilon protects.
    setting : {"central", "local"}
        Who adds the noise: a curator, or each device.
    relation : str or None
        "change-one" where presence is not protected: of reports from devices, and where the
        publisher says so. None where nothing is said.
    year : int
        Of the first publication.
    source : str
        The publisher's page or paper.
    read : {"source", "registry", "list"}
        Where the numbers were read.
    note : str
        What else one must know.

    """

    who: str
    what: str
    epsilon: str
    delta: str = "0"
    rho: str | None = None
    unit: str
    setting: str = "central"
    relation: str | None = None
    year: int
    source: str
    read: str
    note: str = ""

    @property
    def loss(self) -> Loss:
        """The loss that is promised, as an object."""
        relation = self.relation
        if self.rho is not None:
            return ZCDP(self.rho, relation=relation)
        if self.delta == "0":
            return PureDP(self.epsilon, relation=relation)
        return ApproxDP(self.epsilon, self.delta, relation=relation)


_ROWS = (
    PublicEpsilon(
        who="Microsoft", what="broadband use by zip code, USA", epsilon="0.2", unit="user",
        year=2021, source="https://arxiv.org/abs/2103.14035", read="registry",
        note="0.1 for each of two sources of data",
    ),
    PublicEpsilon(
        who="Wikimedia", what="page views by country", epsilon="1", delta="1e-7", rho="0.015",
        unit="device-day (10 pages)", year=2023,
        source=f"{_WIKIMEDIA}/country_project_page/00_README.html", read="source",
        note="epsilon is 'roughly' that",
    ),
    PublicEpsilon(
        who="Wikimedia", what="page views by country, 2017 to 2023", epsilon="1",
        unit="30 page views of a day", year=2023, source="https://arxiv.org/abs/2308.16298",
        read="registry",
    ),
    PublicEpsilon(
        who="Meta", what="URLs shared on Facebook", epsilon="1.453", delta="1e-5", rho="0.0728",
        unit="user (96.6 % of them)", year=2020, source="https://doi.org/10.7910/DVN/TDOAPG",
        read="registry", note="noise is for one action; 3.4 % of users (by the list) lose more",
    ),
    PublicEpsilon(
        who="Microsoft", what="app usage on Windows", epsilon="1.672", unit="user, 6 hours",
        setting="local", relation="change-one", year=2017, read="registry",
        source="https://www.microsoft.com/en-us/research/publication/"
        "collecting-telemetry-data-privately/",
    ),
    PublicEpsilon(
        who="Google", what="searches for symptoms of COVID-19", epsilon="1.68", unit="user-day",
        year=2020, source="https://arxiv.org/abs/2009.01265", read="source",
    ),
    PublicEpsilon(
        who="Meta", what="movement range maps", epsilon="2", unit="user-day", year=2020,
        source="https://research.facebook.com/blog/2020/06/protecting-privacy-in-facebook-mobility-"
        "data-during-the-covid-19-response/", read="registry",
    ),
    PublicEpsilon(
        who="Apple", what="types of health data in use", epsilon="2", unit="user-day",
        setting="local", relation="change-one", year=2017, source=_APPLE, read="list",
        note=_APPLE_NOTE,
    ),
    PublicEpsilon(
        who="Google", what="searches on COVID-19 vaccination", epsilon="2.19", delta="1e-5",
        unit="user-day", year=2021, source="https://arxiv.org/abs/2107.01179", read="source",
    ),
    PublicEpsilon(
        who="US Census Bureau", what="2020 redistricting data, housing units", epsilon="2.47",
        delta="1e-10", rho="0.07", unit="housing unit", year=2021, source=_CENSUS,
        read="registry", note="some counts are published exactly", relation="change-one",
    ),
    PublicEpsilon(
        who="Google", what="COVID-19 mobility reports", epsilon="2.64", unit="user-day",
        year=2020, source="https://arxiv.org/abs/2004.04145", read="registry",
    ),
    PublicEpsilon(
        who="Apple", what="popular emojis", epsilon="4", unit="user-day", setting="local",
        relation="change-one", year=2017, source=_APPLE, read="list", note=_APPLE_NOTE,
    ),
    PublicEpsilon(
        who="Recurve", what="energy saved by OhmConnect customers", epsilon="4.72",
        delta="5.06e-9", unit="customer", year=2020, read="registry",
        source="https://desfontain.es/blog/real-world-differential-privacy.html",
        note="0.843 was published: the formula for samples was wrong",
    ),
    PublicEpsilon(
        who="Apple", what="lookup hints", epsilon="8", unit="user-day", setting="local",
        relation="change-one", year=2017, source=_APPLE, read="list", note=_APPLE_NOTE,
    ),
    PublicEpsilon(
        who="Google", what="next words on Gboard, Spanish", epsilon="8.9", delta="1e-10",
        rho="0.81", unit="device", year=2022, read="registry",
        source="https://research.google/blog/federated-learning-with-formal-differential-privacy-"
        "guarantees/", note="federated; the server adds the noise",
    ),
    PublicEpsilon(
        who="Israel, Ministry of Health", what="live births of 2014", epsilon="9.98",
        unit="birth (mother, child)", year=2024, source="https://arxiv.org/abs/2405.00267",
        read="source",
    ),
    PublicEpsilon(
        who="IOM and Microsoft", what="victims of trafficking, synthetic", epsilon="12",
        delta="5.8e-6", unit="victim", year=2023, read="registry",
        source="https://www.ctdatacollaborative.org/global-victim-perpetrator-synthetic-dataset",
    ),
    PublicEpsilon(
        who="Apple", what="new words typed (QuickType)", epsilon="16", unit="user-day",
        setting="local", relation="change-one", year=2017, source=_APPLE, read="list",
        note=_APPLE_NOTE,
    ),
    PublicEpsilon(
        who="US Census Bureau", what="2020 redistricting data, persons", epsilon="17.14",
        delta="1e-10", rho="2.56", unit="person", year=2021, source=_CENSUS, read="registry",
        note="some counts are published exactly", relation="change-one",
    ),
    PublicEpsilon(
        who="LinkedIn", what="audience engagements", epsilon="34.9", delta="7e-9",
        unit="user-month", year=2020, source="https://arxiv.org/abs/2002.05839", read="registry",
    ),
)  # fmt: skip


class PublicEpsilons(Sequence[PublicEpsilon]):
    """Epsilons in public use, by their size, as a table. `public_epsilons` returns it."""

    __slots__ = ("_rows",)

    def __init__(self, rows: Sequence[PublicEpsilon]) -> None:
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, index: int) -> PublicEpsilon: ...
    @overload
    def __getitem__(self, index: slice) -> PublicEpsilons: ...
    def __getitem__(self, index: int | slice) -> PublicEpsilon | PublicEpsilons:
        if isinstance(index, slice):
            return PublicEpsilons(self._rows[index])
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[PublicEpsilon]:
        return iter(self._rows)

    def to_pandas(self) -> Any:
        """Return the table as a DataFrame, with epsilon, delta and rho as floats.

        Raises
        ------
        ImportError
            Without pandas.

        """
        names = [field.name for field in fields(PublicEpsilon)]
        columns = {name: [getattr(row, name) for row in self] for name in names}
        for name in ("epsilon", "delta", "rho"):
            columns[name] = [None if text is None else float(text) for text in columns[name]]
        return import_extra("pandas", "to_pandas").DataFrame(columns)

    def plot(self, ax: Any = None) -> Any:
        """Draw the epsilons on a logarithmic axis, each with its unit (extra ``plot``).

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
        ax = new_axes(ax, size=(9.6, 1.4 + 0.29 * len(self)))
        places = range(len(self))
        for number, setting in enumerate(("central", "local")):
            chosen = [place for place in places if self[place].setting == setting]
            ax.plot(
                [float(self[place].epsilon) for place in chosen],
                chosen,
                "os"[number],
                color=f"C{number}",
                label=f"{setting}: {('a curator', 'each device')[number]} adds the noise",
                markerfacecolor=(f"C{number}", "none")[number],
                markeredgewidth=EDGE,
            )
        for place in places:
            ax.annotate(
                f"  {self[place].epsilon} per {self[place].unit}",
                (float(self[place].epsilon), place), xytext=(5, 0), textcoords="offset points",
                va="center", fontsize="small", color=ink_of(ax),
            )  # fmt: skip
        ax.set_yticks(places, [f"{row.who}: {row.what}" for row in self], fontsize="small")
        ax.set_xscale("log")
        set_numbers(ax.xaxis)
        ax.set_xlim(0.1, 1000)
        set_words(
            ax,
            f"{EPSILON} in public use: values for different units\ncannot be compared",
            f"{EPSILON} (nats, per unit)",
            "",
        )
        ax.legend(loc="lower right", fontsize="small")
        return ax

    def __repr__(self) -> str:
        cells = [
            ("epsilon", "delta", "per", "setting", "year", "who: what"),
            *(
                (row.epsilon, row.delta, row.unit, row.setting, str(row.year),
                 f"{row.who}: {row.what}")
                for row in self
            ),
        ]  # fmt: skip
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in cells
        ]
        return "\n".join(
            [
                *lines,
                "Numbers for different units cannot be compared. Sources: .source of each row.",
            ]
        )


def public_epsilons() -> PublicEpsilons:
    """Return epsilons in public use: who, what, for which unit, since when, and the source.

    Returns
    -------
    PublicEpsilons
        It prints as a table, and is a sequence of rows, each with its `loss` and its `source`.

    Notes
    -----
    Numbers for different units cannot be compared: an epsilon of 2 for each day is one of 60 for 30
    days.

    References
    ----------
    Desfontaines, "A list of real-world uses of differential privacy"; OpenDP, "Differential Privacy
    Deployments Registry".

    Examples
    --------
    >>> for row in public_epsilons()[:2]:
    ...     print(row.who, row.loss, row.unit)
    Microsoft PureDP(epsilon=0.2) user
    Wikimedia ZCDP(rho=0.015) device-day (10 pages)

    """
    return PublicEpsilons(_ROWS)
