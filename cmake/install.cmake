# cmake --install BUILD --component runtime --prefix WHERE: libcvf.so, libcvf.a, their headers for C, C++ and Fortran, a CMake
# package and a pkg-config file. The program is installed beside them without a component (src/cli).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(cvf_shared PROPERTIES EXPORT_NAME runtime)
set_target_properties(cvf_static PROPERTIES EXPORT_NAME static)
target_link_libraries(cvf_static INTERFACE fmt::fmt OpenSSL::Crypto OpenMP::OpenMP_CXX Threads::Threads ${CMAKE_DL_LIBS})
foreach(library cvf_shared cvf_static)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/cvf)
install(TARGETS cvf_shared cvf_static EXPORT cvf_targets COMPONENT runtime LIBRARY NAMELINK_COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cvf TYPE INCLUDE COMPONENT runtime)
install(EXPORT cvf_targets NAMESPACE cvf:: FILE cvf-targets.cmake DESTINATION ${package} COMPONENT runtime)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/cvf-config.cmake.in ${CMAKE_BINARY_DIR}/cvf-config.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cvf-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cvf-config.cmake ${CMAKE_BINARY_DIR}/cvf-config-version.cmake DESTINATION ${package}
        COMPONENT runtime)
# Written at the installation, whose prefix may be another one than that of the configuration.
install(CODE "
  set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
  set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
  set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
  configure_file(\"${CMAKE_CURRENT_LIST_DIR}/cvf.pc.in\"
                 \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/cvf.pc\" @ONLY)
" COMPONENT runtime)
