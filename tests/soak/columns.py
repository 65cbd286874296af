"""Random quasi columns: their values in memory, as text of a CSV file, and what their released cells mean."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from soak.meaning import NAN, DateTree, Labels, Line, Meaning, Ordered, Prefixes, Tree, seconds_of

__all__ = ["Drawn", "draw_column"]

LABELS = ["a", "b", 'c "d"', "e, f", "*", "[x]", "{y}", "z", " z", "Z", "ünï", "<b>", "NaN", "=1+1", "b*", "a]", "}"]
WORDS = ["low", "medium", "high, or so", "extreme"]
REGION = {"North": {"Fen": ["a", "b"], "Moor": ['c "d"', "e, f", "*"]}, "South": ["[x]", "Lea", "{y}", "z"]}
NODES = {
    "Fen": ["a", "b"],
    "Moor": ['c "d"', "e, f", "*"],
    "North": ["a", "b", 'c "d"', "e, f", "*"],
    "South": ["[x]", "Lea", "{y}", "z"],
}
ZONES = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "UTC"]
SENTINELS = [999, -1, 99999999, -3]


@dataclass(frozen=True)
class Drawn:
    """A random column: `values` is what it says, `arrow` and `texts` are how it is given."""

    name: str
    values: list[Any]
    arrow: pa.Array
    texts: list[str | None]
    meaning: Meaning
    type: str
    facts: dict[str, Any] = field(default_factory=dict)
    """By fact (taxonomy, order, domain, grid, na): what `anonymize` is told of it."""
    must_declare: bool = False
    """Whether its type cannot be told from text."""

    def without(self, gone: Any) -> Drawn:
        """Return the column with some values missing."""
        return replace(
            self,
            values=[None if out else value for value, out in zip(self.values, gone, strict=True)],
            arrow=pa.array(self.arrow.to_pylist(), self.arrow.type, mask=np.asarray(gone)),
            texts=[None if out else text for text, out in zip(self.texts, gone, strict=True)],
        )


def draw_column(random: np.random.Generator, name: str, n: int) -> Drawn:
    """Return a random column of n rows, some of its values missing or sentinels."""
    maker = MAKERS[int(random.integers(len(MAKERS)))]
    drawn = maker(random, name, n)
    if random.random() < 0.3:
        drawn = drawn.without(random.random(n) < random.choice([0.1, 0.5, 1.0], p=[0.6, 0.3, 0.1]))
    if all(value is None for value in drawn.values):  # its type cannot be told, so that facts of a type do not fit
        facts = {fact: told for fact, told in drawn.facts.items() if fact not in ("grid", "domain")}
        drawn = replace(drawn, facts=facts)
    return drawn


def _few(random: np.random.Generator, n: int) -> list[int]:
    """Return numbers with many repeats, or hardly any."""
    return [int(i) for i in random.integers(0, int(random.choice([1, 2, 5, 1000])) + 1, n)]


def _line(random: np.random.Generator, name: str, values: list[Any], arrow: pa.Array, texts: list[str | None]) -> Drawn:
    """Return a numeric column, with a declared domain or a grid now and then."""
    exact = [Fraction(value) for value in values]
    is_float = pa.types.is_floating(arrow.type)
    meaning = Line(point=(lambda text: Fraction(float(text))) if is_float else Fraction)
    facts: dict[str, Any] = {}
    if random.random() < 0.2 and all(abs(value) < 10**6 and value.denominator == 1 for value in exact):
        facts["domain"] = [int(min(exact)) - int(random.integers(0, 9)), int(max(exact)) + int(random.integers(0, 9))]
    elif random.random() < 0.1 and all(abs(value) < 10**6 for value in exact):
        facts["grid"] = int(random.choice([2, 5, 10]))
    return Drawn(name, list(exact), arrow, texts, meaning, "numeric", facts)


def _whole(random: np.random.Generator, name: str, n: int) -> Drawn:
    values = [i - 3 for i in _few(random, n)]
    drawn = _line(random, name, values, pa.array(values, pa.int64()), [str(i) for i in values])
    return _with_sentinels(random, drawn) if random.random() < 0.3 else drawn


def _with_sentinels(random: np.random.Generator, drawn: Drawn) -> Drawn:
    """Return the column with numbers that stand for missing, written in several ways."""
    mark = int(random.choice(SENTINELS))
    hit = random.random(len(drawn.values)) < 0.3
    spellings = [str(mark), f"{mark}.0", f"{mark}.00"]
    given = [mark if out else value for value, out in zip(drawn.arrow.to_pylist(), hit, strict=True)]
    texts = [str(random.choice(spellings)) if out else text for text, out in zip(drawn.texts, hit, strict=True)]
    # a real value that equals the sentinel is missing too: that is what `na` says
    values = [None if value == mark else value for value in [Fraction(one) for one in given]]
    kind = drawn.arrow.type if random.random() < 0.5 else pa.float64()
    meaning = drawn.meaning if kind != pa.float64() else Line(point=lambda text: Fraction(float(text)))
    facts = {key: value for key, value in drawn.facts.items() if key == "grid"} | {"na": mark}
    return replace(drawn, values=values, arrow=pa.array(given, kind), texts=texts, facts=facts, meaning=meaning)


def _fraction(random: np.random.Generator, name: str, n: int) -> Drawn:
    scale = float(random.choice([1e-20, 0.1, 0.25, 1e300]))
    values = [i * scale * float(random.choice([-1.0, 1.0])) for i in _few(random, n)]
    return _line(random, name, values, pa.array(values, pa.float64()), [repr(i) for i in values])


def _not_a_number(random: np.random.Generator, name: str, n: int) -> Drawn:
    values = [i / 8 for i in _few(random, n)]
    drawn = _line(random, name, values, pa.array(values, pa.float64()), [repr(i) for i in values])
    hit = random.random(n) < 0.2
    arrow = pa.array(
        [float("nan") if out else value for value, out in zip(values, hit, strict=True)], from_pandas=False
    )
    told = [NAN if out else Fraction(value) for value, out in zip(values, hit, strict=True)]
    texts = [None if out else text for text, out in zip(drawn.texts, hit, strict=True)]
    return replace(drawn, values=told, arrow=arrow, texts=texts, facts={})


def _far_off(random: np.random.Generator, name: str, n: int) -> Drawn:
    """Return small numbers beside one that is far off."""
    far = float(random.choice([-99999999.0, -3.4e38, 1e18, 1e-300]))
    values = [i / 10 for i in _few(random, n)]
    for row in range(int(random.integers(1, 3))):
        values[row % n] = far
    return _line(random, name, values, pa.array(values, pa.float64()), [repr(i) for i in values])


def _decimal(random: np.random.Generator, name: str, n: int) -> Drawn:
    values = [Decimal(i).scaleb(-2) for i in _few(random, n)]
    return _line(random, name, values, pa.array(values, pa.decimal128(20, 2)), [str(i) for i in values])


def _beyond_floats(random: np.random.Generator, name: str, n: int) -> Drawn:
    """Return whole numbers that no float tells apart; as text sometimes beside a fraction."""
    values: list[Any] = [2**53 + i for i in _few(random, n)]
    if random.random() < 0.3:
        values = [2**63 + i for i in _few(random, n)]
        return _line(random, name, values, pa.array(values, pa.uint64()), [str(i) for i in values])
    if random.random() < 0.5:
        return _line(random, name, values, pa.array(values, pa.int64()), [str(i) for i in values])
    values = [Decimal(i) for i in values]
    values[0] = Decimal("0.5")
    return _line(random, name, values, pa.array(values, pa.decimal128(24, 1)), [str(i) for i in values])


def _long_fractions(random: np.random.Generator, name: str, n: int) -> Drawn:
    """Return decimals with more digits than a float holds."""
    values = [Decimal("0.1") + Decimal(i).scaleb(-21) for i in _few(random, n)]
    return _line(random, name, values, pa.array(values, pa.decimal128(24, 21)), [str(i) for i in values])


def _dates(name: str, moments: list[Any], arrow: pa.Array, zone: str | None, tree: Any) -> Drawn:
    values = [seconds_of(moment) for moment in moments]
    texts: list[str | None] = [moment.isoformat() for moment in moments]
    if tree is None:
        return Drawn(name, values, arrow, texts, Line(point=_moment), "date")
    return Drawn(name, values, arrow, texts, DateTree(zone=zone, point=_moment), "date", {"taxonomy": tree})


def _moment(text: str) -> Fraction:
    return seconds_of(dt.datetime.fromisoformat(text))


def _calendar(random: np.random.Generator) -> Any:
    levels = [["month", "year"], ["quarter"], ["month", "quarter", "year"]]
    return {"dates": levels[int(random.integers(3))]} if random.random() < 0.4 else None


def _day(random: np.random.Generator, name: str, n: int) -> Drawn:
    start = dt.date(2024, 2, 27) if random.random() < 0.8 else dt.date(1899, 12, 30)
    days = [start + dt.timedelta(days=i) for i in _few(random, n)]
    return _dates(name, days, pa.array(days, pa.date32()), None, _calendar(random))


def _instant(random: np.random.Generator, name: str, n: int) -> Drawn:
    """Return times around a change of the clocks and of the month, in a time zone."""
    zone = str(random.choice(ZONES))
    start = dt.datetime(2024, 3, 31, 0, 59, tzinfo=dt.UTC) - dt.timedelta(hours=int(random.integers(0, 30)))
    moments = [(start + dt.timedelta(minutes=i)).astimezone(ZoneInfo(zone)) for i in _few(random, n)]
    unit = str(random.choice(["s", "ms", "us", "ns"]))
    return _dates(name, moments, pa.array(moments, pa.timestamp(unit, zone)), zone, _calendar(random))


def _clock(random: np.random.Generator, name: str, n: int) -> Drawn:
    start = dt.datetime(2023, 12, 31, 23, 58, 1)
    moments = [start + dt.timedelta(seconds=i) for i in _few(random, n)]
    return _dates(name, moments, pa.array(moments, pa.timestamp("us")), None, None)


def _flat(random: np.random.Generator, name: str, n: int) -> Drawn:
    known = LABELS[: int(random.integers(2, len(LABELS) + 1))]
    values = [str(label) for label in random.choice(known, n)]
    arrow = pa.array(values, pa.string())
    if random.random() < 0.5:
        arrow = arrow.dictionary_encode()
    facts = {"domain": known} if random.random() < 0.1 else {}
    return Drawn(name, list(values), arrow, list(values), Labels(), "categorical", facts)


def _tree(random: np.random.Generator, name: str, n: int) -> Drawn:
    leaves = [*NODES["North"], *NODES["South"]]
    values = [str(label) for label in random.choice(leaves, n)]
    arrow = pa.array(values, pa.string())
    return Drawn(name, list(values), arrow, list(values), Tree(below=NODES), "categorical", {"taxonomy": REGION})


def _codes(random: np.random.Generator, name: str, n: int) -> Drawn:
    values = [f"{i:05d}" for i in _few(random, n)]
    facts = {"taxonomy": {"prefixes": [4, 2]}}
    return Drawn(name, list(values), pa.array(values), list(values), Prefixes(), "categorical", facts)


def _ordered(random: np.random.Generator, name: str, n: int) -> Drawn:
    values = [str(label) for label in random.choice(WORDS, n)]
    return Drawn(name, list(values), pa.array(values), list(values), Ordered(order=WORDS), "ordered", {"order": WORDS})


def _flag(random: np.random.Generator, name: str, n: int) -> Drawn:
    values = [bool(i) for i in random.random(n) < random.random()]
    texts = ["true" if value else "false" for value in values]
    return Drawn(name, list(texts), pa.array(values), list(texts), Labels(), "boolean")


def _constant(random: np.random.Generator, name: str, n: int) -> Drawn:
    return _line(random, name, [7] * n, pa.array([7] * n, pa.int8()), ["7"] * n)


def _empty_text(random: np.random.Generator, name: str, n: int) -> Drawn:
    """Return labels that are empty or blank, which are values like others."""
    values = [str(label) for label in random.choice(["", " ", "  ", "x", "x ", "\tx", "x\ny"], n)]
    return Drawn(name, list(values), pa.array(values), list(values), Labels(), "categorical")


MAKERS: tuple[Callable[[np.random.Generator, str, int], Drawn], ...] = (
    _whole, _whole, _fraction, _not_a_number, _far_off, _decimal, _beyond_floats, _long_fractions, _day, _instant,
    _instant, _clock, _flat, _tree, _codes, _ordered, _flag, _constant, _empty_text,
)  # fmt: skip
