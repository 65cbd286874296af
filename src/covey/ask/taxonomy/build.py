"""Rules that make a tree from the values of a column: intervals of numbers, prefixes, dates.

Each is a frozen value; `bind(labels)` gives the `Taxonomy`.  Labels are cell values: errors only count them.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import numbers
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from covey.ask.taxonomy.draft import ROOT, Draft
from covey.ask.taxonomy.tree import Taxonomy, tree_of
from covey.base.checks import bad_parameter, did_you_mean, plural
from covey.base.errors import InputError

__all__ = ["Dates", "Intervals", "Prefixes", "Rule", "RuleAmong"]

Number = int | float | Decimal
Parsed = TypeVar("Parsed")

_LEVELS = ("day", "month", "quarter", "year")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_ISO = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ](?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[-+]\d\d:?[0-5]\d)?)?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Intervals:
    """Numbers below intervals of growing width, counted from `start`; leaves in the order of the numbers.

    If all values are whole (and so are `widths` and `start`), both ends are included, `[35, 39]`;
    otherwise the upper end is not, `[35, 40)`.
    """

    widths: tuple[Number, ...]
    start: Number = 0
    name: str = "intervals"

    def __post_init__(self) -> None:
        exact = [_fraction(width, "widths") for width in self.widths]
        _fraction(self.start, "start")
        if not exact or exact[0] <= 0:
            raise _bad("`widths` must be numbers above 0, from narrow to wide", "give widths=[5, 10, 20]")
        for finer, coarser in pairwise(exact):
            if coarser <= finer or coarser % finer:
                raise _bad(
                    f"each of `widths` must be a multiple of the one before; {coarser} is none of {finer}",
                    "give widths=[5, 10, 20]",
                )

    def bind(self, labels: Sequence[str], others: Sequence[str] = ()) -> Taxonomy:
        """Return the tree over the numbers that `labels` write; nodes are named as if `others` were in it, too.

        >>> tree = Taxonomy.intervals([0.5, 1], start=-1).bind(["0.25", "-0.75"])
        >>> tree.leaves, tree.inner
        (('-0.75', '0.25'), ('[-1, 0)', '[-1, -0.5)', '[0, 1)', '[0, 0.5)'))
        """
        known = _parsed(labels, _decimal, self.name, "numbers")
        widths = [_decimal(str(width)) for width in self.widths]
        start = _decimal(str(self.start))
        beside = _readable(others, _decimal)
        places = max(-number[1] for number in (start, *widths, *known.values(), *beside.values()))
        step = [_scaled(width, places) for width in widths]
        origin = _scaled(start, places)
        values = {label: _scaled(number, places) for label, number in known.items()}

        def above(label: str) -> Iterator[str]:
            for width in reversed(step):
                low = origin + (values[label] - origin) // width * width
                yield _interval(low, low + width, places)

        return _tree(sorted(values, key=lambda label: (values[label], label)), above, self.name, beside)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Codes below their first characters, written `479*`; leaves in the order of their text.

    A code shorter than one of `lengths` has no node of that length above it.
    """

    lengths: tuple[int, ...]
    name: str = "prefixes"

    def __post_init__(self) -> None:
        whole = all(isinstance(n, numbers.Integral) and not isinstance(n, bool) for n in self.lengths)
        if not self.lengths or not whole or min(self.lengths) < 1:
            raise _bad("`lengths` must be whole numbers of 1 or more, from long to short", "give lengths=[4, 3, 2]")
        if any(finer <= coarser for finer, coarser in pairwise(self.lengths)):
            raise _bad("`lengths` must fall from one to the next", "give lengths=[4, 3, 2]")

    def bind(self, labels: Sequence[str], others: Sequence[str] = ()) -> Taxonomy:
        """Return the tree over the codes; nodes are named as if `others` were in it, too.

        >>> tree = Taxonomy.prefixes([3]).bind(["N1", "4790", "4791"])
        >>> tree.ancestor(0, 1), tree.ancestor(1, 2)
        ('479*', '*')
        """

        def above(label: str) -> Iterator[str]:
            return (label[:length] + "*" for length in reversed(self.lengths) if len(label) >= length)

        return _tree(sorted(set(labels)), above, self.name, others)


