"""Taxonomies as a job file names them: a file, a tree, or a rule with its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covey.ask.taxonomy.build import Dates, Intervals, Prefixes
from covey.ask.taxonomy.tree import Taxonomy, TaxonomyRule
from covey.base.checks import bad_parameter, listed, unknown
from covey.base.errors import InputError

__all__ = ["SPEC_KEYS", "taxonomy_from_spec", "taxonomy_spec"]

_FORMS = ("intervals", "prefixes", "dates", "tree")
SPEC_KEYS = (*_FORMS, "start")
"""The keys of a table that names a rule or a tree."""
_HINT = (
    'write "file.csv", {intervals = [5, 10], start = 0}, {prefixes = [3, 2]}, '
    '{dates = ["month", "year"]} or {tree = {...}}'
)


def taxonomy_from_spec(spec: str | Mapping[str, Any], folder: Path, name: str) -> TaxonomyRule:
    """Return the taxonomy or rule that a job file means; files are looked for in `folder`.

    `name` (that of the column) serves messages.

    >>> taxonomy_from_spec({"prefixes": [3, 2]}, Path(), "zip").bind(["47906", "47911"]).ancestor(0, 1)
    '479*'
    """
    if isinstance(spec, str):
        return Taxonomy.from_file(folder / spec)
    if not isinstance(spec, Mapping):
        raise _bad(f"the taxonomy of `{name}` must be a file name or a table, not {type(spec).__name__}")
    for key in spec:
        if key not in SPEC_KEYS:
            raise unknown(f"the taxonomy of `{name}` has an unknown key `{key}`", key, SPEC_KEYS, code="unknown-key")
    forms = [key for key in spec if key in _FORMS]
    if len(forms) != 1:
        raise _bad(f"the taxonomy of `{name}` needs one of {listed(_FORMS)}, not {len(forms)}")
    form, value = forms[0], spec[forms[0]]
    if "start" in spec and form != "intervals":
        raise _bad(f"`start` belongs to `intervals`, but the taxonomy of `{name}` is given by `{form}`")
    if form == "tree":
        if not isinstance(value, Mapping):
            raise _bad(f"`tree` of the taxonomy of `{name}` must be a table, not {type(value).__name__}")
        return Taxonomy.from_dict(value, name)
    if not isinstance(value, list | tuple):
        raise _bad(f"`{form}` of the taxonomy of `{name}` must be a list, not {type(value).__name__}")
    if form == "intervals":
        return Taxonomy.intervals(value, spec.get("start", 0), name)
    return Taxonomy.prefixes(value, name) if form == "prefixes" else Taxonomy.dates(value, name)


def taxonomy_spec(rule: TaxonomyRule) -> dict[str, Any]:
    """Return what a job file says of a taxonomy or rule, so that `taxonomy_from_spec` makes the same of it.

    >>> taxonomy_spec(Taxonomy.intervals([5, 10], start=2))
    {'intervals': [5, 10], 'start': 2}
    """
    if isinstance(rule, Intervals):
        return {"intervals": [*rule.widths], "start": rule.start}
    if isinstance(rule, Prefixes):
        return {"prefixes": [*rule.lengths]}
    if isinstance(rule, Dates):
        return {"dates": [*rule.levels]}
    if isinstance(rule, Taxonomy):
        return {"tree": rule.to_dict()}
    raise _bad(f"a taxonomy of type {type(rule).__name__} cannot be written")


def _bad(message: str) -> InputError:
    return bad_parameter(message, _HINT)
