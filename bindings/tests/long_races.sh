#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the Java and .NET tests with long races: long_races.sh BUILD_DIRECTORY [SECONDS]
# In a build with AddressSanitizer, made with gcc, the native side is checked, too:
#   cmake -S . -B build/asan-bindings -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLFFN_SANITIZE=address \
#     -DLFFN_TESTS=ON -DLFFN_BINDINGS=ON
#   cmake --build build/asan-bindings && bindings/tests/long_races.sh build/asan-bindings
set -eu
build=$1
seconds=${2:-70}

if grep -q '^LFFN_SANITIZE:[A-Z]*=.*address' "$build/CMakeCache.txt"; then
  # The virtual machines use SIGSEGV for their own null checks, and free nothing at their end. The C++ runtime has to be
  # there when the sanitizer starts, which looks for the function that throws.
  LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)"
  ASAN_OPTIONS=handle_segv=0:allow_user_segv_handler=1:detect_leaks=0:use_sigaltstack=0:abort_on_error=1
  export LD_PRELOAD ASAN_OPTIONS
fi
export LOOKUPFFN_RACE_SECONDS="$seconds"
exec ctest --test-dir "$build" --output-on-failure --verbose -R '^(java|dotnet)$'
