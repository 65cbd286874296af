"""Lines to compare: a number for each algorithm at each k (or number of rows), and what can be said of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from figures import Axis, line_chart
from results import Section, number

__all__ = [
    "Lines",
    "always_below",
    "at_most",
    "exceptions",
    "excesses",
    "points",
    "ratios",
    "show",
    "table",
    "upper_half",
]

Lines = Mapping[str, Mapping[int, float]]


def show(section: Section, file: str, title: str, x: Axis, y: Axis, lines: Lines, digits: int,
         looks: Sequence[str]) -> None:  # fmt: skip
    """Add a figure and the table of its numbers."""
    chart = line_chart(title, x, y, {name: points(line) for name, line in lines.items()}, looks=looks)
    section.figure(file, chart, f"{title}: {y.title} against {x.title}, a line per algorithm")
    table(section, x.title, lines, digits)


def table(section: Section, head: str, lines: Lines, digits: int) -> None:
    """Add a table with a column per k."""
    xs = list(next(iter(lines.values())))
    rows = [(name, *(number(line[x], digits) for x in xs)) for name, line in lines.items()]
    section.table([head, *map(number, xs)], rows)


def points(line: Mapping[int, float]) -> list[tuple[float, float]]:
    """Return a line as points."""
    return [(float(x), float(y)) for x, y in line.items()]


def upper_half(line: Mapping[int, float]) -> list[tuple[float, float]]:
    """Return the upper half of a line, and at least two points: there the fixed costs no longer count."""
    return points(line)[-max(2, (len(line) + 1) // 2) :]


def always_below(lines: Lines, name: str, others: Iterable[str]) -> bool:
    """Return whether one line is below others everywhere."""
    return all(not _where(lines, name, other, lambda a, b: a >= b) for other in others)


def at_most(lines: Lines, name: str, other: str, factor: float) -> bool:
    """Return whether one line is at most `factor` times another everywhere."""
    return not _where(lines, name, other, lambda a, b: a > factor * b)


def exceptions(lines: Lines, name: str, others: Iterable[str]) -> str:
    """Return where a line is not below others, in words; nothing if it is below them everywhere.

    >>> exceptions({"a": {2: 5.0, 5: 9.0}, "b": {2: 6.0, 5: 8.0}}, "a", ["b"])
    '; a is not below b at 5'
    """
    words = []
    for other in others:
        found = _where(lines, name, other, lambda a, b: a >= b)
        if found:
            words.append(f"; {name} is not below {other} at {', '.join(map(number, found))}")
    return "".join(words)


def excesses(lines: Lines, name: str, other: str, factor: float) -> str:
    """Return where a line is more than `factor` times another, in words; nothing if it never is.

    >>> excesses({"a": {2: 5.0, 5: 9.0}, "b": {2: 6.0, 5: 8.0}}, "a", "b", 1.1)
    '; more than 1.1 times at 5'
    """
    found = _where(lines, name, other, lambda a, b: a > factor * b)
    return f"; more than {factor:g} times at {', '.join(map(number, found))}" if found else ""


def ratios(lines: Lines, names: Iterable[str], base: str) -> str:
    """Return the least and the greatest ratio of each line to a base line.

    >>> ratios({"a": {2: 5.0, 5: 9.0}, "b": {2: 10.0, 5: 9.0}}, ["b"], "a")
    'b 1.00 to 2.00 times a'
    """
    words = []
    for name in names:
        found = [lines[name][x] / lines[base][x] for x in lines[name] if lines[base][x] > 0]
        span = f"{min(found):.2f} to {max(found):.2f}" if len(found) > 1 else f"{found[0]:.2f}"
        words.append(f"{name} {span} times")
    return f"{', '.join(words)} {base}"


def _where(lines: Lines, name: str, other: str, fails: Callable[[float, float], bool]) -> list[int]:
    return [x for x in lines[name] if fails(lines[name][x], lines[other][x])]
