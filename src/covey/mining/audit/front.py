"""What every front end of an audit is given, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.base.errors import InputError
from covey.columns.kept import KeptColumn, kept_column
from covey.mining.audit.training_table import NO_VERDICT, check_target
from covey.mining.faults import not_a_table
from covey.mining.spans import RowSpans
from covey.tables import frames

__all__ = ["Found", "Given", "labels_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a front end says of a model and a table."""

    model: str
    of_rows: RowSpans
    private: tuple[str, ...]
    domains: tuple[str, ...]
    warnings: tuple[str, ...]
    labels: KeptColumn | None = None
    """The target of every row, if its column was named or found."""
    fit: tuple[str | None, str | None] = (None, None)
    """How the table fits the counts that the model stores (None: it stores none, or they do not fit), and by what it is
    known to be another than the training table, where it is counted all the same."""
    leaf_of_row: IntVector | None = None
    """Of a single tree: the leaf of each row, numbered among the leaves."""
    target_found: bool = False
    """Whether the target was found by its values."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What the caller of an audit gave."""

    table: Any
    public: tuple[str, ...]
    k: int
    target: str | None
    domains: dict[Any, Any]
    columns: Sequence[str] | None
    one_hot: Any
    scale: Sequence[float] | None
    digits: tuple[int, int] | None
    other_table: bool
    """Whether a table that is not the training table is counted all the same."""

    def fit(self, find: Callable[[], str | None]) -> tuple[str | None, str | None]:
        """Return how the table fits the model, and by what it does not; raises instead, unless told otherwise."""
        try:
            return find(), None
        except InputError as error:
            if not self.other_table or error.code != "not-the-training-table":
                raise
            return None, error.message.removesuffix(NO_VERDICT)

    def frame(self, names: Sequence[str] | None = None) -> Any:
        """Return the table as a frame; names: of the columns of an array."""
        if not isinstance(self.table, np.ndarray | list | tuple):
            return frames.as_frame(self.table)
        try:
            matrix = np.asarray(self.table, np.float64)
        except (TypeError, ValueError):
            raise not_a_table("the table is no matrix of numbers", "give a frame with named columns") from None
        named = list(self.columns or names or ())
        if matrix.ndim != 2 or (named and len(named) != matrix.shape[1]):
            raise not_a_table("the table is not a matrix of the model's columns", "give a frame")
        named = named or [f"x{i}" for i in range(matrix.shape[1])]
        return pa.table({name: matrix[:, i].copy() for i, name in enumerate(named)})


def labels_of(given: Given) -> KeptColumn | None:
    """Return the target of every row, if its column was named."""
    if given.target is None:
        return None
    frame = given.frame()
    check_target(given.target, frame)
    return kept_column(given.target, frames.to_arrow(frame, [given.target]).column(0))
