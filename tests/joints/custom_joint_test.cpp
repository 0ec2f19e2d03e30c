#include <complex>

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/core/dual.hpp"
#include "corio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

using ComplexNumber = std::complex<double>;

static_assert(joint::JointModel<Cam, float>);
static_assert(joint::JointModel<Cam, double>);
static_assert(joint::JointModel<Cam, ComplexNumber>);
static_assert(!joint::JointModel<Vector3<double>, double>);

/// Rx(q0) Ry(q1) as one joint of two degrees of freedom: joint::Universal does the same with two cells.
class OnePieceUniversal : public joint::VectorSpace<2> {
 public:
  static constexpr const char* type = "one_piece_universal";

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return A * Pose<S>{rotation_x(q[0]) * rotation_y(q[1]), Vector3<S>::Zero()};
  }
  template <class S>
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    using std::cos, std::sin;
    phi[0] = X.act(Motion<S>{{cos(q[1]), S(0), sin(q[1])}, Vector3<S>::Zero()});
    phi[1] = X.act(Motion<S>{{S(0), S(1), S(0)}, Vector3<S>::Zero()});
  }
  template <class S>
  void column_rates(const Pose<S>& X, const S* q, const S* v, Motion<S>* rates) const {
    using std::cos, std::sin;
    rates[0] = X.act(Motion<S>{{-sin(q[1]) * v[1], S(0), cos(q[1]) * v[1]}, Vector3<S>::Zero()});
    rates[1] = Motion<S>::zero();
  }
};

/// A revolute joint about z without the members of the library's own joints.
class PlainHinge : public joint::VectorSpace<1> {
 public:
  static constexpr const char* type = "plain_hinge";
  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return A * Pose<S>{rotation_z(q[0]), Vector3<S>::Zero()};
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = X.act(Motion<S>{{S(0), S(0), S(1)}, Vector3<S>::Zero()});
  }
};

/// Builds a branched tree on the three joints given, with all axes and placements oblique. Its coordinates have dq/dt =
/// v.
template <class S, class J>
Model<S> branched(const J& first, const J& second, const J& third) {
  Random<double> random(11);
  ModelBuilder<S> builder("branched");
  const auto add = [&](const char* name, Parent parent, joint::JointSpec<S> joint) {
    const Pose<double> placement = random.pose();
    const InertialParameters<double> inertia(random.inertia());
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = joint,
                      .placement = placement.template cast<S>(),
                      .inertia = inertia.template cast<S>()});
  };
  add("base", {}, first);
  add("slider", "base", joint::Prismatic(Vector3<double>(1, 2, -1)));
  add("left", "slider", second);
  add("elbow", "left", joint::Helical(Vector3<double>(0, 1, 2), 0.2));
  add("right", "base", third);
  builder.set_gravity({S(1), S(-2), S(-9)});
  return builder.build();
}
template <class S>
Model<S> cams() {
  return branched<S>(Cam(0.4), Cam(-0.7), Cam(0.2));
}

/// Kinetic energy v^T M v / 2 and gravity dU/dq from poses alone: each pose is differentiated by the complex step, M_ij
/// = sum over bodies of tr(dT_i J dT_j^T), U = - sum of m g . c.
struct Energies {
  MatrixX<double> M;
  VectorX<double> gravity;
};
Energies energies(const Model<double>& model, const Model<ComplexNumber>& twin, const VectorX<double>& q) {
  const int n = model.nv();
  constexpr double h = 1e-30;
  std::vector<std::vector<Pose<ComplexNumber>>> moved;
  for (int k = 0; k < n; ++k) {
    VectorX<ComplexNumber> qk = q.cast<ComplexNumber>();
    qk[k] += ComplexNumber(0, h);
    moved.push_back(node_poses(twin, qk));
  }
  Energies result{MatrixX<double>::Zero(n, n), VectorX<double>::Zero(n)};
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Matrix4<double> J = pseudo_inertia(model.node(b).inertia);
    const auto rate = [&](int k) -> Matrix4<double> {
      return homogeneous(moved[static_cast<std::size_t>(k)][static_cast<std::size_t>(b)]).imag() / h;
    };
    const Eigen::Vector4d g(model.gravity()[0], model.gravity()[1], model.gravity()[2], 0);
    for (int i = 0; i < n; ++i) {
      result.gravity[i] -= g.dot(rate(i) * J.col(3));
      for (int j = 0; j < n; ++j) result.M(i, j) += (rate(i) * J * rate(j).transpose()).trace();
    }
  }
  return result;
}

