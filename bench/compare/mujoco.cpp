#include <mujoco/mujoco.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <locale>
#include <random>
#include <sstream>

#include "convert.hpp"

namespace compare {
namespace {

/// The model as MJCF, the only input that all versions of MuJoCo have.
class Description {
 public:
  explicit Description(const Mechanism& mechanism) : bodies_(mechanism.bodies) {
    out_ << "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'><flag "
            "energy='enable'/></option><worldbody>\n";
    write_children(-1);
    out_ << "</worldbody></mujoco>\n";
  }
  std::string text() const { return out_.str(); }

 private:
  void write_children(int parent) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Body& b = bodies_[i];
      if (b.parent != parent) continue;
      const Eigen::Quaterniond turn(rotation(b));
      // The inertia is given in principal axes, since MuJoCo computes the principal axes of a fullinertia only to 1e-12
      // kg m^2.
      const Eigen::SelfAdjointEigenSolver<Matrix3d> principal(inertia(b));
      Matrix3d axes = principal.eigenvectors();
      if (axes.determinant() < 0) axes.col(0) *= -1;
      const Eigen::Quaterniond tilt(axes);
      const Vector3d moments = principal.eigenvalues();
      out_ << "<body name='" << b.name << "'" << attribute("pos", {b.position[0], b.position[1], b.position[2]})
           << attribute("quat", {turn.w(), turn.x(), turn.y(), turn.z()}) << "><inertial"
           << attribute("pos", {b.com[0], b.com[1], b.com[2]}) << attribute("mass", {b.mass})
           << attribute("quat", {tilt.w(), tilt.x(), tilt.y(), tilt.z()})
           << attribute("diaginertia", {moments[0], moments[1], moments[2]}) << "/><joint type='"
           << (b.joint == Body::Joint::revolute    ? "hinge' axis='0 0 1"
               : b.joint == Body::Joint::prismatic ? "slide' axis='0 0 1"
                                                   : "free")
           << "'/>\n";
      write_children(static_cast<int>(i));
      out_ << "</body>\n";
    }
  }
  std::string attribute(const char* name, std::initializer_list<double> values) const {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(17);
    text << ' ' << name << "='";
    for (const double x : values) text << x << ' ';
    return text.str() + "'";
  }

  const std::vector<Body>& bodies_;
  std::ostringstream out_;
};

mjModel* load(const Mechanism& mechanism) {
  const auto path =
      std::filesystem::temp_directory_path() / ("corio_compare_" + std::to_string(std::random_device{}()) + ".xml");
  std::ofstream(path) << Description(mechanism).text();
  char error[1000] = "";
  mjModel* model = mj_loadXML(path.string().c_str(), nullptr, error, sizeof error);
  std::filesystem::remove(path);
  if (!model) throw Unsupported(error);
  return model;
}

struct Robot {
  std::vector<PeerState> states;
  mjModel* m;
  mjData* d;
  VectorXd tau, a, q;
  MatrixXd identity, inverse;
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> of_point, turning;

  explicit Robot(const Mechanism& mechanism)
      : states(convert(mechanism, Base::world_linear_angular)), m(load(mechanism)), d(mj_makeData(m)) {
    tau = a = VectorXd::Zero(m->nv);
    q = VectorXd::Zero(m->nq);
    inverse = identity = MatrixXd::Identity(m->nv, m->nv);
    of_point = turning = MatrixXd::Zero(3, m->nv);
    if (mechanism.floats())
      for (PeerState& s : states) std::rotate(s.q.data() + 3, s.q.data() + 6, s.q.data() + 7);  // w first
  }
  Robot(const Robot&) = delete;
  Robot& operator=(const Robot&) = delete;
  ~Robot() {
    mj_deleteData(d);
    mj_deleteModel(m);
  }

  void positions(const PeerState& s) {
    std::copy(s.q.data(), s.q.data() + m->nq, d->qpos);
    mj_kinematics(m, d);
    mj_comPos(m, d);
  }
  void velocities(const PeerState& s) {
    std::copy(s.v.data(), s.v.data() + m->nv, d->qvel);
    mj_comVel(m, d);
  }
  void factor() {
    mj_crb(m, d);
    mj_factorM(m, d);
  }
};

/// In MuJoCo velocities are about the centre of mass of the whole tree.
std::vector<double> kinematics(const Robot& r) {
  std::vector<double> result;
  for (int i = 1; i < r.m->nbody; ++i) {
    const Eigen::Map<const Vector3d> p(r.d->xpos + 3 * i), w(r.d->cvel + 6 * i), v(r.d->cvel + 6 * i + 3),
        center(r.d->subtree_com + 3 * r.m->body_rootid[i]);
    append(result, p);
    append(result, w);
    append(result, v + w.cross(p - center));
  }
  return result;
}

MatrixXd full_mass_matrix(const Robot& r) {
  MatrixXd M(r.m->nv, r.m->nv);
  mj_fullM(r.m, M.data(), r.d->qM);
  return M;
}

}  // namespace

