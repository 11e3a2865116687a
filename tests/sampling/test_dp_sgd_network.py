"""examples/dp_sgd_network.py: its gradients, that no row moves a sum by more, and its accuracy."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cydp
from cydp.testing import SeededGenerator

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = Path(__file__).parents[2] / "docs" / "teach" / "dp_sgd.md"
Function = Callable[..., Any]


@pytest.fixture(scope="module")
def shown() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        return runpy.run_path(str(EXAMPLES / "dp_sgd_network.py"))


def weights_of(shown: dict[str, Any]) -> Any:
    """Weights that are not the first ones, with hidden units of both signs."""
    return shown["first_weights"]()[::-1].copy()


def log_loss(logits: Any, y: Any) -> Any:
    return np.logaddexp(0, logits) - y * logits


def without_back(shown: dict[str, Any], gradients: Any) -> Any:
    """The mutant whose hidden layer learns as if each unit were always above 0."""
    weights = weights_of(shown)
    x, y = shown["read_people"]()
    output = shown["layers"](weights)[1]
    logits = shown["logits_of"](weights / shown["ONE"], x)
    missed = (y - 1 / (1 + np.exp(-logits))) * shown["ONE"]
    back = x[:, :, None] * (missed[:, None] * output[:-1] / shown["ONE"])[:, None, :]
    return np.concatenate([back.reshape(len(x), -1), gradients[:, back[0].size :]], axis=1)


def test_gradients_are_those_of_finite_differences(shown: dict[str, Any]) -> None:
    """Of the log loss, in floats: the step of integers, and of the table, is below 1 %."""
    (x, y), weights, one = shown["read_people"](), weights_of(shown), shown["ONE"]
    found = shown["gradients_of"](weights, x, y)
    assert found.shape == (len(x), shown["PARAMETERS"])

    def loss(moved: Any) -> Any:
        return log_loss(shown["logits_of"](moved / one, x), y)

    expected = np.empty(found.shape)
    for i in range(shown["PARAMETERS"]):
        step = np.zeros(shown["PARAMETERS"])
        step[i] = one / 1000
        expected[:, i] = -(loss(weights + step) - loss(weights - step)) / 0.002

    def off(gradients: Any) -> float:
        # A unit whose input is 0 within the step has another slope on each side.
        return float(np.quantile(np.abs(gradients / one**2 - expected), 0.999))

    assert off(found) < 0.01
    assert off(without_back(shown, found)) > 0.05


def square_of(row: Any) -> int:
    return sum(int(entry) ** 2 for entry in row)


def test_a_neighbour_moves_the_sum_by_at_most_the_clip(shown: dict[str, Any]) -> None:
    """All 57 entries together; to clip each layer by itself is the mutant."""
    (x, y), weights = shown["read_people"](), weights_of(shown)
    clip_rows, clip = shown["train"].__globals__["clip_rows"], shown["CLIP"]
    gradients = 5 * shown["gradients_of"](weights, x, y)  # so that most rows are clipped

    def layer_by_layer(rows: Any) -> Any:
        cut = shown["FEATURES"] * shown["HIDDEN"]
        return np.hstack([clip_rows(rows[:, :cut], clip), clip_rows(rows[:, cut:], clip)])

    def most_moved(clipped: Function) -> int:
        whole = clipped(gradients).sum(axis=0)
        fewer = (clipped(np.delete(gradients, i, 0)).sum(axis=0) for i in range(0, len(x), 9))
        return max(square_of(whole - each) for each in fewer)

    assert 0.9 * clip**2 < most_moved(lambda rows: clip_rows(rows, clip)) <= clip**2
    assert most_moved(layer_by_layer) > clip**2


def test_a_row_does_not_change_the_gradients_of_others(shown: dict[str, Any]) -> None:
    (x, y), weights = shown["read_people"](), weights_of(shown)
    together = shown["gradients_of"](weights, x, y)
    for i in range(0, len(x), 29):
        alone = shown["gradients_of"](weights, x[i : i + 1], y[i : i + 1])
        assert np.array_equal(alone[0], together[i])
    largest = np.full(len(weights), shown["train"].__globals__["MOST"])
    assert np.abs(shown["gradients_of"](largest, x, y)).max() < 2**62  # nothing wraps


def test_it_learns_a_little_slice(shown: dict[str, Any]) -> None:
    """Of 300 rows; noise that is 1,000 times larger is the mutant."""
    (x, y), start = shown["read_people"](), shown["first_weights"]()
    network = {"start": start, "gradients_of": shown["gradients_of"]}

    def right(multiplier: int) -> float:
        trained = [
            shown["train"](x[:300], y[:300], shown["noise_of"](multiplier), SeededGenerator(seed),
                           **network)
            for seed in range(6)
        ]  # fmt: skip
        return float(np.mean([(shown["logits_of"](w, x[300:]) > 0) == y[300:] for w in trained]))

    assert right(1) > 0.64
    assert right(1000) < 0.58
    assert np.array_equal(start, shown["first_weights"]())  # training leaves them as they are


def test_the_page_has_what_it_prints(
    shown: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And both models draw their noise as often as the plan was charged for."""
    drawn: list[Any] = []
    release = cydp.Gaussian.release

    def record(self: Any, value: Any, **kwargs: Any) -> Any:
        drawn.append((self, np.shape(value)))
        return release(self, value, **kwargs)

    monkeypatch.setattr(cydp.Gaussian, "release", record)
    shown["main"](SeededGenerator(23))
    assert f"```console\n{capsys.readouterr().out}```" in PAGE.read_text()
    noise = shown["noise_of"](shown["NOISE"])
    steps = shown["STEPS"]
    assert drawn == [(noise, (shown["PARAMETERS"],))] * steps + [(noise, (6,))] * steps


@pytest.mark.long
def test_the_page_has_the_means_of_40_runs(shown: dict[str, Any]) -> None:
    rows = []
    for multiplier in (2, 4, 8, 16):
        noise = shown["noise_of"](multiplier)
        runs = [list(shown["compare"](noise, SeededGenerator(key)).values()) for key in range(40)]
        means = " | ".join(f"{mean:.3f}" for mean in np.mean(runs, axis=0))
        plan = cydp.Plan([(cydp.sampling.Sampled(noise, shown["SHARE"]), shown["STEPS"])])
        rows.append(f"| {multiplier} | {plan.epsilon(shown['DELTA']):.3g} | {means} |")
    assert "\n".join(rows) in PAGE.read_text()
