#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/release refuses to make half a release. usage: release_refusals.sh SOURCE
set -euo pipefail
source=$1
command -v git >/dev/null || { echo "needs git"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/scripts" "$work/include/lookupffn" "$work/finished"
cp "$source/scripts/release" "$work/scripts"
cp "$source/include/lookupffn/base.h" "$work/include/lookupffn"
printf '#!/bin/sh\n' >"$work/scripts/natives"  # builds nothing, as if there were no JDK and no .NET SDK
chmod +x "$work/scripts/natives"
touch "$work/finished/CMakeCache.txt"
cd "$work"
git init -q
git add .
git -c user.name=test -c user.email=test@localhost commit -q -m "All of it"

refuses() {
  local expected=$1
  shift
  if scripts/release "$@" >output 2>&1 || ! grep -q "$expected" output; then
    echo "expected: $expected, got:"
    cat output
    exit 1
  fi
  rm output
}

export PYTHONDONTWRITEBYTECODE=1
echo /output >.git/info/exclude
refuses "not a finished build" --build nowhere
refuses "lacks java/lookupffn-.*[.]jar.*dotnet/feed/LookupFfn[.]runtime[.]linux-x64" --build finished
echo "// more" >>include/lookupffn/base.h
refuses "uncommitted changes" --build finished
refuses "not a finished build" --build nowhere --allow-dirty
echo "release: ok"
