"""Write the facts of every algorithm into docs/algorithms.md, from the docstrings of its estimator.

    python tests/docs/make_algorithms.py

A module's docstring ends with lines such as `Source: ...`, `Guarantee: ...`, `Cost: ...` and `Ties: ...`; the options
are what the docstring of the class says between its first line and what holds after `fit`, and what the module adds to
it under `Options: `.  Each becomes an item of the list between the markers of the algorithm.
"""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

from covey.ask.algorithms import ALGORITHMS, Entry

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "algorithms.md"
NEEDED = ("Source", "Guarantee", "Cost", "Ties")
KEYS = (*NEEDED, "Two readings", "Models", "Distance", "Loss", "The tour", "Decided here", "Options")
PAPERS = {"P0": "Byun et al. 2007", "P1": "Kabir et al. 2010", "P4": "Chiu and Tsai 2007"}
"""What docstrings call the papers by; experiments/RESULTS.md has them all."""


def docstrings_of(entry: Entry) -> tuple[str, str]:
    """Return the docstrings of the module and of the class, without importing either."""
    file = ROOT / "src" / Path(*entry.module.split(".")).with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    (kind,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == entry.class_name)
    return ast.get_docstring(tree) or "", ast.get_docstring(kind) or ""


def facts_of(module: str, kind: str) -> dict[str, str]:
    """Return what two docstrings say of an algorithm, by key and in the order of the module; options are last."""
    parts = re.split(rf"^({'|'.join(KEYS)}): ", module, flags=re.MULTILINE)
    facts = {key: text.split("\n\n")[0] for key, text in zip(parts[1::2], parts[2::2], strict=True)}
    paragraphs = kind.split("\n\n")[1:]
    told = [text for text in paragraphs if not re.match(r">>>|After `fit`|Attributes after `fit`", text)]
    facts["Options"] = "\n".join([*told, facts.pop("Options", "")]).strip() or "None."
    return {key: " ".join(text.split()) for key, text in facts.items()}


def linked(text: str) -> str:
    """Return a text with the papers by their authors, links to the files that it names, and no module in brackets."""
    text = re.sub(r" \(`covey\.[\w.]+`\)", "", text)
    text = re.sub(r"\bP[0-4]\b", lambda found: PAPERS[found[0]], text)
    text = re.sub(r"\bdocs/((\w+)\.md\S*\b)", r"[\2](\1)", text)
    return re.sub(r"\b((?:benchmarks|experiments)/\S+\.(?:md|py))\b", r"[\1](../\1)", text)


def item_of(key: str, text: str) -> str:
    """Return an item of the list; no line begins with a sign, which would make it a list of its own."""
    whole = f"- **{key}.** {text[:1].upper()}{linked(text)[1:]}"
    whole = re.sub(r" ([-+*]) ", "\0\\1\0", whole)
    lines = textwrap.fill(whole, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return lines.replace("\0", " ")


def made_page(page: str) -> str:
    """Return the page with the facts of all algorithms as their docstrings have them."""

    def made(found: re.Match[str]) -> str:
        facts = facts_of(*docstrings_of(ALGORITHMS[found[2]]))
        items = "\n".join(item_of(key, text) for key, text in facts.items())
        return f"{found[1]}\n{items}\n{found[3]}"

    return re.sub(r"^(<!-- facts of ([a-z-]+) -->)$.*?^(<!-- end -->)$", made, page, flags=re.MULTILINE | re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(made_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
