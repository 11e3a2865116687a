"""Every block of the page of attacks runs, in order, and prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from codebase.reader import ROOT, blocks_of, reader_in


def test_every_block_prints_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = reader_in(tmp_path, monkeypatch)
    for kind, text in blocks_of(ROOT / "docs" / "teach" / "attacks.md"):
        getattr(reader, kind)(text)
