"""The middle of the path: from typed columns to what is published of them by a search, a repair and a recoding."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.job import Job
from covey.ask.schema import Schema
from covey.base.arrays import FloatVector, IntVector
from covey.base.checks import plural, rows_of_share
from covey.base.errors import CoveyWarning, InputError
from covey.codes.codes import TableCodes
from covey.codes.encoding import encode_columns
from covey.codes.rings import Rings
from covey.columns.kept import KeptColumn, meant_column
from covey.columns.typed import TypedColumn
from covey.compiled.kernel import kernels_are_cached
from covey.metrics.loss import Losses, Published, measure, without_classes
from covey.recode import Recoding, recode, recode_windows
from covey.release.clock import Clock
from covey.release.preparation import Prepared, prepare
from covey.release.request import Request
from covey.release.sources import Source
from covey.search.repair.enforce import enforce
from covey.search.task import Found
from covey.tables import frames

__all__ = ["Product", "produce"]


@dataclass(frozen=True, slots=True)
class Product:
    """The released quasi columns of the rows that are kept, before anything is written."""

    schema: Schema
    rows: IntVector
    """The row numbers that are released, in their order."""
    columns: Mapping[str, tuple[tuple[str, pa.Array], ...]]
    """For each quasi column the columns published for it: (name, a value for every released row)."""
    labels: IntVector
    """The class of each released row, as published; -1 for the rows of people who consented."""
    losses: Losses
    cover: Rings | None
    """The rings of a release without classes."""
    exempt: int
    """How many released rows are of people who consented."""
    protected: int
    """How many rows of the table are not: released in classes, or suppressed."""
    weights: Mapping[str, float] | None
    """The weights that the search learned, by quasi column, to two places; None if it used the declared ones, or if a
    value that is not published could be solved for from them."""
    cautions: tuple[str, ...]

    @property
    def makes_classes(self) -> bool:
        """Return whether rows are grouped; without classes the guarantee is k-consistency."""
        return self.cover is None


@dataclass(frozen=True, slots=True)
class _Classes:
    """What the search gave: classes that satisfy the demand, or rings."""

    found: Found
    labels: IntVector
    cover: Rings | None
    weights: Mapping[str, float] | None
    notes: tuple[str, ...]


def produce(source: Source, request: Request, clock: Clock) -> Product:
    """Return what is published of the quasi columns of a source."""
    job = request.job
    once = "" if kernels_are_cached() else " (compiling, once per machine)"
    with clock.step("encode", f"encoding{once}"):
        table = prepare(source, job, request.k)
        codes = encode_columns(table.searched)
        beside = frames.take_table(source.columns(request.beside), table.lots.guarded)
        kept = {name: meant_column(name, beside.column(name)) for name in beside.column_names}
    classes = _classes(codes, table, request, kept, clock, once)
    with clock.step("recode", "recoding"):
        recoding, columns, stays = _recoded(codes, table, classes, request)
        suppressed = source.n_rows - len(table.lots.exempt) - len(stays)
        published = _published(columns, recoding, suppressed, classes.cover is None)
        losses = measure(without_classes(published) if job.release == "centre" else published, request.k)
        rows, released, labels = _with_exempt(table, recoding, table.lots.guarded[stays], request)
    hides_nothing = job.release != "centre" and job.ends == "exact" and len(stays) == len(table.lots.guarded)
    return Product(
        schema=table.schema,
        rows=rows,
        columns=released,
        labels=labels,
        losses=losses,
        cover=classes.cover,
        exempt=len(table.lots.exempt),
        protected=source.n_rows - len(table.lots.exempt),
        weights=classes.weights if hides_nothing else None,
        cautions=(*table.cautions, *request.cautions(), *classes.notes),
    )


def _classes(
    codes: TableCodes, table: Prepared, request: Request, kept: Mapping[str, KeptColumn], clock: Clock, once: str
) -> _Classes:
    """Search for classes, and see to it that they satisfy what is asked."""
    with clock.step("cluster", f"clustering{once}"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CoveyWarning)
        search, learned = _weighed(codes, table.searched, request)
        cover, found = None, Found()
        if request.estimator.makes_classes:
            found = request.estimator.found(search, request.demand, kept)
        else:
            cover = request.estimator.cover(search)
    told = tuple(str(one.message) for one in caught if issubclass(one.category, CoveyWarning))
    notes = (*found.notes, *told)
    if cover is not None:
        return _Classes(found, np.zeros(0, np.int64), cover, learned, notes)
    labels = found.labels(search)
    _check_suppressed(request.job, labels)
    with clock.step("enforce", "enforcing"):
        labels = enforce(search, labels, request.demand, kept)
    return _Classes(found, labels, None, _by_column(found.weights, table.searched) or learned, notes)


def _recoded(
    codes: TableCodes, table: Prepared, classes: _Classes, request: Request
) -> tuple[Recoding, list[TypedColumn], IntVector]:
    """Return (released cells, the columns that they are of, which of the searched rows are released)."""
    job, columns = request.job, table.searched
    kind: dict[str, Any] = {"k": request.k, "release": job.release, "ends": job.ends}
    if classes.cover is not None:
        return recode_windows(columns, codes, classes.cover, **kind), columns, np.arange(codes.n_rows)
    stays, labels = np.flatnonzero(classes.labels >= 0), classes.labels
    if len(stays) < len(labels):  # nothing that is told may depend on a row that is not published
        columns = table.columns_of(table.lots.guarded[stays])
        codes, labels = encode_columns(columns), labels[stays]
        assert classes.found.descriptions is None  # descriptions are in the codes of all rows
    return recode(columns, codes, labels, told=classes.found.descriptions, **kind), columns, stays


def _check_suppressed(job: Job, labels: IntVector) -> None:
    allowed = rows_of_share(job.suppression, len(labels))
    suppressed = int((labels < 0).sum())
    if suppressed > allowed:
        raise InputError(
            f"the algorithm would suppress {plural(suppressed, 'row')}, where at most {allowed:,} may be",
            code="too-much-suppression",
            hint="allow more with suppression=0.02, say, or choose another algorithm",
        )


def _weighed(
    codes: TableCodes, columns: Sequence[TypedColumn], request: Request
) -> tuple[TableCodes, Mapping[str, float] | None]:
    """Return the codes with the weights that the search uses, and those weights if they were learned."""
    if request.job.weights == "declared":
        return codes, None
    from covey.search.weighted_c_means.estimator import adaptive_weights

    weights = adaptive_weights(codes, request.k, request.job.seed)
    return replace(codes, weights=weights), _by_column(weights, columns)


def _by_column(weights: FloatVector | None, columns: Sequence[TypedColumn]) -> Mapping[str, float] | None:
    if weights is None:
        return None
    return {column.name: round(weight, 2) for column, weight in zip(columns, weights.tolist(), strict=True)}


def _published(columns: Sequence[TypedColumn], recoding: Recoding, suppressed: int, has_classes: bool) -> Published:
    return Published(
        names=[column.name for column in columns],
        weights=np.array([column.weight for column in columns]),
        sizes=recoding.sizes,
        prices=recoding.prices,
        shares=recoding.shares,
        suppressed=suppressed,
        varies=[bool((column.codes != column.codes[:1]).any()) for column in columns],
        has_classes=has_classes,
    )


def _with_exempt(
    table: Prepared, found: Recoding, guarded: IntVector, request: Request
) -> tuple[IntVector, Mapping[str, tuple[tuple[str, pa.Array], ...]], IntVector]:
    """Return (rows, columns, labels) of the release: the protected rows, and those that consented as they are."""
    exempt = table.lots.exempt
    if not len(exempt):
        return guarded, found.columns, found.labels
    places = np.searchsorted(table.lots.present, exempt)
    own = [replace(column, codes=column.codes[places]) for column in table.published]
    codes = encode_columns(own)
    alone = recode(own, codes, codes.row_tuple, k=request.k, release=request.job.release)
    rows = np.concatenate([guarded, exempt])
    order = np.argsort(rows)
    released = {
        name: tuple(
            (new, _joined(values, others, order))
            for (new, values), (_, others) in zip(parts, alone.columns[name], strict=True)
        )
        for name, parts in found.columns.items()
    }
    labels = np.concatenate([found.labels, np.full(len(exempt), -1, np.int64)])
    return rows[order], released, labels[order]


def _joined(values: pa.Array, others: pa.Array, order: IntVector) -> pa.Array:
    """Return two columns one after the other, then in order.

    The others were read beside all rows: their type is taken, or text where it cannot hold the values.
    """
    plain = [part.dictionary_decode() if pa.types.is_dictionary(part.type) else part for part in (values, others)]
    if plain[0].type != plain[1].type:
        try:
            plain[0] = _cast_exactly(plain[0], plain[1].type)
        except pa.ArrowException:
            plain = [part.cast(pa.string()) for part in plain]
    return pa.concat_arrays(plain).take(pa.array(order))


def _cast_exactly(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return values in another type; a float is the decimal that it stands for, 0.1 one tenth."""
    if pa.types.is_floating(values.type) and pa.types.is_decimal(kind):
        return pa.array([None if value is None else Decimal(repr(value)) for value in values.to_pylist()], kind)
    return values.cast(kind)
