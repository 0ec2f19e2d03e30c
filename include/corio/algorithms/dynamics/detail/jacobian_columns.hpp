#pragma once

#include "corio/kinematics/frames.hpp"
#include "corio/kinematics/robot.hpp"

/// Fills Jacobians column by column: for a tree with the columns of the chain that moves a body, for a Mechanism with
/// sums of such columns.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Checks all arguments except the state, before anything is computed.
template <class S, template <class> class Robot>
void check_jacobian(const Robot<S>& robot, const FramePoint<S>& where, const MatrixOut<S>& J, const char* function,
                    int rows = 6) {
  check_owns(robot.tree(), where, function);
  check_shape("J", J.rows(), J.cols(), rows, robot.nv(), function);
}

/// Sets column k to V, or in three rows to the linear part of V, in a matrix whose rows are `stride` apart.
template <class S, int rows = 6, class Stride>
void set_column(const MatrixOut<S>& J, Stride stride, int k, const Motion<S>& V) {
  S* const to = J.data() + k * J.column_stride();
  for (int r = 0; r < 3; ++r) {
    if constexpr (rows == 6) to[r * stride] = V.angular[r];
    to[(r + rows - 3) * stride] = V.linear[r];
  }
}
/// Adds V to column k instead.
template <class S, int rows = 6>
void add_to_column(const MatrixOut<S>& J, int k, const Motion<S>& V) {
  for (int r = 0; r < 3; ++r) {
    if constexpr (rows == 6) J(r, k) += V.angular[r];
    J(r + rows - 3, k) += V.linear[r];
  }
}

/// Sets column k of J to column(observer, k) for the degrees of freedom that move the body, and to zero for the others.
template <class S, Pass pass, int rows, class Stride, class F>
CORIO_FLATTEN void fill_jacobian(const Model<S>& model, const Data<S>& data, const FramePoint<S>& where,
                                 const MatrixOut<S>& J, Stride stride, F&& column) {
  const FrameView<S> observer(data, where, pass);
  int written = model.nv();  // columns from `written` on are set
  for (int last = where.node() < 0 ? -1 : model.node(where.node()).v_end - 1; last >= 0;) {
    const int begin = model.chain_begin(last);
    if (last + 1 < written) J.columns(last + 1, written - last - 1).set_zero();
    for (int k = begin; k <= last; ++k) set_column<S, rows>(J, stride, k, column(observer, k));
    written = begin;
    last = model.parent_dof(begin);
  }
  if (written > 0) J.columns(0, written).set_zero();
}
template <class S, Pass pass, int rows = 6, class F>
void fill_jacobian(const Model<S>& model, const Data<S>& data, const FramePoint<S>& where, const MatrixOut<S>& J,
                   F&& column) {
  if (J.row_stride() == 1)
    fill_jacobian<S, pass, rows>(model, data, where, J, Count<1>(), column);
  else
    fill_jacobian<S, pass, rows>(model, data, where, J, J.row_stride(), column);
}
/// Computes J for the motion of a place relative to a node (-1 for the ground). A speed y of a Mechanism moves several
/// degrees of freedom: its column is the sum of their columns times dv/dy. For a rate (Pass::velocity) it also has
/// their columns in the reference frame times the rate of dv/dy.
template <class S, Pass pass, int rows, template <class> class Robot, class RobotData, class F>
void sum_jacobian(const Robot<S>& robot, RobotData& data, int against, const FramePoint<S>& where,
                  const MatrixOut<S>& J, F&& column) {
  J.set_zero();
  const Data<S>& state = data.of_tree();
  const FrameView<S> own(state, where, pass);
  const FrameView<S> other = own.for_other_tree(origin_of(state, where.node()) - origin_of(state, against));
  for_each_between(robot.tree(), against, where.node(), [&](int k, int side) {
    const FrameView<S>& observer = side == 1 ? own : other;
    const S sign(side == 1 ? 1 : -1);
    const auto add = [&](const Motion<S>& V) {
      return [&J, x = V * sign](int c, const S& g) { add_to_column<S, rows>(J, c, x * g); };
    };
    for_each_speed(robot, data, k, add(column(observer, k)));
    if constexpr (pass >= Pass::velocity) for_each_speed_rate(robot, data, k, add(observer.see(state.phi[k])));
  });
}
template <class S, Pass pass, int rows = 6, template <class> class Robot, class RobotData, class F>
void fill_jacobian(const Robot<S>& robot, RobotData& data, const FramePoint<S>& where, const MatrixOut<S>& J,
                   F&& column) {
  sum_jacobian<S, pass, rows>(robot, data, -1, where, J, column);
}

/// Computes the columns of body_jacobian and of its rate.
template <class S, int rows, template <class> class Robot>
void fill_body_jacobian(const Robot<S>& robot, const DataOf<Robot<S>>& data, const FramePoint<S>& where,
                        const MatrixOut<S>& J) {
  const Data<S>& state = data.of_tree();
  fill_jacobian<S, Pass::position, rows>(robot, data, where, J,
                                         [&](const auto& observer, int k) { return observer.see(state.phi[k]); });
}
template <class S, int rows, template <class> class Robot>
void fill_body_jacobian_dot(const Robot<S>& robot, RateDataOf<Robot<S>>& data, const FramePoint<S>& where,
                            const MatrixOut<S>& J) {
  const Data<S>& state = data.of_tree();
  fill_jacobian<S, Pass::velocity, rows>(robot, data, where, J, [&](const auto& observer, int k) {
    return observer.see_rate(state.phi[k], state.phi_dot[k]);
  });
}

}}}  // namespace corio::detail
