"""Answers of cells as labels, numbers and errors."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

CONFIDENCE = "0.999999999999"  # of the errors that answers are checked by


class Answer(NamedTuple):
    labels: Sequence[Any] | None  # None: all keys in their order
    values: Sequence[float]
    error: float | None  # which all values have together; None: of a rival


def of_releases(made: Any) -> list[Answer]:
    """Return the answers in one of our releases or several."""
    releases = made if isinstance(made, list) else [made]
    return [of_dict(release.to_dict(confidence=CONFIDENCE)) for release in releases]


def of_dict(release: Mapping[str, Any]) -> Answer:
    """Return the answer in a release as `to_dict` and `--json` show it."""
    (column,) = release["columns"].values()
    keys = [axis["keys"] for axis in release["axes"] if "keys" in axis]
    labels = [*zip(*keys[0].values(), strict=True)] if keys else None
    values = np.atleast_1d(column["values"]).tolist()
    # The largest, where keys that are not public have bounds of their own.
    error = np.max(column["error"]["together"], initial=0)
    return Answer(labels, values, float(error))
