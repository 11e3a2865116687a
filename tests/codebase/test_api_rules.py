"""Rules of the interface: one name for one thing, and signatures that a person can read."""

from __future__ import annotations

import inspect
import pydoc
import re
import typing
from typing import Any

import pytest
from codebase.public_api import CALLABLES, EVERYTHING, MODULES, Public
from codebase.rule import rule_of

import cydp
from cydp.mechanisms._run import Budget


def name_of(public: Public) -> str:
    return public.name


called = rule_of(CALLABLES, name_of)
each = rule_of(EVERYTHING, name_of)
POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD
KEYWORD = inspect.Parameter.KEYWORD_ONLY
NONE = inspect.Parameter.empty

# Classes of objects that this package makes, for users to read, and what makes them.
RESULTS = {
    "AccountState": "cydp.BudgetLedger.accounts",
    "AccountStates": "cydp.BudgetLedger.accounts",
    "Attack": "cydp.teach.attacks.linkage",
    "AveragingAttack": "cydp.teach.attacks.averaging",
    "BlockState": "cydp.BudgetLedger.blocks",
    "BlockStates": "cydp.BudgetLedger.blocks",
    "BoundsRelease": "cydp.bounds",
    "ContributionBoundRelease": "cydp.contribution_bound",
    "CategoryEstimate": "cydp.local.CategorySurvey.estimate",
    "Comparison": "cydp.local.compare",
    "ContingencyTables": "cydp.publishing.contingency_tables",
    "DeltaMeaning": "cydp.accounting.delta_meaning",
    "Densities": "cydp.teach.figures.densities",
    "ErrorRelease": "cydp.models.validated_error",
    "Estimate": "cydp.RandomizedResponse.estimate",
    "ExhaustiveSensitivity": "cydp.teach.sensitivity.of",
    "ExpectedChange": "cydp.teach.expected_change",
    "Explanation": "cydp.explain",
    "GridSum": "cydp.exact.clamped_sum",
    "Guesses": "cydp.teach.attacks.low_bits",
    "HalvingRelease": "cydp.teach.median_by_halving",
    "HierarchyRelease": "cydp.publishing.hierarchy",
    "HistogramRelease": "cydp.histogram",
    "LedgerHistory": "cydp.BudgetLedger.history",
    "LedgerReport": "cydp.BudgetLedger.report",
    "LedgerScope": "cydp.BudgetLedger.scope",
    "LinearRegression": "cydp.models.linear_regression",
    "LinearRelease": "cydp.workloads.linear_queries",
    "LowBits": "cydp.teach.attacks.low_bits",
    "MappedBits": "cydp.testing.map_bits",
    "MarginalsRelease": "cydp.workloads.marginals",
    "MbiModel": "cydp.publishing.estimate_with_mbi",
    "MeanRelease": "cydp.mean",
    "NumberEstimate": "cydp.local.NumberSurvey.estimate",
    "NumberRelease": "cydp.count",
    "PostProcessed": "cydp.releases.HistogramRelease.nonnegative",
    "Prefetch": "cydp.Generator.discrete_laplace_prefetch",
    "PieceTally": "cydp.distributed.Reader.tally",
    "PrivacyLoss": "cydp.teach.privacy_loss",
    "PublicEpsilon": "cydp.teach.public_epsilons",
    "PublicEpsilons": "cydp.teach.public_epsilons",
    "PublishedShare": "cydp.teach.publish_share",
    "PublishedTable": "cydp.publishing.contingency_tables",
    "QuantileRelease": "cydp.quantile",
    "RangeRelease": "cydp.workloads.range_counts",
    "Reader": "cydp.distributed.ReleasePlan.pay",
    "Receipt": "cydp.BudgetLedger.charge",
    "ReleasePlan": "cydp.distributed.prepare",
    "RocBound": "cydp.accounting.roc_of",
    "Run": "cydp.distributed.ReleasePlan.pay",
    "SampleRelease": "cydp.sampling.on_sample",
    "SavedRun": "cydp.distributed.Run.save",
    "SessionEntry": "cydp.Session.history",
    "Setting": "cydp.teach.utility.measure",
    "StrategyError": "cydp.workloads.Workload.errors",
    "SyntheticTable": "cydp.publishing.ContingencyTables.sample",
    "TableRelease": "cydp.group_by",
    "Tally": "cydp.local.CategorySurvey.tally",
    "ThresholdTests": "cydp.mechanisms.SparseVector.start",
    "Timed": "cydp.teach.attacks.timing",
    "TopCountsRelease": "cydp.top_k",
    "TopRelease": "cydp.top_k",
    "TradeOff": "cydp.teach.trade_off",
    "Trial": "cydp.teach.attacks.linkage",
    "UtilityRow": "cydp.teach.utility.measure",
    "UtilityTable": "cydp.teach.utility.measure",
    "VarianceRelease": "cydp.variance",
    "Votes": "cydp.teach.figures.votes",
    "WholeEstimate": "cydp.sampling.SampleRelease.estimate",
}

