"""What can be asked of a release, once: every setting with its rule and its words.

The keys and rules of a job file, the options of the commands and their help come from here; what Python's functions
take is tested against it.  The default of a setting is that of its field in `Job`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from covey.ask.na import na_fault
from covey.base.checks import at_least, bad_parameter, is_share, one_of, optional
from covey.base.durations import duration_fault

__all__ = ["EFFORTS", "ENDS", "MISSING", "ORDERS", "RELEASES", "SETTINGS", "Setting", "require_one_of_two"]

MISSING = ("category", "suppress", "error")
RELEASES = ("interval", "node", "bounds", "centre")
EFFORTS = ("fast", "balanced", "best")
ENDS = ("exact", "snapped")
ORDERS = ("shuffled", "kept")


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that can be asked for."""

    name: str
    """In Python and in a job file; on the command line with two hyphens before it, if `flag` does not say otherwise."""
    rule: Callable[[object], str | None]
    """What a value must be, None if it is; a job that is not given a value has the default."""
    help: str
    metavar: str | None = None
    flag: str | None = None
    takers: frozenset[str] = frozenset({"anonymize", "compare", "verify"})
    """The functions of these names take it, and so do the commands, but for `--missing` of verify: the job tells it."""
    repeatable: bool = False

    @property
    def option(self) -> str:
        """Return the option of the command line."""
        return self.flag or f"--{self.name}"


def _anything(value: object) -> None:
    return None


_MAKER, _MAKERS = frozenset({"anonymize"}), frozenset({"anonymize", "compare"})
_BOUNDS = frozenset({"anonymize", "compare", "bound"})
_ALL = frozenset({"anonymize", "compare", "verify", "bound"})
SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("k", optional(at_least(2)), "Least number of rows in a class", flag="-k", takers=_ALL),
        Setting("missing", one_of(*MISSING), "category, suppress or error", "POLICY", takers=_ALL),
        Setting(
            "na",
            na_fault,
            "A value that means missing, in one quasi column or in all: ? or 999 or age=99; repeatable",
            "[COLUMN=]VALUE",
            takers=_ALL,
            repeatable=True,
        ),
        Setting(
            "algorithm",
            _anything,
            'covey (default), or another of docs/algorithms.md: "mondrian(relaxed=true)"',
            "NAME",
            takers=_MAKER,
        ),
        Setting(
            "effort",
            one_of(*EFFORTS),
            "How much the algorithm covey searches: fast, balanced (default) or best",
            "LEVEL",
            takers=_BOUNDS,
        ),
        Setting(
            "budget",
            optional(duration_fault),
            "How long the algorithm covey searches, in place of an effort: 30s, 2m or 1h",
            "TIME",
            takers=_MAKERS,
        ),
        Setting(
            "suppression", is_share, "Share of rows that an algorithm may leave out (default 0)", "SHARE", takers=_ALL
        ),
        Setting("release", one_of(*RELEASES), "interval, node, bounds or centre", "KIND"),
        Setting("ends", one_of(*ENDS), "exact, or snapped to values that k rows share", "KIND", takers=_MAKERS),
        Setting("order", optional(one_of(*ORDERS)), "shuffled (default) or kept", "ORDER", takers=_MAKER),
        Setting("seed", at_least(0), "Seed of the search", takers=_MAKERS),
        Setting(
            "weights",
            one_of("declared", "adaptive"),
            "declared (default), or adaptive: learned from the table",
            "KIND",
            takers=_MAKERS,
        ),
        Setting(
            "models",
            _anything,
            'Beside k: "distinct-l-diversity(diagnosis, l=3)"; repeatable',
            "MODEL",
            flag="--model",
            repeatable=True,
        ),
    )
}


def require_one_of_two(effort: str, budget: object) -> None:
    """Raise if both an effort and a budget are asked for; the usual effort may be meant by nobody."""
    if budget is not None and effort != "balanced":
        raise bad_parameter(
            "an effort is an amount of work, a budget a time: they cannot both be kept", "leave out one of the two"
        )
