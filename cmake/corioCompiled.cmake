# Part of the build and of the installed package.

# corio_add_compiled(NAME [FLOAT]) adds a static library with what takes long to compile: the algorithms over double
# and, if asked for, over float, and the reader of URDF where tinyxml2 was found. Targets that link it declare that
# instead of compiling it, and need not link corio::corio or corio::urdf beside it. All of them must be compiled with
# the same options for vector registers (-march) and the same macros of Eigen.
function(corio_add_compiled name)
  cmake_parse_arguments(PARSE_ARGV 1 corio "FLOAT" "" "")
  set(compiled compiled)
  set(definitions CORIO_COMPILED)
  if(corio_FLOAT)
    set(compiled compiled_float)
    list(APPEND definitions CORIO_COMPILED_FLOAT)
  endif()
  add_library(${name} STATIC)
  target_link_libraries(${name} PRIVATE corio::${compiled} PUBLIC corio::corio)
  if(TARGET corio::compiled_urdf)
    target_link_libraries(${name} PRIVATE corio::compiled_urdf)
    list(APPEND definitions CORIO_COMPILED_URDF)
  endif()
  target_compile_definitions(${name} PUBLIC ${definitions})
endfunction()
