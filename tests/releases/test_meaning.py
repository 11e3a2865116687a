"""accounting/_meaning.py: every result notes a cost that promises next to nothing."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from releases.test_one_way import CASES, TABLE, Case, prepared

import cydp
from cydp import local
from cydp.sampling import on_sample

NOTHING = "promises next to nothing"


def is_noted(result: Any) -> bool:
    """Whether text, HTML and JSON have the note; an error unless they agree."""
    texts = [repr(result), result._repr_html_(), " ".join(json.loads(result.to_json())["notes"])]
    found = {NOTHING in " ".join(text.split()) for text in texts}
    assert len(found) == 1
    return found.pop()


def released(case: Case, **cost: Any) -> Any:
    made = prepared(case, TABLE, **cost)
    return made.query.result(made.draw(cydp.Generator()), None)


@pytest.mark.parametrize("name", CASES)
def test_every_release_notes_its_cost(name: str) -> None:
    case = CASES[name]
    assert is_noted(released(case, epsilon=50))
    assert not is_noted(released(case, epsilon=10))
    for epsilon in (10, 50):
        shown = cydp.explain(case.function, *case.args, **{**case.given, "epsilon": epsilon})
        assert any(NOTHING in note for note in shown.notes) == (epsilon == 50)


def test_the_rule_is_of_the_cost_alone() -> None:
    """Whatever the data and the noise: 10 is not noted, and what is above it is."""
    for rows in ([], [1.0], [None] * 3, [1.0] * 1000):
        for cost, noted in (
            ({"epsilon": 10}, False), ({"epsilon": "10.0001"}, True), ({"rho": 1}, False),
            ({"rho": 2}, True), ({"epsilon": 9, "delta": 1e-6}, False),
            ({"epsilon": 11, "delta": 1e-6}, True),
        ):  # fmt: skip
            found = cydp.sum(rows, (0, 10**9), **cost)
            assert is_noted(found) == noted, cost


def test_a_large_delta_is_noted() -> None:
    for delta, noted in (("1/1000", False), ("0.0011", True)):
        release = cydp.count([1], epsilon=1, delta=delta, noise="gaussian")
        text = " ".join(repr(release).split())
        assert ("is above 0.001: it allows publishing each row with this prob" in text) == noted


def test_what_is_made_of_a_release_keeps_its_note() -> None:
    for epsilon in (1, 50):
        table = cydp.value_counts(["a"], ["a", "b"], epsilon=epsilon)
        assert is_noted(table.nonnegative()) == (epsilon == 50)
        survey = local.CategorySurvey(["a", "b"], epsilon=epsilon)
        answers = survey.estimate(survey.reports(["a"] * 9))
        assert is_noted(answers) == (epsilon == 50)


def test_a_release_of_a_sample_notes_what_the_whole_table_loses() -> None:
    """Epsilon 11 of a hundredth of the rows is less than 7 of all rows; 50 is 45."""
    for epsilon, noted in ((11, False), (50, True)):
        sampled = on_sample(cydp.count, [1] * 9, share="1/100", epsilon=epsilon)
        assert is_noted(sampled) == noted
        assert f"epsilon={epsilon} is above" not in " ".join(repr(sampled).split())


def test_no_noise_is_said() -> None:
    """An error bound of 0 is not a small one: text, HTML and explain say what it means."""
    for count, explained in (
        (cydp.count([1], epsilon=50), cydp.explain(cydp.count, epsilon=50)),
        (cydp.histogram([1], 3, (0, 3), epsilon=50),
         cydp.explain(cydp.histogram, 3, (0, 3), epsilon=50)),
        (cydp.value_counts([1], [1, 2], epsilon=50),
         cydp.explain(cydp.value_counts, 2, epsilon=50)),
        (cydp.top_k(["a"], 1, ["a"], epsilon=1), cydp.explain(cydp.top_k, 1, 1, epsilon=1)),
    ):  # fmt: skip
        assert count.error_bound() == 0
        assert set(explained.error.values()) == {0}
        for text in (repr(count), count._repr_html_(), str(explained)):
            assert re.search(r"error[a-z_0-9 ]*: none", " ".join(text.split()))
    small = cydp.count([1], epsilon=1)
    for text in (repr(small), small._repr_html_(), str(cydp.explain(cydp.count, epsilon=1))):
        assert ": none" not in text


def test_one_candidate_is_no_choice() -> None:
    for mechanism in (cydp.ExponentialMechanism, cydp.PermuteAndFlip):
        choice = mechanism(epsilon=1, sensitivity=1)
        assert choice.error_bound(candidates=1) == 0 < choice.error_bound(candidates=2)
