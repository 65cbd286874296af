# The names of `covey.metrics` and where they live: read by type checkers, and by the package when one is asked for.

from covey.metrics.catalogue import METRICS as METRICS
from covey.metrics.catalogue import Metric as Metric
from covey.metrics.classification import classification_metric as classification_metric
from covey.metrics.classification import classification_share as classification_share
from covey.metrics.classification import nearest_neighbour_error as nearest_neighbour_error
from covey.metrics.cost import centre_cost as centre_cost
from covey.metrics.cost import diameter_cost as diameter_cost
from covey.metrics.cost import ordered_ncp as ordered_ncp
from covey.metrics.distortion import information_distortion as information_distortion
from covey.metrics.distortion import sse_over_sst as sse_over_sst
from covey.metrics.loss import Losses as Losses
from covey.metrics.loss import Published as Published
from covey.metrics.loss import measure as measure
from covey.metrics.queries import range_query_error as range_query_error
from covey.metrics.risk import equal_diversity as equal_diversity
from covey.metrics.risk import sensitive_diversity as sensitive_diversity
