"""A column that must not be asked for its values: parameters are checked before data is read."""

from typing import Any

import numpy as np

__all__ = ["UNREAD"]


class _Unread:
    dtype = np.dtype(float)
    ndim = 1

    def __len__(self) -> int:
        raise AssertionError("data was read")

    def __array__(self, *_args: Any, **_kwargs: Any) -> Any:
        raise AssertionError("data was read")


UNREAD: Any = _Unread()