TEST_CASE("the column of the cam is the derivative of its pose, by complex step", "[joints][custom]") {
  const auto q = random_configuration_of<double>(Cam(), 1);
  constexpr double h = 1e-30;
  VectorX<ComplexNumber> moved = q.cast<ComplexNumber>();
  moved[0] += ComplexNumber(0, h);
  const Matrix4<double> rate = homogeneous(pose_of(Cam(), moved)).imag() / h;
  const Matrix4<double> twist = hat(Motion<double>::from(columns_of(Cam(), q).col(0)));
  CHECK(relative_error(rate, homogeneous(pose_of(Cam(), q)) * twist) < tolerance<double>());
}

TEST_CASE("the column rate of the cam is the derivative of its column in body axes, by complex step",
          "[joints][custom]") {
  const auto q = random_configuration_of<double>(Cam(), 2);
  const double v = -1.7;
  constexpr double h = 1e-30;
  VectorX<ComplexNumber> moved = q.cast<ComplexNumber>();
  moved[0] += ComplexNumber(0, h * v);
  const Vector6<double> expected = columns_of(Cam(), moved).imag() / h;
  Motion<double> rate;
  Cam().column_rates(Pose<double>::identity(), q.data(), &v, &rate);
  CHECK(relative_error(rate.vector(), expected) < tolerance<double>());
}

TEST_CASE("a user's joint goes through ModelBuilder like a built-in one", "[joints][custom]") {
  const auto model = cams<double>();
  CHECK(model.nq() == 5);
  CHECK(model.nv() == 5);
  CHECK(model.joint("left_joint").type() == "cam");
  CHECK(model.joint("left_joint").nq() == 1);
  CHECK(model.joint("left_joint").v_index() == 2);
}

TEST_CASE("a user's joint of two degrees of freedom has two indices", "[joints][custom]") {
  const OnePieceUniversal u;
  const auto model = branched<double>(u, u, u);
  CHECK(model.nv() == 8);
  CHECK(model.v_indices({"right_joint", "base_joint"}) == std::vector<int>{6, 7, 0, 1});
}

TEST_CASE("the pose of a body on a user's joint is that of its placement and the joint", "[joints][custom]") {
  ModelBuilder<double> builder;
  const Pose<double> placement = Random<double>(5).pose();
  builder.add_body({.name = "body", .joint = Cam(0.5), .placement = placement, .inertia = ball()});
  const auto model = builder.build();
  const auto q = random_q(model, 1);
  const Pose<double> expected = placement * Pose<double>{rotation_z(q[0]), {0.5 * std::sin(q[0]), 0.0, 0.0}};
  CHECK(relative_error(frame_pose(model, q, model.body("body")), expected) < tolerance<double>());
}

TEST_CASE("a joint with column_rates says that its axes move", "[joints][custom]") {
  const auto cell = joint::JointSpec<double>(Cam()).chain[0].joint;
  const double q = 0.3, v = 2.0;
  Motion<double> rate = Motion<double>::zero(), expected = rate;
  Cam().column_rates(Pose<double>::identity(), &q, &v, &expected);
  REQUIRE(cell.has_column_rates());
  cell.custom()->column_rates(Pose<double>::identity(), &q, &v, &rate);
  CHECK(rate.vector() == expected.vector());
}

TEST_CASE("a joint without column_rates says that its axes are fixed", "[joints][custom]") {
  CHECK_FALSE(joint::JointSpec<double>(PlainHinge()).chain[0].joint.has_column_rates());
  CHECK_FALSE(joint::JointSpec<double>(joint::FreeFlyer()).chain[0].joint.has_column_rates());
}

TEST_CASE("M with moving axes is the kinetic energy found from poses", "[joints][custom][dynamics]") {
  const auto model = cams<double>();
  const auto twin = cams<ComplexNumber>();
  Data<double> data(model);
  const int seed = GENERATE(range(1, 6));
  CAPTURE(seed);
  const auto q = random_q(model, seed);
  CHECK(relative_error(crba(model, data, q), energies(model, twin, q).M) < tolerance<double>());
}

