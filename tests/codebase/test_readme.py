"""The README's Python runs as it stands."""

import re
from pathlib import Path
from typing import Any

import pytest

import cydp

README = Path(__file__).parents[2] / "README.md"


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for example in re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL):
        exec(compile(example, "README.md", "exec"), names)
    assert names["total"].counts.tolist() == [2, 1]
    assert names["total"].sums["income"].value.tolist() == [100_010, 20.5]
    assert names["release"].counts.shape == (10,)
    assert names["noise"].shape == names["coins"].shape == (1_000_000,)


def test_the_error_is_as_shown() -> None:
    call, error = re.search(
        r"```pycon\n>>> (.*)\nValueError: (.*)\n```", README.read_text()
    ).groups()  # type: ignore[union-attr]
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        eval(call, {"cydp": cydp, "ages": [18]})
