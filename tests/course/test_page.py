"""Every block of each lesson of the course runs alone, in order, and prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from codebase.reader import ROOT, blocks_of, reader_in

COURSE = ROOT / "docs" / "course"
LESSONS = sorted(page.stem for page in COURSE.glob("*.md") if page.stem != "items")


@pytest.mark.parametrize("name", LESSONS)
def test_every_block_prints_what_is_shown(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plt = pytest.importorskip("matplotlib.pyplot", reason="lessons draw with the extra plot")
    reader = reader_in(tmp_path, monkeypatch)
    blocks = [(kind, text) for kind, text in blocks_of(COURSE / f"{name}.md") if kind]
    assert blocks
    for kind, text in blocks:
        getattr(reader, kind)(text)
        plt.close("all")
