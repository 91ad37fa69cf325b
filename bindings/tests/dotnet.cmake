# SPDX-License-Identifier: Apache-2.0
# The .NET tests use the package from the feed of the build tree. xunit comes from NuGet. They share the folders of their
# builds, so that one waits for the other, and the first begins before all else (COST).
set(dotnet_source ${CMAKE_CURRENT_SOURCE_DIR}/../dotnet)
get_filename_component(dotnet_build ${CMAKE_CURRENT_BINARY_DIR}/../dotnet ABSOLUTE)
get_property(dotnet_flags GLOBAL PROPERTY LFFN_DOTNET_FLAGS)
# dotnet run hands what it does not know to the program.
set(dotnet_run_flags ${dotnet_flags})
list(REMOVE_ITEM dotnet_run_flags -nologo -nodeReuse:false)
set(dotnet_environment "DOTNET_CLI_TELEMETRY_OPTOUT=1;DOTNET_NOLOGO=1;MSBUILDDISABLENODEREUSE=1")

# The newest framework of which the SDK has a runtime; the oldest is run by the program compiled ahead of time.
list(GET LFFN_DOTNET_FRAMEWORKS -1 dotnet_framework)
add_test(NAME dotnet COMMAND ${LFFN_DOTNET} test ${dotnet_source}/LookupFfn.Tests/LookupFfn.Tests.csproj ${dotnet_flags}
                             -p:LffnTestFramework=${dotnet_framework} --logger "console$<SEMICOLON>verbosity=normal")
set_tests_properties(dotnet PROPERTIES FIXTURES_REQUIRED bindings_golden TIMEOUT 600 RESOURCE_LOCK dotnet COST 100 ENVIRONMENT
                     "LOOKUPFFN_GOLDEN=${LFFN_GOLDEN_DIR};LOOKUPFFN_CASES=${LFFN_CASES_DIR};LOOKUPFFN_MODELS=${LFFN_MODELS_DIR};LOOKUPFFN_MADE_MODELS=${LFFN_MADE_MODELS};${dotnet_environment}")

if(LFFN_DOTNET_ADAPTER)
  add_test(NAME dotnet_extensions_ai
         COMMAND ${LFFN_DOTNET} test ${dotnet_source}/LookupFfn.Extensions.AI.Tests/LookupFfn.Extensions.AI.Tests.csproj
                 ${dotnet_flags} -p:LffnTestFramework=${dotnet_framework} --logger
                 "console$<SEMICOLON>verbosity=normal")
set_tests_properties(dotnet_extensions_ai PROPERTIES FIXTURES_REQUIRED bindings_golden TIMEOUT 600 RESOURCE_LOCK dotnet COST 100 ENVIRONMENT
                     "LOOKUPFFN_MADE_MODELS=${LFFN_MADE_MODELS};${dotnet_environment}")
endif()

