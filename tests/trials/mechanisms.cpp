#include "trials/mechanisms.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <optional>

#include "corio/corio.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/model/edit.hpp"
#include "support/compiled.hpp"
#include "trials/newton.hpp"
#include "trials/robots.hpp"

namespace corio::trials {
namespace {

using Real = Newton::Real;
using Reals = Newton::Reals;
using RealMatrix = Newton::RealMatrix;

double largest(const RealMatrix& x, const RealMatrix& scale) {
  Real worst = 0;
  for (Eigen::Index j = 0; j < x.cols(); ++j)
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      if (x(i, j) != 0)
        if (const Real ratio = std::abs(x(i, j)) / scale(i, j); !(ratio <= worst)) worst = ratio;
  return static_cast<double>(worst);
}

/// Adds a closure, with a pose of its second frame in the first one at which the closure is closed.
void add_closure(ModelBuilder<double>& builder, Random& random, const std::string& name, const Model<double>& open,
                 Data<double>& data, double length) {
  const auto& bodies = open.bodies();
  const auto any = [&]() -> const Body<double>& {
    return bodies.begin()[below(random, static_cast<int>(std::ssize(bodies)))];
  };
  const Body<double>&one = any(), &other = any();
  const bool ground = chance(random, 0.3);
  if (!ground && one.node() == other.node()) return;
  const auto pose = [&] { return Pose<double>{rotation(random), length * vector(random)}; };
  const Vector3<double> axis = direction(random);
  Pose<double> apart = Pose<double>::identity();
  const std::string first = "first_" + name, second = "second_" + name;
  const int kind = below(random, 6);
  if (kind == 0) {
    apart.rotation = rotation(random);
    builder.close_loop(name, first, second, closure::Point{});
  } else if (kind == 1) {
    apart.rotation = rotation_from_quaternion(exp_quaternion(Vector3<double>(3 * symmetric(random) * axis)));
    builder.close_loop(name, first, second, closure::Revolute{axis});
  } else if (kind == 2) {
    apart.rotation = rotation(random);
    const Vector3<double> across = cross(axis, direction(random));
    builder.close_loop(name, first, second,
                       closure::Universal{axis, Vector3<double>(apart.rotation.transpose() * across)});
  } else if (kind == 3) {
    apart.translation = length * symmetric(random) * axis;
    builder.close_loop(name, first, second, closure::Prismatic{axis});
  } else if (kind == 4) {
    builder.close_loop(name, first, second, closure::Weld{});
  } else {
    apart = pose();
    builder.close_loop(name, first, second, closure::Distance{apart.translation.norm()});
  }
  const Pose<double> at = pose(), world = body_pose(open, data, one) * at;
  builder.add_frame(first, one.name(), at);
  const Pose<double> end = world * apart;
  if (ground)
    builder.add_frame(second, Parent(), end);
  else
    builder.add_frame(second, other.name(), body_pose(open, data, other).inverse() * end);
}

/// Returns some joints that have one coordinate each.
std::vector<std::string> single_joints(Random& random, const Model<double>& model, int most) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints())
    if (joint.nq() == 1 && joint.nv() == 1) names.push_back(joint.name());
  std::shuffle(names.begin(), names.end(), random);
  if (std::ssize(names) > most) names.resize(static_cast<std::size_t>(most));
  return names;
}

struct Closed {
  Model<double> model;
  Loops<double> loops;
  Vector q;
  double length;
};

/// A random tree whose loops are closed at its q.
Closed random_closed(Random& random) {
  for (;;) {
    const Robot robot = random_robot(random, {.bodies = 12, .decades = 2, .mixed = 0.3, .far = 1});
    auto builder = to_builder(robot.model);
    Data<double> data(robot.model);
    forward_kinematics<double>(robot.model, data, robot.q);
    for (int i = below(random, 4); i >= 0; --i)
      if (chance(random, 0.8)) {
        add_closure(builder, random, "loop" + std::to_string(i), robot.model, data, robot.length);
      } else if (const auto names = single_joints(random, robot.model, 1 + below(random, 3)); !names.empty()) {
        std::vector<CouplingTerm> terms;
        double offset = 0;
        for (const auto& name : names) {
          terms.push_back({name, magnitude(random, 1)});
          offset += terms.back().factor * robot.q[robot.model.joint(name).q_index()];
        }
        builder.couple("coupling" + std::to_string(i), terms, offset);
      }
    auto model = builder.build();
    Loops<double> loops(model);
    if (const auto names = single_joints(random, model, 2); names.size() == 2 && chance(random, 0.3)) {
      const double x0 = robot.q[model.joint(names[0]).q_index()], x1 = robot.q[model.joint(names[1]).q_index()];
      const double slope = magnitude(random, 1), bend = symmetric(random) / robot.length / robot.length;
      loops.relate("relation", names,
                   [=](const auto& x) { return x[1] - x1 + slope * (x[0] - x0) + bend * (x[0] - x0) * (x[0] - x0); });
    }
    if (loops.rows() == 0) continue;
    return {std::move(model), std::move(loops), robot.q, robot.length};
  }
}

