# SPDX-License-Identifier: Apache-2.0
# What the library includes of others: headers only, of the system or, if asked to, downloaded.
option(LFFN_FETCH "Download xsimd and nlohmann-json where they are not installed" OFF)

# lffn_fetch(name url hash): the folder NAME_SOURCE_DIR. FETCHCONTENT_SOURCE_DIR_NAME names one that is there already.
macro(lffn_fetch name url hash)
  if(NOT LFFN_FETCH)
    message(FATAL_ERROR
      "${name} is missing. Install it (Debian, Ubuntu: libxsimd-dev nlohmann-json3-dev; Fedora: xsimd-devel json-devel; "
      "Homebrew, Conda: xsimd nlohmann-json), or let it be downloaded with -DLFFN_FETCH=ON. Where it lies elsewhere, "
      "-DLFFN_XSIMD_INCLUDE_DIR=FOLDER or -DCMAKE_PREFIX_PATH=FOLDER tells.")
  endif()
  include(FetchContent)
  set(lffn_timestamps)
  if(NOT CMAKE_VERSION VERSION_LESS 3.24)  # which warns where nothing is said
    set(lffn_timestamps DOWNLOAD_EXTRACT_TIMESTAMP ON)
  endif()
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${hash} ${lffn_timestamps})
  FetchContent_GetProperties(${name})
  if(NOT ${name}_POPULATED)
    FetchContent_Populate(${name})  # its headers alone: nothing of it is built or installed
  endif()
endmacro()

# Its CMake package, where there is one, would link what xsimd was packaged with.
find_path(LFFN_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp DOC "The folder with xsimd/xsimd.hpp (libxsimd-dev)")
if(NOT LFFN_XSIMD_INCLUDE_DIR)
  lffn_fetch(xsimd https://github.com/xtensor-stack/xsimd/archive/refs/tags/8.1.0.tar.gz
             d52551360d37709675237d2a0418e28f70995b5b7cdad7c674626bcfbbf48328)
  set(LFFN_XSIMD_INCLUDE_DIR ${xsimd_SOURCE_DIR}/include)
endif()

find_package(nlohmann_json QUIET)
if(NOT nlohmann_json_FOUND)
  lffn_fetch(nlohmann_json https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
             d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
  target_include_directories(nlohmann_json::nlohmann_json INTERFACE ${nlohmann_json_SOURCE_DIR}/include)
endif()
