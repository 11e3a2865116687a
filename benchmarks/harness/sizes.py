"""Full sizes, or small ones that only show that a benchmark runs and that its answer is right."""

SMALL = False  # set by conftest.py before any benchmark is imported


def size(n: int) -> int:
    """Return n, or with --small a hundredth of it, from 1,000 on."""
    return min(n, max(n // 100, 1000)) if SMALL else n


def tolerance(n: int, errors: float) -> float:
    """Return how far a mean of n values may be off: this many standard errors of one of n."""
    return errors / n**0.5
