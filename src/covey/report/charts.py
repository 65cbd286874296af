"""The chart of a comparison as a Vega-Lite specification: loss against k and against time, a line per algorithm.

Colours are those of Okabe and Ito (2008), which people with any kind of colour vision tell apart, without the
yellow, which is hard to see on white; dashes and shapes tell lines of one colour apart.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from covey.base.checks import plural
from covey.report.comparison_text import sample_words

if TYPE_CHECKING:
    from covey.report.comparison import Comparison, Row

__all__ = ["comparison_chart"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00")
DASHES = ((1, 0), (7, 3), (2, 3), (9, 3, 2, 3))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right")
_WIDTH, _HEIGHT, _LINE = 380, 340, 22
_INK, _FAINT, _GRID = "#222222", "#555555", "#E6E6E6"
_LEAST_SECONDS = 1e-4
_MOST_TICKS = 12
_MOST_LETTERS = 150
_POINT = {"type": "point", "size": 62, "strokeWidth": 1.6, "opacity": 1}


def comparison_chart(comparison: Comparison) -> dict[str, Any]:
    """Return a Vega-Lite specification with two panels and the names of the lines beside them.

    The names stand in the order of the lines at the greatest k, the least loss at the bottom.
    """
    names = _by_loss(comparison)
    points = [_point(row, comparison) for row in comparison.rows if row.mean_price is not None]
    panels = [_panel(_against_k(comparison), points, names), _panel(_against_seconds(points), points, names)]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "description": "Loss of algorithms against k and against time",
        "background": "white",
        "padding": 16,
        "title": _title(comparison),
        "hconcat": [*panels, _names(names, comparison)],
        "spacing": 30,
        "config": {
            "font": "Liberation Sans, Helvetica, Arial, sans-serif",
            "view": {"stroke": None},
            "axis": {
                "labelColor": _FAINT, "titleColor": _INK, "labelFontSize": 12, "titleFontSize": 12.5,
                "titleFontWeight": "normal", "titlePadding": 10, "gridColor": _GRID, "domainColor": "#999999",
                "tickColor": "#999999",
            },
            "title": {"color": _INK, "subtitleColor": _FAINT},
        },
    }  # fmt: skip


def _by_loss(comparison: Comparison) -> list[str]:
    """Return the algorithms that have a point, by their loss at the greatest k that they reached."""
    last: dict[str, tuple[int, float]] = {}
    for row in comparison.rows:
        if row.mean_price is not None:
            last[row.algorithm] = max(last.get(row.algorithm, (0, 0.0)), (row.k, row.mean_price))
    return sorted(last, key=lambda name: (last[name][1], name))


def _point(row: Row, comparison: Comparison) -> dict[str, Any]:
    return {
        "algorithm": row.algorithm,
        "k": row.k,
        "loss": row.mean_price,
        "seconds": max(row.seconds or 0.0, _LEAST_SECONDS),
        "sampled": bool(sample_words(row, comparison)),
        "best": row.best,
    }


def _against_k(comparison: Comparison) -> dict[str, Any]:
    ks = comparison.ks
    is_wide = ks[-1] / ks[0] > 4
    title = "k, least rows in a class" + (" (log scale)" if is_wide else "")
    scale = {"type": "log" if is_wide else "linear", "zero": False, "nice": False, "padding": 18}
    axis = {"values": _ticks(ks), "format": ",d", "grid": False, "labelOverlap": True}
    return _number("k", title=title, scale=scale, axis=axis)


def _number(field: str, **more: Any) -> dict[str, Any]:
    """Return the encoding of a field that holds numbers."""
    return {"field": field, "type": "quantitative", **more}


def _ticks(ks: Sequence[int]) -> list[int]:
    """Return at most a dozen of the k, evenly chosen, the ends among them."""
    if len(ks) <= _MOST_TICKS:
        return list(ks)
    step = (len(ks) - 1) / (_MOST_TICKS - 1)
    return [ks[round(place * step)] for place in range(_MOST_TICKS)]


def _against_seconds(points: list[dict[str, Any]]) -> dict[str, Any]:
    scale = {"type": "log", "nice": False, "padding": 18}
    axis = {"values": _round_times([point["seconds"] for point in points]), "format": "~g", "labelOverlap": True}
    return _number("seconds", title="seconds of the algorithm (log scale)", scale=scale, axis=axis)


def _round_times(seconds: list[float]) -> list[float]:
    """Return the round times within a factor of two of what was measured: 1, 10, ..., or 1, 2, 5, ... for few decades.

    >>> _round_times([0.02, 30.0]), _round_times([0.3, 1.5])
    ([0.01, 0.1, 1.0, 10.0], [0.2, 0.5, 1.0, 2.0])
    """
    least, most = min(seconds, default=1.0) / 2, max(seconds, default=1.0) * 2
    decades = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    steps = (1, 2, 5) if most / least < 400 else (1,)
    times = [float(f"{step}e{decade}") for decade in decades for step in steps]
    return [time for time in times if least <= time <= most]


def _panel(x: dict[str, Any], points: list[dict[str, Any]], names: list[str]) -> dict[str, Any]:
    most = max((point["loss"] for point in points), default=1.0)
    scale, axis = {"domain": [0, most * 1.04 or 0.01], "nice": False}, {"format": ".1~%", "tickCount": 6}
    y = _number("loss", title="loss, mean price of a released cell", scale=scale, axis=axis)
    tooltip = [
        {"field": "algorithm", "type": "nominal"},
        _number("k"),
        _number("loss", format=".2%"),
        _number("seconds", format=".3~g"),
    ]
    line = {
        "mark": {"type": "line", "strokeWidth": 2, "strokeJoin": "round"},
        "encoding": {"order": _number("k"), **_looks(names, "stroke", dashes=True)},
    }
    point = {"mark": _POINT, "encoding": {**_point_looks(names), "tooltip": tooltip}}
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "data": {"values": points},
        "encoding": {"x": x, "y": y},
        "layer": [line, point],
    }


def _looks(names: list[str], channel: str, *, dashes: bool = False, shapes: bool = False) -> dict[str, Any]:
    """Return the encodings that give each algorithm its colour, dash and shape, without a legend."""

    def scaled(kinds: Sequence[Any]) -> dict[str, Any]:
        scale = {"domain": names, "range": list(kinds)}
        return {"field": "algorithm", "type": "nominal", "scale": scale, "legend": None}

    places = range(len(names))
    looks = {channel: scaled([COLOURS[i % len(COLOURS)] for i in places])}
    if dashes:
        looks["strokeDash"] = scaled([list(DASHES[i // len(COLOURS) % len(DASHES)]) for i in places])
    if shapes:
        looks["shape"] = scaled([SHAPES[i % len(SHAPES)] for i in places])
    return looks


def _point_looks(names: list[str]) -> dict[str, Any]:
    """Return the encodings of a point, hollow where a sample was run."""
    fill = {"condition": {"test": "datum.sampled", "value": "white"}, **_looks(names, "fill")["fill"]}
    return {**_looks(names, "stroke", shapes=True), "fill": fill}


def _names(names: list[str], comparison: Comparison) -> dict[str, Any]:
    """Return the names of the lines, each beside a piece of its line: a legend in the order of the lines."""
    sampled = {row.algorithm: row for row in comparison.rows if sample_words(row, comparison)}
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(reversed(names)):
        note = f" ({sampled[name].rows:,} rows)" if name in sampled else ""
        rows.append({"algorithm": name, "text": name + note, "row": place, "sampled": name in sampled})
    lines = max(len(names), 1)
    scale = {"domain": [-0.5, lines - 0.5], "reverse": True, "nice": False}
    wide = max((len(row["text"]) for row in rows), default=0) * 7 + 40
    return {
        "width": wide,
        "height": lines * _LINE,
        "data": {"values": rows},
        "encoding": {"y": _number("row", axis=None, scale=scale)},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {"x": {"value": 0}, "x2": {"value": 28}, **_looks(names, "stroke", dashes=True)},
            },
            {"mark": _POINT, "encoding": {"x": {"value": 14}, **_point_looks(names)}},
            {
                "mark": {"type": "text", "align": "left", "baseline": "middle", "fontSize": 12, "color": _INK},
                "encoding": {"x": {"value": 36}, "text": {"field": "text", "type": "nominal"}},
            },
        ],
    }


def _title(comparison: Comparison) -> dict[str, Any]:
    rows = plural(comparison.table_rows, "row")
    of = f"a sample of {comparison.sample:,} of " if comparison.sample is not None else ""
    lines = ["Lower is better, and further left is faster. Every point is one k; in both panels k grows along a line."]
    if any(sample_words(row, comparison) for row in comparison.rows):
        lines.append("Hollow points: too slow for all rows, so run on a sample, of as many rows as the legend says.")
    failed: dict[str, list[str]] = {}
    for row in comparison.rows:
        if row.failure is not None:
            failed.setdefault(row.algorithm, []).append(str(row.k))
    if failed:
        told = "; ".join(f"{name} at k = {', '.join(ks)}" for name, ks in failed.items())
        lines += textwrap.wrap(f"Not shown, because the run failed: {told}.", _MOST_LETTERS)
    n = len({row.algorithm for row in comparison.rows})
    return {
        "text": f"What {plural(n, 'algorithm')} lose{'s' if n == 1 else ''} on {of}{rows}",
        "subtitle": lines,
        "anchor": "start",
        "fontSize": 17,
        "subtitleFontSize": 12.5,
        "subtitlePadding": 6,
        "offset": 16,
    }