KEYWORD_ONLY = {
    "relation", "budget", "rng", "epsilon", "delta", "rho", "sigma", "sigma2", "sensitivity",
    "max_partitions", "max_rows_per_partition", "step", "user", "unit", "max_rows",
    "max_rows_per_unit", "split", "missing",
}  # fmt: skip
THE_NAME_SAYS = "the name of the class says which number comes first"
THE_DISTRIBUTION_HAS_ONE = "the distribution has one number"
IT_ANSWERS = "one number is given for the other"
IT_IS_DRAWN = "a picture is drawn at one number"
IT_IS_THE_BUDGET = "a budget is what it is made of, or made for"
IT_IS_WHAT_IS_READ = "the argument is what the function reads"
POSITIONAL_TOO = {
    ("cydp.PureDP", "epsilon"): THE_NAME_SAYS,
    ("cydp.random.generator_or_default", "rng"): IT_IS_WHAT_IS_READ,
    ("cydp.ApproxDP", "epsilon"): THE_NAME_SAYS,
    ("cydp.ApproxDP", "delta"): THE_NAME_SAYS,
    ("cydp.ApproxZCDP", "rho"): THE_NAME_SAYS,
    ("cydp.ApproxZCDP", "delta"): THE_NAME_SAYS,
    ("cydp.ZCDP", "rho"): THE_NAME_SAYS,
    ("cydp.discrete_gaussian", "sigma"): THE_DISTRIBUTION_HAS_ONE,
    ("cydp.Generator.discrete_gaussian", "sigma"): THE_DISTRIBUTION_HAS_ONE,
    ("cydp.Generator.discrete_gaussian_iter", "sigma"): THE_DISTRIBUTION_HAS_ONE,
    ("cydp.Generator.discrete_gaussian_prefetch", "sigma"): THE_DISTRIBUTION_HAS_ONE,
    ("cydp.testing.discrete_gaussian_sampler", "sigma"): THE_DISTRIBUTION_HAS_ONE,
    ("cydp.Plan.epsilon", "delta"): IT_ANSWERS,
    ("cydp.Plan.delta", "epsilon"): IT_ANSWERS,
    ("cydp.accounting.LossDistribution.epsilon", "delta"): IT_ANSWERS,
    ("cydp.accounting.LossDistribution.delta", "epsilon"): IT_ANSWERS,
    ("cydp.Plan.epsilon_between", "delta"): IT_ANSWERS,
    ("cydp.Plan.delta_between", "epsilon"): IT_ANSWERS,
    ("cydp.Plan.epsilon_by_method", "delta"): IT_ANSWERS,
    ("cydp.Plan.as_loss", "delta"): IT_ANSWERS,
    ("cydp.Plan.report", "delta"): IT_ANSWERS,
    ("cydp.Plan.to_dict", "delta"): IT_ANSWERS,
    ("cydp.teach.PrivacyLoss.delta", "epsilon"): IT_ANSWERS,
    ("cydp.teach.PrivacyLoss.epsilon", "delta"): IT_ANSWERS,
    ("cydp.teach.PrivacyLoss.plot", "epsilon"): IT_IS_DRAWN,
    ("cydp.teach.PrivacyLoss.plot_area", "epsilon"): IT_IS_DRAWN,
    ("cydp.teach.PrivacyLoss.plot_delta", "epsilon"): IT_IS_DRAWN,
    ("cydp.PrivacyFilter", "budget"): IT_IS_THE_BUDGET,
    ("cydp.Session", "budget"): IT_IS_THE_BUDGET,
    ("cydp.BudgetLedger.create", "budget"): IT_IS_THE_BUDGET,
    ("cydp.BudgetLedger.add_block", "budget"): IT_IS_THE_BUDGET,
    ("cydp.BudgetLedger.add_blocks", "budget"): IT_IS_THE_BUDGET,
    ("cydp.BudgetLedger.open_account", "budget"): IT_IS_THE_BUDGET,
    ("cydp.calibrate", "budget"): IT_IS_THE_BUDGET,
    ("cydp.accounting.split", "budget"): IT_IS_THE_BUDGET,
    ("cydp.accounting.largest_count", "budget"): IT_IS_THE_BUDGET,
    ("cydp.distributed.ReleasePlan.pay", "budget"): IT_IS_THE_BUDGET,
}

