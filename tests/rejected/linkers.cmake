# Script mode: with every linker that the compiler finds, a program of two files with the same flags links, and a
# program of files with different flags does not. COMPILER is the compiler with its flags; MAIN, SAME and OTHER are
# object files.
cmake_minimum_required(VERSION 3.20)
separate_arguments(COMPILER)
foreach(linker bfd gold lld mold)
  execute_process(COMMAND ${COMPILER} -fuse-ld=${linker} -Wl,--version
    RESULT_VARIABLE absent OUTPUT_QUIET ERROR_QUIET)
  if(absent)
    continue()
  endif()
  list(APPEND tried ${linker})
  foreach(second SAME OTHER)
    execute_process(COMMAND ${COMPILER} -fuse-ld=${linker} ${MAIN} ${${second}} -o linked
      RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(second STREQUAL "SAME" AND NOT result EQUAL 0)
      message(SEND_ERROR "${linker} does not link two files with the same flags:\n${output}")
    elseif(second STREQUAL "OTHER" AND (result EQUAL 0 OR NOT output MATCHES "corio_needs_the_same_EIGEN_MAX_ALIGN"))
      message(SEND_ERROR "${linker} does not reject two files with different flags by their name:\n${output}")
    endif()
  endforeach()
endforeach()
if(NOT tried)
  message(SEND_ERROR "${COMPILER} finds no linker")
endif()
message(STATUS "linkers: ${tried}")
