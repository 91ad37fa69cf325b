# SPDX-License-Identifier: Apache-2.0
"""From a trained model with dense FFNs to a student with LookupFFNs: fit each FFN alone, then train the whole."""
