"""The schema: what every column of a table is, and what may happen to it."""

from __future__ import annotations

import datetime as dt
import math
import numbers
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from covey.ask.na import NaValue, na_values
from covey.ask.taxonomy import SPEC_KEYS, taxonomy_from_spec
from covey.base.checks import listed, plural, require_known, unknown, unknown_column
from covey.base.errors import InputError
from covey.base.hints import Asked, hint

__all__ = ["FACTS", "KEPT", "ROLES", "TYPES", "Column", "Schema", "Tree"]

ROLES = ("identifier", "quasi", "sensitive", "target", "entity", "consent", "other")
KEPT = ("sensitive", "target", "other", "consent")
FACTS = {
    "type": "types", "weight": "weights", "domain": "domains", "order": "orders", "taxonomy": "taxonomies",
    "grid": "grids",
}  # fmt: skip
"""What can be said of a quasi column, and the argument that says so of several."""
TYPES = ("numeric", "ordered", "categorical", "date", "boolean")
Number = int | float | Decimal
_NOT_BUILT = ("entity",)
_GREATEST = sys.float_info.max
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[-+]\d\d:?[0-5]\d)?)?", re.ASCII)
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_GREATEST_WEIGHT = 1e100  # far beyond any use, and small enough that a sum over all rows is finite


class Tree(Protocol):
    """A taxonomy, or a rule that makes one from the labels of a column."""

    def bind(self, labels: Sequence[str]) -> Any:
        """Return the taxonomy of these labels."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its role, and for a quasi column its type, weight, domain, order and taxonomy.

    A type of None is taken from the table.  `domain` is (least, greatest) of a numeric or date column
    (nanoseconds since 1970), or the labels of a flat one; `order` lists the labels of an ordered one; `grid` is a step
    of a numeric one, whose multiples snapped ends are; `na` lists the values that mean missing in it.
    """

    name: str
    role: str
    type: str | None = None
    weight: float = 1.0
    domain: tuple[Any, ...] | None = None
    order: tuple[str, ...] | None = None
    taxonomy: Tree | None = None
    grid: float | None = None
    na: tuple[NaValue, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InputError(
                f"the name of a column must be text, not {type(self.name).__name__}",
                code="column-names",
                hint="rename the column",
            )
        if self.role not in ROLES:
            fault = f"column `{self.name}` has the unknown role `{self.role}`"
            raise unknown(fault, self.role, ROLES, code="unknown-role")
        if self.role in _NOT_BUILT:
            raise InputError(
                f"column `{self.name}`: the role `{self.role}` is not available in this version",
                code="not-available",
                hint="make one row per person first (aggregate the rows of each), then make it an identifier; dropped "
                "with several rows per person, classes may hold one person each",
            )
        if self.order is not None and self.type is None:
            object.__setattr__(self, "type", "ordered")
        if self.type is not None and self.type not in TYPES:
            fault = f"column `{self.name}` has the unknown type `{self.type}`"
            raise unknown(fault, self.type, TYPES, code="unknown-type")
        self._check_weight()
        self._check_order()
        self._check_taxonomy()
        self._check_domain()
        self._check_grid()
        self._check_na()

    def _check_weight(self) -> None:
        is_plain = _is_number(self.weight) and not isinstance(self.weight, Decimal)
        if not is_plain or not 0 <= self.weight <= _GREATEST_WEIGHT:
            raise self._fault("weight", "must be a number of 0 or more, at most 1e100", "weight = 1.0")

    def _check_order(self) -> None:
        if (self.type == "ordered") != (self.order is not None):
            raise self._fault("order", "belongs to columns of type ordered, which need it", 'order = ["low", "high"]')
        if self.order is not None:
            labels = _as_tuple(self.order)
            if not labels or not _are_different_texts(labels):
                raise self._fault("order", "must list each label once, as text", 'order = ["low", "high"]')
            object.__setattr__(self, "order", labels)

    def _check_grid(self) -> None:
        if self.grid is None:
            return
        if self.type not in (None, "numeric") or self.taxonomy is not None:
            raise self._fault("grid", "belongs to numeric columns without a taxonomy", "grid = 5")
        if not _is_number(self.grid) or not 0 < self.grid <= _GREATEST:
            raise self._fault("grid", "must be a number above 0", "grid = 5")

    def _check_na(self) -> None:
        try:
            object.__setattr__(self, "na", na_values(self.na))
        except InputError:
            raise self._fault("na", "must list values that mean missing", 'na = ["?", 999]') from None
        if self.na and self.role != "quasi":
            raise self._fault("na", "belongs to quasi columns: all others are dropped, or published as they are", "[]")

    def _check_taxonomy(self) -> None:
        if self.taxonomy is None:
            return
        if isinstance(self.taxonomy, Mapping):  # a rule or a tree, as a job writes them
            spec = self.taxonomy if set(self.taxonomy) <= set(SPEC_KEYS) else {"tree": self.taxonomy}
            object.__setattr__(self, "taxonomy", taxonomy_from_spec(spec, Path(), self.name))
        if not callable(getattr(self.taxonomy, "bind", None)):
            raise self._fault("taxonomy", "must be a taxonomy or a rule that makes one", "Taxonomy.from_file(...)")
        if self.type == "ordered":
            raise self._fault("taxonomy", "cannot stand beside an order", 'type = "categorical"')

    def _check_domain(self) -> None:
        if self.domain is None:
            return
        if self.taxonomy is not None:
            raise self._fault("domain", "cannot stand beside a taxonomy, whose leaves are the domain", "leave it out")
        given = _as_tuple(self.domain)
        fitting = (domain for domain in self._readings(given) if domain is not None)
        found = next(fitting, None)
        if found is None:
            raise self._fault(
                "domain",
                "must be two ends in order (numeric, date) or a list of different labels (categorical, boolean)",
                "domain = [0, 120]",
            )
        object.__setattr__(self, "domain", found)

    def _readings(self, given: tuple[Any, ...]) -> Iterator[tuple[Any, ...] | None]:
        """Return what a declared domain can be for a column of this type."""
        if self.type in (None, "numeric"):
            yield _pair(given, _number)
        if self.type == "date" or (self.type is None and all(isinstance(end, dt.date) for end in given)):
            yield _pair(given, _instant)
        if self.type in (None, "categorical", "boolean") and given and _are_different_texts(given):
            yield given

    def _fault(self, key: str, what: str, example: str) -> InputError:
        return InputError(f"`{key}` of column `{self.name}` {what}", code=f"bad-{key}", hint=f"for example {example}")

    @property
    def is_kept(self) -> bool:
        """Return whether the column is published as it is."""
        return self.role in KEPT


def _as_tuple(given: object) -> tuple[Any, ...]:
    """Return the members of a list, none if it is no list (a text is none)."""
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping) else ()