SAID_OF_A_COST = "None: the cost says so itself, or nobody does"
RELATIONS = {  # where the default is not "add-remove"
    "cydp.PureDP": (None, SAID_OF_A_COST),
    "cydp.ApproxDP": (None, SAID_OF_A_COST),
    "cydp.ApproxZCDP": (None, SAID_OF_A_COST),
    "cydp.ZCDP": (None, SAID_OF_A_COST),
    "cydp.accounting.RenyiDP": (None, SAID_OF_A_COST),
    "cydp.sensitivity.Sensitivity": (None, "None: it holds under both, or nobody says"),
    "cydp.sensitivity.Unbounded": (None, "None: nobody says"),
    "cydp.PrivacyFilter.charge": (None, SAID_OF_A_COST),
    "cydp.PrivacyFilter.would_exceed": (None, SAID_OF_A_COST),
    "cydp.accounting.PrivacyOdometer.charge": (None, SAID_OF_A_COST),
    "cydp.BudgetLedger.charge": (None, SAID_OF_A_COST),
    "cydp.BudgetLedger.would_exceed": (None, SAID_OF_A_COST),
    "cydp.BudgetLedger.once": (None, SAID_OF_A_COST),
    "cydp.accounting.LedgerScope.charge": (None, SAID_OF_A_COST),
    "cydp.accounting.LedgerScope.would_exceed": (None, SAID_OF_A_COST),
    "cydp.accounting.LedgerScope.once": (None, SAID_OF_A_COST),
}

# One spelling for each concept, and those that it replaces.
SPELLINGS = {
    "the distance between the points of a grid": ("step", {"granularity", "exponent"}),
    "the ends that numbers are clamped to": (
        "bounds", {"lower", "upper", "bound", "lowest", "highest"},
    ),
    "how many results a bound holds for, or draws are made": (
        "count", {"n_candidates", "n_reports"},
    ),
    "how many partitions a user may count in": ("max_partitions", {"max_groups"}),
    "how many rows of a user count in each": (
        "max_rows_per_partition", {"max_rows_per_group"},
    ),
    "to add a cost to what is spent": ("charge", {"compose"}),
    "a class of mechanisms": ("mechanism", {"make_mechanism"}),
}  # fmt: skip
OTHER_SPELLINGS = {  # with the reason
    "cydp.releases.HistogramRelease.clamped": "numpy's clip has them; counts are clamped, not data",
}

NUMPYS = ["numpy._typing", "_SupportsArray", "_NestedSequence", "Union["]
WALLS = [  # what no signature shows: how Python and numpy spell what a name of ours says
    "numpy.", "_typing", "_Supports", "_NestedSequence", "Union[", "Optional[", "typing.",
    "collections.abc", "SupportsIndex", "decimal.", "fractions.", "<class", "cydp.", "ForwardRef",
]  # fmt: skip
LONGEST_ANNOTATION = 48
LONGEST_SUMMARY = 93  # a line of a tooltip, and of the source


def names_of(public: Public) -> set[str]:
    """The names of its parameters."""
    return {one.name for one in public.parameters}


# Signatures


@called
def test_a_signature_can_be_read(public: Public) -> None:
    shown = str(public.signature)
    assert [wall for wall in WALLS if wall in shown] == []
    annotations = [one.annotation for one in public.parameters]
    for annotation in [*annotations, public.signature.return_annotation]:
        assert annotation in (NONE, None) or isinstance(annotation, str), annotation
        assert len(str(annotation)) <= LONGEST_ANNOTATION or annotation is NONE
        assert not re.search(r"\b_[A-Za-z]", str(annotation)) or annotation is NONE
    for one in public.parameters:
        assert one.default is NONE or re.fullmatch(r"[\w.'\"-]+|\(\)", repr(one.default)) or (
            inspect.isclass(one.default)
        ), one.name  # fmt: skip


@called
def test_annotations_resolve(public: Public) -> None:
    if public.name.split(".")[-1] in RESULTS:  # nobody calls what makes them
        return
    hints = typing.get_type_hints(public.function)
    for one in public.parameters:
        assert one.name in hints, one.name
    for overload in typing.get_overloads(public.function):
        assert "return" in typing.get_type_hints(overload)


TOP = [one for one in CALLABLES if one.owner is None]
SHOWN = [*(one.thing for one in TOP), *MODULES]


@rule_of(SHOWN, lambda shown: shown.__name__)
def test_help_can_be_read(shown: Any) -> None:
    """Methods that are inherited, and a module's data, are part of it."""
    text = pydoc.plain(pydoc.render_doc(shown))
    assert [wall for wall in NUMPYS if wall in text] == []


