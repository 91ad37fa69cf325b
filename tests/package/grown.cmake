# SPDX-License-Identifier: Apache-2.0
# A program and a library of different versions: structs only grow.
#
# The headers of include/lookupffn as 1.0.0 had them, and programs for them, packed by tests/support/archive.py.
lffn_unpack(${CMAKE_CURRENT_SOURCE_DIR}/saved.tar ${CMAKE_CURRENT_BINARY_DIR}/saved)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/lookupffn/*.h)
set(grown ${CMAKE_CURRENT_BINARY_DIR}/grown)
add_custom_command(OUTPUT ${grown}/made
                   COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/grown/headers.py grow
                           ${PROJECT_SOURCE_DIR}/include/lookupffn ${grown}/lookupffn
                   COMMAND ${CMAKE_COMMAND} -E touch ${grown}/made
                   DEPENDS grown/headers.py ${headers})
add_custom_target(grown_headers DEPENDS ${grown}/made)
# With today's library: a program whose structs have grown, and those of 1.0.0, compiled with its headers.
add_executable(new_program EXCLUDE_FROM_ALL grown/program.c)
add_dependencies(new_program grown_headers)
target_include_directories(new_program BEFORE PRIVATE ${grown})
target_compile_definitions(new_program PRIVATE GROWN)
target_link_libraries(new_program PRIVATE $<TARGET_LINKER_FILE:lookupffn>)
add_dependencies(new_program lookupffn)
set_target_properties(new_program PROPERTIES C_STANDARD 11)
set(callers forward fill_mask semantic_search threads)
find_package(Threads REQUIRED)
foreach(caller ${callers})
  add_executable(caller_${caller} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/saved/callers/${caller}.c)
  target_include_directories(caller_${caller} BEFORE PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/saved)
  target_link_libraries(caller_${caller} PRIVATE $<TARGET_LINKER_FILE:lookupffn> Threads::Threads)
  add_dependencies(caller_${caller} lookupffn)
  set_target_properties(caller_${caller} PROPERTIES C_STANDARD 11)
endforeach()
list(TRANSFORM callers PREPEND caller_ OUTPUT_VARIABLE caller_programs)
add_test(NAME package.callers.build COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target new_program ${caller_programs})
set_tests_properties(package.callers.build PROPERTIES FIXTURES_SETUP callers)
set(model ${LFFN_TEST_DATA}/models/model-lookup)
set(sentences ${PROJECT_SOURCE_DIR}/examples/c/sentences.txt)
add_test(NAME package.callers.forward COMMAND caller_forward ${LFFN_TEST_DATA}/golden/bh4-small.model.safetensors 100)
set_tests_properties(package.callers.forward PROPERTIES PASS_REGULAR_EXPRESSION "100 tokens of 64 floats in, of 64 floats out")
add_test(NAME package.callers.fill_mask COMMAND caller_fill_mask ${model} "Freedom is <mask> word that <mask> uses.")
set_tests_properties(package.callers.fill_mask PROPERTIES PASS_REGULAR_EXPRESSION "<mask> 2 of 2.*%  '")
add_test(NAME package.callers.semantic_search COMMAND caller_semantic_search ${model} ${sentences} "Cats sleep a lot.")
set_tests_properties(package.callers.semantic_search PROPERTIES PASS_REGULAR_EXPRESSION "^ [ 01][.][0-9]+  Cats sleep a lot[.]\n")
add_test(NAME package.callers.threads COMMAND caller_threads ${model} ${sentences} 4)
set_tests_properties(package.callers.threads PROPERTIES PASS_REGULAR_EXPRESSION "^ 1[.]0000.*Cats sleep a lot")
foreach(caller ${callers})
  set_tests_properties(package.callers.${caller} PROPERTIES FIXTURES_REQUIRED callers)
endforeach()
function(lffn_add_grown_test program)
  add_test(NAME package.grown.${program} COMMAND ${program} ${LFFN_TEST_DATA}/models/model-lookup)
  set_tests_properties(package.grown.${program} PROPERTIES FIXTURES_REQUIRED ${ARGN} PASS_REGULAR_EXPRESSION "grown: ok")
endfunction()
lffn_add_grown_test(new_program callers)

# A program of 1.0.0 with a library whose structs have all grown. It is compiled when this is tested, for a minute of two
# processors; that structs may be larger or smaller is what tests of api show.
if(NOT LFFN_TEST_ALL)
  return()
endif()
# What no grown struct reaches is as the library has it, unless it was compiled together with others. scripts/test configures
# each time, so that the list is new.
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/grown/headers.py users
                        ${PROJECT_SOURCE_DIR}/include/lookupffn ${PROJECT_SOURCE_DIR}/src
                OUTPUT_VARIABLE reached COMMAND_ERROR_IS_FATAL ANY)
get_target_property(core_sources lffn_core SOURCES)
set(grown_sources ${core_sources})
list(JOIN reached "|" reached)
list(FILTER grown_sources INCLUDE REGEX "/joined/|/src/(${reached})$")
list(FILTER core_sources EXCLUDE REGEX "/joined/|/src/(${reached})$")
string(REPLACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/src/CMakeFiles/lffn_core.dir core_objects "${core_sources}")
list(TRANSFORM core_objects APPEND .o)
set_source_files_properties(${core_objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
add_library(lookupffn_grown SHARED EXCLUDE_FROM_ALL ${grown_sources} ${core_objects})
add_dependencies(lookupffn_grown lffn_core)
add_dependencies(lookupffn_grown grown_headers)
if(NOT LFFN_JOIN_SOURCES)
  set_target_properties(lookupffn_grown PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)  # reading headers is most of it
endif()
target_include_directories(lookupffn_grown PRIVATE ${grown} ${PROJECT_SOURCE_DIR}/src)
target_compile_options(lookupffn_grown PRIVATE -O0 -Wno-missing-field-initializers)  # which have grown
get_property(kernels GLOBAL PROPERTY LFFN_KERNEL_TARGETS)
target_link_libraries(lookupffn_grown PRIVATE ${kernels} nlohmann_json::nlohmann_json)
find_package(OpenMP REQUIRED COMPONENTS CXX)
target_link_libraries(lookupffn_grown PRIVATE OpenMP::OpenMP_CXX)
add_executable(old_program EXCLUDE_FROM_ALL grown/program.c)
target_include_directories(old_program BEFORE PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/saved)
target_link_libraries(old_program PRIVATE lookupffn_grown)
set_target_properties(old_program PROPERTIES C_STANDARD 11)
add_test(NAME package.grown.build COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target old_program)
# One build at a time.
set_tests_properties(package.grown.build PROPERTIES FIXTURES_SETUP grown FIXTURES_REQUIRED callers PROCESSORS 2 COST 200 TIMEOUT 1200)
lffn_add_grown_test(old_program grown)
