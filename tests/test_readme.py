"""The README's Python runs as it stands."""

import re
from pathlib import Path
from typing import Any

import pytest

import cydp

README = Path(__file__).parent.parent / "README.md"


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(example, "README.md", "exec"), names)
    assert names["release"].counts.shape == (10,)
    assert names["noise"].shape == names["coins"].shape == (1_000_000,)


def test_the_error_is_as_shown() -> None:
    call, error = re.search(
        r"```pycon\n>>> (.*)\nValueError: (.*)\n```", README.read_text()
    ).groups()  # type: ignore[union-attr]
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        eval(call, {"cydp": cydp, "ages": [18]})
