"""The report of a release: what was asked, what holds, what it cost, what it does not protect against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from covey.columns.persons import ROWS_ONLY, Persons
from covey.metrics.loss import Losses
from covey.verifier import Verdict

__all__ = ["LIMITS", "KeptValues", "Report", "as_told"]

LIMITS = (
    "k-anonymity hides who a row is about; where all rows of a class share a sensitive value, it is still told",
    "columns published as they are (sensitive, target, other) are not generalised: they must not identify anyone",
    "a column that somebody knows and that is not quasi can single a person out",
    "two releases of the same people can be compared, and each one then tells more",
    "a cell that begins with = + - or @ is run as a formula by spreadsheets: open a CSV of others as text",
)


CONSISTENCY_LIMITS = (
    "k-consistency hides which row is whose; classes of k equal rows do not exist, and models over classes do not hold",
    "one known link between a person and a row may reveal more about the others of its ring",
    *LIMITS[1:],
)


def as_told(thing: object, *names: str) -> dict[str, Any]:
    """Return facts that a document tells under their own names.

    >>> as_told(1 + 2j, "real", "imag")
    {'real': 1.0, 'imag': 2.0}
    """
    return {name: getattr(thing, name) for name in names}


@dataclass(frozen=True, slots=True)
class KeptValues:
    """What the classes tell of a sensitive or target column."""

    role: str
    cm: int
    """Rows that are suppressed or do not have the commonest value of their class (CM, Iyengar 2002)."""
    ed: int
    """Rows in classes with one value: whoever is known to be there is known to have it (ED, Byun et al. 2006)."""
    untold: int
    """Rows in classes where the value of every row is missing: they are not in `ed`."""
    rows: int
    """Rows that were to be protected, suppressed ones too."""
    released: int
    """Those of them that are released."""

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, and their shares of the rows."""
        share = {"cm_share": self.cm / max(self.rows, 1)}
        return as_told(self, "role", "cm") | share | as_told(self, "ed", "ed_share", "untold", "attribute_risk")

    @property
    def attribute_risk(self) -> float:
        """Return for which share of the released rows the commonest value of their class is right."""
        return (self.rows - self.cm) / max(self.released, 1)

    @property
    def ed_share(self) -> float:
        """Return which share of the released rows is in classes with one value."""
        return self.ed / max(self.released, 1)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a data steward signs for; `to_json` is the contract of `docs/report.schema.json`."""

    version: str
    k: int
    rows: int
    released: int
    suppressed: int
    loss: Losses
    verdict: Verdict
    algorithm: str
    seed: int
    missing: str
    release: str
    ends: str
    order: str
    roles: Mapping[str, str]
    types: Mapping[str, str]
    warnings: tuple[str, ...]
    seconds: Mapping[str, float]
    peak_memory_mb: float
    makes_classes: bool = True
    """False for a release by rings, whose guarantee is k-consistency."""
    exempt: int = 0
    """Released rows of people who consented: in no class, no loss and no model."""
    kept: Mapping[str, KeptValues] = field(default_factory=dict)
    """What the classes tell of each sensitive or target column."""
    learned_weights: Mapping[str, float] | None = None
    """To two places; None as well where a value that is not published could be solved for from them."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What else was asked for, so that the run can be repeated: see `recorded_settings`."""

    @property
    def weights(self) -> dict[str, float]:
        """Return the declared weight of each quasi column."""
        return {name: column["weight"] for name, column in self.settings.get("columns", {}).items()}

    @property
    def is_weighted(self) -> bool:
        """Return whether Total-IL, NCP and GCP count some columns more than others."""
        return any(weight != 1 for weight in self.weights.values())

    persons: Persons | None = None
    """Whose the rows are by the dropped identifiers; None where nothing tells it."""

    @property
    def limits(self) -> tuple[str, ...]:
        """Return what the release does not protect against."""
        of_rows = ROWS_ONLY if self.persons is None else self.persons.limit()
        return of_rows, *(LIMITS if self.makes_classes else CONSISTENCY_LIMITS)

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON document."""
        return {
            "covey": self.version,
            **as_told(self, "k", "rows", "released", "suppressed", "exempt"),
            "guarantee": "k-anonymity" if self.makes_classes else "k-consistency",
            **as_told(self.verdict, "classes", "smallest", "largest"),
            "loss": {
                "weighted": self.is_weighted,
                **as_told(self.loss, "total_il", "mean_price", "gcp", "ncp", "dm", "c_avg"),
                "columns": dict(self.loss.columns),
            },
            "bound": None,
            "persons": None if self.persons is None else self.persons.to_json(),
            "kept": {name: values.to_json() for name, values in self.kept.items()},
            "models": [model.to_json() for model in self.verdict.models],
            "verified": self.verdict.ok,
            **as_told(self, "algorithm", "seed", "missing", "release", "ends", "order"),
            "roles": dict(self.roles),
            "types": dict(self.types),
            "settings": dict(self.settings),
            "learned_weights": None if self.learned_weights is None else dict(self.learned_weights),
            "warnings": list(self.warnings),
            "limits": list(self.limits),
            "seconds": {step: round(taken, 4) for step, taken in self.seconds.items()},
            "peak_memory_mb": round(self.peak_memory_mb, 1),
        }

    def __str__(self) -> str:
        from covey.report.summary import release_text

        return release_text(self)
