"""Random jobs: a table of random columns, what is asked of it, and the door through which it comes in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.algorithms import ALGORITHMS
from soak.columns import Drawn, draw_column
from soak.meaning import NAN, DateTree, Line

__all__ = ["DOORS", "Case", "draw_case"]

DOORS = ("arrow", "pandas", "numpy", "polars", "csv", "parquet", "feather")
_SHARES = (0.25, 0.15, 0.05, 0.15, 0.25, 0.1, 0.05)
SEARCHES = (*ALGORITHMS, "covey", "covey", "mondrian(relaxed=true)", "k-member(target=ill)", "tree(target=ill)",
            )  # fmt: skip
_ODD = ["", " ", "x", "a,b", 'say "hi"', "two\nlines", "=1+1", "ünï", "\t", "NA", "*", "-0", "007"]


@dataclass(frozen=True)
class Layout:
    """How a CSV file is written."""

    separator: str = ","
    encoding: str = "utf-8"
    header: bool = True
    decimal: str = "."
    blanks: bool = False
    """Whether every cell is padded, and the reader told to skip blanks."""
    line_end: str = "\n"

    def told(self, names: Sequence[str]) -> dict[str, Any]:
        """Return what the job says of the file."""
        told: dict[str, Any] = {"separator": self.separator}
        if self.encoding != "utf-8":
            told["encoding"] = self.encoding
        if self.decimal != ".":
            told["decimal"] = self.decimal
        if self.blanks:
            told["skip_blanks"] = True
        # said aloud either way: whether a first row of odd text is a header is not for guessing here
        told["header"] = self.header
        if not self.header:
            told["names"] = list(names)
        return told


@dataclass(frozen=True)
class Case:
    """A table and a job, with everything that the judge must know of them."""

    seed: int
    door: str
    k: int
    quasi: tuple[Drawn, ...]
    kept: dict[str, list[Any]]
    consent: list[bool] | None
    settings: dict[str, Any]
    """Of `anonymize`, roles and facts included."""
    models: tuple[tuple[str, float], ...]
    """(name, l) of each model of column `ill`."""
    layout: Layout

    @property
    def n(self) -> int:
        """Return how many rows the table has."""
        return len(self.kept["row"])

    @property
    def names(self) -> list[str]:
        """Return the columns in the order of the table."""
        own = ["who", *(column.name for column in self.quasi), *self.kept]
        return own if self.consent is None else [*own, "agrees"]

    def table(self) -> pa.Table:
        """Return the table as Arrow."""
        columns: dict[str, Any] = {"who": pa.array([f"person {i}" for i in range(self.n)])}
        columns |= {column.name: column.arrow for column in self.quasi}
        columns |= {name: pa.array(values) for name, values in self.kept.items()}
        if self.consent is not None:
            columns["agrees"] = pa.array(self.consent)
        return pa.table(columns)

    def is_guarded(self, row: int) -> bool:
        """Return whether a row is of somebody who did not agree."""
        return self.consent is None or not self.consent[row]

    def has_missing(self, row: int) -> bool:
        """Return whether a quasi value of the row is missing."""
        return any(column.values[row] in (None, NAN) for column in self.quasi)


def draw_case(seed: int) -> Case:
    """Return the random case of a seed."""
    random = np.random.default_rng(seed)
    k = int(random.integers(2, 6))
    n = max(k * int(random.integers(1, 7)) + int(random.integers(-1, 2)), 1)
    door = str(random.choice(DOORS, p=_SHARES))
    layout = _layout(random) if door == "csv" else Layout()
    quasi = [draw_column(random, f"q{i}", n) for i in range(int(random.integers(1, 5)))]
    if door == "csv":
        quasi = [_from_text(column, layout) for column in quasi]
    if door == "pandas":  # which does not tell NaN from missing
        quasi = [replace(one, values=[None if value == NAN else value for value in one.values]) for one in quasi]
    if door == "numpy":
        quasi = [column for column in quasi if _is_plain(column)]
        door = "numpy" if quasi else "arrow"
        quasi = quasi or [draw_column(random, "q0", n)]
    if layout.blanks and any(_minds_blanks(column) for column in quasi):
        layout = replace(layout, blanks=False)
    search = str(random.choice(SEARCHES))
    kept = {
        "row": [int(i) for i in random.permutation(n) + 10**6],
        "ill": [str(i) for i in random.choice(["flu", "gout", "ague"], n)],
        "note": [str(i) for i in random.choice(_ODD if not layout.blanks else ["x", "y,z"], n)],
    }
    has_classes = search != "non-homogeneous"
    consent = [bool(i) for i in random.random(n) < 0.3] if has_classes and random.random() < 0.15 else None
    settings, models, quasi = _settings(random, search, quasi, has_classes)
    settings |= {
        "identifier": ["who"],
        "quasi": [column.name for column in quasi],
        "sensitive": ["ill"],
        "other": ["row", "note"],
    }
    if consent is not None:
        settings["consent"] = "agrees"
    return Case(seed, door, k, tuple(quasi), kept, consent, settings, models, layout)


def _layout(random: np.random.Generator) -> Layout:
    separator = str(random.choice([",", ";", "\t", "|"]))
    decimal = "," if separator == ";" and random.random() < 0.4 else "."
    return Layout(
        separator=separator,
        encoding=str(random.choice(["utf-8", "utf-8", "utf-16", "latin-1"])),
        header=bool(random.random() < 0.7),
        decimal=decimal,
        blanks=bool(random.random() < 0.15),
        line_end=str(random.choice(["\n", "\r\n"])),
    )


def _from_text(column: Drawn, layout: Layout) -> Drawn:
    """Return the column as a CSV file gives it: what the texts say, exactly."""
    if column.type == "numeric":
        marks = column.facts.get("na")
        values = [None if text is None or Fraction(text) == marks else Fraction(text) for text in column.texts]
        texts = [None if text is None else text.replace(".", layout.decimal) for text in column.texts]
        return replace(column, values=values, texts=texts, meaning=Line(decimal=layout.decimal))
    if isinstance(column.meaning, DateTree) and column.meaning.zone is not None:
        # a file has no time zone, so that there is no calendar to speak of
        return replace(column, meaning=Line(point=column.meaning.point), facts={})
    return column


def _is_plain(column: Drawn) -> bool:
    """Return whether pandas holds the column without Arrow: no missing values, no odd types."""
    kinds = (pa.int64(), pa.float64(), pa.string(), pa.bool_())
    return column.arrow.type in kinds and column.arrow.null_count == 0 and NAN not in column.values


def _minds_blanks(column: Drawn) -> bool:
    return any(text is not None and (text == "" or text.strip() != text) for text in column.texts)


def _settings(
    random: np.random.Generator, search: str, quasi: list[Drawn], has_classes: bool
) -> tuple[dict[str, Any], tuple[tuple[str, float], ...], list[Drawn]]:
    settings: dict[str, Any] = {"algorithm": search, "seed": int(random.integers(0, 3))}
    settings["missing"] = str(random.choice(["category", "category", "suppress", "error"], p=[0.4, 0.3, 0.25, 0.05]))
    settings["release"] = str(random.choice(["interval", "interval", "node", "bounds", "centre"]))
    settings["ends"] = "snapped" if settings["release"] != "centre" and random.random() < 0.25 else "exact"
    if not has_classes and settings["release"] == "centre":
        settings["release"] = "interval"
    if search in ("threshold-clustering", "optimal-recoding") and random.random() < 0.6:
        settings["suppression"] = float(random.choice([0.1, 0.29, 0.5]))
    if random.random() < 0.25:
        settings["order"] = "shuffled"
    models: list[tuple[str, float]] = []
    if has_classes and random.random() < 0.2:
        models.append(("distinct-l-diversity", 2))
    if has_classes and random.random() < 0.1:
        models.append(("frequency-l-diversity", 1.5))
    settings["models"] = [f"{name}(ill, l={asked})" for name, asked in models]
    for fact, told in (("taxonomy", "taxonomies"), ("order", "orders"), ("domain", "domains"), ("grid", "grids")):
        known = {column.name: column.facts[fact] for column in quasi if fact in column.facts}
        if known:
            settings[told] = known
    quasi = _with_na(random, settings, quasi)
    settings["types"] = {
        column.name: column.type
        for column in quasi
        if column.type != "ordered" and not _tells_its_type(column) and random.random() < 0.5
    }
    if random.random() < 0.3:
        settings["weights"] = {column.name: float(random.choice([0.0, 0.5, 2.0, 3.7])) for column in quasi}
    return settings, tuple(models), quasi


def _tells_its_type(column: Drawn) -> bool:
    return all(value is None for value in column.values)


def _with_na(random: np.random.Generator, settings: dict[str, Any], quasi: list[Drawn]) -> list[Drawn]:
    """Return the columns after what stands for missing was said, of one column or of all."""
    marks = {column.name: [column.facts["na"]] for column in quasi if "na" in column.facts}
    if not marks:
        return quasi
    if random.random() < 0.5:
        settings["na"] = marks
        return quasi
    settings["na"] = everywhere = sorted({mark for own in marks.values() for mark in own})
    return [
        replace(column, values=[None if value in everywhere else value for value in column.values])
        if column.type == "numeric"
        else column
        for column in quasi
    ]
