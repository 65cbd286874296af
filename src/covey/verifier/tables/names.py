"""What the columns of a published file without a header may be called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from covey.base.errors import InputError
from covey.base.hints import Asked, hint

__all__ = ["Names", "refuse_repeats"]


@dataclass(frozen=True, slots=True)
class Names:
    """Columns in their order, some of which are published as two bounds."""

    columns: tuple[str, ...]
    split: frozenset[str] = frozenset()
    """Those that are two columns."""
    may_split: frozenset[str] = frozenset()
    """Those that are two columns if they hold numbers or dates, which nobody told."""

    is_last_resort: bool = False
    """Whether they count only if nothing else fits."""

    def fits(self, n_cells: int) -> bool:
        """Return whether a row may have so many cells."""
        least = len(self.columns) + len(self.split)
        return bool(self.columns) and least <= n_cells <= least + len(self.may_split)

    def of(self, n_cells: int, name: str) -> tuple[str, ...]:
        """Return the names of so many columns, which must fit; raise where it cannot be told which are two.

        >>> Names(("age", "ill"), split=frozenset({"age"})).of(3, "the file")
        ('age_min', 'age_max', 'ill')
        """
        more = n_cells - len(self.columns) - len(self.split)
        if 0 < more < len(self.may_split):
            raise InputError(
                f"it cannot be told which columns of {name} are bounds: {more:,} of {len(self.may_split):,} may be",
                code="unknown-bounds",
                hint=hint(
                    "give the type of each quasi column ({}: numeric, date or categorical), or the original ({})",
                    Asked("types"),
                    Asked("original"),
                ),
            )
        pairs = self.split | self.may_split if more else self.split
        parts = ((f"{column}_min", f"{column}_max") if column in pairs else (column,) for column in self.columns)
        return tuple(part for two in parts for part in two)


def refuse_repeats(names: Sequence[str], message: str) -> None:
    """Raise with this message if two columns have one name."""
    if len(set(names)) < len(names):
        raise InputError(message, code="duplicate-columns", hint="give every column a name of its own")
