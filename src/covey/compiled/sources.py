"""The source files that compiled kernels depend on, and their digest.

A kernel calls kernels of other files and freezes the constants that it sees, so what it was compiled from is every
file that holds a kernel, every file whose names such a file uses in a kernel, a class or a constant, and so on.  What
plain functions use is of no matter: nothing is compiled again for a change in how tables are read.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["digest", "kernel_sources"]

_HOLDS_KERNELS = re.compile(
    r"^\s*(?:@(?:\w+\.)*kernel\b"
    r"|from covey\.compiled\.kernel import (?:[^\n]*\bkernel\b|\()|import covey\.compiled\.kernel\b)",
    re.M,
)
_KERNEL = re.compile(r"@(?:\w+\.)*kernel\b")
_IMPORT = re.compile(r"^\s*(?:from +(covey[\w.]*) +import +(\([^)]*\)|[^\n]*)|import +(covey[\w.]*)[^\n]*)", re.M)


def kernel_sources(package: Path) -> tuple[Path, ...]:
    """Return the files of the package that hold a kernel or feed one, in order of their names."""
    texts = {file: file.read_text(encoding="utf-8") for file in package.rglob("*.py")}
    found = {file for file, text in texts.items() if "kernel" in text and _HOLDS_KERNELS.search(text)}
    to_follow = list(found)
    while to_follow:
        more = set(_used_files(texts[to_follow.pop()], package, texts)) - found
        found |= more
        to_follow += more
    return tuple(sorted(found))


def _used_files(text: str, package: Path, texts: Mapping[Path, str]) -> Iterator[Path]:
    """Yield the files that the kernels, classes and constants of a file take names from."""
    used = set(re.findall(r"\w+", _without_plain_functions(_IMPORT.sub("", text))))
    for module, names, whole in _IMPORT.findall(text):
        if whole and "covey" in used:
            yield from _files_of(package, whole, texts)
        for name, _, other in re.findall(r"(\w+)( +as +(\w+))?", names):
            if (other or name) in used:
                yield from _files_of(package, module, texts)
                yield from _files_of(package, f"{module}.{name}", texts)


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


def _files_of(package: Path, module: str, texts: Mapping[Path, str]) -> list[Path]:
    """Return the file of a module or package of this name, if there is one."""
    place = package.joinpath(*module.split(".")[1:])
    candidates = [] if place == package else [place.with_suffix(".py"), place / "__init__.py"]
    return [file for file in candidates if file in texts]


@functools.cache
def digest(package: Path) -> str:
    """Return the digest of what the kernels of the package are compiled from."""
    found = hashlib.blake2b(digest_size=16)
    for file in kernel_sources(package):
        text = file.read_bytes()
        found.update(f"{file.relative_to(package).as_posix()} {len(text)}\n".encode())
        found.update(text)
    return found.hexdigest()
