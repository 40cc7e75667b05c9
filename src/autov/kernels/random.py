"""A counter-based random stream: every number is a hash of (key, counter), so any part can be made anywhere, any time.

The hash is the finaliser of splitmix64 (Steele, Lea, Flood 2014) with a second key word added between its two
multiplications, so that streams with neighbouring first words do not overlap. Normals come from the Box-Muller
transform with polynomials in single precision (relative error below 1e-6, range +-6.7), because such a loop
vectorises; they are tested against the normal distribution in tests/kernels.
"""

from __future__ import annotations

import math

import numpy as np

from autov.compiler.functions import inlined, internal, kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)

# What a subkey is used for; the counter of a subkey is PURPOSES * generation + purpose.
PURPOSES = 8
POPULATION, PARENTS, ROWS, NORMALS, NOISE, RESTART = range(6)

HALF_TURN = np.float32(math.pi * 2.0**-31)  # a signed 32-bit angle in radians


def hashed(z, second):
    """Hash counters that were already spread by GOLDEN; the second word of the key joins them."""
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = z + second
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))


mix = inlined(hashed)  # in kernels


@kernel
def subkey(key, generation, purpose):
    """The key of one purpose in one generation of a run."""
    counter = np.uint64(PURPOSES * generation + purpose) * GOLDEN
    first = mix(key[0] + counter, key[1])
    return first, mix(key[1] + counter, first)


@kernel
def fill_bits(first, second, start, count, out):
    """64 random bits in each of the first elements of out: elements start, start + 1, ... of the stream."""
    z = first + np.uint64(start) * GOLDEN
    for i in range(count):
        out[i] = mix(z, second)
        z += GOLDEN


@kernel
def fill_uniforms(first, second, start, out):
    """Uniform numbers in [0, 1) with 53 random bits."""
    z = first + np.uint64(start) * GOLDEN
    for i in range(out.size):
        out[i] = np.int64(mix(z, second) >> np.uint64(11)) * 2.0**-53
        z += GOLDEN


@inlined
def log_f32(x):
    """Natural logarithm of a normal positive float32."""
    bits = np.float32(x).view(np.int32)
    exponent = np.int32(np.int32(bits - np.int32(0x3F3504F3)) >> np.int32(23))
    f = np.int32(bits - np.int32(exponent << np.int32(23))).view(np.float32) - np.float32(1.0)
    s = f / (np.float32(2.0) + f)  # log(1 + f) = 2 artanh(s)
    z = s * s
    p = np.float32(0.28498787)
    p = p * z + np.float32(0.40000972)
    p = p * z + np.float32(0.66666663)
    return np.float32(exponent) * np.float32(0.69314718) + (np.float32(2.0) * s + s * z * p)


@inlined
def sincos_f32(turn):
    """Sine and cosine of an angle given as a signed 32-bit fraction of a turn."""
    quarter = np.int32(np.int32(turn + np.int32(1 << 29)) >> np.int32(30))
    r = np.float32(np.int32(turn - np.int32(quarter << np.int32(30)))) * HALF_TURN  # in [-pi/4, pi/4]
    z = r * r
    s = np.float32(-1.9515296e-4)
    s = s * z + np.float32(8.3321609e-3)
    s = s * z + np.float32(-1.6666655e-1)
    s = s * z * r + r
    c = np.float32(2.4433157e-5)
    c = c * z + np.float32(-1.3887316e-3)
    c = c * z + np.float32(4.1666646e-2)
    c = c * z * z - np.float32(0.5) * z + np.float32(1.0)
    odd = (quarter & np.int32(1)) != 0
    a = c if odd else s
    b = s if odd else c
    sine = -a if (quarter & np.int32(2)) != 0 else a
    cosine = -b if ((quarter + np.int32(1)) & np.int32(2)) != 0 else b
    return sine, cosine


@internal
def box_muller(words, half, out):
    """Two independent standard normals, out[i] and out[half + i], from the words i and half + i, for i < half."""
    for i in range(half):
        u = (np.float32(np.int32(words[i] & np.int32(0x7FFFFFFF))) + np.float32(0.5)) * np.float32(2.0**-31)
        r = np.float32(math.sqrt(np.float32(-2.0) * log_f32(u)))
        s, c = sincos_f32(words[half + i])
        out[i] = r * s
        out[half + i] = r * c


@kernel
def fill_normals(first, second, start, half, bits, words, out):
    """2 half standard normals (float32) in out; words is bits seen as 32-bit integers, both are scratch."""
    fill_bits(first, second, start, half, bits)
    box_muller(words, half, out)
