"""covey publishes tables about people so that nobody in them can be singled out, and proves it.

>>> import covey, pyarrow
>>> people = pyarrow.table({"age": [34, 35, 61, 63], "sex": ["f", "f", "m", "m"]})
>>> release = covey.anonymize(people, k=2, quasi=["age", "sex"])
>>> release.table.to_pydict()
{'age': ['[34, 35]', '[34, 35]', '[61, 63]', '[61, 63]'], 'sex': ['f', 'f', 'm', 'm']}
>>> covey.verify(release.table, k=2, quasi=["age", "sex"]).ok
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from covey.ask.schema import Column as Column
    from covey.ask.schema import Schema as Schema
    from covey.ask.taxonomy import Taxonomy as Taxonomy
    from covey.base.errors import CoveyError as CoveyError
    from covey.base.errors import CoveyWarning as CoveyWarning
    from covey.base.errors import Infeasible as Infeasible
    from covey.base.errors import InputError as InputError
    from covey.base.errors import VerificationFailed as VerificationFailed
    from covey.cluster.binary_k_means import BinaryKMeans as BinaryKMeans
    from covey.cluster.condensation import CondensationKNN as CondensationKNN
    from covey.cluster.k_member import KMember as KMember
    from covey.cluster.linkage import Linkage as Linkage
    from covey.cluster.loss_cut import LossCut as LossCut
    from covey.cluster.mdav import MDAV as MDAV
    from covey.cluster.mondrian import Mondrian as Mondrian
    from covey.cluster.non_homogeneous import NonHomogeneous as NonHomogeneous
    from covey.cluster.one_pass import OnePassKMeans as OnePassKMeans
    from covey.cluster.optimal_recoding import OptimalRecoding as OptimalRecoding
    from covey.cluster.systematic import Systematic as Systematic
    from covey.cluster.threshold import ThresholdClustering as ThresholdClustering
    from covey.cluster.top_down import TopDownSpecialization as TopDownSpecialization
    from covey.cluster.weighted_c_means import WeightedCMeans as WeightedCMeans
    from covey.comparison import Comparison as Comparison
    from covey.comparison import compare as compare
    from covey.mining.audit.audit import Audit as Audit
    from covey.mining.audit.audit import audit as audit
    from covey.mining.learn.clusters.estimator import KAnonymousClusters as KAnonymousClusters
    from covey.mining.learn.rules import KAnonymousRules as KAnonymousRules
    from covey.mining.learn.tree.baselines import C45 as C45
    from covey.mining.learn.tree.baselines import ID3 as ID3
    from covey.mining.learn.tree.classes import TreeClasses as TreeClasses
    from covey.mining.learn.tree.estimator import KAnonymousTree as KAnonymousTree
    from covey.privacy.diversity import DistinctLDiversity as DistinctLDiversity
    from covey.privacy.diversity import FrequencyLDiversity as FrequencyLDiversity
    from covey.release.pipeline import Release as Release
    from covey.release.pipeline import anonymize as anonymize
    from covey.release.pipeline import anonymize_file as anonymize_file
    from covey.report import Report as Report
    from covey.verifier import Verdict as Verdict
    from covey.verifier import verify as verify

__version__ = "0.1.0"

# loaded when first asked for, so that `covey --help` and the verifier never load the compiled kernels
_HOMES = {
    "CoveyError": "base.errors",
    "CoveyWarning": "base.errors",
    "Infeasible": "base.errors",
    "InputError": "base.errors",
    "VerificationFailed": "base.errors",
    "Column": "ask.schema",
    "Schema": "ask.schema",
    "Taxonomy": "ask.taxonomy",
    "BinaryKMeans": "cluster.binary_k_means",
    "CondensationKNN": "cluster.condensation",
    "KMember": "cluster.k_member",
    "Linkage": "cluster.linkage",
    "LossCut": "cluster.loss_cut",
    "MDAV": "cluster.mdav",
    "Mondrian": "cluster.mondrian",
    "NonHomogeneous": "cluster.non_homogeneous",
    "OnePassKMeans": "cluster.one_pass",
    "OptimalRecoding": "cluster.optimal_recoding",
    "Systematic": "cluster.systematic",
    "ThresholdClustering": "cluster.threshold",
    "TopDownSpecialization": "cluster.top_down",
    "WeightedCMeans": "cluster.weighted_c_means",
    "Comparison": "comparison",
    "compare": "comparison",
    "Audit": "mining.audit.audit",
    "audit": "mining.audit.audit",
    "C45": "mining.learn.tree.baselines",
    "ID3": "mining.learn.tree.baselines",
    "KAnonymousClusters": "mining.learn.clusters.estimator",
    "KAnonymousRules": "mining.learn.rules",
    "KAnonymousTree": "mining.learn.tree.estimator",
    "TreeClasses": "mining.learn.tree.classes",
    "Release": "release.pipeline",
    "anonymize": "release.pipeline",
    "anonymize_file": "release.pipeline",
    "DistinctLDiversity": "privacy.diversity",
    "FrequencyLDiversity": "privacy.diversity",
    "Report": "report",
    "Verdict": "verifier",
    "verify": "verifier",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return importlib.import_module("covey.datasets")
    if name not in _HOMES:
        raise AttributeError(f"module 'covey' has no attribute {name!r}")
    return getattr(importlib.import_module(f"covey.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, "datasets"])
