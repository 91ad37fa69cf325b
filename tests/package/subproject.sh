#!/usr/bin/env bash
# Configures a project with lookupffn inside: its build type and its installation stay its own.
# usage: subproject.sh SOURCE CC CXX OPENMP XSIMD_INCLUDE_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$1 cc=$2 cxx=$3 openmp=$4 xsimd=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CMAKE_BUILD_TYPE  # which CMake would take as the default

fail() { echo "$*"; exit 1; }

configure() {
  local build=$1
  shift
  cmake -G Ninja -S "$here/host" -B "$build" -DLOOKUPFFN="$source" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_CXX_COMPILER="$cxx" -DLFFN_OPENMP="$openmp" -DLFFN_XSIMD_INCLUDE_DIR="$xsimd" "$@" \
        >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

configure "$work/build"
grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=$' "$work/build/CMakeCache.txt" || fail "the cache has a build type"
# Nothing was built, so that it would also fail if it had anything to install.
cmake --install "$work/build" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[[ ! -e $work/prefix ]] || fail "installed:" "$(find "$work/prefix")"

configure "$work/with" -DLFFN_INSTALL=ON
for file in liblookupffn.so liblookupffn.a include/lookupffn lookupffnTargets.cmake lookupffnConfig.cmake lookupffn.pc; do
  grep -q "/$file" "$work/with/lookupffn/cmake_install.cmake" || fail "with LFFN_INSTALL=ON $file is not installed"
done
echo "subproject: ok"
