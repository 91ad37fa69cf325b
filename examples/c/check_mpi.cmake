# SPDX-License-Identifier: Apache-2.0
# Embeds the lines of TEXT, many times over, with one process and with three, and compares the files byte by byte.
file(READ ${TEXT} lines)
string(REPEAT "${lines}\n\nfar from the same line\n" 60 lines)
file(WRITE ${SCRATCH}/lines.txt "${lines}the last one, without an end")
foreach(processes 1 3)
  execute_process(COMMAND ${MPIRUN} --allow-run-as-root --oversubscribe -n ${processes} ${PROGRAM} ${MODEL} ${SCRATCH}/lines.txt
                          ${SCRATCH}/${processes}.f32 COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(SIZE ${SCRATCH}/1.f32 size)
string(REGEX MATCHALL "\n" ends "${lines}")
list(LENGTH ends count)
math(EXPR expected "(${count} + 1) * ${WIDTH} * 4")
if(NOT size EQUAL expected)
  message(FATAL_ERROR "${size} bytes of vectors, expected ${expected}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${SCRATCH}/1.f32 ${SCRATCH}/3.f32 COMMAND_ERROR_IS_FATAL ANY)
