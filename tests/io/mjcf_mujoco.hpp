#pragma once

#include <mujoco/mujoco.h>

#include <random>

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/passive_forces.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/io/mjcf.hpp"
#include "corio/kinematics/frames.hpp"
#include "support/compare.hpp"
#include "support/temporary_file.hpp"

/// A file as MuJoCo reads it and as corio does, at random states.
namespace corio::test {

/// MuJoCo's model for a file, and its data.
class Mujoco {
 public:
  explicit Mujoco(const std::filesystem::path& path) {
    char error[1000] = "";
    model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    if (!model) throw std::runtime_error(std::string("MuJoCo rejects the file: ") + error);
    data = mj_makeData(model);
    // Leaves only bodies: no fluid, no tendons.
    model->opt.density = model->opt.viscosity = 0;
    for (int i = 0; i < model->ntendon; ++i) model->tendon_stiffness[i] = model->tendon_damping[i] = 0;
    model->opt.disableflags |= mjDSBL_CONTACT;
  }
  ~Mujoco() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;

  std::string name(int type, int i) const {
    const char* found = mj_id2name(model, type, i);
    return found ? found : "";
  }

  mjModel* model;
  mjData* data;
};

/// The largest differences over some states: for positions and rotations of bodies and sites, relative to positions of
/// more than 1 m; for M(i, j), relative to sqrt(M(i, i) M(j, j)); for bias and passive forces, relative to the largest;
/// for limits, friction, gravity, reference configuration and keyframes. Infinity if joints, limits or keyframes do not
/// match.
struct Differences {
  double poses = 0, mass = 0, bias = 0, passive = 0, constants = 0;
  double largest() const { return std::max({poses, mass, bias, passive, constants}); }
};

/// Compares the parts that do not depend on the state.
inline double compare_constants(const mjcf::File& file, const Model<double>& model, const mjModel& m) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  double worst = 0;
  const auto equal = [&worst](double a, double b) { worst = std::max(worst, std::abs(a - b)); };
  for (int j = 0; j < m.njnt; ++j) {
    const int at = m.jnt_qposadr[j];
    const bool one = m.jnt_type[j] == mjJNT_HINGE || m.jnt_type[j] == mjJNT_SLIDE;
    const double lower = model.lower_limit()[at], upper = model.upper_limit()[at];
    if (std::isfinite(lower) != (one && m.jnt_limited[j])) return inf;
    if (std::isfinite(lower)) equal(lower, m.jnt_range[2 * j]), equal(upper, m.jnt_range[2 * j + 1]);
  }
  for (int k = 0; k < m.nv; ++k) equal(model.friction()[k], m.dof_frictionloss[k]);
  const bool gravity = (m.opt.disableflags & mjDSBL_GRAVITY) == 0;
  for (int i = 0; i < 3; ++i) equal(model.gravity()[i], gravity ? m.opt.gravity[i] : 0.0);
  // A quaternion and its negative are the same orientation; other wrong signs show in the poses of the states.
  for (int k = 0; k < m.nq; ++k) equal(std::abs(file.qpos0[static_cast<std::size_t>(k)]), std::abs(m.qpos0[k]));
  if (std::ssize(file.keyframes) != m.nkey) return inf;
  for (int i = 0; i < m.nkey; ++i) {
    const auto& key = file.keyframes[static_cast<std::size_t>(i)];
    equal(key.time, m.key_time[i]);
    for (std::size_t k = 0; k < key.qpos.size(); ++k) equal(key.qpos[k], m.key_qpos[i * m.nq + static_cast<int>(k)]);
    for (std::size_t k = 0; k < key.qvel.size(); ++k) equal(key.qvel[k], m.key_qvel[i * m.nv + static_cast<int>(k)]);
  }
  return worst;
}

