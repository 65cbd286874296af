"""The verifier's own view of a taxonomy: which values lie below which written node.

A declared tree is read again from what was declared (rows, nested mappings, the text of a file), a rule (prefixes,
dates, intervals) is worked out from its parameters.  Both give paths `leaf, node, ..., root`, and those the nodes.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from covey.ask.taxonomy import Dates, Declared, Intervals, Prefixes, Taxonomy
from covey.base.errors import InputError
from covey.verifier.reading.cell import ANY
from covey.verifier.reading.numbers import as_decimal

__all__ = ["Leaf", "leaves_below", "paths_of"]

Path = tuple[str, ...]
_MOST_PLACES = 4_000
"""Python does not write numbers with more."""


class Leaf(NamedTuple):
    """A distinct value of a column as a leaf: its label, and what rules ask of it (None: it is not of that type)."""

    label: str
    number: int | float | Decimal | None = None
    day: dt.date | None = None
    is_timed: bool = False


def leaves_below(paths: Iterable[Path]) -> dict[str, list[str]]:
    """Return the leaves below each inner node, by the name under which the node is written.

    A name above itself is one node; a leaf that is all there is below a node of its own name takes its place.  A node
    that shares its name with a leaf is written `name (all)`, the root `*` or by its own name if nothing else has it.

    >>> rows = [("Oslo", "Norway", "Any"), ("Bergen", "Norway", "Any"), ("Rome", "Rome", "Any")]
    >>> leaves_below(rows)
    {'Norway': ['Oslo', 'Bergen'], '*': ['Oslo', 'Bergen', 'Rome'], 'Any': ['Oslo', 'Bergen', 'Rome']}
    """
    below: dict[str, list[str]] = {}
    leaves: dict[str, str] = {}  # with the node right above
    root = ANY
    everything: list[str] = []
    for leaf, *above in paths:
        if leaf in leaves:
            continue
        leaves[leaf] = above[0] if above else ANY
        everything.append(leaf)
        root = above[-1] if above else root
        for name in dict.fromkeys(above):
            if name != root:
                below.setdefault(name, []).append(leaf)
    for name in [name for name, found in below.items() if found == [name] and leaves[name] == name]:
        del below[name]
    taken = {*leaves, *below}
    nodes = {}
    for name, found in below.items():
        written = name
        while name in leaves and written in taken:
            written += " (all)"
        taken.add(written)
        nodes[written] = found
    nodes[ANY] = everything
    if root not in taken:
        nodes[root] = everything
    return nodes


def paths_of(taxonomy: Any, leaves: Sequence[Leaf]) -> Iterator[Path]:
    """Return the paths of a taxonomy from leaf to root; a rule has those of the values that are there."""
    if isinstance(taxonomy, Prefixes):
        return _prefixes(taxonomy, leaves)
    if isinstance(taxonomy, Dates):
        return _dates(taxonomy, leaves)
    if isinstance(taxonomy, Intervals):
        return _intervals(taxonomy, leaves)
    if not isinstance(taxonomy, Taxonomy):  # a rule of the user's own
        taxonomy = taxonomy.bind([leaf.label for leaf in leaves])
    if taxonomy.declared is None:
        return (tuple(path) for path in taxonomy.paths())
    try:
        return _declared(taxonomy.declared)
    except RecursionError:  # nearer to the end of Python's stack than whoever read it first
        raise InputError(
            f"the taxonomy `{taxonomy.name}` is nested too deeply",
            code="taxonomy-broken-file",
            hint="give it as CSV, one row `leaf;level1;...;root` per leaf",
        ) from None


# --- declared trees ------------------------------------------------------------------------------------------


def _declared(source: Declared) -> Iterator[Path]:
    kind, given = source
    if kind == "rows":
        return _rows(given)
    if kind == "csv":
        return _rows(csv.reader(io.StringIO(given, newline=""), delimiter=";"))
    if kind == "toml":
        return _tree(tomllib.loads(given))
    return _tree(json.loads(given) if kind == "json" else given)


def _rows(rows: Iterable[Sequence[object]]) -> Iterator[Path]:
    for row in rows:
        names = tuple(name for name in map(_name, row) if name.strip())
        if names:
            yield names if len(names) > 1 else (*names, ANY)


def _tree(tree: Any) -> Iterator[Path]:
    """Return the paths of nested mappings and lists; one name at the top that has others below it is the root."""
    top = list(_entries(tree))
    above: Path = (ANY,)
    if len(top) == 1 and top[0][1]:
        above, top = (top[0][0],), list(_entries(top[0][1]))
    stack = [(name, below, above) for name, below in reversed(top)]
    while stack:
        name, below, above = stack.pop()
        if below:
            stack += [(inner, deeper, (name, *above)) for inner, deeper in reversed(list(_entries(below)))]
        else:
            yield (name, *above)


def _entries(container: Any) -> Iterator[tuple[str, Any]]:
    """Return (name, what lies below it) of each entry of a mapping or list."""
    if isinstance(container, Mapping):
        yield from ((_name(name), below) for name, below in container.items())
        return
    for item in container:
        if isinstance(item, Mapping):
            yield from _entries(item)
        else:
            yield _name(item), None


def _name(name: object) -> str:
    if isinstance(name, str):
        return name
    return name.isoformat() if isinstance(name, dt.date | dt.time) else repr(name)


# --- rules ---------------------------------------------------------------------------------------------------


def _prefixes(rule: Prefixes, leaves: Sequence[Leaf]) -> Iterator[Path]:
    for leaf in leaves:
        nodes = (f"{leaf.label[:length]}*" for length in rule.lengths if length <= len(leaf.label))
        yield (leaf.label, *nodes, ANY)


def _dates(rule: Dates, leaves: Sequence[Leaf]) -> Iterator[Path]:
    known = [(leaf.label, leaf.day, leaf.is_timed) for leaf in leaves if leaf.day is not None]
    any_timed = any(is_timed for _, _, is_timed in known)
    for label, day, _ in known:
        yield (label, *(_span(day, level, any_timed) for level in rule.levels), ANY)


def _span(day: dt.date, level: str, is_timed: bool) -> str:
    """Return the written name of the day, month, quarter, year or years that a day lies in."""
    year = f"{day.year:04}"
    named = {
        "day": day.isoformat(),
        "month": f"{year}-{day.month:02}",
        "quarter": f"{year}-Q{-(-day.month // 3)}",
        "year": year,
    }
    if level in named:
        return named[level]
    width = int(level.split()[0])
    first = day.year // width * width
    last = first + width - 1
    begin = f"{first or 1:04}-01-01"
    if is_timed and last < dt.MAXYEAR:
        return f"[{begin}, {last + 1:04}-01-01)"
    return f"[{begin}, {min(last, dt.MAXYEAR):04}-12-31]"


def _intervals(rule: Intervals, leaves: Sequence[Leaf]) -> Iterator[Path]:
    read = [(leaf.label, as_decimal(leaf.number)) for leaf in leaves if leaf.number is not None]
    known = [(label, number) for label, number in read if number.is_finite() and _places(number) < _MOST_PLACES]
    widths = [as_decimal(_plain(width)) for width in rule.widths]
    start = as_decimal(_plain(rule.start))
    places = max(_places(number) for number in (start, *widths, *(number for _, number in known)))
    for label, number in known:
        nodes = []
        for width in widths:
            steps = (Fraction(number) - Fraction(start)) // Fraction(width)
            low = Fraction(start) + steps * Fraction(width)
            high = low + Fraction(width)
            if places:
                nodes.append(f"[{_text(low, places)}, {_text(high, places)})")
            else:
                nodes.append(f"[{low}, {high - 1}]")
        yield (label, *nodes, ANY)


def _plain(value: Any) -> int | float | Decimal:
    """Return a parameter of a rule as a plain Python number."""
    return value if isinstance(value, int | float | Decimal) else Decimal(str(value))


def _places(number: Decimal) -> int:
    """Return how many decimal places a number needs."""
    return len(f"{number:f}".partition(".")[2].rstrip("0"))


def _text(value: Fraction, places: int) -> str:
    """Return a fraction that has so many decimal places, without zeros at its end."""
    digits = f"{abs(int(value * 10**places)):0{places + 1}}"
    text = re.sub(r"\.?0*$", "", f"{digits[:-places]}.{digits[-places:]}")
    return f"-{text}" if value < 0 else text
