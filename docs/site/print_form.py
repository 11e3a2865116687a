"""Each part of the site as one page that prints well, made from the pages that were built."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PARTS = ("start", "howto", "reference", "why", "course", "faq")
_ARTICLE = re.compile(r'<article class="bd-article">(.*?)</article>', re.DOTALL)
_PERMALINK = re.compile(r'<a class="headerlink".*?</a>', re.DOTALL)
_IDS = re.compile(r'(<\w[^>]*?) id="[^"]*"')
_HEADING = re.compile(r"(</?h)([1-5])\b")  # one level below the heading of the part
_ADDRESS = re.compile(r'(href|src)="([^"]*)"')
_EXERCISE = re.compile(r"(?=<h3)")
_TITLE = re.compile(r"<h3[^>]*>(.*?)</h3>", re.DOTALL)
_SOLUTION = re.compile(r"<details[^>]*>\s*<summary.*?</summary>(.*?)</details>", re.DOTALL)
_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="../_static/pygments.css">
<link rel="stylesheet" href="../_static/cydp.css">
<link rel="stylesheet" href="../_static/print.css">
</head><body><h1 class="part">{title}</h1><nav><ol>{contents}</ol></nav>
"""


def name_of(env: Any, page: str) -> str:
    """Return the address of the print form that has a page, or nothing."""
    return next((f"print/{part}.html" for part in PARTS if page in pages_of(env, part)), "")


def pages_of(env: Any, part: str) -> list[str]:
    """Return the pages of a part in the order of its contents."""
    return list(dict.fromkeys(_below(env, part)))


def _below(env: Any, page: str) -> Iterator[str]:
    yield page
    for child in env.toctree_includes.get(page, ()):
        yield from _below(env, child)


def write(app: Any, error: Exception | None) -> None:
    """Write print/<part>.html for each part."""
    if error is not None:
        return
    folder = Path(app.outdir) / "print"
    folder.mkdir(exist_ok=True)
    for part in PARTS:
        pages = pages_of(app.env, part)
        titles = {page: html.escape(app.env.titles[page].astext()) for page in pages}
        contents = "".join(f'<li><a href="#{page}">{titles[page]}</a></li>' for page in pages)
        text = [_HEAD.format(title=f"cydp: {titles[part]}", contents=contents)]
        for page in pages:
            article = _ARTICLE.search((Path(app.outdir) / f"{page}.html").read_text())
            assert article is not None, page
            text.append(f'<section id="{page}">{_printed(article[1], page, pages)}</section>\n')
        (folder / f"{part}.html").write_text("".join(text) + "</body></html>\n")


def _printed(article: str, page: str, pages: list[str]) -> str:
    """Return a page whose links lead to this print form or, if they leave it, to the site."""

    def moved(found: re.Match[str]) -> str:
        name, address = found[1], html.unescape(found[2])
        if re.match(r"[a-z]+:", address):
            return found[0]
        path = address.partition("#")[0]
        there = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        target = there.removesuffix(".html")
        return f'{name}="#{target}"' if target in pages else f'{name}="../{there}"'

    text = _IDS.sub(r"\1", _PERMALINK.sub("", article))
    text = _with_solutions_last(_ADDRESS.sub(moved, text))
    text = _HEADING.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", text)
    return text.replace("<details ", "<details open ")


def _with_solutions_last(text: str) -> str:
    """Return a page with its solutions behind it, so that a handout can leave them out."""
    exercises, solutions = [], []
    for part in _EXERCISE.split(text):
        if (solution := _SOLUTION.search(part)) and (title := _TITLE.match(part)):
            solutions.append(f"<h3>{title[1]}</h3>{solution[1]}")
            part = part.replace(solution[0], "", 1)
        exercises.append(part)
    behind = f'<section class="solutions"><h2>Solutions</h2>{"".join(solutions)}</section>'
    return "".join(exercises) + (behind if solutions else "")
