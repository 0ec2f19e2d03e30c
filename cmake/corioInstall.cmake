include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_DATAROOTDIR}/cmake/corio)

install(DIRECTORY include/corio DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
  PATTERN "*.hpp" PATTERN "*.cpp" PATTERN "*.md")

# Two export sets: the second refers to tinyxml2 and is loaded only where that is found.
install(TARGETS corio corio_compiled corio_compiled_float corio_x86_64_v3 EXPORT corioTargets)
install(TARGETS corio_urdf corio_mjcf corio_compiled_urdf EXPORT corioReaderTargets)
foreach(set corioTargets corioReaderTargets)
  install(EXPORT ${set} NAMESPACE corio:: DESTINATION ${package_dir})
  export(EXPORT ${set} NAMESPACE corio:: FILE ${PROJECT_BINARY_DIR}/${set}.cmake)
endforeach()

# The package files lie next to each other in the build tree as in the install tree, so that find_package
# accepts either.
configure_package_config_file(cmake/corioConfig.cmake.in ${PROJECT_BINARY_DIR}/corioConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/corioConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
foreach(file corioDependencies corioCompiled)
  configure_file(cmake/${file}.cmake ${PROJECT_BINARY_DIR}/${file}.cmake COPYONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/corioConfig.cmake ${PROJECT_BINARY_DIR}/corioConfigVersion.cmake
              cmake/corioDependencies.cmake cmake/corioCompiled.cmake DESTINATION ${package_dir})