/// The rank of the matrix, and whether the numbers that decide on it are far from the threshold.
struct Rank {
  int rank = 0;
  bool clear = true;
};
Rank rank_of(RealMatrix K, const Reals& sizes) {
  K = K * sizes.cwiseInverse().asDiagonal();
  Rank found;
  // Rows may be zero, where a frame cannot move or turn in their direction.
  const Reals lengths = K.rowwise().norm();
  for (Eigen::Index i = 0; i < K.rows(); ++i) {
    const Real share = lengths[i] / lengths.maxCoeff();
    found.clear = found.clear && (share > 1e-5L || share < 1e-12L);
    K.row(i) *= share > 1e-9L ? 1 / lengths[i] : 0;
  }
  const Eigen::JacobiSVD<RealMatrix> svd(K);
  for (const Real s : svd.singularValues()) {
    found.rank += s > 1e-6L;
    found.clear = found.clear && (s > 1e-3L || s < 1e-9L);
  }
  return found;
}

}  // namespace

void mechanisms(Random& random, Figures& figures) {
  const Closed closed = random_closed(random);
  const auto& model = closed.model;
  const auto& loops = closed.loops;
  const auto& q = closed.q;
  const auto& length = closed.length;
  figures.set_robot(model, q);
  const Newton newton(model, q);
  const Reals& S = newton.sizes();
  const int n = model.nv();
  Data<double> tree(model);

  const RealMatrix K = newton.jacobian(loops);
  Matrix found_K(loops.rows(), n);
  constraint_jacobian<double>(model, forward_kinematics<double>(model, tree, q), loops, found_K);
  // Rows in m have rounding errors of the positions of frames in the world.
  Real far = length;
  for (const auto& frame : model.frames()) far = std::max<Real>(far, body_pose(model, tree, frame).translation.norm());
  RealMatrix scale = K.cwiseAbs().rowwise().maxCoeff() * Reals::Ones(n).transpose();
  for (int j = 0; j < n; ++j) scale.col(j).array() += newton.turns()[j] * far + newton.turns()[j];
  scale.array() += 1;
  figures.note("constraint_jacobian", largest(found_K.cast<Real>() - K, scale), 1e-13);

  const Rank rank = rank_of(K, S);
  if (!rank.clear) return figures.skip("near singular");
  const auto make = [&]() -> std::optional<Mechanism<double>> {
    try {
      return Mechanism<double>(model, loops, q);
    } catch (const ModelError& error) {
      const std::string text = error.what();
      if (text.find("moves no joint") != text.npos) return {};
      throw;
    }
  };
  const auto mechanism = make();
  if (!mechanism) return figures.skip("a loop moves no joint");
  figures.note("number of independent speeds", std::abs(mechanism->nv() - (n - rank.rank)), 0);
  MechanismData<double> data(*mechanism);
  const double pace = magnitude(random, 1);
  Vector y(mechanism->nv()), ydot(mechanism->nv());
  const Vector v0 = pace * random_speeds(random, model, length),
               a0 = pace * pace * random_speeds(random, model, length);
  for (int i = 0; i < mechanism->nv(); ++i) {
    const int k = mechanism->independent()[static_cast<std::size_t>(i)];
    y[i] = v0[k], ydot[i] = a0[k];
  }
  forward_kinematics<double>(*mechanism, data, q, y, ydot);
  RealMatrix G = RealMatrix::Zero(n, mechanism->nv());
  for (int r = 0; r < n; ++r) mechanism->for_each_entry(r, [&](int c, int e) { G(r, c) = data.G[e]; });
  if (mechanism->nv() == 0) return figures.skip("no independent speeds");
  // Uses units in which unit speeds of all degrees of freedom have the same momentum.
  const Real spread = (S.asDiagonal() * G).cwiseAbs().maxCoeff();
  Real least = std::numeric_limits<Real>::infinity();
  for (const int k : mechanism->independent()) least = std::min(least, S[k]);
  if (spread > 1e4L * least) return figures.skip("badly conditioned");
  const RealMatrix KG_size = K.cwiseAbs() * G.cwiseAbs() + (scale - K.cwiseAbs()) * G.cwiseAbs() * 1e-3L;
  figures.note("K G = 0", largest(K * G, KG_size), 1e-9);

  // Compares accelerations by the conditions' own rates.
  const Vector v = (G * y.cast<Real>()).cast<double>();
  figures.note("v", largest(data.tree.v.cast<Real>() - G * y.cast<Real>(), G.cwiseAbs() * y.cast<Real>().cwiseAbs()),
               1e-13);
  const Reals bias = newton.bias(loops, v);
  RealMatrix K_d(K.rows(), n - mechanism->nv());
  std::vector<int> dependent;
  for (int k = 0; k < n; ++k)
    if (!std::ranges::count(mechanism->independent(), k)) {
      K_d.col(static_cast<Eigen::Index>(dependent.size())) = K.col(k) / S[k];
      dependent.push_back(k);
    }
  Reals weights = K_d.rowwise().norm();
  const Real longest = weights.maxCoeff();
  for (Real& w : weights) w = w > 1e-9L * longest ? 1 / w : 0;
  const Eigen::ColPivHouseholderQR<RealMatrix> solver(weights.asDiagonal() * K_d);
  const auto acceleration = [&](const Vector& rate) -> Reals {
    Reals a = Reals::Zero(n);
    for (int i = 0; i < mechanism->nv(); ++i) a[mechanism->independent()[static_cast<std::size_t>(i)]] = rate[i];
    if (dependent.empty()) return a;
    const Reals right = weights.asDiagonal() * (bias - K * a);
    const Reals part = solver.solve(right);
    for (std::size_t i = 0; i < dependent.size(); ++i)
      a[dependent[i]] = part[static_cast<Eigen::Index>(i)] / S[dependent[i]];
    return a;
  };
  const Reals a = acceleration(ydot);
  const Real moved = newton.pace(a.cast<double>()) + newton.turn(v) * newton.pace(v) + 1e-300L;
  figures.note("dv/dt", static_cast<double>((data.tree.a.cast<Real>() - a).cwiseAbs().dot(S) / moved), 1e-8);

  const RealMatrix M = newton.mass_matrix();
  const Reals S_y = G.cwiseAbs().transpose() * S;
  figures.note("crba",
               largest(crba<double>(*mechanism, data).cast<Real>() - G.transpose() * M * G, S_y * S_y.transpose()),
               1e-12);
  const Real effort = newton.effort(v, a.cast<double>());
  const Reals tau = G.transpose() * newton.inverse_dynamics(v, a.cast<double>());
  figures.note("rnea", largest(rnea<double>(*mechanism, data).cast<Real>() - tau, S_y * effort), 1e-8);
  const Vector drive = tau.cast<double>();
  const Vector found = aba<double>(*mechanism, data, q, y, drive);
  const Reals back = acceleration(found);
  const Reals left = G.transpose() * newton.inverse_dynamics(v, back.cast<double>()) - drive.cast<Real>();
  figures.note("aba", largest(left, S_y * newton.effort(v, back.cast<double>())), 1e-8);
  {
    const auto& [C, M_of_C, Mdot] = coriolis_matrix(*mechanism, data, q, y);
    const Reals g = generalized_gravity<double>(*mechanism, data, q).cast<Real>();
    const Vector standing = Vector::Zero(mechanism->nv());
    const Reals still = acceleration(standing);
    const Reals effects = G.transpose() * newton.inverse_dynamics(v, still.cast<double>());
    // If nothing turns and nothing weighs, both torques are zero: errors are relative to the forces for a random
    // acceleration.
    const Reals size = S_y * (effort + newton.effort(v, still.cast<double>()));
    figures.note("C y + g", largest(C.cast<Real>() * y.cast<Real>() + g - effects, size), 1e-8);
  }
  // tau is quadratic in y, so that a difference is its derivative to rounding.
  {
    const int k = below(random, mechanism->nv());
    const auto& by = inverse_dynamics_derivatives<double>(*mechanism, data, q, y, ydot);
    const Reals by_y = by.dtau_dv.col(k).cast<Real>(), by_q = by.dtau_dq.col(k).cast<Real>();
    const double h = std::max(1e-3, std::abs(y[k]));
    const auto at = [&](double step) -> Vector {
      Vector faster = y;
      faster[k] += step;
      return rnea<double>(*mechanism, data, q, faster, ydot);
    };
    const Reals difference = ((at(h) - at(-h)) / (2 * h)).cast<Real>();
    figures.note("dtau/dy", largest(by_y - difference, S_y * (effort / h + newton.pace(G.col(k).cast<double>()))),
                 1e-7);

    // Takes a difference along a closed motion, at constant y and dy/dt. Its error is of second order in the step.
    const double step =
        1e-4 / static_cast<double>(newton.turn(G.col(k).cast<double>()) + S_y[k] / spread / length + 1e-3);
    const auto closed_at = [&](double t) -> std::optional<Matrix> {
      const Vector along = t * G.col(k).cast<double>();
      const auto assembly = assemble<double>(*mechanism, data, integrate<double>(model, q, along));
      if (!assembly.closed) return {};
      Matrix both(mechanism->nv(), mechanism->nv() + 1);
      both << rnea<double>(*mechanism, data, assembly.q, y, ydot), crba<double>(*mechanism, data);
      return both;
    };
    const auto up = closed_at(step), down = closed_at(-step), up2 = closed_at(step / 2), down2 = closed_at(-step / 2);
    if (!up || !down || !up2 || !down2) return figures.skip("cannot be closed beside it");
    // The change from one difference to the other bounds the error of their extrapolation.
    const Matrix once = (*up - *down) / (2 * step), twice = (*up2 - *down2) / step;
    const RealMatrix better = ((4 * twice - once) / 3).cast<Real>(), doubt = (twice - once).cwiseAbs().cast<Real>();
    figures.note("dtau/dq", largest(by_q - better.col(0), S_y * (effort / (1e8 * step)) + doubt.col(0)), 1e-1);
    const Vector unit = Vector::Unit(mechanism->nv(), k);
    const RealMatrix Mdot = coriolis_matrix(*mechanism, data, q, unit).Mdot.cast<Real>();
    const auto nv = mechanism->nv();
    figures.note("dM/dt",
                 largest(Mdot - better.rightCols(nv), S_y * S_y.transpose() / (1e8 * step) + doubt.rightCols(nv)),
                 1e-1);
  }
}