Peer make_mujoco(const Mechanism& mechanism) {
  using A = Algorithm;
  Peer peer{std::string("MuJoCo ") + mj_versionString(), "library as installed, called from " CORIO_COMPARE_FLAGS, {}};
  const auto robot = std::make_shared<Robot>(mechanism);
  const auto tau = [](const Robot& r, const PeerState& s) { return force(s, r.tau); };

  add(
      peer, A::kinematics, "mj_kinematics, comPos, comVel", robot,
      [](Robot& r, const PeerState& s) {
        r.positions(s);
        r.velocities(s);
      },
      [](const Robot& r, const PeerState&) { return kinematics(r); });
  add(
      peer, A::inverse_dynamics, "kinematics, mj_rne(1)", robot,
      [](Robot& r, const PeerState& s) {
        r.positions(s);
        r.velocities(s);
        std::copy(s.a.data(), s.a.data() + r.m->nv, r.d->qacc);
        mj_rne(r.m, r.d, 1, r.tau.data());
      },
      tau);
  add(
      peer, A::bias, "kinematics, mj_rne(0)", robot,
      [](Robot& r, const PeerState& s) {
        r.positions(s);
        r.velocities(s);
        mj_rne(r.m, r.d, 0, r.tau.data());
      },
      [](Robot& r, const PeerState& s) {
        mj_crb(r.m, r.d);
        return bias(s, r.tau, full_mass_matrix(r));
      });
  add(
      peer, A::mass_matrix, "mj_kinematics, comPos, crb; sparse", robot,
      [](Robot& r, const PeerState& s) {
        r.positions(s);
        mj_crb(r.m, r.d);
      },
      [](const Robot& r, const PeerState& s) { return matrices(s, {full_mass_matrix(r)}); });
  add(
      peer, A::forward_dynamics, "kinematics, crb, factorM, rne, solveM", robot,
      [](Robot& r, const PeerState& s) {
        r.positions(s);
        r.factor();
        r.velocities(s);
        mj_rne(r.m, r.d, 0, r.tau.data());
        r.tau = s.tau - r.tau;
        mj_solveM(r.m, r.d, r.a.data(), r.tau.data(), 1);
      },
      [](const Robot& r, const PeerState& s) { return acceleration(s, r.a); });
  add(
      peer, A::inverse_mass, "mj_crb, factorM, solveM of the identity", robot,
      [](Robot& r, const PeerState& s) {
        r.positions(s);
        r.factor();
        mj_solveM(r.m, r.d, r.inverse.data(), r.identity.data(), r.m->nv);
      },
      [](const Robot& r, const PeerState& s) { return matrices(s, {r.inverse}); });
  add(
      peer, A::frame_jacobian, "mj_kinematics, comPos, jacBody", robot,
      [](Robot& r, const PeerState& s) {
        r.positions(s);
        mj_jacBody(r.m, r.d, r.of_point.data(), r.turning.data(), r.m->nbody - 1);
      },
      [](const Robot& r, const PeerState& s) {
        return columns(s, {r.turning, r.of_point});
      });
  add(
      peer, A::center_of_mass, "mj_kinematics, comPos", robot, [](Robot& r, const PeerState& s) { r.positions(s); },
      [](const Robot& r, const PeerState&) { return numbers(Eigen::Map<Vector3d>(r.d->subtree_com)); });
  add(
      peer, A::com_jacobian, "mj_kinematics, comPos, jacSubtreeCom", robot,
      [](Robot& r, const PeerState& s) {
        r.positions(s);
        mj_jacSubtreeCom(r.m, r.d, r.of_point.data(), 0);
      },
      [](const Robot& r, const PeerState& s) { return columns(s, {r.of_point}); });
  add(
      peer, A::momentum, "kinematics, mj_subtreeVel", robot,
      [](Robot& r, const PeerState& s) {
        r.positions(s);
        r.velocities(s);
        mj_subtreeVel(r.m, r.d);
      },
      [](const Robot& r, const PeerState&) {
        std::vector<double> result;
        append(result, Eigen::Map<const Vector3d>(r.d->subtree_angmom));
        append(result, r.m->body_subtreemass[0] * Eigen::Map<const Vector3d>(r.d->subtree_linvel));
        return result;
      });
  add(
      peer, A::energies, "mj_kinematics, comPos, crb, energyPos, energyVel", robot,
      [](Robot& r, const PeerState& s) {
        r.positions(s);
        mj_crb(r.m, r.d);
        std::copy(s.v.data(), s.v.data() + r.m->nv, r.d->qvel);
        mj_energyPos(r.m, r.d);
        mj_energyVel(r.m, r.d);
      },
      [](const Robot& r, const PeerState&) {
        return std::vector<double>{r.d->energy[1], r.d->energy[0]};
      });
  // In other libraries the base moves along a screw; in MuJoCo it rotates about its origin.
  if (!mechanism.floats())
    add(
        peer, A::integration, "mj_integratePos", robot,
        [](Robot& r, const PeerState& s) {
          r.q = s.q;
          mj_integratePos(r.m, r.q.data(), s.v.data(), 1);
        },
        [](const Robot& r, const PeerState&) { return numbers(r.q); });
  return peer;
}

}  // namespace compare
