"""How many examples hypothesis tries."""

__all__ = ["examples"]


def examples(number: int) -> int:
    """Return a fourth of a number."""
    return -(-number // 4)
