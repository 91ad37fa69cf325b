# SPDX-License-Identifier: Apache-2.0
# Unpacks an archive into a folder of the build, which holds nothing else: before what depends on `target` is built, and
# again whenever the archive is another.
function(lffn_unpack target archive folder)
  add_custom_command(
    OUTPUT ${folder}.unpacked
    DEPENDS ${archive}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_COMMAND} -E chdir ${folder} ${CMAKE_COMMAND} -E tar xf ${archive}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}.unpacked
    VERBATIM)
  add_custom_target(${target} DEPENDS ${folder}.unpacked)
endfunction()
