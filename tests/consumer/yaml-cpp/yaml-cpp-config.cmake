# A stand-in for the package of yaml-cpp 0.9, which has no other target than this.
add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