inline Differences compare(const mjcf::File& file, Mujoco& mujoco, int states = 5, unsigned seed = 1) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Model<double> original = file.builder.build();
  const mjModel& m = *mujoco.model;
  mjData& d = *mujoco.data;
  if (original.nv() != m.nv || original.nq() != m.nq || std::ssize(original.joints()) != m.njnt) return {inf};
  Model<double> model = original;
  model.set_friction(VectorX<double>::Zero(model.nv()));  // a constraint in MuJoCo
  Data<double> data(model);
  std::mt19937 random(seed);
  const auto number = [&random] { return static_cast<double>(random()) / 2147483648.0 - 1.0; };
  Differences worst;
  worst.constants = compare_constants(file, original, m);
  for (int state = 0; state < states; ++state) {
    for (int k = 0; k < m.nq; ++k) d.qpos[k] = 2 * number();
    for (int k = 0; k < m.nv; ++k) d.qvel[k] = 2 * number();
    mj_normalizeQuat(&m, d.qpos);
    mj_fwdPosition(&m, &d);
    mj_fwdVelocity(&m, &d);

    // corio's velocity is T qvel.
    VectorX<double> q(m.nq), rate(m.nv);
    MatrixX<double> T = MatrixX<double>::Identity(m.nv, m.nv);
    const Eigen::Map<const VectorX<double>> qvel(d.qvel, m.nv);
    rate.setZero();  // dT/dt qvel
    for (int j = 0; j < m.njnt; ++j) {
      const Joint& joint = original.joints()[static_cast<std::size_t>(j)];
      const int at = m.jnt_qposadr[j], v = m.jnt_dofadr[j];
      if (joint.q_index() != at || joint.v_index() != v) return {inf};
      const std::string name = mujoco.name(mjOBJ_JOINT, j);
      if (joint.name() != (name.empty() ? "joint" + std::to_string(j) : name)) return {inf};
      const double* x = d.qpos + at;
      if (m.jnt_type[j] == mjJNT_FREE) {
        q.segment<7>(at) << x[0], x[1], x[2], x[4], x[5], x[6], x[3];
        const Matrix3<double> R = rotation_from_quaternion<double>({x[4], x[5], x[6], x[3]});
        T.block<6, 6>(v, v).setZero();
        T.block<3, 3>(v, v + 3).setIdentity();
        T.block<3, 3>(v + 3, v) = R.transpose();
        const Vector3<double> w = qvel.segment<3>(v + 3), linear = R.transpose() * qvel.segment<3>(v);
        rate.segment<3>(v + 3) = -cross(w, linear);
      } else if (m.jnt_type[j] == mjJNT_BALL) {
        q.segment<4>(at) << x[1], x[2], x[3], x[0];
      } else {
        q[at] = x[0];
      }
    }
    const VectorX<double> v = T * qvel;
    const MatrixX<double> M = crba<double>(model, data, q);
    const VectorX<double> bias = T.transpose() * (nonlinear_effects<double>(model, data, q, v) + M * rate);
    const VectorX<double> passive = T.transpose() * passive_forces<double>(model, data, q, v, 0.0);
    const MatrixX<double> mass = T.transpose() * M * T;

    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> full(m.nv, m.nv);
    mj_fullM(&m, full.data(), d.qM);
    for (int i = 0; i < m.nv; ++i)
      for (int j = 0; j < m.nv; ++j)
        worst.mass = std::max(worst.mass, std::abs(mass(i, j) - full(i, j)) / std::sqrt(full(i, i) * full(j, j)));
    const auto relative = [](const VectorX<double>& a, const double* of_mujoco) {
      const Eigen::Map<const VectorX<double>> b(of_mujoco, a.size());
      return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff() / std::max(b.cwiseAbs().maxCoeff(), 1e-6);
    };
    worst.bias = std::max(worst.bias, relative(bias, d.qfrc_bias));
    worst.passive = std::max(worst.passive, relative(passive, d.qfrc_passive));
    const auto pose = [&](const std::string& name, const mjtNum* position, const mjtNum* rotation) {
      if (!model.has_frame(name)) return inf;
      const Pose<double> X = body_pose(model, data, model.frame(name));
      const Eigen::Map<const Vector3<double>> p(position);
      const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(rotation);
      return std::max(relative_error(X.translation, p), relative_error(X.rotation, R));
    };
    for (int b = 1; b < m.nbody; ++b) {
      const std::string name = mujoco.name(mjOBJ_BODY, b);
      worst.poses =
          std::max(worst.poses, pose(name.empty() ? "body" + std::to_string(b) : name, d.xpos + 3 * b, d.xmat + 9 * b));
    }
    for (int s = 0; s < m.nsite; ++s) {
      const std::string name = mujoco.name(mjOBJ_SITE, s);
      if (name.empty()) continue;
      const bool taken = mj_name2id(&m, mjOBJ_BODY, name.c_str()) >= 0;
      worst.poses =
          std::max(worst.poses, pose(taken ? name + "_site" : name, d.site_xpos + 3 * s, d.site_xmat + 9 * s));
    }
  }
  return worst;
}

}  // namespace corio::test
