"""Charts as files: SVG and PNG, or one HTML page with the figures below, which asks nothing of a network."""

from __future__ import annotations

import importlib
import json
import os
from html import escape
from typing import TYPE_CHECKING, Any

from covey.base.errors import InputError
from covey.report.charts import comparison_chart
from covey.report.comparison_text import heading, least, sample_words, shown_figures
from covey.tables.files import check_target
from covey.tables.files.atomic import publish_file

if TYPE_CHECKING:
    from covey.report.comparison import Comparison, Row

__all__ = ["check_chart", "save_chart"]

_VEGA_LITE = "5.20"
_SCALE = 2.0
"""Pixels of a PNG per unit of the chart: sharp on screens of today and in print."""


def check_chart(path: str, *, force: bool) -> None:
    """Raise unless a chart can be written under this name; to be asked before any work."""
    kind = _kind(path)
    check_target(path, source=None, force=force)
    if kind != "json":
        _renderer()


def save_chart(comparison: Comparison, path: str, *, force: bool = False) -> None:
    """Write the chart of a comparison in the format that the name ends in, whole or not at all."""
    check_chart(path, force=force)
    content = _WRITERS[_kind(path)](comparison)
    publish_file(lambda out: out.write(content), path, check=lambda written: None, force=force)


def _kind(path: str) -> str:
    kind = os.path.splitext(path)[1].lower().removeprefix(".")
    if kind not in _WRITERS:
        raise InputError(
            f"the ending of `{path}` does not tell a kind of chart",
            code="unknown-format",
            hint="let the name end in .svg, .png, .html or .json",
        )
    return kind


def _renderer() -> Any:
    try:
        return importlib.import_module("vl_convert")
    except ImportError:
        raise InputError(
            "charts need a package that is not installed",
            code="not-installed",
            hint='pip install "covey[report]", or write the chart as .json',
        ) from None


def _svg(comparison: Comparison) -> str:
    chart = comparison_chart(comparison)
    return str(_renderer().vegalite_to_svg(chart, vl_version=_VEGA_LITE, allowed_base_urls=[]))


def _png(comparison: Comparison) -> bytes:
    chart = comparison_chart(comparison)
    return bytes(_renderer().vegalite_to_png(chart, vl_version=_VEGA_LITE, scale=_SCALE, allowed_base_urls=[]))


def _json(comparison: Comparison) -> bytes:
    return (json.dumps(comparison_chart(comparison), indent=2) + "\n").encode()


_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.35rem; }
figure { margin: 0 0 1.5rem; overflow-x: auto; }
svg { max-width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: bold; padding: 1rem 0 0.35rem; }
th, td { padding: 0.2rem 0.8rem; border-bottom: 1px solid #e3e3e3; text-align: right; white-space: nowrap; }
th { color: #555; font-weight: normal; }
th[scope=row], th:first-child, td.words { text-align: left; color: #222; }
tr.best th, tr.best td { font-weight: bold; }
td.words { color: #8a3b00; white-space: normal; }
dl { display: grid; grid-template-columns: max-content auto; gap: 0.15rem 1rem; color: #555; }
dt { color: #222; } dd { margin: 0; }
"""


def _html(comparison: Comparison) -> bytes:
    """Return one page with the chart and the tables; it holds all it needs."""
    figures = shown_figures(comparison)
    titles = "".join(f'<th scope="col">{escape(figure.title)}</th>' for figure in figures)
    tables = []
    for k in comparison.ks:
        rows = "\n".join(_html_row(row, comparison, figures) for row in comparison.rows if row.k == k)
        head = f'<thead><tr><th scope="col">algorithm</th>{titles}<th scope="col"></th></tr></thead>'
        tables.append(f"<table><caption>k = {k}</caption>{head}<tbody>\n{rows}\n</tbody></table>")
    told = [figure for figure in figures if figure.meaning]
    meanings = "".join(f"<dt>{escape(figure.title)}</dt><dd>{escape(figure.meaning)}</dd>" for figure in told)
    title = escape(heading(comparison))
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<figure>{_svg(comparison)}</figure>
<div class="wide">
{"".join(tables)}
</div>
<h2>What the figures mean</h2>
<dl>{meanings}</dl>
<p>Bold and *: the {least(comparison)} at this k. Every row is of a verified release.
covey {escape(comparison.version)}, seed {comparison.seed}.</p>
</body>
</html>
"""
    return page.encode()


def _html_row(row: Row, comparison: Comparison, figures: Any) -> str:
    name = f'<th scope="row">{escape(row.algorithm)}{" *" if row.best else ""}</th>'
    if row.failure is not None:
        return f'<tr>{name}<td class="words" colspan="{len(figures) + 1}">failed: {escape(row.failure)}</td></tr>'
    cells = "".join(f"<td>{escape(figure.show(row) or '-')}</td>" for figure in figures)
    words = f'<td class="words">{escape(sample_words(row, comparison))}</td>'
    return f'<tr class="{"best" if row.best else "other"}">{name}{cells}{words}</tr>'


_WRITERS = {"svg": lambda comparison: _svg(comparison).encode(), "png": _png, "html": _html, "json": _json}
