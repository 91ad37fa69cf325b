#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures a project with lookupffn inside: its build type and its installation stay its own, whatever it sets, and
# what cannot be built is refused by name. Nothing is compiled.
# usage: subproject.sh SOURCE CC CXX OPENMP XSIMD_INCLUDE_DIR JSON_INCLUDE_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$1 cc=$2 cxx=$3 openmp=$4 xsimd=$5 json=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CMAKE_BUILD_TYPE  # which CMake would take as the default

fail() { echo "$*"; exit 1; }

run_cmake() {
  local build=$1
  shift
  cmake -G Ninja -S "$here/consumer" -B "$build" -DLOOKUPFFN="$source" -DLIBRARY=lookupffn::lookupffn -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_CXX_COMPILER="$cxx" -DLFFN_OPENMP="$openmp" "$@" >"$work/log" 2>&1
}
configure() { run_cmake "$@" -DLFFN_XSIMD_INCLUDE_DIR="$xsimd" || { cat "$work/log"; exit 1; }; }
refused() {
  local why=$1
  shift
  ! run_cmake "$work/refused" "$@" || fail "not refused: $*"
  tr -s '[:space:]' ' ' <"$work/log" | grep -q "$why" || { cat "$work/log"; fail "refused, but not for: $why"; }
  rm -rf "$work/refused"
}

configure "$work/build"
grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=$' "$work/build/CMakeCache.txt" || fail "the cache has a build type"
# Nothing was built, so that it would also fail if it had anything to install.
cmake --install "$work/build" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[[ ! -e $work/prefix ]] || fail "installed:" "$(find "$work/prefix")"

# Optimised, sources joined by what may come together, and both as the project around it chose nothing, or a unity build.
configure "$work/unity" -DCMAKE_UNITY_BUILD=ON
configure "$work/single" -DLFFN_JOIN_SOURCES=OFF
for build in "$work/build" "$work/unity" "$work/single"; do
  ninja -C "$build" -t commands lookupffn/src/liblookupffn.a >"$work/commands"
  if [[ $build == */single ]]; then
    grep -q 'team\.cc\.o' "$work/commands" || fail "no object for each source"
  else
    grep -q 'joined/0_0\.cc\.o' "$work/commands" || fail "sources were not joined"
  fi
  ! grep -q 'unity_0' "$work/commands" || fail "CMake joined sources"
  ! grep ' -c ' "$work/commands" | grep -v -e ' -O[23]' || fail "not optimised"
done

# Kernels: a project around gets those that some processor likes best; who names some gets these, what they build on, and
# those that every processor runs.
kernels_of() { ninja -C "$1" -t commands lookupffn/src/liblookupffn.a | grep -o 'lffn_kernels_[a-z0-9]*[.]dir/parts' | sort -u | sed 's/.*s_//; s/[.].*//' | xargs; }
if [[ $(uname -m) == x86_64 ]]; then
  [[ $(kernels_of "$work/build") == 'avx2 avx512 avx512vbmi avx512vnni avxvnni baseline' ]] || fail "builds" "$(kernels_of "$work/build")"
  configure "$work/few" '-DLFFN_KERNELS=avx2;avx512vnni'
  [[ $(kernels_of "$work/few") == 'avx2 avx512 avx512vnni baseline' ]] || fail "builds" "$(kernels_of "$work/few")"
  refused "LFFN_KERNELS has 'avx3', .*: generic, baseline, avx2, avxvnni, avx512, avx512vnni, avx512vbmi" -DLFFN_KERNELS=avx3 \
          -DLFFN_XSIMD_INCLUDE_DIR="$xsimd"
fi

for kind in SHARED STATIC; do
  configure "$work/no-$kind" -DLFFN_INSTALL=ON -DLFFN_$kind=OFF
done
ninja -C "$work/no-SHARED" -t commands consumer | grep -q 'liblookupffn[.]so' && fail "links what was not wanted"
grep -q 'liblookupffn[.]so' "$work/no-SHARED/lookupffn/cmake_install.cmake" && fail "installs an unwanted shared library"
grep -q 'liblookupffn[.]a' "$work/no-STATIC/lookupffn/cmake_install.cmake" && fail "installs an unwanted static library"
refused 'nothing is left to build' -DLFFN_SHARED=OFF -DLFFN_STATIC=OFF -DLFFN_XSIMD_INCLUDE_DIR="$xsimd"
refused 'one at a time' '-DCMAKE_OSX_ARCHITECTURES=arm64;x86_64' -DLFFN_XSIMD_INCLUDE_DIR="$xsimd"
if [[ $(uname -m) == x86_64 ]]; then
  refused '64-bit processor' -DCMAKE_C_FLAGS=-m32 -DCMAKE_CXX_FLAGS=-m32 -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY \
          -DLFFN_OPENMP=OFF -DLFFN_XSIMD_INCLUDE_DIR="$xsimd"
fi

# Without what it includes of others, and with both in places where a download would have put them.
hidden=(-DCMAKE_IGNORE_PATH="$xsimd" -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)
refused 'xsimd is missing.*LFFN_FETCH=ON' "${hidden[@]}"
refused 'nlohmann_json is missing' -DLFFN_XSIMD_INCLUDE_DIR="$xsimd" "${hidden[1]}"
mkdir -p "$work/xsimd/include" "$work/json/include"
cp -r "$xsimd/xsimd" "$work/xsimd/include"
cp -r "$json/nlohmann" "$work/json/include"
run_cmake "$work/fetched" "${hidden[@]}" -DLFFN_FETCH=ON -DFETCHCONTENT_SOURCE_DIR_XSIMD="$work/xsimd" \
          -DFETCHCONTENT_SOURCE_DIR_NLOHMANN_JSON="$work/json" || { cat "$work/log"; exit 1; }
ninja -C "$work/fetched" -t commands lookupffn/src/liblookupffn.a >"$work/commands"
for folder in xsimd json; do
  grep -q "isystem $work/$folder/include" "$work/commands" || fail "$folder was not taken from where it was put"
done

configure "$work/with" -DLFFN_INSTALL=ON
for file in liblookupffn.so liblookupffn.a include/lookupffn lookupffnTargets.cmake lookupffnConfig.cmake lookupffn.pc; do
  grep -q "/$file" "$work/with/lookupffn/cmake_install.cmake" || fail "with LFFN_INSTALL=ON $file is not installed"
done
echo "subproject: ok"
