# Both consumer projects include this file once corio::corio exists.
get_target_property(leaked corio::corio INTERFACE_COMPILE_OPTIONS)
if(leaked)
  message(FATAL_ERROR "corio::corio imposes compile options: ${leaked}")
endif()

# The tests check targets, not speed.
add_compile_options(-Og)

enable_testing()
set(program found)
if(INSTALL)
  set(program main)
endif()
add_executable(consumer ${CMAKE_CURRENT_LIST_DIR}/${program}.cpp)
target_link_libraries(consumer PRIVATE corio::corio)
add_test(NAME consumer COMMAND consumer)

# This program has its inputs checked. The tests' own executables cannot do this, since they exchange models with their
# support library.
if(INSTALL)
  add_executable(consumer_inputs ${CMAKE_CURRENT_LIST_DIR}/inputs.cpp)
  target_link_libraries(consumer_inputs PRIVATE corio::corio)
  target_compile_definitions(consumer_inputs PRIVATE CORIO_CHECK_INPUTS)
  add_test(NAME consumer_inputs COMMAND consumer_inputs)
endif()

# The sources that are compiled once must be where the target says, or CMake cannot generate these programs, and linking
# the target must make corio/corio.hpp declare the functions. The programs are not built, which would take longer than
# everything else here: the same sources are compiled in the support library of the tests.
corio_add_compiled(consumer_once FLOAT)
set_target_properties(consumer_once PROPERTIES EXCLUDE_FROM_ALL ON)
foreach(name corio::compiled corio::compiled_float consumer_once)
  string(MAKE_C_IDENTIFIER consumer_${name} target)
  add_executable(${target} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/main.cpp ${CMAKE_CURRENT_LIST_DIR}/compiled.cpp)
  target_link_libraries(${target} PRIVATE ${name})
endforeach()
if(INSTALL)
  add_library(consumer_declared OBJECT ${CMAKE_CURRENT_LIST_DIR}/compiled.cpp)
  target_link_libraries(consumer_declared PRIVATE corio::corio)
  target_compile_definitions(consumer_declared PRIVATE
    $<TARGET_PROPERTY:consumer_once,INTERFACE_COMPILE_DEFINITIONS>)
endif()

# A program for processors with AVX2 exchanges objects of Eigen with a library that was compiled for every processor.
if(INSTALL AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_library(consumer_distributed SHARED ${CMAKE_CURRENT_LIST_DIR}/distributed.cpp)
  target_link_libraries(consumer_distributed PRIVATE Eigen3::Eigen)
  add_executable(consumer_x86_64_v3 ${CMAKE_CURRENT_LIST_DIR}/x86_64_v3.cpp)
  target_link_libraries(consumer_x86_64_v3 PRIVATE corio::corio corio::x86_64_v3 consumer_distributed)
  add_test(NAME consumer_x86_64_v3 COMMAND consumer_x86_64_v3)
  set_tests_properties(consumer_x86_64_v3 PROPERTIES SKIP_RETURN_CODE 77)
  # Files of one program that disagree on alignment, or on the allocator, must not link.
  foreach(flag EIGEN_MAX_ALIGN_BYTES allocator_of_Eigen)
    add_library(consumer_other_${flag} OBJECT ${CMAKE_CURRENT_LIST_DIR}/found.cpp)
    target_link_libraries(consumer_other_${flag} PRIVATE corio::corio)
    target_compile_options(consumer_other_${flag} PRIVATE -O0 -mavx2)
    add_executable(consumer_mixed_${flag} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/mixed.cpp
                                                           $<TARGET_OBJECTS:consumer_other_${flag}>)
    target_link_libraries(consumer_mixed_${flag} PRIVATE corio::corio)
    add_test(NAME consumer_mixed_${flag}
      COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target consumer_mixed_${flag})
    set_tests_properties(consumer_mixed_${flag} PROPERTIES
      PASS_REGULAR_EXPRESSION "corio_needs_the_same_${flag}_in_all_files")
  endforeach()
  target_compile_definitions(consumer_other_allocator_of_Eigen PRIVATE EIGEN_MAX_ALIGN_BYTES=16)
endif()

if(TARGET corio::urdf)
  if(INSTALL)
    add_executable(consumer_urdf ${CMAKE_CURRENT_LIST_DIR}/urdf.cpp)
    target_link_libraries(consumer_urdf PRIVATE corio::compiled_urdf)
    enable_language(C)
    corio_generate(consumer_arm URDF ${CMAKE_CURRENT_LIST_DIR}/../../examples/models/arm7.urdf FUNCTIONS rnea crba)
    corio_generate(consumer_casadi URDF ${CMAKE_CURRENT_LIST_DIR}/../../examples/models/arm7.urdf CASADI FUNCTIONS rnea)
    add_executable(consumer_generated ${CMAKE_CURRENT_LIST_DIR}/generated.c)
    target_link_libraries(consumer_generated PRIVATE consumer_arm consumer_casadi)
    add_test(NAME consumer_generated COMMAND consumer_generated)
  else()
    add_executable(consumer_urdf ${CMAKE_CURRENT_LIST_DIR}/found.cpp)
    target_link_libraries(consumer_urdf PRIVATE corio::urdf)
    target_compile_definitions(consumer_urdf PRIVATE READS_FILES)
  endif()
  add_test(NAME consumer_urdf COMMAND consumer_urdf)
elseif(EXPECT_URDF)
  message(FATAL_ERROR "corio::urdf is missing")
endif()

# These programs do the same with the readers that need further libraries.
if(INSTALL)
  foreach(reader IN ITEMS mesh yaml)
    string(TOUPPER ${reader} READER)
    if(TARGET corio::${reader})
      add_executable(consumer_${reader} ${CMAKE_CURRENT_LIST_DIR}/readers.cpp)
      target_link_libraries(consumer_${reader} PRIVATE corio::${reader})
      target_compile_definitions(consumer_${reader} PRIVATE READS_${READER})
      add_test(NAME consumer_${reader} COMMAND consumer_${reader})
    elseif(EXPECT_${READER})
      message(FATAL_ERROR "corio::${reader} is missing")
    endif()
  endforeach()
endif()
