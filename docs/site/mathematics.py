"""Formulas as MathML, which browsers draw without a script: Docutils translates them."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

_LOG = logging.getLogger(__name__)
_ITEM = r"(?:mi|mn|msu[bp]|msubsup|mfrac|msqrt)"
# Spaces as TeX sets them, which browsers do not know: each pattern, and what stands for it.
_SPACES = (
    # a space behind the name of a function, unless a bracket follows, and before the name
    (rf"(&ApplyFunction;</mo>)(?=\s*<{_ITEM}\b)", r'\1<mspace width="0.1667em"/>'),
    (
        rf"(</{_ITEM}>|[)\]]</mo>)(?=\s*<mi[^>]*>\w+</mi>\s*<mo>&ApplyFunction;)",
        r'\1<mspace width="0.1667em"/>',
    ),
    # none between max and its bracket, nor within the bars of a norm
    (r"<mo>(max|min|sup|inf)</mo>(?=\s*<mo[^>]*>[(\[{])", r'<mo rspace="0">\1</mo>'),
    (r'<mo(?: class="mathopen")?>([|‖])</mo>', r'<mo lspace="0" rspace="0">\1</mo>'),
    # a bar with an exponent is as high as the bar before it
    (r'(<msu[bp]>\s*<mo lspace="0" rspace="0")>', r'\1 stretchy="false">'),
)


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line; no line begins with the full stop behind it."""
    writer.body.append(f'<span class="in-line">{_translated(node)}</span>')
    raise nodes.SkipNode


def displayed(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own; one that is too wide scrolls."""
    writer.body.append(
        f'<div class="formula" tabindex="0">{_translated(node, as_block=True)}</div>'
    )
    raise nodes.SkipNode


def _translated(node: nodes.Element, *, as_block: bool = False) -> str:
    """Return MathML; what Docutils does not know is a warning that names the page."""
    try:
        translated = str(tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        _LOG.warning("%s: %s", error, node.astext(), location=node)
        return ""
    for found, spaced in _SPACES:
        translated = re.sub(found, spaced, translated)
    return translated
