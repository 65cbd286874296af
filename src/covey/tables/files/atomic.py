"""Files that appear whole and checked, or not at all.

Written beside the final name under a hidden random one (readable by its owner alone), flushed to disk, checked,
renamed; then it has the rights that the system gives to new files.  Whatever happens before the rename, an interrupt
included, removes the hidden file; a killed process may leave it, but nothing under the final name.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable
from typing import BinaryIO

from covey.base.errors import MachineError
from covey.tables.files.target import exists

__all__ = ["publish_file"]

Write = Callable[[BinaryIO], object]
Check = Callable[[str], object]


def publish_file(write: Write, target: str, *, check: Check, force: bool, private: bool = False) -> None:
    """Write a file beside `target`, check it there, and give it its name; `private`: its owner alone may read it.

    If the target is `-` it is written in the temporary folder, checked there and copied to stdout.
    """
    folder = tempfile.gettempdir() if target == "-" else os.path.dirname(os.path.abspath(target))
    hidden = os.path.join(folder, f".covey-{secrets.token_hex(16)}.tmp")
    try:
        _write_whole(write, hidden)
        check(hidden)
        if target == "-":
            _copy_to_stdout(hidden)
            return
        _rename(hidden, target, force)
    finally:
        with contextlib.suppress(OSError):  # it is not there any more if it was renamed
            os.unlink(hidden)
    if not private:
        _give_usual_rights(target)
    _flush_folder(folder)


def _write_whole(write: Write, path: str) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(handle, "wb") as out:
            write(out)
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        raise _write_failed(error) from None


def _rename(hidden: str, target: str, force: bool) -> None:
    try:
        if force:
            os.replace(hidden, target)
        else:
            _rename_unless_there(hidden, target)
    except FileExistsError:
        raise exists(target) from None
    except OSError as error:
        raise _write_failed(error) from None


def _rename_unless_there(hidden: str, target: str) -> None:
    """Rename without replacing: a second name is only ever given if it is free, then the first one goes."""
    try:
        os.link(hidden, target)
    except FileExistsError:
        raise
    except OSError:
        # no hard links in this file system: look, then rename; a file made in between would be replaced
        if os.path.lexists(target):
            raise FileExistsError from None
        os.rename(hidden, target)
    else:
        os.unlink(hidden)


def _give_usual_rights(path: str) -> None:
    """Give a file the rights of a new one: to read and write for all, less what the umask takes away."""
    taken = os.umask(0o077)  # the only way to ask for it; put back at once
    os.umask(taken)
    with contextlib.suppress(OSError):  # a file system without such rights
        os.chmod(path, 0o666 & ~taken)


def _copy_to_stdout(path: str) -> None:
    try:
        with open(path, "rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer, 1 << 20)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # who reads has seen enough: what came out was checked
        raise
    except OSError as error:
        raise _write_failed(error) from None


def _write_failed(error: OSError) -> MachineError:
    return MachineError(
        f"the output could not be written: {error.strerror or type(error).__name__}",
        code="write-failed",
        hint="free space or choose another folder; nothing was published",
    )


def _flush_folder(folder: str) -> None:
    """Ask the system to keep the new name through a power cut, where it knows how to."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
