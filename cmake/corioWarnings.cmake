# Corio's own tests, examples and benchmarks link this target PRIVATE. The library does not, so that users do not get it.
add_library(corio_warnings INTERFACE)
target_compile_options(corio_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # GCC's -Wshadow includes this warning: a parameter of a lambda has the name of a local variable.
  target_compile_options(corio_warnings INTERFACE -Wshadow-uncaptured-local)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # corio/corio.hpp turns this warning off for the headers that it includes; headers that are included by name do not.
  target_compile_options(corio_warnings INTERFACE -Wno-dangling-reference)
endif()
if(CORIO_WARNINGS_AS_ERRORS)
  target_compile_options(corio_warnings INTERFACE -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC issues these warnings after inlining. False positives in Eigen's code of fixed size come and go with the
    # version of GCC: the warnings are shown, but do not break the build.
    target_compile_options(corio_warnings INTERFACE
      -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=restrict)
  endif()
endif()
if(CORIO_SANITIZE)
  list(JOIN CORIO_SANITIZE "," sanitizers)
  # Checks of each pointer that is formed or aligned take three quarters of the time to compile kernels. The address
  # sanitizer finds a wrong pointer when it is used, and processors without unaligned registers find a misaligned one.
  target_compile_options(corio_warnings INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize=alignment,null,object-size,pointer-overflow,vptr
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(corio_warnings INTERFACE -fsanitize=${sanitizers})
endif()
