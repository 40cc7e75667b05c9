"""A problem in Python that counts its evaluations."""

import numpy as np

from autov.core import Box


class Counted:
    """A moved sphere of three variables; whole batches, in this process."""

    name = "counted"
    minimum = 0.0
    uses_rng = False

    def __init__(self, shift=0.3):
        self.box = Box(np.full(3, -1.0), np.full(3, 1.0))
        self.optimum = np.full(3, shift)
        self.shift = shift
        self.count = 0

    def __call__(self, x, rng):  # noqa: ARG002
        self.count += len(x)
        return ((x - self.shift) ** 2).sum(axis=1)

    def objective(self):
        return None
