"""Aliases of the array types that the library computes with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
WordIds = NDArray[np.int32]
Posteriors = NDArray[np.float32]  # of remembered documents: float32 halves the memory
