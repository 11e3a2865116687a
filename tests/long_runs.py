"""How much a test tries by default, and in a run with the long tests."""

__all__ = ["examples", "set_long"]

SHARE = 4  # of the examples of hypothesis, a fourth is tried by default
_is_long = False


def set_long(is_long: bool) -> None:
    global _is_long
    _is_long = is_long


def examples(number: int) -> int:
    """Return how many examples hypothesis tries: all of them in a run with the long tests."""
    return number if _is_long else -(-number // SHARE)
