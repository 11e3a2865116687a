"""exact/_grid_sum.py: GridSum.sensitivity, against every pair of neighbours."""

import numpy as np
import pytest

from cydp import exact


def test_the_norm_of_groups_covers_every_pair_of_neighbours() -> None:
    """A record that changes leaves a group for another, or changes inside its own."""
    ends = [-2, 0, 5]
    for low, high in [(-2, 5), (0, 5), (-2, 0), (-5, 5), (2, 5)]:
        total = exact.grouped_clamped_sum([0], [0], 2, (low, high), step=1)
        most = 0.0
        for one in [None, *((group, x) for group in (0, 1) for x in (low, high, *ends))]:
            for other in [None, *((group, x) for group in (0, 1) for x in (low, high, *ends))]:
                tables = []
                for record in (one, other):
                    codes, values = ([record[0]], [record[1]]) if record else ([], [])
                    sums = exact.grouped_clamped_sum(codes, values, 2, (low, high), step=1)
                    tables.append(np.asarray(sums.units))
                most = max(most, float(np.linalg.norm(tables[0] - tables[1])))
        stated = float(total.sensitivity(relation="change-one", norm=2))
        assert most <= stated <= most * (1 + 1e-5)  # of six digits
        # A record of `None` comes or goes; those pairs are among these.
        assert float(total.sensitivity(relation="add-remove-or-change", norm=2)) == stated
    with pytest.raises(ValueError, match="norm must be 1, for Laplace noise, or 2"):
        total.sensitivity(norm=3)
