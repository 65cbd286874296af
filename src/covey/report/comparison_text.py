"""A comparison as plain text for people: a block for each k, the least loss first, the best marked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from covey.base.checks import plural
from covey.base.printable import printable_lines

if TYPE_CHECKING:
    from covey.report.comparison import Comparison, Row

__all__ = ["BEST", "Figure", "comparison_text", "heading", "sample_words", "shown_figures"]

BEST = "*"


@dataclass(frozen=True, slots=True)
class Figure:
    """A column of the table: its title, what it means, and how a row shows it (None: there is none)."""

    title: str
    meaning: str
    show: Callable[[Row], str | None]


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{value:.2%}" if value < 0.0995 else f"{value:.1%}"


def _whole(value: float | None) -> str | None:
    return None if value is None else f"{value:,.0f}"


def _plain(value: float | None) -> str | None:
    return None if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _left_out(row: Row) -> str | None:
    return f"{row.suppressed:,}" if row.suppressed else None


def _seconds(value: float | None) -> str | None:
    if value is None:
        return None
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"


FIGURES = (
    Figure("loss", "mean price of a released cell, 0 to 100 %", lambda row: _percent(row.mean_price)),
    Figure("Total-IL", "the same summed over rows and columns", lambda row: _whole(row.total_il)),
    Figure("GCP", "mean share of its domain that a released cell covers", lambda row: _percent(row.gcp)),
    Figure("DM", "sum of squared class sizes", lambda row: _whole(row.dm)),
    Figure("CM", "rows not of their class's majority in {target}", lambda row: _percent(row.cm_share)),
    Figure("ED", "rows in classes with one value of {sensitive}", lambda row: _percent(row.ed_share)),
    Figure("query", "median relative error of random range counts", lambda row: _percent(row.query_error)),
    Figure("SD", "rows in classes with one, truly sensitive value of {sensitive}", lambda row: _whole(row.sd)),
    Figure(
        "1-NN", "{target} told wrongly by the nearest released row", lambda row: _percent(row.nearest_neighbour_error)
    ),
    Figure("distortion", "squared differences to the class centres", lambda row: _plain(row.information_distortion)),
    Figure("diameter", "sum of rows x greatest distance in a class", lambda row: _plain(row.diameter_cost)),
    Figure("centre", "greatest distance between two rows of a class", lambda row: _plain(row.centre_cost)),
    Figure("classes", "", lambda row: _whole(row.classes)),
    Figure("left out", "suppressed rows, priced in the loss as rows that tell nothing", _left_out),
    Figure(
        "s",
        "seconds of the search and of what models ask of it, compiling not counted",
        lambda row: _seconds(row.seconds),
    ),
    Figure("MB", "most memory that the run took beyond the table", lambda row: _whole(row.peak_memory_mb)),
)


def comparison_text(comparison: Comparison) -> str:
    """Return the table: a block for each k, failures at its end, what the figures mean below."""
    figures = shown_figures(comparison)
    rows = [row for row in comparison.rows if row.failure is None]
    wide = max(max(len(row.algorithm), len(f"k = {row.k}")) for row in comparison.rows)
    widths = [
        max([len(figure.title), *(len(figure.show(row) or "-") for row in rows)]) for figure in figures
    ]  # the same in all blocks
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
    return f"{plural(n, 'algorithm')} on {of}{plural(comparison.table_rows, 'row')}, k = {ks}; least loss first"


def shown_figures(comparison: Comparison) -> list[Figure]:
    """Return the columns in which at least one row has something, with their meanings filled in."""
    names = {"target": comparison.target, "sensitive": comparison.sensitive}
    return [
        Figure(figure.title, figure.meaning.format(**{role: f"`{name}`" for role, name in names.items()}), figure.show)
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
        known.insert(0, (BEST, "the least loss at this k"))
    if any(row.classes is None and row.mean_price is not None for row in comparison.rows):
        known.append(("-", "it makes no classes: its promise is another, so it is never marked"))
    if any(sample_words(row, comparison) for row in comparison.rows):
        known.append(("sampled", "too slow for all rows: only shares can be compared, and it is never marked"))
    wide = max((len(title) for title, _ in known), default=0)
    return [f"  {title:<{wide}}  {meaning}" for title, meaning in known]
