include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_DATAROOTDIR}/cmake/corio)

install(DIRECTORY include/corio DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
  PATTERN "*.hpp" PATTERN "*.cpp" PATTERN "*.md" PATTERN "*.py" PATTERN "pyproject.toml" PATTERN "py.typed"
  PATTERN "python/CMakeLists.txt")
# The package of Python compiles the page of robot_report.
set(report_files json.hpp page.cpp page.hpp page.html)
list(TRANSFORM report_files PREPEND examples/robot_report/)
install(FILES ${report_files} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/corio/python/robot_report)
install(FILES examples/support/file_name.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/corio/python/support)
# The guides are installed beside the headers that they describe; links of the installed README lead there.
file(RELATIVE_PATH to_include /prefix/${CMAKE_INSTALL_DOCDIR} /prefix/${CMAKE_INSTALL_INCLUDEDIR})
file(READ README.md readme)
string(REPLACE "](include/" "](${to_include}/" readme "${readme}")
file(WRITE ${PROJECT_BINARY_DIR}/installed/README.md "${readme}")
install(FILES ${PROJECT_BINARY_DIR}/installed/README.md LICENSE include/corio/CHANGES.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Further export sets refer to the libraries of readers. They are loaded only if these libraries are found.
install(TARGETS corio corio_compiled corio_compiled_float corio_x86_64_v3 EXPORT corioTargets)
install(TARGETS corio_urdf corio_mjcf corio_compiled_urdf corio_codegen EXPORT corioFILESTargets)
install(TARGETS corio_mesh EXPORT corioMESHESTargets)
install(TARGETS corio_yaml EXPORT corioYAMLTargets)
foreach(set corioTargets corioFILESTargets corioMESHESTargets corioYAMLTargets)
  install(EXPORT ${set} NAMESPACE corio:: DESTINATION ${package_dir})
  export(EXPORT ${set} NAMESPACE corio:: FILE ${PROJECT_BINARY_DIR}/${set}.cmake)
endforeach()

# The package files are side by side in the build tree as in the install tree, so that find_package accepts both trees.
configure_package_config_file(cmake/corioConfig.cmake.in ${PROJECT_BINARY_DIR}/corioConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/corioConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
foreach(file corioDependencies corioCompiled corioGenerate)
  configure_file(cmake/${file}.cmake ${PROJECT_BINARY_DIR}/${file}.cmake COPYONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/corioConfig.cmake ${PROJECT_BINARY_DIR}/corioConfigVersion.cmake
              cmake/corioDependencies.cmake cmake/corioCompiled.cmake cmake/corioGenerate.cmake
              DESTINATION ${package_dir})

# pkg-config, for builds without CMake. The file finds the headers from its own place, so that the tree can be moved.
file(RELATIVE_PATH CORIO_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_DATAROOTDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" CORIO_PC_TO_PREFIX "${CORIO_PC_TO_PREFIX}")
configure_file(cmake/corio.pc.in ${PROJECT_BINARY_DIR}/corio.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/corio.pc DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/pkgconfig)

# `cpack` in the build folder makes a package for Debian and Ubuntu.
if(CORIO_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME libcorio-dev)
  set(CPACK_PACKAGE_CONTACT "corio contributors")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libeigen3-dev (>= 3.4)")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libtinyxml2-dev")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libqhull-dev, libyaml-cpp-dev")
  include(CPack)
endif()
