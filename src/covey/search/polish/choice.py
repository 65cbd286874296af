"""Which of many classes take every row once and lose least together: a set-partition program (HiGHS).

Rows of one kind can stand for each other, so a class is a number of rows of each kind, and the program has one equation
for each kind: the classes chosen have as many rows of it as there are.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.compiled.pausing import heard, is_to_end

__all__ = ["NO_SOLVER", "Choices", "can_choose", "chosen_labels", "prices"]

GAP = 1e-5
"""The program is solved to this share of its value."""
MOST_NODES = 200
"""No more branches are looked at: that is a fixed amount of work."""
MOST_ITERATIONS = 2_000_000
"""Nor more steps of the simplex method."""


NO_SOLVER = "the search had no solver to choose among the classes that it met: install the extra certify (highspy)"


@dataclass(frozen=True, slots=True)
class Choices:
    """Classes to choose from, one after another."""

    kinds: IntVector
    """int64: the kind of every row of the classes; what is behind the last class does not count."""
    starts: IntVector
    """(c + 1,) int64: where each class begins."""
    loss: FloatVector
    """(c,) float64: what its rows lose together."""

    @classmethod
    def joined(cls, parts: Sequence[Choices]) -> Choices:
        """Return all classes of several."""
        ends = np.cumsum([0, *(part.starts[-1] for part in parts)])
        starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
        return cls(
            np.concatenate([part.kinds[: part.starts[-1]] for part in parts]),
            np.concatenate([*starts, ends[-1:]]),
            np.concatenate([part.loss for part in parts]),
        )


def can_choose() -> bool:
    """Return whether the solver is there: the extra `certify`."""
    try:
        import highspy  # noqa: F401
    except ImportError:
        return False
    return True


def chosen_labels(kind: IntVector, choices: Choices, begin: IntVector, seconds: float = math.inf) -> IntVector | None:
    """Return the class of each row in the best partition found, None if there is none better than `begin`.

    kind (n,): of each row, from 0 without gaps; begin: the classes (of `choices`) of a partition to begin with.
    """
    counts = np.bincount(kind)
    columns = _distinct(choices, len(counts))
    solved = _solve(columns, counts, columns.number[begin], seconds)
    return None if solved is None else _dealt(kind, columns, solved)


def prices(kind: IntVector, choices: Choices, least: float, seconds: float) -> FloatVector | None:
    """Return what a row of each kind is worth to the program without whole numbers, -`least` or more; None: no answer.

    Classes that lose no less than their rows are worth are of no use to it.
    """
    import highspy

    counts = np.bincount(kind)
    model = _program(_distinct(choices, len(counts)), counts)
    spare = np.arange(len(counts))  # a column for each kind: its rows may be taken too often, at a price
    starts, index, value = model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_
    model.num_col_ += len(counts)
    model.col_cost_ = np.concatenate([model.col_cost_, np.full(len(counts), least)])
    model.col_lower_ = np.zeros(model.num_col_)
    model.col_upper_ = np.full(model.num_col_, highspy.kHighsInf)
    model.a_matrix_.start_ = np.concatenate([starts, starts[-1] + spare + 1]).astype(np.int32)
    model.a_matrix_.index_ = np.concatenate([index, spare]).astype(np.int32)
    model.a_matrix_.value_ = np.concatenate([value, np.full(len(counts), -1.0)])
    solver = _solver(seconds)
    solver.passModel(model)
    _run(solver)
    found = np.array(solver.getSolution().row_dual)
    return found if solver.getModelStatus() == highspy.HighsModelStatus.kOptimal else None


@dataclass(frozen=True, slots=True)
class _Columns:
    """Each class once, as a column of the program: how many rows of which kinds."""

    starts: IntVector
    kinds: IntVector
    rows: IntVector
    loss: FloatVector
    number: IntVector
    """The column of each class that was given."""


def _distinct(choices: Choices, n_kinds: int) -> _Columns:
    """Return the classes, equal ones merged, rows of one kind counted."""
    sizes = np.diff(choices.starts)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    pairs, rows = np.unique(owner * n_kinds + choices.kinds, return_counts=True)
    owner, kinds = pairs // n_kinds, pairs % n_kinds
    starts = np.searchsorted(owner, np.arange(len(sizes) + 1))
    random = np.random.default_rng(0).integers(0, 1 << 63, n_kinds, dtype=np.uint64)
    # a sum of products by odd chance numbers tells classes apart, whatever their length
    keys = np.add.reduceat(random[kinds] * (rows.astype(np.uint64) * np.uint64(2) + np.uint64(1)), starts[:-1])
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    lengths = np.diff(starts)[first]
    places = np.repeat(starts[first] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) + np.arange(
        lengths.sum()
    )
    return _Columns(
        np.concatenate([[0], np.cumsum(lengths)]), kinds[places], rows[places], choices.loss[first], number.reshape(-1)
    )


def _program(columns: _Columns, counts: IntVector) -> Any:
    """Return the program without whole numbers."""
    import highspy

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(columns.loss), len(counts)
    model.col_cost_ = columns.loss
    model.col_lower_ = np.zeros(len(columns.loss))
    model.col_upper_ = np.minimum.reduceat(counts[columns.kinds] // columns.rows, columns.starts[:-1]).astype(
        np.float64
    )
    model.row_lower_ = model.row_upper_ = counts.astype(np.float64)
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = columns.starts.astype(np.int32)
    model.a_matrix_.index_ = columns.kinds.astype(np.int32)
    model.a_matrix_.value_ = columns.rows.astype(np.float64)
    return model


def _solver(seconds: float) -> Any:
    """Return a solver that does a fixed amount of work on one core, or as much as it can in some seconds."""
    import highspy

    solver = highspy.Highs()
    _set(solver, output_flag=False, threads=1, random_seed=0, mip_rel_gap=GAP, mip_max_nodes=MOST_NODES)
    _set(solver, simplex_iteration_limit=MOST_ITERATIONS)
    if seconds < math.inf:
        _set(solver, time_limit=max(seconds, 0.0))
    me = threading.get_ident()

    def end_if_asked(moment: Any) -> None:  # now and then, while it solves
        if is_to_end(me):
            moment.interrupt()

    solver.cbSimplexInterrupt += end_if_asked
    solver.cbMipInterrupt += end_if_asked
    return solver


def _run(solver: Any) -> None:
    """Let the solver solve; raise where the work is to stop."""
    solver.run()
    heard(0, 0)


def _solve(columns: _Columns, counts: IntVector, begin: IntVector, seconds: float) -> IntVector | None:
    """Return how often each class is chosen, None if nothing better than the beginning is found."""
    import highspy

    n_columns, n_kinds = len(columns.loss), len(counts)
    model = _program(columns, counts)
    model.integrality_ = [highspy.HighsVarType.kInteger] * n_columns
    solver = _solver(seconds)
    solver.passModel(model)
    start = highspy.HighsSolution()
    start.col_value = np.bincount(begin, minlength=n_columns).astype(np.float64).tolist()
    solver.setSolution(start)
    _run(solver)
    found = np.array(solver.getSolution().col_value)
    if len(found) != n_columns:
        return None
    times = np.rint(found).astype(np.int64)
    taken = np.bincount(columns.kinds, np.repeat(times, np.diff(columns.starts)) * columns.rows, n_kinds)
    is_partition = (times >= 0).all() and (taken == counts).all()
    before = np.bincount(begin, minlength=n_columns) @ columns.loss
    return times if is_partition and times @ columns.loss < before else None


def _set(solver: Any, **options: Any) -> None:
    for name, value in options.items():
        solver.setOptionValue(name, value)


def _dealt(kind: IntVector, columns: _Columns, times: IntVector) -> IntVector:
    """Return the class of each row: the rows of each kind go to the classes chosen, in their order."""
    used = np.flatnonzero(times)
    lengths = np.diff(columns.starts)
    owner, kinds, rows = [], [], []
    n_classes = 0
    for column in used.tolist():
        own = slice(columns.starts[column], columns.starts[column + 1])
        for _ in range(times[column]):
            owner.append(np.full(lengths[column], n_classes))
            kinds.append(columns.kinds[own])
            rows.append(columns.rows[own])
            n_classes += 1
    every_owner, every_kind = np.concatenate(owner), np.concatenate(kinds)
    order = np.lexsort((every_owner, every_kind))
    labels = np.empty(len(kind), np.int64)
    labels[np.argsort(kind, kind="stable")] = np.repeat(every_owner[order], np.concatenate(rows)[order])
    return labels