TEST_CASE("gravity with moving axes is the gradient of the potential energy found from poses",
          "[joints][custom][dynamics]") {
  const auto model = cams<double>();
  Data<double> data(model);
  const auto q = random_q(model, 6);
  const auto expected = energies(model, cams<ComplexNumber>(), q).gravity;
  CHECK(relative_error(generalized_gravity(model, data, q), expected) < tolerance<double>());
}

TEST_CASE("C + C^T with moving axes is the rate of M found from poses", "[joints][custom][dynamics]") {
  const auto model = cams<double>();
  const auto twin = cams<ComplexNumber>();
  Data<double> data(model);
  const int seed = GENERATE(range(1, 6));
  CAPTURE(seed);
  const auto q = random_q(model, seed);
  const auto v = random_vector<double>(model.nv(), seed);
  const auto& [C, M, Mdot] = coriolis_matrix(model, data, q, v);
  // The central difference errs by truncation h^2 and rounding eps / h, both about 1e-10.
  constexpr double h = 1e-5;
  const MatrixX<double> expected = (energies(model, twin, q + h * v).M - energies(model, twin, q - h * v).M) / (2 * h);
  CHECK(relative_error(C + C.transpose(), expected) < 1e-8);
  CHECK(relative_error(Mdot, expected) < 1e-8);
  CHECK(relative_error(M, energies(model, twin, q).M) < tolerance<double>());
}

TEST_CASE("bias with moving axes is Lagrange's: Mdot v - grad(v^T M v) / 2 + gravity", "[joints][custom][dynamics]") {
  const auto model = cams<double>();
  const auto twin = cams<ComplexNumber>();
  Data<double> data(model);
  const int seed = GENERATE(range(1, 6));
  CAPTURE(seed);
  const auto q = random_q(model, seed);
  const auto v = random_vector<double>(model.nv(), seed);
  constexpr double h = 1e-5;
  const auto M_rate = [&](const VectorX<double>& direction) -> MatrixX<double> {
    const VectorX<double> ahead = q + h * direction, behind = q - h * direction;
    return (energies(model, twin, ahead).M - energies(model, twin, behind).M) / (2 * h);
  };
  VectorX<double> expected = M_rate(v) * v + energies(model, twin, q).gravity;
  for (int k = 0; k < model.nv(); ++k) expected[k] -= 0.5 * v.dot(M_rate(VectorX<double>::Unit(model.nv(), k)) * v);
  CHECK(relative_error(nonlinear_effects(model, data, q, v), expected) < 1e-8);
}

TEST_CASE("C v with moving axes is bias minus gravity", "[joints][custom][dynamics]") {
  const auto model = cams<double>();
  Data<double> data(model);
  const int seed = GENERATE(range(1, 11));
  CAPTURE(seed);
  const auto q = random_q(model, seed);
  const auto v = random_vector<double>(model.nv(), seed);
  const VectorX<double> bias = nonlinear_effects(model, data, q, v), gravity = generalized_gravity(model, data, q);
  CHECK(relative_error(coriolis_matrix(model, data, q, v).C * v, bias - gravity) < tolerance<double>());
}

TEST_CASE("rnea with moving axes is M a + bias", "[joints][custom][dynamics]") {
  const auto model = cams<double>();
  Data<double> data(model);
  const int seed = GENERATE(range(1, 11));
  CAPTURE(seed);
  const auto q = random_q(model, seed);
  const auto v = random_vector<double>(model.nv(), seed), a = random_vector<double>(model.nv(), seed + 50);
  const VectorX<double> expected = crba(model, data, q) * a + nonlinear_effects(model, data, q, v);
  CHECK(relative_error(rnea(model, data, q, v, a), expected) < tolerance<double>());
}

