"""Trees to look at: indented text, Graphviz, and a picture (SVG) drawn here, root on the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import accumulate
from unicodedata import category

from covey.base.arrays import FloatVector
from covey.base.checks import plural
from covey.base.printable import printable_lines
from covey.mining.learn.tree.published import GrownTree

__all__ = ["to_dot", "to_svg", "to_text"]

# Okabe and Ito's colours, which colour-blind people tell apart
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
_LINE, _GAP, _BAR, _LETTER, _EDGE = 24, 50, 60, 7.0, 14


@dataclass(frozen=True, slots=True)
class _Shown:
    """A node that is shown."""

    number: int
    depth: int
    parent: int
    asked: str
    """The column of the test that leads here."""
    answer: str
    """What the branch says of it, such as `<= 34.5`."""
    told: str
    """The column that is tested here, the class of a leaf, or `12 leaves` where the drawing ends."""
    counts: str
    is_end: bool
    is_leaf: bool
    has_rows: bool


def to_text(tree: GrownTree, max_depth: int | None = None) -> str:
    """Return one line for all rows, then one per branch, indented by its depth."""
    tree, lines = _readable_tree(tree), []
    for node in _shown(tree, max_depth):
        label = tree.target if node.depth == 0 else f"{node.asked} {node.answer}"
        told = f" -> {node.told}" if node.is_end else ""
        lines.append(f"{'|  ' * (node.depth - 1)}{label}{told}: {node.counts}")
    return printable_lines(lines)


def to_dot(tree: GrownTree, max_depth: int | None = None) -> str:
    """Return the tree as a directed graph."""
    lines = ["digraph tree {", "  rankdir=LR;", '  node [shape=box, style=rounded, fontname="sans-serif"];']
    for node in _shown(tree, max_depth):
        label = f"{node.told}\n{node.counts}"
        lines.append(f"  n{node.number} [label={_quoted(label)}];")
        if node.depth:
            lines.append(f"  n{node.parent} -> n{node.number} [label={_quoted(node.answer)}];")
    return "\n".join([*lines, "}"])


def _readable_tree(tree: GrownTree) -> GrownTree:
    """Return a tree whose names and values can be written on a line."""
    columns = [
        replace(
            column,
            name=_readable(column.name),
            levels=tuple(
                replace(level, branches=tuple(name if name is None else _readable(name) for name in level.branches))
                for level in column.levels
            ),
        )
        for column in tree.columns
    ]
    classes = tuple(_readable(str(label)) for label in tree.classes)
    return replace(tree, columns=tuple(columns), classes=classes, target=_readable(tree.target))


def _readable(text: str) -> str:
    """Return a text without control characters, which break lines, and which a picture must not hold.

    >>> _readable("a\\nb")
    'a\\\\nb'
    """
    return "".join(c.encode("unicode_escape").decode() if _is_control(c) else c for c in text)


def _is_control(character: str) -> bool:
    return category(character) in ("Cc", "Cs", "Zl", "Zp") or character in "\ufffe\uffff"


def _quoted(text: str) -> str:
    lines = [_readable(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n")]
    return '"' + "\\n".join(lines) + '"'


def _shown(tree: GrownTree, max_depth: int | None) -> list[_Shown]:
    """Return the nodes to show, each followed by those below it."""
    shares = tree.shares()
    found = []
    waiting = [(0, 0, -1, "", "")]
    while waiting:
        number, depth, parent, asked, answer = waiting.pop()
        node = tree.nodes[number]
        is_end = node.test is None or (max_depth is not None and depth >= max_depth)
        if node.test is None:
            told = str(tree.classes[int(shares[number].argmax())])
        else:
            told = plural(_n_leaves(tree, number), "leaf", "leaves") if is_end else tree.columns[node.test.column].name
        counts = ", ".join(f"{label} {count:,}" for label, count in zip(tree.classes, node.counts, strict=True))
        has_rows = any(node.counts)
        found.append(
            _Shown(
                number, depth, parent, asked, answer, told, counts if has_rows else "no rows", is_end,
                node.test is None, has_rows,
            )
        )  # fmt: skip
        if node.test is None or is_end:
            continue
        column = tree.columns[node.test.column]
        for branch, child in reversed(list(zip(node.branches, node.children, strict=True))):
            waiting.append((child, depth + 1, number, column.name, column.branch_name(node.test, branch)))
    return found


def _n_leaves(tree: GrownTree, number: int) -> int:
    """Return how many leaves there are below a node."""
    waiting, leaves = [number], 0
    while waiting:
        node = tree.nodes[waiting.pop()]
        leaves += node.test is None
        waiting.extend(node.children)
    return leaves


def to_svg(tree: GrownTree, max_depth: int | None = None) -> str:
    """Return a picture: what is tested in bold, answers on the lines, a bar of the shares of the classes."""
    tree = _readable_tree(tree)
    nodes = _shown(tree, max_depth)
    lefts = _lefts(nodes)
    heights = _heights(nodes)
    top = _LINE * 2
    place = {node.number: node for node in nodes}
    shares = tree.shares()
    drawn: list[str] = []
    for node in nodes:
        x, y = lefts[node.depth], top + heights[node.number]
        if node.depth:
            before = place[node.parent]
            start = lefts[before.depth] + _width(before)
            drawn.append(_link(start, top + heights[before.number], lefts[node.depth], y))
        drawn += _drawn_node(node, x, y, shares[node.number])
    width = max(lefts[node.depth] + _width(node) for node in nodes) + _EDGE
    ends = sum(node.is_end for node in nodes)
    width, height = max(width, _key_width(tree)), top + ends * _LINE + _EDGE
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    frame = f'{size} font-family="sans-serif" font-size="12" role="img"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {frame}>',
        f"<title>Decision tree for {escape(tree.target)}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
        *_key(tree),
        *drawn,
        "</svg>",
    ]
    return printable_lines(lines)


def _lefts(nodes: Sequence[_Shown]) -> list[float]:
    """Return where each depth begins, to the right of the widest node above it."""
    widths = [0.0] * (max(node.depth for node in nodes) + 1)
    for node in nodes:
        widths[node.depth] = max(widths[node.depth], _width(node))
    return list(accumulate((width + _GAP for width in widths[:-1]), initial=float(_EDGE)))


def _width(node: _Shown) -> float:
    """Return how wide a node is drawn: answer, name, bar and counts."""
    letters = len(node.answer) + len(node.told) + (len(node.counts) if node.is_end else 0)
    return letters * _LETTER + _BAR + 24


def _heights(nodes: Sequence[_Shown]) -> dict[int, float]:
    """Return how far down each node is: ends one below the other, all else amid its children."""
    heights: dict[int, float] = {}
    below: dict[int, list[float]] = {}
    ends = sum(node.is_end for node in nodes)
    for node in reversed(nodes):  # those below a node come after it
        if node.is_end:
            ends -= 1
            heights[node.number] = ends * _LINE + _LINE / 2
        else:
            heights[node.number] = (min(below[node.number]) + max(below[node.number])) / 2
        below.setdefault(node.parent, []).append(heights[node.number])
    return heights


def _link(x1: float, y1: float, x2: float, y2: float) -> str:
    middle = x2 - _GAP / 2
    path = f"M{x1:.1f},{y1:.1f} H{middle - 10:.1f} C{middle:.1f},{y1:.1f} {middle:.1f},{y2:.1f} {x2 - 6:.1f},{y2:.1f}"
    return f'<path d="{path}" fill="none" stroke="#bbb"/>'


def _drawn_node(node: _Shown, x: float, y: float, shares: FloatVector) -> list[str]:
    """Return the parts of one node from left to right: answer, name, bar, and at an end the counts."""
    faint = "" if node.has_rows else ' fill-opacity="0.45"'
    weight = "normal" if node.is_end and not node.is_leaf else "bold"
    style = ' font-style="italic"' if node.is_leaf else ""
    told_at = x + len(node.answer) * _LETTER + (8 if node.answer else 0)
    bar_at = told_at + len(node.told) * _LETTER + 8
    drawn = []
    if node.answer:
        drawn.append(f'<text x="{x:.1f}" y="{y + 4:.1f}" fill="#555"{faint}>{escape(node.answer)}</text>')
    drawn.append(
        f'<text x="{told_at:.1f}" y="{y + 4:.1f}" font-weight="{weight}"{style}{faint}>{escape(node.told)}</text>'
    )
    if node.has_rows:
        drawn += _bar(shares, bar_at, y)
    else:
        drawn.append(f'<rect x="{bar_at:.1f}" y="{y - 5:.1f}" width="{_BAR}" height="10" fill="none" stroke="#ccc"/>')
    if node.is_end:
        at = bar_at + _BAR + 8
        drawn.append(f'<text x="{at:.1f}" y="{y + 4:.1f}" fill="#555"{faint}>{escape(node.counts)}</text>')
    return drawn


def _bar(shares: FloatVector, x: float, y: float) -> list[str]:
    drawn = []
    for number, share in enumerate(shares.tolist()):
        if share > 0:
            drawn.append(
                f'<rect x="{x:.1f}" y="{y - 5:.1f}" width="{share * _BAR:.2f}" height="10" fill="{_colour(number)}"/>'
            )
        x += share * _BAR
    return drawn


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


def _key(tree: GrownTree) -> list[str]:
    """Return what the colours mean, above the tree."""
    x = float(_EDGE)
    drawn = [f'<text x="{x:.1f}" y="18" fill="#555">{escape(tree.target)}:</text>']
    x += (len(tree.target) + 1) * _LETTER + 8
    for number, label in enumerate(tree.classes):
        drawn.append(f'<rect x="{x:.1f}" y="9" width="10" height="10" fill="{_colour(number)}"/>')
        drawn.append(f'<text x="{x + 15:.1f}" y="18">{escape(str(label))}</text>')
        x += len(str(label)) * _LETTER + 30
    return drawn


def _key_width(tree: GrownTree) -> float:
    return _EDGE * 2 + (len(tree.target) + 2) * _LETTER + sum(len(str(label)) * _LETTER + 30 for label in tree.classes)
