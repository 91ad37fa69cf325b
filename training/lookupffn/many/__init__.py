# SPDX-License-Identifier: Apache-2.0
"""Several students of one teacher trained together, on packed rows of texts: see docs/distilling.md."""
