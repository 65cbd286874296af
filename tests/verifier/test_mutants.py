"""Every part of the maker broken on purpose, one at a time: no broken release may pass.

A row of `MUTANTS` says what goes wrong, which function is replaced and by what, and on which table.  Each mutant is
shown to bite first: without the check, what is published differs from what an honest run publishes.
"""

from __future__ import annotations

import datetime as dt
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pyarrow.parquet
import pytest

import covey
from covey import Schema
from covey.ask.job import Job
from covey.base.errors import VerificationFailed
from covey.release.pipeline import anonymize_file
from covey.verifier import verify_file

Broken = Callable[[Any], Callable[..., Any]]


# --- tables --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Case:
    """A table, as Python has it or as the text of a CSV file, and what is asked for; files are written as `to`."""

    table: Any
    settings: dict[str, Any] = field(default_factory=dict)
    to: str = "csv"

    @property
    def is_file(self) -> bool:
        return isinstance(self.table, str | bytes | Path)

    def job(self) -> Job:
        """Return the job of a file."""
        known = dict(self.settings)
        facts = ("identifier", "quasi", "sensitive", "other", "consent", "types", "orders", "taxonomies", "grids")
        roles = Schema.from_roles(**{name: known.pop(name) for name in facts if name in known})
        return Job(schema=roles, **{"k": 2, "order": "kept", **known})

    def source(self, folder: Path) -> Path:
        path = folder / "people.csv"
        path.write_bytes(self.table.encode() if isinstance(self.table, str) else self.table)
        return path

    def release(self, folder: Path) -> tuple[Any, Any]:
        """Return (what is published, the verdict on it)."""
        shuffled = self.settings.get("order") == "shuffled"
        if not self.is_file:
            made = covey.anonymize(self.table, **{"k": 2, **self.settings})
            return cells_of(made.table, shuffled), made.report.verdict
        folder.mkdir()
        out = folder / f"out.{self.to}"
        verdict = anonymize_file(str(self.source(folder)), str(out), self.job()).verdict
        if self.to == "csv":
            lines = out.read_bytes().splitlines()
            return (sorted(lines) if shuffled else lines), verdict
        return cells_of(pa.parquet.read_table(out) if self.to == "parquet" else pa.feather.read_table(out)), verdict


def cells_of(table: Any, shuffled: bool = False) -> Any:
    """Return the names and rows of a table of any kind as they can be compared."""
    known = table if isinstance(table, pa.Table) else pa.Table.from_pandas(table)
    rows = [repr(row) for row in zip(*known.to_pydict().values(), strict=True)]
    return known.column_names, sorted(rows) if shuffled else rows


ILL = ["flu", "gout", "flu", "none", "gout", "none", "flu", "gout"]


def frame(**columns: Any) -> pa.Table:
    return pa.table({**columns, "ill": ILL})


def case(values: Any, **settings: Any) -> Case:
    """Return the case of one quasi column `x` beside a sensitive one."""
    return Case(frame(x=values), {"quasi": ["x"], "sensitive": ["ill"], **settings})


def csv_case(cells: str, *, to: str = "csv", **settings: Any) -> Case:
    """Return the same of a CSV file whose cells are given as words."""
    rows = "".join(f"{cell};{ill}\n" for cell, ill in zip(cells.split(), ILL, strict=True))
    return Case("x;ill\n" + rows, {"quasi": ["x"], "sensitive": ["ill"], **settings}, to)


def berlin(*hours: int) -> pa.Array:
    """Return times of Berlin, counted in hours from half an hour before March."""
    start = dt.datetime(2024, 2, 29, 22, 30, tzinfo=dt.UTC)
    return pa.array([start + dt.timedelta(hours=hour) for hour in hours], pa.timestamp("us", "Europe/Berlin"))


CITIES = {
    "Norway": ["Oslo", "Bergen"],
    "Italy": ["Rome", "Milan"],
    "Chad": ["Abeche", "Sarh"],
    "France": ["Lyon", "Nice"],
}
LEAVES = ["Oslo", "Bergen", "Rome", "Milan", "Abeche", "Sarh", "Lyon", "Nice"]
DAYS = [dt.date(2024, 1, day) for day in (1, 2, 10, 11, 20, 21, 28, 29)]
WORDS = ["low", "medium", "high, or so", "extreme"]
TWO = ["a", "a", "b", "b", "c", "c", "d", "d"]

