# SPDX-License-Identifier: Apache-2.0
# Fails when the files in DIRECTORY are not exactly those EXPECTED.
file(GLOB found RELATIVE ${DIRECTORY} ${DIRECTORY}/*)
list(SORT found)
list(SORT EXPECTED)
if(NOT "${found}" STREQUAL "${EXPECTED}")
  message(FATAL_ERROR "generated: ${found}\nexpected: ${EXPECTED}")
endif()
