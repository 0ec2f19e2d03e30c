#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "corio/core/compiled.hpp"
#include "corio/loops/constraint_jacobian.hpp"
#include "corio/loops/detail/closing_steps.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// Returns the size, at least 1, of the coordinates whose differences are the conditions of a loop. Frames of one tree
/// have coordinates from its base, however far the base is from the origin.
template <class S>
S size_of_loop(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop) {
  S largest(1);
  for (const auto& [joint, factor] : loop.terms)
    largest = (std::max)(largest, std::abs(data.q[joint.q_index()] * (loop.relation ? S(1) : S(factor))));
  if (loop.frames.empty()) return largest;
  const auto base = [&](std::size_t i) {
    const int b = loop.frames[i].node();
    return b < 0 ? -1 : model.node(b).base;
  };
  return (std::max)(largest, largest_coordinate(data, base(0) != base(1)));
}

/// See ClosingSteps::size.
template <class S>
void find_sizes(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, VectorOut<S> size) {
  using Form = closure::Condition::Form;
  size.setOnes();
  for (const auto& loop : loops.all()) {
    const S largest = size_of_loop(model, data, loop);
    for (int i = 0; i < loop.rows(); ++i) {
      const Form form = loop.frames.empty() ? Form::offset : loop.conditions[static_cast<std::size_t>(i)].form;
      if (form != Form::direction && form != Form::sense) size[loop.begin + i] = largest;
    }
  }
}

}  // namespace detail

/// The result of assemble.
template <class S>
struct Assembly {
  VectorX<S> q;         // the best configuration found; the given one if none was better
  bool closed = false;  // whether the residual is below the tolerance
  int iterations = 0;
  S residual = S(0);    // the largest |k_i|, m or rad
  std::string worst{};  // the loop with this residual
};

/// Closes the loops near a configuration by Levenberg-Marquardt steps of least length on the configuration manifold,
///   q <- q (+) -K^T (K K^T + mu)^-1 k   (ClosingSteps).
/// Redundant conditions do no harm. If the loops cannot be closed, the residual ends at a local minimum, and the result
/// names the loop with the largest one. Conditions on the sense of axes are included.
///
/// @param held       degrees of freedom that keep their value, such as a driven crank
/// @param tolerance  of the largest residual, m or rad; relative to coordinates larger than 1 where it is their
///   difference: angles of a coupling, distances of bodies from the base of their tree, or from the origin where a loop
///   joins two trees or one to the ground
/// @throws SizeError; ModelError for loops of another model, an index out of range, or a relation whose gradient is not
/// finite; Error for a q that is not finite or a negative tolerance. Allocates; some ten iterations of
/// O(m d + m^2 (n + m)).
template <std::floating_point S>
Assembly<S> assemble(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> q,
                     const std::vector<int>& held = {}, double tolerance = 1e3 * std::numeric_limits<S>::epsilon()) {
  const Loops<S> conditions = loops.with_senses();
  Assembly<S> result{.q = q};
  detail::check_tolerance("tolerance", tolerance);
  detail::check_on_manifold<S>("q", q, model, 1e-3);
  for (std::size_t i = 0; i < held.size(); ++i)
    detail::check_dof(detail::join({"held[", std::to_string(i), "]"}).c_str(), held[i], model.nv(), "assemble");
  detail::ClosingSteps<S> steps(model, conditions.rows());
  for (const int j : held) steps.lower[j] = steps.upper[j] = S(0);
  const auto residual_at = [&](const VectorX<S>& at, VectorX<S>& out) {
    forward_kinematics<S>(model, data, at);
    constraint_residual<S>(model, data, conditions, out);
  };
  const auto jacobian = [&] { constraint_jacobian<S>(model, data, conditions, steps.K); };
  residual_at(result.q, steps.k);
  detail::find_sizes<S>(model, data, conditions, steps.size);
  result.iterations =
      steps.run(result.q, static_cast<S>(1e-2 * tolerance), residual_at, jacobian, [](const VectorX<S>&) {});
  Eigen::Index row = 0;
  if (steps.k.size() > 0) {
    result.residual = steps.k.cwiseAbs().maxCoeff(&row);
    result.worst = conditions.of_row(static_cast<int>(row)).name;
    detail::find_sizes<S>(model, data, conditions, steps.size);
  }
  result.closed = steps.largest() <= static_cast<S>(tolerance);
  return result;
}

#define CORIO_COMPILED_ASSEMBLE(EXTERN, S)                                                      \
  EXTERN template Assembly<S> assemble(const Model<S>&, Data<S>&, const Loops<S>&, VectorIn<S>, \
                                       const std::vector<int>&, double);
CORIO_DECLARE_COMPILED(ASSEMBLE)

}}  // namespace corio