@dataclass(frozen=True, slots=True)
class Dates:
    """ISO dates and timestamps below their day, month, quarter, year and years; leaves in calendar order.

    Nodes are written `2024-03-31`, `2024-03`, `2024-Q1`, `2024`; those of a level such as `5 years`, which
    begin with a multiple of 5, `[2020-01-01, 2024-12-31]`, beside times of day `[2020-01-01, 2025-01-01)`.
    A timestamp with an offset belongs to the day that it writes, not to the day of UTC.
    """

    levels: tuple[str, ...]
    name: str = "dates"

    def __post_init__(self) -> None:
        for level in self.levels:
            if level not in _LEVELS and not _years(level):
                raise _bad(f"`{level}` is no level of a date", did_you_mean(str(level), (*_LEVELS, "5 years")))
        ranks = [len(_LEVELS) + _years(level) if _years(level) else _LEVELS.index(level) for level in self.levels]
        spans = [_years(level) for level in self.levels if _years(level)]
        nested = all(wide % narrow == 0 for narrow, wide in pairwise(spans))
        if not ranks or ranks != sorted(set(ranks)) or not nested:
            raise _bad(
                "`levels` must go from fine to coarse, each once and each within the next",
                f"some of {', '.join(_LEVELS)}, 5 years, 10 years, in this order",
            )

    def bind(self, labels: Sequence[str], others: Sequence[str] = ()) -> Taxonomy:
        """Return the tree over the dates; nodes are named as if `others` were in it, too.

        >>> tree = Taxonomy.dates(["month", "quarter"]).bind(["2024-04-01", "2024-03-31", "2024-01-31"])
        >>> tree.leaves, tree.ancestor(0, 1), tree.ancestor(1, 2)
        (('2024-01-31', '2024-03-31', '2024-04-01'), '2024-Q1', '*')
        """
        known = _parsed(labels, _moment, self.name, "ISO dates")
        beside = _readable(others, _moment)
        timed = any(len(label) > len("2024-03-31") for label in (*known, *beside))

        def above(label: str) -> Iterator[str]:
            for level in reversed(self.levels):
                years = _years(level)
                yield _band(known[label].year, years, timed) if years else _part(known[label], level)

        in_order = sorted(known, key=lambda label: (known[label].replace(tzinfo=None), label))
        return _tree(in_order, above, self.name, beside)


Rule = Intervals | Prefixes | Dates


@dataclass(frozen=True, slots=True)
class RuleAmong:
    """A rule for some of the rows of a column, whose nodes are named as all its values ask for.

    `2024-03-31` is a day to those who see no row of midnight, and midnight to those who do.
    """

    rule: Rule
    others: tuple[str, ...]

    def bind(self, labels: Sequence[str]) -> Taxonomy:
        """Return the tree over the labels.

        >>> RuleAmong(Taxonomy.dates(["day"]), ("2024-03-31",)).bind(["2024-03-31T10:00", "2024-03-31T11:00"]).inner
        ('2024-03-31 (all)',)
        """
        return self.rule.bind(labels, self.others)


def _tree(labels: Iterable[str], above: Callable[[str], Iterable[str]], name: str, others: Iterable[str]) -> Taxonomy:
    """Return the tree of labels in their order; `above` gives the nodes over one, from the root down."""
    draft = Draft()
    root = draft.add_inner(-1, ROOT)
    for label in labels:
        node = root
        for part in above(label):
            node = draft.add_inner(node, part)
        draft.add_leaf(node, label)
    return tree_of(draft.fold(), name, others=others)


def _parsed(labels: Iterable[str], parse: Callable[[str], Parsed], name: str, kind: str) -> dict[str, Parsed]:
    """Return each different label with what it says; the others are counted in an `InputError`."""
    different = set(labels)
    known = _readable(different, parse)
    if broken := len(different) - len(known):
        values = plural(len(different), "different value")
        raise InputError(
            f"the taxonomy `{name}` needs {kind}, which {broken:,} of {values} are not",
            code="taxonomy-gap",
            hint="declare such values as missing (`na`) or give a taxonomy that lists them",
        )
    return known


