# Linked PRIVATE by corio's own tests, examples and benchmarks, never by the library: users get none of it.
add_library(corio_warnings INTERFACE)
target_compile_options(corio_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Part of GCC's -Wshadow: the parameter of a lambda that has the name of a local variable.
  target_compile_options(corio_warnings INTERFACE -Wshadow-uncaptured-local)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # Results are references into Data, see corio/corio.hpp: not in all headers that are included by name.
  target_compile_options(corio_warnings INTERFACE -Wno-dangling-reference)
endif()
if(CORIO_WARNINGS_AS_ERRORS)
  target_compile_options(corio_warnings INTERFACE -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC issues these after inlining, and false positives on Eigen's fixed-size code come and go with its
    # version: show them, but do not let another compiler version break the build.
    target_compile_options(corio_warnings INTERFACE
      -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=restrict)
  endif()
endif()
if(CORIO_SANITIZE)
  list(JOIN CORIO_SANITIZE "," sanitizers)
  # Checks of every pointer that is formed or aligned take three quarters of the time to compile kernels; what they would
  # find, the address sanitizer finds when the pointer is used, and processors where registers are not aligned.
  target_compile_options(corio_warnings INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize=alignment,null,object-size,pointer-overflow,vptr
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(corio_warnings INTERFACE -fsanitize=${sanitizers})
endif()
