"""How a figure looks in a table."""

from collections.abc import Sequence

from harness.record import Way, duration


def time(way: Way) -> str:
    """Median and interquartile range."""
    low, median, high = way.seconds
    return f"{duration(median)} ({duration(high - low)})" if high > low else duration(median)


def ratio(x: Sequence[float], *, rival: bool = True) -> str:
    """Median and quartiles; where a rival is faster, bold."""
    low, median, high = x
    text = f"{number(median)} ({number(low)} to {number(high)})" if high > low else number(median)
    return f"**{text}**" if rival and median < 1 else text


def number(value: float) -> str:
    """Three digits; above a thousand two, and commas."""
    if value >= 1000:
        return f"{float(f'{value:.2g}'):,.0f}"
    return f"{value:.3g}"


def size(count: float | None) -> str:
    """Bytes, in a unit of a thousand."""
    if count is None:
        return ""
    for unit, many in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= many:
            return f"{count / many:.3g} {unit}"
    return f"{count:.0f} bytes"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; nothing without rows."""
    if not rows:
        return ""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def count(n: float) -> str:
    """A number of rows, keys, threads, or a scale; powers of ten and of two as such."""
    if n >= 1000 and n == int(n):
        digits = str(int(n))
        if digits.strip("0") == "1":
            return f"10^{len(digits) - 1}"
        power = int(n).bit_length() - 1
        return f"2^{power}" if n == 2**power else f"{n:,.0f}"
    return f"{n:g}"
