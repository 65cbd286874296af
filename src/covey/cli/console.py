"""Talking to people: messages on stderr, progress on a terminal only, and one exit code per kind of fault."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer

from covey.errors import CoveyError, Infeasible, InputError

__all__ = ["Terminated", "guarded", "progress", "say", "stopping_when_terminated", "warn"]

CANNOT_BE_MET, WRONG_INPUT, INTERNAL, INTERRUPTED, TERMINATED = 1, 2, 70, 130, 143


class Terminated(KeyboardInterrupt):
    """The system asked the process to end: what it was writing is removed, as after Ctrl-C."""


@contextlib.contextmanager
def stopping_when_terminated() -> Iterator[None]:
    """Let SIGTERM unwind the program, where by default the process ends at once and leaves its temporary file."""

    def stop(number: int, frame: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def say(text: str) -> None:
    """Write a message for people."""
    print(text, file=sys.stderr)


def warn(text: str) -> None:
    """Write a warning for people."""
    say(f"warning: {text}")


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Turn what goes wrong into one sentence and an exit code; no trace, no value of a record."""
    try:
        yield
    except typer.Exit:
        raise
    except CoveyError as error:
        say(f"error: {error.message}")
        if error.hint:
            say(f"\nhint: {error.hint}")
        sys.exit(_exit_code(error))
    except KeyboardInterrupt as stopped:
        say("interrupted: no half-written file is left")
        sys.exit(TERMINATED if isinstance(stopped, Terminated) else INTERRUPTED)
    except BrokenPipeError:
        # whoever read our output has gone; python would complain once more when it closes stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(INTERNAL)
    except MemoryError:
        say("error: there is not enough memory for this table")
        sys.exit(INTERNAL)
    except Exception as error:
        if hasattr(error, "format_message"):  # words that typer does not understand
            _show_usage_fault(error)
            sys.exit(WRONG_INPUT)
        # the message of an unforeseen error may hold values, so only its place is told
        say(f"error: internal fault ({type(error).__name__} at {_place(error)})")
        say("\nhint: nothing was published; please report this line and the command, never the data")
        sys.exit(INTERNAL)


def _show_usage_fault(error: Any) -> None:
    text = str(error.format_message())
    if text.startswith("Usage:"):  # no words at all: what came is the help
        say(text)
        return
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "covey"
    say(f"error: {text[:1].lower()}{text[1:].rstrip('.')}")
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


@contextlib.contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Show what is being done, on a terminal; say nothing in pipes."""
    if not sys.stderr.isatty():
        yield lambda words: None
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        yield lambda words: status.update(f"{words} ...")
