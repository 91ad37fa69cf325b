#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a test of the Python package, or says what it needs and gives up with 77.
"$1" -c 'import numpy, pytest, regex, torch' 2>/dev/null || {
  echo "needs python3-torch, python3-numpy, python3-regex and python3-pytest; scripts/install-deps --training installs them"
  exit 77
}
# Several run at once, and OpenBLAS's threads would wait for each other.
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
PYTHONPATH=$(dirname "$0")/../../training exec "$1" -B -m pytest -q -p no:cacheprovider "$2"
