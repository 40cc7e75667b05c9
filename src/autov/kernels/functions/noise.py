"""Noise that grows with the value, as simulations and experiments have it."""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import objective
from autov.kernels.random import fill_uniforms


@objective
def blur(out, first, second):
    """Multiply every value by exp(z), z a standard normal of its own from the stream (first, second).

    It is f_GN with beta = 1 in Hansen, Finck, Ros, Auger: Real-parameter black-box optimization benchmarking 2009:
    noisy functions definitions. INRIA research report 6869, 2009.
    """
    n = out.size
    uniforms = np.empty(2 * n)
    fill_uniforms(first, second, 0, uniforms)
    for i in range(n):
        radius = math.sqrt(-2.0 * math.log(1.0 - uniforms[i]))
        out[i] *= math.exp(radius * math.cos(2.0 * math.pi * uniforms[n + i]))
