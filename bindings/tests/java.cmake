# SPDX-License-Identifier: Apache-2.0
get_filename_component(java_build ${CMAKE_CURRENT_BINARY_DIR}/../java ABSOLUTE)
# The harness runs from its source, as any user's file would: with the jar on the class path.
set(overhead_source ${CMAKE_CURRENT_SOURCE_DIR}/../java/benchmarks/Overhead.java)
add_test(NAME java_overhead
         COMMAND ${Java_JAVA_EXECUTABLE} -cp ${LFFN_JAR} -Doverhead.source=${overhead_source} ${overhead_source}
                 $<TARGET_FILE:bindings_call_time> 1000)
set_tests_properties(java_overhead PROPERTIES RUN_SERIAL ON LABELS packages)  # a stage of its own

set(under_load_source ${CMAKE_CURRENT_SOURCE_DIR}/../java/benchmarks/UnderLoad.java)
add_test(NAME java_under_load COMMAND ${Java_JAVA_EXECUTABLE} -cp ${LFFN_JAR} ${under_load_source} ${lffn_encoder} 2)
set_tests_properties(java_under_load PROPERTIES RUN_SERIAL ON LABELS packages)

add_test(NAME java_notices COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/check_packages.py ${LFFN_JAR}
                                   ${LFFN_PLATFORM_JAR}
                                   ${java_build}/lookupffn-${LFFN_VERSION}.pom)

# Natives of another system than this are not run.
list(LENGTH LFFN_RIDS systems)
if(systems EQUAL 1)
  add_test(NAME java_platform_jar COMMAND ${Java_JAVA_EXECUTABLE} -cp ${LFFN_PLATFORM_JAR}
                                          ${PROJECT_SOURCE_DIR}/examples/java/src/main/java/example/Main.java)
endif()

add_test(NAME java_documented COMMAND ${lffn_documentation} java ${Java_JAVA_EXECUTABLE}
                                      ${Java_JAVAC_EXECUTABLE} ${LFFN_JAR})

