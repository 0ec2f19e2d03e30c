# cmake --build build --target docs: the guides and the reference as a site that needs no network, in build/docs/html.
# Figures of the examples stand in it if they have been drawn: cmake --build build --target figures.
# What it needs is looked for when it is built, so that others need not have it.
add_custom_target(docs
  COMMAND ${CMAKE_COMMAND} -DPROJECT_SOURCE_DIR=${PROJECT_SOURCE_DIR} -DPROJECT_VERSION=${PROJECT_VERSION}
    "-DPROJECT_DESCRIPTION=${PROJECT_DESCRIPTION}" -Ddocs=${PROJECT_BINARY_DIR}/docs
    -Dexamples=${PROJECT_BINARY_DIR}/examples
    -P ${PROJECT_SOURCE_DIR}/cmake/docs/build.cmake
  VERBATIM)
