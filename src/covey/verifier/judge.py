"""From a published table to a verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.job import Job, as_job
from covey.ask.models import as_models
from covey.ask.na import NaGiven, NaValue, na_by_column
from covey.ask.schema import Column, Schema
from covey.ask.settings import SETTINGS
from covey.base.arrays import IntVector
from covey.base.checks import one_of, optional, require, require_known
from covey.verifier.classes import count_classes
from covey.verifier.columns.na import without_na
from covey.verifier.columns.quasi import QuasiColumn, published_quasi
from covey.verifier.consent import agreed_in, consent_column
from covey.verifier.models import judge_consistency, judge_k, judge_model, uncountable
from covey.verifier.persons import person_warnings, persons_found, telling_columns
from covey.verifier.question import CONSISTENCY, asked_models, promised
from covey.verifier.tables import arrow_of, has_telling_index, names_of, opened
from covey.verifier.truth.column_pair import column_pair
from covey.verifier.truth.comparison import Question, compare
from covey.verifier.truth.witness import witness_faults
from covey.verifier.verdict import Verdict, in_rows

__all__ = ["verify"]


def verify(
    table: Any,
    *,
    k: int | None = None,
    quasi: Sequence[str] | None = None,
    schema: Schema | None = None,
    job: Job | str | Path | None = None,
    types: Mapping[str, str] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    taxonomies: Mapping[str, Any] | None = None,
    original: Any = None,
    original_typed: bool = True,
    decimal: str = ".",
    na: NaGiven = (),
    missing: str | None = None,
    models: Sequence[Any] = (),
    consent: str | None = None,
    suppression: float | None = None,
    suppressed_rows: str = "count",
    notation: str = "covey",
    release: str | None = None,
    order: str = "any",
    roles: Schema | None = None,
    rows: IntVector | None = None,
    rings: tuple[IntVector, IntVector, IntVector] | None = None,
    allow_unchecked: bool = False,
) -> Verdict:
    """Return what a published table is worth: the levels of its privacy models, recounted from the released cells.

    With the original at hand it is also proved truthful, or not: row by row if the rows are in the order
    of the original, else by a one-to-one assignment of rows, which must exist.  Both tables are read, typed and counted
    by code of its own; with what makes releases it shares only what says what is asked: schema, job, names of models,
    declared taxonomies and missing values.  Tables made by other tools are read too.

    Parameters
    ----------
    table, original : a pandas, polars or Arrow table, as published and as it was.
    k : what is asked for; without it the level is reported.
    quasi : names of the quasi columns, in place of the schema's; `age` is also found as `age_min` and `age_max`.
    schema : roles, types and taxonomies, instead of `quasi` or beside it.  One that names more than quasi columns gives
        the `roles` too, unless they are given; one of quasi columns alone says nothing of the others.
    job : a job (`covey.toml`) instead of a schema; its k, its texts for missing, its suppression and its kind of
        release count where they are not given here, its models beside those given here.
    types, orders, taxonomies : facts about quasi columns by name, as `anonymize` takes them.
    original_typed, decimal, na : False if the original's cells are text still to be typed (a CSV file), its
        decimal mark, and which values mean missing: in every quasi column, or by column as a mapping.
    missing : "suppress" if rows with a missing quasi value were to be left out; the job's if not given here.
    models : privacy models beside k-anonymity, all of which must hold: texts such as
        `distinct-l-diversity(diagnosis, l=3)`, or model objects.
    consent : the column that says who agreed, else the schema's column in that role.  Rows that agreed are exempt:
        no class and no model counts them; they must be truthful like the others.
    suppression : the share of the original's rows that may be missing from the table, 0 if nobody says so.
    suppressed_rows : "ignore" leaves rows that are `*` in every quasi column out of the count.
    notation : "other" reads cells of labels as other tools write them.
    release : the kind of release; "centre" is recomputed, "node" may hold words that are nodes.  The job's if not
        given here, else "interval".
    order : "kept" accepts the rows in the order of the original only.
    roles : the role of every column of the original, as a job has them; a column without one must not be published,
        unless it is named as `consent`.
    rows : the row of the original (from 0) that each released row is: checked, not trusted.  Who has it can prove
        every row by itself, also those that were left out.
    rings : (order, starts, windows) of a release by `NonHomogeneous` whose rows are in the order of the original: they
        are checked, not trusted, and prove k-consistency where the graph of all rows would be too large.
    allow_unchecked : True accepts what could not be checked, such as words that may be nodes of a taxonomy that
        nobody gave; otherwise what is not proven is not ok.

    >>> table = pa.table({"age": ["[34, 35]", "[34, 35]", "61"], "ill": ["a", "b", "a"]})
    >>> verdict = verify(table, k=2, quasi=["age"])
    >>> verdict.ok, verdict.level, verdict.offending[0].cells
    (False, 1, {'age': '61'})
    >>> verify(table, quasi=["age"], models=["distinct-l-diversity(ill, l=2)"]).models[1].level
    1
    """
    everywhere, single_na = na_by_column(na)
    asked = as_job(job)
    if job is not None:
        schema = schema or asked.schema
        roles = asked.schema if roles is None else roles
    roles = _roles_of(schema) if roles is None else roles
    k, its_models = promised(asked, k)
    models = [*its_models, *as_models(models)]
    missing, release = missing or asked.missing, release or asked.release
    suppression = asked.suppression if suppression is None else suppression
    settings = {"k": k, "missing": missing, "suppression": suppression, "release": release}
    _check_words(
        **{name: (value, SETTINGS[name].rule) for name, value in settings.items()},
        suppressed_rows=(suppressed_rows, one_of("count", "ignore")),
        notation=(notation, one_of("covey", "other")),
        consent=(consent, optional(_text)),
        order=(order, one_of("any", "kept")),
    )
    table = opened(table)
    published = arrow_of(table, by_identity=rows is not None)
    given = _with_facts(_quasi_schema(quasi, schema).with_na(single_na), types, orders, taxonomies)
    columns = published_quasi(published, given.names("quasi"), decimal)
    specs = asked_models(models, published, has_original=original is not None)
    names, identifiers = published.column_names, () if schema is None else schema.names("identifier")
    agrees = consent_column(consent, schema, given.names("quasi"), names)
    exempt = agreed_in(published, agrees)
    classes = count_classes(columns, exempt, ignore_starred=suppressed_rows == "ignore")
    below = classes.below(k)
    readable = notation == "covey" and release != "node"
    strict = [readable and column.type is not None and column.taxonomy is None for column in given.quasi]
    declared = () if schema is None else schema.names("quasi")
    closed = [_has_no_tree(column, column.name in declared) for column in given.quasi]
    has_index = roles is not None and has_telling_index(table)
    faults = [
        *(f"column `{name}` is an identifier and was published" for name in identifiers if name in names),
        *_without_role(published, columns, agrees, roles),
        *(["the index of the table has no role that lets it be published"] if has_index else ()),
        *(_lost_columns(published, roles) if rows is not None else ()),
        *_unreadable(columns, given.quasi, strict),
    ]
    comparison, suppressed, telling = None, None, None
    if original is not None:
        original = opened(original)  # a stream gives its rows only once
        telling = telling_columns(original, names, identifiers)
        raw = _originals(
            original, given, names, (*asked.na, *(everywhere or ())), original_typed, decimal,
            by_identity=rows is not None,
        )  # fmt: skip
        suppressed = max(raw.num_rows - published.num_rows, 0)
        if rows is not None and (broken := witness_faults(rows, published.num_rows, raw.num_rows)):
            faults += broken
            rows = None
        pairs = [
            column_pair(
                column, raw.column(facts.name), facts,
                typed=original_typed, notation=notation, strict=is_strict, closed=is_closed,
            )
            for column, facts, is_strict, is_closed in zip(columns, given.quasi, strict, closed, strict=True)
        ]  # fmt: skip
        question = Question(
            table=published,
            original=raw,
            quasi=columns,
            columns=pairs,
            classes=classes.folded,
            release=release,
            decimal=decimal,
            drops_missing=missing == "suppress",
            # a share such as 0.29 means what it says, not the float beside it
            allowed=math.floor(Fraction(str(suppression)) * raw.num_rows),
            order=order,
            rows=rows,
            consent=agrees,
        )
        comparison = compare(question)
    judged = [judge_k(classes, k, columns)]
    for spec in specs:
        if spec.model != CONSISTENCY:
            judged.append(judge_model(spec, classes, published, columns))
        elif comparison is not None:  # it was refused without an original
            judged.append(judge_consistency(spec, comparison, agrees, exempt, rings))
            faults += uncountable(spec, comparison)
    truth = None if comparison is None else comparison.truth
    is_proven = truth is None or (truth.ok and (truth.complete or allow_unchecked))
    persons = []
    if rows is None and telling is not None and comparison is not None:
        persons = persons_found(telling, k, classes, comparison.rows)
    return Verdict(
        ok=all(model.ok for model in judged) and not faults and is_proven,
        k=k,
        level=int(judged[0].level),
        rows=published.num_rows,
        classes=len(classes.sizes),
        smallest=int(classes.sizes.min()) if len(classes.sizes) else 0,
        largest=int(classes.sizes.max(initial=0)),
        sizes=classes.histogram(),
        offending=classes.shown(below, columns),
        offending_count=len(below),
        offending_rows=int(classes.counts[below].sum()),
        suppressed=suppressed,
        starred_rows=int(classes.starred.sum()),
        starred_ignored=suppressed_rows == "ignore",
        exempt=0 if exempt is None else int(exempt.sum()),
        models=tuple(judged),
        truthful=truth,
        unchecked_allowed=allow_unchecked,
        faults=tuple(dict.fromkeys(faults)),
        persons=persons[0] if persons else None,
        warnings=() if rows is not None else person_warnings(published, given.names("quasi"), persons),
    )


def _has_no_tree(column: Column, is_declared: bool) -> bool:
    """Return whether a column is known to have no taxonomy, so that a word it does not know is no node.

    A schema says so by not giving one; an order, a domain and the type boolean leave no room for one.
    """
    facts = column.order is not None or column.domain is not None or column.type == "boolean"
    return column.taxonomy is None and (is_declared or facts)


def _check_words(**given: tuple[object, Any]) -> None:
    for name, (value, rule) in given.items():
        require(rule, name, value, "see help(covey.verify)")


def _text(value: object) -> str | None:
    return None if isinstance(value, str) else f"the name of a column, not {type(value).__name__}"


def _quasi_schema(quasi: Sequence[str] | None, schema: Schema | None) -> Schema:
    """Return a schema of the quasi columns alone."""
    if quasi is None:
        return Schema(schema.quasi if schema is not None else ())
    names = [quasi] if isinstance(quasi, str) else list(dict.fromkeys(quasi))
    declared = {} if schema is None else {column.name: column for column in schema.quasi}
    return Schema(tuple(declared.get(name, Column(name, "quasi")) for name in names))


def _with_facts(
    given: Schema,
    types: Mapping[str, str] | None,
    orders: Mapping[str, Sequence[str]] | None,
    taxonomies: Mapping[str, Any] | None,
) -> Schema:
    """Return the quasi columns with what was told of them beside the schema."""
    facts: dict[str, dict[str, Any]] = {}
    for fact, told in (("type", types), ("order", orders), ("taxonomy", taxonomies)):
        for name, value in (told or {}).items():
            facts.setdefault(given[name].name, {})[fact] = value
    for one in facts.values():
        if "order" in one:
            one.setdefault("type", "ordered")
    return given.with_columns(replace(given[name], **one) for name, one in facts.items())


def _originals(
    frame: Any,
    given: Schema,
    published: Sequence[str],
    na: Sequence[NaValue],
    typed: bool,
    decimal: str,
    *,
    by_identity: bool,
) -> pa.Table:
    """Return the columns of the original that were published, what means missing in quasi columns made so."""
    names = names_of(frame)
    require_known(given.names("quasi"), names, "the original has no column {}")
    wanted = {*published, *(column.name for column in given.quasi)}
    raw = arrow_of(frame, [name for name in names if name in wanted], by_identity=by_identity)
    for column in given.quasi:
        if not (na or column.na):
            continue
        place = raw.column_names.index(column.name)
        data = without_na(raw.column(place), column, (*na, *column.na), typed=typed, decimal=decimal)
        raw = raw.set_column(place, column.name, data)
    return raw


def _roles_of(schema: Schema | None) -> Schema | None:
    """Return the roles that a schema gives to all columns; None if it tells of quasi columns alone."""
    return schema if schema is not None and len(schema.quasi) < len(schema.columns) else None


def _without_role(
    table: pa.Table, quasi: Sequence[QuasiColumn], consent: str | None, roles: Schema | None
) -> list[str]:
    """Return a fault for each column that the roles do not allow to be published."""
    if roles is None:
        return []
    known = {consent, *(name for column in quasi for name in column.columns)}
    known.update(column.name for column in roles.columns if column.role != "entity")
    return [
        f"column `{name}` has no role that lets it be published" for name in table.column_names if name not in known
    ]


def _lost_columns(table: pa.Table, roles: Schema | None) -> list[str]:
    """Return a fault for each column that covey's own release was to publish as it is, and does not."""
    known = set(table.column_names)
    kept = () if roles is None else (column.name for column in roles.columns if column.is_kept)
    return [f"column `{name}` was to be published, and is not" for name in kept if name not in known]


def _unreadable(quasi: Sequence[QuasiColumn], columns: Sequence[Column], strict: Sequence[bool]) -> list[str]:
    """Return a fault for each column with cells that are no released values of its declared type."""
    faults = []
    for published, column, checked in zip(quasi, columns, strict, strict=True):
        if not checked:
            continue
        cells, pairs = published.cells()
        read = published.readings(column.type or "categorical", pairs)
        broken = np.array([reading.cell is None for reading in read], bool)
        if broken.any():
            where = in_rows(np.flatnonzero(broken[cells.codes]))
            faults.append(f"column `{column.name}` holds no released value of type {column.type} {where}")
    return faults
