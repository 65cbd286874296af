"""The level that a table reaches for each privacy model, by plain code from counts: a file for each family.

This is the verifier's own count: it knows neither the model classes nor how the classes were made.
"""

from covey.verifier.levels.anonymity import k_anonymity
from covey.verifier.levels.histograms import Histograms, Judged, Level, judged

__all__ = ["Histograms", "Judged", "Level", "judged", "k_anonymity"]
