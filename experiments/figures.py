"""Line charts for the results: Vega-Lite documents, drawn to SVG or PNG without a browser.

Every line has a colour of Okabe and Ito, a shape and a dash of its own, so that lines are told apart
without colour too.  A name keeps its look in all charts that are given the same `looks`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Axis", "draw", "line_chart", "side_by_side"]

# Okabe and Ito (2008), without yellow, which is too pale for a line on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [12, 4], [1, 3])

Points = Sequence[tuple[float, float]]
Chart = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows, with its unit, and whether equal steps are equal ratios."""

    title: str
    log: bool = False
    ticks: tuple[float, ...] | None = None
    """Where the ticks stand, if not where the chart would put them."""
    from_zero: bool = True


def line_chart(
    title: str,
    x: Axis,
    y: Axis,
    series: Mapping[str, Points],
    *,
    looks: Sequence[str] = (),
    width: int = 430,
    height: int = 270,
) -> Chart:
    """Return a chart with one line per series; on a log axis points at 0 or below are left out.

    `looks`: all the names of a family of charts in a fixed order, so that each looks the same in all of them.

    >>> chart = line_chart("Growth", Axis("rows"), Axis("time (s)"), {"plain": [(1, 0.5), (2, 2.0)]})
    >>> [point["y"] for point in chart["data"]["values"]]
    [0.5, 2.0]
    """
    names = list(series)
    order = [*looks, *(name for name in names if name not in looks)]
    numbers = [order.index(name) for name in names]
    values: list[Chart] = [
        {"x": float(a), "y": float(b), "line": name}
        for name, points in series.items()
        for a, b in points
        if not (x.log and a <= 0) and not (y.log and b <= 0)
    ]
    legend = {"title": None, "symbolSize": 90, "symbolStrokeWidth": 0, "labelLimit": 320}

    def look(choices: Sequence[Any], legend: Chart | None = legend) -> Chart:
        chosen = [choices[number % len(choices)] for number in numbers]
        return {"field": "line", "type": "nominal", "scale": {"domain": names, "range": chosen}, "legend": legend}

    place = {
        "x": _place("x", x, [point["x"] for point in values]),
        "y": _place("y", y, [point["y"] for point in values]),
    }
    return {
        "title": {"text": title, "anchor": "start"},
        "width": width,
        "height": height,
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {**place, "color": look(COLOURS), "strokeDash": look(DASHES, legend=None)},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
                "encoding": {**place, "color": look(COLOURS), "shape": look(SHAPES)},
            },
        ],
    }


def side_by_side(*charts: Chart) -> Chart:
    """Return charts in one row, each with its own axes and legend."""
    return {
        "hconcat": list(charts),
        "spacing": 30,
        "resolve": {"scale": {"color": "independent", "shape": "independent", "strokeDash": "independent"}},
    }


def draw(chart: Chart, path: Path) -> None:
    """Write a chart to a `.svg` or `.png` file, by its name."""
    import vl_convert

    document = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": "white",
        "padding": 10,
        "config": {
            "font": "Helvetica, Arial, sans-serif",
            "title": {"fontSize": 14},
            "axis": {"labelFontSize": 12, "titleFontSize": 12, "titlePadding": 8, "gridColor": "#e4e4e4"},
            "legend": {"labelFontSize": 12, "orient": "bottom", "columns": 2, "direction": "horizontal"},
            "view": {"stroke": "#888888"},
        },
        **chart,
    }
    if path.suffix == ".svg":
        path.write_text(_short(vl_convert.vegalite_to_svg(document, vl_version="5.21")), encoding="utf-8")
    else:
        path.write_bytes(vl_convert.vegalite_to_png(document, vl_version="5.21", scale=1.5))


def _short(svg: str) -> str:
    """Return a drawing without what goes without saying: coordinates to tenths of a point, labels to 1e-4.

    >>> _short('<path d="M1.23456,7L2,3.99999" aria-label="k: 0.12345"/>')
    '<path d="M1.2,7L2,4.0" aria-label="k: 0.1235"/>'
    """

    def rounded(digits: int) -> Callable[[re.Match[str]], str]:
        long = rf"\d+\.\d{{{digits + 1},}}"
        return lambda found: re.sub(long, lambda number: f"{float(number[0]):.{digits}f}", found[0])

    svg = re.sub(r' (?:opacity|stroke-width)="1"', "", svg)  # as it is without
    svg = re.sub(r' (?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"', rounded(1), svg)
    svg = re.sub(r' aria-roledescription="[^"]*"', "", svg)  # says of every mark again that it is one
    return re.sub(r' aria-label="[^"]*"', rounded(4), svg)


def _place(channel: str, axis: Axis, values: Sequence[float]) -> Chart:
    """Return where a number stands: the scale and the ticks of one axis."""
    scale: Chart = {"type": "log", "nice": False, "padding": 12} if axis.log else {"zero": axis.from_zero, "nice": True}
    ticks = axis.ticks or (_log_ticks(values) if axis.log else ())
    greatest = max([*values, *ticks], default=0)
    return {
        "field": channel,
        "type": "quantitative",
        "scale": scale,
        "axis": {
            "title": axis.title,
            "format": ".3~s" if greatest >= 10_000 else ".3~r",  # without a precision 150 reads 200
            "labelOverlap": "greedy",
            **({"values": list(ticks)} if ticks else {"tickCount": 6}),
        },
    }


def _log_ticks(values: Sequence[float]) -> tuple[float, ...]:
    """Return powers of ten over the values, and 2 and 5 times them where there are few.

    >>> _log_ticks([0.02, 0.3])
    (0.02, 0.05, 0.1, 0.2)
    """
    least, greatest = min(values), max(values)
    steps = (1, 2, 5) if greatest < 100 * least else (1,)
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(greatest))
    ticks = (float(f"{step}e{power}") for power in range(first, last + 1) for step in steps)
    return tuple(tick for tick in ticks if least <= tick <= greatest)