NUMBERS = case([-9, -8, -4, -3, 5, 6, 11, 12])
HALVES = case([-9.5, -8.25, -4.5, -3.5, 5.5, 6.5, 11.125, 12.5])
SNAPPED = case([1, 1, 3, 4, 6, 6, 9, 11], ends="snapped")
GRID = case([1, 3, 11, 13, 21, 24, 36, 38], ends="snapped", grids={"x": 5})
BOUNDS = case([1, 2, 11, 12, 21, 22, 31, 32], release="bounds")
DATES = case(DAYS)
DATE_BOUNDS = case(DAYS, release="bounds")
TIMES = case(berlin(0, 1, 30, 31, 60, 61, 90, 91))
LABELS = case(list("abcdefgh"))
ALONE = case(TWO)
ODD = case(["{a, b}", "{a, b}", '"', '"', "c", "c", "*", "*"])
COMMAS = case([f"{label}, {label}" for label in "abcdefgh"])
ORDERED = case([WORDS[i] for i in (0, 1, 0, 1, 2, 3, 2, 3)], orders={"x": WORDS}, k=4)
FLAGS = case([True, True, True, False, False, False, False, True])
TREE = case(LEAVES, taxonomies={"x": CITIES})
CODES = ["47906", "47907", "47302", "47303", "10115", "10117", "20095", "20097"]
POSTCODES = case(CODES, taxonomies={"x": {"prefixes": [4, 3, 2]}})
MONTHS = case(berlin(0, 1, 2, 3, 800, 801, 1500, 1501), taxonomies={"x": {"dates": ["month", "year"]}})
QUARTERS = case(
    [dt.date(2024, month, 5) for month in (1, 2, 4, 5, 7, 8, 10, 11)], taxonomies={"x": {"dates": ["quarter"]}}
)
TENS = case([0, 1, 10, 11, 20, 21, 30, 31], taxonomies={"x": {"intervals": [5, 10]}})
GAPS = case([1, None, 11, 12, None, None, 31, 32])
MIXED = case([1, None, 11, 12, 21, 22, 31, 32])
MEANS = case([1, 2, 11, 13, 21, 22, 31, 32], release="centre")
DATE_MEANS = case(DAYS, release="centre")
HALVED = {"quasi": ["x", "half"], "sensitive": ["ill"], "release": "centre", "k": 4}
MODES = Case(frame(x=list("aaabcccd"), half=[1] * 4 + [9] * 4), HALVED)
MEDIANS = Case(
    frame(x=[WORDS[i] for i in (0, 1, 2, 2, 0, 0, 1, 2)], half=[1] * 4 + [9] * 4), {**HALVED, "orders": {"x": WORDS}}
)
NA = case([1, 2, 999, 999, 21, 22, 999, 32], na=[999])
SUPPRESSED = case([1, 2, None, 12, 21, 22, 31, 32], missing="suppress")
WINDOWS = case([1, 2, 4, 7, 11, 16, 22, 29], algorithm="non-homogeneous")
SHUFFLED = case([1, 2, 11, 12, 21, 22, 31, 32], order="shuffled")
SPELT = Case(
    pa.table({"x": [1, 2, 3, 4, 21, 22], "ill": ["1", "1.0", "2", "3", "4", "5"]}),
    {"k": 2, "quasi": ["x"], "sensitive": ["ill"], "models": ["distinct-l-diversity(ill, l=2)"]},
)
DIVERSE = case([1, 2, 3, 4, 21, 22, 23, 24], models=["distinct-l-diversity(ill, l=2)"])
TWO_COLUMNS = Case(frame(x=[1, 2, 11, 12, 21, 22, 31, 32], city=LEAVES), {"quasi": ["x", "city"], "sensitive": ["ill"]})
AGREED = Case(
    frame(x=[1, 2, 11, 12, 21, 22, 31, 32], agrees=["no", "no", "yes", "no", "no", "yes", "no", "no"]),
    {"quasi": ["x"], "sensitive": ["ill"], "consent": "agrees"},
)
NAMED = Case(
    frame(name=list("ABCDEFGH"), x=[1, 2, 11, 12, 21, 22, 31, 32], pay=[1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]),
    {"identifier": ["name"], "quasi": ["x"], "sensitive": ["ill"], "other": ["pay"]},
)
NOTES = Case(frame(x=[1, 2] * 4, note=TWO), {"quasi": ["x"], "other": ["note", "ill"]})
PANDAS = Case(
    pd.DataFrame({"x": [1, 2, 11, 12, 21, 22, 31, 32], "ill": pd.Categorical(ILL), "pay": np.arange(8) / 4}),
    {"quasi": ["x"], "sensitive": ["ill"], "other": ["pay"]},
)

