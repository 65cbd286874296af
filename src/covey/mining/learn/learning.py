"""What `covey learn` tells of a model that exposes nobody, checked from the text that is about to be published.

The check reads the model back from its text and audits it (see `audit`): spans are counted anew from the tests, cuts
or rules in the text and from the rows of the table, by other code than that which learned the model.  Both read the
columns of the table in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from covey.base.checks import plural
from covey.base.errors import VerificationFailed
from covey.mining.audit.result import Audit
from covey.mining.audit.text import plain

__all__ = ["Kind", "Learned", "learned", "require_safe"]

Kind = Literal["tree", "clusters", "rules"]
_MOST_LINES = 20
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Learned:
    """A model that was learned, and whom it exposes; `print` shows it."""

    kind: Kind
    method: str
    text: str
    """The model as JSON: what is published."""
    headline: str
    shown: tuple[str, ...]
    """The model in lines for people."""
    facts: Mapping[str, Any]
    """What is told of the model in numbers."""
    audit: Audit
    written: str | None = None
    """The name of the file, if one was written."""

    def __str__(self) -> str:
        wrote = f"wrote {self.written}, read back and audited before it was published"
        end = wrote if self.written else "nothing was written"
        return "\n".join([self.headline, "", *(f"  {line}" for line in self.shown), "", str(self.audit), "", end])

    def to_json(self) -> dict[str, Any]:
        """Return the same as a document, by `docs/learn.schema.json`."""
        from covey import __version__

        return {
            "covey": __version__,
            "kind": self.kind,
            "method": self.method,
            "facts": dict(self.facts),
            "written": self.written,
            "audit": self.audit.to_json(),
        }


def require_safe(found: Audit) -> None:
    """Raise `VerificationFailed` if a model that was to expose nobody does, or cannot be told to be of its table."""
    if not found.ok or (found.table_fits is None and found.spans > 1):
        raise VerificationFailed(
            f"the model that was learned is not {found.k}-anonymous: {plural(found.exposed_people, 'row')} would be "
            "exposed; nothing was published",
            code="verification-failed",
            hint="this is a fault of covey: please report it, with the version and the options but without the data",
        )


def learned(kind: Kind, model: Any, found: Audit) -> Learned:
    """Return what is told of a model that was fitted, and of its audit."""
    tell = {"tree": _of_tree, "clusters": _of_clusters, "rules": _of_rules}[kind]
    headline, shown, facts = tell(model, found.rows)
    return Learned(kind, type(model).__name__, model.to_json(), plain(headline), tuple(map(plain, shown)), facts, found)


def _of_tree(model: Any, n_rows: int) -> tuple[str, list[str], dict[str, Any]]:
    tree = model.tree_
    counts = tree.counts()
    leaves = counts[list(tree.leaves)]
    right, guess = int(leaves.max(axis=1).sum()) / n_rows, int(counts[0].max()) / n_rows
    facts = {"leaves": len(leaves), "target": tree.target, "right": round(right, 6), "right_without": round(guess, 6)}
    headline = (
        f"a tree of {plural(len(leaves), 'leaf', 'leaves')} for `{tree.target}`: {right:.1%} of the rows have the "
        f"value that it tells, {guess:.1%} the commonest"
    )
    return headline, _first(model.to_text(max_depth=_DEPTH).splitlines(), "line"), facts


def _of_clusters(model: Any, n_rows: int) -> tuple[str, list[str], dict[str, Any]]:
    sizes = list(model.populations_)
    lines = [f"cluster {number}: {plural(size, 'row')}" for number, size in enumerate(sizes)]
    return plural(len(sizes), "cluster"), _first(lines, "cluster"), {"clusters": len(sizes), "rows": sizes}


def _of_rules(model: Any, n_rows: int) -> tuple[str, list[str], dict[str, Any]]:
    lines = [f"{rule}: support {rule.support:.1%}, confidence {rule.confidence:.1%}" for rule in model.rules_]
    withheld = len(model.withheld_)
    largest = "no larger set is safe" if model.is_exact_ else "no further rule can be added"
    headline = (
        f"{plural(len(lines), 'rule')} of {model.n_frequent_:,} that are frequent, {withheld:,} withheld: {largest}"
    )
    facts = {"rules": len(lines), "frequent": model.n_frequent_, "withheld": withheld, "largest": bool(model.is_exact_)}
    return headline, _first(lines or ["no rule"], "rule"), facts


def _first(lines: Sequence[str], what: str) -> list[str]:
    more = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], *([f"and {plural(more, what)} more"] if more > 0 else [])]
