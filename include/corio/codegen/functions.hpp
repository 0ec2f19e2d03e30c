#pragma once

#include <array>
#include <random>
#include <string_view>

#include "corio/codegen/snap.hpp"
#include "corio/codegen/writer.hpp"
#include "corio/corio.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/mechanism/regressors.hpp"
#include "corio/simulation/step.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// A function that corio_generate knows by name, with its inputs in order. With :FRAME the name of a body or frame
/// follows, as in body_pose:tool0.
struct NamedFunction {
  const char* name;
  std::string_view inputs;
  const char* summary;
  bool takes(std::string_view input) const {
    return (" " + std::string(inputs) + " ").find(" " + std::string(input) + " ") != std::string::npos;
  }
};
/// All functions that corio_generate and record know by name.
inline constexpr NamedFunction named_functions[] = {
    {"rnea", "q v a", "tau = M a + C v + g, N m or N"},
    {"crba", "q", "M, kg m^2, kg m or kg"},
    {"aba", "q v tau", "a = M^-1 (tau - C v - g), rad/s^2 or m/s^2"},
    {"mass_matrix_inverse", "q", "M^-1"},
    {"coriolis_matrix", "q v", "C with C v the Coriolis forces and dM/dt = C + C^T"},
    {"christoffel_symbols", "q", "Gamma(i, j, k) in row i and column j + n k"},
    {"inverse_dynamics_derivatives", "q v a", "of tau by q and v"},
    {"forward_dynamics_derivatives", "q v tau", "of a by q, v and tau"},
    {"generalized_gravity", "q", "g, N m or N"},
    {"nonlinear_effects", "q v", "h = C v + g, N m or N"},
    {"body_pose:FRAME", "q", "rotation to world axes, position in the world, m"},
    {"body_velocity:FRAME", "q v", "[angular; linear] of its origin in world axes, rad/s and m/s"},
    {"body_jacobian:FRAME", "q", "J with J v = body_velocity"},
    {"center_of_mass", "q", "in the world, m"},
    {"com_jacobian", "q", "J with J v the velocity of the centre of mass"},
    {"centroidal_momentum_matrix", "q", "A with A v the momentum about the centre of mass, [angular; linear]"},
    {"energy", "q v", "kinetic, potential and of springs, J"},
    {"inverse_dynamics_regressor", "q v a", "Y with tau = Y pi, ten parameters for each body"},
    {"step", "q v tau dt", "q and v after dt s with passive forces, semi-implicit Euler; of trees"},
    {"rnea:FRAME", "q v a wrench", "rnea with [moment; force] at the frame in world axes, N m and N; A+B: at A and B"},
    {"aba:FRAME", "q v tau wrench", "aba with wrenches as rnea:FRAME"},
    {"velocity_map", "q v", "dq/dt"},
    {"inverse_dynamics_hessian", "q v a lambda", "of lambda^T tau by q, v and a; of trees"},
    {"forward_dynamics_hessian", "q v tau lambda", "of lambda^T a by q, v and tau; of trees"}};
/// The functions that corio_generate writes by default: the first ones of the list.
inline constexpr auto function_names = [] {
  std::array<const char*, 8> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = named_functions[i].name;
  return names;
}();

/// Returns the name of a function before its frame, and the frame, which is empty if the function has none.
inline std::pair<std::string, std::string> name_and_frame(const std::string& function) {
  const std::size_t colon = (std::min)(function.find(':'), function.size());
  return {function.substr(0, colon), function.substr((std::min)(colon + 1, function.size()))};
}
/// Returns the entry of a function.
/// @throws Error for an unknown name, a missing frame, or a frame too many
inline const NamedFunction& named_function(const std::string& function) {
  const auto [name, frame] = name_and_frame(function);
  std::string known;
  for (const NamedFunction& f : named_functions) {
    if (frame.empty() ? f.name == function : f.name == name + ":FRAME") return f;
    known += std::string(known.empty() ? "" : ", ") + f.name;
  }
  throw Error(corio::detail::join({"generated code: there is no function '", function, "', there are ", known}));
}

