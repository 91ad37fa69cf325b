# SPDX-License-Identifier: Apache-2.0
# What the library is on Windows: lookupffn.dll, which shows the functions that the headers declare and nothing else. The
# object files serve the static library too, so they do not say themselves what is shown.
file(GLOB headers ${PROJECT_SOURCE_DIR}/include/lookupffn/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
set(definitions "LIBRARY lookupffn.dll\nEXPORTS\n")
foreach(header ${headers})
  file(READ ${header} text)
  string(REGEX MATCHALL "\nLFFN_API[^;(]*[ *\n]lffn_[a-z0-9_]+[(]" declarations "${text}")
  foreach(declaration ${declarations})
    string(REGEX MATCH "(lffn_[a-z0-9_]+)[(]$" unused "${declaration}")
    string(APPEND definitions "  ${CMAKE_MATCH_1}\n")
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/lookupffn.def CONTENT "${definitions}" @ONLY)

target_compile_definitions(lffn_core PRIVATE LOOKUPFFN_STATIC)  # nothing is imported
target_sources(lookupffn PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/lookupffn.def)
target_link_libraries(lookupffn PRIVATE bcrypt)
target_link_libraries(lookupffn_static INTERFACE $<BUILD_INTERFACE:$<LINK_ONLY:bcrypt>>)
set_target_properties(lookupffn PROPERTIES PREFIX "")
