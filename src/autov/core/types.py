"""Names for the array types that everything exchanges."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Generator = np.random.Generator
Seed = Any  # None, an integer, a sequence of integers, or a numpy Generator
