"""Lines of code by room: docstrings, comments and blank lines are not counted.

python experiments/size.py            # the rooms of covey
python experiments/size.py FOLDER     # of another checkout, to compare
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}


def code_lines(text: str) -> int:
    """Return how many lines of a file hold code.

    >>> code_lines('def f():\\n    "A docstring."\\n\\n    return 1  # and a comment\\n')
    2
    """
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in SKIPPED and token.type != tokenize.ENDMARKER
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - _docstring_lines(ast.parse(text)))


def _docstring_lines(tree: ast.AST) -> set[int]:
    """Return the lines of texts that stand alone: docstrings, and those below a field."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def main() -> None:
    """Print the lines of every room, and of all."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    source = root / "src" / "covey"
    rooms: Counter[str] = Counter()
    for path in sorted(source.rglob("*.py")):
        place = path.relative_to(source).parts
        rooms[place[0] if len(place) > 1 else "(root)"] += code_lines(path.read_text("utf-8"))
    for room, lines in sorted(rooms.items()):
        print(f"{room:<12}{lines:>8,}")
    print(f"{'all':<12}{sum(rooms.values()):>8,}")


if __name__ == "__main__":
    main()