void constrained(Random& random, Figures& figures) {
  const Closed closed = random_closed(random);
  const auto& model = closed.model;
  const auto& loops = closed.loops;
  const auto& q = closed.q;
  const auto& length = closed.length;
  figures.set_robot(model, q);
  const Newton newton(model, q);
  const Reals& S = newton.sizes();
  const RealMatrix K = newton.jacobian(loops);
  const Rank rank = rank_of(K, S);
  if (!rank.clear) return figures.skip("near singular");
  Data<double> data(model);
  const double pace = magnitude(random, 1);
  const Vector v = pace * random_speeds(random, model, length);
  const Vector tau = pace * pace * S.cast<double>().cwiseProduct(random_vector(random, model.nv())) *
                     static_cast<double>(S.maxCoeff());
  // The speeds may open the loops: only the second rates of the conditions must be zero.
  const auto& found = constrained_forward_dynamics<double>(model, data, loops, q, v, tau);
  figures.note("rank", std::abs(found.rank - rank.rank), 0);
  const Reals a = found.a.cast<Real>(), bias = newton.bias(loops, v);
  // Forces of loops may balance the applied forces.
  const Real motion =
      newton.pace(found.a) + newton.turn(v) * newton.pace(v) + tau.cast<Real>().cwiseAbs().dot(S.cwiseInverse());
  // Compares K a = -dK/dt v, where redundant conditions count only with the part that can be met.
  const RealMatrix scaled = K * S.cwiseInverse().asDiagonal();
  const Reals rows = scaled.rowwise().norm();
  // K M^-1 K^T squares the singular values, which may be as small as 1e-3.
  if (rank.rank == K.rows()) figures.note("K a", largest(K * a - bias, rows * motion + bias.cwiseAbs()), 1e-5);
  // The remainder of the equation of motion must be a sum of the rows of K.
  const Reals rest = newton.inverse_dynamics(v, found.a) - tau.cast<Real>() - K.transpose() * found.lambda.cast<Real>();
  const Reals size = S * newton.effort(v, found.a) + tau.cast<Real>().cwiseAbs() +
                     K.cwiseAbs().transpose() * found.lambda.cast<Real>().cwiseAbs();
  figures.note("M a + C v + g = tau + K^T lambda", largest(rest, size), 1e-6);
}

}  // namespace corio::trials
