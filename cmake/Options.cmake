# SPDX-License-Identifier: Apache-2.0
# Of other systems see docs/platforms.md.
set(LFFN_LINUX OFF)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(LFFN_LINUX ON)
endif()

# What is built, and how: the library and the command, unless told otherwise. CMakePresets.json has what developers want.
option(LFFN_OPENMP "Build the openmp executor" ${LFFN_LINUX})
option(LFFN_TESTS "Build the tests" OFF)
option(LFFN_TEST_ALL "Build the tests also where they repeat what quicker ones or another build's show" OFF)
option(LFFN_TOOLS "Build the lookupffn command" ${PROJECT_IS_TOP_LEVEL})
option(LFFN_EXAMPLES "Build the examples" OFF)
option(LFFN_BINDINGS "Build the Java and .NET packages where a JDK and the .NET SDK are found" OFF)
option(LFFN_BINDINGS_PACKAGES "Build the packages, and not only the native libraries inside them" ON)
option(LFFN_SQLITE "Build the extension for SQLite where sqlite3ext.h is found" OFF)
option(LFFN_TRAIN_LIBRARY "Build and install liblookupffn_train, the library with what train.h declares" OFF)
option(LFFN_SHARED "Build and install the shared library" ON)
option(LFFN_STATIC "Build and install the static library" ON)
option(LFFN_INSTALL "Install the libraries, the headers and what finds them" ${PROJECT_IS_TOP_LEVEL})
option(LFFN_BENCHMARKS "Build the benchmarks" OFF)
option(LFFN_FUZZERS "Build the fuzz targets with libFuzzer (clang)" OFF)
# Developers compile each by itself: that notices what one forgets to include, and only what was changed is compiled again.
set(join ON)
if(LFFN_TESTS)
  set(join OFF)
endif()
option(LFFN_JOIN_SOURCES "Compile several sources of the library at once, which takes less time" ${join})
option(LFFN_WERROR "Treat warnings as errors" OFF)
set(LFFN_KERNELS_OF "" CACHE PATH "A finished build for the same processor, whose kernels are taken")
set(LFFN_TEST_DATA ${PROJECT_BINARY_DIR}/tests/data CACHE PATH "Where the archives of the tests are unpacked")
set(LFFN_SANITIZE "" CACHE STRING "Sanitizers for everything built, such as address,undefined or thread")

if(NOT LFFN_SHARED AND NOT LFFN_STATIC)
  message(FATAL_ERROR "LFFN_SHARED and LFFN_STATIC are both OFF: nothing is left to build")
endif()

# What was made for Linux alone, or for systems with POSIX.
set(not_there)
if(NOT LFFN_LINUX)
  list(APPEND not_there SQLITE BENCHMARKS FUZZERS TRAIN_LIBRARY)
  if(NOT WIN32 OR LFFN_BINDINGS_PACKAGES)
    list(APPEND not_there BINDINGS)  # the packages are made on Linux, with Windows' libraries in them
  endif()
endif()
if(WIN32)
  list(APPEND not_there OPENMP TESTS TOOLS)
  # g++ misaligns what AVX saves on the stack there (GCC bug 54412), and others do not take the options below.
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT CMAKE_CXX_COMPILER_FRONTEND_VARIANT STREQUAL "GNU")
    message(FATAL_ERROR "On Windows the compiler must be clang++, with MinGW's libraries; see docs/platforms.md")
  endif()
endif()
foreach(part ${not_there})
  if(LFFN_${part})
    message(STATUS "Skipped on ${CMAKE_SYSTEM_NAME}: LFFN_${part}")
    set(LFFN_${part} OFF)
  endif()
endforeach()

# CMake knows it only where it can ask macOS for its version.
if(APPLE AND CMAKE_CROSSCOMPILING)
  foreach(what SHARED_LIBRARY_RUNTIME EXECUTABLE_RUNTIME)
    foreach(language C CXX)
      set(CMAKE_${what}_${language}_FLAG "-Wl,-rpath,")
    endforeach()
  endforeach()
endif()

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The cache is also that of a project around this one, which chooses for itself. Where it chooses nothing, what is built
# here is optimised all the same.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
elseif(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_CXX_FLAGS MATCHES "-O")
  add_compile_options(-O2)
  add_compile_definitions(NDEBUG)
endif()
# Files have names of their own in their unnamed namespaces, and each instruction set its own flags; LFFN_JOIN_SOURCES minds
# that.
set(CMAKE_UNITY_BUILD OFF)

# One roundings' difference can flip a hash bit and choose another row, so the compiler may not fuse what we did not.
add_compile_options(-Wall -Wextra -ffp-contract=off)
if(LFFN_WERROR)
  add_compile_options(-Werror)
endif()
if(LFFN_SANITIZE)
  add_compile_options(-fsanitize=${LFFN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g)
  add_link_options(-fsanitize=${LFFN_SANITIZE})
endif()