/// Returns the origins of the frames of a function, with world axes; rnea and aba take several frames, A+B+...
/// @throws ModelError for a frame that the robot does not have
template <class S>
std::vector<FramePoint<S>> frame_points(const Model<S>& tree, const std::string& function) {
  auto [name, frames] = name_and_frame(function);
  std::vector<FramePoint<S>> points;
  while (!frames.empty()) {
    const bool is_list = name == "rnea" || name == "aba";
    const std::size_t plus = is_list ? (std::min)(frames.find('+'), frames.size()) : frames.size();
    points.emplace_back(tree.frame(frames.substr(0, plus)), ReferenceFrame::world_aligned);
    frames.erase(0, plus + 1);
  }
  return points;
}
/// Returns wrenches [moment; force] at these points, six numbers each; zero beyond the numbers given.
template <class S>
std::vector<ExternalForce<S>> external_forces(const Model<S>& tree, const std::string& function, const VectorX<S>& w) {
  std::vector<ExternalForce<S>> forces;
  for (const auto& point : frame_points(tree, function)) {
    const auto x = [&, k = 6 * std::ssize(forces)](int i) { return k + i < w.size() ? w[k + i] : S(0); };
    forces.emplace_back(point, Force<S>{{x(0), x(1), x(2)}, {x(3), x(4), x(5)}});
  }
  return forces;
}

/// Calls f(name, x) with each result of a function at q, v, and a, which is tau for aba, forward_dynamics_derivatives,
/// forward_dynamics_hessian and step; velocities and Jacobians of frames are world-aligned, at the origin of the frame.
/// @param last  dt, lambda or the wrenches of a function that has such an input; by default 1e-3, and a
/// @throws Error as named_function, and for step of a mechanism; ModelError for a frame that the robot does not have
template <class S, template <class> class Robot, class F>
void for_each_result(const std::string& function, const Robot<S>& model, DataOf<Robot<S>>& data, const VectorX<S>& q,
                     const VectorX<S>& v, const VectorX<S>& a, F&& f, const VectorX<S>& last = {}) {
  const std::string name = name_and_frame(function).first;
  named_function(function);
  const int n = model.nv();
  const auto vector = [](const auto& x) {
    return VectorX<S>::NullaryExpr(x.size(), [&](auto i) { return x[i]; }).eval();
  };
  const auto of_frame = [&] { return frame_points(model.tree(), function).front(); };
  const auto forces = [&] { return external_forces(model.tree(), function, last); };
  if (name == "rnea") return f("tau", rnea(model, data, q, v, a, forces()));
  if (name == "crba") return f("M", crba(model, data, q));
  if (name == "aba") return f("a", aba(model, data, q, v, a, forces()));
  if (name == "mass_matrix_inverse") return f("M_inverse", mass_matrix_inverse(model, data, q));
  if (name == "coriolis_matrix") return f("C", coriolis_matrix(model, data, q, v).C);
  if (name == "christoffel_symbols") {
    ChristoffelTensor<S> symbols(model);
    christoffel_symbols(model, data, q, symbols);
    const auto entry = [&](auto i, auto jk) { return symbols(int(i), int(jk) % n, int(jk) / n); };
    return f("Gamma", MatrixX<S>::NullaryExpr(n, n * n, entry).eval());
  }
  if (name == "inverse_dynamics_derivatives") {
    const auto& x = inverse_dynamics_derivatives(model, data, q, v, a);
    return f("dtau_dq", x.dtau_dq), f("dtau_dv", x.dtau_dv);
  }
  if (name == "forward_dynamics_derivatives") {
    const auto& x = forward_dynamics_derivatives(model, data, q, v, a);
    return f("da_dq", x.da_dq), f("da_dv", x.da_dv), f("da_dtau", x.da_dtau);
  }
  if (name == "generalized_gravity") return f("g", generalized_gravity(model, data, q));
  if (name == "nonlinear_effects") return f("h", nonlinear_effects(model, data, q, v));
  if (name == "body_pose") {
    const Pose<S> X =
        body_pose(model, forward_kinematics(model, data, q), model.tree().frame(name_and_frame(function).second));
    f("rotation", MatrixX<S>::NullaryExpr(3, 3, [&](auto i, auto j) { return X.rotation(i, j); }).eval());
    return f("translation", vector(X.translation));
  }
  if (name == "body_velocity")
    return f("velocity", vector(body_velocity(model, forward_kinematics(model, data, q, v), of_frame()).vector()));
  if (name == "body_jacobian") {
    MatrixX<S> J(6, n);
    body_jacobian<S>(model, data, q, of_frame(), J);
    return f("J", J);
  }
  if (name == "center_of_mass") return f("center", vector(center_of_mass(model, data, q)));
  if (name == "com_jacobian") return f("J", MatrixX<S>(com_jacobian(model, data, q)));
  if (name == "centroidal_momentum_matrix") return f("A", MatrixX<S>(centroidal_momentum_matrix(model, data, q)));
  if (name == "energy") {
    const auto [kinetic, potential, springs] = energy(model, data, q, v);
    const auto number = [](const S& x) { return VectorX<S>::Constant(1, x).eval(); };
    return f("kinetic", number(kinetic)), f("potential", number(potential)), f("springs", number(springs));
  }
  if (name == "inverse_dynamics_regressor") {
    MatrixX<S> Y(n, num_inertial_parameters(model.tree()));
    inverse_dynamics_regressor<S>(model, data, q, v, a, Y);
    return f("Y", Y);
  }
  if (name == "velocity_map") {  // dq/dt = d integrate(q, t dq) / dt at t = 0
    using D = Dual<S>;
    VectorX<D> moved = q.template cast<D>(), step = zeros<D>(model.tree().nv());
    const auto& speeds = forward_kinematics(model, data, q, v).of_tree().v;
    for (Eigen::Index k = 0; k < step.size(); ++k) step[k].dx = speeds[k];
    moved = integrate<D>(model.tree().template cast<D>(), moved, step);
    return f("dq", VectorX<S>::NullaryExpr(q.size(), [&](auto i) { return moved[i].dx; }).eval());
  }
  if constexpr (std::is_same_v<Robot<S>, Model<S>>) {
    const VectorX<S>& lambda = last.size() > 0 ? last : a;
    if (name == "inverse_dynamics_hessian") {
      const auto& x = inverse_dynamics_hessian(model, data, q, v, a, lambda);
      return f("qq", x.qq), f("vq", x.vq), f("vv", x.vv), f("aq", x.aq);
    }
    if (name == "forward_dynamics_hessian") {
      const auto& x = forward_dynamics_hessian(model, data, q, v, a, lambda);
      return f("qq", x.qq), f("vq", x.vq), f("vv", x.vv), f("tau_q", x.tau_q);
    }
    const S dt = last.size() > 0 ? last[0] : S(1e-3);
    VectorX<S> q_next = q, v_next = v;
    model.check_regular("step");
    data.template of<algorithm::Step<S>>(model).run(model, data, q_next, v_next, a, dt, Integrator::semi_implicit_euler,
                                                    Friction::smooth);
    return f("q_next", q_next), f("v_next", v_next);
  }
  throw Error(name == "step"
                  ? "generated code: a step of a mechanism closes its loops by iterations; record aba of it instead"
                  : "generated code: " + name + " is of trees; record derivatives of rnea or aba instead");
}