TEST_CASE("a joint of two moving axes in one piece has the M, C and bias of two cells", "[joints][custom][dynamics]") {
  const OnePieceUniversal piece;
  const joint::Universal cells;
  const auto one = branched<double>(piece, piece, piece), two = branched<double>(cells, cells, cells);
  Data<double> data_one(one), data_two(two);
  const int seed = GENERATE(range(1, 6));
  CAPTURE(seed);
  const auto q = random_q(two, seed);
  const auto v = random_vector<double>(two.nv(), seed);
  const auto& a = coriolis_matrix(one, data_one, q, v);
  const auto& b = coriolis_matrix(two, data_two, q, v);
  CHECK(relative_error(a.M, b.M) < tolerance<double>());
  CHECK(relative_error(a.C, b.C) < tolerance<double>());
  CHECK(relative_error(nonlinear_effects(one, data_one, q, v), nonlinear_effects(two, data_two, q, v)) <
        tolerance<double>());
}

TEST_CASE("a user's hinge has the dynamics of joint::Revolute", "[joints][custom][dynamics]") {
  const PlainHinge hinge;
  const joint::Revolute revolute;
  const auto mine = branched<double>(hinge, hinge, hinge), builtin = branched<double>(revolute, revolute, revolute);
  Data<double> data_mine(mine), data_builtin(builtin);
  const auto q = random_q(builtin, 3);
  const auto v = random_vector<double>(builtin.nv(), 3), a = random_vector<double>(builtin.nv(), 4);
  CHECK(relative_error(rnea(mine, data_mine, q, v, a), rnea(builtin, data_builtin, q, v, a)) < tolerance<double>());
}

namespace {

/// A cam that does not declare how its axis moves.
struct Forgetful : joint::VectorSpace<1> {
  static constexpr const char* type = "forgetful";
  Pose<double> compose(const Pose<double>& A, const double* q) const { return Cam().compose(A, q); }
  void columns(const Pose<double>& X, const double* q, Motion<double>* phi) const { Cam().columns(X, q, phi); }
};

}  // namespace

TEST_CASE("a user's joint with moving axes and no column_rates is rejected by name", "[joints][custom][errors]") {
  const InertialParameters<double> box(1.0, {0.1, 0.2, 0.3}, Matrix3<double>::Identity());
  // Sets the joint without check_joint, which a build with assertions calls when a joint becomes an Any.
  joint::JointSpec<double> any = joint::Fixed{};
  any.type = Forgetful::type;
  any.chain.push_back(
      {identity3<double>(),
       joint::PrimitiveJoint<double>(std::make_shared<const joint::CustomAdapter<double, Forgetful>>(Forgetful{}))});
  ModelBuilder<double> builder;
  builder.add_body({.name = "follower", .joint = any, .inertia = box});
  const std::string message = message_of<ModelError>([&] { builder.build(); });
  CHECK(mentions(message, {"'follower_joint' (forgetful)", "column_rates"}));
}

TEMPLATE_TEST_CASE("a model with users' joints is cast to other scalars", "[joints][custom][cast]",
                   CORIO_TEST_SCALARS(float, double, long double, ComplexNumber)) {
  using S = TestType;
  const auto check = [](const Model<double>& model, const Model<S>& built) {
    const Model<S> cast = model.template cast<S>();
    Data<S> data(cast), expected(built);
    const VectorX<S> q = random_q(model, 1).template cast<S>(),
                     v = random_vector<double>(model.nv(), 2).template cast<S>();
    CHECK(cast.joint("left_joint").type() == model.joint("left_joint").type());
    CHECK(relative_error(nonlinear_effects(cast, data, q, v), nonlinear_effects(built, expected, q, v)) <
          tolerance<S>());
    CHECK(relative_error(coriolis_matrix(cast, data, q, v).C, coriolis_matrix(built, expected, q, v).C) <
          tolerance<S>());
  };
  check(cams<double>(), cams<S>());
  const OnePieceUniversal u;
  check(branched<double>(u, u, u), branched<S>(u, u, u));
}

TEST_CASE("a cast user's joint can be cast back", "[joints][custom][cast]") {
  const auto model = cams<double>();
  const auto there_and_back = model.cast<float>().cast<long double>().cast<double>();
  Data<double> data(model), other(there_and_back);
  const auto q = random_q(model, 1);
  CHECK(relative_error(crba(there_and_back, other, q), crba(model, data, q)) < tolerance<float>());
}
