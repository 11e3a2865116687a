"""accounting/ledger/_report.py: what a ledger has paid for, as text and as a page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import new

import cydp
from cydp import ZCDP, ApproxDP, BudgetLedger, PureDP
from cydp.accounting.ledger import _report

MARKUP = "<script>alert('x') & \"y\"</script>"
TABLE: dict[str, list[Any]] = {
    "day": [1, 1, 2, 3],
    "who": [7, 7, 8, 9],
    MARKUP: [1.0, 2.0, 3.0, 4.0],
}


@pytest.fixture
def ledger(path: Path) -> Iterator[BudgetLedger]:
    with BudgetLedger.create(path, PureDP(9), privacy_unit="visitor") as made:
        yield made


def last_of(ledger: BudgetLedger) -> str:
    """What the last line says after the cost."""
    return ledger.report().text.splitlines()[-1].partition("): ")[2]


def test_a_line_names_columns_and_public_keys_and_the_label(ledger: BudgetLedger) -> None:
    given: Any = {"user": "who", "unit": "visitor", "epsilon": "1/8", "budget": ledger}
    cydp.count(TABLE, column="day", max_rows=1, **given)
    assert last_of(ledger) == "count of day"
    cydp.value_counts(TABLE, range(9), column="day", max_partitions=1, **given)
    assert last_of(ledger) == "value_counts by day, keys 0, 1, 2, 3, 4 and 4 more"
    given["budget"] = ledger.scope(label="for the mayor", charge_id="a", data_version="May")
    cydp.group_by(
        TABLE, ["day", "who"], keys=[(1, 7), (2, 8)], means={"day": (0, 9)},
        quantiles={MARKUP: (0.5, (0, 9))}, max_partitions=2, **given,
    )  # fmt: skip
    expected = f"group_by day, who: n; mean_day; {f'median_{MARKUP}'[:40]}, keys 1/7, 2/8"
    assert last_of(ledger) == f"for the mayor: {expected}, data May"
    given["budget"] = ledger
    cydp.histogram(TABLE, 5, (0, 9), column="day", by="who", by_keys=[7], max_partitions=2, **given)
    assert last_of(ledger) == "histogram of day by who, keys 7, 5 bins from 0.0 to 9.0"
    cydp.quantile(TABLE, [0.25, 0.5], (0, 9), column="day", max_rows=1, **given)
    assert last_of(ledger) == "quantile of day: q=1/4; median"
    cydp.DiscreteLaplace(epsilon="0.1", sensitivity=1).release(7, budget=ledger)
    assert last_of(ledger) == "DiscreteLaplace(epsilon=0.1, sensitivity=1)"
    ledger.charge(PureDP("0.1"))
    assert last_of(ledger) == "a loss"
    ledger.verify()


def test_keys_that_are_not_public_are_not_named(path: Path) -> None:
    with BudgetLedger.create(path, ApproxDP(9, 0.1), privacy_unit="row") as ledger:
        cydp.value_counts(["secret"] * 99, epsilon=1, delta=0.01, budget=ledger)
        assert last_of(ledger).endswith("): value_counts") or last_of(ledger) == "value_counts"
        assert not any("secret" in str(entry.get("released")) for entry in ledger.history())


def test_a_report_is_the_same_for_neighbours(path: Path) -> None:
    said = []
    for place, last in enumerate(([], [5], [None], [10**6])):
        with BudgetLedger.create(
            path.with_name(str(place)), PureDP(9), privacy_unit="row"
        ) as ledger:
            cydp.value_counts([1, 2, *last], [1, 2], epsilon=1, budget=ledger)
            cydp.mean([1.0, 2.0, *last], (0, 9), epsilon=1, budget=ledger)
            page = re.sub("<svg.*?</svg>", "", ledger.report().to_html())  # it has the times
            words = ledger.report().text + re.sub("ledger</td>.*|head</td>.*", "", page)
            said.append(re.sub(r"\d{4}-\S*Z", "", words))
    assert len(set(said)) == 1


def test_charges_for_the_same_are_one_line(ledger: BudgetLedger) -> None:
    for label in ("a", "b", "a", "a"):
        ledger.charge(PureDP("0.1"), label=label)
    ledger.charge(PureDP("0.2"), label="a")
    _, spent, *lines = ledger.report().text.splitlines()
    assert spent == "  spent PureDP(epsilon=0.6), left PureDP(epsilon=8.4)"
    time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    for line, expected in zip(
        lines,
        (rf"  entry 4: {time} PureDP\(epsilon=0\.1\): b",
         rf"  entries 3, 5, 6: {time}( to {time})? 3 times PureDP\(epsilon=0\.1\): a",
         rf"  entry 7: {time} PureDP\(epsilon=0\.2\): a"),
        strict=True,
    ):  # fmt: skip
        assert re.fullmatch(expected, line), line


def test_blocks_of_one_line_are_together(path: Path) -> None:
    with BudgetLedger.create(path, PureDP(1), privacy_unit="visitor", by_block=True) as ledger:
        ledger.add_blocks(["mon", "tue"])
        for day in ("mon", "tue", "mon"):
            payer = ledger.scope(blocks=[day], table_in_blocks=True)
            cydp.count([1], epsilon="1/8", max_rows_per_unit=1, budget=payer)
        report = ledger.report()
        last = report.text.splitlines()[-1]
        assert last.endswith("3 times PureDP(epsilon=0.125) in 'mon', 'tue': count")
        words = words_of(report.to_html())
        assert "mon open epsilon=0.25 epsilon=0.75 tue open epsilon=0.125 epsilon=0.875" in words
        assert "whether one visitor in one block is in the data or not" in words


def test_what_is_left_out_is_counted(ledger: BudgetLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(30):
        ledger.charge(PureDP("0.1"), label=str(i))
    for report in (ledger.report().text, ledger.report().to_html()):
        assert "10 charges, and then" in report
    with monkeypatch.context() as patched:
        patched.setattr("cydp.accounting.ledger._ledger_looks.MOST_READ", 25)
        assert "10 charges, and then" in ledger.report().text
        patched.setattr("cydp.accounting.ledger._ledger_looks.MOST_READ", 4)
        assert "26 charges, and then" in ledger.report().text
    assert _report.MOST_READ > 30


class Words(HTMLParser):
    """Collects words, and the names of tags and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {tag, *(name for name, _ in attrs)}

    def handle_data(self, data: str) -> None:
        self.words += data.split()


