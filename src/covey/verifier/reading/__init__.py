"""The verifier's own readers of values: numbers, dates, labels, released cells, types and trees.

Nothing here is used by what makes releases, and nothing here uses it: the maker writes and reads by its own code, and
tests hold both against each other.
"""

from covey.verifier.reading.cell import (
    ANY,
    NAN,
    Calendar,
    Cell,
    Everything,
    Interval,
    Missing,
    NotANumber,
    Number,
    Point,
    Prefix,
    Set,
    Unreadable,
)
from covey.verifier.reading.dates import instant_of, zone_of
from covey.verifier.reading.grammar import read_cell
from covey.verifier.reading.numbers import number_of

__all__ = [
    "ANY",
    "NAN",
    "Calendar",
    "Cell",
    "Everything",
    "Interval",
    "Missing",
    "NotANumber",
    "Number",
    "Point",
    "Prefix",
    "Set",
    "Unreadable",
    "instant_of",
    "number_of",
    "read_cell",
    "zone_of",
]
