"""In which section of the tables a work is shown."""

import re

TOPICS = {
    "Keystream": r"^(aes|chacha20|AES|ChaCha20|keystream)",
    "Threads": r"two threads|threads:",
    "Privacy mechanisms": r"\.release of|one release of|selection|randomized response|estimate",
    "Noise": r"^(discrete|Bernoulli|10\^6 |noise)|a scale that is new|a new scale",
    "Small calls": r"of 100 rows|of 100 codes|release\(5\)|PrivacyFilter\.charge|PureDP|"
    r"discrete_laplace\(|^exact\.",
    "Budgets and plans": r"charge|ledger|plan|calibrate|budget",
    "Package": r"^(import|wheel|install)",
    "Sums": r"clamped sum",
    "Post-processing": r"nonnegative|with_total|normalized",
    "Contribution bounding": r"^bound",
    "Releases": r"release|rows by|histograms of|group_by|of 1,?000 rows|median|private|census|"
    r"restaurant|Parquet",
    "Columns": r"column|strings",
    "Histograms and counts": r"histogram|bincount|counts",
}
OTHER = "Other works"


def topic(work: str) -> str:
    """Return the first topic whose pattern is in the work's name."""
    return next((name for name, pattern in TOPICS.items() if re.search(pattern, work)), OTHER)
