"""covey publishes tables about people so that nobody in them can be singled out, and proves it.

>>> import covey, pyarrow
>>> people = pyarrow.table({"age": [34, 35, 61, 63], "sex": ["f", "f", "m", "m"]})
>>> release = covey.anonymize(people, k=2, quasi=["age", "sex"])
>>> release.table.to_pydict()
{'age': ['[34, 35]', '[34, 35]', '[61, 63]', '[61, 63]'], 'sex': ['f', 'f', 'm', 'm']}
>>> covey.verify(release.table, k=2, quasi=["age", "sex"]).ok
True
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any

__version__ = "0.1.0"

# the stub lists the names once, for people, type checkers and this file; each is loaded when it is first asked for, so
# that `covey --help` and the verifier never load the compiled kernels
_STUB = (pkgutil.get_data(__name__, "__init__.pyi") or b"").decode()
_HOMES = {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as \w+$", _STUB, re.MULTILINE)}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'covey' has no attribute {name!r}")
    if _HOMES[name] == __name__:
        return importlib.import_module(f"{__name__}.{name}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
