# `cmake --build build --target docs` makes a site of the guides and the reference in build/docs/html, which needs no
# network. It shows the figures of the examples if `cmake --build build --target figures` has drawn them. Its tools are
# looked for when the site is built, so that configuring does not need them.
add_custom_target(docs
  COMMAND ${CMAKE_COMMAND} -DPROJECT_SOURCE_DIR=${PROJECT_SOURCE_DIR} -DPROJECT_VERSION=${PROJECT_VERSION}
    "-DPROJECT_DESCRIPTION=${PROJECT_DESCRIPTION}" -Ddocs=${PROJECT_BINARY_DIR}/docs
    -Dexamples=${PROJECT_BINARY_DIR}/examples
    -P ${PROJECT_SOURCE_DIR}/cmake/docs/build.cmake
  VERBATIM)
