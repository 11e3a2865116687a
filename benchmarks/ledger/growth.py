"""What it takes to use a ledger of a length, each in a process of its own."""

from typing import Any

from harness.processes import run

from cydp import PureDP

PAGE = 100
# Of each way to use a ledger: code whose value tells whether it is right.
USES = {
    "charge": "ledger.charge(PureDP('0.001'), label='label 1').seq",
    "open": "(BudgetLedger.open(place).close(), 0)[1]",
    "spent": "float(ledger.spent.epsilon)",
    "report()": "len(ledger.report().text)",
    "last page of history": f"ledger.history(most={PAGE}, after=length - {PAGE})[-1]['seq']",
    "history()": "len(ledger.history())",
    "verify()": "ledger.verify()",
    'totals("label")': "float(sum(each.epsilon for each in ledger.totals('label').values()))",
}
# Until some seconds have passed; at least once more than the first, in which modules are imported,
# if that has not taken as long.
CODE = """
from cydp import BudgetLedger, PureDP
place, use, length, most = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
if place.startswith("postgresql"):
    import psycopg  # which is no part of opening a ledger
ledger, seconds, answers = BudgetLedger.open(place), [], []
use = eval("lambda: " + use)
while len(seconds) < 2 or (sum(seconds) < most and len(seconds) < 50):
    begin = perf_counter()
    answers.append(use())
    seconds.append(perf_counter() - begin)
    if seconds[-1] > most:
        break
answer(seconds=seconds[1:] or seconds, answers=answers, peak=peak(), head=ledger.head()[0])
"""


def measured(place: str, use: str, length: int, most: float) -> dict[str, Any]:
    """Return the seconds of each turn but the first, and the most memory; answers are checked.

    It takes about `most` seconds, or the first turn. A charge makes the ledger longer, by less than
    a tenth of the shortest.
    """
    found: dict[str, Any] = run(CODE, place, USES[use], length, most)
    for answer in found.pop("answers"):
        check(use, answer, length, found["head"])
    return {key: found[key] for key in ("seconds", "peak")}


def check(use: str, answer: Any, length: int, head: int) -> None:
    """Raise an AssertionError for an answer that a ledger of that length cannot give."""
    charged = PureDP("0.001").epsilon * (head - 2)  # all but the first two entries
    right: dict[str, Any] = {
        "charge": head, "open": 0, "spent": float(charged), "last page of history": length,
        "history()": head, "verify()": None, 'totals("label")': float(charged),
    }  # fmt: skip
    if use == "report()":
        assert answer > PAGE, (use, answer)
    elif use == "charge":
        assert length < answer <= head, (use, answer, head)
    else:
        assert answer == right[use], (use, answer, right[use])
