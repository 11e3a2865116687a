"""What a newcomer tries: keys of a release, and mistakes that get a line on what to write."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import cydp
from cydp import BudgetLedger, PrivacyFilter, PureDP
from cydp.accounting import UnitMismatchError

TABLE: dict[str, list[Any]] = {
    "user": ["a", "b", "c"],
    "place": ["x", "y", "x"],
    "n": [1, 2, 1],
    "day": [date(2024, 1, 1), date(2024, 2, 1), date(2024, 1, 2)],
    "amount": [1.0, 2.0, 3.0],
}
FRAME = pl.DataFrame(TABLE)
SURE: Any = {"epsilon": 10**4}


def test_keys_of_a_release_are_keys() -> None:
    many = pl.concat([FRAME] * 100)
    found = cydp.value_counts(many, column="place", epsilon=9, delta=0.01)
    made = cydp.group_by(many, "place", keys=found, means={"amount": (0, 9)}, **SURE)
    assert made.keys.tolist() == found.keys.tolist() == ["x", "y"]
    assert made.counts.tolist() == [200, 100]
    assert cydp.value_counts(many, found, column="place", **SURE).counts.tolist() == [200, 100]
    assert cydp.explain(cydp.group_by, "place", keys=found, epsilon=1).query.n_keys == 2
    both = cydp.group_by(many, ["place", "n"], keys=[("x", 1), ("y", 1)], **SURE)
    again = cydp.group_by(many, ["n", "place"], keys=both, **SURE)
    assert again.counts.tolist() == [200, 0]
    with pytest.raises(ValueError, match="keys must be of the columns place, day"):
        cydp.group_by(many, ["place", "day"], keys=both, **SURE)


def test_a_dict_of_one_column_has_its_keys() -> None:
    made = cydp.group_by(FRAME, "place", keys={"place": ["y", "x"]}, **SURE)
    assert (made.keys.tolist(), made.counts.tolist()) == (["y", "x"], [1, 2])
    month = cydp.date_trunc("month", "day")
    keys = {"place": ["x"], "day": [date(2024, 1, 1), date(2024, 2, 1)]}
    assert cydp.group_by(FRAME, ["place", month], keys=keys, **SURE).counts.tolist() == [2, 0]


def group(by: Any = "place", keys: Any = ("x",), **more: Any) -> Callable[[Any], Any]:
    return lambda budget: cydp.group_by(FRAME, by, keys=keys, epsilon=1, budget=budget, **more)


def two_way(bins: Any, **given: Any) -> Callable[[Any], Any]:
    own: Any = {"range": [(0, 1), (0, 1)], "columns": ["n", "amount"], "epsilon": 1} | given
    return lambda budget: cydp.histogramdd(FRAME, bins, budget=budget, **own)


def months(end: str, width: str = "1mo") -> Callable[[Any], Any]:
    bins = (width, ("2024-01-01", end))
    return lambda budget: cydp.histogram(FRAME, *bins, column="day", epsilon=1, budget=budget)


MISTAKES: list[tuple[Callable[[Any], Any], str]] = [
    (group(quantiles={"amount": (0, 200)}), r"which quantile of amount.*\(0\.5, \(0, 200\)\)"),
    (group(quantiles={"amount": ((0, 9), 0.5)}), r"which quantile of amount, and then its bounds"),
    (group(medians={"amount": (0, 9)}), r"quantiles=\{'x': \(0\.5, \(0, 100\)\)\} is a median"),
    (group(["place", "n"], [(1, "x")]), "^keys of 'place' must be text, as its entries are"),
    (group(["place", "n"], pl.DataFrame({"land": ["x"], "n": [1]})), "columns place, n, not land"),
    (group(keys={"land": ["x"]}), "keys must be of the columns place, not land"),
    (group(keys="keys.csv"), "keys in a file are a column of it"),
    (group("plase"), "not 'plase': did you mean 'place'"),
    (group(means={"amuont": (0, 1)}), "a key of means .* not 'amuont': did you mean 'amount'"),
    (months("2024-03-31"), "and 2024-04-01 is the next end$"),
    (months("2024-01-01T03:00", "2h"), "and 2024-01-01T04:00:00 is the next end$"),
    (lambda _: cydp.histogram(FRAME, bins=3, bounds=(0, 1), epsilon=1), "mean 'range'"),
    (lambda _: cydp.count(data=FRAME), "'x' .the table is the first argument, x.$"),
    (lambda _: cydp.count(table=FRAME, epsilon=1), "'x' .the table is the first argument, x.$"),
    (lambda _: cydp.group_by(x=FRAME, by="n", keys=[1]), "the table is the first argument, table"),
    (group(["plase", "n"], [("x", 1)]), "^each of by must be a column of table, which has 'user'"),
    (
        lambda _: cydp.histogramdd(FRAME, [2], [(0, 4)], columns=["amuont"], epsilon=1),
        "columns must be .* not 'amuont': did you mean 'amount'",
    ),
    (lambda _: cydp.count(FRAME, epsilon="1e-30"), "not 1e30$"),
    (lambda _: PrivacyFilter(epsilon=1), r"'budget' .a budget is a loss: PureDP\(epsilon\)"),
    (lambda _: PrivacyFilter(1), r"not int: epsilon alone is PureDP\(epsilon\)"),
    (lambda _: BudgetLedger.create("no.db", epsilon=1, privacy_unit="row"), "a budget is a loss"),
    (lambda _: PrivacyFilter(PureDP(1), privacy_unit=""), "privacy_unit must be a name, such as"),
    (lambda _: cydp.count(None, epsilon=1), "a path .* a lazy frame, .* not None$"),
    (lambda _: cydp.count(io.StringIO(), epsilon=1), "not StringIO: give its path$"),
    (lambda _: cydp.count(duckdb.connect(), epsilon=1), r"connection\.sql\(\.\.\.\)$"),
    (lambda _: cydp.mean((0, 9), FRAME, epsilon=1), "^x, the first .* and bounds is one: are they"),
    (lambda _: cydp.mean((0, 9), __file__, epsilon=1), "and bounds is one: are they swapped"),
    (lambda _: cydp.histogram(9, FRAME.lazy(), (0, 9), epsilon=1), "and bins is one"),
    (lambda _: cydp.group_by("place", FRAME, keys=["x"], epsilon=1), "^table, .* and by is one"),
    (lambda _: cydp.where("n = 1", __file__), "^table, the first .* and condition is one"),
    (lambda _: cydp.Session(None, PrivacyFilter(PureDP(1))), "^table must be .* not None$"),
    (
        lambda _: cydp.quantile(FRAME, (0, 9), [0.1, 0.9], column="n", epsilon=1),
        "bounds comes after q$",
    ),
    (
        lambda _: cydp.value_counts(FRAME, {"place": ["x"], "n": range(3)}, epsilon=1),
        r"^keys of one column must be a list, not a dict: group_by\(table, by=\[",
    ),
    (two_way({"n": 2, "amount": 2}), "^bins must be a list, in the order of columns, not a dict$"),
    (
        two_way([2, 2], range={"n": (0, 1), "amount": (0, 1)}),
        "^range must be a list, in the order of columns, not a dict$",
    ),
    (two_way([2, 2], columns="amount"), "^columns must be a list of names, not text$"),
    (two_way([2, 2], columns=5), "^columns must be a list of names, not int$"),
    (two_way([2, 2], columns=None), r"of 5 columns, not 2: choose columns by columns=\[\.\.\.\]$"),
    (two_way([2]), "of 2 columns, not 1$"),
    (
        lambda _: cydp.explain(cydp.histogramdd, [2], [(0, 1)], columns="amount", epsilon=1),
        "^columns must be a list of names, not text$",
    ),
    (
        lambda _: cydp.value_counts(FRAME["place"], ["x"], column="place", epsilon=1),
        "^x is a column already: leave column= out$",
    ),
    (
        lambda _: cydp.mean(["t.parquet"], (0, 1), column="amount", epsilon=1),
        r"^x is a column already: leave column= out; several files are one path, .*\*\.csv'$",
    ),
    (
        lambda _: cydp.histogram(FRAME["n"].to_numpy(), 2, (0, 1), column="n", epsilon=1),
        "^x is a column already: leave column= out$",
    ),
    (
        lambda _: cydp.top_k(FRAME, "place", 10, epsilon=1, delta=1e-9),
        r"^k must be an integer, not text: the name of a column is column='\.\.\.'$",
    ),
    (
        lambda _: BudgetLedger.create(PureDP(1), "no.db", privacy_unit="row"),
        "^path, the first argument, must be a path, and budget is one: are they swapped",
    ),
]


@pytest.mark.parametrize(("call", "words"), MISTAKES)
def test_a_mistake_is_told_before_anything_is_charged(
    call: Callable[[Any], Any], words: str
) -> None:
    budget = PrivacyFilter(PureDP(9))
    with pytest.raises((TypeError, ValueError), match=words):
        call(budget)
    assert budget.spent == PureDP(0)


ENDS: Any = ("2024-01-01", "2024-02-01")
OTHER_NOTATION: Any = ("01.01.2024", "31.12.2024")
OF_OTHER_NOTATION: dict[str, Callable[..., Any]] = {
    "median": partial(cydp.median, FRAME, OTHER_NOTATION),
    "by key": lambda column, **cost: cydp.group_by(
        FRAME, "n", keys=[1], quantiles={column: (0.5, OTHER_NOTATION)}, **cost
    ),
    "range": partial(cydp.histogram, FRAME, 10, OTHER_NOTATION),
    "range of two": lambda column, **cost: cydp.histogramdd(
        FRAME, [2], [OTHER_NOTATION], columns=[column], **cost
    ),
    "edges": partial(cydp.histogram, FRAME, OTHER_NOTATION),
}


@pytest.mark.parametrize("name", OF_OTHER_NOTATION)
def test_a_date_in_another_notation_is_not_blamed_on_the_column(name: str) -> None:
    for column in ("day", "amount"):  # and the error does not depend on it
        with pytest.raises((TypeError, ValueError), match="dates or times such as '2024-01-31', n"):
            OF_OTHER_NOTATION[name](column=column, epsilon=1)


OF_WRONG_COLUMNS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "mean": (lambda x: cydp.mean(x, (0, 1), column="place", epsilon=1), "'place' must hold num"),
    "bins": (lambda x: cydp.histogram(x, 2, (0, 1), column="place", epsilon=1), "'place' must"),
    "bins of days": (
        lambda x: cydp.histogram(x, "1mo", ENDS, column="n", epsilon=1), "'n' must hold dates"
    ),
    "two columns": (
        lambda x: cydp.histogramdd(x, [1, 1], [(0, 1)] * 2, columns=["n", "place"], epsilon=1),
        "'place' must hold numbers",
    ),
    "days": (lambda x: cydp.median(x, ENDS, column="n", epsilon=1), "'n' must hold dates or times"),
    "months": (
        lambda x: cydp.group_by(x, cydp.date_trunc("month", "n"), keys=["2024-01-01"], epsilon=1),
        "'n' must hold dates or times, .* or date_trunc, not ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_WRONG_COLUMNS)
def test_a_column_of_another_type_is_named(name: str) -> None:
    call, words = OF_WRONG_COLUMNS[name]
    table = FRAME.to_arrow()
    for each in (FRAME, FRAME.lazy(), table, table.to_pandas(), duckdb.from_arrow(table), TABLE):
        with pytest.raises(TypeError, match=f"^column {words}") as caught:
            call(each)
        assert "VARCHAR" not in str(caught.value)


def test_a_column_that_stands_for_its_name_is_not_shown() -> None:
    for ask in (partial(cydp.mean, FRAME, (0, 1)), partial(cydp.median, FRAME, ENDS)):
        with pytest.raises(TypeError, match=r"^x must hold (numbers|dates or times)") as caught:
            ask(column=["4711", "", ""], epsilon=1)
        assert "4711" not in str(caught.value)


def test_errors_of_a_table_are_asked_by_column_and_count() -> None:
    made = cydp.value_counts(FRAME, ["x", "y"], column="place", epsilon=1)
    with pytest.raises(TypeError, match="count= says how many numbers together"):
        made.error_bound(simultaneous=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="the column is column='n'"):
        made.interval("n")
    with pytest.raises(TypeError, match="count= says how many numbers together"):
        cydp.count(FRAME, epsilon=1).interval(simultaneous=True)  # type: ignore[call-arg]


def test_a_bound_is_for_what_it_was_chosen_of() -> None:
    given: Any = {"user": "user", "max": 3, "epsilon": 9}
    rows, partitions = (
        cydp.contribution_bound(FRAME, **given, **more) for more in ({}, {"by": "place"})
    )
    of_user: Any = {"user": "user", "keys": ["x"], "by": "place", "epsilon": 1}
    cydp.group_by(FRAME, **of_user, max_partitions=partitions)
    cydp.count(FRAME, user="user", max_rows=rows, epsilon=1)
    with pytest.raises(TypeError, match="max_partitions bounds the partitions of a user"):
        cydp.group_by(FRAME, **of_user, max_partitions=rows)
    with pytest.raises(TypeError, match="max_rows bounds the rows of a user"):
        cydp.count(FRAME, user="user", max_rows=partitions, epsilon=1)


def test_files_that_are_no_tables_have_public_errors(tmp_path: Path) -> None:
    """An error is of a type that has a public name, and says what to do."""
    for name, text, words in (
        ("t.csv", '[{"a": "x"}]\n', "it looks like JSON"),
        ("~t.csv", None, "write the path of your home directory for ~"),
        ("d", None, "is a directory: name its files"),
    ):
        path = tmp_path / name
        if text is not None:
            path.write_text(text)
        if name == "d":
            path.mkdir()
        with pytest.raises(ValueError, match=words) as caught:
            cydp.count(name if name.startswith("~") else path, epsilon=1)
        assert type(caught.value) is ValueError


def test_an_empty_path_is_told() -> None:
    with pytest.raises(ValueError, match=r"^x must be the path of a table: the path of a file is"):
        cydp.count("", epsilon=1)


def test_labels_have_releases_of_their_own(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "t.parquet")
    for table in (TABLE, FRAME, FRAME.to_pandas(), tmp_path / "t.parquet"):
        with pytest.raises(
            TypeError, match=r": convert it to numbers first, .*: group_by counts labels, and hist"
        ):
            cydp.histogramdd(table, 2, [(0, 9), (0, 9)], columns=["place", "amount"], epsilon=1)


def test_equal_bounds_say_that_the_data_do_not_matter() -> None:
    made = cydp.mean([1.0, 2.0], (3, 3), epsilon=1)
    assert "every number counts as 3, since both bounds are 3" in " ".join(repr(made).split())
    assert made.value == 3


def test_notes_on_keys_say_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("day,code\n2024-01-31T18:00,1.0\n")
    given: Any = {"table": tmp_path / "t.csv", "epsilon": 1}
    by_code = cydp.group_by(by="code", keys=["1"], **given)
    assert "to compare numbers, give numbers as keys" in " ".join(repr(by_code).split())
    by_day = cydp.group_by(by="day", keys=[date(2024, 1, 31)], **given)
    assert "a later time of the same day has no key" in " ".join(repr(by_day).split())


def test_frames_of_pandas_say_what_to_convert() -> None:
    frame = FRAME.to_pandas()
    with pytest.raises(
        ValueError, match=r"and 'user' is the index: reset_index\(\) makes it a col"
    ):
        cydp.count(frame.set_index("user"), user="user", max_rows=1, epsilon=1)
    with pytest.raises(ValueError, match="did you mean 'user'"):
        cydp.count(frame, user="User", max_rows=1, epsilon=1)
    frame["amount"] = frame["amount"].astype(object)
    with pytest.raises(TypeError, match=r"not objects: convert them to numbers first, as astype"):
        cydp.mean(frame, (0, 9), column="amount", epsilon=1)


def test_blocks_need_the_column_of_the_ledger(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "t.parquet")
    given: Any = {"privacy_unit": "row", "by_block": True, "block_column": "hour"}
    with BudgetLedger.create(tmp_path / "l", PureDP(1), **given) as ledger:
        ledger.add_block("1")
        for table in (duckdb.sql("select 1 as n"), tmp_path / "t.parquet"):
            with pytest.raises(ValueError, match=r"^x must have the ledger's block column"):
                cydp.count(table, epsilon=1, budget=ledger.scope(blocks=["1"]))
        assert ledger.spent == {"1": PureDP(0)}


def test_names_of_other_libraries_have_a_hint() -> None:
    for name, words in (
        ("nunique", r"distinct users are count\(user=\.\.\., max_rows=1\)"),
        ("std", "variance"),
        ("Ledger", "BudgetLedger"),
    ):
        with pytest.raises(AttributeError, match=f"no attribute '{name}': .*{words}"):
            getattr(cydp, name)
    users = cydp.count({"user": ["a", "b", "a", "c"]}, user="user", max_rows=1, **SURE)
    assert users.value == 3
    assert not hasattr(cydp, "no_such_name")


def test_a_long_condition_is_cut_in_texts_alone(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("place\nx\n")
    condition = f"place in ({', '.join(repr(str(i) * 9) for i in range(10, 99))})"
    made = cydp.count(cydp.where(tmp_path / "t.csv", condition), epsilon=1)
    assert len(made.to_text()) < 800 < len(condition)
    assert len(repr(cydp.where(tmp_path / "t.csv", condition))) < 300
    assert condition in made.to_dict()["notes"][0]
    assert made.query.to_dict()["reads"]["where"] == condition


def test_a_result_is_headed_by_what_was_called() -> None:
    by, given = ("place",), {"keys": ["x", "y"], "epsilon": 1}
    grouped = cydp.group_by(FRAME, *by, **given)
    counted = cydp.value_counts(FRAME, column="place", **given)
    assert repr(grouped).startswith("group_by: 2 keys; ")
    assert repr(counted).startswith("value_counts: 2 keys; ")
    assert grouped.query.to_dict() == counted.query.to_dict()  # one release, and one charge id
    assert grouped.query.in_words == "group_by place, keys x, y"
    assert repr(cydp.explain(cydp.group_by, *by, **given)).startswith("group_by: ")


def test_no_two_columns_of_a_text_have_one_name() -> None:
    made = cydp.group_by(FRAME, ["n", "place"], keys=[(1, "x")], epsilon=1)
    assert repr(made).splitlines()[3].split() == ["n_", "place", "n"]
    assert made.to_polars(confidence=None).columns == ["n_", "place", "n"]
    assert "note: keys of 'n' are in the column 'n_', as a column of numbers has" in repr(made)
    alone = cydp.group_by(FRAME, "place", keys=["x"], epsilon=1)
    assert "are in the column" not in repr(alone)


def test_a_query_that_fails_has_one_wording(tmp_path: Path) -> None:
    words = "could not be read: its query or its conversion to Arrow failed; the reason may show"
    sources = {
        "the lazy frame could": FRAME.lazy().with_columns(n=pl.col("place").cast(pl.Int64)),
        "the relation could": duckdb.sql("select cast(x as integer) as n from (values ('a')) t(x)"),
    }
    for what, table in sources.items():
        for ask in (partial(cydp.sum, table), partial(cydp.quantile, table, 0.5)):
            with pytest.raises(ValueError, match=f"^{what.removesuffix('could')}{words}") as caught:
                ask((0, 9), column="n", epsilon=1)
            assert "yourself to see it" in str(caught.value)


def test_a_filter_is_for_the_unit_that_it_names() -> None:
    budget = PrivacyFilter(PureDP(9), privacy_unit="user")
    with pytest.raises(UnitMismatchError, match="is for releases that protect 'user', and this"):
        cydp.count(FRAME, epsilon=1, budget=budget)
    assert budget.spent == PureDP(0)
    cydp.count(FRAME, user="user", max_rows=1, epsilon=1, budget=budget)
    assert budget.spent == PureDP(1)
    assert budget.report().startswith("budget PureDP(epsilon=9) for each user under")


def test_a_zone_is_written_alike_in_keys_ranges_and_conditions() -> None:
    days = "[timestamptz '2024-01-01 00:00+01:00', timestamptz '2024-01-02 00:00+01:00']"
    table = duckdb.sql(f"select unnest({days}) as t")
    for first, second in (
        ("2024-01-01[Europe/Vienna]", "2024-01-02[Europe/Vienna]"),
        ("2024-01-01+01:00", "2024-01-02+01:00"),
        ("2023-12-31T23:00Z", "2024-01-01T23:00Z"),
    ):
        keyed = cydp.value_counts(table, [first], column="t", **SURE)
        binned = cydp.histogram(table, 1, (first, second), column="t", **SURE)
        chosen = cydp.count(cydp.where(table, f"t < timestamptz '{second}'"), **SURE)
        assert keyed.counts.tolist() == binned.counts.tolist() == [chosen.value] == [1]


def test_numbers_are_written_as_they_were_typed() -> None:
    x = [1.0, 2.0]
    for call, words in {
        lambda: cydp.mean(x, (0.1, 0.05), epsilon=1): r"not \(0\.1, 0\.05\)",
        lambda: cydp.sensitivity.sum((0.7, 0.3), relation="add-remove"): r"not \(0\.7, 0\.3\)",
        lambda: cydp.median(x, (0, 1), step=0.01, epsilon=1): r"1 or 0\.5, not 0\.01$",
        lambda: cydp.median(x, (0, 1e17), step=0.5, epsilon=1): r"\(0, 1e17\) with step=0\.5",
        lambda: cydp.mean(x, (0.3, 1), missing=0.1, epsilon=1): r"from 0\.3 to 1, not 0\.1$",
        lambda: cydp.mean(x, (-0.1, 0.7), missing=0.8, epsilon=1): r"from -0\.1 to 0\.7, not",
        lambda: cydp.sensitivity.Sensitivity(-0.7): r"at least 0, not -0\.7$",
    }.items():
        with pytest.raises(ValueError, match=words):
            call()
    for function in (cydp.sum, cydp.mean, cydp.variance, cydp.median):
        for lower, upper in ((0.3, 1), (0.1, 0.7)):
            for missing in (lower, upper):  # 0.3 is less than its point of the grid
                made = function(x, (lower, upper), missing=missing, epsilon=1)
                words = f"a number below {lower} counts as {lower}, and above {upper} as {upper}"
                assert words in " ".join(repr(made).split())
    several: Any = {"user": ["a", "b"], "max_partitions": 1, "max_rows_per_partition": 2}
    grouped = cydp.group_by(
        {"k": ["a", "b"], "x": x},
        "k",
        keys=["a"],
        sums={"x": (0, 0.9)},
        epsilon=1,
        max_sum_per_user=0.7,
        **several,
    )
    assert "what is beyond 0.7 in size" in " ".join(repr(grouped).split())


def test_quantiles_by_key_have_one_name_each() -> None:
    asked = {"amount": ([0.25, 0.5, 0.999, "1/3"], (0, 8))}
    made = cydp.group_by(FRAME, "place", keys=["x", "y"], quantiles=asked, epsilon=1)
    names = ["q25_amount", "median_amount", "q99.9_amount", "q100/3_amount"]
    frame = made.to_polars()
    assert frame.columns[4:] == [f"{name}{end}" for name in names for end in ("", "_error_ranks")]
    for i, name in enumerate(names):
        assert name in repr(made)
        assert (
            made[name].tolist() == frame[name].to_list() == made["quantile_amount"][:, i].tolist()
        )
    with pytest.raises(KeyError, match="n, quantile_amount, q25_amount, median_amount"):
        made["q26_amount"]


@pytest.mark.parametrize("missing", ["zero", "Drop", None, True, [1], float("nan"), 10**9])
def test_what_is_no_missing_number_is_told_the_default(missing: Any) -> None:
    budget = PrivacyFilter(PureDP(9))
    days = ("2024-01-01", "2024-12-31")
    for function, bounds in (
        (partial(cydp.sum, FRAME, (0, 9), column="amount"), "the bounds, from 0 to 9"),
        (partial(cydp.median, FRAME, (0, 9), column="amount"), "the bounds, from 0 to 9"),
        (partial(cydp.median, FRAME, days, column="day"), "the bounds"),
        (partial(cydp.group_by, FRAME, "place", keys=["x"], means={"amount": (0, 9)}), "bounds"),
    ):
        with pytest.raises((TypeError, ValueError), match=r"^missing must be 'drop' or ") as caught:
            function(missing=missing, epsilon=1, budget=budget)
        assert missing != 10**9 or bounds in str(caught.value) or "a date" in str(caught.value)
    assert budget.spent == PureDP(0)
