"""The pictures of the reference: what each public name draws, on its page.

A picture is an expression, which its page shows without the fixed key, and a text for those who
do not see it. Names of a class have the method behind it.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import cydp
from cydp import local, models, publishing, sampling, teach, workloads
from cydp.teach import attacks, figures, utility
from cydp.testing import SeededGenerator

DATA = Path(__file__).parents[2] / "examples" / "data"
KEY = ", rng=SeededGenerator(1)"  # so that builds are equal; no page shows it


class Drawn(NamedTuple):
    """An expression that draws, and its alternative text."""

    code: str
    shows: str


GIVEN = {  # names that several pictures have
    "people": '"examples/data/pums.csv"',
    "week": '"examples/data/restaurant_week.csv"',
    "pums": 'pd.read_csv("examples/data/pums.csv")',
    "married": '{"married": 1}',
    "who": '{"age": 59, "sex": 1, "educ": 9, "race": 1}',
    "towns": (
        '{"state": ["NC"] * 50 + ["VA"] * 30,\n'
        '         "county": ["Wake", "Durham"] * 25 + ["York"] * 30}'
    ),
    "regions": '{"NC": ["Wake", "Durham"], "VA": ["York"]}',
    "model": (
        "models.linear_regression(\n"
        f'    people, {{"educ": (1, 16)}}, {{"age": (0, 100)}}, epsilon=1{KEY}\n'
        ")"
    ),
    "laplace": "teach.privacy_loss(\n    cydp.DiscreteLaplace(epsilon=1, sensitivity=1)\n)",
    "gaussian": ('teach.privacy_loss(\n    cydp.DiscreteGaussian(rho="1/2", sensitivity=1)\n)'),
}
DRAWN: dict[str, Drawn] = {
    "cydp.releases.BoundsRelease.plot": Drawn(
        f'cydp.bounds(people, column="income", epsilon=1{KEY}).plot()',
        "Two points: the lower and the upper bound of incomes.",
    ),
    "cydp.releases.ContributionBoundRelease.plot": Drawn(
        "cydp.contribution_bound(\n"
        '    week, user="VisitorId", by="Day", max=7, epsilon=1'
        f"{KEY}\n).plot()",
        "A point: the number of days on which 95 % of the visitors come at most.",
    ),
    "cydp.releases.HistogramRelease.plot": Drawn(
        f'cydp.histogram(people, 10, (0, 100), column="age", epsilon=1{KEY}).plot()',
        "Ten bars of counts by age, each with an error bar.",
    ),
    "cydp.releases.MeanRelease.plot": Drawn(
        f'cydp.mean(people, (0, 100), column="age", epsilon=1{KEY}).plot()',
        "The mean age as a point with an error bar.",
    ),
    "cydp.releases.NumberRelease.plot": Drawn(
        f"cydp.count(people, epsilon=1{KEY}).plot()",
        "A count as a point with an error bar.",
    ),
    "cydp.releases.PostProcessed.plot": Drawn(
        f'cydp.histogram(people, 20, (0, 100), column="age", epsilon="0.1"{KEY})\n'
        ".nonnegative().plot()",
        "Twenty bars of counts by age, none of them below 0, each with an error bar.",
    ),
    "cydp.releases.QuantileRelease.plot": Drawn(
        f'cydp.quantile(people, [0.1, 0.25, 0.5, 0.75, 0.9], (0, 100), column="age",\n'
        f"    epsilon=2{KEY}, interval=0.95).plot()",
        "Five points of ages over q, each with an interval.",
    ),
    "cydp.releases.TableRelease.plot": Drawn(
        f'cydp.value_counts(people, range(1, 17), column="educ", epsilon=1{KEY}).plot()',
        "Sixteen bars to the right, one for each level of education, with error bars.",
    ),
    "cydp.releases.TopCountsRelease.plot": Drawn(
        f'cydp.top_k(people, 5, column="educ", epsilon=1, delta=1e-6{KEY}).plot()',
        "Five bars to the right: the most frequent levels of education, with error bars.",
    ),
    "cydp.releases.TopRelease.plot": Drawn(
        f'cydp.top_k(people, 5, range(1, 17), column="educ", epsilon=1{KEY}).plot()',
        "Five points: the most frequent levels of education by their rank.",
    ),
    "cydp.releases.VarianceRelease.plot": Drawn(
        f'cydp.variance(people, (0, 100), column="age", epsilon=1{KEY}).plot()',
        "The variance of ages as a point with an error bar.",
    ),
    "cydp.local.CategoryEstimate.plot": Drawn(
        "(survey := local.CategorySurvey(range(1, 7), epsilon=1)).estimate(\n"
        f"    survey.reports([1] * 700 + [2] * 200 + [3, 4, 5, 6] * 25{KEY})\n).plot()",
        "Six bars of estimated counts with wide error bars: each of 1,000 people adds noise.",
    ),
    "cydp.local.NumberEstimate.plot": Drawn(
        "(survey := local.NumberSurvey((0, 100), epsilon=1)).estimate(\n"
        f"    survey.reports([37, 52, 18] * 300{KEY})\n).plot()",
        "An estimated sum and mean as points with error bars.",
    ),
    "cydp.workloads.LinearRelease.plot": Drawn(
        "workloads.linear_queries(\n"
        f"    people, [[1, 1, 0, 0, 0], [0, 1, 1, 1, 0], [0, 0, 0, 1, 1]], 5, (0, 100),\n"
        f'    column="age", epsilon=1{KEY}\n).plot()',
        "Three answers, each with an error bar.",
    ),
    "cydp.workloads.MarginalsRelease.plot": Drawn(
        "workloads.marginals(\n"
        f'    people, {{"sex": [0, 1], "educ": range(1, 17)}}, ["sex", ("sex", "educ")],\n'
        f"    epsilon=1{KEY}\n).plot()",
        "Bars of counts by sex, and by sex and education, with error bars.",
    ),
    "cydp.workloads.RangeRelease.plot": Drawn(
        f'workloads.range_counts(people, 100, (0, 100), column="age", epsilon=1{KEY}).plot()',
        "A hundred bars of counts by age, with a band of errors.",
    ),
    "cydp.publishing.ContingencyTables.plot": Drawn(
        "publishing.contingency_tables(\n"
        f'    people, {{"sex": [0, 1], "age": (5, (0, 100))}}, [("sex", "age")],\n'
        f"    epsilon=1{KEY}\n"
        ").plot()",
        "Ten bars of counts by sex and age, with error bars.",
    ),
    "cydp.publishing.HierarchyRelease.plot": Drawn(
        f'publishing.hierarchy(\n    towns, ["state", "county"], regions, epsilon=3{KEY}\n).plot()',
        "Five bars of counts: two states, and three counties that sum to them.",
    ),
    "cydp.publishing.PublishedTable.plot": Drawn(
        "publishing.hierarchy(\n"
        f'    towns, ["state", "county"], regions, epsilon=3{KEY}\n'
        ')["county"].plot()',
        "Three bars of counts, one for each county.",
    ),
    "cydp.sampling.SampleRelease.plot": Drawn(
        "sampling.on_sample(\n"
        f'    cydp.histogram, people, 10, (0, 100), column="age", share="1/2", epsilon=1{KEY}\n'
        ").plot()",
        "Ten bars of counts by age in a sample, each with an error bar.",
    ),
    "cydp.models.ErrorRelease.plot": Drawn(
        f"models.validated_error(model, people, epsilon=1{KEY}).plot()",
        "The error of a model as a point with an error bar.",
    ),
    "cydp.models.LinearRegression.plot": Drawn(
        "model.plot()",
        "The intercept and the coefficient of a model as bars.",
    ),
    "cydp.teach.ExpectedChange.plot": Drawn(
        'teach.expected_change(cydp.PureDP("0.5", relation="add-remove"), 10_000).plot()',
        "A band around the diagonal: what an expectation may become.",
    ),
    "cydp.teach.HalvingRelease.plot": Drawn(
        f'teach.median_by_halving(people, (0, 128), column="age", epsilon=1{KEY}).plot()',
        "A median of ages as a point.",
    ),
    "cydp.teach.PrivacyLoss.plot": Drawn(
        "gaussian.plot(1)",
        "Steps of the likelihood ratio over outputs: on the left 0.3005 of them are above e to the "
        "epsilon.",
    ),
    "cydp.teach.PrivacyLoss.plot_area": Drawn(
        "gaussian.plot_area(1)",
        "Delta as a hatched area of 0.1414 within a rectangle of 0.3005.",
    ),
    "cydp.teach.PrivacyLoss.plot_delta": Drawn(
        "gaussian.plot_delta(1)",
        "Probabilities of integers under P, and e to the epsilon times those under Q; hatched "
        "where P is above.",
    ),
    "cydp.teach.PrivacyLoss.plot_curve": Drawn(
        "gaussian.plot_curve(laplace)",
        "Delta over epsilon on a logarithmic axis: discrete Gaussian noise falls with corners, "
        "discrete Laplace noise ends at 1.",
    ),
    "cydp.teach.PublicEpsilons.plot": Drawn(
        "teach.public_epsilons().plot()",
        "Epsilons in public use from 0.2 to 34.9 on a logarithmic axis, each with its unit.",
    ),
    "cydp.teach.TradeOff.plot": Drawn(
        'teach.trade_off(cydp.PureDP("0.5", relation="add-remove")).plot()',
        "The most true positives over false positives: a curve of two lines above the diagonal.",
    ),
    "cydp.teach.compare_losses": Drawn(
        "teach.compare_losses(laplace, gaussian, epsilon=1)",
        "Two panels: the loss of discrete Laplace noise stays within epsilon, that of discrete "
        "Gaussian noise does not.",
    ),
    "cydp.teach.attacks.Attack.plot": Drawn(
        f"attacks.differencing(pums, married, who{KEY}).plot()",
        "Two bars: the attack is right always without noise, and with probability 0.56 with noise, "
        "below a limit of 0.7311.",
    ),
    "cydp.teach.attacks.AveragingAttack.plot": Drawn(
        f"attacks.averaging(pums, married{KEY}).plot()",
        "Two bars: the attack is nearly always right without a budget, and with probability 0.55 "
        "with one.",
    ),
    "cydp.teach.attacks.AveragingAttack.plot_means": Drawn(
        f"attacks.averaging(pums, married{KEY}).plot_means()",
        "The mean of 10,000 answers reaches the exact count; that of ten answers does not.",
    ),
    "cydp.teach.attacks.LowBits.plot": Drawn(
        f"attacks.low_bits((0, 1){KEY}).undefended.observed.plot()",
        "Two rows of lines: outputs that are possible from the value 0, and from 1. Most are "
        "possible from one of them only.",
    ),
    "cydp.teach.attacks.Timed.plot": Drawn(
        f"attacks.timing((0, 1){KEY}).undefended.observed.plot()",
        "Steps over outputs: two shapes of a V, one for each value.",
    ),
    "cydp.teach.figures.Densities.plot": Drawn(
        "figures.densities().plot()",
        "The densities of Laplace and Gaussian noise: the first has a higher peak and longer "
        "tails.",
    ),
    "cydp.teach.figures.Votes.plot": Drawn(
        "figures.votes().plot()",
        "Groups of bars: the probability of each of four options at three epsilons.",
    ),
    "cydp.teach.figures.averages": Drawn(
        f"figures.averages({KEY.removeprefix(', ')})",
        "The mean of releases goes to the exact value 5 as their number grows; a budget ends after "
        "ten.",
    ),
    "cydp.teach.figures.beliefs": Drawn(
        "figures.beliefs()",
        "Three pairs of curves around the diagonal: the largest and the least belief after a "
        "release, over the belief before.",
    ),
    "cydp.teach.figures.errors_by_answers": Drawn(
        "figures.errors_by_answers()",
        "The error of each count over their number: discrete Laplace noise grows faster than "
        "discrete Gaussian noise.",
    ),
    "cydp.teach.figures.errors_by_epsilon": Drawn(
        "figures.errors_by_epsilon()",
        "The error of a count falls as epsilon grows; lines mark 1 % of three counts.",
    ),
    "cydp.teach.figures.neighbours": Drawn(
        "figures.neighbours()",
        "Left two densities, with the areas of an event, 0.611 and 0.389. Right their ratio, "
        "between 0.607 and 1.65.",
    ),
    "cydp.teach.figures.odds": Drawn(
        "figures.odds()",
        "The factor of the odds over epsilon: 2.72 at 1, and 22,026 at 10.",
    ),
    "cydp.teach.figures.renyi_curves": Drawn(
        "figures.renyi_curves()",
        "Rényi divergences over their order: a rho of 1/2 rises to 4 at order 8; those of "
        "epsilon 1 and of Laplace noise stay below 1.",
    ),
    "cydp.teach.figures.trade_offs": Drawn(
        "figures.trade_offs()",
        "Three curves of true positives over false positives, for epsilon 0.1, 1 and 3.",
    ),
    "cydp.teach.figures.two_epsilons": Drawn(
        "figures.two_epsilons()",
        "Two panels of two densities: at epsilon 0.5 they overlap, at 10 they hardly do.",
    ),
    "cydp.teach.utility.UtilityTable.plot": Drawn(
        f'utility.measure("counts", [1, 10, 100], epsilon=1, delta="1e-6"{KEY}).plot()',
        "Errors over the number of counts: two lines, predicted, and points, measured, on them.",
    ),
}
_NAMES = {
    "attacks": attacks, "cydp": cydp, "figures": figures, "local": local, "models": models,
    "publishing": publishing, "sampling": sampling, "teach": teach, "utility": utility,
    "workloads": workloads, "SeededGenerator": SeededGenerator,
}  # fmt: skip


def shown(name: str) -> str:
    """Return the code of a picture as its page shows it: with what is given, without the key."""
    lines = [f"{given} = {GIVEN[given]}" for given in _given(DRAWN[name].code)]
    code = "\n".join([*lines, DRAWN[name].code])
    return code.replace(KEY, "").replace(KEY.removeprefix(", "), "")


def draw(name: str) -> Any:
    """Draw what a public name draws, and return the figure."""
    import pandas as pd  # which no other part of the pages needs

    names = _NAMES | {"pd": pd}
    for given in _given(DRAWN[name].code):
        names[given] = _value(GIVEN[given], names)
    found = np.ravel(np.asarray(_value(DRAWN[name].code, names), object))
    return found[0].figure


def _given(code: str) -> list[str]:
    """Return the given names that a code has, in their order, and those that these have."""
    used = {node.id for node in ast.walk(ast.parse(f"({code})")) if isinstance(node, ast.Name)}
    found = [name for name in GIVEN if name in used]
    more = [name for given in found for name in _given(GIVEN[given])]
    return [name for name in GIVEN if name in found or name in more]


def _value(code: str, names: dict[str, Any]) -> Any:
    return eval(f"({code.replace('examples/data', str(DATA))})", names)
