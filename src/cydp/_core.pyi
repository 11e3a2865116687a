from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

def build_info() -> dict[str, str | bool]: ...
def chacha20_block(
    key: NDArray[np.uint32], nonce: NDArray[np.uint32], counter: int, words: NDArray[np.uint32]
) -> None: ...
def chacha20_keystream(
    key: NDArray[np.uint32], nonce: NDArray[np.uint32], counter: int, words: NDArray[np.uint32]
) -> None: ...
def aes256_keystream(
    i: int,
    key: NDArray[np.uint32],
    nonce: NDArray[np.uint32],
    counter: int,
    words: NDArray[np.uint32],
) -> str | None: ...

class Stream:
    def __init__(
        self, name: str, key: NDArray[np.uint32] | None = None, fixed_work: bool = False
    ) -> None: ...
    @property
    def name(self) -> str: ...
    def __reduce__(self) -> NoReturn: ...
    @property
    def capsule(self) -> object: ...
    def bytes(self, n: int) -> bytes: ...
    def one(self, sampler: Sampler) -> int: ...
    def fill(self, sampler: Sampler, out: NDArray[Any], threads: int = 1) -> None: ...

class Sampler:
    boolean: bool
    def __reduce__(self) -> NoReturn: ...
    @property
    def chunk(self) -> int: ...
    @property
    def value_bytes(self) -> int: ...
    @property
    def layout(self) -> tuple[tuple[int, int, int], bool]: ...

def make_sampler(
    distribution: str, numerator: NDArray[np.uint64], denominator: NDArray[np.uint64]
) -> Sampler: ...
def make_discrete_laplace_prefix(
    numerator: NDArray[np.uint64], denominator: NDArray[np.uint64], prefix_bits: int
) -> Sampler: ...
def make_int32(wide: Sampler) -> Sampler: ...

class NoiseBlock(Iterator[int]):
    def __init__(self, stream: Stream, sampler: Sampler) -> None: ...
    def __reduce__(self) -> NoReturn: ...
    def __enter__(self) -> NoiseBlock: ...
    def __exit__(self, *exception: object) -> None: ...
    def __next__(self) -> int: ...
    def close(self) -> None: ...

class ArraysAhead:
    def __init__(self, stream: Stream, sampler: Sampler, n: int, threads: int) -> None: ...
    def __reduce__(self) -> NoReturn: ...
    def next_into(self, out: NDArray[Any]) -> None: ...
    def drop(self) -> None: ...

def add_noise_to_one(value: int, may_saturate: bool, stream: Stream, sampler: Sampler) -> int: ...
def saturating_add(
    values: NDArray[np.int64], may_saturate: bool, noise: NDArray[np.int64]
) -> None: ...
def add_grid_noise(
    values: NDArray[np.float64], noise: NDArray[np.int64], exponent: int, threads: int
) -> None: ...
def fill_grid_noise(
    stream: Stream,
    sampler: Sampler,
    values: NDArray[np.float64] | NDArray[np.int64] | NDArray[np.uint64],
    exponent: int,
    out: NDArray[np.float64],
    threads: int,
) -> None: ...
def split_integers(
    values: NDArray[np.int64] | NDArray[np.uint64],
    exponent: int,
    near: NDArray[np.float64],
    multiples: NDArray[np.int64],
) -> None: ...
def add_noise_to_real(value: float, exponent: int, stream: Stream, sampler: Sampler) -> float: ...
def drop_masked(
    values: NDArray[np.uint8], entry_bytes: int, masked: NDArray[np.uint8], out: NDArray[np.uint8]
) -> int: ...

class Strings:
    count: int
    def __init__(
        self,
        count: int,
        data: NDArray[np.uint8],
        offsets: NDArray[np.int64] | None = None,
        width: int = 0,
        addresses: NDArray[np.uint64] | None = None,
    ) -> None: ...

def factorize(
    strings: Strings,
    key: NDArray[np.uint64],
    ids: NDArray[np.uint64],
    hashes: NDArray[np.uint64],
) -> None: ...
def hash_strings(
    strings: Strings, key: NDArray[np.uint64], threads: int, hashes: NDArray[np.uint64]
) -> None: ...

class KeyTable:
    def __init__(self, strings: Strings) -> None: ...

def lookup(
    table: KeyTable,
    strings: Strings,
    first: int,
    valid: NDArray[np.uint8] | None,
    threads: int,
    codes: NDArray[np.uint32],
) -> None: ...
def dense_lookup(
    values: NDArray[Any],
    least: int,
    beyond: int,
    places: NDArray[np.uint32] | None,
    valid: NDArray[np.uint8] | None,
    threads: int,
    codes: NDArray[np.uint32],
) -> None: ...

class Bins:
    count: int
    def __init__(self, edges: NDArray[np.float64] | NDArray[np.int64] | int) -> None: ...