# Parameters


@called
def test_numbers_that_could_be_swapped_are_given_by_name(public: Public) -> None:
    if public.name.split(".")[-1] in RESULTS:
        return
    swappable = {
        one.name for one in public.parameters if one.name in KEYWORD_ONLY and one.kind != KEYWORD
    }
    allowed = {name for function, name in POSITIONAL_TOO if function == public.name}
    assert swappable == allowed


def test_what_is_excepted_exists() -> None:
    names = {one.name for one in CALLABLES}
    assert {function for function, _ in POSITIONAL_TOO} <= names
    assert set(RELATIONS) <= names
    assert set(OTHER_SPELLINGS) <= names
    assert {name.split(".")[-1] for name in names} >= set(RESULTS)
    assert set(RESULTS.values()) <= names


@called
def test_relation_has_one_default(public: Public) -> None:
    if public.name.split(".")[-1] in RESULTS:
        return
    expected, _why = RELATIONS.get(public.name, ("add-remove", ""))
    defaults = [one.default for one in public.parameters if one.name == "relation"]
    assert defaults in ([], [expected])


@called
def test_nothing_hides_how_much_one_user_can_change(public: Public) -> None:
    names = names_of(public)
    has_user = "user" in names or public.owner is cydp.Session  # which has said it
    for one in public.parameters:
        if one.name in ("max_partitions", "max_rows") and has_user:
            assert one.default is None  # which is refused with user=
        else:
            assert one.name not in ("sensitivity", "max_partitions") or one.default is NONE


# A selection depends on how far one count can change, and not on in how many keys a user is; a
# session bounds it in each question; models take other tables: tests/models; errors take none.
EXCEPTED = {
    "cydp.top_k", "cydp.Session", "cydp.models.linear_regression", "cydp.models.validated_error",
    "cydp.workloads.Workload.errors", "cydp.contribution_bound",
}  # fmt: skip
OF_USERS = [one for one in CALLABLES if "user" in names_of(one) and one.name not in EXCEPTED]
NEEDED: dict[str, Any] = {
    "bins": 2, "range": (0, 1), "bounds": (0, 1), "q": 0.5, "by": "x", "keys": [1], "k": 1,
    "domains": {"x": [1]}, "sets": ["x"], "workload": [[1, 1]], "tables": ["x"],
    "regions": [1],
}  # fmt: skip


@rule_of(OF_USERS, name_of)
def test_who_names_a_user_bounds_what_one_can_change(public: Public) -> None:
    names = names_of(public)
    given = {name: NEEDED[name] for name in names & set(NEEDED)}
    if public.name == "cydp.histogramdd":
        given["range"] = [(0, 1)]
    if "regions" in names:  # of a hierarchy; a tree has a number of levels
        given["levels"] = ["x"]
    if "by_keys" in names:  # needed with by= only
        del given["by"]
    if "column" in names:
        given["column"] = "x"
    table = {"x": [0.5], "u": [1]}
    with pytest.raises(TypeError, match=r"^max_.*(rows|partitions) must be given with user="):
        public.thing(table, **given, user="u", epsilon=1)
    bounds = [name for name in ("max_rows", "max_partitions") if name in names]
    assert bounds
    for bound in bounds:
        public.thing(table, **given, user="u", epsilon=1, **{bound: 1})


def attributes_of(public: Public) -> set[str]:
    """The names that a user writes: of it, of its parameters, and of a class's fields."""
    own = {public.name.split(".")[-1]}
    if public in CALLABLES:
        own |= {one.name for one in public.parameters}
    fields = {name for name in dir(public.thing) if not name.startswith("_")}
    return own | fields if inspect.isclass(public.thing) else own


@each
def test_a_concept_has_one_spelling(public: Public) -> None:
    if public.name in OTHER_SPELLINGS:
        return
    for concept, (spelling, others) in SPELLINGS.items():
        assert attributes_of(public) & others == set(), f"{concept}: {spelling}"


BOUNDS = [
    one
    for one in CALLABLES
    if one.name.endswith("_bound") and not one.name.endswith(".contribution_bound")
]
INTERVALS = [one for one in CALLABLES if one.name.split(".")[-1] == "interval"]


@rule_of(BOUNDS, name_of)
def test_an_error_bound_says_what_it_counts(public: Public) -> None:
    """`count` is of results that hold together; candidates and reports have their own names."""
    confidence, number, *others = public.parameters
    assert (confidence.name, confidence.kind) == ("confidence", POSITIONAL)
    assert confidence.default == 0.95
    assert number.kind == KEYWORD
    named = number.name, number.default
    assert named in (("count", 1), ("candidates", NONE), ("reports", NONE))
    of_a_table = [("column", KEYWORD, None)] if public.owner is cydp.releases.TableRelease else []
    assert [(one.name, one.kind, one.default) for one in others] == of_a_table


