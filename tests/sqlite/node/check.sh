#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the program in a folder and looks at what it prints: check.sh FOLDER EXTENSION MODEL
set -euo pipefail
mkdir -p "$1"
cp "$(dirname "$0")/search.cjs" "$1"
cd "$1"
# Its package has the library for each system inside; no script has to run.
if ! node -e "require('node:sqlite')" 2>/dev/null && [[ ! -d node_modules/@photostructure/sqlite ]] &&
  ! npm install --ignore-scripts --no-save --no-audit --no-fund --prefix . @photostructure/sqlite@1.2.1 >npm.log 2>&1; then
  echo "skipped: npm does not give @photostructure/sqlite:"
  tail -n 3 npm.log
  exit 77
fi
printed=$(node search.cjs "$2" "$3")
echo "$printed"
[[ $(sed -n 2p <<<"$printed") == "the river" && $(sed -n 3p <<<"$printed") == *"cannot open '/none'"* ]]