FILE = csv_case("1 2 11 12 21 22 31 32")
FRACTIONS = csv_case("-9.5 -8.25 -4.5 -3.5 5.5 6.5 11.125 12.5")
GREAT = csv_case("9007199254740993 9007199254740993 0.5 0.5 7 7 8 8")
COMMA = csv_case("53,6 55,1 60,2 61,3 70,4 71,5 80,6 81,7", csv={"decimal": ","})
OFFSETS = csv_case(
    "2024-03-01T00:30+01:00 2024-03-01T01:30+01:00 2024-03-02T00:30+01:00 2024-03-02T01:30+01:00 "
    "2024-03-03T00:30+01:00 2024-03-03T01:30+01:00 2024-03-04T00:30+01:00 2024-03-04T01:30+01:00"
)
FILE_SHUFFLED = csv_case("1 2 11 12 21 22 31 32", order="shuffled")
PARQUET = csv_case("1 2 11 12 21 22 31 32", to="parquet")
ARROW = csv_case("1 2 11 12 21 22 31 32", to="arrow")
FILE_NA = csv_case("1 2 ? ? 21 22 31 32", na=("?",))
TEXTS = Case('x,note\n0,"a,b"\n1,"say ""no"""\n2,""\n3,p;q\n4,w\n5,x\n6,y\n7,z\n', {"quasi": ["x"], "other": ["note"]})
UMLAUTS = Case(
    "x,city\n" + "".join(f"{x},{city}\n" for x, city in enumerate(["Köln", "Zürich"] * 4)), {"quasi": ["x", "city"]}
)


def parquet() -> bytes:
    """Return the bytes of a Parquet file with a category, fractions and times beside the quasi column."""
    times = berlin(*range(8))
    table = pa.table({"x": range(8), "ill": pa.array(ILL).dictionary_encode(), "pay": np.arange(8) / 8, "seen": times})
    out = pa.BufferOutputStream()
    pa.parquet.write_table(table, out)
    return out.getvalue().to_pybytes()


TYPED_ROLES = {"quasi": ["x"], "sensitive": ["ill"], "other": ["pay", "seen"]}
TYPED = Case(parquet(), TYPED_ROLES)
TYPED_AGAIN = Case(parquet(), TYPED_ROLES, "parquet")


# --- how things break ------------------------------------------------------------------------------------------


def result(change: Callable[[Any], Any]) -> Broken:
    """Return the break that changes what a function gives back."""
    return lambda honest: lambda *given, **named: change(honest(*given, **named))


def argument(change: Callable[[Any], Any]) -> Broken:
    """Return the break that changes the first thing that a function is given."""
    return lambda honest: lambda first, *rest, **named: honest(change(first), *rest, **named)


def instead(other: Callable[..., Any]) -> Broken:
    """Return the break by which something else is done."""
    return lambda honest: other


def constant(value: Any) -> Broken:
    return lambda honest: value


def column(name: str, change: Callable[[pa.ChunkedArray], Any]) -> Callable[[pa.Table], pa.Table]:
    """Return how a table gets another column under the same name."""
    return lambda table: table.set_column(table.column_names.index(name), name, change(table.column(name)))


def first(change: Callable[[Any], Any]) -> Callable[[pa.ChunkedArray], pa.Array]:
    """Return how the first value of a column is changed."""

    def changed(values: pa.ChunkedArray) -> pa.Array:
        known = values.to_pylist()
        return pa.array([change(known[0]), *known[1:]])

    return changed


def rolled(values: Any) -> Any:
    """Return everything one place later, the last first."""
    if isinstance(values, np.ndarray):
        return np.roll(values, 1)
    return pa.concat_arrays(
        [
            part.combine_chunks() if isinstance(part, pa.ChunkedArray) else part
            for part in (values.slice(len(values) - 1), values.slice(0, len(values) - 1))
        ]
    )


def swapped(known: dict[str, str]) -> Callable[[str], str]:
    return lambda text: known.get(text, text)


def less(summary: Any) -> Any:
    """Return boxes of classes that end one value early."""
    return replace(summary, high=np.maximum(summary.high - 1, summary.low))


def split(labels: Any) -> Any:
    """Return classes of which the first has lost a row to a class of its own."""
    return np.where(np.arange(len(labels)) == 0, labels.max() + 1, labels)


def without_first(labels: Any) -> Any:
    return np.where(np.arange(len(labels)) == 0, -1, labels)


def later(days: int) -> Callable[[int], int]:
    return lambda instant: instant + days * 86_400 * 10**9


def shrunk_snapper(honest: Any) -> Any:
    def snapper(given: Any, k: int) -> Any:
        ends = honest(given, k)
        return lambda lo, hi: ends(lo, max(hi - 1, lo)) if lo < hi else ends(lo, hi)

    return snapper


