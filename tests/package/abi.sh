#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the ABI of a library with debug information with the dump in this folder, or writes the dump anew.
# usage: abi.sh compare|update build/release/tests/package/liblookupffn_abi.so
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dump=$here/lookupffn.abi
headers=$(cd "$here/../../include/lookupffn" && pwd)

if ! command -v abidiff >/dev/null; then
  echo "abidiff is missing; apt-get install abigail-tools"
  exit 77
fi
case $1 in
  compare)
    abidiff --exported-interfaces-only "$dump" "$2" || {
      echo "The ABI is not the one in $dump; docs/abi.md says what to do."
      exit 1
    } ;;
  update)
    abidw --headers-dir "$headers" --drop-private-types --exported-interfaces-only --no-corpus-path --no-comp-dir-path \
          --no-show-locs "$2" >"$dump" ;;
esac
