"""Whether answers are right, within the errors that they state."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
from tasks.answers import Answer
from tasks.public import COUNTRIES, PLACES
from tasks.questions import TASKS

FAR = 25  # scales of noise: a rival's answer is farther off with a chance of e^-25
CODES = {name: code for names in (COUNTRIES, PLACES) for code, name in enumerate(names)}
MONTHS = {month: month - 1 for month in range(1, 13)}
QUANTILES = {"median": 0.5, "bound": 0.95}


class WrongAnswerError(Exception):
    """An answer is further from the exact one than its error allows."""


def check(task: str, exact: Mapping[str, Any], answers: Sequence[Answer], *, rows: bool) -> None:
    """Raise if an answer is wrong; with `rows`, where it counts rows and not users."""
    wanted = exact[f"{task}, rows"] if rows and f"{task}, rows" in exact else exact[task]
    if task in QUANTILES:
        (answer,) = answers
        good = near_quantile(wanted, QUANTILES[task], answer, TASKS[task].scale)
    else:
        values = np.concatenate([answer.values for answer in answers])
        labels = [label for answer in answers for label in answer.labels or ()]
        places = [code_of(label) for label in labels] if labels else slice(None)
        truth = np.atleast_1d(wanted)[places]
        errors = [answer.error for answer in answers if answer.error is not None]
        most = max(errors) if errors else FAR * TASKS[task].scale
        good = len(truth) == len(values) and bool(np.all(np.abs(values - truth) <= most))
        if task == "top_ten":
            tenth = np.sort(wanted)[-10]
            good = good and len(values) == 10 and bool(np.all(truth >= tenth - 2 * most))
        elif not labels or task != "unknown":
            good = good and len(values) == np.size(wanted)
        else:
            good = good and len(values) > 20
    if not good:
        raise WrongAnswerError(task)


def near_quantile(ordered: Any, q: float, answer: Answer, off: float) -> bool:
    """Whether a number is a quantile, up to its error in ranks, or up to `off` of a rival."""
    (value,) = answer.values
    if answer.error is None:
        return bool(abs(value - np.quantile(ordered, q)) <= off)
    below, upto = np.searchsorted(ordered, value), np.searchsorted(ordered, value, "right")
    rank = q * len(ordered)
    return bool(max(below - rank, rank - upto) <= answer.error)


def check_files(task: str, exact: Mapping[str, Any], folder: Path) -> None:
    """Raise if the file that a task writes is not what it should be."""
    if task == "picture":
        good = (folder / "euros.png").read_bytes().startswith(b"\x89PNG")
    else:
        table = pyarrow.parquet.read_table(folder / "countries.parquet").to_pydict()
        truth = exact[task][[CODES[name] for name in table["country"]]]
        n, lower, upper = (np.array(table[name]) for name in ("n", "n_lower", "n_upper"))
        good = len(n) == len(COUNTRIES) and bool(
            np.all(upper - lower > 0) and np.all(np.abs(n - truth) <= 5 * (upper - lower))
        )
    if not good:
        raise WrongAnswerError(task)


def code_of(label: Any) -> int:
    """Where the exact answers have a key, or a key of several columns."""
    label = label if isinstance(label, tuple | list) else [label]
    codes = [MONTHS[part] if part in MONTHS else CODES[part] for part in label]
    return codes[0] if len(codes) == 1 else codes[0] * len(PLACES) + codes[1]
