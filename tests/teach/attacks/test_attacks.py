"""Each attack succeeds without its defence, and fails with it: the figures on the lessons' data."""

from __future__ import annotations

import numpy as np
import pytest
from teach.attacks.pums import ATTACKS, PUMS, run
from teach.looks import check

from cydp import PureDP, sensitivity
from cydp._extras import EPSILON
from cydp.teach import attacks

FIGURES = {  # chance, undefended, defended, limit
    "averaging": (0.5, 0.9998, 0.5463, 0.7311),
    "repeated_array": (0.5, 1.0, 0.5001, 0.7311),
    "differencing": (0.5, 1.0, 0.5649, 0.7311),
    "linkage": (0.204, 0.8482, 0.2793, 0.4106),
    "reconstruction": (0.5, 0.9444, 0.5814, 0.7311),
}


def test_the_figures_are_these() -> None:
    for name, figures in FIGURES.items():
        found = run(name)
        defended = found.defended
        assert figures == tuple(
            round(p, 4)
            for p in (found.chance, found.undefended.success, defended.success, defended.limit)
        )
        assert found.undefended.success > 0.84
        assert found.chance < defended.success < defended.limit
        assert found.undefended.success <= found.undefended.limit
        assert defended.success - found.chance < 0.1
        assert type(defended.success) is type(found.undefended.success) is float


def test_what_runs_of_the_fixed_key_find() -> None:
    averaging = run("averaging")
    assert averaging.exact_count == PUMS["married"].sum() == 549
    assert round(averaging.undefended.observed["mean"]) == 549
    assert averaging.undefended.observed["counted"]
    assert abs(averaging.defended.observed["mean"] - 549) > 1
    assert run("differencing").undefended.observed == {"counts": (549, 548), "has": True}
    linkage = run("linkage")
    assert linkage.undefended.observed == {"people": 1000, "unique": 674, "right": 869}
    assert 220 < linkage.defended.observed["right"] < 340  # 279 on average
    seen = run("reconstruction").undefended.observed
    assert (seen["agree"], seen["right"], seen["people"]) == (1, 9, 9)
    assert seen["counts"] == [5, 4, 1, 5, 0, 1, 1, 2]


def test_the_loss_is_what_the_releases_cost() -> None:
    """Against the sensitivity of each release, stated anew, and the budget that paid."""
    one, changed = sensitivity.count(), sensitivity.histogram(relation="change-one")
    averaging = run("averaging", epsilon="0.3", total=1, count=5)
    assert averaging.undefended.loss == PureDP("1.5", relation="add-remove")
    assert averaging.defended.loss == PureDP("0.9", relation="add-remove")
    assert len(averaging.defended.observed["answers"]) == 3
    enough = run("averaging", epsilon="0.5", total=1, count=2)
    assert enough.defended.release == "2 answers"
    assert enough.defended.loss.epsilon == 1
    array = run("repeated_array", count=1000)
    assert array.undefended.loss.epsilon == 1000
    assert array.defended.loss.epsilon == 1
    assert sensitivity.queries(*[one] * 1000) == 1000 * one
    for name in ("differencing", "reconstruction"):
        assert run(name, epsilon="1/3").defended.loss == PureDP("1/3", relation="add-remove")
    assert run("linkage").defended.loss == PureDP(1, relation=changed.relation)


def test_errors_do_not_tell_what_a_record_holds() -> None:
    """With nobody, and with two, who are as described: one message, which names no value."""
    none = {"name": ["ada", "bob"], "ill": [1, 0]}
    messages = set()
    for table in (none, {"name": ["eve", "eve"], "ill": [1, 0]}, none | {"ill": [None, None]}):
        with pytest.raises(ValueError, match="who must") as raised:
            attacks.differencing(table, {"ill": 1}, {"name": "eve"})
        messages.add(str(raised.value))
    assert messages == {"who must describe one record of the table, not none and not several"}


def test_a_missing_value_is_no_value() -> None:
    table = {"name": ["ada", "bob", None], "ill": [1.0, np.nan, 1.0]}
    found = attacks.differencing(table, {"ill": 1}, {"name": "bob"})
    assert found.undefended.observed == {"counts": (2, 2), "has": False}


def test_each_attack_has_new_noise_and_grows_with_epsilon_up_to_its_limit() -> None:
    for name, attack in ATTACKS.items():
        one, other = attack(), attack()
        for trial in ("undefended", "defended"):
            assert getattr(one, trial).success == getattr(other, trial).success, name
        seen = str(one.defended.observed)  # two counts are the same ones with a chance of 1/70
        assert any(str(attack().defended.observed) != seen for _ in range(40)), name
        much = run(name, **{"total" if name == "averaging" else "epsilon": 8}).defended
        assert one.defended.success < much.success <= much.limit < 1, name
        assert one.defended.limit < much.limit, name
        assert one == one != other  # trials hold arrays, which have no equality of their own


def test_any_library_may_hold_the_table() -> None:
    duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    frame = pandas.DataFrame(PUMS)
    expected = run("linkage")
    for table in (frame, duckdb.from_df(frame), {name: list(x) for name, x in PUMS.items()}):
        found = run("linkage", table=table)
        assert str(found.undefended.observed) == str(expected.undefended.observed)
        assert found.undefended.success == expected.undefended.success
        assert found.defended.success == expected.defended.success


def test_its_text_says_all() -> None:
    words = " ".join(repr(run("differencing", epsilon="1e-6")).split())
    assert "undefended: two exact counts; not differentially private: right" in words
    assert "defended: two noisy counts of one budget; PureDP(epsilon=1e-06, " in words
    assert words.endswith("right with probability 0.5; no attacker more than 0.5001")  # rounded up
    table = {"sex": [0, 1], "ill": [0, 1]}
    block = attacks.reconstruction(
        table, {"sex": [0, 1]}, {"ill": 1}, block={"ill": [0, 1]}, smallest=2
    )
    assert block.defended.release == "1 noisy count of one budget"


def test_the_bars_say_what_made_each_release() -> None:
    ax = run("averaging").plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        f"undefended:\nDiscreteLaplace, {EPSILON} = 1000",
        f"defended:\nDiscreteLaplace, {EPSILON} = 1",
    ]
    assert [text.get_text() for text in ax.texts] == ["above 0.99", "0.55"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "without any release: 0.50",
        "limit of the defence for any attacker: 0.7311",
    ]
    exact = run("differencing").plot()
    assert exact.get_yticklabels()[0].get_text() == "undefended:\nno noise"
    assert exact.texts[0].get_text() == "1.00"


def test_a_picture_shows_the_means() -> None:
    attack = run("averaging")
    lines = {line.get_label(): line for line in check(attack.plot_means).lines}
    answers = attack.undefended.observed["answers"]
    assert lines[f"undefended: 10,000 answers, {EPSILON} = 1000"].get_ydata()[-1] == answers.mean()
    assert lines["exact count without the person"].get_ydata()[0] == 548
    name = r"$\bar$"  # which is no formula
    table = {name: [1, 2, 1, 2], "sex": [0, 0, 1, 1]}
    check(attacks.linkage(table, {name: [1, 2], "sex": [0, 1]}, name).plot)
