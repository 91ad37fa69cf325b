# SPDX-License-Identifier: Apache-2.0
# KIND=kernels: each object defines one global symbol, the table of its part. KIND=others: no object uses ymm or zmm registers.
foreach(object ${OBJECTS})
  if(KIND STREQUAL "kernels")
    execute_process(COMMAND ${NM} --defined-only --extern-only ${object} OUTPUT_VARIABLE symbols
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
    list(LENGTH symbols count)
    if(NOT count EQUAL 1 OR NOT symbols MATCHES "k[A-Za-z0-9]+Kernels")
      message(FATAL_ERROR "${object} exports more than its table: ${symbols}")
    endif()
  else()
    execute_process(COMMAND ${OBJDUMP} -d --no-show-raw-insn ${object} OUTPUT_VARIABLE code
                    COMMAND_ERROR_IS_FATAL ANY)
    if(code MATCHES "%[yz]mm[0-9]+")
      message(FATAL_ERROR "${object} uses ${CMAKE_MATCH_0}, which not every CPU has")
    endif()
  endif()
  message(STATUS "${object}: as it should be")
endforeach()
