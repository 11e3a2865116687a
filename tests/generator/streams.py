"""Fixtures: a test that asks for `stream` or `seeded` runs on AES, and in the long run on ChaCha20.

Without AES instructions it runs on ChaCha20 alone, which all other tests use too.
"""

from functools import partial
from typing import Any, Literal, Protocol

import pytest

from cydp import Generator
from cydp.testing import SeededGenerator

Stream = Literal["chacha20", "aes"]


def has_aes() -> bool:
    try:
        return Generator(stream="aes").stream == "aes"
    except RuntimeError:
        return False


needs_aes = pytest.mark.skipif(
    not has_aes(), reason="needs AES instructions, which portable has not"
)

# For a test that takes long: its second stream is left to the long tests.
aes_is_long = pytest.mark.parametrize(
    "stream",
    ["chacha20", pytest.param("aes", marks=[needs_aes, pytest.mark.long])],
    indirect=True,
)


class Seeded(Protocol):
    """SeededGenerator of one of the streams."""

    def __call__(self, seed: int, *, fixed_work: bool = False) -> SeededGenerator: ...


def seeded_of(stream: Stream) -> Seeded:
    return partial(SeededGenerator, stream=stream)


chacha20 = pytest.param("chacha20", marks=pytest.mark.long) if has_aes() else "chacha20"


@pytest.fixture(params=[chacha20, pytest.param("aes", marks=needs_aes)])
def stream(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def seeded(stream: Stream) -> Seeded:
    return seeded_of(stream)