# Debian 12 has no Java with virtual threads; whoever has one names it, or has it beside the others.
set(LFFN_JAVA_21 "" CACHE FILEPATH "A java command of version 21 or newer, for the test with virtual threads")
file(GLOB jvms /usr/lib/jvm/*/bin/java)
foreach(java ${jvms})
  if(NOT LFFN_JAVA_21)
    execute_process(COMMAND ${java} --version OUTPUT_VARIABLE told ERROR_QUIET)
    if(told MATCHES "^[^0-9]*(2[1-9]|[3-9][0-9])[.]")
      set(LFFN_JAVA_21 ${java} CACHE FILEPATH "" FORCE)
    endif()
  endif()
endforeach()
if(LFFN_JAVA_21)
  add_test(NAME java_virtual_threads
           COMMAND ${LFFN_JAVA_21} --enable-native-access=ALL-UNNAMED -Djdk.virtualThreadScheduler.parallelism=2
                   -Djdk.virtualThreadScheduler.maxPoolSize=2 -cp ${LFFN_JAR}
                   ${CMAKE_CURRENT_SOURCE_DIR}/../java/tests/virtual/VirtualThreads.java ${LFFN_MADE_MODELS}/prompts 3)
  set_tests_properties(java_virtual_threads PROPERTIES FIXTURES_REQUIRED bindings_golden)
else()
  lffn_skip("the test with virtual threads" "a java command of version 21 or newer: LFFN_JAVA_21")
endif()

add_test(NAME java_native_image
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/check_native_image.py ${LFFN_JAR}
                 ${LFFN_SWIG_DIR}/java_arrays.cc ${LFFN_SWIG_DIR}/java_hooks.cc ${LFFN_SWIG_OUT}/java_wrapper.cxx)

add_test(NAME java_same_bytes
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/build_twice.py jar
                 ${CMAKE_CURRENT_SOURCE_DIR}/../java/src/main/java ${LFFN_SWIG_OUT}/java ${Java_JAVAC_EXECUTABLE}
                 ${Java_JAR_EXECUTABLE})
set_tests_properties(java_same_bytes PROPERTIES LABELS packages)

# The Java tests run under Maven. Where the system has a Maven repository of its own with all that they take, as
# Debian's packages make one, Maven works offline on links to it; elsewhere it fetches what it needs.
find_program(LFFN_MVN mvn DOC "Apache Maven")
if(NOT LFFN_MVN)
  lffn_skip("the Java tests" "Maven (Debian: see docs/java.md for the packages)")
  return()
endif()
find_path(LFFN_MAVEN_REPO org/junit/jupiter/junit-jupiter PATH_SUFFIXES share/maven-repo
          DOC "The system's Maven repository")

get_filename_component(java_home ${Java_JAVAC_EXECUTABLE} REALPATH)
get_filename_component(java_home ${java_home}/../.. REALPATH)
set(java_source ${CMAKE_CURRENT_SOURCE_DIR}/../java)
set(java_repository ${CMAKE_CURRENT_BINARY_DIR}/maven-repository)

add_test(NAME java_repository
         COMMAND ${CMAKE_COMMAND} -DSYSTEM=${LFFN_MAVEN_REPO} -DREPOSITORY=${java_repository} -DPACKAGE=${java_build}
                 -DVERSION=${LFFN_VERSION} -P ${LFFN_BINDINGS_CMAKE_DIR}/maven.cmake)
set_tests_properties(java_repository PROPERTIES FIXTURES_SETUP java_repository)

set(maven ${CMAKE_COMMAND} -DMAVEN=${LFFN_MVN} -DSYSTEM=${LFFN_MAVEN_REPO} -DREPOSITORY=${java_repository}
          -DVERSION=${LFFN_VERSION})
# LC_ALL: a virtual machine in the C locale cannot name the files with an emoji that the tests use.
set(java_environment JAVA_HOME=${java_home} LC_ALL=C.UTF-8)

# A library that says it is of another version.
add_library(bindings_other_version MODULE other_version.c)

set(java_test_build ${CMAKE_CURRENT_BINARY_DIR}/java)
add_test(NAME java COMMAND ${maven} -DPOM=${java_source}/tests/pom.xml -DBUILD=${java_test_build} -DGOAL=test
                           -DGOLDEN=${LFFN_GOLDEN_DIR} -DCASES=${LFFN_CASES_DIR}
                           -DMODELS=${LFFN_MODELS_DIR} -DMADE_MODELS=${LFFN_MADE_MODELS}
                           -DOTHER_LIBRARY=$<TARGET_FILE:bindings_other_version> -P
                           ${LFFN_BINDINGS_CMAKE_DIR}/maven.cmake)
set_tests_properties(java PROPERTIES FIXTURES_REQUIRED "java_repository;bindings_golden" TIMEOUT 600 COST 60
                                     ENVIRONMENT "${java_environment}")

set(java_example_build ${CMAKE_CURRENT_BINARY_DIR}/java_example)
add_test(NAME java_example_build
         COMMAND ${maven} -DPOM=${CMAKE_CURRENT_SOURCE_DIR}/../../examples/java/pom.xml -DBUILD=${java_example_build}
                 -DGOAL=compile -P ${LFFN_BINDINGS_CMAKE_DIR}/maven.cmake)
set_tests_properties(java_example_build PROPERTIES FIXTURES_REQUIRED java_repository FIXTURES_SETUP java_example
                                                   ENVIRONMENT "${java_environment}")
set(java_dependency ${java_repository}/io/github/lookupffn/lookupffn/${LFFN_VERSION})
set(java_dependency ${java_dependency}/lookupffn-${LFFN_VERSION}.jar)
add_test(NAME java_example COMMAND ${Java_JAVA_EXECUTABLE} -p ${java_example_build}/classes:${java_dependency} -m
                                   lookupffn.example/example.Main)
set_tests_properties(java_example PROPERTIES FIXTURES_REQUIRED java_example)
add_test(NAME java_example_sentences
         COMMAND ${Java_JAVA_EXECUTABLE} -p ${java_example_build}/classes:${java_dependency} -m
                 lookupffn.example/example.Sentences ${PROJECT_SOURCE_DIR}/examples/models/kjv-small)
set_tests_properties(java_example_sentences PROPERTIES FIXTURES_REQUIRED java_example
                                                       PASS_REGULAR_EXPRESSION "${lffn_sentences_output}")
add_test(NAME java_example_search COMMAND ${Java_JAVA_EXECUTABLE} -p ${java_example_build}/classes:${java_dependency} -m
                                          lookupffn.example/example.Search ${lffn_search} ${java_example_build}/vectors)
set_tests_properties(java_example_search PROPERTIES FIXTURES_REQUIRED java_example
                                                    PASS_REGULAR_EXPRESSION "${lffn_search_output}")
list(APPEND LFFN_SEARCH_PROGRAMS
     "'${Java_JAVA_EXECUTABLE}' -p '${java_example_build}/classes:${java_dependency}' -m lookupffn.example/example.Search")
