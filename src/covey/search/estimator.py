"""What every algorithm shares: parameters that are only stored, `fit`, and the classes it leaves."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, Self

from covey.ask.algorithms import entry_of_class
from covey.ask.models import ModelSpec
from covey.ask.schema import Schema
from covey.ask.settings import require_one_of_two
from covey.base.arrays import IntVector
from covey.base.checks import Rule, at_least, check, require_rows
from covey.base.durations import seconds_of
from covey.base.errors import CoveyWarning, InputError
from covey.codes.boxes import total_loss
from covey.codes.codes import TableCodes
from covey.codes.encoding import encode_frame
from covey.codes.tallies import Tally
from covey.columns.kept import KeptColumn, meant_column
from covey.compiled.interrupts import signals_that_wait
from covey.search.demand import Demand
from covey.search.task import Found, Task
from covey.tables.frames import as_frame, column_names, to_arrow

__all__ = ["Estimator", "parameter"]


def parameter(default: Any, rule: Rule) -> Any:
    """Return a field of an estimator that is a dataclass: its default, and the rule for what may be given."""
    return field(default=default, metadata={"rule": rule})


class Estimator:
    """A way to group rows into classes of at least `k`; an algorithm of one's own derives from it and gives `search`.

    One that looks at kept columns too names them in `reads`.  A row of class -1 is suppressed.

    Attributes after `fit`: `labels_` (the class of each row), `n_classes_` and `loss_` (Total-IL).
    """

    makes_classes: ClassVar[bool] = True
    _prune: ClassVar[bool] = True
    """False: a search that skips by bounds skips nothing; its result is the same, which tests see to."""
    k: int

    def __init__(self, k: int = 5) -> None:
        self.k = k

    @property
    def checks(self) -> Mapping[str, Rule]:
        """Return for each parameter what says what is wrong with a value; k alone where fields have no rules."""
        own = {
            one.name: one.metadata["rule"] for one in getattr(self, "__dataclass_fields__", {}).values() if one.metadata
        }
        return own or {"k": at_least(2)}

    @property
    def needs_rows(self) -> bool:
        """Return whether the search looks at rows one by one: their order decides, or equal rows may part."""
        return False

    @property
    def holds_models(self) -> bool:
        """Return whether the search minds the privacy models of its task; then it is given their columns."""
        return False

    def search(self, task: Task) -> Found:
        """Return the classes of a task: of its tuples, or of its rows if the search needs rows."""
        raise TypeError(f"{type(self).__name__} does not say how it searches")

    def reads(self) -> tuple[str, ...]:
        """Return the kept columns (sensitive, target, other) that the search looks at; most look at none."""
        return ()

    def for_roles(self, schema: Schema) -> Self:
        """Return the estimator with what the roles of the columns tell it; most take nothing from them."""
        return self

    def may_suppress(self) -> bool:
        """Return whether the search may leave out rows: one of covey's own if it has a `suppression`, any other may."""
        return entry_of_class(type(self)) is None or "suppression" in self.get_params()

    @property
    def takes_effort(self) -> bool:
        """Return whether the search can go on: then `effort` says how much is tried, `budget` for how long."""
        return False

    def make_ready(self, task: Task) -> None:
        """Have all compiled that the search needs, before a budget of time begins; mostly nothing."""

    def for_release(self, kind: str) -> Self:
        """Return the estimator with what the kind of release tells it; most take nothing from it."""
        return self

    def cautions(self) -> tuple[str, ...]:
        """Return what a person should know of the search before it runs; mostly nothing."""
        return ()

    def promises(self) -> tuple[ModelSpec, ...]:
        """Return the privacy models that the classes satisfy by themselves; a release is verified for them too."""
        return ()

    def found(self, codes: TableCodes, demand: Demand, kept: Mapping[str, KeptColumn] | None = None) -> Found:
        """Search a table for classes that satisfy a demand; kept: the columns of `reads` and of the demand."""
        require_rows(demand.k, codes.n_rows)
        given = kept or {}
        if not self.may_suppress():  # else the rows that are left may satisfy what all together do not
            demand.require_feasible({name: given[name].codes for name in demand.columns})
        names = dict.fromkeys([*self.reads(), *(demand.columns if self.holds_models else ())])
        own = {name: given[name] for name in names}
        how: dict[str, Any] = {"seed": getattr(self, "seed", 0)}
        budget = None
        if self.takes_effort:
            how["effort"], budget = getattr(self, "effort", "balanced"), getattr(self, "budget", None)
            require_one_of_two(how["effort"], budget)
        if self.needs_rows:
            task = Task(codes, demand, own, **how)
        else:
            tallies = {
                name: Tally.of_rows(codes.row_tuple, codes.n_tuples, column.codes, column.size)
                for name, column in own.items()
            }
            task = Task(codes.without_rows(tallies=tallies), demand, **how)
        seconds = seconds_of(budget)
        if seconds is not None:
            self.make_ready(task)
            task = replace(task, deadline=time.monotonic() + seconds)
        found = self.search(task)
        if not isinstance(found, Found):
            raise InputError(
                f"`search` of {type(self).__name__} did not give a `covey.Found`",
                code="bad-labels",
                hint="let it return covey.Found(of_tuple=...), or of_row=... if it needs rows",
            )
        return found

    def labels(
        self, codes: TableCodes, kept: Mapping[str, KeptColumn] | None = None, models: Sequence[Any] = ()
    ) -> IntVector:
        """Return the class of every row that the search finds; it may fail models that it does not mind."""
        check(self)
        found = self.found(codes, Demand(int(self.k), tuple(models)), kept)
        for note in found.notes:
            warnings.warn(note, CoveyWarning, stacklevel=2)
        return found.labels(codes)

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
        kept = {name: meant_column(name, columns.column(name)) for name in beside} if columns is not None else {}
        self.labels_ = self.labels(codes, kept)
        self.n_classes_ = int(self.labels_.max(initial=-1)) + 1
        self.loss_ = self._loss(codes, self.labels_)
        return self

    def _loss(self, codes: TableCodes, labels: IntVector) -> float:
        return total_loss(codes, labels)

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
