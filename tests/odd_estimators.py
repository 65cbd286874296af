"""Estimators that misbehave, in a module that other processes can import; on a few rows all of them are good."""

from __future__ import annotations

import os
import signal
import time

import numpy as np

from covey.search.estimator import Estimator
from covey.search.task import Found

FEW = 250
"""More rows than an algorithm is tried on before it is measured."""


class _InOrder(Estimator):
    """Neighbours in the table, k and k."""

    needs_rows = True

    def __init__(self, k: int = 2, *, extra: int = 0) -> None:
        self.k = k
        self.extra = extra

    def search(self, task):
        n_rows = task.codes.n_rows
        if n_rows > FEW:
            self.misbehave()
        return Found(of_row=np.minimum(np.arange(n_rows) // self.k, n_rows // self.k - 1))

    def misbehave(self):
        """Do what this one is known for."""


class Chatty(_InOrder):
    def misbehave(self):
        print("a word on stdout")
        os.write(1, b"and another")


class Faulty(_InOrder):
    def misbehave(self):
        raise ValueError("the value 34 of Ann")


class Killed(_InOrder):
    def misbehave(self):
        os.kill(os.getpid(), signal.SIGKILL)


class Leaver(_InOrder):
    def misbehave(self):
        os._exit(3)


class Sleeper(_InOrder):
    def misbehave(self):
        time.sleep(600)


class Hungry(_InOrder):
    """Takes 300 MB and gives them back."""

    def misbehave(self):
        np.ones(300 * 2**17).sum()
