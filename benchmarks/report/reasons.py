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
        "OpenSSL uses AVX-512 for ChaCha20 here. With OPENSSL_ia32cap keeping it from that, the "
        "AVX2 kernel had 0.96 of its speed (0.95 to 0.97).",
        ("AVX2", "ChaCha20", "AES-NI"),
    ),
    Reason(
        "keystream, ChaCha20", "cryptography",
        "The portable ChaCha20 has no vectors: it is there to be read.", ("portable",),
    ),
    Reason(
        "(Laplace|Gaussian), 10.6|Bernoulli|randomized response", "numpy",
        "The portable kernels have no AES and no vectors: ChaCha20 takes two fifths to a half of "
        "the time. numpy's PCG64 is no cipher.", ("portable",),
    ),
    Reason(
        "discrete Laplace", "numpy", "ChaCha20 takes half of the time.", ("ChaCha20",),
    ),
    Reason(
        "discrete Laplace, 10.6, scale 1$", "numpy",
        "Rivals take their turn in between, so that `out=` is not in the cache; in the cache a "
        "call takes half to three quarters of the time. Wiping the stack costs 3 %.",
    ),
    Reason(
        "discrete (Gaussian|Laplace), 10.6", "numpy",
        "The aim is that of a prototype on another machine (Zen 3), which wiped no memory.",
    ),
    Reason(
        "discrete Gaussian", "jax_privacy",
        "The aim was set beside jax_privacy's own settings, 52 ns a value here; the method as it "
        "is written anew takes 38, in blocks that fit into the cache.",
    ),
    Reason(
        "private libraries", "OpenDP",
        "Each of our calls finds its array out of the caches; in them it takes half to three "
        "quarters of the time. OpenDP has one turn. Without VAES the keystream takes longer.",
    ),
    Reason(
        "^contribution bounding, .* of text", "cydp, integers",
        "Hashing the texts takes 11 ns a row. Records hold 15 bytes of each text, and so have four "
        "times the size of records of integers.",
    ),
    Reason(
        "^contribution bounding, .* 3 of 1000 groups", "^$",
        "The kernel alone takes 156 ms. Before it, groups become codes.",
    ),
    Reason(
        "rows of 10.6 users by 10.4 keys", "^$",
        "Bounding takes nine tenths of the time.",
    ),
    Reason(
        "^Gaussian, a new one", "",
        "An exact bound of delta is proved with decimals of 30 digits, which takes half of the "
        "time; the rest are exact fractions of scales and of the cost.",
    ),
    Reason(
        "^DiscreteLaplace, a new one", "",
        "Its epsilon is a fraction of two numbers of 30 bits; with epsilon 1 it takes 7.1 us.",
    ),
    Reason(
        "^(Gaussian|Laplace).release, 10.6", "numpy",
        "Integer noise into warm memory, and a copy of the values, take four fifths of it, and "
        "nine tenths with AVX-512: the way beside it.",
    ),
    Reason(
        "ten scales", "numpy",
        "Two thirds of the time go into finding the distinct scales, and each entry's among them. "
        "Noise is drawn scale by scale.",
    ),
    Reason(
        "two threads", "cydp",
        "The two cores of this virtual machine at times do the work of 1.15, in plain ChaCha20 "
        "too. Two callers with a half each, in the same rounds, then fall as well.",
    ),
    Reason(
        "clamped sum, ", "numpy, sum",
        "np.sum neither clamps nor is exact. Both read the column once, and memory bounds both.",
    ),
    Reason(
        "^(grouped clamped sum|bincount|clamped sum|histogram)", "numpy|fast-histogram",
        "The portable kernels have no vectors.", ("portable",),
    ),
    Reason(
        "clamped sum, .* step 2", "numpy, sum",
        "Halves are rounded to the coarser grid, row by row; np.sum only adds.",
    ),
    Reason(
        "histogram, .* given edges", "",
        "Reading the column alone takes 2.5 to 3 ms. In several runs on this machine the call took "
        "from 8.2 to 10.4 ms.",
    ),
    Reason(
        "^histogram, ", "numpy",
        "numpy's time differs more than ours: np.histogram took 62, 79 and 123 ms in three runs.",
    ),
    Reason(
        "histogram, .*equal bins", "boost-histogram",
        "Two runs on this machine gave 3.3 and 2.9.", ("AVX-512",),
    ),
    Reason(
        "^bincount, ", "numpy",
        "Both read the column from memory, whose speed differs between runs: the ratio for 10^3 "
        "codes was from 4.4 to 6.0 (int32) and from 1.5 to 2.2 (int64).",
    ),
    Reason(
        "release: counts of 10.7 rows by 10.3", "OpenDP",
        "np.bincount, which looks no key up and draws no noise, already takes two thirds to three "
        "quarters of our time.",
    ),
    Reason(
        "package: installation", "",
        "The Python of releases, their output and the command line has come since the aim was set.",
    ),
    Reason(
        "users of a Parquet file", "",
        "The rows that are kept of each user are counted in memory, so users take memory, and the "
        "smallest file is a single piece.",
    ),
    Reason(
        "Parquet files$", "DuckDB",
        "DuckDB's decoding takes a third of our time, and to hand rows over as Arrow two fifths: "
        "of a column that may hold nulls it visits each row once more.",
    ),
    Reason(
        "of a Parquet file", "", "DuckDB's buffers grow with the first pieces of a file.",
    ),
    Reason(
        "^clamped sum, 10.7 float64", "numpy",
        "Memory bounds it: it takes as long as np.sum, which only reads the column.",
    ),
    Reason(
        "grouped clamped sum", "",
        "Each row adds to a total that its code chooses, which takes longer than to read both "
        "columns; many totals do not fit into the cache of a core.",
    ),
    Reason(
        "histogram, .*equal bins", "boost-histogram",
        "Finding a bin takes three quarters of the time: 17 vector operations for 4 rows.",
        ("AVX2", "AES-NI", "ChaCha20"),
    ),
    Reason(
        "release: counts of 10.7 rows|histograms of 100 bins", "numpy",
        "np.bincount is not private, and is given codes: the release looks each row up among the "
        "keys, counts, and draws noise.",
    ),
    Reason(
        "10.6 rows of 2 scores", "numpy",
        "Each row is a selection of its own, which is decided exactly.",
    ),
    Reason(
        "Snapping", "numpy",
        "Each logarithm is followed at both ends of an interval, so that the result is that of the "
        "correctly rounded one, as the proof wants.",
    ),
    Reason(
        "one choice among|one (number|bit|count)$", "",
        "The time is that of Python: each call checks its argument, and makes its answer.",
    ),
    Reason(
        "exponential mechanism|permute-and-flip", "numpy",
        "The keystream, four bytes for each score, and a look at the scores take 2.8 of 3.8 ms.",
        ("portable",),
    ),
    Reason(
        "durable charges", "diffprivlib|OpenDP",
        "Its budget is in memory and ends with the process; a ledger has each charge on the disk "
        "before the call returns.",
    ),
    Reason(
        "a plan of", "dp-accounting",
        "A plan computes three other bounds too, and states its rounding.",
    ),
    Reason(
        "with_total|normalized|shares", "numpy",
        "numpy has no exact way and computes in doubles; ours gives the exact closest table.",
    ),
    Reason(
        "partition selection", "numpy",
        "numpy compares a double with a rounded table; ours decides exactly, by a cipher's bits.",
    ),
    Reason(
        "estimate", "numpy", "Ours also checks each report, and knows its error.",
    ),
    Reason(
        "small call: exact", "",
        "Types, lengths and bounds are checked in each call; the aim's prototype checked less.",
    ),
    Reason(
        "one value", "",
        "The parameter is looked up in each call: an iterator, which does not, takes a seventh.",
    ),
    Reason(
        "small call: (PureDP|PrivacyFilter)|scale that is new", "",
        "The speed of Python varies by a factor of two between machines and hours: a bare "
        "np.bincount of 10 codes took 0.39 us where these figures were set, and stands among the "
        "small calls of this run.",
    ),
    Reason(
        "histogramdd", "(boost|fast)-histogram",
        "It finds a bin by one multiplication and counts in doubles; ours compares each row with "
        "numpy's edges, exactly.",
    ),
    Reason(
        "nonnegative of .* all negative", "numpy",
        "The total is 0, so numpy writes zeros at once; ours takes the exact total first.",
    ),
    Reason(
        "^release: ", "OpenDP, vector",
        "OpenDP's query is made once; ours reads its parameters in each call, and its answer knows "
        "its errors and what it cost.",
    ),
    Reason(
        "over rows: (1,000|10.[34])$", "numpy",
        "So few rows take the time of Python: each call checks its arguments.",
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
