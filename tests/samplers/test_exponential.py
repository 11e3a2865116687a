"""The constant of csrc/samplers/exponential.c."""

import re
from fractions import Fraction
from pathlib import Path

from reference import logarithm as oracle

CORE = Path(__file__).parents[2] / "csrc" / "samplers"


def test_ln_2_is_rounded_down_from_the_truth() -> None:
    source = (CORE / "exponential.c").read_text()
    body = re.search(r"ln2\[LN2_LIMBS \+ 1\] = {(.*?)};", source, re.DOTALL)
    assert body is not None
    limbs = [int(limb, 0) for limb in body[1].split(",") if limb.strip()]
    stored = sum(limb << 64 * i for i, limb in enumerate(limbs))
    scale = 2 ** (64 * (len(limbs) - 1))
    low, high = oracle.log_bounds(Fraction(2), bits=1300)
    assert stored == int(low * scale) == int(high * scale)
