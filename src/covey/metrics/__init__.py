"""What a release costs, is worth and still tells: numbers with a name, a range and a direction.

>>> from covey.metrics import METRICS, classification_metric
>>> METRICS["classification_metric"].better
'lower'
>>> classification_metric([0, 0, 0, 1, 1], [1, 1, 0, 0, 0])
1
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any

# as in `covey` itself the stub lists the names; each is loaded when first asked for: losses and risks need no kernels
_STUB = (pkgutil.get_data(__name__, "__init__.pyi") or b"").decode()
_HOMES = {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as \w+$", _STUB, re.MULTILINE)}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'covey.metrics' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
