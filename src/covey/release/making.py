"""From the columns of a table to what is published of them: encode, cluster, enforce, recode, measure."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.algorithms import ALGORITHMS, algorithm_named
from covey.ask.job import Job
from covey.ask.models import MODELS
from covey.ask.schema import KEPT, Schema
from covey.base.arrays import FloatVector, IntVector
from covey.base.checks import check, did_you_mean, plural, require_rows, rows_of_share
from covey.base.errors import CoveyWarning, Infeasible, InputError, UnknownColumn
from covey.codes.codes import Codes
from covey.codes.encoding import encode_columns
from covey.codes.rings import Rings
from covey.columns.cautions import na_cautions, quasi_column_cautions, text_cautions
from covey.columns.consent import exempt_rows
from covey.columns.kept import kept_column
from covey.columns.missing import present_rows, with_na
from covey.columns.typed import Place, TypedColumn, type_column
from covey.columns.types import with_types
from covey.compiled.kernel import kernels_are_cached
from covey.compiled.pausing import listening
from covey.metrics.loss import Losses, Published, measure, without_classes
from covey.recode import Recoding, recode, recode_windows
from covey.search.estimator import Estimator
from covey.search.repair.enforce import enforce
from covey.tables import frames

__all__ = ["Clock", "Made", "columns_beside", "estimator_of", "make", "no_suppression", "with_promises"]


@dataclass(slots=True)
class Clock:
    """Measures the steps of one run and tells a person which one is running."""

    progress: Callable[[str], None]
    seconds: dict[str, float] = field(default_factory=dict)

    @contextlib.contextmanager
    def step(self, name: str, words: str) -> Iterator[None]:
        """Time what happens inside, under a name."""
        self.progress(words)
        start = time.perf_counter()
        try:
            with listening(lambda share: self.progress(f"{words}, {share:.0%}")):
                yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


@dataclass(frozen=True, slots=True)
class Made:
    """The released quasi columns of the rows that are kept, before anything is written."""

    schema: Schema
    rows: IntVector
    """The row numbers that are released, in their order."""
    columns: Mapping[str, tuple[tuple[str, pa.Array], ...]]
    """For each quasi column the columns published for it: (name, a value for every released row)."""
    labels: IntVector
    """The class of each released row, as published; -1 for the rows of people who consented."""
    losses: Losses
    algorithm: str
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


def estimator_of(job: Job) -> Any:
    """Return the estimator that a job asks for, told what the roles of its columns say."""
    assert job.k is not None
    if isinstance(job.algorithm, str):
        named = algorithm_named(job.algorithm, k=job.k, seed=job.seed, suppression=job.suppression)
        return named.for_roles(job.schema)
    if not isinstance(job.algorithm, Estimator):
        raise InputError(
            "`algorithm` must be a name or an estimator of covey", code="bad-parameter", hint='for example "mondrian"'
        )
    given = type(job.algorithm)(**job.algorithm.get_params()).set_params(k=job.k)
    if job.suppression and getattr(given, "suppression", None) == 0:  # else it has said its own share
        given.set_params(suppression=job.suppression)
    return given.for_roles(job.schema)


def with_promises(job: Job, estimator: Any) -> Job:
    """Return the job with the models that the algorithm itself satisfies, so that they are verified too."""
    check(estimator)
    _check_suppression(job, estimator)
    return replace(job, models=tuple(dict.fromkeys([*job.models, *estimator.promises()])))


def _search_cautions(job: Job, estimator: Any) -> tuple[str, ...]:
    """Return what a person should know of the algorithm before it runs."""
    notes = [*estimator.cautions()]
    target = getattr(estimator, "target", None)
    if target is not None and job.schema[target].role == "sensitive":
        notes.append(
            f"column `{target}` is sensitive, and the algorithm makes classes alike in it, so that a class tells more "
            "of it; ask for a model such as distinct-l-diversity too"
        )
    return tuple(notes)


def _check_suppression(job: Job, estimator: Any) -> None:
    """Raise if the algorithm may leave out rows and never would; those with missing values need no leave."""
    if not job.suppression or estimator.may_suppress():
        return
    name = job.algorithm if isinstance(job.algorithm, str) else type(estimator).__name__
    raise no_suppression(f"`{name}` as it is asked for leaves out no row")


def no_suppression(reason: str) -> InputError:
    """Return the error that says why a share of rows that may be left out would change nothing."""
    able = [entry.name for entry in ALGORITHMS.values() if entry.may_suppress]
    return InputError(
        f"{reason}, so that `suppression` would have no effect",
        code="no-suppression",
        hint=f"leave out `suppression`, or choose an algorithm that can: {', '.join(able)}",
    )


def columns_beside(job: Job, estimator: Any) -> tuple[str, ...]:
    """Return the kept columns that a run looks at: for consent, for a model, for the search, or to be measured."""
    _check_models(job, estimator)
    asked = [*estimator.reads(), *(column for model in job.models for column in model.columns)]
    for name in asked:
        known = job.schema.names(*KEPT)
        if name not in known:
            raise UnknownColumn(
                f"column `{name}` is asked for by a model or the algorithm, but is not published as it is",
                code="unknown-column",
                hint=did_you_mean(str(name), known) if known else f"make `{name}` sensitive",
            )
    return tuple(dict.fromkeys([*asked, *job.schema.names("consent")]))


def make(
    raw: pa.Table,
    beside: pa.Table,
    job: Job,
    estimator: Any,
    clock: Clock,
    typed: bool = True,
    decimal: str = ".",
    place: Place | None = None,
) -> Made:
    """Return what is published of the quasi columns.

    raw: the quasi columns; beside: the columns of `columns_beside`; typed, decimal: False if cells are text still to
    be typed, and their decimal mark; place: how a row is called in messages.
    """
    assert job.k is not None
    if raw.num_rows == 0:
        raise InputError("the table has no rows", code="no-rows", hint="give a table with rows")
    models = [MODELS[spec.model].load()(*spec.columns, **dict(spec.parameters)) for spec in job.models]
    once = "" if kernels_are_cached() else " (compiling, once per machine)"
    with clock.step("encode", f"encoding{once}"):
        found_na = with_na(raw, job.schema, job.na, typed=typed, decimal=decimal)
        marked, notes = found_na.table, na_cautions(found_na)
        present = present_rows(marked, job.missing)
        require_rows(job.k, len(present))
        schema = with_types(job.schema, marked, typed=typed, decimal=decimal)
        notes += text_cautions(job.schema, schema, marked) if typed else ()
        columns = _typed(schema, marked, present, decimal, place)
        agrees = np.zeros(raw.num_rows, bool)
        for name in job.schema.names("consent"):
            agrees = exempt_rows(name, beside.column(name))
        exempt = np.flatnonzero(agrees[present])
        guarded = np.flatnonzero(~agrees[present])
        rows_in = present[guarded]
        columns_in = columns
        if len(exempt):
            _require_guarded(job.k, len(guarded))
            columns_in = _typed(schema, marked, rows_in, decimal)  # who agreed sets no domain for the others
        notes += quasi_column_cautions(columns_in, job.release) + _search_cautions(job, estimator)
        codes = encode_columns(columns_in)
        kept = {
            name: kept_column(name, frames.take_table(beside, rows_in).column(name)) for name in beside.column_names
        }
    with clock.step("cluster", f"clustering{once}"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CoveyWarning)
        search, learned = _weighed(codes, columns_in, job)
        cover, told = None, None
        if not estimator.makes_classes:
            cover = estimator.cover(search)
        else:
            estimator.set_params(k=_search_k(job, models, len(guarded)))
            labels = np.asarray(estimator.labels(search, kept))
            learned = _by_column(estimator.learned_weights(), columns_in) or learned
            told = estimator.descriptions()
    notes += tuple(str(one.message) for one in caught if issubclass(one.category, CoveyWarning))
    if cover is None:
        _check_suppressed(job, labels)
        with clock.step("enforce", "enforcing"):
            labels = enforce(search, labels, job.k, models, kept)
    with clock.step("recode", "recoding"):
        if cover is None:
            stays = np.flatnonzero(labels >= 0)
            if len(stays) < len(labels):  # nothing that is told may depend on a row that is not published
                columns_in = _typed(schema, marked, rows_in[stays], decimal)
                codes, labels = encode_columns(columns_in), labels[stays]
                assert told is None  # descriptions are in the codes of all rows
            found = recode(columns_in, codes, labels, k=job.k, release=job.release, ends=job.ends, told=told)
        else:
            stays = np.arange(len(guarded))
            found = recode_windows(columns_in, codes, cover, k=job.k, release=job.release, ends=job.ends)
        suppressed = raw.num_rows - len(exempt) - len(stays)
        published = _published(columns_in, found, suppressed, cover is None)
        losses = measure(without_classes(published) if job.release == "centre" else published, job.k)
        rows, released, labels = _with_exempt(columns, found, guarded[stays], exempt, job)
    name = job.algorithm if isinstance(job.algorithm, str) else repr(job.algorithm)
    return Made(
        schema=schema,
        rows=present[rows],
        columns=released,
        labels=labels,
        losses=losses,
        algorithm=name,
        cover=cover,
        exempt=len(exempt),
        protected=raw.num_rows - len(exempt),
        weights=learned if job.release != "centre" and job.ends == "exact" and len(stays) == len(guarded) else None,
        cautions=notes,
    )


def _check_models(job: Job, estimator: Any) -> None:
    for spec in job.models:
        if spec.model not in MODELS:
            raise InputError(
                f"{spec.model} is no model that can be asked for: it is what `non-homogeneous` gives",
                code="bad-model",
                hint="leave it out of the models, and choose that algorithm",
            )
    if not estimator.makes_classes and (job.models or job.schema.names("consent")):
        what = "privacy models over classes" if job.models else "consent"
        raise InputError(
            f"`{type(estimator).__name__}` makes no classes, so {what} cannot be asked for with it",
            code="no-classes",
            hint="choose another algorithm",
        )


def _require_guarded(k: int, rows: int) -> None:
    """Raise `Infeasible` if too few people are left who did not agree."""
    if rows < k:
        raise Infeasible(
            f"k = {k} needs at least {plural(k, 'row')} of people who did not agree; there are {rows:,}",
            code="too-few-rows",
            hint="give a smaller k, or leave out `consent` to protect everybody",
        )


def _check_suppressed(job: Job, labels: IntVector) -> None:
    allowed = rows_of_share(job.suppression, len(labels))
    suppressed = int((labels < 0).sum())
    if suppressed > allowed:
        raise InputError(
            f"the algorithm would suppress {plural(suppressed, 'row')}, where at most {allowed:,} may be",
            code="too-much-suppression",
            hint="allow more with suppression=0.02, say, or choose another algorithm",
        )


def _search_k(job: Job, models: Sequence[Any], rows: int) -> int:
    """Return the k of the search: a class needs the rows that every model needs."""
    assert job.k is not None
    least: list[int] = [model.least_rows() for model in models]
    return min(max([job.k, *least]), rows)


def _weighed(codes: Codes, columns: Sequence[TypedColumn], job: Job) -> tuple[Codes, Mapping[str, float] | None]:
    """Return the codes with the weights that the search uses, and those weights if they were learned."""
    if job.weights == "declared":
        return codes, None
    from covey.search.weighted_c_means.estimator import adaptive_weights

    assert job.k is not None
    weights = adaptive_weights(codes, job.k, job.seed)
    return replace(codes, weights=weights), _by_column(weights, columns)


def _by_column(weights: FloatVector | None, columns: Sequence[TypedColumn]) -> Mapping[str, float] | None:
    if weights is None:
        return None
    return {column.name: round(weight, 2) for column, weight in zip(columns, weights.tolist(), strict=True)}


def _typed(
    schema: Schema, table: pa.Table, rows: IntVector, decimal: str, place: Place | None = None
) -> list[TypedColumn]:
    """Return the quasi columns of some rows, with the domains that these rows have."""
    part = table if len(rows) == table.num_rows else frames.take_table(table, rows)
    words: dict[str, Any] = {} if place is None else {"place": lambda row: place(int(rows[row]))}
    return [type_column(column, part.column(column.name), decimal=decimal, **words) for column in schema.quasi]


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
    columns: Sequence[TypedColumn], found: Recoding, guarded: IntVector, exempt: IntVector, job: Job
) -> tuple[IntVector, Mapping[str, tuple[tuple[str, pa.Array], ...]], IntVector]:
    """Return (rows, columns, labels) of the release: the protected rows, and those that consented as they are."""
    assert job.k is not None
    if not len(exempt):
        return guarded, found.columns, found.labels
    own = [replace(column, codes=column.codes[exempt]) for column in columns]
    codes = encode_columns(own)
    alone = recode(own, codes, codes.row_tuple, k=job.k, release=job.release)
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
            plain[0] = plain[0].cast(plain[1].type)
        except pa.ArrowException:
            plain = [part.cast(pa.string()) for part in plain]
    return pa.concat_arrays(plain).take(pa.array(order))
