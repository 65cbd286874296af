"""Estimators that misbehave, in a module that other processes can import; on a few rows all of them are good."""

from __future__ import annotations

import os
import signal
import time

import numpy as np

from covey.base.checks import at_least
from covey.search.estimator import Estimator

FEW = 250
"""More rows than an algorithm is tried on before it is measured."""


class _InOrder(Estimator):
    """Neighbours in the table, k and k."""

    checks = {"k": at_least(2)}

    def __init__(self, k: int = 2, *, extra: int = 0) -> None:
        self.k = k
        self.extra = extra

    def cluster(self, codes):
        if codes.n_rows > FEW:
            self.misbehave()
        return np.minimum(np.arange(codes.n_rows) // self.k, codes.n_rows // self.k - 1)

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
