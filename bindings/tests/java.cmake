# The Java tests run under Maven. Where the system has a Maven repository of its own (Debian's does), Maven works offline
# on links to it; elsewhere it fetches what it needs.
find_program(LFFN_MVN mvn DOC "Apache Maven")
if(NOT LFFN_MVN)
  lffn_skip("the Java tests" "Maven (Debian: see docs/java.md for the packages)")
  return()
endif()
find_path(LFFN_MAVEN_REPO org/apache/maven/plugins PATH_SUFFIXES share/maven-repo DOC "The system's Maven repository")

get_filename_component(java_home ${Java_JAVAC_EXECUTABLE} REALPATH)
get_filename_component(java_home ${java_home}/../.. REALPATH)
set(java_source ${CMAKE_CURRENT_SOURCE_DIR}/../java)
set(java_build ${CMAKE_CURRENT_BINARY_DIR}/../java)
set(java_repository ${CMAKE_CURRENT_BINARY_DIR}/maven-repository)
get_filename_component(java_build ${java_build} ABSOLUTE)

add_test(NAME java_repository
         COMMAND ${CMAKE_COMMAND} -DSYSTEM=${LFFN_MAVEN_REPO} -DREPOSITORY=${java_repository} -DPACKAGE=${java_build}
                 -DVERSION=${PROJECT_VERSION} -P ${LFFN_BINDINGS_CMAKE_DIR}/maven_repository.cmake)
set_tests_properties(java_repository PROPERTIES FIXTURES_SETUP java_repository)

set(maven ${CMAKE_COMMAND} -DMAVEN=${LFFN_MVN} -DSYSTEM=${LFFN_MAVEN_REPO} -DREPOSITORY=${java_repository}
          -DVERSION=${PROJECT_VERSION})
# LC_ALL: a virtual machine in the C locale cannot name the files with an emoji that the tests use.
set(java_environment JAVA_HOME=${java_home} LC_ALL=C.UTF-8)

set(java_test_build ${CMAKE_CURRENT_BINARY_DIR}/java)
add_test(NAME java COMMAND ${maven} -DPOM=${java_source}/tests/pom.xml -DBUILD=${java_test_build} -DGOAL=test
                           -DGOLDEN=${LFFN_GOLDEN_DIR} -DCASES=${LFFN_CASES_DIR} -P ${LFFN_BINDINGS_CMAKE_DIR}/run_maven.cmake)
set_tests_properties(java PROPERTIES FIXTURES_REQUIRED "java_repository;bindings_golden" TIMEOUT 600
                                     ENVIRONMENT "${java_environment}")
