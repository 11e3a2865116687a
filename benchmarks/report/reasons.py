"""Why an aim is missed, or a rival is faster: what was found out, once, by looking."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """What is said of the works that a pattern finds, beside the rivals that another one does."""

    work: str
    rival: str
    text: str
    kinds: Sequence[str] = ()  # of kernels; all, if none is named


REASONS = (
    Reason(
        "keystream, ChaCha20", "cryptography",
        "OpenSSL uses AVX-512 for ChaCha20 here. With AVX-512 switched off by OPENSSL_ia32cap, "
        "the AVX2 kernel had 0.96 of OpenSSL's speed (0.95 to 0.97).",
        ("AVX2", "ChaCha20", "AES-NI"),
    ),
    Reason(
        "keystream, ChaCha20", "cryptography",
        "The portable ChaCha20 uses no vector instructions: it is written to be read.",
        ("portable",),
    ),
    Reason(
        "(Laplace|Gaussian), 10.6|Bernoulli|randomized response", "numpy",
        "The portable kernels use neither AES nor vector instructions: ChaCha20 takes two "
        "fifths to a half of the time. numpy's PCG64 is not a cipher.", ("portable",),
    ),
    Reason(
        "discrete Laplace", "numpy", "ChaCha20 takes half of the time.", ("ChaCha20",),
    ),
    Reason(
        "discrete Laplace, 10.6, scale 1$", "numpy",
        "Other libraries run between two calls of cydp, so `out=` is not in the cache; in the "
        "cache a call takes half to three quarters of the time. Wiping the stack costs 3 %.",
    ),
    Reason(
        "discrete (Gaussian|Laplace), 10.6", "numpy",
        "The aim was reached by a prototype on another machine (Zen 3), which wiped no memory.",
    ),
    Reason(
        "discrete Gaussian", "jax_privacy",
        "The aim was set against jax_privacy's own settings, with 52 ns a value here. Our own "
        "code of its method, in blocks that fit into the cache, takes 38 ns.",
    ),
    Reason(
        "private libraries", "OpenDP",
        "The array of each call of cydp is not in the caches; in them a call takes half to "
        "three quarters of the time. OpenDP has one turn. Without VAES the keystream takes "
        "longer.",
    ),
    Reason(
        "^contribution bounding, .* of text", "cydp, integers",
        "Hashing the texts takes 11 ns a row. A record holds 15 bytes of its text, so it is "
        "four times as large as a record of integers.",
    ),
    Reason(
        "^contribution bounding, .* 3 of 1000 groups", "^$",
        "The kernel alone takes 156 ms. The rest turns groups into codes.",
    ),
    Reason(
        "rows of 10.6 users by 10.4 keys", "^$",
        "Bounding takes nine tenths of the time.",
    ),
    Reason(
        "^Gaussian, a new one", "",
        "Half of the time proves an exact bound of delta, with decimals of 30 digits; the other "
        "half computes scale and cost in exact fractions.",
    ),
    Reason(
        "^DiscreteLaplace, a new one", "",
        "Its epsilon is a fraction of two numbers of 30 bits; with epsilon 1 it takes 7.1 us.",
    ),
    Reason(
        "^(Gaussian|Laplace).release, 10.6", "numpy",
        "The second way, integer noise and a copy of the values, already takes four fifths of "
        "the time, and nine tenths with AVX-512.",
    ),
    Reason(
        "ten scales", "numpy",
        "Two thirds of the time are for finding the distinct scales and the scale of each "
        "entry. Noise is drawn scale by scale.",
    ),
    Reason(
        "two threads", "cydp",
        "At times the two cores of this virtual machine only do the work of 1.15 cores, in "
        "plain ChaCha20 too. Two callers with half of the data each then also become slower.",
    ),
    Reason(
        "clamped sum, ", "numpy, sum",
        "np.sum neither clamps nor is exact. Both read the column once, and memory limits both.",
    ),
    Reason(
        "^(grouped clamped sum|bincount|clamped sum|histogram)", "numpy|fast-histogram",
        "The portable kernels use no vector instructions.", ("portable",),
    ),
    Reason(
        "clamped sum, .* step 2", "numpy, sum",
        "cydp rounds each row to the coarser grid; np.sum only adds.",
    ),
    Reason(
        "histogram, .* given edges", "",
        "Reading the column alone takes 2.5 to 3 ms. In several runs on this machine the call "
        "took between 8.2 and 10.4 ms.",
    ),
    Reason(
        "^histogram, ", "numpy",
        "numpy's time varies more than cydp's: np.histogram took 62, 79 and 123 ms in three "
        "runs.",
    ),
    Reason(
        "histogram, .*equal bins", "boost-histogram",
        "Two runs on this machine gave 3.3 and 2.9.", ("AVX-512",),
    ),
    Reason(
        "^bincount, ", "numpy",
        "Both read the column from memory, whose speed varies between runs: the ratio for 10^3 "
        "codes was between 4.4 and 6.0 (int32), and between 1.5 and 2.2 (int64).",
    ),
    Reason(
        "release: counts of 10.7 rows by 10.3", "OpenDP",
        "np.bincount neither looks up keys nor draws noise, and already takes two thirds to "
        "three quarters of cydp's time.",
    ),
    Reason(
        "package: installation", "",
        "The Python code of releases, their output and the command line was added after the aim "
        "was set.",
    ),
    Reason(
        "users of a Parquet file", "",
        "Memory grows with the number of users: it holds how many rows of each user are kept. "
        "The smallest file is a single piece.",
    ),
    Reason(
        "Parquet files$", "DuckDB",
        "DuckDB's decoding takes a third of cydp's time, and passing rows on as Arrow two "
        "fifths: if a column may hold nulls, it visits each row once more.",
    ),
    Reason(
        "of a Parquet file", "", "DuckDB's buffers grow with the first pieces of a file.",
    ),
    Reason(
        "^clamped sum, 10.7 float64", "numpy",
        "Memory limits it: it takes as long as np.sum, which only reads the column.",
    ),
    Reason(
        "grouped clamped sum", "",
        "Each row adds to the total of its code. This takes longer than reading both columns, "
        "and many totals do not fit into the cache of a core.",
    ),
    Reason(
        "histogram, .*equal bins", "boost-histogram",
        "Finding a bin takes three quarters of the time: 17 vector operations for 4 rows.",
        ("AVX2", "AES-NI", "ChaCha20"),
    ),
    Reason(
        "release: counts of 10.7 rows|histograms of 100 bins", "numpy",
        "np.bincount is not private, and gets codes: the release looks up each row among the "
        "keys, counts, and draws noise.",
    ),
    Reason(
        "10.6 rows of 2 scores", "numpy",
        "Each row is a selection of its own, which is decided exactly.",
    ),
    Reason(
        "Snapping", "numpy",
        "Each logarithm is computed at both ends of an interval, because the proof needs the "
        "correctly rounded result.",
    ),
    Reason(
        "one choice among|one (number|bit|count)$", "",
        "Python takes most of the time: each call checks its argument and makes its answer.",
    ),
    Reason(
        "exponential mechanism|permute-and-flip", "numpy",
        "Generating four bytes of keystream for each score, and reading the scores, take 2.8 of "
        "3.8 ms.",
        ("portable",),
    ),
    Reason(
        "durable charges", "diffprivlib|OpenDP",
        "That budget is in memory and ends with the process; a ledger writes each charge "
        "to the disk before the call returns.",
    ),
    Reason(
        "a plan of", "dp-accounting",
        "A plan also computes three other bounds, and bounds its rounding.",
    ),
    Reason(
        "with_total|normalized|shares", "numpy",
        "The code for numpy computes in doubles; cydp gives the exact closest table.",
    ),
    Reason(
        "partition selection", "numpy",
        "numpy compares a double with a rounded table; cydp decides exactly, with bits of a "
        "cipher.",
    ),
    Reason(
        "estimate", "numpy", "cydp also checks each report, and states its error.",
    ),
    Reason(
        "small call: exact", "",
        "Each call checks types, lengths and bounds; the aim's prototype checked less.",
    ),
    Reason(
        "one value", "",
        "Each call looks up the parameter: an iterator, which does not, takes a seventh of the "
        "time.",
    ),
    Reason(
        "small call: (PureDP|PrivacyFilter)|scale that is new", "",
        "The speed of Python varies by a factor of two between machines and hours: a bare "
        "np.bincount of 10 codes took 0.39 us where these figures were set, and is among the "
        "small calls of this run.",
    ),
    Reason(
        "histogramdd", "(boost|fast)-histogram",
        "That library finds a bin by one multiplication and counts in doubles; cydp compares each "
        "row with numpy's edges, exactly.",
    ),
    Reason(
        "nonnegative of .* all negative", "numpy",
        "The total is 0, so numpy writes zeros at once; cydp first computes the exact total.",
    ),
    Reason(
        "^release: ", "OpenDP, vector",
        "OpenDP's query is made once; cydp reads its parameters in each call, and its answer "
        "states its errors and its cost.",
    ),
    Reason(
        "over rows: (1,000|10.[34])$", "numpy",
        "With so few rows Python takes most of the time: each call checks its arguments.",
    ),
    Reason(
        "release|latency|small call|private", "numpy",
        "numpy's answer is not private: the release also checks the call and draws exact noise.",
    ),
)  # fmt: skip


def reason(work: str, rival: str, kernels: str) -> str:
    """Return the first reason that fits, or nothing."""
    for known in REASONS:
        here = not known.kinds or kernels in known.kinds
        if here and re.search(known.work, work) and re.match(known.rival, rival):
            return known.text
    return ""
