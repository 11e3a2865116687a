"""publishing/_hierarchy.py: counts of regions sum to the counts of the regions around them."""

from __future__ import annotations

import pickle
from itertools import product
from typing import Any

import numpy as np
from publishing.tables import PEOPLE, rows_of

import cydp
from cydp.publishing import HierarchyRelease, hierarchy
from cydp.testing import SeededGenerator

LEVELS = ["kind", "educ", "race"]
KINDS = {"school": range(1, 13), "college": range(13, 17)}
REGIONS = {kind: {each: list(range(1, 7)) for each in found} for kind, found in KINDS.items()}
KIND = np.where(PEOPLE["educ"] < 13, "school", "college")
DATA = {"kind": KIND, **{name: PEOPLE[name] for name in ("educ", "race", "sex", "age")}}
CELLS = {"sex": [0, 1], "age": (4, (0, 100))}


def publish(seed: int = 1, regions: Any = REGIONS, levels: Any = LEVELS,
            **given: Any) -> HierarchyRelease:  # fmt: skip
    return hierarchy(DATA, levels, regions, rng=SeededGenerator(seed), **{"epsilon": 1} | given)


def wrong_sums(published: HierarchyRelease) -> list[str]:
    """Say where children do not sum to parents, or a count is negative."""
    wrong = []
    counts = [np.asarray(published[level].counts) for level in published.levels]
    sizes = [len(each) for each in counts]
    flat = [each.reshape(n, -1) for each, n in zip(counts, sizes, strict=True)]
    if any((each < 0).any() for each in flat):
        wrong.append("negative")
    if flat[0].sum() != published.total:
        wrong.append("total")
    for above, below in zip(published.levels, published.levels[1:], strict=False):
        outer, inner = published[above], published[below]
        columns = published.levels[: published.levels.index(above) + 1]
        for i in range(len(outer.counts)):
            path = [outer.keys[name][i] for name in columns]
            pairs = zip(columns, path, strict=True)
            within = np.all([inner.keys[name] == each for name, each in pairs], axis=0)
            if not np.array_equal(inner.counts[within].sum(axis=0), outer.counts[i]):
                wrong.append(f"{below} in {path}")
    return wrong


def test_children_sum_to_their_parents() -> None:
    for seed, (cells, epsilon) in enumerate(product((None, CELLS), ("1/1000", 1))):
        assert wrong_sums(publish(seed, cells=cells, epsilon=epsilon)) == []


def test_without_noise_counts_are_the_exact_ones() -> None:
    published = publish(epsilon=5000, cells=CELLS)
    domains = {"educ": list(range(1, 17)), "race": list(range(1, 7)), **CELLS}
    exact = rows_of(DATA, ("educ", "race", "sex", "age"), domains)
    assert np.array_equal(published["race"].counts.reshape(exact.shape), exact)
    assert np.array_equal(published["educ"].counts, exact.sum(axis=1))
    assert np.array_equal(published["kind"].counts[0], exact[:12].sum(axis=(0, 1)))
    assert np.array_equal(published["total"].counts, exact.sum(axis=(0, 1)))
    assert published["educ"].keys["kind"].tolist() == ["school"] * 12 + ["college"] * 4
    assert published.total == 1000


def test_a_tree_is_given_in_several_ways() -> None:
    paths = [(kind, each, race) for kind, found in REGIONS.items()
             for each, races in found.items() for race in races]  # fmt: skip
    columns = {
        name: list(each) for name, each in zip(LEVELS, zip(*paths, strict=True), strict=True)
    }
    first = publish()
    for regions in (paths, columns):
        other = publish(regions=regions)
        assert all(np.array_equal(a, b) for a, b in zip(other.noisy, first.noisy, strict=True))
        assert np.array_equal(other["race"].counts, first["race"].counts)
    single = publish(levels=["race"], regions=[1, 2, 7], epsilon=5000)
    assert single["race"].counts.tolist() == [*np.bincount(PEOPLE["race"])[1:3], 0]
    assert publish(levels=["race"], regions=[(1,), (2,)])["race"].counts.shape == (2,)


def test_totals_weights_and_users() -> None:
    assert publish(total=777).total == 777
    assert list(publish(total=777).query.parts) == LEVELS
    with_cells = publish(total=777, cells=CELLS)
    assert with_cells["total"].counts.sum() == 777
    assert "total" in with_cells.query.parts
    shares = publish(split={"race": 2}).query.parts
    assert [str(part.share) for part in shares.values()] == ["1/5", "1/5", "1/5", "2/5"]
    by_age = publish(epsilon=5000, user="age", max_rows=1)  # one row of each age
    assert by_age.total == len(set(PEOPLE["age"].tolist()))
    assert wrong_sums(by_age) == []
    assert publish(rho=1, epsilon=None)["kind"].loss == cydp.ZCDP(1, relation="add-remove")


def test_it_is_made_again_from_what_was_released() -> None:
    published = publish(cells=CELLS)
    again = pickle.loads(pickle.dumps(published))
    assert again == published
    assert again.to_json() == published.to_json()
    rows = published.sample(rng=SeededGenerator(1))
    assert rows.n == published.total
    counted = rows_of(rows, ("educ", "race", "sex", "age"),
                      {"educ": list(range(1, 17)), "race": list(range(1, 7)), **CELLS})  # fmt: skip
    assert np.array_equal(counted.reshape(published["race"].counts.shape), published["race"].counts)
    assert set(rows["kind"][rows["educ"] < 13]) == {"school"}
    assert list(published["kind"].to_pandas()) == ["kind", "sex", "age_left", "age_right", "count",
                                                     "count_lower", "count_upper"]  # fmt: skip
    assert list(published.to_pandas())[:4] == ["table", "sex", "age", "kind"]
