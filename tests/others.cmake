# The further tests of CORIO_TEST_ALL check headers, compiled files, rejected sources and pages.

# ---- Trials: corio_trials --minutes 10 --seed 7 is no test of its own; .ci/run runs it for two minutes
if(TARGET corio::urdf)
  file(GLOB trials CONFIGURE_DEPENDS trials/*.cpp)
  add_executable(corio_trials EXCLUDE_FROM_ALL ${trials})
  target_link_libraries(corio_trials PRIVATE corio_test_options corio_test_support corio::urdf
    $<TARGET_NAME_IF_EXISTS:corio_with_mujoco>)
  target_compile_options(corio_trials PRIVATE -O1)
endif()

# ---- Fuzzers: corio_fuzz_urdf SEEDS... and the others, see fuzz/entries.hpp
if(CORIO_FUZZ)
  list(FILTER fuzz_sources EXCLUDE REGEX "_test")
  add_library(corio_fuzz_entries OBJECT ${fuzz_sources})
  target_link_libraries(corio_fuzz_entries PUBLIC corio_test_options corio_test_support corio::urdf)
  target_compile_options(corio_fuzz_entries PRIVATE -O1)
  foreach(entry urdf mjcf log shard mesh model edits)
    add_executable(corio_fuzz_${entry} fuzz/libfuzzer.cpp)
    target_compile_definitions(corio_fuzz_${entry} PRIVATE CORIO_FUZZ_ENTRY=${entry})
    target_link_libraries(corio_fuzz_${entry} PRIVATE corio_fuzz_entries -fsanitize=fuzzer)
  endforeach()
endif()

if(CORIO_SANITIZE)  # Sanitizers find nothing in flags, pages and packages.
  return()
endif()

# ---- Every header compiles alone, and when it is included twice
include(headers.cmake)

# ---- The sources that bench/compile measures compile, and call only functions in the list of those compiled once
file(GLOB units CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/compile/*.cpp)
list(FILTER units EXCLUDE REGEX "pinocchio")
if(NOT TARGET corio::urdf)
  list(FILTER units EXCLUDE REGEX "application")
endif()
add_library(corio_compile_units OBJECT ${units})
target_link_libraries(corio_compile_units PRIVATE corio::corio corio_warnings)
target_compile_options(corio_compile_units PRIVATE ${test_speed})
# Functions of corio::compiled are declared here and compiled in another source.
target_compile_definitions(corio_compile_units PRIVATE CORIO_COMPILED CORIO_COMPILED_FLOAT CORIO_COMPILED_URDF)
if(CMAKE_NM)
  add_test(NAME listed_is_compiled_once COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM}
    "-DOBJECTS=$<TARGET_OBJECTS:corio_compile_units>" -P ${CMAKE_CURRENT_SOURCE_DIR}/compiled.cmake)
endif()

# ---- Sources that must not compile give an error that says why
# corio_test_rejected(NAME SOURCE MESSAGE [OPTIONS...]) adds the test rejected_NAME: with these compile options SOURCE is
# rejected, with a message that matches.
function(corio_test_rejected name source message)
  add_library(corio_rejected_${name} OBJECT EXCLUDE_FROM_ALL rejected/${source}.cpp)
  target_link_libraries(corio_rejected_${name} PRIVATE corio::corio)
  target_compile_options(corio_rejected_${name} PRIVATE ${ARGN})
  add_test(NAME rejected_${name}
    COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --config $<CONFIG> --target corio_rejected_${name})
  # These tests and headers_compile_alone run the build tool in one folder.
  set_tests_properties(rejected_${name} PROPERTIES
    RESOURCE_LOCK build_folder LABELS distribution PASS_REGULAR_EXPRESSION "${message}")
endfunction()
corio_test_rejected(factorization_ARGUMENTS factorization "a body-level factorization is called as B"
  -fsyntax-only -DCORIO_REJECTED_ARGUMENTS)
corio_test_rejected(factorization_RESULT factorization
  "a body-level factorization returns corio::Matrix6<S> by value" -fsyntax-only -DCORIO_REJECTED_RESULT)
corio_test_rejected(mechanism mechanism "class MechanismData;  // #include <corio/mechanism/dynamics.hpp>"
  -fsyntax-only)
foreach(which CAST ROTATION NESTED)
  corio_test_rejected(dynamic_derivatives_${which} dynamic_derivatives "lose derivatives in sums with constants"
    -fsyntax-only -DCORIO_REJECTED_${which})
endforeach()
corio_test_rejected(no_exceptions layout "leave out -fno-exceptions" -fno-exceptions)
corio_test_rejected(EIGEN_DEFAULT_TO_ROW_MAJOR layout "corio's matrices are column-major"
  -fsyntax-only -DEIGEN_DEFAULT_TO_ROW_MAJOR)
corio_test_rejected(EIGEN_DEFAULT_DENSE_INDEX_TYPE layout "corio needs std::ptrdiff_t"
  -fsyntax-only -DEIGEN_DEFAULT_DENSE_INDEX_TYPE=short)
# These flags let compilers remove the checks for numbers that are not finite; the rest of -ffast-math works.
corio_test_rejected(finite_math finite_math "add -fno-finite-math-only" -ffast-math)
add_executable(corio_test_fast_math rejected/finite_math.cpp)
target_link_libraries(corio_test_fast_math PRIVATE corio::corio corio_warnings)
target_compile_options(corio_test_fast_math PRIVATE -ffast-math -fno-finite-math-only)
add_test(NAME fast_math_keeps_checks COMMAND corio_test_fast_math)
# Link-time optimization hands files with different flags to the assembler as one file.
corio_test_rejected(merged merged "[Ee]rror: corio_needs_the_same_allocator")
set_tests_properties(headers_compile_alone PROPERTIES RESOURCE_LOCK build_folder LABELS distribution)
# Linkers differ in the symbols that they merge.
if(CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
  foreach(file main same other)
    add_library(corio_linked_${file} OBJECT rejected/linked.cpp)
    target_link_libraries(corio_linked_${file} PRIVATE corio::corio)
  endforeach()
  target_compile_definitions(corio_linked_main PRIVATE CORIO_TEST_MAIN)
  target_compile_definitions(corio_linked_other PRIVATE EIGEN_MAX_ALIGN_BYTES=64)
  add_test(NAME files_with_different_flags_do_not_link COMMAND ${CMAKE_COMMAND}
    "-DCOMPILER=${CMAKE_CXX_COMPILER} ${CMAKE_CXX_FLAGS}" -DMAIN=$<TARGET_OBJECTS:corio_linked_main>
    -DSAME=$<TARGET_OBJECTS:corio_linked_same> -DOTHER=$<TARGET_OBJECTS:corio_linked_other>
    -P ${CMAKE_CURRENT_SOURCE_DIR}/rejected/linkers.cmake)
  set_tests_properties(files_with_different_flags_do_not_link PROPERTIES LABELS distribution)
endif()

# ---- A char without a sign, as on ARM
add_executable(corio_test_unsigned_char flags/unsigned_char.cpp)
target_link_libraries(corio_test_unsigned_char PRIVATE corio::corio corio_warnings)
target_compile_options(corio_test_unsigned_char PRIVATE ${test_speed} -funsigned-char -Werror=type-limits)
add_test(NAME unsigned_char COMMAND corio_test_unsigned_char)
set_tests_properties(unsigned_char PROPERTIES LABELS distribution)

# ---- Macros of Eigen change no value, or are rejected
set(values_without "")
# Each list holds the macros of one program: without alignment, with Eigen's own loops, and with objects aligned less
# than memory, with assertions. A test builds the programs.
set(values_unaligned EIGEN_MAX_ALIGN_BYTES=0 EIGEN_NO_AUTOMATIC_RESIZING EIGEN_INITIALIZE_MATRICES_BY_ZERO)
set(values_plain EIGEN_DONT_VECTORIZE EIGEN_INITIALIZE_MATRICES_BY_NAN EIGEN_FAST_MATH=0 EIGEN_UNROLLING_LIMIT=1
  EIGEN_DONT_PARALLELIZE EIGEN_STACK_ALLOCATION_LIMIT=0 EIGEN_MAX_CPP_VER=11 EIGEN_NO_STATIC_ASSERT
  EIGEN_MATRIXBASE_PLUGIN="flags/plugin.hpp")
set(values_of_objects EIGEN_MAX_ALIGN_BYTES=64 EIGEN_MAX_STATIC_ALIGN_BYTES=0)
set(reference ${CMAKE_CURRENT_BINARY_DIR}/values.txt)
foreach(name without unaligned plain of_objects)
  add_executable(corio_test_values_${name} EXCLUDE_FROM_ALL flags/values.cpp)
  list(APPEND values_targets corio_test_values_${name})
  target_include_directories(corio_test_values_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(corio_test_values_${name} PRIVATE corio::corio corio_warnings)
  target_compile_definitions(corio_test_values_${name} PRIVATE ${values_${name}})
  target_compile_options(corio_test_values_${name} PRIVATE ${test_speed} -UNDEBUG)
  add_test(NAME macros_of_eigen_${name} COMMAND corio_test_values_${name} ${reference})
  set_tests_properties(macros_of_eigen_${name} PROPERTIES LABELS distribution FIXTURES_REQUIRED "values_built;values")
endforeach()
add_test(NAME macros_of_eigen_remove COMMAND ${CMAKE_COMMAND} -E rm -f ${reference})
add_test(NAME macros_of_eigen_build
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --config $<CONFIG> --target ${values_targets})
set_tests_properties(macros_of_eigen_remove macros_of_eigen_build PROPERTIES
  LABELS distribution FIXTURES_SETUP values_built)
set_tests_properties(macros_of_eigen_build PROPERTIES RESOURCE_LOCK build_folder)
set_tests_properties(macros_of_eigen_without PROPERTIES FIXTURES_REQUIRED values_built FIXTURES_SETUP values)

# ---- Two plugins with different flags in one process
add_subdirectory(plugins)

# ---- Links between the guides, and the site made of them, where the tools for it are
find_program(CORIO_PYTHON python3)
find_program(CORIO_DOXYGEN doxygen)
find_path(CORIO_DOXYGEN_AWESOME doxygen-awesome.css PATHS /usr/share/doxygen-awesome-css)
find_file(CORIO_LUNR lunr.js PATHS /usr/share/javascript/lunr /usr/share/nodejs/lunr NO_DEFAULT_PATH)
mark_as_advanced(CORIO_PYTHON CORIO_DOXYGEN CORIO_DOXYGEN_AWESOME CORIO_LUNR)
if(CORIO_PYTHON)
  add_test(NAME accepted_mutants COMMAND ${CORIO_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/mutants/check_accepted.py)
  add_test(NAME includes_of_guides COMMAND ${CORIO_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/docs/check_includes.py
    ${PROJECT_SOURCE_DIR})
  add_test(NAME links_of_guides COMMAND ${CORIO_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/docs/pages.py
    ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/pages)
  add_test(NAME papers_map COMMAND ${CORIO_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/docs/check_papers.py
    ${PROJECT_SOURCE_DIR})
endif()
if(CORIO_PYTHON AND CORIO_DOXYGEN AND CORIO_DOXYGEN_AWESOME AND CORIO_LUNR AND TARGET docs)
  add_test(NAME docs COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --config $<CONFIG> --target docs)
  set_tests_properties(docs PROPERTIES RESOURCE_LOCK build_folder)
endif()

add_subdirectory(consumer)
