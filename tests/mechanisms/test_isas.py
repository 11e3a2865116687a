"""Every instruction set gives the same choices and reports, for any seed."""

from codebase.test_codebase import ISAS, under_isa
from generator.streams import Stream, aes_is_long

NOISY_MAX = """
import hashlib, numpy as np, cydp
rng, x = cydp.testing.SeededGenerator(5, stream=STREAM), np.random.default_rng(1)
digest = hashlib.sha256()
for kind in (cydp.ExponentialMechanism, cydp.PermuteAndFlip):
    for epsilon in ("1", "1e-9", "1e-400"):
        for scores in (x.normal(size=(300, 33)), x.standard_cauchy((3, 5000)), np.zeros((1, 9999)),
                       x.integers(-9, 9, (40, 70)), x.choice([np.nan, np.inf, 1, 2], (50, 8))):
            digest.update(kind(epsilon=epsilon, sensitivity=1).release(scores, rng=rng).tobytes())
print(digest.hexdigest())
"""
QUANTILES = """
import hashlib, numpy as np, cydp
from cydp.exact._grid import Grid
from cydp.exact._sorted_units import sort_groups, sort_units
from cydp.mechanisms._quantile import QuantileMechanism
rng, x = cydp.testing.SeededGenerator(5, stream=STREAM), np.random.default_rng(1)
digest = hashlib.sha256()
for epsilon in ("1", "1e-9", "1e400"):
    for q in (0, "1/2", 0.99):
        m = QuantileMechanism(epsilon=epsilon, sensitivity=1, q=q)
        for grid in (Grid(-20, 0, 2**30), Grid(-44, -2**51, 2**51), Grid(3, -4, 4)):
            values, codes = x.normal(size=999) * 30, x.integers(0, 99, 999).astype(np.uint32)
            digest.update(m.choose(sort_units(values, grid), rng).tobytes())
            digest.update(m.choose(sort_groups(codes, values, 98, grid), rng).tobytes())
print(digest.hexdigest())
"""
RESPONSES = """
import hashlib, numpy as np, cydp
rng, digest = cydp.testing.SeededGenerator(2024, stream=STREAM), hashlib.sha256()
for k in [2, 64, 65, 65536, 2**31]:
    for epsilon in [1, 30]:
        for dtype in ["u1", "i2", "u4", "i8"]:
            if np.iinfo(dtype).max >= k - 1:
                codes = (np.arange(9001) * 12345 % k).astype(dtype)
                m = cydp.RandomizedResponse(epsilon=epsilon, n_categories=k)
                digest.update(m.release(codes, rng=rng).tobytes())
                if np.iinfo(dtype).max >= k:
                    codes[::5] = k
                    digest.update(m.release(codes, rng=rng).tobytes())
print(digest.hexdigest())
"""


@aes_is_long
def test_every_isa_gives_the_same(stream: Stream) -> None:
    code = f"STREAM = {stream!r}\n" + NOISY_MAX + QUANTILES + RESPONSES
    done = {isa: under_isa(isa, code) for isa in ISAS}
    assert stream == "aes" or done["portable"].returncode == 0, done["portable"].stderr
    printed = {run.stdout for run in done.values() if run.returncode == 0}
    assert [len(digests.split()) for digests in printed] == [3]
