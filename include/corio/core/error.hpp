#pragma once

#include <Eigen/Core>
#include <stdexcept>
#include <string>

namespace corio {

/// Base of everything corio throws. Messages name the joint or body, what was found and what would be right.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A model that cannot be built, parsed or changed as asked, or a name that it does not have.
struct ModelError : Error {
  using Error::Error;
};

/// An argument whose size does not fit the model.
struct SizeError : Error {
  using Error::Error;
};

/// A result was asked for whose kinematics pass has not been run, or was run for another model.
struct StateError : Error {
  using Error::Error;
};

namespace detail {

[[noreturn]] inline void throw_size(const char* what, Eigen::Index got, Eigen::Index expected) {
  throw SizeError(std::string(what) + " has size " + std::to_string(got) + ", expected " + std::to_string(expected));
}

inline void check_size(const char* what, Eigen::Index got, Eigen::Index expected) {
  if (got != expected) throw_size(what, got, expected);
}

}  // namespace detail
}  // namespace corio