def histogram(
    bins: list[Bins], columns: list[NDArray[Any]], counts: NDArray[np.int64], threads: int
) -> None: ...
def histogram_codes(
    bins: list[Bins], columns: list[NDArray[Any]], codes: NDArray[np.uint32], threads: int
) -> None: ...
def bincount(codes: NDArray[Any], counts: NDArray[np.int64], threads: int) -> int: ...
def bound_contributions(
    user_ids: NDArray[np.uint64],
    user_hashes: NDArray[np.uint64],
    strings: Strings | None,
    codes: NDArray[np.uint32],
    hashes: NDArray[np.uint64],
    contents: NDArray[np.uint64] | None,
    valid: NDArray[np.uint8] | None,
    max_partitions: int,
    max_rows: int,
    key: NDArray[np.uint64],
    threads: int,
    mask: NDArray[np.uint8],
    pairs: NDArray[np.uint32] | None = None,
) -> int: ...
def count_user_rows(
    user_ids: NDArray[np.uint64],
    strings: Strings | None,
    valid: NDArray[np.uint8] | None,
    key: NDArray[np.uint64],
    threads: int,
    rows: NDArray[np.uint32],
) -> None: ...
def grid_sum(x: NDArray[Any], exponent: int, lowest: int, highest: int, threads: int) -> int: ...
def grid_sum_and_squares(
    x: NDArray[Any], exponent: int, lowest: int, highest: int, threads: int
) -> tuple[int, int]: ...
def grid_sum_groups(
    codes: NDArray[Any],
    x: NDArray[Any],
    exponent: int,
    lowest: int,
    highest: int,
    threads: int,
    sums: NDArray[np.int64],
) -> None: ...
def grid_units(
    x: NDArray[Any],
    exponent: int,
    lowest: int,
    highest: int,
    units: NDArray[np.int32] | NDArray[np.int64],
    first: int,
) -> int: ...
def sort_units(units: NDArray[np.int32] | NDArray[np.int64], lowest: int, highest: int) -> None: ...
def make_category_offset(
    numerator: NDArray[np.uint64], denominator: NDArray[np.uint64], categories: int
) -> Sampler: ...
def randomize_responses(
    stream: Stream,
    offset: Sampler,
    uniform: Sampler,
    codes: NDArray[Any],
    reports: NDArray[Any],
    threads: int,
) -> None: ...

class NoisyMax:
    def __init__(
        self, gumbel: bool, numerator: NDArray[np.uint64], denominator: NDArray[np.uint64]
    ) -> None: ...
    def __reduce__(self) -> NoReturn: ...

def randomize_one(stream: Stream, offset: Sampler, uniform: Sampler, code: int) -> int: ...
def report_noisy_max(
    noisy_max: NoisyMax,
    stream: Stream,
    scores: NDArray[np.float64] | NDArray[np.int64],
    chosen: NDArray[np.int64],
    threads: int = 1,
    resolve_all: bool = False,
) -> None: ...

class Quantile:
    def __init__(
        self, a: int, b: int, numerator: NDArray[np.uint64], denominator: NDArray[np.uint64]
    ) -> None: ...
    def __reduce__(self) -> NoReturn: ...

def choose_quantiles(
    quantile: Quantile,
    stream: Stream,
    units: NDArray[np.int32] | NDArray[np.int64],
    offsets: NDArray[np.int64],
    lowest: int,
    highest: int,
    chosen: NDArray[np.int64],
    threads: int = 1,
    resolve_all: bool = False,
) -> None: ...
def choose_quantiles_between(
    quantile: Quantile,
    stream: Stream,
    units: NDArray[np.int32] | NDArray[np.int64],
    offsets: NDArray[np.int64],
    base: int,
    bits: int,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    lowest: NDArray[np.int64],
    highest: NDArray[np.int64],
    chosen: NDArray[np.int64],
    cuts: NDArray[np.int64],
    threads: int = 1,
) -> None: ...
def project_total(
    counts: NDArray[np.int64], totals: NDArray[np.uint64], out: NDArray[np.int64]
) -> None: ...
def project_nonnegative(
    counts: NDArray[np.int64], totals: NDArray[np.uint64] | None, out: NDArray[np.int64]
) -> int: ...
def shares(counts: NDArray[np.int64], out: NDArray[np.float64]) -> int: ...
def round_counts(counts: NDArray[np.int64], base: int, out: NDArray[np.int64]) -> int: ...
def clamp_counts(
    counts: NDArray[np.int64], lower: int, upper: int, out: NDArray[np.int64]
) -> None: ...
def map_bits(
    sampler: Sampler,
    planes: NDArray[np.uint8],
    extensions: NDArray[np.uint64],
    resolve_all: bool,
    fixed_work: bool,
    out: NDArray[Any],
    asked: NDArray[np.uint8],
) -> tuple[int, dict[str, int]]: ...
def map_noisy_max(
    noisy_max: NoisyMax,
    scores: NDArray[np.float64] | NDArray[np.int64],
    words: NDArray[np.uint32],
    extensions: NDArray[np.uint64],
    resolve_all: bool,
    asked: NDArray[np.uint8],
) -> int: ...
def map_quantile(
    quantile: Quantile,
    units: NDArray[np.int32] | NDArray[np.int64],
    lowest: int,
    highest: int,
    words: NDArray[np.uint32],
    extensions: NDArray[np.uint64],
    resolve_all: bool,
    asked: NDArray[np.uint8],
) -> int: ...
