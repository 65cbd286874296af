"""The judge of each privacy model, found by the model's name."""

from __future__ import annotations

from fractions import Fraction

from covey.ask.models import ModelSpec, entry_of
from covey.verifier.levels.histograms import Histograms, Judged

__all__ = ["judged"]


def judged(spec: ModelSpec, classes: Histograms) -> Judged:
    """Return the level that classes reach for a model, and which of them fail it; what is asked is read as written.

    >>> from covey.ask.models import model_spec
    >>> asked = model_spec("frequency-l-diversity(ill, l=2.2)")
    >>> judged(asked, Histograms.of_counts([[25, 20, 10], [3, 1]])).fails  # 25 x 2.2 <= 55, which floats deny
    array([False,  True])
    """
    judge = entry_of(spec.model).load_judge()
    found: Judged = judge(classes, **{name: Fraction(str(value)) for name, value in spec.parameters})
    return found
