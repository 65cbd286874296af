"""The algorithms by name: one line each, from which every command, test and table finds them."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from covey.ask.calls import Call, parse_call
from covey.ask.plugins import plugin
from covey.base.checks import did_you_mean, unknown
from covey.base.errors import InputError
from covey.base.hints import Asked, hint

__all__ = [
    "ALGORITHMS",
    "LITERATURE",
    "Entry",
    "algorithm_named",
    "algorithm_text",
    "entry_of_class",
    "options_given",
]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an algorithm is found, and what the common tests must know of it."""

    name: str
    folder: str
    """In `covey.search`, which has a folder for each algorithm."""
    class_name: str
    source: str
    ignores_row_order: bool = False
    """Whether permuting the rows changes nothing but the numbers of the classes."""
    makes_classes: bool = True
    """Whether rows are grouped; without, the release has its own guarantee and class-based models are refused."""
    may_suppress: bool = False
    """Whether rows may be left out, within the suppression budget."""
    most_rows: int | None = None
    """Above so many rows it takes minutes: `compare` gives it a sample, and says so."""

    @property
    def module(self) -> str:
        """Return the module of the estimator class."""
        return f"covey.search.{self.folder}.estimator"

    def load(self) -> Any:
        """Return the estimator class."""
        return getattr(importlib.import_module(self.module), self.class_name)


ALGORITHMS = {
    entry.name: entry
    for entry in (
        Entry("covey", "covey", "Covey", "covey"),
        Entry("k-member", "k_member", "KMember", "Byun et al. 2007"),
        Entry("mondrian", "mondrian", "Mondrian", "LeFevre et al. 2006", ignores_row_order=True),
        Entry("loss-cut", "loss_cut", "LossCut", "covey", ignores_row_order=True),
        Entry("peel", "peel", "Peel", "covey", ignores_row_order=True),
        Entry("refine", "refine", "Refine", "covey"),
        Entry("polish", "polish", "Polish", "covey"),
        Entry("systematic", "systematic", "Systematic", "Kabir et al. 2010"),
        Entry("one-pass-k-means", "one_pass", "OnePassKMeans", "Lin and Wei 2008"),
        Entry("binary-k-means", "binary_k_means", "BinaryKMeans", "He et al. 2012"),
        Entry("non-homogeneous", "non_homogeneous", "NonHomogeneous", "Wong et al. 2010", makes_classes=False),
        Entry("mdav", "mdav", "MDAV", "Domingo-Ferrer and Torra 2005"),
        Entry("condensation-knn", "condensation", "CondensationKNN", "Aggarwal and Yu 2004"),
        Entry("threshold-clustering", "threshold", "ThresholdClustering", "Loukides and Shao 2007", may_suppress=True),
        Entry("weighted-c-means", "weighted_c_means", "WeightedCMeans", "Chiu and Tsai 2007", most_rows=500_000),
        Entry("linkage", "linkage", "Linkage", "Chiu and Tsai 2007", most_rows=5_000),
        Entry("top-down-specialization", "top_down", "TopDownSpecialization", "Fung et al. 2005",
              ignores_row_order=True),
        Entry("optimal-recoding", "optimal_recoding", "OptimalRecoding", "Samarati 2001, Bayardo and Agrawal 2005",
              ignores_row_order=True, may_suppress=True),
        Entry("tree", "tree", "TreeClasses", "Friedman et al. 2008", ignores_row_order=True),
    )
}  # fmt: skip
LITERATURE = {
    "oka": "one-pass-k-means", "one-pass": "one-pass-k-means", "cb": "binary-k-means", "nh": "non-homogeneous",
    "ring": "non-homogeneous", "wf-c-means": "weighted-c-means", "wfc": "weighted-c-means", "knn": "condensation-knn",
    "condensation": "condensation-knn", "threshold": "threshold-clustering", "single-linkage": "linkage",
    "complete-linkage": "linkage", "average-linkage": "linkage", "microaggregation": "mdav", "mdav": "mdav",
    "kmember": "k-member", "median-partitioning": "mondrian", "k-anonymous-tree": "tree",
}  # fmt: skip
"""What a paper calls an algorithm, in small letters, and its name here."""


def algorithm_named(spec: str, *, k: int, **shared: Any) -> Any:
    """Return the estimator that `NAME(option=value)` stands for; shared: settings that it takes if it has them."""
    call = parse_call(spec)
    name = call.name
    kind = ALGORITHMS[name].load() if name in ALGORITHMS else plugin("covey.algorithms", name, type)
    if kind is None:
        known = LITERATURE.get(call.name.lower().replace("_", "-"))
        raise InputError(
            f"there is no algorithm `{call.name}`",
            code="unknown-algorithm",
            hint=f"it is called `{known}` here" if known else did_you_mean(call.name.lower(), ALGORITHMS),
        )
    estimator = kind(k=k)
    known = estimator.get_params()
    for option in known.keys() & shared.keys():
        setattr(estimator, option, shared[option])
    if call.arguments:
        raise InputError(
            f"an option of `{name}` is given without its name",
            code="bad-call",
            hint='for example "mondrian(relaxed=true)"',
        )
    for option, value in call.options:
        if option == "suppression":
            raise InputError(
                f"`suppression` of `{name}` is that of the whole release",
                code="unknown-option",
                hint=hint("give {}", Asked("suppression", 0.02)),
            )
        if option == "k" or option not in known:
            others = [word for word in known if word != "k"]
            raise unknown(f"`{name}` has no option `{option}`", option, others, code="unknown-option")
        setattr(estimator, option, value)
    return estimator


def entry_of_class(kind: type) -> Entry | None:
    """Return the entry of an estimator class, None if it is no algorithm of covey's own."""
    me = (kind.__module__, kind.__name__)
    return next((entry for entry in ALGORITHMS.values() if me == (entry.module, entry.class_name)), None)


def options_given(estimator: Any, **plain: Any) -> dict[str, Any]:
    """Return the options of an estimator that differ from its defaults, or from those in `plain`; not its k."""
    usual = {**type(estimator)().get_params(), **plain}
    given = estimator.get_params()
    return {name: value for name, value in given.items() if name != "k" and value != usual[name]}


def algorithm_text(estimator: Any, seed: int = 0) -> str:
    """Return how an estimator of covey is written: its name, and the options that differ from its defaults.

    seed: that of the job, which it has if none is written; k and suppression are always those of the job.
    """
    entry = entry_of_class(type(estimator))
    if entry is None:
        raise InputError(
            f"an algorithm of one's own ({type(estimator).__name__}) cannot be written into a job",
            code="unknown-algorithm",
            hint="give one of covey's by its name",
        )
    options = options_given(estimator, seed=seed)
    options.pop("suppression", None)
    return str(Call(entry.name, (), tuple(options.items())))
