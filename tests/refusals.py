"""What wrong calls are told, as a table: the words that matter, and nothing that a record holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["Refusal", "check_refusals"]

# A call, its error, and words of the message: which argument, what is allowed, what was given.
Refusal = tuple[Callable[[], object], type[Exception], tuple[str, ...]]

LONGEST = 300
NEVER = ("<class", "object at 0x", "dtype(", "buffer source", "inhomogeneous", "NoneType'", "\n")


def _complaint(refusal: Refusal, never: tuple[str, ...]) -> str:
    """Return what is wrong with how a call is refused, or nothing."""
    call, error, words = refusal
    try:
        answer = call()
    except Exception as raised:
        said = str(raised)
        if type(raised) is not error:
            return f"raised {type(raised).__name__}, not {error.__name__}: {said}"
        missing = [word for word in words if word not in said]
        shown = [word for word in (*NEVER, *never) if word in said]
        if missing or shown or len(said) > LONGEST:
            return f"lacks {missing}, shows {shown}, has {len(said)} characters: {said}"
        return ""
    return f"was not refused, and answered {type(answer).__name__}"


def check_refusals(refusals: Mapping[str, Refusal], *, never: tuple[str, ...] = ()) -> None:
    """Assert that each call is refused in those words, and in one line; list all that are not.

    `never` are texts that no message may hold, such as values of the records.
    """
    complaints = {name: _complaint(refusal, never) for name, refusal in refusals.items()}
    broken = [f"{name}: {said}" for name, said in complaints.items() if said]
    assert not broken, "\n".join(broken)
