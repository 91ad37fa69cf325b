# SPDX-License-Identifier: Apache-2.0
# Builds with Zig's compiler: for Linux, so that the libraries load where the C++ library is missing, on musl, and on a glibc
# as old as 2.17; and on Linux for macOS and Windows. scripts/natives calls it and says which compiler (LFFN_ZIG) and for
# what (LFFN_ZIG_TARGET).
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LFFN_ZIG LFFN_ZIG_TARGET)
set(CMAKE_SYSTEM_NAME Linux)
if(LFFN_ZIG_TARGET MATCHES "-macos")
  set(CMAKE_SYSTEM_NAME Darwin)
elseif(LFFN_ZIG_TARGET MATCHES "-windows")
  set(CMAKE_SYSTEM_NAME Windows)
endif()
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${LFFN_ZIG_TARGET})
set(CMAKE_C_COMPILER ${LFFN_ZIG} cc -target ${LFFN_ZIG_TARGET})
set(CMAKE_CXX_COMPILER ${LFFN_ZIG} c++ -target ${LFFN_ZIG_TARGET})
# Zig adds debug information unless told not to. Link-time optimisation would merge what was compiled for different
# instruction sets.
set(CMAKE_C_FLAGS_INIT "-fno-lto -g0")
set(CMAKE_CXX_FLAGS_INIT "-fno-lto -g0")
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Darwin")  # whose linker has another word for it
  set(CMAKE_SHARED_LINKER_FLAGS_RELEASE_INIT -Wl,--strip-all)
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  # Also for CMake's own tries: Zig makes a C++ library for each level.
  string(APPEND CMAKE_C_FLAGS_INIT " -O2")
  string(APPEND CMAKE_CXX_FLAGS_INIT " -O2")
endif()
foreach(language C CXX)
  set(CMAKE_${language}_ARCHIVE_CREATE "${LFFN_ZIG} ar qcD <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_APPEND "${LFFN_ZIG} ar qD <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "${LFFN_ZIG} ranlib <TARGET>")
endforeach()

# The libraries that are headers only, and nothing else of this machine.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR}/../build/natives/headers)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
