#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the plain C consumer against an installed lookupffn and runs it.
# usage: consume.sh pkg-config|cmake shared|static CC PREFIX LIBDIR MODEL
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
way=$1 kind=$2 cc=$3 prefix=$4 libdir=$5 model=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $way in
  pkg-config)
    export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
    options=()
    [[ $kind == shared ]] || options=(--static)
    # Without -r: blanks in a path come behind a backslash.
    read -a flags < <(pkg-config "${options[@]}" --cflags --libs lookupffn)
    [[ $kind == shared ]] || flags+=(-static)
    "$cc" -std=c99 -Wall -Wextra -pedantic -Werror "$here/consumer/main.c" "${flags[@]}" -o "$work/consumer"
    ;;
  cmake)
    target=lookupffn::lookupffn
    [[ $kind == shared ]] || target+=_static
    cmake -S "$here/consumer" -B "$work/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" \
          -DLIBRARY=$target >"$work/log" 2>&1 &&
      cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    mv "$work/build/consumer" "$work/consumer"
    ;;
esac

uses_shared=no
if readelf -d "$work/consumer" | grep -q 'NEEDED.*liblookupffn'; then uses_shared=yes; fi
if [[ $kind == shared && $uses_shared == no || $kind == static && $uses_shared == yes ]]; then
  echo "asked for the $kind library, but: uses the shared one: $uses_shared"
  exit 1
fi
LD_LIBRARY_PATH=$prefix/$libdir "$work/consumer" "$model" "$work/copy.safetensors"