def parsed(html: str) -> Words:
    parser = Words()
    parser.feed(html)
    return parser


def words_of(html: str) -> str:
    return " ".join(parsed(html).words)


def test_a_page_has_words_and_no_scripts(ledger: BudgetLedger) -> None:
    ledger.charge(PureDP("0.1"), label=MARKUP)
    cydp.value_counts(
        [MARKUP], [MARKUP], epsilon="0.1", max_rows_per_unit=1,
        budget=ledger.scope(label="said"),
    )  # fmt: skip
    report = ledger.report()
    found = parsed(report.to_html())
    assert found.names <= {
        "div", "strong", "table", "thead", "tbody", "tr", "td", "th", "style",
        # of the picture
        "svg", "viewbox", "width", "role", "title", "text", "x", "y", "fill", "font-size", "path",
        "d", "stroke", "stroke-dasharray", "stroke-width", "opacity", "polyline", "points",
        "text-anchor",
    }  # fmt: skip
    assert " ".join(found.words).count("alert('x')") == 2
    assert report._repr_html_() == ledger._repr_html_() == report.to_html()
    assert repr(report) == str(report) == report.text
    words = " ".join(found.words)
    for part in ("spent epsilon=0.2", "left epsilon=8.8", "budget epsilon=9", "charges 2", "said:"):
        assert part in words


def test_the_promise_is_that_of_what_was_spent(path: Path) -> None:
    cases: list[tuple[Any, Any, tuple[str, ...]]] = [
        (PureDP(9), PureDP(1), ("at most 2.71829 times as likely to give",)),
        (
            ApproxDP(9, 0.1),
            ApproxDP(1, 0.01),
            ("at most 2.71829 times as likely", "plus a probability of 0.01"),
        ),
        (ZCDP(9), ZCDP("0.5"), ("true as when it is false, plus a probability of 1e-06",)),
        (PureDP(9000), PureDP(5000), ("at most 10**301 or more times",)),
        (PureDP(9), PureDP(0), ("Nothing was spent: the releases reveal nothing about whether",)),
    ]
    for place, (budget, cost, parts) in enumerate(cases):
        with BudgetLedger.create(
            path.with_name(str(place)), budget, privacy_unit="person"
        ) as ledger:
            ledger.charge(cost)
            words = words_of(ledger.report().to_html())
            assert all(part in words for part in parts), words
            assert "whether one person is in the data" in words
    with BudgetLedger.create(
        path.with_name("other"), PureDP(1), privacy_unit="person", relation="change-one"
    ) as ledger:
        assert "which of two values is that of one person" in words_of(ledger._repr_html_())


def test_blocks_that_spend_alike_are_one_line(path: Path, tmp_path: Path) -> None:
    days = [f"2024-01-{day:02}" for day in range(1, 31)]
    with BudgetLedger.create(
        path, PureDP(1), privacy_unit="row", by_block=True, block_column="day"
    ) as ledger:
        ledger.add_blocks(days)
        (tmp_path / "t.csv").write_text("day,sex\n2024-01-11,f\n")
        table = cydp.where(tmp_path / "t.csv", "sex = 'f'")
        for day in days[10:20]:
            cydp.count(table, epsilon="1/8", budget=ledger.scope(blocks=[day]))
        _, *blocks, charges = ledger.report().text.splitlines()
        assert [line.partition(": ")[0] for line in blocks] == [
            "  10 blocks from '2024-01-11' to '2024-01-20'",
            "  10 blocks from '2024-01-01' to '2024-01-10'",
            "  10 blocks from '2024-01-21' to '2024-01-30'",
        ]
        assert charges.endswith(" and 5 more: count in t.csv, where sex = 'f'")
        assert "'2024" not in words_of(ledger.report().to_html())


