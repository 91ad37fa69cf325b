# SPDX-License-Identifier: Apache-2.0
# Checks what was made of a language's wrapper: the files that SWIG generated, or what the library exports.

# Fails when the files in DIRECTORY are not exactly those EXPECTED.
if(DIRECTORY)
  file(GLOB found RELATIVE ${DIRECTORY} ${DIRECTORY}/*)
  list(SORT found)
  list(SORT EXPECTED)
  if(NOT "${found}" STREQUAL "${EXPECTED}")
    message(FATAL_ERROR "generated: ${found}\nexpected: ${EXPECTED}")
  endif()
  return()
endif()

# Fails when the shared library LIBRARY exports a symbol that matches none of the ALLOWED patterns, or nothing at all.
execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
list(TRANSFORM ALLOWED REPLACE "\\*" ".*")
list(JOIN ALLOWED "|" pattern)
string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
if(NOT lines)
  message(FATAL_ERROR "${LIBRARY} exports nothing")
endif()
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^(${pattern}) ")
    message(FATAL_ERROR "${LIBRARY} exports more than ${pattern}: ${line}")
  endif()
endforeach()
