"""A rule that holds for many things is one test, which lists all that break it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["rule_of"]


def rule_of(
    things: Iterable[Any], name: Callable[[Any], str] = str
) -> Callable[[Callable[[Any], None]], Callable[[], None]]:
    """Make a check of one thing a test of all; there must be some."""

    def test_of(check: Callable[[Any], None]) -> Callable[[], None]:
        def test() -> None:
            broken: list[str] = []
            seen = 0
            for thing in things:
                seen += 1
                try:
                    check(thing)
                except Exception as error:  # an error is an offence too, of this thing
                    broken.append(f"{name(thing)}: {type(error).__name__}: {error}")
            assert seen > 0
            assert not broken, "\n".join(broken)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        test.__module__ = check.__module__
        return test

    return test_of
