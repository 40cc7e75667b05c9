"""Seeds and streams: every part of a path counts, and no stream is given twice."""

import itertools

import numpy as np
import pytest

from autov.core import InputError, generator, seed_of, stream_key

PATHS = [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1), (0, 0, 1), (1, 0, 0)]


@pytest.mark.parametrize("draw", [lambda *path: generator(*path).random(), lambda *path: tuple(stream_key(*path))])
def test_every_part_of_a_path_counts(draw):
    found = [draw(seed, *path) for seed, path in itertools.product((1, 2), PATHS)]
    assert len(set(found)) == 2 * len(PATHS)
    assert found == [draw(seed, *path) for seed, path in itertools.product((1, 2), PATHS)]


def test_seeds_of_all_kinds():
    assert seed_of(7) == seed_of(np.int64(7)) == 7
    assert seed_of([1, 2]) == seed_of(np.random.SeedSequence([1, 2])) != seed_of([2, 1])
    assert seed_of(None) != seed_of(None)
    rng = np.random.default_rng(3)
    first, second = seed_of(rng), seed_of(rng)
    assert first != second, "the generator goes on"
    assert first == seed_of(np.random.default_rng(3))
    for bad in (-1, "a"):
        with pytest.raises(InputError, match="rng"):
            seed_of(bad)
