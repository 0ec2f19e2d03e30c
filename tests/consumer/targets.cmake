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
# installed.
foreach(name instances instances_float)
  add_executable(consumer_${name} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/main.cpp
                                                   ${CMAKE_CURRENT_LIST_DIR}/instances.cpp)
  target_link_libraries(consumer_${name} PRIVATE corio::${name})
endforeach()
if(INSTALL)
  # With those of double, on which they depend.
  set_target_properties(consumer_instances_float PROPERTIES EXCLUDE_FROM_ALL OFF)
  target_compile_options(consumer_instances_float PRIVATE -O0)
  add_test(NAME consumer_instances_float COMMAND consumer_instances_float)
  # Neither precompiled headers nor sources in one piece take the second version away. Of the instances those that
  # matter: it is slow enough.
  get_target_property(sources corio::instances INTERFACE_SOURCES)
  list(FILTER sources INCLUDE REGEX "/(model|wide)_double")
  add_executable(consumer_precompiled ${CMAKE_CURRENT_LIST_DIR}/precompiled.cpp ${sources})
  target_link_libraries(consumer_precompiled PRIVATE corio::corio)
  target_compile_definitions(consumer_precompiled PRIVATE CORIO_INSTANCES)
  target_compile_options(consumer_precompiled PRIVATE -O0)
  target_precompile_headers(consumer_precompiled PRIVATE <corio/corio.hpp>)
  set_target_properties(consumer_precompiled PROPERTIES UNITY_BUILD ON)
  add_test(NAME consumer_precompiled COMMAND consumer_precompiled)
endif()

if(TARGET corio::urdf)
  add_executable(consumer_urdf ${CMAKE_CURRENT_LIST_DIR}/urdf.cpp)
  target_link_libraries(consumer_urdf PRIVATE corio::urdf)
  add_test(NAME consumer_urdf COMMAND consumer_urdf)
elseif(EXPECT_URDF)
  message(FATAL_ERROR "corio::urdf is missing")
endif()
