"""Parts of pages that are made from results, between two comments."""

import re

MARKED = re.compile(
    r"(?P<head><!-- made by benchmarks/report: (?P<name>[\w-]+) -->\n)"
    r"(?P<body>.*?)(?P<tail><!-- end -->)",
    re.DOTALL,
)
OPENED, CLOSED = "<!-- made by benchmarks/report:", "<!-- end -->"


def marked(text: str) -> dict[str, str]:
    """Return the parts of a page by their names."""
    parts = [(found["name"], found["body"]) for found in MARKED.finditer(text)]
    names = [name for name, _ in parts]
    whole = text.count(OPENED) == text.count(CLOSED) == len(parts)
    if not whole or any(OPENED in body for _, body in parts):
        raise ValueError("a mark of a made part has no other half")
    if len({*names}) < len(names):
        raise ValueError(f"a part is marked twice: {', '.join(sorted(names))}")
    return dict(parts)


def filled(text: str, parts: dict[str, str]) -> str:
    """Return a page whose marked parts are these; a part without a text is an error."""
    unknown = marked(text).keys() - parts.keys()
    if unknown:
        raise ValueError(f"nothing makes the part {', '.join(sorted(unknown))}")
    return MARKED.sub(lambda m: f"{m['head']}{parts[m['name']].rstrip()}\n{m['tail']}", text)
