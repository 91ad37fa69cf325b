# SPDX-License-Identifier: Apache-2.0
"""Several students beside one teacher, on packed rows of texts: see docs/distilling.md."""
