#include <Eigen/Core>
// After Eigen/Core, which it needs and does not include.
#include <unsupported/Eigen/AutoDiff>

#include "corio/algorithms/coriolis_matrix_derivatives.hpp"
#include "corio/algorithms/coriolis_matrix_dot.hpp"
#include "corio/algorithms/gravity_derivatives.hpp"
#include "corio/algorithms/mass_matrix_derivatives.hpp"
#include "support/catch.hpp"
#include "support/scalar_support.hpp"

using namespace corio;
using namespace corio::test;

// Rates and derivatives of M, C and g over scalars other than double.

namespace {

template <class S>
struct Rates : Over<S> {
  using Over<S>::Over;
  /// All of them in one vector, back in double.
  Vectord all() {
    numbers_.clear();
    const auto& x = coriolis_matrix_dot(this->model, this->data, this->q, this->v, this->a);
    add(x.C), add(x.M), add(x.Mdot), add(x.Cdot);
    add(coriolis_matrix_dot<factorization::Plain>(this->model, this->data).Cdot);
    add(gravity_dot(this->model, this->data));
    add(gravity_derivatives(this->model, this->data));
    MassMatrixDerivatives<S> dense(this->model);
    PackedMassMatrixDerivatives<S> packed(this->model);
    CoriolisMatrixDerivatives<S> coriolis(this->model);
    PackedCoriolisMatrixDerivatives<S> coriolis_packed(this->model);
    mass_matrix_derivatives(this->model, this->data, dense);
    mass_matrix_derivatives(this->model, this->data, packed);
    coriolis_matrix_derivatives(this->model, this->data, coriolis);
    coriolis_matrix_derivatives(this->model, this->data, coriolis_packed);
    for (int l = 0; l < this->model.nv(); ++l) add(dense.along(l)), add(coriolis.along(l));
    MatrixX<S> sum;
    packed.contract(this->v, sum);
    add(sum);
    coriolis_packed.contract(this->v, sum);
    add(sum);
    return Eigen::Map<const Vectord>(numbers_.data(), static_cast<Eigen::Index>(numbers_.size()));
  }

 private:
  void add(const MatrixX<S>& A) {
    for (Eigen::Index i = 0; i < A.size(); ++i) numbers_.push_back(static_cast<double>(value_of(A.data()[i])));
  }
  std::vector<double> numbers_;
};

constexpr int seeds = 4;

}  // namespace

TEST_CASE("rates and derivatives over long double, complex and AutoDiff are those over double",
          "[identities][scalars]") {
  const RandomRobot r(GENERATE(range(0, seeds)));
  const Vectord expected = Rates<double>(r).all();
  CHECK(relative_error(Rates<long double>(r).all(), expected) < tolerance<double>());
  CHECK(relative_error(Rates<Complex>(r).all(), expected) < tolerance<double>());
  CHECK(relative_error(Rates<Eigen::AutoDiffScalar<Eigen::Matrix<double, 2, 1>>>(r).all(), expected) <
        tolerance<double>());
}

TEST_CASE("rates and derivatives over float are those over double to its precision", "[identities][scalars]") {
  // Sums of many more terms than the single operations that tolerance<float> is for.
  const RandomRobot r(GENERATE(range(0, seeds)));
  CHECK(relative_error(Rates<float>(r).all(), Rates<double>(r).all()) < 1e-4);
}
