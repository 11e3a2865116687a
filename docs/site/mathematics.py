"""Formulas as MathML, which browsers draw without a script: Docutils translates them."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

_LOG = logging.getLogger(__name__)
_SPACE = '<mspace width="0.1667em"/>'
# Spaces as TeX sets them: behind the name of a function, unless a bracket follows, and before it.
_BEHIND = re.compile(r"(&ApplyFunction;</mo>)(?=\s*<(?:mi|mn|msu[bp]|msubsup|mfrac|msqrt)\b)")
_BEFORE = re.compile(
    r"(</(?:mi|mn|msu[bp]|msubsup|mfrac|msqrt)>|[)\]]</mo>)"
    r"(?=\s*<mi[^>]*>\w\w+</mi>\s*<mo>&ApplyFunction;)"
)


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(_translated(node))
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
    for where in (_BEHIND, _BEFORE):
        translated = where.sub(rf"\1{_SPACE}", translated)
    return translated
