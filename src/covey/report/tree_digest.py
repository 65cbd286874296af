"""A taxonomy in a few words and a digest, by which a later reader knows whether it is the same one."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

from covey.ask.taxonomy.build import Dates, Intervals, Prefixes
from covey.ask.taxonomy.tree import Taxonomy

__all__ = ["described"]


def described(taxonomy: Any) -> dict[str, Any]:
    """Return the name, the rule if it is one, and the SHA-256 of the file, or of the declaration as JSON.

    The digest is null for objects that make trees in a way of their own.

    >>> described(Taxonomy.prefixes([3, 2], "zip"))["rule"]
    {'kind': 'prefixes', 'lengths': [3, 2]}
    """
    name = getattr(taxonomy, "name", type(taxonomy).__name__)
    if isinstance(taxonomy, Taxonomy):
        return {"name": name, "rule": None, "sha256": taxonomy.file_digest or _digest(list(taxonomy.paths()))}
    if isinstance(taxonomy, Intervals | Prefixes | Dates):
        facts = {key: _plain(value) for key, value in asdict(taxonomy).items() if key != "name"}
        rule = {"kind": type(taxonomy).__name__.lower(), **facts}
        return {"name": name, "rule": rule, "sha256": _digest(rule)}
    return {"name": str(name), "rule": None, "sha256": None}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float) else str(value)


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
