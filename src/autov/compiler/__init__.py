"""How kernels are compiled; the only package that knows how Numba works inside."""
