// A user-defined joint: a cam that turns by q and, guided by an eccentric, slides by r sin q meanwhile. Prints the pose
// and the dynamics of a two-link mechanism with this joint, and checks C v = bias - gravity and C + C^T = dM/dt.

#include <corio/corio.hpp>
#include <iostream>

// A joint is a class with the members below (see JointModel in corio/joints/joint_model.hpp). They are templates on the
// scalar, so that the joint serves models over float, complex or autodiff scalars too. VectorSpace<1> brings the
// members of the configuration space: q is one plain number and v its rate.
class Cam : public corio::joint::VectorSpace<1> {
 public:
  static constexpr const char* type = "cam";
  explicit Cam(double eccentricity) : r_(eccentricity) {}

  // A T(q): turn about z by q, slide along the joint frame's x by r sin q.
  template <class S>
  corio::Pose<S> compose(const corio::Pose<S>& A, const S* q) const {
    using std::sin;
    return A * corio::Pose<S>{corio::rotation_z(q[0]), {S(r_) * sin(q[0]), S(0), S(0)}};
  }

  // Twist of the child per unit of v, in the child's axes: T^-1 dT/dq. X converts it to the axes that the algorithm
  // needs.
  template <class S>
  void columns(const corio::Pose<S>& X, const S* q, corio::Motion<S>* phi) const {
    using std::cos, std::sin;
    const S c = cos(q[0]), s = sin(q[0]), r = S(r_);
    phi[0] = X.act(corio::Motion<S>{{S(0), S(0), S(1)}, {r * c * c, -r * c * s, S(0)}});
  }

  // The time derivative of this twist in the child's axes. Only joints whose column depends on q have this member.
  template <class S>
  void column_rates(const corio::Pose<S>& X, const S* q, const S* v, corio::Motion<S>* rates) const {
    using std::cos, std::sin;
    const S c = cos(q[0]), s = sin(q[0]), r = S(r_);
    rates[0] =
        X.act(corio::Motion<S>{{S(0), S(0), S(0)}, {S(-2) * r * c * s * v[0], r * (s * s - c * c) * v[0], S(0)}});
  }

 private:
  double r_;
};

int main() {
  using corio::Matrix3, corio::Vector3;
  // Throws if pose, columns and rates contradict each other. Without NDEBUG the builder checks this, too.
  corio::joint::check_joint(Cam(0.1));
  const Matrix3<double> inertia = Vector3<double>(0.02, 0.03, 0.04).asDiagonal();

  corio::ModelBuilder<double> builder("cam_and_arm");
  builder.set_gravity({0, -9.81, 0});  // in the plane of the cam
  builder.add_body({.name = "cam", .joint = Cam(0.1), .inertia = {2.0, {0.05, 0, 0}, inertia}});
  builder.add_body({.name = "arm",
                    .parent = "cam",
                    .joint = corio::joint::Revolute::x(),
                    .placement = {Matrix3<double>::Identity(), {0.3, 0, 0}},
                    .inertia = {1.0, {0, 0.2, 0.1}, inertia}});
  const corio::Model<double> model = builder.build();
  corio::Data<double> data(model);

  const Eigen::Vector2d q(0.6, -0.4), v(1.5, -2.0);
  const auto& [C, M, Mdot] = corio::coriolis_matrix(model, data, q, v);
  const auto pose = corio::body_pose(model, data, model.body("cam"));
  const Eigen::VectorXd bias = corio::nonlinear_effects(model, data, q, v);
  const Eigen::VectorXd gravity = corio::generalized_gravity(model, data, q);
  constexpr double h = 1e-5;
  const Eigen::MatrixXd M_ahead = corio::crba(model, data, q + h * v), M_behind = corio::crba(model, data, q - h * v);

  std::cout << "joint of type " << model.joint("cam_joint").type() << " at q = " << q[0] << " rad\n"
            << "T (rotation | position of the cam in the world)\n"
            << (Eigen::Matrix<double, 3, 4>() << pose.rotation, pose.translation).finished() << "\n"
            << "M\n"
            << M << "\ndM/dt\n"
            << Mdot << "\n"
            << "C v        " << (C * v).transpose() << "\n"
            << "bias - g   " << (bias - gravity).transpose() << "\n";

  const double velocity_error = (C * v - (bias - gravity)).norm();
  const double rate_error = (C + C.transpose() - (M_ahead - M_behind) / (2 * h)).norm();
  std::cout << "errors: C v = bias - g " << velocity_error << ", C + C^T = dM/dt " << rate_error << "\n";
  return velocity_error < 1e-12 && rate_error < 1e-8 ? 0 : 1;
}
