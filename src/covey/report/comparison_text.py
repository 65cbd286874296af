"""A comparison as plain text for people: a block for each k, the least loss first, the best marked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from covey.base.checks import plural
from covey.base.printable import printable_lines

if TYPE_CHECKING:
    from covey.report.comparison import Comparison, Row

__all__ = ["BEST", "Figure", "comparison_text", "heading", "sample_words", "shown_figures"]

BEST = "*"


@dataclass(frozen=True, slots=True)
class Figure:
    """A column of the table: its title, what it means, the field of a row that holds it, and how that is written."""

    title: str
    meaning: str
    field: str
    form: Callable[[Any], str | None]

    def show(self, row: Row) -> str | None:
        """Return what a row has of it, None if there is nothing."""
        value = getattr(row, self.field)
        return None if value is None else self.form(value)


def _percent(value: float) -> str:
    return f"{value:.2%}" if value < 0.0995 else f"{value:.1%}"


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _if_any(count: int) -> str | None:
    return f"{count:,}" if count else None


def _seconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"


FIGURES = (
    Figure("loss", "mean price of a released cell, 0 to 100 %", "mean_price", _percent),
    Figure("Total-IL", "the same summed over rows and columns", "total_il", _whole),
    Figure("GCP", "mean share of its domain that a released cell covers", "gcp", _percent),
    Figure("DM", "sum of squared class sizes", "dm", _whole),
    Figure("CM", "rows not of their class's majority in {target}", "cm_share", _percent),
    Figure("ED", "rows in classes with one value of {sensitive}", "ed_share", _percent),
    Figure("query", "median relative error of random range counts", "query_error", _percent),
    Figure("SD", "rows in classes with one, truly sensitive value of {sensitive}", "sd", _whole),
    Figure("1-NN", "{target} told wrongly by the nearest released row", "nearest_neighbour_error", _percent),
    Figure("distortion", "squared differences to the class centres", "information_distortion", _plain),
    Figure("diameter", "sum of rows x greatest distance in a class", "diameter_cost", _plain),
    Figure("centre", "greatest distance between two rows of a class", "centre_cost", _plain),
    Figure("classes", "", "classes", _whole),
    Figure("left out", "suppressed rows, priced in the loss as rows that tell nothing", "suppressed", _if_any),
    Figure("s", "seconds of the search and of what models ask of it, compiling not counted", "seconds", _seconds),
    Figure("MB", "most memory that the run took beyond the table", "peak_memory_mb", _whole),
)


def comparison_text(comparison: Comparison) -> str:
    """Return the table: a block for each k, failures at its end, what the figures mean below."""
    figures = shown_figures(comparison)
    rows = [row for row in comparison.rows if row.failure is None]
    wide = max(max(len(row.algorithm), len(f"k = {row.k}")) for row in comparison.rows)
    # the same in all blocks
    widths = [max([len(figure.title), *(len(figure.show(row) or "-") for row in rows)]) for figure in figures]
    lines = [heading(comparison)]
    for k in comparison.ks:
        titles = "  ".join(figure.title.rjust(width) for figure, width in zip(figures, widths, strict=True))
        lines += ["", f"  {f'k = {k}':<{wide}}  {titles}".rstrip()]
        lines += [_line(row, comparison, figures, wide, widths) for row in comparison.rows if row.k == k]
    return printable_lines([*lines, "", *_legend(comparison, figures)])


def heading(comparison: Comparison) -> str:
    """Return what was compared, in a line."""
    n = len({row.algorithm for row in comparison.rows})
    ks = ", ".join(map(str, comparison.ks))
    of = f"a sample of {comparison.sample:,} of " if comparison.sample is not None else ""
    return (
        f"{plural(n, 'algorithm')} on {of}{plural(comparison.table_rows, 'row')}, k = {ks}; {least(comparison)} first"
    )


def least(comparison: Comparison) -> str:
    """Return what the best has."""
    return "least loss" if comparison.ranked_by == "mean_price" else "least distortion"


def shown_figures(comparison: Comparison) -> list[Figure]:
    """Return the columns in which at least one row has something, with their meanings filled in."""
    names = {"target": f"`{comparison.target}`", "sensitive": f"`{comparison.sensitive}`"}
    return [
        replace(figure, meaning=figure.meaning.format(**names))
        for figure in FIGURES
        if any(figure.show(row) is not None for row in comparison.rows)
    ]


def sample_words(row: Row, comparison: Comparison) -> str:
    """Return on how many rows an algorithm ran that got fewer than the others; nothing for the others."""
    asked = comparison.table_rows if comparison.sample is None else comparison.sample
    return f"sampled: {row.rows:,} of {comparison.table_rows:,}" if row.rows < asked else ""


def _line(row: Row, comparison: Comparison, figures: list[Figure], wide: int, widths: list[int]) -> str:
    start = f"{BEST if row.best else ' '} {row.algorithm:<{wide}}  "
    if row.failure is not None:
        return f"{start}failed: {row.failure}"
    cells = [(figure.show(row) or "-").rjust(width) for figure, width in zip(figures, widths, strict=True)]
    return f"{start}{'  '.join(cells)}  {sample_words(row, comparison)}".rstrip()


def _legend(comparison: Comparison, figures: list[Figure]) -> list[str]:
    known = [(figure.title, figure.meaning) for figure in figures if figure.meaning]
    if any(row.best for row in comparison.rows):
        known.insert(0, (BEST, f"the {least(comparison)} at this k"))
    if any(row.classes is None and row.mean_price is not None for row in comparison.rows):
        known.append(("-", "it makes no classes: its promise is another, so it is never marked"))
    if any(sample_words(row, comparison) for row in comparison.rows):
        known.append(("sampled", "too slow for all rows: only shares can be compared, and it is never marked"))
    wide = max((len(title) for title, _ in known), default=0)
    return [f"  {title:<{wide}}  {meaning}" for title, meaning in known]
