# SPDX-License-Identifier: MIT
"""Tables that are made from released counts, at no privacy cost."""

from __future__ import annotations

from cydp.releases.postprocessing._post_processed import PostProcessed

__all__ = ["PostProcessed"]


def __dir__() -> list[str]:
    return __all__
