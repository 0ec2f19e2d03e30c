# Shared by both consumer projects once corio::corio exists.
get_target_property(leaked corio::corio INTERFACE_COMPILE_OPTIONS)
if(leaked)
  message(FATAL_ERROR "corio::corio imposes compile options: ${leaked}")
endif()

enable_testing()
add_executable(consumer ${CMAKE_CURRENT_LIST_DIR}/main.cpp)
target_link_libraries(consumer PRIVATE corio::corio)
add_test(NAME consumer COMMAND consumer)

# What is compiled once: everywhere its sources must be where the target says; built it is, at -O0, where corio is
# installed: that of float, with that of double on which it depends. In one piece and with a precompiled header, which
# users may want, too.
foreach(name instances instances_float)
  add_executable(consumer_${name} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/main.cpp
                                                   ${CMAKE_CURRENT_LIST_DIR}/instances.cpp)
  target_link_libraries(consumer_${name} PRIVATE corio::${name})
endforeach()
if(INSTALL)
  set_target_properties(consumer_instances_float PROPERTIES EXCLUDE_FROM_ALL OFF UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  target_precompile_headers(consumer_instances_float PRIVATE <corio/corio.hpp>)
  target_compile_options(consumer_instances_float PRIVATE -O0)
  add_test(NAME consumer_instances_float COMMAND consumer_instances_float)
endif()

if(TARGET corio::urdf)
  add_executable(consumer_urdf ${CMAKE_CURRENT_LIST_DIR}/urdf.cpp)
  target_link_libraries(consumer_urdf PRIVATE corio::urdf)
  add_test(NAME consumer_urdf COMMAND consumer_urdf)
elseif(EXPECT_URDF)
  message(FATAL_ERROR "corio::urdf is missing")
endif()
