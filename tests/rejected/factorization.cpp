// Body-level factorizations of the wrong shape: this must not compile, and the compiler must say what is expected.
#include <corio/corio.hpp>

using corio::Inertia, corio::Matrix6, corio::Motion;

void rejected(const corio::Model<double>& model, corio::Data<double>& data, const Eigen::VectorXd& x) {
#ifdef CORIO_REJECTED_ARGUMENTS
  const auto B = [](const Motion<double>&) -> Matrix6<double> { return {}; };
#else
  const auto B = [](const Motion<double>& V, const Inertia<double>& I) { return corio::crf(V) * I.matrix(); };
#endif
  corio::coriolis_matrix(model, data, x, x, B);
}
