"""Talking to people: messages on stderr, progress on a terminal only, and one exit code per kind of fault."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import signal
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from covey.base.errors import CoveyError, Infeasible, InputError
from covey.base.hints import on_command_line
from covey.base.printable import printable
from covey.compiled.interrupts import signals_that_wait

__all__ = [
    "Progress",
    "Terminated",
    "end_undisturbed",
    "guarded",
    "open_what_is_closed",
    "progress",
    "say",
    "stopping_when_terminated",
    "warn",
]

CANNOT_BE_MET, WRONG_INPUT, INTERNAL, INTERRUPTED, PIPE_CLOSED, TERMINATED = 1, 2, 70, 130, 141, 143
_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.EBADF}
"""What the machine fails with, whatever the program does."""


class Terminated(KeyboardInterrupt):
    """The system asked the process to end: what it was writing is removed, as after Ctrl-C."""


@contextlib.contextmanager
def stopping_when_terminated() -> Iterator[None]:
    """Let SIGTERM unwind the program, where by default the process ends at once and leaves its temporary file."""

    def stop(number: int, frame: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        with signals_that_wait():
            yield
    finally:
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:
            signal.signal(signal.SIGTERM, before)


def end_undisturbed() -> None:
    """Let Ctrl-C and SIGTERM change nothing any more: what is about to appear is what the process ends with."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def say(text: str) -> None:
    """Write a message for people; where nobody listens (stderr is closed or full) there is nobody to tell."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(text, file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """Write a warning for people."""
    say(f"warning: {printable(text)}")


@contextlib.contextmanager
def guarded(*, writes: bool = True) -> Iterator[None]:
    """Turn what goes wrong into one sentence and an exit code; no trace, no value of a record.

    writes: whether the command is one that writes files, of which none is left half-written.
    """
    try:
        yield
    except typer.Exit:
        raise
    except CoveyError as error:
        say(f"error: {printable(error.message)}")
        if error.hint:
            say(f"\nhint: {printable(on_command_line(error.hint))}")
        sys.exit(_exit_code(error))
    except KeyboardInterrupt as stopped:
        say("interrupted: no half-written file is left" if writes else "interrupted")
        sys.exit(TERMINATED if isinstance(stopped, Terminated) else INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has gone
        _forget_stdout()
        sys.exit(PIPE_CLOSED)
    except OSError as error:
        if error.errno not in _MACHINE:
            _say_internal_fault(error)
        else:
            say(f"error: reading or writing failed: {os.strerror(error.errno)}")
            say("\nhint: see to the disk or the place that the output goes to, then run it again")
        _forget_stdout()
        sys.exit(INTERNAL)
    except MemoryError:
        say("error: there is not enough memory for this table")
        sys.exit(INTERNAL)
    except Exception as error:
        if hasattr(error, "format_message"):  # words that typer does not understand
            _show_usage_fault(error)
            sys.exit(WRONG_INPUT)
        _say_internal_fault(error)
        sys.exit(INTERNAL)


def open_what_is_closed() -> None:
    """Let stdin, stdout and stderr that were closed lead nowhere: else the next file opened would stand in for one."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def _say_internal_fault(error: Exception) -> None:
    """Tell where an unforeseen error came up; its own words may hold values."""
    say(f"error: internal fault ({type(error).__name__} at {_place(error)})")
    say("\nhint: nothing was published; please report this line and the command, never the data")


def _forget_stdout() -> None:
    """Let what is still to be written go nowhere: Python would complain once more when it closes stdout."""
    if sys.stdout is not None:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_usage_fault(error: Any) -> None:
    text = str(error.format_message())
    if text.startswith("Usage:"):  # no words at all: what came is the help
        say(text)
        return
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "covey"
    wanted = re.search(r"\bvalid (integer|number|float)\b", text)
    names = getattr(getattr(error, "param", None), "opts", None)
    if wanted and names:  # the libraries below each say it in words of their own
        text = f"`{names[-1]}` must be a {'whole ' if wanted[1] == 'integer' else ''}number"
    say(f"error: {printable(text[:1].lower() + text[1:].rstrip('.'))}")
    say(f"\nhint: see {command} --help")


def _exit_code(error: CoveyError) -> int:
    if isinstance(error, Infeasible):
        return CANNOT_BE_MET
    return WRONG_INPUT if isinstance(error, InputError) else INTERNAL


def _place(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "covey" in Path(frame.filename).parts]
    frame = (own or list(frames))[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


class Progress:
    """What is being done, shown on a terminal; nothing in pipes."""

    def __init__(self, status: Any = None) -> None:
        self._status = status

    def __call__(self, words: str) -> None:
        """Show what is being done now."""
        if self._status is not None:
            self._status.update(f"{words} ...")

    def ask(self, question: str) -> bool:
        """Return whether the person at the terminal says yes; nobody is asked where there is none."""
        if self._status is None or sys.stdin is None or not sys.stdin.isatty():
            return False
        self._status.stop()
        try:
            return typer.confirm(question, err=True)
        except typer.Abort as no_answer:  # which is no yes; the system may have asked for an end meanwhile
            if isinstance(no_answer.__context__, Terminated):
                raise no_answer.__context__ from None
            return False
        finally:
            self._status.start()


@contextlib.contextmanager
def progress() -> Iterator[Progress]:
    """Show what is being done, on a terminal; say nothing in pipes."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        yield Progress(status)
