# SPDX-License-Identifier: MIT
"""An array in every layout that its values can have in memory, all of one shape."""

import numpy as np

__all__ = ["layouts"]


def layouts(x):
    yield x
    yield np.repeat(x, 3, axis=-1)[..., ::3]
    yield x[::-1].copy()[::-1]
    yield np.asfortranarray(x)
    yield x.astype(x.dtype.newbyteorder("S"))
    unaligned = np.frombuffer(b"-" + x.tobytes(), x.dtype, offset=1)  # and read-only
    yield unaligned.reshape(x.shape)
