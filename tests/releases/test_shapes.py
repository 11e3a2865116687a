"""One table is released alike from every container: numbers, keys, and what was drawn for them."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
from releases.shapes import RELEASES, ROWS, SHAPES, Columns, values_of

import cydp
from cydp.exact._label_hashes import mix_words
from cydp.releases._rows import word_of
from cydp.testing import SeededGenerator

SEED = 7


def released(
    name: str, shape: str, columns: Columns = ROWS, seed: int = SEED
) -> tuple[dict[str, Any], bytes]:
    """Return what a seeded release shows, and the stream's next bytes: those after its draws."""
    generator = SeededGenerator(seed)
    release = RELEASES[name](SHAPES[shape](columns), rng=generator)
    return values_of(release), generator.bytes(16)


def offences(step: int) -> list[tuple[str, str]]:
    """Return releases and shapes that differ, of every `step`-th shape, others for each release."""
    found = []
    for place, name in enumerate(RELEASES):
        expected = released(name, "list")
        assert expected[0]
        shapes = [*SHAPES][place % step :: step]
        found += [(name, shape) for shape in shapes if released(name, shape) != expected]
    return found


def test_a_release_is_the_same_from_every_shape() -> None:
    assert offences(4) == []


def test_the_order_of_rows_changes_nothing() -> None:
    """The rows of a user that count are chosen by what they hold, not by where they stand."""
    rng, found = np.random.default_rng(2), []
    for name in RELEASES:
        for seed in range(4):
            expected = released(name, "list", seed=seed)
            for _ in range(2):
                order = rng.permutation(len(ROWS["x"]))
                turned = {column: [each[i] for i in order] for column, each in ROWS.items()}
                found += [name] * (released(name, "list", turned, seed) != expected)
    assert found == []


def test_a_number_has_one_word_in_columns_of_every_type() -> None:
    missing = np.array([0x7FF8000000000001, 0x7FF8000000000000 + 2**63], np.uint64).view(float)
    columns = [
        np.array([1, 2**40, 0, np.nan, np.nan]),
        np.array([1, 2**40, 0, np.nan, np.nan], np.float32),
        np.ma.array([1, 2**40, 0, 7, 8], mask=[0, 0, 0, 1, 1]),
        np.concatenate([[1, 2**40, 0], missing]),
    ]
    words = [word_of(each) for each in columns]
    assert all(np.array_equal(each, words[0]) for each in words)
    assert len(set(words[0].tolist())) == 4


def test_rows_of_numbers_have_words_of_their_own() -> None:
    for numbers, columns in ((range(6), 3), (range(100), 2), (np.arange(-3, 3) / 4, 4)):
        rows = np.array(list(product(numbers, repeat=columns)), float)
        words = mix_words([word_of(each) for each in rows.T])
        assert len(np.unique(words)) == len(rows)


def test_a_signalling_nan_is_no_warning() -> None:
    """It is missing, as a quiet one."""
    bits = np.array([0x3F800000, 0x7FA00000, 0x3F800000, 0x40000000], np.uint32)
    x, given = bits.view(np.float32), {"epsilon": 1, "user": ["a", "a", "b", "b"], "max_rows": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cydp.median(x, (0, 3), **given)
        cydp.median(x, (0, 3), missing=1, epsilon=1)
        for release in (cydp.sum, cydp.mean, cydp.variance, cydp.median):
            release(x, (0, 3), missing=1, **given)


@pytest.mark.long
def test_all_releases_are_the_same_from_all_shapes() -> None:
    assert offences(1) == []
