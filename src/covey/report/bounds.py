"""A lower bound as people read it and as a document."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from covey.base.checks import plural

__all__ = ["Bound"]

HOW = {
    "least-extent": "by the least box of k rows around every row",
    "prices": "by a price of every row: no k rows cost more than the least box around them",
    "program": "by the best prices of rows that a linear program found: no k rows cost more than the box around them",
    "tolls": "by the best prices of rows that a linear program found: no class costs more than its box and its tolls",
}


@dataclass(frozen=True, slots=True)
class Bound:
    """What no release of a table in classes of k rows can lose less than."""

    version: str
    k: int
    rows: int
    """How many rows are in classes: those of people who agreed and those left out for missing values are not."""
    total_il: float
    """No partition has a lower Total-IL, with least boxes; rounded down."""
    kind: str
    """How it was found: `least-extent`, `prices`, `program` or `tolls`, from weak to strong."""
    effort: str
    may_suppress: bool
    """Whether classes may also leave out rows, each for the price of a whole row."""
    is_weighted: bool
    """Whether some columns count more than others."""
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the bound as a JSON document."""
        return {
            "covey": self.version,
            "k": self.k,
            "rows": self.rows,
            "total_il": self.total_il,
            "kind": self.kind,
            "effort": self.effort,
            "may_suppress": self.may_suppress,
            "weighted": self.is_weighted,
            "seconds": round(self.seconds, 4),
        }

    def __str__(self) -> str:
        rows = plural(self.rows, "row")
        weighted = ", weighted" if self.is_weighted else ""
        lines = [
            f"no {self.k}-anonymous partition of {rows} loses less than {_down(self.total_il)} (Total-IL{weighted})",
            "",
            f"  found     {HOW[self.kind].replace(' k ', f' {self.k} ')}",
            "  holds     for least boxes, and so for every release of these classes; models only add to it",
        ]
        if self.may_suppress:
            lines.append("  left out  a row that is left out is taken to lose all its columns")
        return "\n".join([*lines, f"  how       effort {self.effort}; {self.seconds:.1f} s"])


def _down(loss: float) -> str:
    """Return a loss in words, cut and not rounded: a bound is told no higher than it is.

    >>> _down(14289.16), _down(0.41666)
    ('14,289.1', '0.4166')
    """
    digits = 1 if loss >= 100 else 4
    return f"{math.floor(loss * 10**digits) / 10**digits:,.{digits}f}"
