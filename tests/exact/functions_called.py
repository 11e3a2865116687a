"""The functions of Python that a call runs: neighbouring tables run the same ones."""

import gc
import sys
from collections.abc import Callable
from typing import Any


def functions_called(call: Callable[[], Any]) -> list[tuple[str, str]]:
    """Return the functions of Python that a call runs, in their order."""
    names = []

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call":
            names.append((frame.f_code.co_filename, frame.f_code.co_name))

    gc.disable()  # its callbacks are functions, too
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        gc.enable()
    return names
