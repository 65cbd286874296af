"""The one path: from a source to a sink by way of lots, a search, a repair, a recoding and a proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from covey import __version__
from covey.ask.job import Job
from covey.ask.models import model_spec
from covey.ask.schema import KEPT
from covey.base.arrays import IntVector
from covey.base.checks import listed, plural
from covey.base.errors import InputError
from covey.codes.rings import Rings
from covey.columns.cautions import kept_column_cautions, key_cautions
from covey.release.clock import Clock, peak_memory_mb
from covey.release.kept_values import kept_values
from covey.release.product import Product, produce
from covey.release.request import Request, request_of
from covey.release.sinks import Columns, Sink
from covey.release.sources import Source
from covey.report import Report
from covey.report.settings import recorded_settings
from covey.tables import files

__all__ = ["walk"]


def walk(source: Source, sink: Sink, job: Job, clock: Clock, warn: Callable[[str], None]) -> tuple[Report, IntVector]:
    """Release a source into a sink; return the report, and the class of each released row as it is written."""
    job.schema.check_table(source.names)
    request = request_of(replace(job, order=job.order or source.order))
    job = request.job
    with clock.step("read", "reading"):
        for name in (*job.schema.names("quasi"), *request.beside):
            source.column(name)
        owners = source.owners(job.schema)
    product = produce(source, request, clock)
    persons = None if owners is None else owners.in_classes(product.rows, product.labels, request.k)
    of_persons = "" if persons is None else persons.warning(request.k)
    notes = (*filter(None, [of_persons]), *product.cautions, *_of_published(source, job))
    for note in notes:
        warn(note)
    in_order = job.order == "kept"
    sequence = np.arange(len(product.rows)) if in_order else files.shuffle_rows(len(product.rows))
    columns = _published_columns(source.names, product, job, sequence)
    verdict = sink.publish(columns, product.rows[sequence], _promises(product, request, sequence), job, clock)
    report = Report(
        version=__version__,
        k=request.k,
        rows=source.n_rows,
        released=len(product.rows),
        suppressed=source.n_rows - len(product.rows),
        loss=product.losses,
        verdict=verdict,
        algorithm=job.algorithm if isinstance(job.algorithm, str) else repr(job.algorithm),
        makes_classes=product.makes_classes,
        exempt=product.exempt,
        learned_weights=product.weights,
        settings=recorded_settings(job, by_effort=request.estimator.takes_effort and job.budget is None),
        kept=kept_values(source, product),
        persons=persons,
        seed=job.seed,
        missing=job.missing,
        release=job.release,
        ends=job.ends,
        order=job.order or "kept",
        roles={column.name: column.role for column in product.schema.columns},
        types={column.name: column.type or "" for column in product.schema.quasi},
        warnings=notes,
        seconds=clock.seconds,
        peak_memory_mb=peak_memory_mb(),
    )
    return report, product.labels[sequence]


def _published_columns(names: Sequence[str], product: Product, job: Job, sequence: IntVector) -> Columns:
    """Return the output columns in order: the name of a kept column, or released values."""
    out: list[tuple[str, str | pa.Array]] = []
    clash: list[str] = []
    order = pa.array(sequence)
    in_order = job.order == "kept"
    known = {column.name: column for column in job.schema.columns}
    for name in names:
        column = known[name]
        if column.role == "quasi":
            out += [(new, values if in_order else values.take(order)) for new, values in product.columns[name]]
            clash += [new for new, _ in product.columns[name] if new != name and new in names]
        elif column.is_kept:
            out.append((name, name))
    if clash:  # with a dropped column too: its name would come back with another meaning
        raise InputError(
            f"the release needs {plural(len(clash), 'name')} that the table has already: {listed(clash)}",
            code="name-clash",
            hint="rename that column, or use another kind of release",
        )
    return out


def _promises(product: Product, request: Request, sequence: IntVector) -> dict[str, Any]:
    """Return what is to be proved of a release whose rows are written in the order of `sequence`."""
    job = request.job
    promises: dict[str, Any] = {"k": request.k, "models": job.models}
    if product.cover is not None:
        promises = {
            "models": [model_spec({"model": "k-consistency", "k": request.k})],
            "rings": _rings(product.cover, sequence),
        }
    return {
        **promises,
        "rows": product.rows[sequence],
        "na": job.na,
        "missing": job.missing,
        "suppression": job.suppression,
        "release": job.release,
        "order": "kept",
    }


def _rings(cover: Rings, sequence: IntVector) -> tuple[IntVector, IntVector, IntVector]:
    """Return the rings of a cover in terms of the rows as they are written."""
    place = np.empty(len(sequence), np.int64)
    place[sequence] = np.arange(len(sequence))
    return place[cover.order], cover.starts, cover.windows[sequence]


def _of_published(source: Source, job: Job) -> tuple[str, ...]:
    published = source.held(job.schema.names("quasi", *KEPT))
    kept = {name: published[name] for name in job.schema.names(*KEPT)}
    return key_cautions(published, job.schema) + kept_column_cautions(kept)
