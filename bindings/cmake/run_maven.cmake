# SPDX-License-Identifier: Apache-2.0
# Runs Maven's GOAL on POM, building into BUILD. Fails on what -Xcheck:jni or the virtual machine had to say, too.
set(offline "")
if(SYSTEM)
  set(offline -o)
endif()
file(GLOB_RECURSE old ${BUILD}/*.dumpstream)
if(old)
  file(REMOVE ${old})
endif()
set(options -Dmaven.repo.local=${REPOSITORY} -Dlookupffn.version=${VERSION} -Doutput.directory=${BUILD}
            -Dgolden.directory=${GOLDEN} -Dcases.directory=${CASES} -Dmodels.directory=${MODELS}
            -Dmade.models.directory=${MADE_MODELS} -Dother.library=${OTHER_LIBRARY} ${OPTIONS})
if(DEFINED ENV{LOOKUPFFN_RACE_SECONDS})
  list(APPEND options -Drace.seconds=$ENV{LOOKUPFFN_RACE_SECONDS})
endif()
if(DEFINED ENV{LOOKUPFFN_JVM_OPTIONS})
  list(APPEND options "-Djvm.options=$ENV{LOOKUPFFN_JVM_OPTIONS}")
endif()
execute_process(COMMAND ${MAVEN} -B ${offline} -ntp ${options} $ENV{LOOKUPFFN_MAVEN_OPTIONS} -f ${POM} ${GOAL}
                RESULT_VARIABLE result)
file(GLOB_RECURSE dumps ${BUILD}/*.dumpstream)
foreach(dump IN LISTS dumps)
  file(READ ${dump} text LIMIT 2000)
  message(SEND_ERROR "the virtual machine said:\n${text}")
endforeach()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "Maven failed: ${result}")
endif()