def _readable(labels: Iterable[str], parse: Callable[[str], Parsed]) -> dict[str, Parsed]:
    """Return each different label that can be read, with what it says."""
    known: dict[str, Parsed] = {}
    for label in dict.fromkeys(labels):
        with contextlib.suppress(ValueError, OverflowError):
            known[label] = parse(label)
    return known


def _moment(text: str) -> dt.datetime:
    """Return the moment that an ISO text writes; what has no place in the years 1 to 9999 of UTC is none.

    Other ways to write a date (`20240331`, `2024-W13-7`) are none: Python's versions differ in what they take.
    """
    if not _ISO.fullmatch(text):
        raise ValueError("no date")
    moment = dt.datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        moment.astimezone(dt.UTC)  # which may overflow
    return moment


def _decimal(text: str) -> tuple[int, int]:
    """Return (digits, exponent) of a number as it is written, exactly: digits x 10 ** exponent.

    What a float cannot reach is no measured number.

    >>> _decimal("35.50"), _decimal("-1e3"), _decimal("0.0")
    ((355, -1), (-1000, 0), (0, 0))
    """
    if not _NUMBER.fullmatch(text) or math.isinf(float(text)):
        raise ValueError("no number")
    if not float(text):
        if re.match(r"[-+.0]*[1-9]", text):
            raise ValueError("too near to 0")
        return 0, 0
    sign, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)
    value = int("".join(map(str, digits))) * (-1 if sign else 1)
    if exponent > 0:
        return value * 10**exponent, 0
    while exponent < 0 and value % 10 == 0:
        value, exponent = value // 10, exponent + 1
    return value, exponent


def _scaled(number: tuple[int, int], places: int) -> int:
    """Return the number in units of 10 ** -places."""
    units: int = 10 ** (number[1] + places)
    return number[0] * units


def _interval(low: int, high: int, places: int) -> str:
    """Return how the interval from low up to, not including, high is written."""
    if places == 0:
        return f"[{low}, {high - 1}]"
    return f"[{_plain(low, places)}, {_plain(high, places)})"


def _plain(scaled: int, places: int) -> str:
    whole, rest = divmod(abs(scaled), 10**places)
    text = f"{whole}.{rest:0{places}d}".rstrip("0").rstrip(".") if rest else str(whole)
    return f"-{text}" if scaled < 0 else text


def _years(level: object) -> int:
    """Return how many years a level such as `5 years` spans, 0 for any other level."""
    found = re.fullmatch(r"([1-9]\d{0,3}) years", level) if isinstance(level, str) else None
    return int(found[1]) if found and int(found[1]) > 1 else 0


def _band(year: int, years: int, timed: bool) -> str:
    """Return the written name of the years around one, from a multiple of `years` on.

    >>> _band(1974, 5, timed=False), _band(1974, 5, timed=True)
    ('[1970-01-01, 1974-12-31]', '[1970-01-01, 1975-01-01)')
    """
    first, after = year - year % years, year - year % years + years
    low = f"{max(first, 1):04d}-01-01"
    if not timed or after > dt.MAXYEAR:
        return f"[{low}, {min(after - 1, dt.MAXYEAR):04d}-12-31]"
    return f"[{low}, {after:04d}-01-01)"


def _part(moment: dt.datetime, level: str) -> str:
    """Return the written name of the day, month, quarter or year of a moment."""
    if level == "day":
        return moment.date().isoformat()
    if level == "month":
        return f"{moment.year:04d}-{moment.month:02d}"
    if level == "quarter":
        return f"{moment.year:04d}-Q{(moment.month + 2) // 3}"
    return f"{moment.year:04d}"


def _fraction(number: object, name: str) -> Fraction:
    """Return a parameter exactly as it is written, 0.1 as one tenth."""
    if isinstance(number, numbers.Real | Decimal) and not isinstance(number, bool):
        try:
            value, exponent = _decimal(str(number))
        except ValueError:
            pass
        else:
            return value * Fraction(10) ** exponent
    raise _bad(f"`{name}` must be numbers, not {type(number).__name__}", "give widths=[5, 10, 20], start=0")


def _bad(message: str, hint: str) -> InputError:
    return bad_parameter(f"{message} (in a taxonomy rule)", hint)
