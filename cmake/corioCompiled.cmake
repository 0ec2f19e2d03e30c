# Part of the build and of the installed package.

# corio_add_compiled(NAME [FLOAT]) adds a static library of the code that takes long to compile: the algorithms over
# double, with FLOAT also over float, and the reader of URDF if tinyxml2 was found. Targets that link the library only
# declare this code, and need not link corio::corio or corio::urdf as well. The library and all targets that link it must
# be compiled with the same options for vector registers (-march) and the same macros of Eigen.
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
