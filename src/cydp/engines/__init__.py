# SPDX-License-Identifier: MIT
"""Other people's engines, read for their columns."""