if(net8.0 IN_LIST LFFN_DOTNET_FRAMEWORKS)
  file(WRITE ${dotnet_build}/aot.cmake [[
# Publishes the .NET PROJECT into OUTPUT and runs its PROGRAM from there.
file(REMOVE_RECURSE ${OUTPUT})
execute_process(COMMAND ${DOTNET} publish ${PROJECT} ${FLAGS} -v:minimal --output ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${OUTPUT}/${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
]])
  add_test(NAME dotnet_aot
           COMMAND ${CMAKE_COMMAND} -DDOTNET=${LFFN_DOTNET} "-DFLAGS=${dotnet_flags};-p:LffnAdapter=${LFFN_DOTNET_ADAPTER}"
                   -DOUTPUT=${dotnet_build}/aot
                   -DPROJECT=${dotnet_source}/LookupFfn.AotSmoke/LookupFfn.AotSmoke.csproj -DPROGRAM=LookupFfn.AotSmoke
                   -P ${dotnet_build}/aot.cmake)
  set_tests_properties(dotnet_aot PROPERTIES RESOURCE_LOCK dotnet COST 100 TIMEOUT 600 LABELS packages ENVIRONMENT "${dotnet_environment}")
endif()

# Windows' own runtime under Wine.
if(LFFN_WINDOWS_NATIVES)
  set(jni -)
  if(TARGET lookupffn_jni)
    set(jni $<TARGET_FILE:lookupffn_jni>,${LFFN_WINDOWS_NATIVES}/windows-x64/bindings/java/lookupffn_jni.dll)
  endif()
  add_test(NAME dotnet_wine
           COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/natives/wine.py dotnet ${dotnet_build}/wine ${LFFN_DOTNET}
                   ${dotnet_source}/LookupFfn.WindowsSmoke/LookupFfn.WindowsSmoke.csproj ${LFFN_RID}
                   ${LFFN_MODELS_DIR}/model-lookup ${jni} ${dotnet_flags} -p:LffnTestFramework=${dotnet_framework})
  set_tests_properties(dotnet_wine PROPERTIES RESOURCE_LOCK dotnet COST 100 TIMEOUT 900 SKIP_RETURN_CODE 77 LABELS windows
                                              ENVIRONMENT "${dotnet_environment}")
endif()

add_test(NAME dotnet_notices COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/check_packages.py
                                     ${LFFN_DOTNET_PACKAGES})

add_test(NAME dotnet_same_bytes
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/build_twice.py nupkg ${dotnet_source} ${dotnet_build}/..
                 ${LFFN_DOTNET} ${LFFN_VERSION} ${dotnet_framework})
set_tests_properties(dotnet_same_bytes PROPERTIES RESOURCE_LOCK dotnet COST 100 TIMEOUT 300 LABELS packages ENVIRONMENT
                                                  "${dotnet_environment}")

function(lffn_add_dotnet_example name project)
  add_test(NAME ${name}
           COMMAND ${LFFN_DOTNET} run --project ${CMAKE_CURRENT_SOURCE_DIR}/../../examples/csharp/${project}
                   --configuration Release --artifacts-path ${dotnet_build}/artifacts
                   -p:LookupFfnVersion=${LFFN_VERSION} -p:LookupFfnFeed=${dotnet_build}/feed
                   -p:RestorePackagesPath=${dotnet_build}/packages -p:TargetFramework=${dotnet_framework} -- ${ARGN})
  set_tests_properties(${name} PROPERTIES RESOURCE_LOCK dotnet COST 100 ENVIRONMENT "${dotnet_environment}")
endfunction()
lffn_add_dotnet_example(dotnet_example RunLayer/RunLayer.csproj)
lffn_add_dotnet_example(dotnet_example_sentences Sentences/Sentences.csproj
                        ${PROJECT_SOURCE_DIR}/examples/models/kjv-small)
set_tests_properties(dotnet_example_sentences PROPERTIES PASS_REGULAR_EXPRESSION "${lffn_sentences_output}")

add_test(NAME dotnet_documented
         COMMAND ${lffn_documentation} csharp ${PROJECT_SOURCE_DIR}/examples/csharp/Search/Search.csproj
                 ${LFFN_DOTNET} run --configuration Release -p:LookupFfnVersion=${LFFN_VERSION}
                 -p:LookupFfnFeed=${dotnet_build}/feed -p:RestorePackagesPath=${dotnet_build}/packages
                 -p:TargetFramework=${dotnet_framework})
set_tests_properties(dotnet_documented PROPERTIES RESOURCE_LOCK dotnet COST 100 ENVIRONMENT "${dotnet_environment}")
lffn_add_dotnet_example(dotnet_example_search Search/Search.csproj ${lffn_search} ${dotnet_build}/search.vectors)
set_tests_properties(dotnet_example_search PROPERTIES PASS_REGULAR_EXPRESSION "${lffn_search_output}" FIXTURES_SETUP dotnet_search)
list(APPEND LFFN_SEARCH_PROGRAMS "'${LFFN_DOTNET}' '${dotnet_build}/artifacts/bin/Search/release/Search.dll'")
lffn_add_dotnet_example(dotnet_example_two_lines TwoLines/TwoLines.csproj)
set_tests_properties(dotnet_example_two_lines PROPERTIES PASS_REGULAR_EXPRESSION "384 numbers of all-minilm-l6-v2-quality")
# The same as a single file, beside which the model lies; and for a system without a native library, which is a warning.
file(WRITE ${dotnet_build}/single.cmake [[
file(REMOVE_RECURSE ${OUTPUT})
execute_process(COMMAND ${DOTNET} publish ${PROJECT} ${FLAGS} -v:minimal -r ${RID} --no-self-contained
                        -p:PublishSingleFile=true -p:IncludeNativeLibrariesForSelfExtract=true --output ${OUTPUT}
                COMMAND_ERROR_IS_FATAL ANY)
file(GLOB files LIST_DIRECTORIES true RELATIVE ${OUTPUT} ${OUTPUT}/*)
message("published: ${files}")
if(NOT files MATCHES "^TwoLines(;TwoLines.pdb)?;lookupffn-models$")
  message(FATAL_ERROR "there is more than one file and the models")
endif()
execute_process(COMMAND ${OUTPUT}/TwoLines COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${DOTNET} build ${PROJECT} ${FLAGS} -v:minimal -r osx-arm64 --no-self-contained -p:UseAppHost=false
                        OUTPUT_VARIABLE told ERROR_VARIABLE told RESULT_VARIABLE result)
message("${told}")
if(NOT result EQUAL 0 OR NOT told MATCHES "warning LFFN001: LookupFfn has no native library for osx-arm64")
  message(FATAL_ERROR "no warning")
endif()
]])
set(dotnet_example_flags --configuration Release --artifacts-path ${dotnet_build}/single-artifacts -nologo -nodeReuse:false
    -p:UseSharedCompilation=false -p:LookupFfnVersion=${LFFN_VERSION} -p:LookupFfnFeed=${dotnet_build}/feed
    -p:RestorePackagesPath=${dotnet_build}/packages -p:TargetFramework=${dotnet_framework})
add_test(NAME dotnet_single_file
         COMMAND ${CMAKE_COMMAND} -DDOTNET=${LFFN_DOTNET} "-DFLAGS=${dotnet_example_flags}" -DOUTPUT=${dotnet_build}/single
                 -DPROJECT=${PROJECT_SOURCE_DIR}/examples/csharp/TwoLines/TwoLines.csproj -DRID=${LFFN_RID} -P
                 ${dotnet_build}/single.cmake)
set_tests_properties(dotnet_single_file PROPERTIES RESOURCE_LOCK dotnet COST 100 TIMEOUT 600 LABELS packages
                                                   ENVIRONMENT "${dotnet_environment}")
if(LFFN_DOTNET_ADAPTER)
  lffn_add_dotnet_example(dotnet_example_generator Generator/Generator.csproj ${lffn_encoder})
  set_tests_properties(dotnet_example_generator PROPERTIES PASS_REGULAR_EXPRESSION
                                                           "2 vectors of 384 numbers, [0-9]+ tokens")
endif()

# The service of the examples, which needs ASP.NET, asked by OpenAI's own client.
execute_process(COMMAND ${LFFN_DOTNET} --list-runtimes OUTPUT_VARIABLE dotnet_runtimes)
if(LFFN_DOTNET_ADAPTER AND dotnet_runtimes MATCHES "Microsoft.AspNetCore.App")
  foreach(program EmbeddingService EmbedFile TextService)
    add_test(NAME dotnet_build_${program}
             COMMAND ${LFFN_DOTNET} build ${PROJECT_SOURCE_DIR}/examples/csharp/${program} --configuration Release
                     --artifacts-path ${dotnet_build}/artifacts -nologo -nodeReuse:false
                     -p:UseSharedCompilation=false -p:LookupFfnVersion=${LFFN_VERSION}
                     -p:LookupFfnFeed=${dotnet_build}/feed -p:RestorePackagesPath=${dotnet_build}/packages
                     -p:TargetFramework=${dotnet_framework} -warnaserror)
    set_tests_properties(dotnet_build_${program} PROPERTIES RESOURCE_LOCK dotnet COST 100 FIXTURES_SETUP dotnet_service ENVIRONMENT
                                                            "${dotnet_environment}")
  endforeach()
  set(dotnet_teacher ${PROJECT_SOURCE_DIR}/../shared/models/all-MiniLM-L6-v2)
  if(NOT EXISTS ${dotnet_teacher})
    set(dotnet_teacher "")
  endif()
  add_test(NAME dotnet_under_load
           COMMAND ${LFFN_DOTNET} run --project ${dotnet_source}/LookupFfn.UnderLoad/LookupFfn.UnderLoad.csproj
                   ${dotnet_run_flags} -p:LffnTestFramework=${dotnet_framework} -- ${lffn_encoder}
                   ${PROJECT_SOURCE_DIR}/examples/models/all-minilm-l6-v2-fast ${dotnet_teacher})
  set_tests_properties(dotnet_under_load PROPERTIES RUN_SERIAL ON LABELS packages ENVIRONMENT "${dotnet_environment}")
  add_test(NAME dotnet_service_load_usage
           COMMAND ${LFFN_DOTNET} run --project ${PROJECT_SOURCE_DIR}/examples/csharp/ServiceLoad --configuration Release
                   --artifacts-path ${dotnet_build}/artifacts -p:TargetFramework=${dotnet_framework} -- http://example.org 1 1)
  set_tests_properties(dotnet_service_load_usage PROPERTIES RESOURCE_LOCK dotnet COST 100 PASS_REGULAR_EXPRESSION "usage: ServiceLoad"
                                                            ENVIRONMENT "${dotnet_environment}")
  set(programs ${dotnet_build}/artifacts/bin)
  set(dotnet_service EMBEDDING_SERVICE=${programs}/EmbeddingService/release/EmbeddingService.dll)
  string(APPEND dotnet_service ";TEXT_SERVICE=${programs}/TextService/release/TextService.dll")
  string(APPEND dotnet_service ";EMBED_FILE=${programs}/EmbedFile/release/EmbedFile.dll")
  add_test(NAME dotnet_service
           COMMAND ${LFFN_DOTNET} test ${dotnet_source}/EmbeddingService.Tests/EmbeddingService.Tests.csproj
                   ${dotnet_flags} -p:LffnTestFramework=${dotnet_framework} --logger
                   "console$<SEMICOLON>verbosity=normal")
  set_tests_properties(
    dotnet_service
    PROPERTIES FIXTURES_REQUIRED "dotnet_service;bindings_golden" TIMEOUT 600 RESOURCE_LOCK dotnet COST 100 ENVIRONMENT
               "LOOKUPFFN_MADE_MODELS=${LFFN_MADE_MODELS};${dotnet_service};${dotnet_environment}")
  # Since .NET 10 a test may name the class of a program without a class.
  if(dotnet_framework STREQUAL net10.0)
    add_test(NAME dotnet_text_service
             COMMAND ${LFFN_DOTNET} test ${dotnet_source}/TextService.Tests/TextService.Tests.csproj ${dotnet_flags}
                     -p:LookupFfnVersion=${LFFN_VERSION} -p:LookupFfnFeed=${dotnet_build}/feed
                     -p:RestorePackagesPath=${dotnet_build}/packages -p:TargetFramework=${dotnet_framework} --logger
                     "console$<SEMICOLON>verbosity=normal")
    set_tests_properties(dotnet_text_service PROPERTIES TIMEOUT 600 RESOURCE_LOCK dotnet COST 100
                                                        ENVIRONMENT "${dotnet_environment}")
  endif()
else()
  lffn_skip("the tests of the .NET service" "ASP.NET's runtime and LookupFfn.Extensions.AI")
endif()

add_test(NAME dotnet_overhead
         COMMAND ${LFFN_DOTNET} run --project ${dotnet_source}/LookupFfn.Overhead/LookupFfn.Overhead.csproj
                 ${dotnet_run_flags} -p:LffnTestFramework=${dotnet_framework} -- $<TARGET_FILE:bindings_call_time> 1000
                 ${lffn_encoder})
set_tests_properties(dotnet_overhead PROPERTIES RUN_SERIAL ON LABELS packages ENVIRONMENT "${dotnet_environment}")
