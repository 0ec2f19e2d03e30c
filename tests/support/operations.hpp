#pragma once

#include <functional>
#include <string>
#include <vector>

#include "corio/corio.hpp"
#include "support/derivatives_support.hpp"
#include "support/geometry_support.hpp"

/// All algorithms that have versions for other registers (corio/core/versions.hpp), to be run by a loop.
namespace corio::test {

/// Arguments of all calls.
struct OperationInput {
  explicit OperationInput(const Model<double>& m, int seed = 1)
      : model(m), state(m, seed), other(corio::test::random_vector(state.random, m.nv())) {
    for (const auto& body : m.bodies())
      for (const auto reference : all_references)
        forces.emplace_back(m.frame(body.name()), state.random.force(), reference, state.random.vector());
    std::vector<std::string> names;
    for (const auto& body : m.bodies())
      if (names.size() < 3) names.insert(names.begin(), body.name());
    some = BodySelection(m, names);
  }
  const Model<double>& model;
  corio::test::State state;
  Vectord other;
  std::vector<ExternalForce<double>> forces;
  BodySelection some;
};

/// The numbers of a result.
class Numbers {
 public:
  template <class A>
  Numbers& operator<<(const Eigen::MatrixBase<A>& x) {
    for (Eigen::Index j = 0; j < x.cols(); ++j)
      for (Eigen::Index i = 0; i < x.rows(); ++i) numbers_.push_back(x(i, j));
    return *this;
  }
  template <class T>
  requires requires(const T& t) {
    { t(0, 0, 0) } -> std::convertible_to<double>;
  }
  Numbers& operator<<(const T& tensor) {
    for (int i = 0; i < tensor.size(); ++i)
      for (int j = 0; j < tensor.size(); ++j)
        for (int k = 0; k < tensor.size(); ++k) numbers_.push_back(tensor(i, j, k));
    return *this;
  }
  Eigen::Map<const Vectord> vector() const { return {numbers_.data(), static_cast<Eigen::Index>(numbers_.size())}; }

 private:
  std::vector<double> numbers_;
};

/// How errors of a result grow with the condition of M, to which power.
enum Conditioned { not_at_all = 0, once = 1, twice = 2 };

struct Operation {
  std::string name;
  Conditioned conditioned;
  /// In the state of the last forward_kinematics.
  std::function<Numbers(const Model<double>&, Data<double>&, const OperationInput&)> run;
};

/// The algorithms of core/versions.hpp in all their forms, on outputs with neighbours in memory that are not to be
/// touched. Those of derivatives of the forward dynamics, and no others, leave other accelerations in the state.
const std::vector<Operation>& operations();

}  // namespace corio::test
