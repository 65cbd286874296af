"""What every algorithm shares: parameters that are only stored, `fit`, and the classes it leaves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from covey.ask.algorithms import ALGORITHMS
from covey.ask.models import ModelSpec
from covey.ask.schema import Schema
from covey.base.arrays import FloatVector, IntVector
from covey.base.checks import check, require_rows
from covey.codes.boxes import total_loss
from covey.codes.codes import Codes
from covey.codes.encoding import encode_frame
from covey.columns.descriptions import Descriptions
from covey.columns.kept import KeptColumn, kept_column
from covey.compiled.interrupts import signals_that_wait
from covey.tables.frames import as_frame, column_names, to_arrow

__all__ = ["Estimator"]


class Estimator:
    """A way to group rows into classes of at least `k`.

    Subclasses give `cluster`; one that looks at kept columns too names them in `reads` and gives
    `cluster_beside` instead.  A row of class -1 is suppressed.

    Attributes after `fit`: `labels_` (the class of each row), `n_classes_` and `loss_` (Total-IL).
    """

    checks: ClassVar[dict[str, Callable[[object], str | None]]]
    makes_classes: ClassVar[bool] = True
    k: int

    def cluster(self, codes: Codes) -> IntVector:
        """Return the class number of every row, from 0 without gaps."""
        raise TypeError(f"{type(self).__name__} does not say how it clusters")

    def reads(self) -> tuple[str, ...]:
        """Return the kept columns (sensitive, target, other) that the search looks at; most look at none."""
        return ()

    def for_roles(self, schema: Schema) -> Self:
        """Return the estimator with what the roles of the columns tell it; most take nothing from them."""
        return self

    def may_suppress(self) -> bool:
        """Return whether the search may leave out rows: one of covey's own if it has a `suppression`, any other may."""
        me = (type(self).__module__, type(self).__name__)
        is_own = any(me == (entry.module, entry.class_name) for entry in ALGORITHMS.values())
        return not is_own or "suppression" in self.get_params()

    def cautions(self) -> tuple[str, ...]:
        """Return what a person should know of the search before it runs; mostly nothing."""
        return ()

    def learned_weights(self) -> FloatVector | None:
        """Return the weights that the last search learned for the quasi columns, None if it used the declared ones."""
        return None

    def descriptions(self) -> Descriptions | None:
        """Return what the last search says of its classes where that is published in place of the least boxes.

        Mostly None.  Whoever says something suppresses no row.
        """
        return None

    def promises(self) -> tuple[ModelSpec, ...]:
        """Return the privacy models that the classes satisfy by themselves; a release is verified for them too."""
        return ()

    def cluster_beside(self, codes: Codes, kept: Mapping[str, KeptColumn]) -> IntVector:
        """Return the class number of every row, given the columns named by `reads`."""
        return self.cluster(codes)

    def labels(self, codes: Codes, kept: Mapping[str, KeptColumn] | None = None) -> IntVector:
        """Check the parameters against the table, then return the class number of every row."""
        check(self)
        require_rows(self.k, codes.n_rows)
        return self.cluster_beside(codes, {name: (kept or {})[name] for name in self.reads()})

    @signals_that_wait()
    def fit(self, table: Any, schema: Schema | None = None, y: object = None) -> Self:
        """Group the rows of `table`; without a schema every column is quasi, but for those that `reads` names."""
        check(self)
        table = as_frame(table)
        beside = self.reads()
        if schema is None:
            schema = Schema.from_roles(quasi=[name for name in column_names(table) if name not in beside])
        codes = encode_frame(table, schema)
        columns = to_arrow(table, beside) if beside else None
        kept = {name: kept_column(name, columns.column(name)) for name in beside} if columns is not None else {}
        self.labels_ = self.labels(codes, kept)
        self.n_classes_ = int(self.labels_.max(initial=-1)) + 1
        self.loss_ = total_loss(codes, self.labels_)
        return self

    def fit_predict(self, table: Any, schema: Schema | None = None, y: object = None) -> IntVector:
        """Return `labels_` after `fit`."""
        return self.fit(table, schema).labels_

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as scikit-learn does."""
        names = list(inspect.signature(type(self).__init__).parameters)[1:]
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, as scikit-learn does."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in self.get_params().items())})"
