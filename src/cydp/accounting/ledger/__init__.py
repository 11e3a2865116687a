# SPDX-License-Identifier: MIT
"""A budget in a file. Its public names are in `cydp.accounting`."""
