#pragma once

#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "corio/model/model.hpp"

/// A trial computes the dynamics of a random robot a second time, slowly and in another way.
namespace corio::trials {

using Vector = VectorX<double>;
using Matrix = MatrixX<double>;
using Random = std::mt19937;

/// The computed value of a quantity is wrong. The message names the quantity.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Holds the results of one trial: errors by quantity, relative to the terms of the quantity. The robot of the trial is
/// noted before anything is computed, so that it can be shown after a failure.
class Figures {
 public:
  /// Notes an error. @throws Failure unless it is at most the bound.
  void note(const std::string& quantity, double error, double bound);
  /// Counts a case that was given up, by its reason; it is no failure.
  void skip(const std::string& reason) { ++skipped_[reason]; }
  /// Notes the robot of the trial, and its state.
  void set_robot(const Model<double>& model, const Vector& q) { set_robot(description(model, q)); }
  void set_robot(std::string text) { robot_ = std::move(text); }

  struct Worst {
    double error = 0, bound = 0;
  };
  const std::map<std::string, Worst>& worst() const { return worst_; }
  const std::map<std::string, int>& skipped() const { return skipped_; }
  const std::string& robot() const { return robot_; }
  /// Takes the larger error of both for each quantity.
  void merge(const Figures& other);

 private:
  /// Describes a robot as URDF if it can be written, otherwise by all numbers of the nodes, frames and loops.
  static std::string description(const Model<double>& model, const Vector& q);

  std::map<std::string, Worst> worst_;
  std::map<std::string, int> skipped_;
  std::string robot_;
};

/// A kind of trials; the table in kinds.cpp has a line for each kind.
struct Kind {
  const char* name;
  void (*run)(Random&, Figures&);
};
const std::vector<Kind>& kinds();

// ---- Random numbers, the same on every platform

inline double uniform(Random& random) { return static_cast<double>(random()) / 4294967296.0; }
inline double symmetric(Random& random) { return 2 * uniform(random) - 1; }
inline int below(Random& random, int n) { return static_cast<int>(uniform(random) * n); }
inline bool chance(Random& random, double p) { return uniform(random) < p; }
/// Returns 10^x for a uniform x in [-decades, decades].
inline double magnitude(Random& random, double decades) { return std::pow(10.0, decades * symmetric(random)); }
inline Vector3<double> vector(Random& random) {
  const double x = symmetric(random), y = symmetric(random);
  return {x, y, symmetric(random)};
}
Vector3<double> direction(Random& random);
Matrix3<double> rotation(Random& random);
Vector random_vector(Random& random, int n);

}  // namespace corio::trials
