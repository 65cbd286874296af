"""The compile decorator of all kernels: numba, cached where a folder can be written.

A kernel calls kernels of other files, so its cache is stamped with a digest of every source file of
the package that holds or feeds kernels: a change in one of them recompiles all.  Folders tried in this
order: the one that NUMBA_CACHE_DIR names, beside the source, the user's cache folder, a private temporary
folder; where none can be written the kernel is compiled in memory.  An entry that was damaged is thrown
away unread, and one that cannot be written is done without.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import caching

from covey.compiled.sources import digest

__all__ = ["kernel", "kernels_are_cached", "lean_kernel"]

F = TypeVar("F", bound=Callable[..., Any])


_PACKAGE = Path(__file__).parents[1]


def _digest() -> str:
    return digest(_PACKAGE)


class _Stamped:
    """Stamps a cached kernel with the digest of all kernels, and of its own file if that is not in the package."""

    _py_file: str

    def get_source_stamp(self) -> str:
        file = Path(self._py_file)
        if file.is_relative_to(_PACKAGE):
            return _digest()
        return f"{_digest()} {hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()}"


class _PrivateTemporary(caching._SourceFileBackedLocatorMixin, caching._CacheLocator):  # type: ignore[misc]
    """A folder in the temporary directory that only this user can read and write.

    A cache entry is code: a folder that somebody else owns or may write to is refused.
    """

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        user = os.getuid() if hasattr(os, "getuid") else 0
        top = Path(tempfile.gettempdir()) / f"covey-kernels-{user}"
        top.mkdir(mode=0o700, exist_ok=True)
        facts = top.lstat()
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != user or facts.st_mode & 0o077:
            raise OSError(f"{top} is not private")
        self._cache_path = str(top / self.get_suitable_cache_subpath(py_file))

    def get_cache_path(self) -> str:
        return self._cache_path

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        try:
            return super().from_function(py_func, py_file)
        except OSError:
            return None


def _stamped(locator: type) -> type:
    return type(locator.__name__, (_Stamped, locator), {})


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [
        _stamped(caching.UserProvidedCacheLocator),
        _stamped(caching.InTreeCacheLocator),
        _stamped(caching.UserWideCacheLocator),
        _stamped(_PrivateTemporary),
    ]

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        # the digest stands in the name too: the index of another version may name a type that is gone,
        # and reading it would fail before its stamp is looked at
        return f"{super().get_filename_base(fullname, abiflags)}-{_digest()[:12]}"


class _InnerImplementation(_Implementation):
    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}-inner"


class _Files(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Files named by what was compiled, not numbered: two processes that compile at once never write the same one.

    Numba numbers them by what the index holds, so that two processes may give one number to two kinds of arguments;
    the index then names machine code of the other kind.  Each file begins with a checksum over itself, its stamp
    and the version of numba: running damaged machine code could end the process.
    """

    def load(self, key: Any) -> Any:
        name = self._load_index().get(key)
        return None if name is None else self._entry(Path(self._data_path(name)))

    def save(self, key: Any, data: Any) -> None:
        name = hashlib.blake2b(repr(key).encode(), digest_size=12).hexdigest()
        file = f"{self._index_name.removesuffix('.nbi')}.{name}.nbc"
        self._write(Path(self._data_path(file)), data)
        # of two indices saved at once one is lost: then a kernel is compiled again, and no more than that
        self._save_index({**self._load_index(), key: file})

    def _load_index(self) -> dict[Any, str]:
        return self._entry(Path(self._index_path)) or {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(Path(self._index_path), overloads)

    def _write(self, file: Path, entry: Any) -> None:
        text = self._dump(entry)
        with self._open_for_write(str(file)) as out:
            out.write(self._checksum(text) + text)

    def _entry(self, file: Path) -> Any:
        """Return what a file of the cache holds; if it is damaged or of another version it is removed: None."""
        try:
            text = file.read_bytes()
        except OSError:
            return None
        check, text = text[:_CHECKSUM], text[_CHECKSUM:]
        if check == self._checksum(text):
            with contextlib.suppress(Exception):  # a type of another library's version may be gone
                return pickle.loads(text)  # noqa: S301 - as trusted as the source: see the folders above
        with contextlib.suppress(OSError):
            file.unlink()
        return None

    def _checksum(self, text: bytes) -> bytes:
        stamp = f"{self._version} {self._source_stamp}\n".encode()
        return hashlib.blake2b(stamp + text, digest_size=_CHECKSUM).digest()


_CHECKSUM = 32
"""Bytes of a checksum."""


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _Implementation

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _Files(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever an entry does, compiling again is always possible
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        # a full or read-only folder: what was compiled is in memory and serves this run
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


class _InnerCache(_Cache):
    _impl_class = _InnerImplementation


_NUMBA: Mapping[str, bool | str] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": True}
_LEAN: Mapping[str, bool | str] = {**_NUMBA, "_nrt": False}
_dispatchers: list[Any] = []


def kernel(function: F) -> F:
    """Compile `function` with numba when it is first called, and keep the result on disk.

    What other kernels call is compiled apart, without the way in from Python: to take arrays out of Python's tuples
    can be more code than a small kernel has, and kernels hand many arrays from one to another.
    """
    return _dispatched(function, _NUMBA)


def lean_kernel(function: F) -> F:
    """Compile `function` as `kernel` does, but without counting who holds its arrays.

    Counting is half of the time of small kernels that hand on many arrays.  Such a kernel makes and returns no array:
    numba refuses that.
    """
    return _dispatched(function, _LEAN)


def _dispatched(function: F, options: Mapping[str, bool | str]) -> F:
    called = _compiled(function, _Cache, options)
    kind: Any = type(called)
    called.__class__ = _with_inner(kind, options is _LEAN)
    _dispatchers.append(called)
    return called  # type: ignore[no-any-return]


@functools.cache
def _with_inner(kind: Any, is_lean: bool) -> Any:
    """Return the kind of dispatcher that other kernels know by its `inner` one, made when the first of them asks."""
    options = {**(_LEAN if is_lean else _NUMBA), "no_cpython_wrapper": True}

    def inner(self: Any) -> Any:
        return _compiled(self.py_func, _InnerCache, options)

    kept = functools.cached_property(inner)  # its type refers to it weakly
    asked = property(lambda self: self.inner._numba_type_)
    return type(kind.__name__, (kind,), {"inner": kept, "_numba_type_": asked})


def _compiled(function: Any, cache: type[_Cache], options: Mapping[str, bool | str]) -> Any:
    compiled = numba.njit(**options)(function)
    with contextlib.suppress(RuntimeError, OSError):  # where no folder can be written, compile in memory
        compiled._cache = cache(function)
    return compiled


def kernels_are_cached() -> bool:
    """Return whether an earlier run left compiled kernels that this version can use."""
    folders = {compiled._cache.cache_path for compiled in _dispatchers} - {None}
    return any(any(Path(folder).glob(f"*-{_digest()[:12]}.nbi")) for folder in folders)
