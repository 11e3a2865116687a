"""Formulas as MathML, which browsers draw without a script: Docutils translates them."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

_LOG = logging.getLogger(__name__)

# Browsers set no space between t and ln in "t ln U", and too much beside the bars of |x|.
_THIN = '<mspace width="0.17em"></mspace>'
_FUNCTION = re.compile(
    r"(</m(?!o)\w+>)?(\s*<mi[^>]*>\w+</mi>\s*<mo>&ApplyFunction;</mo>)(\s*(?:<mrow>\s*)?<mo)?"
)
_BARS = re.compile(r'<mo class="mathopen">([|‖])</mo>(.*?)<mo>\1</mo>', re.DOTALL)
_EXPONENT = re.compile(r'(<msu[bp]>\s*<mo form="postfix")>')  # of a bar, which else grows with it
_MAX = re.compile(r"<mo>(max|min|sup|inf)</mo>(?=\s*(?:<mrow>\s*)?<mo[^>]*>[(\[{])")
_THOUSANDS = re.compile(r"(?<=\d)\{,\}(?=\d)")  # a comma in a number, and not between two
_OPENING = "([\N{LEFT DOUBLE QUOTATION MARK}"
_CLOSING = ")].,:;!?-\N{RIGHT DOUBLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}"


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line; no line begins with the full stop behind it."""
    before, behind = node.get("before", ""), node.get("behind", "")
    writer.body.append(f'<span class="word">{before}{_translated(node)}{behind}</span>')
    raise nodes.SkipNode


def displayed(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own; one that is too wide scrolls."""
    writer.body.append(
        f'<div class="formula" tabindex="0">{_translated(node, as_block=True)}</div>'
    )
    raise nodes.SkipNode


def join_punctuation(app: Any, tree: nodes.document, page: str) -> None:
    """Make the punctuation beside a formula a part of it: browsers would break the line there."""
    for node in tree.findall(nodes.math):
        parent, place = node.parent, node.parent.index(node)
        if place > 0 and isinstance(before := parent[place - 1], nodes.Text):
            kept = before.rstrip(_OPENING)
            node["before"] = before[len(kept) :]
            parent[place - 1] = nodes.Text(kept)
        if place + 1 < len(parent) and isinstance(behind := parent[place + 1], nodes.Text):
            kept = behind.lstrip(_CLOSING)
            node["behind"] = behind[: len(behind) - len(kept)]
            parent[place + 1] = nodes.Text(kept)


def _translated(node: nodes.Element, *, as_block: bool = False) -> str:
    """Return MathML; what Docutils does not know is a warning that names the page."""
    try:
        formula = _THOUSANDS.sub(",", node.astext())
        return _spaced(str(tex2mathml(formula, as_block=as_block)))
    except MathError as error:
        _LOG.warning("%s: %s", error, node.astext(), location=node)
        return ""


def _spaced(formula: str) -> str:
    """Return MathML with the spaces of TeX beside names of functions and beside bars."""

    def spaced(match: re.Match[str]) -> str:
        before, function, bracket = match.groups()
        left = before + _THIN if before else ""
        return left + function + (bracket or _THIN)

    formula = _BARS.sub(r'<mo form="prefix">\1</mo>\2<mo form="postfix">\1</mo>', formula)
    formula = _EXPONENT.sub(r'\1 stretchy="false">', formula)
    formula = _MAX.sub(r'<mo lspace="0.17em" rspace="0">\1</mo>', formula)
    return _FUNCTION.sub(spaced, formula)
