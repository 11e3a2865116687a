"""In which section of the tables a work is shown."""

import re

TOPICS = {
    "Keystream": r"^keystream",
    "Threads": r"^two threads|threads:|over threads",
    "Noise": r"^(discrete|Bernoulli|a sampler of)",
    "Mechanisms": r"\.release, |^(exponential mechanism|permute-and-flip|randomized response|"
    r"partition selection|estimate)",
    "Small calls": r"^(small call|latency): ",
    "Histograms and counts": r"^(histogram|bincount|counts)",
    "Sums": r"^(grouped )?clamped sum",
    "Contribution bounding": r"^contribution bounding",
    "Releases": r"^(release|private histogram|range counts|errors of range)|of a Parquet file",
    "Post-processing": r"^(nonnegative|with_total|normalized|shares) ",
    "Columns": r"column|strings|chunks",
    "Budgets and plans": r"^(accountant|ledger): ",
    "Pictures": r"^picture: ",
    "Package": r"^package: ",
    "What the machine can give": r"^limit: ",
}
OTHER = "Other works"


def topic(work: str) -> str:
    """Return the first topic whose pattern is in the work's name."""
    return next((name for name, pattern in TOPICS.items() if re.search(pattern, work)), OTHER)
