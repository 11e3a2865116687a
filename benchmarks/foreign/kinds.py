"""What the files share that answer the tasks of benchmarks/utility, by a function a kind."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any


def takes(functions: Mapping[str, Any], kind: str) -> Callable[[], list[str] | None]:
    """Tell the parameters of the function that answers a kind; None: there is none."""
    function = functions.get(kind)
    found = function and [*inspect.signature(function).parameters]
    return lambda: found


def answers(
    functions: Mapping[str, Any], kind: str, given: Mapping[str, Any], runs: int
) -> Callable[[], list[Any]]:
    """Answer again and again, as a user would each time."""
    draw = functions[kind](**given)
    return lambda: [draw() for _ in range(runs)]
