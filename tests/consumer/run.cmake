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

set(options)
foreach(name IN ITEMS CORIO_SOURCE_DIR EXPECT_URDF CMAKE_MAKE_PROGRAM CMAKE_CXX_COMPILER CMAKE_BUILD_TYPE
        Eigen3_DIR tinyxml2_DIR corio_ROOT INSTALL)
  if(${name})
    list(APPEND options -D${name}=${${name}})
  endif()
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/build -G ${GENERATOR} ${options}
  "-DCMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH}")
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --config ${CMAKE_BUILD_TYPE})
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/build -C ${CMAKE_BUILD_TYPE} --output-on-failure --no-tests=error)
