// Identification: least squares over streams, base parameters, estimates. Samples are rows.
#include "class.hpp"
#include "corio/identification/consistent_estimate.hpp"
#include "corio/identification/estimate.hpp"

namespace py = pybind11;

namespace corio::python {
namespace {

using Stream = StreamingLeastSquares<double>;
using Base = BaseParameters<double>;

void add(Stream& stream, const Array& Y, const Array& tau, const std::optional<Array>& weights) {
  if (!fit(Y, tau) || (weights && !fit(Y, *weights)))
    throw SizeError("StreamingLeastSquares.add: Y[.., columns] needs tau[..] and weights[..] of the same dimensions");
  const Eigen::Index n = tau.size(), p = Y.shape(Y.ndim() - 1);
  const Eigen::Map<const RowMat> rows(Y.data(), n, p);
  const Eigen::Map<const V> right(tau.data(), n);
  const V w = weights ? V(V::Map(weights->data(), n)) : V(V::Ones(n));
  Stream all(stream);                           // a rejected row leaves the stream unchanged
  for (Eigen::Index i = 0, k; i < n; i += k) {  // a chunk is copied by columns
    k = (std::min)(n - i, Eigen::Index(256));
    all.add(rows.middleRows(i, k), right.segment(i, k), w.segment(i, k));
  }
  stream = std::move(all);
}

}  // namespace

void bind_identification(py::module_& m) {
  Class<Stream> stream(m, "StreamingLeastSquares", "Y x = tau over a stream of rows, in constant memory.");
  stream.init<Eigen::Index>("(columns)");
  stream.property("rows", &Stream::rows);
  stream.property("R", [](const Stream& s) -> Mat { return s.R(); });
  stream.property("z", [](const Stream& s) -> V { return s.z(); });
  stream.property("residual", &Stream::residual);
  stream.function("add(Y, tau, weights=None)", add);
  stream.function("merge(other)", &Stream::merge);
  using State = std::tuple<Mat, V, double, std::int64_t>;
  stream.def(py::pickle([](const Stream& s) { return State(s.R(), s.z(), s.residual(), s.rows()); },
                        [](const State& s) { return std::apply(Stream::restored, s); }));

  Class<Base> base(m, "BaseParameters", "The combinations of parameters that rows determine.");
  base.init<const Stream&, double>("(samples, threshold=1.5e-8)");
  base.property("size", &Base::size);
  base.property("columns", &Base::independent);
  base.property("projection", &Base::projection);
  base.function("project(pi)", [](const Base& b, In pi) { return b.project(pi); });
  base.function("describe(model)", [](const Base& b, const M& x) {
    auto names = parameter_names(x);
    if (b.num_parameters() > static_cast<int>(names.size()))
      for (auto& name : joint_parameter_names(x)) names.push_back(name);
    return b.describe(names);
  });

  using E = Estimate<double>;
  bind_result(m, "Estimate", "beta residual degrees_of_freedom covariance condition", &E::beta, &E::residual,
              &E::degrees_of_freedom, &E::covariance, &E::condition)
      .function("standard_deviation()", [](const E& e) { return e.standard_deviation(); });
  function(m, "estimate(samples, base)", estimate<double>);
  function(
      m, "robust_weights(errors, used)",
      [](const Mat& errors, const Mat& used) -> Mat {
        return robust_weights(errors.transpose(), used.transpose()).transpose();
      },
      "In Python samples are rows.");
  function(m, "structural_base_parameters(model, joints=True)", structural_base_parameters<double>);
  function(m, "is_physically_consistent(pi)",
           [](const Eigen::Matrix<double, 10, 1>& pi) { return is_physically_consistent<double>(pi); });
  using C = ConsistentEstimate<double>;
  bind_result(m, "ConsistentEstimate", "parameters iterations decrement converged", &C::parameters, &C::iterations,
              &C::decrement, &C::converged);
  function(m, "consistent_estimate(model, samples, spread=0.2, deviations=())",
           [](const M& x, const Stream& samples, double spread, const V& deviations) {
             return consistent_estimate(x, samples, {spread, deviations});
           });
}

}  // namespace corio::python
