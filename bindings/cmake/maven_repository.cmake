# SPDX-License-Identifier: Apache-2.0
# Makes a Maven repository: links to what the system has, and the files of the package in PACKAGE.
if(SYSTEM AND NOT EXISTS ${REPOSITORY}/.linked)
  file(MAKE_DIRECTORY ${REPOSITORY})
  execute_process(COMMAND cp -rsf ${SYSTEM}/. ${REPOSITORY} COMMAND_ERROR_IS_FATAL ANY)
  file(TOUCH ${REPOSITORY}/.linked)
endif()
file(GLOB files ${PACKAGE}/lookupffn-${VERSION}*.jar ${PACKAGE}/lookupffn-${VERSION}.pom)
list(LENGTH files count)
if(NOT count EQUAL 4)
  message(FATAL_ERROR "expected a jar, its sources, its javadoc and a pom, found: ${files}")
endif()
file(COPY ${files} DESTINATION ${REPOSITORY}/io/github/lookupffn/lookupffn/${VERSION})
