# The public names and where they live: read by type checkers, and by `covey` itself when one is asked for.

from covey import datasets as datasets
from covey.ask.schema import Column as Column
from covey.ask.schema import Schema as Schema
from covey.ask.taxonomy import Taxonomy as Taxonomy
from covey.base.errors import CoveyError as CoveyError
from covey.base.errors import CoveyWarning as CoveyWarning
from covey.base.errors import Infeasible as Infeasible
from covey.base.errors import InputError as InputError
from covey.base.errors import VerificationFailed as VerificationFailed
from covey.comparison import Comparison as Comparison
from covey.comparison import compare as compare
from covey.mining.audit.audit import Audit as Audit
from covey.mining.audit.audit import audit as audit
from covey.mining.learn.clusters.estimator import KAnonymousClusters as KAnonymousClusters
from covey.mining.learn.rules import KAnonymousRules as KAnonymousRules
from covey.mining.learn.tree.baselines import C45 as C45
from covey.mining.learn.tree.baselines import ID3 as ID3
from covey.mining.learn.tree.estimator import KAnonymousTree as KAnonymousTree
from covey.privacy.diversity import DistinctLDiversity as DistinctLDiversity
from covey.privacy.diversity import FrequencyLDiversity as FrequencyLDiversity
from covey.release.pipeline import Release as Release
from covey.release.pipeline import anonymize as anonymize
from covey.release.pipeline import anonymize_file as anonymize_file
from covey.report import Report as Report
from covey.search.binary_k_means.estimator import BinaryKMeans as BinaryKMeans
from covey.search.condensation.estimator import CondensationKNN as CondensationKNN
from covey.search.k_member.estimator import KMember as KMember
from covey.search.linkage.estimator import Linkage as Linkage
from covey.search.loss_cut.estimator import LossCut as LossCut
from covey.search.mdav.estimator import MDAV as MDAV
from covey.search.mondrian.estimator import Mondrian as Mondrian
from covey.search.non_homogeneous.estimator import NonHomogeneous as NonHomogeneous
from covey.search.one_pass.estimator import OnePassKMeans as OnePassKMeans
from covey.search.optimal_recoding.estimator import OptimalRecoding as OptimalRecoding
from covey.search.systematic.estimator import Systematic as Systematic
from covey.search.threshold.estimator import ThresholdClustering as ThresholdClustering
from covey.search.top_down.estimator import TopDownSpecialization as TopDownSpecialization
from covey.search.tree.estimator import TreeClasses as TreeClasses
from covey.search.weighted_c_means.estimator import WeightedCMeans as WeightedCMeans
from covey.verifier import Verdict as Verdict
from covey.verifier import verify as verify

__version__: str
