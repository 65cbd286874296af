"""The results of a comparison: one row per algorithm and k, as a document, as a table and as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from covey.report.document import as_told

__all__ = ["Comparison", "Row", "ranked"]


@dataclass(frozen=True, slots=True)
class Row:
    """One algorithm at one k; figures are None where there are none, and `failure` says why a run gave none."""

    algorithm: str
    k: int
    rows: int
    """How many rows it ran on."""
    sampled: bool
    """Whether these are fewer than the table has: then only figures per row can be compared."""
    suppressed: int | None = None
    """How many of them it left out; each costs as much as a row that tells nothing."""
    classes: int | None = None
    total_il: float | None = None
    mean_price: float | None = None
    """Total-IL per row and unit of weight, 0 to 1: what is compared."""
    gcp: float | None = None
    dm: int | None = None
    cm: int | None = None
    """Rows that are left out or not of their class's majority in the column `target`."""
    cm_share: float | None = None
    ed: int | None = None
    """Rows in classes with a single value in the column `sensitive`."""
    ed_share: float | None = None
    query_error: float | None = None
    """Median relative error of random range-count queries."""
    sd: int | None = None
    """If asked for: rows in classes whose single value in the column `sensitive` is a truly sensitive one."""
    nearest_neighbour_error: float | None = None
    """If asked for: of the column `target`, told by the nearest released row."""
    information_distortion: float | None = None
    """If asked for: squared differences to the class centres."""
    diameter_cost: float | None = None
    """If asked for: sum over classes of rows x greatest distance between two."""
    centre_cost: float | None = None
    """If asked for: greatest distance between two rows of a class."""
    seconds: float | None = None
    """Time of the search and of enforcing the models, compiling not counted."""
    release_seconds: float | None = None
    """Time from the table to the verified release."""
    peak_memory_mb: float | None = None
    """The most memory that the run took beyond what its process held before: interpreter, table, compiled code."""
    best: bool = False
    """Whether no other algorithm lost less at this k, among those that ran on as many rows."""
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Algorithms on one table, sorted by k and then by loss; `print` shows the table.

    `to_json` is the contract of `docs/compare.schema.json`.
    """

    version: str
    table_rows: int
    rows: tuple[Row, ...]
    quasi: tuple[str, ...]
    target: str | None
    """The column of CM."""
    sensitive: str | None
    """The column of ED."""
    seed: int
    limit: float | None
    """Seconds that a run may take; None is any time."""
    effort: str
    budget: float | None
    sample: int | None
    """How many rows all algorithms were given; None is all."""
    ranked_by: Literal["mean_price", "information_distortion"] = "mean_price"
    """The figure that sorts the rows at a k and marks the best: of centres the loss is told in rough steps only."""

    @property
    def ks(self) -> tuple[int, ...]:
        """Return the k that were asked for, in order."""
        return tuple(sorted({row.k for row in self.rows}))

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a JSON document."""
        return {
            "covey": self.version,
            "rows": self.table_rows,
            "sample": self.sample,
            "k": list(self.ks),
            "quasi": list(self.quasi),
            **as_told(self, "target", "sensitive", "seed", "limit", "effort", "budget", "ranked_by"),
            "results": [asdict(row) for row in self.rows],
        }

    def to_csv(self) -> str:
        """Return the rows as CSV with a header; a figure that there is not is an empty cell."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([column.name for column in fields(Row)])
        writer.writerows(map(_cell, asdict(row).values()) for row in self.rows)
        return out.getvalue()

    def to_table(self) -> pa.Table:
        """Return the rows as a pyarrow table."""
        types = {column.name: _ARROW[str(column.type).removesuffix(" | None")] for column in fields(Row)}
        return pa.Table.from_pylist([asdict(row) for row in self.rows], pa.schema(list(types.items())))

    def chart(self) -> dict[str, Any]:
        """Return a Vega-Lite specification: loss against k and against time, a line per algorithm."""
        from covey.report.charts import comparison_chart

        return comparison_chart(self)

    def save_chart(self, path: str | Path, *, force: bool = False) -> None:
        """Write the chart as .svg, .png, .html (with the table below it) or .json, as the name ends.

        SVG, PNG and HTML need `pip install "covey[report]"`.
        """
        from covey.report.chart_files import save_chart

        save_chart(self, str(path), force=force)

    def __str__(self) -> str:
        from covey.report.comparison_text import comparison_text

        return comparison_text(self)

    def __repr__(self) -> str:
        failed = sum(row.failure is not None for row in self.rows)
        shape = f"{len(self.rows)} runs" + (f", {failed} failed" if failed else "")
        return f"<covey comparison: {shape}, {self.table_rows:,} rows; print it, or see .rows>"


_ARROW = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}


def _cell(value: object) -> object:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else value


def ranked(rows: Sequence[Row], contenders: Sequence[bool], by: str = "mean_price") -> tuple[Row, ...]:
    """Return the rows by k and then by a figure, failures last, the least one of contenders at each k marked as best.

    contenders: which rows may be best, because they ran on the same rows with the same promise.

    >>> two = [Row("a", 2, 10, False, mean_price=0.5), Row("b", 2, 10, False, mean_price=0.25)]
    >>> [(row.algorithm, row.best) for row in ranked(two, [True, True])]
    [('b', True), ('a', False)]
    """
    least: dict[int, float] = {}
    for row, may in zip(rows, contenders, strict=True):
        lost = getattr(row, by)
        if may and lost is not None:
            least[row.k] = min(lost, least.get(row.k, lost))
    marked = [
        replace(row, best=may and getattr(row, by) is not None and getattr(row, by) == least[row.k])
        for row, may in zip(rows, contenders, strict=True)
    ]
    return tuple(sorted(marked, key=lambda row: _place(row, getattr(row, by))))


def _place(row: Row, lost: float | None) -> tuple[Any, ...]:
    return row.k, lost is None, 0.0 if lost is None else lost, not row.best
