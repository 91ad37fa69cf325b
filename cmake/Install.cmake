# SPDX-License-Identifier: Apache-2.0
# Installed by cmake --install; docs/building.md tells how a program finds it.
include(CMakePackageConfigHelpers)

# What a program needs beside the static library, whatever C++ library and OpenMP runtime it uses itself: those that the
# archive was compiled with. Plain names, as a C project that links it has no CXX language enabled.
set(lffn_static_libraries ${LFFN_CXX_LIBRARY})
if(NOT APPLE AND NOT WIN32)
  list(APPEND lffn_static_libraries m)
endif()
if(LFFN_OPENMP)
  list(APPEND lffn_static_libraries ${OpenMP_CXX_LIB_NAMES})
endif()
if(WIN32)
  list(APPEND lffn_static_libraries bcrypt)
endif()
list(REMOVE_ITEM lffn_static_libraries pthread)  # which the package finds itself
list(REMOVE_DUPLICATES lffn_static_libraries)
target_link_libraries(lookupffn_static INTERFACE "$<INSTALL_INTERFACE:${lffn_static_libraries};Threads::Threads>")

set(lffn_libraries)
if(LFFN_SHARED)
  list(APPEND lffn_libraries lookupffn)
endif()
if(LFFN_STATIC)
  list(APPEND lffn_libraries lookupffn_static)
endif()
if(LFFN_TRAIN_LIBRARY)
  list(APPEND lffn_libraries lookupffn_train)
endif()
install(TARGETS ${lffn_libraries} EXPORT lookupffn
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET lookupffn_command)
  install(TARGETS lookupffn_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET lookupffn_sqlite)
  install(TARGETS lookupffn_sqlite LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
set(lffn_without_training PATTERN train.h EXCLUDE)
if(LFFN_TRAIN_LIBRARY)
  set(lffn_without_training)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lookupffn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" ${lffn_without_training})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/SECURITY.md ${PROJECT_SOURCE_DIR}/NOTICE ${PROJECT_SOURCE_DIR}/bindings/THIRD-PARTY-NOTICES.txt
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(lffn_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lookupffn)
install(EXPORT lookupffn NAMESPACE lookupffn:: FILE lookupffnTargets.cmake DESTINATION ${lffn_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/lookupffnConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/package/lookupffnConfig.cmake
                              INSTALL_DESTINATION ${lffn_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/lookupffnConfigVersion.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/lookupffnConfig.cmake
              ${PROJECT_BINARY_DIR}/package/lookupffnConfigVersion.cmake
        DESTINATION ${lffn_package_dir})

if(NOT WIN32 AND NOT APPLE)
  list(APPEND lffn_static_libraries pthread)
endif()
list(TRANSFORM lffn_static_libraries PREPEND "-l" OUTPUT_VARIABLE lffn_pc_libs_private)
list(JOIN lffn_pc_libs_private " " lffn_pc_libs_private)
set(lffn_pc_libs)
set(lffn_pc_cflags)
if(NOT LFFN_SHARED)  # then every program links the static one
  set(lffn_pc_libs " ${lffn_pc_libs_private}")
  set(lffn_pc_cflags " -DLOOKUPFFN_STATIC")
endif()
# ${pcfiledir} keeps the file right when the whole prefix is moved.
file(RELATIVE_PATH lffn_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" lffn_pc_prefix "${lffn_pc_prefix}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(lffn_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  set(lffn_pc_prefix "\${pcfiledir}/${lffn_pc_prefix}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  cmake_path(APPEND lffn_pc_${dir} "\${prefix}" "${CMAKE_INSTALL_${dir}}")
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/lookupffn.pc.in ${PROJECT_BINARY_DIR}/package/lookupffn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/lookupffn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
