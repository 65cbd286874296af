"""The source files that compiled kernels depend on, and their digest.

A kernel calls kernels of other files and freezes the constants that it sees, so what it was compiled from is every
file that holds a kernel and every file of the package that such a file imports, directly or through others.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

__all__ = ["digest", "kernel_sources"]

_HOLDS_KERNELS = re.compile(
    rb"^\s*(?:@(?:\w+\.)*kernel\b|from covey\.kernel import (?:[^\n]*\bkernel\b|\()|import covey\.kernel\b)", re.M
)
_IMPORTS = re.compile(rb"^\s*(?:from|import) +(covey[\w.]*)(?: +import +(\([^)]*\)|[^\n]*))?", re.M)


def kernel_sources(package: Path) -> tuple[Path, ...]:
    """Return the files of the package that hold a kernel or feed one, in order of their names."""
    texts = {file: file.read_bytes() for file in package.rglob("*.py")}
    found = {file for file, text in texts.items() if _HOLDS_KERNELS.search(text)}
    to_follow = list(found)
    while to_follow:
        for module, names in _IMPORTS.findall(texts[to_follow.pop()]):
            more = _files_of(package, module.decode(), names.decode(), texts) - found
            found |= more
            to_follow += more
    return tuple(sorted(found))


def _files_of(package: Path, module: str, names: str, texts: Mapping[Path, bytes]) -> set[Path]:
    """Return the files that one import reads: the module's own, and modules among the names taken from it."""
    place = package.joinpath(*module.split(".")[1:])
    parts = (place / name for name in re.findall(r"\w+", names))
    candidates = (
        file for path in (place, *parts) for file in (path.with_suffix(".py"), path / "__init__.py") if path != package
    )
    return {file for file in candidates if file in texts}


@functools.cache
def digest(package: Path) -> str:
    """Return the digest of what the kernels of the package are compiled from."""
    found = hashlib.blake2b(digest_size=16)
    for file in kernel_sources(package):
        text = file.read_bytes()
        found.update(f"{file.relative_to(package).as_posix()} {len(text)}\n".encode())
        found.update(text)
    return found.hexdigest()
