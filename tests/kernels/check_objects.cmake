# SPDX-License-Identifier: Apache-2.0
# KIND=kernels: the global symbols of each object are the tables of its parts. KIND=others: no object uses ymm or zmm registers.
foreach(object ${OBJECTS})
  if(KIND STREQUAL "kernels")
    execute_process(COMMAND ${NM} --defined-only --extern-only ${object} OUTPUT_VARIABLE symbols
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
    set(others ${symbols})
    list(FILTER others EXCLUDE REGEX "[0-9]+k[A-Za-z0-9]+KernelsE$")
    if(others OR NOT symbols)
      message(FATAL_ERROR "${object} exports more than its tables: ${symbols}")
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
