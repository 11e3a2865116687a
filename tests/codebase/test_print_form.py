"""docs/site/print_form.py: what becomes of a page on paper."""

from __future__ import annotations

from types import ModuleType

import pytest
from codebase.reader import made_by

LESSON = """\
<h1>A lesson</h1><p><a href="noise.html#two">Noise</a>, <a href="../start.html">start</a>.</p>
<section id="one"><h3>Exercise 1.1: roots<a class="headerlink" href="#one">#</a></h3>
<p>What is the root of 9?</p>
<details class="sd-card"><summary><span>Solution</span></summary><div><p>Three.</p></div></details>
</section>
<section id="two"><h3>Exercise 1.2: squares</h3>
<p>What is 3 squared?</p>
<details class="sd-card"><summary><span>Solution</span></summary><div><p>Nine.</p></div></details>
</section>
<h2>Where the proofs are</h2>
"""


@pytest.fixture
def print_form() -> ModuleType:
    return made_by("print_form")


def test_solutions_stand_behind_a_lesson(print_form: ModuleType) -> None:
    pages = ["course/noise", "course/laplace"]
    handout, solutions = print_form._printed(LESSON, "course/laplace", pages).split(
        '<section class="solutions"><h3>Solutions</h3>'
    )
    assert "Three." not in handout
    assert "Nine." not in handout
    assert "What is 3 squared?" in handout
    assert "Where the proofs are" in handout
    assert solutions == (
        "<h4>Exercise 1.1: roots</h4><div><p>Three.</p></div>"
        "<h4>Exercise 1.2: squares</h4><div><p>Nine.</p></div></section>"
    )


def test_a_page_without_exercises_has_no_solutions(print_form: ModuleType) -> None:
    page = "<h1>A page</h1><h3>A section</h3><p>Words.</p>"
    lower = "<h2>A page</h2><h4>A section</h4><p>Words.</p>"  # below the heading of the part
    assert print_form._printed(page, "start", ["start"]) == lower


def test_links_lead_to_the_print_form_or_to_the_site(print_form: ModuleType) -> None:
    printed = print_form._printed(LESSON, "course/laplace", ["course/noise", "course/laplace"])
    assert '<a href="#course/noise">Noise</a>' in printed
    assert '<a href="../start.html">start</a>' in printed
