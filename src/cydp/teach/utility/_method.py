# SPDX-License-Identifier: MIT
"""A method of the user's own, in the same table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._generator import Generator
from cydp.mechanisms._noise_distribution import NoiseDistribution
from cydp.teach.utility._case import Case, Errors, Setting, Spread, errors_of, spread_of

__all__ = ["Method"]

_EACH = 1000  # rows that each answer counts in made data


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # data may be an array
class Method:
    """A method of your own, or a rival's: anything that returns noisy numbers.

    Parameters
    ----------
    name : str
        What the table calls it, in the column of mechanisms.
    release : callable
        ``release(data, setting)`` returns noisy answers, array_like of real numbers. It draws from
        a generator of its own. `Setting` has the dimension, the privacy and the relation.
    truth : callable or array_like, optional
        ``truth(data, setting)``, or the exact answers themselves, of the same shape. Default: the
        data.
    predicted : callable, optional
        ``predicted(setting)`` returns the root mean square error of an answer, a number >= 0; or
        the mechanism of cydp that noises each answer by itself, such as ``cydp.Laplace(...)``.
        Only with a mechanism is the law of the errors known, and agreement is stated.
    data : object or callable, optional
        What `release` gets, or ``data(setting)``. Default: an array of `dimension` made counts. The
        table marks given data.
    workload : str, default "own"
        What the table calls the question; use the name of a workload to compare with it.

    Raises
    ------
    TypeError
        If a name is no text, or a callable cannot be called.

    Notes
    -----
    No budget pays: this is a simulation. Errors that were measured on private data depend on them,
    and are not private: do not publish them.

    Examples
    --------
    >>> import numpy
    >>> numbers = numpy.random.default_rng(1)
    >>> method = Method(
    ...     name="numpy's Laplace, rounded",
    ...     release=lambda data, setting: numpy.round(
    ...         data + numbers.laplace(scale=1 / setting.epsilon, size=len(data))
    ...     ),
    ... )
    >>> from cydp.teach import utility
    >>> table = utility.measure(method, dimension=50, epsilon=1, trials=100)
    >>> 1.3 < table[0].measured < 1.6
    True

    """

    name: str
    release: Callable[[Any, Setting], Any]
    truth: Any = None
    predicted: Callable[[Setting], Any] | None = None
    data: Any = None
    workload: str = "own"

    def __post_init__(self) -> None:
        for argument in ("name", "workload"):
            given = getattr(self, argument)
            if not isinstance(given, str) or not given.strip():
                raise TypeError(f"{argument} must be a text that is not empty")
        if not callable(self.release):
            raise TypeError(f"release must be callable, not {type(self.release).__name__}")
        if self.predicted is not None and not callable(self.predicted):
            raise TypeError(f"predicted must be callable, not {type(self.predicted).__name__}")

    def _prepare(self, setting: Setting) -> Case:
        data = np.full(setting.dimension, _EACH) if self.data is None else self.data
        if callable(data):
            data = data(setting)
        exact = data if self.truth is None else self.truth
        truth = _read(exact(data, setting) if callable(exact) else exact, "truth", self.name)
        rms, spread, bound = self._predict(setting, truth.size)

        def draw(rng: Generator) -> Errors:
            answers = _read(self.release(data, setting), "release", self.name)
            if answers.shape != truth.shape:
                raise ValueError(
                    f"release of {self.name!r} must return answers of the shape of the true ones, "
                    f"{truth.shape}, not {answers.shape}"
                )
            return errors_of(answers, truth, bound)

        return Case(
            draw=draw, rms=rms, spread=spread, bound=bound, answers=truth.size, unit="units"
        )

    def _predict(
        self, setting: Setting, answers: int
    ) -> tuple[float | None, Spread | None, float | None]:
        found = None if self.predicted is None else self.predicted(setting)
        if found is None:
            return None, None, None
        if isinstance(found, NoiseDistribution):
            return math.sqrt(found.variance), spread_of(found, answers), float(found.error_bound())  # type: ignore[attr-defined]
        try:
            rms = float(found)
        except (TypeError, ValueError):
            rms = math.nan
        if not 0 <= rms < math.inf:
            raise ValueError(
                f"predicted of {self.name!r} must return a finite number >= 0, or a mechanism of "
                f"cydp that adds noise, not {type(found).__name__}"
            )
        return rms, None, None


def _read(answers: Any, argument: str, name: str) -> NDArray[np.float64]:
    """Return answers as an array of finite floats."""
    try:
        found = np.asarray(answers)
        if np.iscomplexobj(found):  # the imaginary part would be dropped
            raise TypeError
        found = found.astype(np.float64)
    except (TypeError, ValueError):
        kind = type(answers).__name__
        raise TypeError(
            f"{argument} of {name!r} must be real numbers, or return them, not {kind}"
        ) from None
    if not found.size or not np.isfinite(found).all():
        raise ValueError(f"{argument} of {name!r} must have numbers, all of them finite")
    return found