def _are_different_texts(labels: Sequence[object]) -> bool:
    return all(isinstance(label, str) for label in labels) and len(set(labels)) == len(labels)


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
        return False
    return isinstance(value, numbers.Integral) or math.isfinite(value)


def _pair(given: Sequence[object], read: Callable[[Any], Any]) -> tuple[Any, Any] | None:
    """Return two ends in order as they are read, None if they are not."""
    ends = [read(end) for end in given]
    if len(ends) != 2 or None in ends or ends[0] > ends[1]:
        return None
    return ends[0], ends[1]


def _number(value: Any) -> Number | None:
    """Return a number as a plain Python one, whatever library it comes from; None if it is none."""
    if not _is_number(value):
        return None
    if isinstance(value, int | float | Decimal):
        return value
    return int(value) if isinstance(value, numbers.Integral) else float(value)


def _instant(value: object) -> int | None:
    """Return a declared end of a date domain as nanoseconds since 1970."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = value.isoformat() if isinstance(value, dt.date) else value
    found = _DATE.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        return None
    day, clock, second, fraction, offset = found.groups()
    try:
        moment = dt.datetime.fromisoformat(f"{day}T{clock or '00:00'}:{second or '00'}{offset or 'Z'}")
        since = moment.astimezone(dt.UTC) - _EPOCH
    except (ValueError, OverflowError):  # no such day, or one outside the years 1 to 9999 of UTC
        return None
    return since // dt.timedelta(seconds=1) * 10**9 + int(f"{fraction or 0:0<9}")


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table, each with one role.

    >>> schema = Schema.from_roles(identifier=["name"], quasi=["age", "sex"], weights={"age": 2.0})
    >>> schema.names("quasi")
    ('age', 'sex')
    """

    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        roles: dict[str, list[str]] = {}
        for column in self.columns:
            roles.setdefault(column.name, []).append(column.role)
        twice = [name for name, given in roles.items() if len(given) > 1]
        if twice:
            what = "in more than one role" if any(len(set(roles[name])) > 1 for name in twice) else "named twice"
            raise InputError(
                f"{plural(len(twice), 'column')} {what}: {listed(twice)}",
                code="two-roles",
                hint="give each column one role",
            )
        consent = [column.name for column in self.columns if column.role == "consent"]
        if len(consent) > 1:
            raise InputError(
                f"{plural(len(consent), 'column')} have the role `consent`: {listed(consent)}",
                code="two-roles",
                hint="one column says who agreed; give the others another role",
            )

    @classmethod
    def from_roles(
        cls,
        *,
        identifier: Sequence[str] = (),
        quasi: Sequence[str] = (),
        sensitive: Sequence[str] = (),
        target: Sequence[str] = (),
        entity: str | None = None,
        consent: str | None = None,
        other: Sequence[str] = (),
        types: Mapping[str, str] | None = None,
        weights: Mapping[str, float] | None = None,
        domains: Mapping[str, Sequence[Any]] | None = None,
        orders: Mapping[str, Sequence[str]] | None = None,
        taxonomies: Mapping[str, Tree] | None = None,
        grids: Mapping[str, float] | None = None,
    ) -> Schema:
        """Return a schema from lists of column names per role, and facts about quasi columns by name."""
        given = locals()
        facts: dict[str, Mapping[str, Any] | None] = {fact: given[argument] for fact, argument in FACTS.items()}
        lists = {
            "identifier": identifier, "quasi": quasi, "sensitive": sensitive, "target": target, "other": other,
            "entity": () if entity is None else (entity,), "consent": () if consent is None else (consent,),
        }  # fmt: skip
        return cls(()).with_roles(lists, facts)

    def with_roles(self, roles: Mapping[str, Sequence[str]], facts: Mapping[str, Mapping[str, Any] | None]) -> Schema:
        """Return the schema with these on top: a role moves a column, a fact replaces one of a quasi column."""
        names = {role: _names(role, members) for role, members in roles.items()}
        Schema(tuple(Column(name, role) for role, members in names.items() for name in members))  # one role each
        columns = {column.name: column for column in self.columns}
        for role, members in names.items():
            for name in members:
                if name not in columns or columns[name].role != role:
                    columns[name] = Column(name, role)
        quasi = [name for name, column in columns.items() if column.role == "quasi"]
        for fact, told in facts.items():
            require_known(told or {}, quasi, f"a {fact} was given for {{}}, which is not a quasi column")
        for name in quasi:
            own = {fact: told[name] for fact, told in facts.items() if told and name in told}
            columns[name] = replace(columns[name], **own)
        return Schema(tuple(columns.values()))

    def names(self, *roles: str) -> tuple[str, ...]:
        """Return the names of the columns in these roles, in schema order."""
        return tuple(column.name for column in self.columns if column.role in roles)

    @property
    def quasi(self) -> tuple[Column, ...]:
        """Return the quasi columns."""
        return tuple(column for column in self.columns if column.role == "quasi")

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise unknown_column(
            f"there is no column `{name}` in the schema", name, [column.name for column in self.columns]
        )

    def with_columns(self, columns: Iterable[Column]) -> Schema:
        """Return the schema with the columns of the same names replaced."""
        new = {column.name: column for column in columns}
        return replace(self, columns=tuple(new.get(column.name, column) for column in self.columns))

    def with_na(self, na: Mapping[str, Sequence[NaValue]]) -> Schema:
        """Return the schema with these values declared as missing too, by quasi column."""
        require_known(na, self.names("quasi"), "`na` was given for {}, which is not a quasi column")
        return self.with_columns(replace(self[name], na=(*self[name].na, *values)) for name, values in na.items())

    def check_table(self, names: Sequence[str]) -> None:
        """Raise unless the table has every column of the schema and every column of the table has a role."""
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise InputError(
                f"the table has {plural(len(twice), 'column name')} more than once: {listed(twice)}",
                code="duplicate-columns",
                hint="rename them",
            )
        declared = [column.name for column in self.columns]
        present, known = set(names), set(declared)
        unknown = [name for name in declared if name not in present]
        if unknown:
            raise unknown_column(f"the table has no column {listed(unknown)}", unknown[0], names)
        without = [name for name in names if name not in known]
        if without:
            raise InputError(
                f"{plural(len(without), 'column')} without a role: {listed(without)}",
                code="no-role",
                hint=hint(
                    "give each a role: {} drops it, quasi generalises it, other publishes it as it is; `covey init` "
                    "proposes roles",
                    Asked("identifier", [without[0]]),
                ),
            )
        self.require_quasi()

    def require_quasi(self) -> None:
        """Raise unless there is a quasi column."""
        if not self.quasi:
            raise InputError(
                "no column is quasi, so there is nothing to protect",
                code="no-quasi",
                hint="name the columns that others may know about a person",
            )


def _names(role: str, given: Sequence[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,)
    names = _as_tuple(given)
    if (
        not isinstance(given, Iterable)
        or isinstance(given, Mapping)
        or not all(isinstance(name, str) for name in names)
    ):
        raise InputError(f"`{role}` must list column names", code="bad-role", hint=f'for example {role}=["age"]')
    return names
