"""teach/meaning: the table of epsilons in public use."""

from __future__ import annotations

import re

import pytest
from teach.looks import closed

import cydp
from cydp.teach import PublicEpsilons, in_words, public_epsilons

ROWS = list(public_epsilons())


def test_a_row_says_who_what_for_which_unit_and_where_it_was_read() -> None:
    for row in ROWS:
        assert all((row.who, row.what, row.unit)), row
        assert row.setting in ("central", "local"), row
        assert re.fullmatch(r"https://[\w./-]+", row.source), row
        assert row.read in ("source", "registry", "list"), row
        assert 2014 <= row.year <= 2026, row
        assert 0 < float(row.epsilon) < 100, row
        assert 0 <= float(row.delta) < 1e-4, row
    epsilons = [float(row.epsilon) for row in ROWS]
    assert epsilons == sorted(epsilons)
    assert len({(row.who, row.what) for row in ROWS}) == len(ROWS) >= 15


def test_losses_are_those_that_are_stated() -> None:
    kinds = set()
    for row in ROWS:
        kinds.add(type(row.loss))
        if isinstance(row.loss, cydp.ZCDP):  # publishers convert by formulas of their own
            ours = float(cydp.accounting.convert(row.loss, delta=row.delta).epsilon)
            assert ours == pytest.approx(float(row.epsilon), rel=0.15), row
        elif isinstance(row.loss, cydp.ApproxDP):
            assert row.loss == cydp.ApproxDP(row.epsilon, row.delta, relation=row.relation)
        else:
            assert row.delta == "0"
            assert row.loss == cydp.PureDP(row.epsilon, relation=row.relation)
    assert kinds == {cydp.PureDP, cydp.ApproxDP, cydp.ZCDP}


def test_what_does_not_protect_presence_says_so() -> None:
    """A device hides what it reports, not that it does; the census states change-one."""
    for row in ROWS:
        is_about_values = row.setting == "local" or "Census" in row.who
        assert row.loss.relation == ("change-one" if is_about_values else None)
        words = in_words(row.loss, unit=row.unit)
        assert ("present" in words) == (not is_about_values)


def test_numbers_of_publishers_that_were_read() -> None:
    """As a second person would copy them from the sources, for some rows."""
    found = {row.what: row for row in ROWS}
    assert found["2020 redistricting data, persons"].loss == cydp.ZCDP(
        "2.56", relation="change-one"
    )
    assert found["live births of 2014"].loss == cydp.PureDP("9.98")
    assert found["searches for symptoms of COVID-19"].loss == cydp.PureDP("1.68")
    assert found["searches on COVID-19 vaccination"].loss == cydp.ApproxDP("2.19", "1e-5")
    assert found["page views by country"].loss == cydp.ZCDP("0.015")
    assert found["URLs shared on Facebook"].unit == "user (96.6 % of them)"
    donations = [row for row in ROWS if row.who == "Apple"]
    assert all("each donation" in row.note for row in donations)
    assert found["audience engagements"].loss == cydp.ApproxDP("34.9", "7e-9")


def test_the_table_prints_and_is_a_frame() -> None:
    table = public_epsilons()
    lines = repr(table).splitlines()
    assert len(lines) == len(table) + 2
    assert lines[-1].startswith("Numbers for different units cannot be compared. Sources: ")
    assert max(map(len, lines)) <= 120
    assert isinstance(table[:2], PublicEpsilons)
    pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert list(frame["who"]) == [row.who for row in ROWS]
    assert frame["epsilon"].dtype == frame["delta"].dtype == frame["rho"].dtype == float


def test_the_picture_shows_all() -> None:
    with closed():
        ax = public_epsilons().plot()
    drawn = sorted(x for line in ax.lines for x in line.get_xdata())
    assert drawn == [float(row.epsilon) for row in ROWS]
    assert ax.get_xscale() == "log"
