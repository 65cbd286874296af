"""The report of a release: what was asked, what holds, what it cost, what it does not protect against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from covey.metrics.loss import Losses
from covey.verifier import Verdict

__all__ = ["LIMITS", "Report"]

LIMITS = (
    "k-anonymity hides who a row is about; where all rows of a class share a sensitive value, it is still told",
    "columns published as they are (sensitive, target, other) are not generalised: they must not identify anyone",
    "a column that somebody knows and that is not quasi can single a person out",
    "two releases of the same people can be compared, and each one then tells more",
)


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
    limits: tuple[str, ...] = LIMITS

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON document."""
        loss = self.loss
        return {
            "covey": self.version,
            "k": self.k,
            "rows": self.rows,
            "released": self.released,
            "suppressed": self.suppressed,
            "classes": self.verdict.classes,
            "smallest": self.verdict.smallest,
            "largest": self.verdict.largest,
            "loss": {
                "total_il": loss.total_il,
                "mean_price": loss.mean_price,
                "gcp": loss.gcp,
                "ncp": loss.ncp,
                "dm": loss.dm,
                "c_avg": loss.c_avg,
                "columns": dict(loss.columns),
            },
            "bound": None,
            "models": [
                {"model": model.model, "asked": model.asked, "level": model.level, "ok": model.ok}
                for model in self.verdict.models
            ],
            "verified": self.verdict.ok,
            "algorithm": self.algorithm,
            "seed": self.seed,
            "missing": self.missing,
            "release": self.release,
            "ends": self.ends,
            "order": self.order,
            "roles": dict(self.roles),
            "types": dict(self.types),
            "warnings": list(self.warnings),
            "limits": list(self.limits),
            "seconds": {step: round(taken, 4) for step, taken in self.seconds.items()},
            "peak_memory_mb": round(self.peak_memory_mb, 1),
        }

    def __str__(self) -> str:
        from covey.report.summary import release_text

        return release_text(self)
