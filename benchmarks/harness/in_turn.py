"""Several ways to one answer, measured in turn: the machine's clock drifts, the ratio does not."""

from collections.abc import Callable, Mapping
from time import perf_counter, process_time
from typing import Any

import numpy as np
from harness import sizes
from harness.environments import ForeignWay
from harness.record import Record, Turn

OTHER_DATA = np.zeros(8 * 10**6)  # as a rival's turn leaves the caches: with nothing of ours
SECONDS = 1.5  # what all turns of one way may take together; one turn may take longer


def measure(
    benchmark: Any,
    ways: Mapping[str, Callable[[], Any] | None],
    rounds: int = 31,
    *,
    per: int = 1,
    moved: int | None = None,
    keystream: int | None = None,
    threads: int = 1,
) -> dict[str, Any]:
    """Call all ways in each round, and return what each gave last.

    A way that is None is left out. The first is ours, and what pytest-benchmark's table shows. A
    way that is slow takes its turn in some of the rounds only, at least in one; in the others
    ours finds its data out of the caches, as after a rival's turn. `per` is how many
    calls of what `benchmark.group` names a way makes, `moved` and `keystream` are the bytes of
    memory and of keystream that the first way cannot do without, `threads` those that it may use.
    The record goes to `--results` (conftest.py).
    """
    present = {name: way for name, way in ways.items() if way is not None}
    first, *others = present
    turns: dict[str, list[Turn]] = {name: [] for name in present}
    answers: dict[str, Any] = {}
    rounds = 1 if sizes.SMALL else rounds
    number = 0  # of the round

    def take(name: str) -> None:
        way = present[name]
        answers.pop(name, None)  # freeing it is no part of the next turn
        cpu, wall = process_time(), perf_counter()
        answers[name] = way()
        turn = Turn(number, perf_counter() - wall, process_time() - cpu)
        if isinstance(way, ForeignWay):  # another process, which says what it took
            turn = Turn(number, *way.taken)
        turns[name].append(turn)

    for name in present:
        take(name)
    calls = {name: max(int(SECONDS / taken[-1].wall), 1) for name, taken in turns.items()}
    rounds = 1 if turns[first][-1].wall > SECONDS else min(rounds, max(calls[first], 5))
    every = {name: -(-rounds // min(most, rounds)) for name, most in calls.items()}
    for name, taken in turns.items():
        if name == first or taken[-1].wall < SECONDS:  # else the first turn is the only one
            taken.clear()

    def take_others() -> None:
        nonlocal number
        number += 1
        here = [
            name for name in others
            if (number - 1) % every[name] == 0
            and not (turns[name] and turns[name][0].round == 0)
        ]  # fmt: skip
        for name in here:
            take(name)
        if others and not here and not sizes.SMALL:
            np.add(OTHER_DATA, 1, out=OTHER_DATA)

    benchmark.pedantic(take, (first,), setup=take_others, rounds=rounds)
    record = Record.of(
        benchmark.group, turns, per=per, moved=moved, keystream=keystream, threads=threads
    )
    benchmark.extra_info["record"] = record
    return answers
