"""What a release costs, is worth and still tells: numbers with a name, a range and a direction.

>>> from covey.metrics import METRICS, classification_metric
>>> METRICS["classification_metric"].better
'lower'
>>> classification_metric([0, 0, 0, 1, 1], [1, 1, 0, 0, 0])
1
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

# loaded when first asked for: losses and risks need no compiled kernels
_LISTED = {
    "catalogue": ("METRICS", "Metric"),
    "classification": ("classification_metric", "classification_share", "nearest_neighbour_error"),
    "cost": ("centre_cost", "diameter_cost", "ordered_ncp"),
    "distortion": ("information_distortion", "sse_over_sst"),
    "loss": ("Losses", "Published", "measure"),
    "queries": ("range_query_error",),
    "risk": ("equal_diversity", "sensitive_diversity"),
}
_HOMES = {name: home for home, names in _LISTED.items() for name in names}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'covey.metrics' has no attribute {name!r}")
    return getattr(importlib.import_module(f"covey.metrics.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
