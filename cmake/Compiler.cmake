# SPDX-License-Identifier: Apache-2.0
# What the compiler compiles for, which it knows better than CMAKE_SYSTEM_PROCESSOR does: the flags may say otherwise.
if(CMAKE_OSX_ARCHITECTURES MATCHES ";")
  message(FATAL_ERROR "CMAKE_OSX_ARCHITECTURES names several processors, whose kernels differ: build for one at a time, "
                      "and join the libraries with lipo")
endif()

# lffn_compiler_says(result condition): does it hold in the preprocessor, with the flags in use now?
function(lffn_compiler_says result condition)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/lffn_${result}.cc)
  file(WRITE ${source} "#include <cstddef>\n#if !(${condition})\n#error no\n#endif\nint lffn_answer;\n")
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  unset(LFFN_ANSWER CACHE)
  try_compile(LFFN_ANSWER ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/lffn_${result} SOURCES ${source})
  set(${result} ${LFFN_ANSWER} PARENT_SCOPE)
  unset(LFFN_ANSWER CACHE)
endfunction()

# LFFN_PROCESSOR: x86_64, aarch64, or another, which gets the kernels that any compiler takes.
set(LFFN_PROCESSOR other)
lffn_compiler_says(is_x86_64 "defined(__x86_64__) && !defined(__ILP32__)")
if(is_x86_64)
  set(LFFN_PROCESSOR x86_64)
else()
  lffn_compiler_says(is_aarch64 "defined(__aarch64__) && !defined(__ILP32__) && !defined(__AARCH64EB__)")
  if(is_aarch64)
    set(LFFN_PROCESSOR aarch64)
  else()
    lffn_compiler_says(is_64_bit "__SIZEOF_POINTER__ == 8")
    if(NOT is_64_bit)
      message(FATAL_ERROR "LookupFFN needs a 64-bit processor; with these flags (${CMAKE_CXX_FLAGS}) the compiler builds "
                          "for another, or it cannot compile C++ at all")
    endif()
  endif()
endif()

# The C++ library that the objects need, by the name that a C compiler links it with.
set(LFFN_CXX_LIBRARY stdc++)
lffn_compiler_says(is_libcxx "defined(_LIBCPP_VERSION)")
if(is_libcxx)
  set(LFFN_CXX_LIBRARY c++)
endif()
