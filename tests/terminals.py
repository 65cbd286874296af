"""The command line on a terminal, with somebody who types."""

from __future__ import annotations

import os
import pty
import re
import sys

__all__ = ["CTRL_C", "on_a_terminal"]

CTRL_C = b"\x03"


def on_a_terminal(*words: object, typed: tuple[tuple[bytes, bytes], ...] = ()) -> tuple[bytes, int]:
    """Return what a person sees, and the exit code.

    typed: what to wait for (a pattern), and what is typed then, one by one.
    """
    pid, screen = pty.fork()
    if pid == 0:
        os.execve(
            sys.executable,
            [sys.executable, "-m", "covey", *map(str, words)],
            {**os.environ, "TERM": "xterm", "COLUMNS": "120"},
        )
    seen, begin, answers = b"", 0, list(typed)
    while True:
        try:
            part = os.read(screen, 65536)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            break
        seen += part
        if answers and re.search(answers[0][0], seen[begin:]):
            begin = len(seen)
            os.write(screen, answers.pop(0)[1])
    os.close(screen)
    return seen, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
