# SPDX-License-Identifier: Apache-2.0
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
