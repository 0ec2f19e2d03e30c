// A scalar whose constants lose the derivatives of the numbers they are added to: this must not compile, and the
// compiler must say what to use instead.
#include <corio/corio.hpp>
// This header comes after Eigen/Core, which AutoDiff needs and does not include.
#include <unsupported/Eigen/AutoDiff>

#ifdef CORIO_REJECTED_NESTED
using Scalar = Eigen::AutoDiffScalar<Eigen::Matrix<Eigen::AutoDiffScalar<Eigen::VectorXd>, 2, 1>>;
#else
using Scalar = Eigen::AutoDiffScalar<Eigen::VectorXd>;
#endif

void rejected(const corio::Model<double>& model, const corio::VectorX<Scalar>& q) {
#ifdef CORIO_REJECTED_ROTATION
  corio::exp_rotation<Scalar>(q.head<3>());
#else
  const auto derivatives = model.cast<Scalar>();
  corio::Data<Scalar> data(derivatives);
  corio::crba(derivatives, data, q);
#endif
}
