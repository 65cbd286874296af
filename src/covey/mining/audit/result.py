"""What an audit of a trained model finds: for the steward's eyes, and for no file that is published."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from covey.columns.persons import Persons
from covey.mining.audit.html import audit_html
from covey.mining.audit.text import audit_text, span_text

__all__ = ["NOT_CHECKED", "Audit", "ExposedSpan"]

_OF_SPANS = {"fewest_in_a_class": "fewest_in_a_span", "classes_below_k": "spans_below_k"}
"""The names of the counts of persons, where spans stand in the place of classes."""
NOT_CHECKED = ("label cells (classes that nobody, or few, of a leaf have)",)


@dataclass(frozen=True, slots=True)
class ExposedSpan:
    """Fewer than k people whom others can tie to private values by means of the model."""

    words: str
    """Who they are, by their public attributes."""
    people: int
    counts: tuple[tuple[str, int], ...]
    """(label, how many of them have it), most first; of a model without labels, its own classes."""

    @property
    def distinct(self) -> int:
        """Return how many labels there are among them: their distinct l-diversity."""
        return len(self.counts)

    @property
    def commonest_share(self) -> float:
        """Return the share of the commonest label: how sure others can be."""
        return self.counts[0][1] / self.people

    def __str__(self) -> str:
        return span_text(self)

    def to_json(self) -> dict[str, Any]:
        """Return the span as it stands in the document of an audit."""
        return {
            "words": self.words,
            "people": self.people,
            "labels": [{"label": label, "people": people} for label, people in self.counts],
            "distinct": self.distinct,
            "commonest_share": self.commonest_share,
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """Whom a trained model exposes, as `covey.audit` finds; `print` shows it.

    `to_json` is the contract of `docs/audit.schema.json`.
    """

    model: str
    """What kind of model it is."""
    k: int
    k_reached: int | None = None
    """People of the smallest span of more than one class (all rows if there is none); None: spans do not apply."""
    smallest_span: int | None = None
    """People of the smallest span of any kind, which is more than k-anonymity of a model asks for."""
    l_reached: int | None = None
    """Least number of labels among the people of a span of more than one class; None without labels or spans."""
    entropy_l: float | None = None
    """Least exp(entropy) of the labels among them: the entropy l-diversity that `KAnonymousTree(l=...)` promises."""
    rows: int = 0
    spans: int = 0
    exposed_spans: int = field(kw_only=True)
    """Spans of more than one class that fewer than k people share."""
    exposed_people: int = 0
    public: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    """What the model uses of a person that others do not know."""
    domains: tuple[str, ...] = ()
    """What private attributes may be, as far as others know: the spans rest on it."""
    target: str | None = None
    """The column whose values `offending` counts; None: the classes of the model are counted."""
    offending: tuple[ExposedSpan, ...] = ()
    """The first of the exposed spans, smallest first."""
    warnings: tuple[str, ...] = ()
    """What else the saved model gives away."""
    holds_rows: bool = False
    """Whether training rows are part of the model."""
    target_found: bool = False
    """Whether the target was not named, but found by its values."""
    table_fits: str | None = None
    """How the table agrees with the counts that the model stores of its training rows; None: it stores none, or other
    ones."""
    other_table: str | None = None
    """By what the table is known to be another than the training table, if it was counted all the same."""
    source: tuple[str, str] | None = None
    """The names of the files of the model and the table, if it was audited from files."""
    persons: Persons | None = None
    """How many persons the rows are of, and how many share each span that tells anything; None: nothing tells."""
    telling_spans: int | None = None
    """How many spans have more than one class; None: spans do not apply."""

    @property
    def ok(self) -> bool:
        """Return whether k or more people share every span of more than one class, and no rows are stored."""
        return not self.holds_rows and self.exposed_spans == 0

    @property
    def only_rows(self) -> bool:
        """Return whether k or more rows share every such span, and fewer than k persons some of them."""
        return self.ok and self.persons is not None and self.persons.breaks_k

    @property
    def of_persons(self) -> str:
        """Return the warning that rows are not persons; empty if there is none."""
        return "" if self.persons is None else self.persons.span_warning(self.k)

    @property
    def not_checked(self) -> tuple[str, ...]:
        """Return what output checkers look for, and an audit does not yet."""
        return () if self.holds_rows else NOT_CHECKED

    def __str__(self) -> str:
        return audit_text(self)

    def to_html(self) -> str:
        """Return the findings as one page."""
        return audit_html(self)

    def to_json(self) -> dict[str, Any]:
        """Return the findings as a document."""
        from covey import __version__

        return {
            "covey": __version__,
            "ok": self.ok,
            "model": self.model,
            "k": self.k,
            "k_reached": self.k_reached,
            "smallest_span": self.smallest_span,
            "l_reached": self.l_reached,
            "entropy_l": self.entropy_l,
            "rows": self.rows,
            "spans": self.spans,
            "exposed": {
                "spans": self.exposed_spans,
                "people": self.exposed_people,
                "shown": [span.to_json() for span in self.offending],
            },
            "public": list(self.public),
            "private": list(self.private),
            "domains": list(self.domains),
            "target": self.target,
            "target_found": self.target_found,
            "table_fits": self.table_fits,
            "other_table": self.other_table,
            "not_checked": list(self.not_checked),
            "source": None if self.source is None else {"model": self.source[0], "table": self.source[1]},
            "holds_rows": self.holds_rows,
            "persons": None if self.persons is None else _persons_json(self.persons),
            "warnings": list(self.warnings),
        }


def _persons_json(persons: Persons) -> dict[str, Any]:
    return {_OF_SPANS.get(name, name): told for name, told in persons.to_json().items()}
