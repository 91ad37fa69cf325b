# SPDX-License-Identifier: Apache-2.0
"""A student fitted to one's own texts: no labels, a quarter of an hour."""
