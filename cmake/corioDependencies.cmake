# Used by the build and by the installed package, so that both accept the same dependencies. Functions, to keep
# the variables of the found packages out of the caller's scope.

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

# Guarantees the target urdfdom::urdfdom_model when `found` is true; releases before 3.0 export no targets.
function(corio_find_urdfdom found)
  set(${found} FALSE PARENT_SCOPE)
  if(NOT TARGET urdfdom::urdfdom_model)
    find_package(urdfdom CONFIG QUIET)
    if(NOT TARGET urdfdom::urdfdom_model AND urdfdom_LIBRARIES)
      add_library(urdfdom::urdfdom_model INTERFACE IMPORTED)
      set_target_properties(urdfdom::urdfdom_model PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${urdfdom_INCLUDE_DIRS}" INTERFACE_LINK_LIBRARIES "${urdfdom_LIBRARIES}")
    endif()
  endif()
  if(TARGET urdfdom::urdfdom_model)
    set(${found} TRUE PARENT_SCOPE)
  endif()
endfunction()