def test_a_charge_without_a_recorded_result_is_said(ledger: BudgetLedger) -> None:
    given: Any = {"user": "who", "unit": "visitor", "max_rows": 1, "epsilon": 1}
    cydp.count(TABLE, **given, budget=ledger.scope(charge_id="a"))
    assert last_of(ledger) == "count"

    def fails() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ledger.once("b", PureDP(1), fails, function="fails")
    assert last_of(ledger) == "a loss (charged; no result)"
    ledger.charge(PureDP(1))  # nobody knows what is done with it
    assert last_of(ledger) == "a loss"


def test_a_report_for_machines(path: Path) -> None:
    """All of it is JSON, and exact; the page has the head, and a picture of what was spent."""
    with new(path, PureDP(4)) as ledger:
        assert "<svg" not in ledger.report().to_html()
        for label in ("a", "a", "b"):
            ledger.charge(PureDP("1/3"), label=label)
        found = json.loads(json.dumps(ledger.report().to_dict()))
        page, head = ledger.report().to_html(), "{}:{}".format(*ledger.head())
    assert (found["ledger"], found["head"], found["charges"]) == (ledger.uuid, head, 3)
    assert found["budget"] == {"epsilon": "4"}
    assert found["blocks"] == {
        "all": {
            "budget": {"epsilon": "4"}, "spent": {"epsilon": "1"}, "left": {"epsilon": "3"},
            "set_aside": {"epsilon": "0"},
            "state": "open",
        }
    }  # fmt: skip
    released = [(line["what"].partition(":")[0], line["entries"]) for line in found["released"]]
    assert released == [("a", [3, 4]), ("b", [5])]
    assert found["released"][0]["cost_of_each"] == {"epsilon": "1/3"}
    assert head in page
    assert "<title>epsilon spent: 25% of the budget</title>" in page
    steps = re.search('points="([^"]*)"', page)
    assert steps is not None
    heights = [float(point.partition(",")[2]) for point in steps[1].split()]
    assert heights == sorted(heights, reverse=True)
    assert heights[0] - heights[-1] == pytest.approx((heights[0] - 18) / 4, abs=0.2)


def test_a_report_of_blocks_for_machines(path: Path) -> None:
    with new(path, by_block=True) as ledger:
        ledger.add_blocks(["mon", "tue"])
        ledger.retire("tue")
        assert "<svg" not in ledger.report().to_html()
        ledger.charge(PureDP("1/2"), blocks=["mon"])
        found, page = ledger.report().to_dict(), ledger.report().to_html()
    assert "<title>epsilon spent in each block: at most 50% of its budget</title>" in page
    assert "v-51.0 h231.0 V120 Z M240.0,120 v-0.0 " in page  # half the height, and nothing
    assert found["blocks"]["mon"]["left"] == {"epsilon": "0.5"}
    assert found["blocks"]["tue"]["state"] == "retired"
    assert found["released"][0]["blocks"] == ["mon"]


def test_bars_of_many_blocks_show_the_most_that_one_has_spent(file: Path) -> None:
    with new(file, by_block=True) as ledger:
        ledger.add_blocks([f"{i:03}" for i in range(240)])
        ledger.charge(PureDP("1/2"), blocks=["001"])
        ledger.charge(PureDP("1/4"), blocks=["239"])
        page = ledger.report().to_html()
    bars = re.findall(r" v-([0-9.]+) ", page)
    assert len(bars) == 80
    assert [i for i, height in enumerate(bars) if height != "0.0"] == [0, 79]
    assert float(bars[0]) == 51.0
    assert ", 3 blocks to a bar: at most 50%" in page


def test_bars_are_shares_of_each_block_s_own_budget(file: Path) -> None:
    with new(file, by_block=True) as ledger:
        ledger.add_blocks({"mon": PureDP("0.1"), "tue": PureDP(1), "wed": PureDP(0)})
        ledger.charge(PureDP("0.1"), blocks=["mon", "tue"])
        report = ledger.report()
    heights = re.findall(r" v-([0-9.]+) ", report.to_html())
    assert heights == ["102.0", "10.2", "0.0"]
    assert "epsilon=1, at most, for each block" in report.to_html()
    assert report.to_dict()["blocks"]["mon"]["budget"] == {"epsilon": "0.1"}


def test_a_promise_of_thousands_is_no_infinity(file: Path) -> None:
    with new(file, PureDP(900)) as ledger:
        ledger.charge(PureDP(900))
        page = ledger.report().to_html()
    assert "at most 10**301 or more times" in page


def test_a_report_says_who_and_for_whom(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with new(path) as ledger:
        for service in ("nightly", "weekly", "nightly"):
            monkeypatch.setenv("CYDP_SERVICE", service)
            ledger.charge(PureDP("0.1"), label="ages")
        report = ledger.report()
    assert [line["service"] for line in report.to_dict()["released"]] == ["weekly", "nightly"]
    assert "2 times PureDP(epsilon=0.1): ages, by nightly" in report.text
    found = report.to_dict()
    assert (found["relation"], found["privacy_unit"]) == ("add-remove", "person")
    assert found["guarantee"] == {"epsilon": "0.3"}