@rule_of(INTERVALS, name_of)
def test_an_interval_takes_a_confidence(public: Public) -> None:
    confidence, *others = public.parameters
    assert (confidence.name, confidence.kind) == ("confidence", POSITIONAL)
    assert confidence.default == 0.95
    assert all(one.kind == KEYWORD for one in others)


def test_there_are_bounds_and_intervals() -> None:
    owners = {one.owner.__name__ for one in [*BOUNDS, *INTERVALS] if one.owner}
    assert owners >= {"DiscreteLaplace", "Estimate", "PostProcessed"}


# Budgets


@rule_of(typing.get_args(Budget))
def test_what_is_a_budget_has_what_a_budget_has(budget: type) -> None:
    for name in ("budget", "spent", "remaining", "would_exceed", "charge", "relation"):
        assert hasattr(budget, name), name


@rule_of([*typing.get_args(Budget), cydp.accounting.PrivacyOdometer])
def test_charges_look_the_same(kind: Any) -> None:
    for function in [kind.charge, getattr(kind, "would_exceed", kind.charge)]:
        cost, count, *others = [*inspect.signature(function).parameters.values()][1:]
        assert (cost.name, cost.kind) == ("cost", POSITIONAL)
        assert (count.name, count.kind, count.default) == ("count", POSITIONAL, 1)
        assert all(one.kind == KEYWORD for one in others)


# Docstrings

SECTION = re.compile(r"^(\w+(?: \w+)*)\n-{3,}$", re.MULTILINE)
ELSEWHERE = re.compile(r"are those of `[\w.]+`|[Aa]s (?:in|of|for) `[\w.]+`")


def sections_of(text: str) -> dict[str, str]:
    """The sections of a docstring by title; what is before them by ''."""
    parts = SECTION.split(text)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def entries_of(section: str) -> set[str]:
    """The names that a section explains: `a, b : type` at the start of a line."""
    lines = [line for line in section.splitlines() if line and not line.startswith(" ")]
    return {name.strip("* ") for line in lines for name in line.split(" : ")[0].split(",")}


@each
def test_a_summary_is_one_sentence_on_one_line(public: Public) -> None:
    summary = (inspect.getdoc(public.thing) or "").split("\n\n")[0]
    assert summary, "no docstring"
    assert "\n" not in summary, summary
    assert summary.endswith((".", ":")), summary
    assert len(summary) <= LONGEST_SUMMARY, summary


BY_METHODS = {"cydp.BudgetLedger"}  # the class refuses to be called, and says what to call
MADE = [one for one in TOP if one.name.split(".")[-1] not in RESULTS and one.name not in BY_METHODS]


@rule_of(MADE, name_of)
def test_each_parameter_is_explained(public: Public) -> None:
    text = inspect.getdoc(public.thing) or ""
    if ELSEWHERE.search(sections_of(text)[""]):
        return
    sections = sections_of(text)
    explained = entries_of(sections.get("Parameters", ""))
    assert {one.name for one in public.parameters} - explained == set()
    assert explained - {one.name for one in public.parameters} == set()


CALLED_TOO = {"cydp.accounting.LedgerHistory"}  # a list, which users may make of some entries
CLASSES = [one for one in TOP if inspect.isclass(one.thing)]


@rule_of(CLASSES, name_of)
def test_a_class_explains_parameters_where_users_call_it(public: Public) -> None:
    """The site shows the others without a signature."""
    called = public in MADE or public.name in CALLED_TOO
    assert ("Parameters" in sections_of(inspect.getdoc(public.thing) or "")) == called


@rule_of(TOP, name_of)
def test_there_is_an_example(public: Public) -> None:
    maker = RESULTS.get(public.name.split(".")[-1], public.name)
    (made_by,) = (one for one in CALLABLES if one.name == maker)
    assert ">>>" in (inspect.getdoc(made_by.thing) or "")


@rule_of(MADE, name_of)
def test_what_is_raised_and_returned_is_said(public: Public) -> None:
    sections = sections_of(inspect.getdoc(public.thing) or "")
    if ELSEWHERE.search(sections[""]) or not public.parameters:
        return
    assert "Raises" in sections
    if str(public.signature.return_annotation).startswith("tuple["):  # the order of it is said
        assert "Returns" in sections or sections[""].startswith("Return")
