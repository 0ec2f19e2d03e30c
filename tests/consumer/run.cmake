# Script mode: build one consumer project in an empty folder, so that nothing stale can make it pass.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(result)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
set(corio_ROOT ${CORIO_BINARY_DIR})
if(INSTALL)
  set(corio_ROOT ${WORK_DIR}/prefix)
  run(${CMAKE_COMMAND} --install ${CORIO_BINARY_DIR} --config ${CMAKE_BUILD_TYPE} --prefix ${corio_ROOT})
endif()

# Unpacks the package as `sudo dpkg -i` does, but below a folder of its own.
if(DEB)
  run(${CMAKE_COMMAND} -S ${CORIO_SOURCE_DIR} -B ${WORK_DIR}/package -G ${GENERATOR}
    -DCORIO_BUILD_TESTS=OFF -DCORIO_BUILD_EXAMPLES=OFF -DCORIO_BUILD_BENCH=OFF)
  run(${CMAKE_CPACK_COMMAND} --config ${WORK_DIR}/package/CPackConfig.cmake -B ${WORK_DIR}/package)
  file(GLOB package ${WORK_DIR}/package/libcorio-dev_*_all.deb)
  set(root ${WORK_DIR}/root)
  file(WRITE ${root}/var/lib/dpkg/status "")
  file(MAKE_DIRECTORY ${root}/var/lib/dpkg/info ${root}/var/lib/dpkg/updates ${root}/var/log)
  run(dpkg --root=${root} --force-not-root --force-depends -i ${package})
  set(corio_ROOT ${root}/usr)
  # Builds a consumer without CMake.
  set(ENV{PKG_CONFIG_PATH} ${root}/usr/share/pkgconfig)
  run(${PKG_CONFIG} --exact-version=${VERSION} corio)
  execute_process(COMMAND ${PKG_CONFIG} --cflags corio tinyxml2 OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${CMAKE_CXX_COMPILER} -std=c++20 -DREADS_FILES -DEXPECTED_VERSION="${VERSION}" ${flags}
    ${SOURCE_DIR}/../found.cpp -o ${WORK_DIR}/by_pkg_config -ltinyxml2)
  run(${WORK_DIR}/by_pkg_config)
endif()

# Builds as in a workspace of ROS 2, which recognises CMakeLists.txt without a package.xml.
if(COLCON)
  run(${COLCON} --log-base ${WORK_DIR}/log build --base-paths ${CORIO_SOURCE_DIR} --build-base ${WORK_DIR}/colcon
    --install-base ${WORK_DIR}/installed
    --cmake-args -DCORIO_BUILD_TESTS=OFF -DCORIO_BUILD_EXAMPLES=OFF -DCORIO_BUILD_BENCH=OFF)
  set(corio_ROOT ${WORK_DIR}/installed/corio)
endif()

set(options)
foreach(name IN ITEMS CORIO_SOURCE_DIR EXPECT_URDF EXPECT_MESH EXPECT_YAML CMAKE_MAKE_PROGRAM CMAKE_CXX_COMPILER
        CMAKE_BUILD_TYPE Eigen3_DIR tinyxml2_DIR corio_ROOT INSTALL)
  if(${name})
    list(APPEND options -D${name}=${${name}})
  endif()
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/build -G ${GENERATOR} ${options}
  "-DCMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH}")
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --config ${CMAKE_BUILD_TYPE})
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/build -C ${CMAKE_BUILD_TYPE} --output-on-failure --no-tests=error)
