"""src/cydp/_core.pyx: a wrong array raises before it is read, and every buffer is given back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cydp import _core

Array = NDArray[Any]


@dataclass(frozen=True)
class Given:
    """A right array for an argument of a binding, and what may be wrong with another.

    `lengths` are the changes of its length that must raise; `numbers`: it may be of any dtype and
    shape of numbers; `bytes_only`: only the size of an entry is checked.
    """

    array: Array
    lengths: tuple[int, ...] = (-1, 1)
    written: bool = False
    numbers: bool = False
    bytes_only: bool = False
    optional: bool = False


def words(n: int, bits: int = 64, **rest: Any) -> Given:
    return Given(np.ones(n, f"u{bits // 8}"), **rest)


def into(dtype: str, *shape: int, **rest: Any) -> Given:
    return Given(np.zeros(shape, dtype), written=True, **rest)


def numbers(values: list[Any], dtype: str = "f8", **rest: Any) -> Given:
    return Given(np.array(values, dtype), numbers=True, **rest)


def limbs() -> Given:
    return words(1, lengths=(-1,))


ONE = np.ones(1, np.uint64)
STREAM = _core.Stream("chacha20", np.arange(8, dtype=np.uint32))
LAPLACE = _core.make_sampler("discrete_laplace", ONE * 10, ONE)
OFFSET = _core.make_category_offset(ONE, ONE * 9, 4)
BINS = _core.Bins(np.arange(4.0))
STRINGS = _core.Strings(3, np.frombuffer(b"abc", np.uint8), width=1)
TABLE = _core.KeyTable(STRINGS)
NOISY_MAX = _core.NoisyMax(False, ONE, ONE)
QUANTILE = _core.Quantile(1, 2, ONE, ONE)
AHEAD = _core.ArraysAhead(STREAM, LAPLACE, 4, 1)
WIDTHS, SIGNS = LAPLACE.layout
PLANES = Given(np.full(sum(WIDTHS) * 3 + SIGNS, 0x55, np.uint8))
COUNTS = Given(np.ones((2, 3), np.int64))
TOTALS = Given(np.ones((2, 2), np.uint64))
LEVELS = np.ones((2, 3, 16), np.uint64)

BINDINGS: dict[str, tuple[Callable[..., object], tuple[Given, ...]]] = {
    "chacha20_block": (
        lambda key, nonce, out: _core.chacha20_block(key, nonce, 0, out),
        (words(8, 32), words(3, 32), into("u4", 16)),
    ),
    "chacha20_keystream": (
        lambda key, nonce, out: _core.chacha20_keystream(key, nonce, 0, out),
        (words(8, 32), words(3, 32), into("u4", 256)),
    ),
    "aes256_keystream": (
        lambda key, nonce, out: _core.aes256_keystream(0, key, nonce, 0, out),
        (words(8, 32), words(3, 32), into("u4", 256)),
    ),
    "Stream": (lambda key: _core.Stream("", key), (words(8, 32, optional=True),)),
    "Stream.fill": (
        lambda out: STREAM.fill(LAPLACE, out),
        (into("i8", 4, lengths=(), bytes_only=True),),
    ),
    "make_sampler": (lambda p, q: _core.make_sampler("bernoulli", p, q), (limbs(), limbs())),
    "make_discrete_laplace_prefix": (
        lambda p, q: _core.make_discrete_laplace_prefix(p, q, 16),
        (limbs(), limbs()),
    ),
    "make_category_offset": (
        lambda p, q: _core.make_category_offset(p, q, 4),
        (limbs(), Given(ONE * 9, lengths=(-1,))),
    ),
    "ArraysAhead.next_into": (AHEAD.next_into, (into("i8", 4, numbers=True),)),
    "saturating_add": (
        lambda values, noise: _core.saturating_add(values, True, noise),
        (Given(np.ones(3, np.int64)), into("i8", 3)),
    ),
    "add_grid_noise": (
        lambda values, noise: _core.add_grid_noise(values, noise, 0, 1),
        (Given(np.ones(3)), into("i8", 3)),
    ),
    "fill_grid_noise": (
        lambda values, out: _core.fill_grid_noise(STREAM, LAPLACE, values, 0, out, 1),
        (numbers([1, 2, 3]), into("f8", 3)),
    ),
    "split_integers": (
        lambda values, near, units: _core.split_integers(values, 0, near, units),
        (numbers([1, 2, 3], "u8"), into("f8", 3), into("i8", 3)),
    ),
    "drop_masked": (
        lambda values, masked, out: _core.drop_masked(values, 8, masked, out),
        (words(24, 8), words(3, 8), into("u1", 24, lengths=(-1,))),
    ),
    "Strings of a width": (lambda data: _core.Strings(3, data, width=2), (words(6, 8),)),
    "Strings with offsets": (
        lambda data, offsets: _core.Strings(2, data, offsets),
        (words(6, 8, lengths=()), Given(np.array([0, 2, 6]))),
    ),
    "Strings that are views": (
        lambda data, addresses: _core.Strings(2, data, addresses=addresses),
        (words(32, 8), words(1, lengths=(-1,))),
    ),
    "factorize": (
        lambda key, ids, hashes: _core.factorize(STRINGS, key, ids, hashes),
        (words(2), into("u8", 3), into("u8", 3)),
    ),
    "hash_strings": (
        lambda key, hashes: _core.hash_strings(STRINGS, key, 1, hashes),
        (words(2), into("u8", 3)),
    ),
    "lookup": (
        lambda valid, codes: _core.lookup(TABLE, STRINGS, 0, valid, 1, codes),
        (words(3, 8, optional=True), into("u4", 3)),
    ),
    "dense_lookup": (
        lambda x, places, valid, codes: _core.dense_lookup(x, 0, 2, places, valid, 1, codes),
        (
            numbers([0, 1, 2], "i8"),
            words(3, 32, optional=True),
            words(3, 8, optional=True),
            into("u4", 3),
        ),
    ),
    "histogram": (
        lambda x, counts: _core.histogram([BINS], [x], counts, 1),
        (numbers([0, 1, 2], lengths=()), into("i8", 3)),
    ),
    "histogram of two columns": (
        lambda x, y, counts: _core.histogram([BINS, BINS], [x, y], counts, 1),
        (numbers([0, 1, 2]), numbers([0, 1, 2], "i4"), into("i8", 9)),
    ),
    "histogram_codes": (
        lambda x, codes: _core.histogram_codes([BINS], [x], codes, 1),
        (numbers([0, 1, 2]), into("u4", 3)),
    ),
    "bincount": (
        lambda codes, counts: _core.bincount(codes, counts, 1),
        (numbers([0, 1, 0], "u2", lengths=()), into("i8", 1, lengths=(-1,))),
    ),
    "bound_contributions": (
        lambda a, b, c, d, contents, valid, key, mask, pairs: _core.bound_contributions(
            a, b, None, c, d, contents, valid, 1, 1, key, 1, mask, pairs
        ),
        (
            *[words(3)] * 2,
            Given(np.zeros(3, "u4")),
            words(3, lengths=()),
            words(3, optional=True),
            words(3, 8, optional=True),
            words(2),
            into("u1", 3),
            Given(np.zeros(3, "u4"), written=True, optional=True),
        ),
    ),
    "count_user_rows": (
        lambda users, valid, key, rows: _core.count_user_rows(users, None, valid, key, 1, rows),
        (words(3), words(3, 8, optional=True), words(2), into("u4", 3)),
    ),
    "grid_sum": (lambda x: _core.grid_sum(x, 0, 0, 9, 1), (numbers([1, 2], lengths=()),)),
    "grid_sum_and_squares": (
        lambda x: _core.grid_sum_and_squares(x, 0, 0, 9, 1),
        (numbers([1, 2], "f4", lengths=()),),
    ),
    "grid_sum_groups": (
        lambda codes, x, sums: _core.grid_sum_groups(codes, x, 0, 0, 9, 1, sums),
        (numbers([0, 1], "u4"), numbers([1, 2]), into("i8", 2, lengths=())),
    ),
    "grid_units": (
        lambda x, units: _core.grid_units(x, 0, 0, 9, units, 1),
        (numbers([1, 2], lengths=(1,)), into("i4", 3, numbers=True, lengths=(-1,))),
    ),
    "sort_units": (
        lambda units: _core.sort_units(units, 0, 9),
        (into("i4", 3, numbers=True, lengths=()),),
    ),
    "randomize_responses": (
        lambda codes, reports: _core.randomize_responses(STREAM, OFFSET, OFFSET, codes, reports, 1),
        (numbers([0, 1, 2], "u1"), into("u1", 3, numbers=True)),
    ),
    "NoisyMax": (lambda p, q: _core.NoisyMax(True, p, q), (limbs(), limbs())),
    "report_noisy_max": (
        lambda scores, chosen: _core.report_noisy_max(NOISY_MAX, STREAM, scores, chosen),
        (numbers([[1, 2, 3], [3, 2, 1]]), into("i8", 2, lengths=())),
    ),
    "Quantile": (lambda p, q: _core.Quantile(1, 2, p, q), (limbs(), limbs())),
    "choose_quantiles": (
        lambda units, offsets, chosen: _core.choose_quantiles(
            QUANTILE, STREAM, units, offsets, 0, 9, chosen
        ),
        (numbers([1, 2, 3, 4], "i8"), Given(np.array([0, 2, 4])), into("i8", 2)),
    ),
    "choose_quantiles_between": (
        lambda units, offsets, *ranges: _core.choose_quantiles_between(
            QUANTILE, STREAM, units, offsets, 0, 1, *ranges
        ),
        (
            numbers([1, 2, 3, 4], "i8"),
            Given(np.array([0, 2, 4])),
            *(Given(np.array(each)) for each in ([0, 2], [2, 4], [0, 0], [9, 9])),
            into("i8", 2),
            into("i8", 2),
        ),
    ),
    "project_total": (_core.project_total, (COUNTS, TOTALS, into("i8", 2, 3))),
    "project_nonnegative": (
        _core.project_nonnegative,
        (COUNTS, Given(TOTALS.array, optional=True), into("i8", 2, 3)),
    ),
    "shares": (_core.shares, (COUNTS, into("f8", 2, 3))),
    "round_counts": (
        lambda counts, out: _core.round_counts(counts, 5, out),
        (COUNTS, into("i8", 2, 3)),
    ),
    "clamp_counts": (
        lambda counts, out: _core.clamp_counts(counts, 0, 5, out),
        (COUNTS, into("i8", 2, 3)),
    ),
    "map_bits": (
        lambda planes, behind, out, asked: _core.map_bits(
            LAPLACE, planes, behind, False, False, out, asked
        ),
        (PLANES, Given(LEVELS), into("i8", 3, numbers=True), into("u1", 2, 3)),
    ),
    "map_noisy_max": (
        lambda scores, given, behind, asked: _core.map_noisy_max(
            NOISY_MAX, scores, given, behind, False, asked
        ),
        (numbers([1, 2]), words(2, 32), Given(LEVELS[:, 0]), into("u1", 2)),
    ),
    "map_quantile": (
        lambda units, given, behind, asked: _core.map_quantile(
            QUANTILE, units, 0, 9, given, behind, False, asked
        ),
        (
            numbers([1, 2], "i8", lengths=()),
            words(12, 32),
            Given(LEVELS[:, 0]),
            into("u1", 2),
        ),
    ),
}


def wrong_arrays(given: Given) -> Iterator[tuple[str, Any]]:
    """Yield what may stand in the place of an array, and must raise."""
    array = given.array
    size = array.itemsize
    if not given.optional:
        yield "None", None
    yield "no buffer", [1, 2, 3]
    if array.size > 1:
        yield "not contiguous", np.repeat(array, 2, axis=-1)[..., ::2]
    if given.written:
        yield "read-only", np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)
    for change in given.lengths:
        rows = (len(array) + change, *array.shape[1:])
        yield f"of {rows} entries", np.resize(array, rows)
    if given.bytes_only:
        yield "of entries of another size", array.astype(np.int16)
        return
    yield "of objects", array.astype(object)
    yield "of strings", np.resize(np.array([b"12345678"], f"S{size}"), array.shape)
    yield "of float16", array.astype(np.float16)
    yield "of records", array.astype([("a", array.dtype)])
    if size > 1:
        yield "in the other byte order", array.astype(array.dtype.newbyteorder())
    if given.numbers:
        return
    for kind in "iuf":
        if array.dtype.kind != kind and (kind != "f" or size > 1):
            yield f"of dtype {kind}{size}", array.view(f"{kind}{size}")
    for dtype in ("u1", "i2", "u4", "i4", "u8", "f4"):
        if np.dtype(dtype).itemsize != size:
            yield f"of dtype {dtype}", array.astype(dtype)
    yield "of one more dimension", array[..., np.newaxis]
    if array.ndim > 1:
        yield "of one dimension", array.reshape(-1)


def test_strings_are_as_many_as_rows() -> None:
    """Of users: fewer would be read behind their end."""
    ids, key = np.zeros(4, np.uint64), np.zeros(2, np.uint64)
    codes, mask = np.zeros(4, np.uint32), np.zeros(4, np.uint8)
    with pytest.raises(ValueError, match="as many rows as mask"):
        _core.bound_contributions(ids, ids, STRINGS, codes, key[:1], None, None, 1, 1, key, 1, mask)
    with pytest.raises(ValueError, match="as many rows as `rows`"):
        _core.count_user_rows(ids, STRINGS, None, key, 1, codes)


def test_every_binding_with_arrays_is_here() -> None:
    """All but classes without them, and Bins: its edges have a test of their own."""
    without = {"ArraysAhead", "Bins", "KeyTable", "NoiseBlock", "Sampler"}
    without |= {"add_noise_to_one", "add_noise_to_real", "build_info", "choose_kernels"}
    without |= {"make_int32", "randomize_one"}
    names = {name for name in vars(_core) if callable(getattr(_core, name)) and name[0] != "_"}
    named = {name.split(" ")[0].split(".")[0] for name in BINDINGS}
    assert names - without - named == set()
    assert named - {"ArraysAhead"} <= names - without


def test_buffers_are_given_back() -> None:
    """A memoryview cannot be released as long as its buffer is taken."""
    for call, given in BINDINGS.values():
        views = [memoryview(each.array.copy()) for each in given]
        made = call(*views)
        del made
        for view in views:
            view.release()


def test_a_wrong_array_raises_and_nothing_is_written() -> None:
    for name in BINDINGS:
        check_wrong_arrays(name)


def check_wrong_arrays(name: str) -> None:
    call, given = BINDINGS[name]
    for place, each in enumerate(given):
        for what, wrong in wrong_arrays(each):
            arrays = [other.array.copy() for other in given]
            views: list[Any] = [memoryview(array) for array in arrays]
            views[place] = wrong
            with pytest.raises((TypeError, ValueError)):
                print(f"{name}: array {place} {what} is taken:", call(*views))
            for i, (array, view) in enumerate(zip(arrays, views, strict=True)):
                assert np.array_equal(array, given[i].array), (name, place, what)
                if i != place:
                    view.release()


def test_noise_is_not_written_into_floats() -> None:
    for fill in (lambda out: STREAM.fill(LAPLACE, out), AHEAD.next_into):
        out = np.zeros(4)
        with pytest.raises(ValueError, match="integers"):
            fill(out)
        assert not out.view(np.int64).any()


def test_edges_of_another_dtype_or_shape() -> None:
    for dtype in ("f4", "u8", "i4", ">f8", ">i8", "O", "S8", "c16"):
        with pytest.raises((TypeError, ValueError)):
            _core.Bins(np.arange(4).astype(dtype))
    for dtype in ("f8", "i8"):
        edges = np.arange(4).astype(dtype)
        assert _core.Bins(edges).count == 3
        for wrong in (edges[:1], edges[:0], edges.reshape(2, 2), edges[::2]):
            with pytest.raises(ValueError, match=r"two|dimensions|contiguous"):
                _core.Bins(wrong)


def test_bins_that_are_none() -> None:
    wrong: list[list[Any]] = [[None], [object()], [], [BINS, BINS]]
    for bins in wrong:
        with pytest.raises((TypeError, ValueError)):
            _core.histogram(bins, [np.zeros(2)], np.zeros(3, np.int64), 1)


def test_strings_outlive_their_arrays() -> None:
    """And keep their buffers, which nobody may then release."""
    view = memoryview(np.frombuffer(b"abc" * 1000, np.uint8).copy())
    strings = _core.Strings(3000, view, width=1)
    with pytest.raises(BufferError):
        view.release()
    del view
    codes = np.empty(3000, np.uint32)
    _core.lookup(TABLE, strings, 0, None, 1, codes)
    assert codes.tolist() == [0, 1, 2] * 1000


def test_words_that_are_not_aligned() -> None:
    """Buffers of Arrow's may begin anywhere; numpy marks their format."""
    offsets = np.frombuffer(b"-" + np.array([0, 1, 3]).tobytes(), np.int64, offset=1)
    assert memoryview(offsets).format[0] == "="
    assert _core.Strings(2, np.zeros(3, np.uint8), offsets).count == 2
    with pytest.raises(TypeError, match="native byte order"):
        _core.grid_sum(offsets, 0, 0, 9, 1)