/// Calls f like for_each_result for functions of a tree that divide by M, but not for others: by the factor L^T D L of
/// M in place of articulated inertias, whose sweeps are O(n) but longer if paths to the root are short.
template <class F>
void for_each_result_by_factor(const std::string& function, const Model<Recorded>& model, Data<Recorded>& data,
                               const VectorX<Recorded>& q, const VectorX<Recorded>& v, const VectorX<Recorded>& tau,
                               F&& f) {
  const bool is_inverse = function == "mass_matrix_inverse", is_aba = function == "aba";
  if (!is_inverse && !is_aba && function != "forward_dynamics_derivatives") return;
  using Rows = Eigen::Matrix<Recorded, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  MatrixX<Recorded> factor = crba(model, data, q);
  corio::detail::factorize_mass_matrix(model, factor);
  const auto solve = [&](Rows x) {
    corio::detail::solve_mass_matrix(model, factor, x.data(), x.cols());
    return x;
  };
  const auto M_inverse = [&] { return solve(Rows::Identity(model.nv(), model.nv())); };
  if (is_inverse) return f("M_inverse", M_inverse());
  const VectorX<Recorded> a = solve(tau - nonlinear_effects(model, data, q, v));
  if (is_aba) return f("a", a);
  const auto& inverse = inverse_dynamics_derivatives(model, data, q, v, a);
  f("da_dq", solve(-inverse.dtau_dq)), f("da_dv", solve(-inverse.dtau_dv)), f("da_dtau", M_inverse());
}

/// Returns a lower bound of the operations of for_each_result_by_factor, which would take seconds to record for a chain
/// of 100: L^T D L alone takes sum d_k (d_k + 2), where d_k is the number of degrees of freedom that carry k.
template <class S>
int operations_of_factor(const Model<S>& model) {
  int sum = 0;
  for (int k = 0; k < model.nv(); ++k) {
    int d = 0;
    for (int i = model.parent_dof(k); i >= 0; i = model.parent_dof(i)) ++d;
    sum += d * (d + 2);
  }
  return sum;
}

