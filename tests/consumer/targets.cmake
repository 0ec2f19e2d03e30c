# Shared by both consumer projects once corio::corio exists.
get_target_property(leaked corio::corio INTERFACE_COMPILE_OPTIONS)
if(leaked)
  message(FATAL_ERROR "corio::corio imposes compile options: ${leaked}")
endif()

enable_testing()
add_executable(consumer ${CMAKE_CURRENT_LIST_DIR}/main.cpp)
target_link_libraries(consumer PRIVATE corio::corio)
add_test(NAME consumer COMMAND consumer)

if(TARGET corio::urdf)
  add_executable(consumer_urdf ${CMAKE_CURRENT_LIST_DIR}/urdf.cpp)
  target_link_libraries(consumer_urdf PRIVATE corio::urdf)
  add_test(NAME consumer_urdf COMMAND consumer_urdf)
elseif(EXPECT_URDF)
  message(FATAL_ERROR "corio::urdf is missing")
endif()
