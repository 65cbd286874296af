"""What private columns may be, as the caller of an audit says: checked against the table, and told to each front end.

A domain is a range, (least, greatest) or an `Interval`, or else a list or set of values.  Numbers that trees compare
need a range, which may have an open end; centres take a range with both ends or numbers one by one; categories are
listed.  Every row of the table must lie in it, or the class that a row falls into would not be in its span.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from covey.base.checks import listed, plural, require_known
from covey.base.errors import InputError
from covey.mining.centres.coordinates import Category, Coordinates
from covey.mining.centres.private import Interval, Values, is_number, refuse_outside
from covey.mining.faults import bad_domain
from covey.mining.trees.attributes import as_texts, read_attribute
from covey.mining.trees.model import TreeModel

__all__ = ["check_names", "domains_of_centres", "domains_of_clusters", "domains_of_trees", "listed_words"]


def check_names(domains: Mapping[Any, Any], known: Sequence[str], public: Collection[str]) -> None:
    """Raise unless every domain is of private columns that the table has."""
    for name in [name for key in domains for name in (key if isinstance(key, tuple) else (key,))]:
        require_known([name], known, "a domain is given for {}, which is not in the table")
        if name in public:
            raise bad_domain(
                f"a domain is given for `{name}`, which is public: others know its value",
                "leave the domain out, or do not call the column public",
            )


def domains_of_trees(domains: Mapping[str, Any], trees: Sequence[TreeModel], table: Any) -> dict[str, Any]:
    """Return the domains of what the trees test, in the form that their front end takes.

    >>> import pyarrow as pa
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from covey.mining.trees.sklearn_models import read_trees
    >>> tree = read_trees(DecisionTreeRegressor().fit([[33], [35]], [0, 1]), columns=["age"])
    >>> domains_of_trees({"age": Interval(0, np.inf)}, [tree], pa.table({"age": [20, 50]}))
    {'age': (0, inf)}
    """
    tested = {tree.attributes[a] for tree in trees for a in np.unique(tree.attribute).tolist() if a >= 0}
    compared = {name for tree in trees for name in tree.compared()}
    found: dict[str, Any] = {}
    for name, domain in domains.items():
        if name in compared:
            low, high = found[name] = _range(domain, name)
            values = read_attribute(table, name, is_public=True, is_number=True).numbers
            assert values is not None
            refuse_outside((values < low) | (values > high), [name])
        elif name in tested:
            found[name] = texts = _texts(domain, name)
            column = read_attribute(table, name, is_public=True, is_number=False)
            assert column.codes is not None
            is_outside = [value is not None and value not in texts for value in column.values]
            refuse_outside(np.array(is_outside, bool)[column.codes], [name])
    return found


def domains_of_centres(domains: Mapping[Any, Any], names: Collection[str]) -> dict[Any, Any]:
    """Return the domains of coordinates, those of other columns left out, in the form that the front end takes."""
    return {
        key: _numbers(domain, key)
        for key, domain in domains.items()
        if all(name in names for name in (key if isinstance(key, tuple) else (key,)))
    }


def domains_of_clusters(domains: Mapping[str, Any], coordinates: Coordinates) -> dict[Any, Any]:
    """Return the domains of columns that are numbers, or categories with a coordinate for each value."""
    found: dict[Any, Any] = {}
    for column in coordinates.columns:
        if column.name not in domains:
            continue
        domain = domains[column.name]
        if isinstance(column, Category):
            names = coordinates.names_of(column)
            found[names if len(names) > 1 else names[0]] = _points(column, _texts(domain, column.name))
        else:
            found[column.name] = _numbers(domain, column.name)
    return found


def _points(column: Category, texts: Sequence[str | None]) -> Values:
    """Return the points of the listed values: a 1 among zeros, all zeros for any that the model does not know."""
    points = [[float(value == text) for value in column.values] for text in texts]
    return Values(np.unique(np.array(points, np.float64), axis=0), listed_words(texts))


def listed_words(texts: Sequence[str | None], most: int = 8) -> str:
    """Return values in words, the first few if there are many.

    >>> listed_words(["a", None, "c"], most=2)
    'a, missing, 1 more value'
    """
    shown = ["missing" if text is None else text for text in texts[:most]]
    left = len(texts) - len(shown)
    return ", ".join([*shown, plural(left, "more value")] if left else shown)


def _range(domain: Any, name: str) -> tuple[float, float]:
    """Return the ends of a range, of which one may be open."""
    if isinstance(domain, Interval):
        domain = (domain.low, domain.high)
    if not isinstance(domain, tuple | list) or len(domain) != 2 or not all(map(is_number, domain)):
        raise bad_domain(
            f"the model compares `{name}` with numbers, so its domain must be a range and no list of values",
            "give its least and its greatest number",
        )
    low, high = domain
    if not low <= high:
        raise _not_in_order(name)
    return low, high


def _numbers(domain: Any, key: Any) -> Any:
    """Return the domain of a coordinate: a range with two ends, or a set of numbers."""
    name = listed(key) if isinstance(key, tuple) else f"`{key}`"
    if isinstance(domain, Interval):
        if not (np.isfinite(domain.low) and np.isfinite(domain.high)):
            raise bad_domain(
                f"the range of {name} has an open end, with which no centre's reach can be worked out",
                "give both ends, as far as others can know",
            )
        if not domain.low <= domain.high:
            raise _not_in_order(key)
    if isinstance(domain, set | frozenset | list) and any(isinstance(value, str) for value in domain):
        try:
            return {float(value) for value in domain}
        except (TypeError, ValueError):
            raise bad_domain(
                f"the model takes {name} as a number, so its domain must be of numbers",
                "give its least and its greatest number, or every number that it may be",
            ) from None
    return domain


def _not_in_order(name: object) -> InputError:
    return bad_domain(f"the domain of `{name}` ends below its beginning", "give the least number first")


def _texts(domain: Any, name: str) -> tuple[str | None, ...]:
    """Return the values of a category as the texts that a column of them has."""
    is_list = isinstance(domain, Collection) and not isinstance(domain, str | bytes | Mapping) and len(domain)
    texts = as_texts(list(domain)) if is_list else None
    if texts is None:
        raise bad_domain(
            f"the model takes `{name}` as a category, so its domain must be a list of values of one kind",
            "name every value that it may have",
        )
    return tuple(sorted(set(texts), key=lambda text: (text is None, text or "")))