/// Coordinates whose quaternions, and cosines with sines, have length one.
struct UnitCoordinates {
  VectorX<Recorded> q;
  VectorX<Recorded> inverse_length;  // 1 / length of the part of each entry, or 1
};
/// Normalizes coordinates of any nonzero length, so that a function of them can be differentiated by each.
inline UnitCoordinates unit_coordinates(const Model<Recorded>& tree, const VectorX<Recorded>& raw) {
  UnitCoordinates unit{raw, VectorX<Recorded>::Constant(raw.size(), Recorded(1))};
  std::mt19937_64 generator(1);
  const VectorX<Recorded> valid = random_configuration(tree, generator);
  corio::detail::for_each_factor(tree, [&](const auto& joint, int begin, int) {
    VectorX<Recorded> scaled = Recorded(1.001) * valid;
    joint.normalize(scaled.data() + begin);
    std::vector<Eigen::Index> part;  // the entries that normalize scales
    Recorded square = 0;
    for (Eigen::Index i = begin; i < raw.size(); ++i) {
      const double change = static_cast<double>(scaled[i]) / static_cast<double>(valid[i]);
      if (std::abs(change - 1) < 1e-9) part.push_back(i), square += raw[i] * raw[i];
    }
    for (const Eigen::Index i : part) unit.inverse_length[i] = Recorded(1) / sqrt(square);
    for (const Eigen::Index i : part) unit.q[i] = raw[i] * unit.inverse_length[i];
  });
  return unit;
}

/// Records a function of a tree or mechanism with the inputs of its NamedFunction; for a tree by for_each_result or
/// for_each_result_by_factor, whichever is shorter. Build robots with joints of your own by ModelBuilder<Recorded>.
/// @param nominal  for mechanisms with loops other than gears, a closed configuration at which pivots are chosen: the
///   code is right as long as these stay away from zero
/// @param leave_out_zeros  whether matrices are packed
/// @param any_length  whether q is taken through unit_coordinates
/// @throws Error for such a mechanism without it, and as for_each_result; StateError if the loops of a mechanism over
///   double are open there
template <template <class> class Robot>
Recording record(const std::string& function, const Robot<Recorded>& robot, const VectorX<double>& nominal = {},
                 bool leave_out_zeros = false, bool any_length = false) {
  const NamedFunction& named = named_function(function);
  const auto record_by = [&](auto algorithm) {
    Recording f(identifier(function), named.summary);
    const auto input = [&](const char* name, const VectorX<double>& rest) -> VectorX<Recorded> {
      if (!named.takes(name)) return {};
      return nominal.size() > 0 ? f.input(name, rest) : f.input(name, static_cast<int>(rest.size()));
    };
    const VectorX<double> rest = zeros<double>(robot.nv());
    VectorX<Recorded> q = input("q", nominal.size() > 0 ? nominal : zeros<double>(robot.tree().nq()));
    if (any_length) q = unit_coordinates(robot.tree(), q).q;
    const VectorX<Recorded> v = input("v", rest), a = input("a", rest), tau = input("tau", rest);
    VectorX<Recorded> last = input("dt", VectorX<double>::Constant(1, 1e-3));
    if (named.takes("lambda")) last = input("lambda", rest);
    if (named.takes("wrench"))
      last = input("wrench", VectorX<double>::Zero(6 * std::ssize(frame_points(robot.tree(), function))));
    DataOf<Robot<Recorded>> data(robot);
    const auto output = [&](const char* name, const auto& x) {
      leave_out_zeros&& x.cols() > 1 ? f.output(name, packed(x)) : f.output(name, x);
    };
    algorithm(data, q, v, named.takes("tau") ? tau : a, output, last);
    return f;
  };
  Recording f =
      record_by([&](auto& data, const auto&... in) { for_each_result<Recorded, Robot>(function, robot, data, in...); });
  if constexpr (std::is_same_v<Robot<Recorded>, Model<Recorded>>) {
    const int operations = f.schedule().operations;
    if (operations_of_factor(robot) >= operations) return f;
    Recording g = record_by([&](auto& data, const auto& q, const auto& v, const auto& tau, const auto& output, auto&&) {
      for_each_result_by_factor(function, robot, data, q, v, tau, output);
    });
    if (g.num_outputs() > 0 && g.schedule().operations < operations) return g;
  }
  return f;
}
/// Records a function of a tree without the dust in its rotations (snap).
inline Recording record(const std::string& function, const Model<double>& model) {
  return record<Model>(function, snapped(model).cast<Recorded>());
}
inline Recording record(const std::string& function, const Mechanism<double>& mechanism,
                        const VectorX<double>& nominal = {}) {
  if (nominal.size() > 0) {  // over Recorded nothing checks that loops are closed
    MechanismData<double> data(mechanism);
    forward_kinematics<double>(mechanism, data, nominal, zeros<double>(mechanism.nv()));
  }
  return record<Mechanism>(function, mechanism.cast<Recorded>(), nominal);
}

}}}  // namespace corio::codegen