def last_child(honest: Any) -> Any:
    """Return the name of a node one step below the one that covers."""

    def ancestor(tree: Any, lo: int, hi: int) -> str:
        return honest(tree, lo, lo) if lo == hi else tree._written[tree._leaf_parents[lo]]

    return ancestor


def rebuilt(change: Callable[[pa.Table], pa.Table]) -> Broken:
    return result(lambda table: change(pa.table(table)))


def renamed(found: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return columns of which the last two have each other's names."""
    (one, a), (other, b) = found[-2:]
    return [*found[:-2], (one, b), (other, a)]


def cut(text: pa.Array) -> pa.Array:
    """Return fractions with one digit after the point."""
    is_plain = pa.types.is_large_string(text.type)
    return pc.replace_substring_regex(text, r"^0\.(\d).*", r"0.\1") if is_plain else text


def an_hour_late(values: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.add(values, dt.timedelta(hours=1)) if pa.types.is_timestamp(values.type) else values


def rolled_x(honest: Any) -> Any:
    return lambda series, name: rolled(honest(series, name)) if name == "x" else honest(series, name)


def read(change: Callable[[pa.Table], pa.Table]) -> Broken:
    def changed(found: Any) -> Any:
        text = pa.table({name: found.table.column(name).cast(pa.string()) for name in found.table.column_names})
        return replace(found, table=change(text))

    return result(changed)


def misplaced_leaf(honest: Any) -> Any:
    """Return a reader of trees that hangs the second leaf where the last one hangs."""

    def tree_of(draft: Any, *rest: Any) -> Any:
        tree = honest(draft, *rest)
        leaves = (*tree.leaves[:1], tree.leaves[-1], *tree.leaves[2:-1], tree.leaves[1])
        return replace(tree, leaves=leaves, _leaf_numbers={label: place for place, label in enumerate(leaves)})

    return tree_of


def binds(relabel: Callable[[str], str]) -> Broken:
    """Return a rule that writes its nodes otherwise."""

    def broken(honest: Any) -> Any:
        def bind(rule: Any, labels: Any) -> Any:
            tree = honest(rule, labels)
            names = tuple(map(relabel, tree._written))
            return replace(tree, _written=names, inner=names[1:], _nodes={name: i for i, name in enumerate(names)})

        return bind

    return broken


# --- the mutants -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Mutant:
    """What goes wrong, what is replaced (and by what), on which table."""

    name: str
    place: str
    broken: Broken
    case: Case


M = Mutant
MUTANTS = [
    # single values as they are written
    M("numbers lose their sign", "covey.columns.typed.write_number", argument(abs), NUMBERS),
    M("numbers are rounded", "covey.columns.typed.write_number", argument(round), HALVES),
    M("numbers lose their decimal mark", "covey.columns.typed.TypedColumn.texts",
      result(lambda texts: [t.replace(",", "") for t in texts]), COMMA),
    M("numbers with a point beside a decimal comma", "covey.columns.typed.TypedColumn.texts",
      result(lambda texts: [t.replace(",", ".") for t in texts]), COMMA),
    M("dates are a day late", "covey.columns.typed.write_date", argument(later(1)), DATES),
    M("times are those of UTC, without an offset", "covey.columns.typed.write_date",
      lambda honest: lambda instant, zone: honest(instant), TIMES),
    M("times get the offset of UTC", "covey.columns.typed.write_date",
      result(lambda text: text[:-6] + "+00:00"), TIMES),
    M("a label is another one", "covey.recode.cells.write_label", argument(swapped({"a": "b"})), ALONE),
    M("a label that nobody has", "covey.recode.cells.write_label", instead(lambda label, **rest: "Atlantis"), ALONE),
    M("labels get a blank", "covey.recode.cells.write_label", result(lambda text: text + " "), ALONE),
    M("labels change their case", "covey.recode.cells.write_label", result(str.upper), ALONE),
    M("labels are never quoted", "covey.recode.cells.write_label", instead(lambda label, **rest: label), ODD),
    M("labels are quoted by other marks", "covey.recode.cells.write_label", result(lambda t: t.replace('"', "'")), ODD),
    M("null is written as NaN", "covey.columns.typed.TypedColumn.missing_text", result(lambda text: "NaN"), GAPS),
    M("null is written as a value", "covey.columns.typed.TypedColumn.missing_text", result(lambda text: "0"), GAPS),
    M("true is written as false", "covey.columns.domains.labels.labels_of", result(lambda found: found[::-1]), FLAGS),
    # intervals, sets and nodes
    M("intervals with their ends swapped", "covey.recode.intervals.write_interval",
      lambda honest: lambda low, high, **rest: honest(high, low, **rest), NUMBERS),
    M("intervals without their end", "covey.recode.intervals.write_interval",
      result(lambda text: text[:-1] + ")"), NUMBERS),
    M("intervals of labels whose commas are not quoted", "covey.columns.values.writing._inside",
      instead(lambda label: label), ORDERED),
    M("a comma between numbers with decimal commas", "covey.recode.intervals.write_interval",
      result(lambda t: t.replace(";", ",")), COMMA),
    M("the upper end is one value short", "covey.recode.recoding.summarise", result(less), NUMBERS),
    M("the upper end of dates is one value short", "covey.recode.recoding.summarise", result(less), DATES),
    M("the upper end of an order is one value short", "covey.recode.recoding.summarise", result(less), ORDERED),
    M("snapped ends move inwards", "covey.recode.intervals.snapper", shrunk_snapper, SNAPPED),
    M("open ends point the other way", "covey.recode.intervals.write_bound",
      lambda honest: lambda sign, *rest, **named: honest({"<=": ">=", ">=": "<="}[sign], *rest, **named), SNAPPED),
    M("ends on a grid move inwards", "covey.recode.ends.grid_point",
      lambda honest: lambda point, step, *, up=False: honest(point, step, up=not up), GRID),
    M("sets lose a label", "covey.recode.categories.write_set", argument(lambda labels: labels[:-1]), LABELS),
    M("sets of labels whose commas are not quoted", "covey.columns.values.writing._inside",
      instead(lambda label: label), COMMAS),
    M("sets have other brackets", "covey.recode.categories.write_set", result(lambda text: f"[{text[1:-1]}]"), LABELS),
    M("a set of codes loses one", "covey.recode.recoding.codes_in",
      result(lambda codes: codes[:-1] or codes), LABELS),
    M("a mix with missing values is called an interval", "covey.recode.intervals.ANY", constant("[0, 100]"), MIXED),
    M("a node too low", "covey.ask.taxonomy.tree.Taxonomy.ancestor",
      last_child, case(LEAVES, k=4, taxonomies={"x": CITIES})),
    M("windows are one value short", "covey.recode.recoding.window_boxes", result(less), WINDOWS),
    # bounds and centres
    M("bounds change their names", "covey.recode.intervals.output_names", result(lambda names: names[::-1]), BOUNDS),
    M("bounds are shifted", "covey.recode.intervals._points_array", result(lambda points: pc.add(points, 1)), BOUNDS),
    M("bounds of dates are a day late", "covey.recode.intervals._points_array",
      result(lambda points: pc.add(points.cast(pa.int32()), pa.scalar(1, pa.int32())).cast(pa.date32())), DATE_BOUNDS),
    M("a wrong mean", "covey.recode.centres._mean", result(lambda mean: mean + 0.25), MEANS),
    M("a wrong mean of dates", "covey.recode.centres._mean", result(later(1)), DATE_MEANS),
    M("the least frequent value for the mode", "covey.recode.centres._modes",
      lambda honest: lambda *given: np.flip(honest(*given)), MODES),
    M("the least value for the median", "covey.recode.centres._medians", result(lambda codes: codes * 0), MEDIANS),
    # from the table to codes
    M("text loses its sign", "covey.columns.domains.numbers.parse_number",
      result(lambda number: None if number is None else abs(number)), FRACTIONS),
    M("text is read as the nearest float", "covey.columns.domains.numbers.parse_number", result(float), GREAT),
    M("offsets of times are not read", "covey.columns.domains.dates.parse_date",
      argument(lambda text: text[:16]), OFFSETS),
    M("a clock runs at double speed", "covey.columns.domains.dates.NANOSECONDS", constant({"us": 2000}), TIMES),
    M("values have the ranks of others", "covey.columns.domains.domain._ranked",
      result(lambda found: (found[0], rolled(found[1]))), NUMBERS),
    M("rows have the codes of others", "covey.columns.typed._distinct",
      result(lambda found: (rolled(found[0]), found[1])), NUMBERS),
    M("labels are read as others", "covey.columns.domains.labels.labels_of", result(lambda found: found[::-1]), ALONE),
    M("leaves are taken for others", "covey.columns.domains.labels.tree_labels",
      result(lambda found: [*found[1:], found[0]]), TREE),
    M("what means missing is not looked for", "covey.columns.missing._masks",
      result(lambda masks: [mask & False for mask in masks]), NA),
    M("another value means missing", "covey.columns.missing._masks",
      result(lambda masks: [rolled(mask) for mask in masks]), NA),
    M("a text that means missing is not found", "covey.columns.missing._spellings",
      result(lambda texts: ["??"]), FILE_NA),
    M("rows with missing values stay", "covey.release.lots.present_rows",
      lambda honest: lambda raw, policy: honest(raw, "category"), SUPPRESSED),
    M("a row without missing values goes too", "covey.release.lots.present_rows",
      result(lambda rows: rows[1:]), SUPPRESSED),
    # classes
    M("a class is split below k", "covey.release.product.enforce", result(split), NUMBERS),
    M("a row is dropped that may not be", "covey.release.product.enforce",
      result(without_first), case([1, 2, 3, 11, 12, 13, 21, 22])),
    M("spellings of one value are counted as values", "covey.columns.values.meaning._meaning",
      instead(lambda text: text), SPELT),
    M("models are not enforced", "covey.release.product.enforce",
      instead(lambda codes, *rest: np.array([0, 1, 0, 1, 1, 2, 2, 1])), DIVERSE),
    M("cells of another class", "covey.recode.recoding._spread",
      lambda honest: lambda values, number, labels: honest(values, rolled(number), labels), NUMBERS),
    M("one column has the cells of other rows", "covey.recode.recoding._spread",
      lambda honest: lambda values, number, labels: honest(values, number, rolled(labels)), TWO_COLUMNS),
    M("somebody agreed who did not", "covey.release.lots.exempt_rows",
      result(lambda agrees: agrees | (np.arange(8) == 0)), AGREED),
    M("those who agreed are joined at the wrong place", "covey.release.product._joined",
      lambda honest: lambda values, others, order: honest(values, others, rolled(order)), AGREED),
    # from codes to a table
    M("a quasi column is published as it is", "covey.release.path._published_columns",
      result(lambda found: [(name, name) for name, _ in found]), NUMBERS),
    M("an identifier is published", "covey.release.path._published_columns",
      result(lambda found: [("name", "name"), *found]), NAMED),
    M("a column is added", "covey.release.path._published_columns",
      result(lambda found: [*found, ("twice", found[0][1])]), NAMED),
    M("a column is lost", "covey.release.path._published_columns", result(lambda found: found[:-1]), NAMED),
    M("two columns change their names", "covey.release.path._published_columns",
      result(renamed), NOTES),
    M("a column of a file is lost", "covey.release.path._published_columns",
      result(lambda found: found[:-1]), FILE),
    M("kept columns of a file lie in another order", "covey.tables.frames.take_table",
      lambda honest: lambda table, rows: honest(table, rolled(rows)), FILE),
    M("a row is lost when a table is rebuilt", "covey.tables.frames.rebuild",
      rebuilt(lambda table: table.slice(1)), NAMED),
    M("a row is doubled when a table is rebuilt", "covey.tables.frames.rebuild",
      rebuilt(lambda table: table.take([0, *range(7)])), NAMED),
    M("a kept number is rounded", "covey.tables.frames.rebuild",
      rebuilt(column("pay", lambda values: pc.round(values))), NAMED),
    M("kept categories of pandas are swapped", "covey.tables.frames.pandas._with_own_categories",
      result(lambda values: values.cat.rename_categories(values.cat.categories[::-1].tolist())), PANDAS),
    M("rows are shuffled and one comes twice", "covey.tables.files.shuffle_rows",
      result(lambda order: np.append(order[:-1], order[0])), SHUFFLED),
    M("rows are shuffled and one is lost", "covey.tables.files.shuffle_rows",
      result(lambda order: order[:-1]), FILE_SHUFFLED),
    M("released rows are shuffled, kept ones are not", "covey.release.path._published_columns",
      lambda honest: lambda names, made, job, order: honest(names, made, job, rolled(order)), FILE_SHUFFLED),
    # files
    M("a row of a file is not read", "covey.tables.files.reading.read_csv", read(lambda table: table.slice(1)), FILE),
    M("a row of a file is read twice", "covey.tables.files.reading.read_csv",
      read(lambda table: table.take([0, *range(7)])), FILE),
    M("kept text of a file gets a blank", "covey.tables.files.reading.read_csv",
      read(column("ill", first(lambda text: text + " "))), FILE),
    M("an encoding is mistaken", "covey.tables.csv.reading.to_utf8",
      lambda honest: lambda data, encoding, name: honest(data, "latin-1", name), UMLAUTS),
    M("quotes in text are not doubled", "covey.tables.csv.writing._quoted",
      result(lambda values: pc.replace_substring_regex(values, '(.)""', r'\1"')), TEXTS),
    M("nothing is quoted", "covey.tables.csv.writing._quoted", instead(lambda values, *rest: values), TEXTS),
    M("an empty text is written as missing", "covey.tables.csv.writing._quoted",
      result(lambda values: pc.if_else(pc.equal(values, '""'), "", values)), TEXTS),
    M("cells of neighbouring columns are mispaired", "covey.tables.csv.writing._merged",
      result(lambda cells: [replace(cells[0], codes=rolled(cells[0].codes)), *cells[1:]]), FILE),
    M("the header has other names", "covey.tables.files.writing.write_csv",
      argument(lambda table: table.rename_columns(["y", "ill"])), FILE),
    M("a row is not written", "covey.tables.files.writing.write_csv", argument(lambda table: table.slice(1)), FILE),
    M("a row is written to Parquet twice", "covey.tables.files.writing.write_parquet",
      argument(lambda table: table.take([0, *range(7)])), PARQUET),
    M("a column is not written to Arrow", "covey.tables.files.writing.write_arrow",
      argument(lambda table: table.drop_columns(["ill"])), ARROW),
    M("kept columns of Parquet lie in another order", "covey.tables.files.columnar._only_the_rows",
      result(lambda table: table.set_column(1, "ill", rolled(table.column("ill")))), PARQUET),
    M("kept columns of Arrow files lie in another order", "covey.tables.files.columnar._fresh",
      lambda honest: lambda values: rolled(honest(values)) if "flu" in values.to_pylist() else honest(values), ARROW),
    M("categories of Parquet lie in another order", "covey.tables.compact._taken_dictionary",
      result(rolled), TYPED_AGAIN),
    M("fractions are cut in a CSV file", "covey.tables.csv.writing.render_text",
      result(cut), TYPED),
    M("times are written to CSV an hour late", "covey.tables.csv.writing.render_text",
      argument(an_hour_late), TYPED),
    M("fractions are halved in Parquet", "covey.tables.files.writing.write_parquet",
      argument(column("pay", lambda values: pc.divide(values, 2))), TYPED_AGAIN),
    M("a column of pandas is read in another order", "covey.tables.frames.conversion.arrow_of_pandas",
      rolled_x, PANDAS),
    # what both sides read: the maker's tree is broken, the verifier goes by what was declared
    M("a leaf hangs below another node", "covey.ask.taxonomy.tree.tree_of", misplaced_leaf, TREE),
    M("nodes have the names of others", "covey.ask.taxonomy.tree._written_names",
      result(lambda names: (names[0], *names[:0:-1])), TREE),
    M("two nodes become one", "covey.ask.taxonomy.draft.Draft.add_inner",
      lambda honest: lambda draft, parent, name: honest(draft, parent, {"Italy": "Norway"}.get(name, name)), TREE),
    M("prefixes are those of other codes", "covey.ask.taxonomy.build.Prefixes.bind",
      binds(lambda name: name.replace("479", "478")), POSTCODES),
    M("months are a month late", "covey.ask.taxonomy.build._part",
      lambda honest: lambda moment, level: honest(moment + dt.timedelta(days=31), level), MONTHS),
    M("months are those of UTC", "covey.ask.taxonomy.build._part",
      lambda honest: lambda moment, level: honest(moment.astimezone(dt.UTC), level), MONTHS),
    M("quarters are miscounted", "covey.ask.taxonomy.build._part",
      lambda honest: lambda moment, level: honest(moment, level)[:-1] + str(moment.month // 4 + 1), QUARTERS),
    M("intervals of a rule are shifted", "covey.ask.taxonomy.build._interval",
      lambda honest: lambda low, high, places: honest(low + 1, high + 1, places), TENS),
    M("intervals of a rule are too narrow", "covey.ask.taxonomy.build._interval",
      lambda honest: lambda low, high, places: honest(low, high - 4, places), TENS),
]  # fmt: skip


@cache
def honest(case: Case, folder: Path) -> tuple[Any, Any]:
    return case.release(folder / str(id(case)))


@pytest.fixture(scope="module")
def honest_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("honest")


def break_(patch: pytest.MonkeyPatch, mutant: Mutant) -> None:
    owner, _, name = mutant.place.rpartition(".")
    thing = pkgutil.resolve_name(owner)
    patch.setattr(thing, name, mutant.broken(getattr(thing, name)))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_broken_maker_publishes_nothing(monkeypatch, mutant, tmp_path, honest_folder):
    expected, verdict = honest(mutant.case, honest_folder)
    assert verdict.ok
    break_(monkeypatch, mutant)
    with monkeypatch.context() as unchecked:
        for check in ("verify", "verify_written"):
            unchecked.setattr(f"covey.release.sinks.{check}", lambda *given, **named: verdict)
        found, _ = mutant.case.release(tmp_path / "unchecked")
    assert found != expected  # it bites
    with pytest.raises(VerificationFailed):
        mutant.case.release(tmp_path / "checked")
    assert not list(tmp_path.glob("checked/out.*"))


# --- what both sides are told --------------------------------------------------------------------------------------

JOB = """
k = 3
order = "kept"
na = ["?"]
[columns.name]
role = "identifier"
[columns.city]
role = "quasi"
taxonomy = "city.csv"
[columns.pain]
role = "quasi"
order = ["low", "medium", "high"]
[columns.age]
role = "quasi"
na = [999]
[columns.ill]
role = "sensitive"
"""
CITY = "".join(f"{leaf};{node};World\n" for node, leaves in CITIES.items() for leaf in leaves)
PEOPLE = """name,city,pain,age,ill
A,Oslo,low,1,flu
B,Bergen,low,2,gout
C,Oslo,medium,3,none
D,Rome,high,999,flu
E,Milan,high,999,gout
F,Rome,high,999,none
G,Lyon,medium,?,flu
H,Nice,medium,?,gout
I,Lyon,medium,?,none
"""
ASKED = Case(PEOPLE, {"job": JOB})
DIVERSE_JOB = JOB.replace("k = 3", 'k = 2\nmodels = ["distinct-l-diversity(ill, l=3)"]')
PAIRS = "name,city,pain,age,ill\n" + "".join(
    f"{name},Oslo,low,{age},{ill}\n"
    for name, age, ill in zip("ABCDEF", (1, 2, 11, 12, 21, 22), ("flu", "gout", "none") * 2, strict=True)
)
ASKED_DIVERSE = Case(PAIRS, {"job": DIVERSE_JOB})
FOUR_JOB = JOB.replace("k = 3", "k = 4")
ASKED_FOUR = Case(PEOPLE, {"job": FOUR_JOB})


def role_of_name(job: Job) -> Job:
    return replace(job, schema=job.schema.with_columns([replace(job.schema["name"], role="other")]))


TOLD = [
    M("nodes of a tree's file are mixed up", "covey.ask.taxonomy.tree.text_of_file",
      result(lambda text: text.replace("Italy", "Spain")), ASKED),
    M("an order is misread", "covey.ask.schema._as_tuple", result(lambda labels: labels[1:] + labels[:1]), ASKED),
    M("a value that means missing is misread", "covey.ask.schema.na_values",
      result(lambda values: tuple(998 if value == 999 else value for value in values)), ASKED),
    M("a text that means missing is forgotten", "covey.ask.job.read_job",
      result(lambda job: replace(job, na=("-",))), ASKED),
    M("k is misread", "covey.ask.job.read_job", result(lambda job: replace(job, k=3)), ASKED_FOUR),
    M("a model is forgotten", "covey.ask.job.read_job", result(lambda job: replace(job, models=())), ASKED_DIVERSE),
    M("a model is misread", "covey.ask.job.model_spec",
      result(lambda spec: replace(spec, parameters=(("l", 2),))), ASKED_DIVERSE),
    M("a role is misread", "covey.ask.job.read_job", result(role_of_name), ASKED),
    M("a job is taken for another", "covey.release.pipeline.as_job", result(lambda job: replace(job, k=3)), ASKED_FOUR),
]  # fmt: skip
"""Faults of what says what is asked, which both sides go by: only who asks again, later, can see them."""


def asked_release(folder: Path, case: Case) -> list[str]:
    """Publish what a job asks for in a folder; return the lines."""
    for name, text in (("covey.toml", case.settings["job"]), ("city.csv", CITY), ("people.csv", case.table)):
        (folder / name).write_text(text)
    job = covey.ask.job.read_job(str(folder / "covey.toml"))
    anonymize_file(str(folder / "people.csv"), str(folder / "out.csv"), job, force=True)
    return (folder / "out.csv").read_text().splitlines()


def is_proven(folder: Path) -> bool:
    """Return what somebody finds who asks by the same job later."""
    paths = {name: str(folder / name) for name in ("out.csv", "covey.toml", "people.csv")}
    return verify_file(paths["out.csv"], job=paths["covey.toml"], original=paths["people.csv"]).ok


@pytest.mark.parametrize("mutant", TOLD, ids=lambda mutant: mutant.name)
def test_a_fault_in_what_both_are_told_is_found_by_who_asks_again(monkeypatch, mutant, tmp_path):
    expected = asked_release(tmp_path, mutant.case)
    assert is_proven(tmp_path)
    with monkeypatch.context() as patch:
        break_(patch, mutant)
        assert asked_release(tmp_path, mutant.case) != expected
    assert not is_proven(tmp_path)


def test_no_two_mutants_are_the_same():
    names = [mutant.name for mutant in MUTANTS + TOLD]
    assert len(set(names)) == len(names) == 112
