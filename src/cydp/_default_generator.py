# SPDX-License-Identifier: MIT
"""The generator of each thread, which draws if a caller gives none."""

from __future__ import annotations

import threading

from cydp._core import Stream
from cydp._generator import Generator

__all__ = ["default", "default_generator", "generator_or_default"]


class _Thread(threading.local):
    generator: Generator | None = None


_thread = _Thread()


def default_generator() -> Generator:
    """Return this thread's own generator, which is made when it is first needed."""
    generator = _thread.generator
    if generator is None:
        generator = _thread.generator = Generator()
    return generator


class _DefaultGenerator(Generator):
    """The generator of the thread that calls: its methods are the functions of `cydp.random`."""

    __slots__ = ()

    def __init__(self) -> None:
        """Make no stream: each thread has one."""

    @property
    def _stream(self) -> Stream:  # type: ignore[override]
        # For most draws one call less than default_generator(), which shows in draws of a scalar.
        generator = _thread.generator
        return (default_generator() if generator is None else generator)._stream

    @property
    def _lock(self) -> threading.Lock:  # type: ignore[override]
        return default_generator()._lock

    def __repr__(self) -> str:
        return "<cydp: the calling thread's own generator>"

    def __reduce__(self) -> str:  # type: ignore[override]
        """Refer to this object by its name: it has no stream that a copy could repeat."""
        return "default"


default = _DefaultGenerator()


def generator_or_default(rng: Generator | None) -> Generator:
    """Return a generator, or the calling thread's own one for None.

    A function of your own takes by it the parameter `rng` of all releases.

    Parameters
    ----------
    rng : Generator or None

    Returns
    -------
    Generator

    Raises
    ------
    TypeError
        For anything else, such as a generator of numpy.

    Examples
    --------
    >>> from cydp import Generator
    >>> rng = Generator()
    >>> generator_or_default(rng) is rng, isinstance(generator_or_default(None), Generator)
    (True, True)

    """
    if rng is None:
        return default_generator()
    if not isinstance(rng, Generator):
        raise TypeError(f"rng must be a cydp.Generator or None, not {_describe_type(type(rng))}")
    return rng


def _describe_type(kind: type) -> str:
    """Return a type's name and its library's, because numpy has a Generator too."""
    library = kind.__module__.partition(".")[0]
    return kind.__name__ if library == "builtins" else f"{library}'s {kind.__name__}"
