# Used by the build and by the installed package, so that both accept the same dependencies. Functions, to keep
# the variables of the found packages out of the caller's scope.

# Sets whether this build already has corio, by add_subdirectory or find_package. Another version of corio is an error.
function(corio_find_present version present)
  set(${present} FALSE PARENT_SCOPE)
  if(NOT TARGET corio::corio)
    return()
  endif()
  set(${present} TRUE PARENT_SCOPE)
  get_target_property(there corio::corio CORIO_VERSION)
  if(NOT there STREQUAL version)
    message(FATAL_ERROR "corio: this build has corio already (version ${there}), and ${CMAKE_CURRENT_LIST_DIR} has \
version ${version}: keep one of them")
  endif()
endfunction()

# find_package(Eigen3 3.4) would reject Eigen 5, whose version file accepts only its own major version: find any
# version, then check it. `error` is set to an empty string when Eigen is usable.
function(corio_find_eigen error)
  set(${error} "" PARENT_SCOPE)
  if(NOT TARGET Eigen3::Eigen)
    find_package(Eigen3 CONFIG QUIET)
  endif()
  if(NOT TARGET Eigen3::Eigen)
    set(${error} "Eigen 3.4 or newer not found (Debian and Ubuntu: libeigen3-dev; elsewhere set Eigen3_DIR)"
        PARENT_SCOPE)
  elseif(Eigen3_VERSION AND Eigen3_VERSION VERSION_LESS 3.4)
    set(${error} "Eigen 3.4 or newer needed, found ${Eigen3_VERSION} in ${Eigen3_DIR}" PARENT_SCOPE)
  endif()
endfunction()

# Guarantees the target tinyxml2::tinyxml2 when `found` is true, also where the library comes without CMake files.
function(corio_find_tinyxml2 found)
  set(${found} FALSE PARENT_SCOPE)
  if(NOT TARGET tinyxml2::tinyxml2)
    find_package(tinyxml2 CONFIG QUIET)
  endif()
  if(NOT TARGET tinyxml2::tinyxml2)
    find_path(corio_tinyxml2_include tinyxml2.h)
    find_library(corio_tinyxml2_library tinyxml2)
    mark_as_advanced(corio_tinyxml2_include corio_tinyxml2_library)
    if(corio_tinyxml2_include AND corio_tinyxml2_library)
      add_library(tinyxml2::tinyxml2 INTERFACE IMPORTED)
      set_target_properties(tinyxml2::tinyxml2 PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${corio_tinyxml2_include}" INTERFACE_LINK_LIBRARIES "${corio_tinyxml2_library}")
    endif()
  endif()
  if(TARGET tinyxml2::tinyxml2)
    set(${found} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Guarantees the target yaml-cpp::yaml-cpp when `found` is true. yaml-cpp before 0.8 calls it yaml-cpp, and 0.9 no longer
# has that name.
function(corio_find_yaml_cpp found)
  set(${found} TRUE PARENT_SCOPE)
  if(TARGET yaml-cpp::yaml-cpp)
    return()
  endif()
  if(NOT TARGET yaml-cpp)
    find_package(yaml-cpp CONFIG QUIET)
  endif()
  if(TARGET yaml-cpp AND NOT TARGET yaml-cpp::yaml-cpp)
    add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
    set_target_properties(yaml-cpp::yaml-cpp PROPERTIES INTERFACE_LINK_LIBRARIES yaml-cpp)
  elseif(NOT TARGET yaml-cpp::yaml-cpp)
    set(${found} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Finds the libraries of the readers that an option CORIO_WITH_... selects; `error` is empty if all were found.
function(corio_find_reader option error)
  set(${error} "" PARENT_SCOPE)
  if(option STREQUAL "FILES")
    corio_find_tinyxml2(found)
    if(NOT found)
      set(${error} "tinyxml2 was not found (Debian and Ubuntu: libtinyxml2-dev; elsewhere set tinyxml2_DIR)"
          PARENT_SCOPE)
    endif()
  elseif(option STREQUAL "MESHES")
    if(NOT TARGET Qhull::qhull_r)
      find_package(Qhull CONFIG QUIET)
    endif()
    if(NOT TARGET Qhull::qhull_r)
      set(${error} "Qhull was not found (Debian and Ubuntu: libqhull-dev; elsewhere set Qhull_DIR)" PARENT_SCOPE)
    endif()
  else()
    corio_find_yaml_cpp(found)
    if(NOT found)
      set(${error} "yaml-cpp was not found (Debian and Ubuntu: libyaml-cpp-dev; elsewhere set yaml-cpp_DIR)"
          PARENT_SCOPE)
    endif()
  endif()
endfunction()
