"""The source files that compiled kernels depend on, and their digest.

A kernel calls kernels of other files and freezes the constants that it sees, so what it was compiled from is every
file that holds a kernel, every file whose names such a file uses in a kernel, a class or a constant, and so on.  What
plain functions use is of no matter: nothing is compiled again for a change in how tables are read.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["digest", "kernel_sources"]

_HOLDS_KERNELS = re.compile(
    r"^[ \t]*(?:@(?:\w+\.)*kernel\b"
    r"|from covey\.compiled\.kernel import (?:[^\n]*\bkernel\b|\()|import covey\.compiled\.kernel\b)",
    re.M,
)
_KERNEL = re.compile(r"@(?:\w+\.)*kernel\b")
_IMPORT = re.compile(r"^[ \t]*(?:from +(covey[\w.]*) +import +(\([^)]*\)|[^\n]*)|import +(covey[\w.]*)[^\n]*)", re.M)
_NAME = re.compile(r"(\w+)(?: +as +(\w+))?")


def kernel_sources(package: Path) -> tuple[Path, ...]:
    """Return the files of the package that hold a kernel or feed one, in order of their names."""
    files = _files_by_module(package)  # strings, not paths: every start of a command waits for this
    texts = {module: _text(file) for module, file in files.items()}
    found = {module for module, text in texts.items() if "kernel" in text and _HOLDS_KERNELS.search(text)}
    to_follow = list(found)
    while to_follow:
        more = set(_used_modules(texts[to_follow.pop()], texts)) - found
        found |= more
        to_follow += more
    return tuple(sorted(Path(files[module]) for module in found))


def _files_by_module(package: Path) -> dict[str, str]:
    """Return the files of the package by the names that they are imported by."""
    top = str(package)
    found = {}
    for folder, _, names in os.walk(top):
        dotted = ["covey", *folder[len(top) :].split(os.sep)[1:]]
        for name in names:
            if name.endswith(".py"):
                found[".".join(dotted if name == "__init__.py" else [*dotted, name[:-3]])] = os.path.join(folder, name)
    return found


def _text(file: str) -> str:
    with open(file, encoding="utf-8") as opened:
        return opened.read()


def _used_modules(text: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the modules that the kernels, classes and constants of a file take names from."""
    used = _without_plain_functions(_IMPORT.sub("", text))
    for module, names, whole in _IMPORT.findall(text):
        if whole and "covey" in used:
            yield from {whole} & texts.keys()
        for name, other in _NAME.findall(names):
            if (other or name) in used:  # as part of another name, too: a file more is of no harm
                yield from {module, f"{module}.{name}"} & texts.keys()


def _without_plain_functions(text: str) -> str:
    """Return the source without the functions at its top level that are no kernels."""
    kept: list[str] = []
    keeps, is_kernel = True, False
    for line in text.splitlines():
        if line[:1].strip() and line[0] not in ")]}":  # something new begins
            keeps = is_kernel or not line.startswith(("def ", "async def ", "@"))
            is_kernel = line.startswith("@") and (is_kernel or _KERNEL.match(line) is not None)
        if keeps:
            kept.append(line)
    return "\n".join(kept)


@functools.cache
def digest(package: Path) -> str:
    """Return the digest of what the kernels of the package are compiled from."""
    found = hashlib.blake2b(digest_size=16)
    for file in kernel_sources(package):
        text = file.read_bytes()
        found.update(f"{file.relative_to(package).as_posix()} {len(text)}\n".encode())
        found.update(text)
    return found.hexdigest()
