"""The handle on a process that runs algorithms: started when needed, killed when a run takes too long."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import pickle
import signal
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

import pyarrow as pa

from covey.base import errors
from covey.base.checks import bad_parameter
from covey.base.errors import CoveyError, MachineError
from covey.base.hints import hint_in_both
from covey.comparison.worker import Order, Start

__all__ = ["Bench"]

# the module search path of this process, whatever made it; the folder in which the user stands is not added
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from covey.comparison.worker import serve; serve(int(sys.argv[2]))"
)
_LONGEST_START = 600.0
_LONGEST_COMPILING = 600.0


class _Ended(Exception):
    """The process is gone, or was ended because its answer did not come in time."""


class _NoAnswer(_Ended):
    """No answer came in time."""


class Bench:
    """Runs algorithms in a process of their own, one after the other; `close` ends that process.

    A run that takes longer than its limit is ended with its process, and the next run gets a new one.
    """

    def __init__(self, start: Start, table: pa.Buffer) -> None:
        self._start = start
        self._table = table
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None
        self._resets_peak = False

    def run(self, order: Order, limit: float | None) -> dict[str, Any]:
        """Return how one run ended, as fields of `Row`: its figures, or `failure`; raise what stops every run."""
        if self._process is None:
            self._begin()
        try:
            self._send(order)
            answer = self._answer(_LONGEST_COMPILING, "it took over {} s on a few rows")
            if answer["event"] == "warm":
                answer = self._answer(limit, "it took over {} s, the limit; give it a higher `limit`")
            if answer["event"] == "released":  # what is left is only measuring, which the limit does not count
                answer = self._answer(None)
        except _NoAnswer as error:
            self.close()
            return {"failure": str(error)}
        except _Ended:
            return {"failure": self._how_it_ended()}
        if not self._resets_peak:  # the most memory of a run is then that of a process that had no other
            self.close()
        return {name: value for name, value in answer.items() if name != "event"}

    def close(self) -> None:
        """End the process, if there is one, whatever it is doing."""
        if self._line is not None:
            self._line.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process, self._line = None, None

    def _begin(self) -> None:
        here, there = multiprocessing.Pipe()
        path = json.dumps([folder for folder in sys.path if isinstance(folder, str)])
        self._line = here
        try:
            with there:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _PROGRAM, path, str(there.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[there.fileno()],
                )
            self._send(self._start)
            here.send_bytes(self._table)
            answer = self._answer(_LONGEST_START)
        except (_Ended, OSError) as error:
            self.close()
            raise _no_worker(type(error).__name__.strip("_")) from None
        if answer["event"] != "ready":
            self.close()
            raise _error(answer) if answer["event"] == "refused" else _no_worker(answer["fault"])
        self._resets_peak = bool(answer["resets_peak"])

    def _send(self, order: Start | Order) -> None:
        try:
            message = pickle.dumps(order)
        except (pickle.PicklingError, AttributeError, TypeError):
            raise bad_parameter(
                "an algorithm, a model or a taxonomy cannot be handed to another process",
                "define its class at the top of a module",
            ) from None
        assert self._line is not None
        try:
            self._line.send_bytes(message)
        except OSError:
            raise _Ended from None

    def _answer(self, limit: float | None, fault: str = "") -> dict[str, Any]:
        assert self._line is not None
        try:
            if not self._line.poll(limit):
                raise _NoAnswer(fault.format(f"{limit:g}"))
            answer: dict[str, Any] = json.loads(self._line.recv_bytes())
            return answer
        except (EOFError, OSError):
            raise _Ended from None

    def _how_it_ended(self) -> str:
        assert self._process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        code = self._process.returncode
        self.close()
        if code == -signal.SIGKILL:
            return "its process was killed, most likely for want of memory"
        name = signal.Signals(-code).name if code is not None and code < 0 else f"exit {code}"
        return f"its process ended ({name})"


def _no_worker(why: str) -> MachineError:
    return MachineError(
        f"the process that runs the algorithms could not be started ({why})",
        code="no-worker",
        hint="see that there is memory for a second Python with this table",
    )


def _error(answer: Mapping[str, Any]) -> CoveyError:
    """Return the error that the other process told."""
    kind = getattr(errors, answer["kind"])
    error: CoveyError = kind(answer["message"], code=answer["code"], hint=hint_in_both(*answer["hints"]))
    return error
