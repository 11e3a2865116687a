"""docs/site/mathematics.py: formulas have the spaces of TeX, and keep their punctuation."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace

import pytest
from codebase.reader import made_by

pytest.importorskip("sphinx")


def mathematics() -> ModuleType:
    return made_by("mathematics")


def test_functions_and_bars_of_a_formula_have_the_spaces_of_tex() -> None:
    from docutils.nodes import math

    translated = mathematics()._translated
    formula = translated(math("", r"t \ln \lvert x \rvert"))
    parts = "".join(line.strip() for line in formula.splitlines()[1:-1])
    thin = '<mspace width="0.17em"></mspace>'
    name = "<mi>ln</mi><mo>&ApplyFunction;</mo>"
    bars = '<mo form="prefix">|</mo><mi>x</mi><mo form="postfix">|</mo>'
    assert parts == f"<mi>t</mi>{thin}{name}{bars}"
    for unspaced in (r"1 - \ln(x)", r"1 - \max(x, 0)"):
        assert thin not in translated(math("", unspaced))


def test_no_line_breaks_between_a_formula_and_its_punctuation() -> None:
    from docutils import nodes
    from docutils.utils import new_document

    tree = new_document("page")
    formula = nodes.math("", "x")
    rest = nodes.Text("). Then ["), nodes.math("", "y")
    tree += nodes.paragraph("", "", nodes.Text("("), formula, *rest)
    made = mathematics()
    made.join_punctuation(None, tree, "page")
    assert tree.astext() == "x Then y"
    writer = SimpleNamespace(body=[])
    with pytest.raises(nodes.SkipNode):
        made.inline(writer, formula)
    assert writer.body[0].startswith('<span class="word">(<math')
    assert writer.body[0].endswith("</math>).</span>")


def test_max_and_a_bar_with_an_exponent_stand_as_tex_sets_them() -> None:
    from docutils.nodes import math

    translated = mathematics()._translated
    assert '<mo lspace="0.17em" rspace="0">max</mo>' in translated(math("", r"a \max(b, c)"))
    assert "<mo>max</mo>" in translated(math("", r"\max x"))
    exponent = '<mo form="postfix" stretchy="false">|</mo>'
    assert exponent in translated(math("", r"\lvert x \rvert^2"))
    assert exponent not in translated(math("", r"\lvert x \rvert"))


def test_a_number_has_no_space_behind_its_comma() -> None:
    from docutils.nodes import math

    translated = mathematics()._translated
    assert "<mn>1,024,000</mn>" in translated(math("", r"1{,}024{,}000"))
    assert "<mn>1</mn>" in translated(math("", "1, 024"))
