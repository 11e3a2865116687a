# SPDX-License-Identifier: MIT
"""Columns and arrays of users, of any library: what they declare, and then what they hold."""
