"""csrc/samplers/noise_block.c from Python: values one at a time, each served once."""

import itertools
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded, Stream
from samplers.children import from_child, needs_fork

import cydp

VALUES = 4096
LARGE = 2**56  # the scale of values that are never equal by chance: two with 2^-58
LAWS: list[tuple[str, dict[str, Any], type]] = [
    ("discrete_laplace", {"scale": 1}, int),
    ("discrete_laplace", {"scale": LARGE}, int),
    ("discrete_gaussian", {"sigma": "10"}, int),
    ("discrete_gaussian", {"sigma2": 3}, int),
    ("bernoulli", {"p": "1/3"}, bool),
]


@pytest.mark.parametrize(("law", "given", "kind"), LAWS)
def test_the_values_are_those_of_calls_for_a_block(
    seeded: Seeded, law: str, given: dict[str, Any], kind: type
) -> None:
    block = getattr(seeded(7, fixed_work=given == {"scale": 1}), f"{law}_iter")(**given)
    values = list(itertools.islice(block, 2 * VALUES + 3))
    g = seeded(7)
    drawn = np.concatenate([getattr(g, law)(**given, size=VALUES) for _ in range(3)])
    assert values == drawn[: len(values)].tolist()
    assert {type(value) for value in values} == {kind}
    assert iter(block) is block


def test_blocks_of_one_generator_share_its_stream(seeded: Seeded) -> None:
    g, again = seeded(8), seeded(8)
    one, other = g.discrete_laplace_iter(LARGE), g.discrete_laplace_iter(LARGE)
    firsts = [next(other), next(one)]
    assert firsts == [again.discrete_laplace(LARGE, VALUES)[0] for _ in range(2)]


def test_a_block_keeps_its_generator_and_its_sampler() -> None:
    block = cydp.Generator().discrete_laplace_iter("199999999999999999/3")
    junk = [cydp.Generator().discrete_laplace(i + 1) for i in range(300)]  # the sampler is dropped
    assert len(junk) == 300
    assert len(set(itertools.islice(block, 3 * VALUES))) == 3 * VALUES


def test_a_closed_block_serves_nothing() -> None:
    for taken in (0, 1, VALUES):
        block = cydp.Generator().discrete_gaussian_iter(10)
        assert len(list(itertools.islice(block, taken))) == taken
        block.close()
        block.close()
        for _ in range(2):  # an end of the iteration would drop counts in a zip
            with pytest.raises(ValueError, match=r"^this iterator of noise is closed$"):
                next(block)
        assert "closed" in repr(block)
    with cydp.Generator().bernoulli_iter("1/3") as coins:
        assert type(next(coins)) is bool
        assert "closed" not in repr(coins)
    with pytest.raises(ValueError, match="closed"):
        next(coins)


@needs_fork
def test_a_child_serves_nothing_of_its_parents(stream: Stream) -> None:
    """Neither what is left of the block, nor the block after it; csrc tests other kernels."""
    block = cydp.Generator(stream=stream).discrete_laplace_iter(LARGE)
    values = list(itertools.islice(block, 5))
    for _ in range(3):
        values += from_child(lambda: itertools.islice(block, 100))
    values += itertools.islice(block, 2 * VALUES)
    assert len(set(values)) == len(values) == 305 + 2 * VALUES
