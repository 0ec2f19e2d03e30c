#include <numbers>

#include <Eigen/Geometry>

#include "corio/corio.hpp"
#include "corio/interop.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;
using Eigen::AngleAxisd;

namespace {

using Converter = interop::Conversion<double>;

/// Joints whose convention differs in some library, and some others; siblings are not in alphabetical order.
Model<double> robot() {
  ModelBuilder<double> builder("robot");
  const auto add = [&](const char* name, const char* parent, const joint::JointSpec<double>& joint,
                       JointLimits limits = {}) {
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = joint,
                      .placement = {rotation_z(0.3), {0.1, 0.2, -0.1}},
                      .inertia = {1.0, {0.1, 0.05, -0.2}, Vector3<double>(0.1, 0.2, 0.25).asDiagonal()},
                      .joint_name = name,
                      .limits = std::move(limits)});
  };
  builder.add_body({.name = "root", .joint = joint::FreeFlyer{}, .inertia = ball(3.0), .joint_name = "root"});
  add("right", "root", joint::Revolute({1, 2, 3}));
  add("cart", "right", joint::Planar({0, 1, 1}));
  add("left", "root", joint::Spherical{});
  add("hand", "left", joint::Spherical{});
  add("elbow", "left", joint::Revolute::y(), {.lower = {-1}, .upper = {1}});
  add("cam", "elbow", Cam(0.2));
  add("cross", "cam", joint::Universal{});
  add("screw", "cam", joint::Helical({0, 0, 1}, 0.2));
  add("slide", "screw", joint::Translation{});
  return builder.build();
}

std::vector<Converter> converters(const Model<double>& model) {
  return {interop::Conversion(model, interop::pinocchio), interop::Conversion(model, interop::rbdl),
          interop::Conversion(model, interop::drake), interop::Conversion(model, interop::mujoco),
          interop::Conversion(model, interop::idyntree)};
}

struct Scene {
  explicit Scene(int seed) : model(robot()), data(model) {
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    q = random_configuration(model, generator);
    const int n = model.nv();
    v = random_vector<double>(n, seed), a = random_vector<double>(n, seed + 1),
    tau = random_vector<double>(n, seed + 2);
  }
  Model<double> model;
  Data<double> data;
  Vectord q, v, a, tau;
};

/// A body on one joint whose frame is the world's, in a state, with its pose and twist.
struct Alone {
  explicit Alone(const joint::JointSpec<double>& joint) : model(one(joint)), data(model) {
    std::mt19937 generator(5);
    q = random_configuration(model, generator), v = random_vector<double>(model.nv(), 6);
    forward_kinematics(model, data, q, v);
    pose = body_pose(model, data, model.bodies()[0]);
    own = body_velocity(model, data, model.bodies()[0], ReferenceFrame::body);
    world = body_velocity(model, data, model.bodies()[0], ReferenceFrame::world_aligned);
    x = pose.translation;
    const Eigen::Quaterniond turn(Matrix3<double>(pose.rotation));
    xyz = turn.vec(), w = turn.w();
    // Chooses the same one of the two quaternions as q.
    if (model.nq() - model.nv() == 1 && q[model.nq() - 1] * w < 0) xyz = -xyz, w = -w;
  }
  static Model<double> one(const joint::JointSpec<double>& joint) {
    ModelBuilder<double> builder("alone");
    builder.add_body({.name = "body", .joint = joint, .inertia = ball()});
    return builder.build();
  }
  Model<double> model;
  Data<double> data;
  Vectord q, v;
  Pose<double> pose;
  corio::Motion<double> own, world;
  Vector3<double> x, xyz;
  double w;
};

template <class... Parts>
Vectord stacked(const Parts&... parts) {
  std::vector<double> all;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>)
      all.push_back(part);
    else
      for (Eigen::Index i = 0; i < part.size(); ++i) all.push_back(part[i]);
  };
  (add(parts), ...);
  return Eigen::Map<Vectord>(all.data(), static_cast<Eigen::Index>(all.size()));
}

}  // namespace

TEST_CASE("all that goes to a neighbour comes back", "[interop]") {
  Scene s(GENERATE(1, 2, 3));
  const Matrixd M = crba(s.model, s.data, s.q), J = Matrixd::Random(6, s.model.nv()), J3 = J.topRows(3);
  for (const Converter& c : converters(s.model)) {
    // Quaternions are compared up to their sign, angles up to full turns.
    const Vectord back = difference<double>(s.model, s.q, c.q_from(c.q_to(s.q)));
    for (const Joint& joint : s.model.joints())
      for (int k = joint.v_index(); k < joint.v_index() + joint.nv(); ++k)
        CHECK(std::abs(std::remainder(back[k], joint.type() == "revolute" ? 2 * std::numbers::pi : 1e9)) < 1e-12);
    CHECK(relative_error(c.v_from(s.q, c.v_to(s.q, s.v)), s.v) < tolerance<double>());
    CHECK(relative_error(c.a_from(s.q, s.v, c.a_to(s.q, s.v, s.a)), s.a) < tolerance<double>());
    CHECK(relative_error(c.tau_from(s.q, c.tau_to(s.q, s.tau)), s.tau) < tolerance<double>());
    CHECK(relative_error(c.M_from(s.q, c.M_to(s.q, M)), M) < tolerance<double>());
    CHECK(relative_error(c.jacobian_from(s.q, c.jacobian_to(s.q, J)), J) < tolerance<double>());
    CHECK(relative_error(c.jacobian_from(s.q, c.jacobian_to(s.q, J3)), J3) < tolerance<double>());
    const auto V = Motion<double>::from(s.v.head<6>());
    const auto F = Force<double>::from(s.tau.head<6>());
    CHECK(c.twist_from(c.twist_to(V)).vector() == V.vector());
    CHECK(c.wrench_to(F).dot(c.twist_to(V)) == Approx(F.vector().dot(V.vector())));
  }
}

TEST_CASE("power, energy and what a Jacobian makes of v are the same for both", "[interop]") {
  Scene s(GENERATE(1, 2, 3));
  const Matrixd M = crba(s.model, s.data, s.q), J = Matrixd::Random(6, s.model.nv());
  for (const Converter& c : converters(s.model)) {
    const Vectord v = c.v_to(s.q, s.v);
    CHECK(relative_error(c.tau_to(s.q, s.tau).dot(v), s.tau.dot(s.v), 10.0) < tolerance<double>());
    CHECK(relative_error(v.dot(c.M_to(s.q, M) * v), s.v.dot(M * s.v), 100.0) < tolerance<double>());
    const Vector6<double> twist = c.jacobian_to(s.q, J) * v, ours = J * s.v;
    CHECK(relative_error(c.twist_from(twist).vector(), ours) < tolerance<double>());
  }
}

TEST_CASE("C of a neighbour is that of its equations of motion, and Mdot the rate of its M", "[interop]") {
  // Takes central differences as below.
  Scene s(GENERATE(1, 2, 3));
  constexpr double h = 1e-5;
  const auto [C, M, Mdot] = coriolis_matrix(s.model, s.data, s.q, s.v);
  const Vectord tau = rnea(s.model, s.data, s.q, s.v, s.a), g = generalized_gravity(s.model, s.data);
  for (const Converter& c : converters(s.model)) {
    const Matrixd theirs = c.C_to(s.q, s.v, M, C), M_theirs = c.M_to(s.q, M), rate = c.Mdot_to(s.q, s.v, M, Mdot);
    const Vectord force = M_theirs * c.a_to(s.q, s.v, s.a) + theirs * c.v_to(s.q, s.v) + c.tau_to(s.q, g);
    CHECK(relative_error(force, c.tau_to(s.q, tau)) < tolerance<double>());
    CHECK(relative_error(rate, Matrixd(theirs + theirs.transpose())) < tolerance<double>());
    const auto at = [&](double t) -> Matrixd {
      const Vectord q = integrate<double>(s.model, s.q, t * s.v);
      return c.M_to(q, crba(s.model, s.data, q));
    };
    CHECK(relative_error(rate, (at(h) - at(-h)) / (2 * h)) < 1e-8);
    CHECK(relative_error(c.C_from(s.q, s.v, M, theirs), C) < tolerance<double>());
    CHECK(relative_error(c.Mdot_from(s.q, s.v, M, rate), Mdot) < tolerance<double>());
  }
}

TEST_CASE("accelerations are the rates of velocities, by differences", "[interop]") {
  // With h = 1e-5, h^2 and eps / h are 1e-10 and 2e-11, times rates of some tens.
  Scene s(GENERATE(1, 2, 3));
  constexpr double h = 1e-5;
  for (const Converter& c : converters(s.model)) {
    const auto at = [&](double t) -> Vectord {
      return c.v_to(integrate<double>(s.model, s.q, t * s.v), s.v + t * s.a);
    };
    CHECK(relative_error(c.a_to(s.q, s.v, s.a), (at(h) - at(-h)) / (2 * h)) < 1e-8);
  }
}

TEST_CASE("a floating base is what each neighbour documents", "[interop]") {
  const Alone b(joint::FreeFlyer{});
  const auto check = [&](const Converter& c, const Vectord& q, const Vectord& v) {
    CHECK(relative_error(c.q_to(b.q), q) < tolerance<double>());
    CHECK(relative_error(c.v_to(b.q, b.v), v) < tolerance<double>());
  };
  check(interop::Conversion(b.model, interop::pinocchio), stacked(b.x, b.xyz, b.w),
        stacked(b.own.linear, b.own.angular));
  check(interop::Conversion(b.model, interop::rbdl), stacked(b.x, b.xyz, b.w), stacked(b.world.linear, b.own.angular));
  check(interop::Conversion(b.model, interop::drake), stacked(b.w, b.xyz, b.x),
        stacked(b.world.angular, b.world.linear));
  check(interop::Conversion(b.model, interop::mujoco), stacked(b.x, b.w, b.xyz),
        stacked(b.world.linear, b.own.angular));
}

TEST_CASE("a ball joint is what each neighbour documents", "[interop]") {
  const Alone b(joint::Spherical{});
  const auto check = [&](const Converter& c, const Vectord& q, const Vector3<double>& v) {
    CHECK(relative_error(c.q_to(b.q), q) < tolerance<double>());
    CHECK(relative_error(c.v_to(b.q, b.v), v) < tolerance<double>());
  };
  check(interop::Conversion(b.model, interop::pinocchio), stacked(b.xyz, b.w), b.own.angular);
  check(interop::Conversion(b.model, interop::rbdl), stacked(b.xyz, b.w), b.own.angular);
  check(interop::Conversion(b.model, interop::mujoco), stacked(b.w, b.xyz), b.own.angular);
  const interop::Conversion to_drake(b.model, interop::drake);
  const Vectord rpy = to_drake.q_to(b.q);
  REQUIRE(rpy.size() == 3);
  const Matrix3<double> R =
      (AngleAxisd(rpy[2], Vector3<double>::UnitZ()) * AngleAxisd(rpy[1], Vector3<double>::UnitY()) *
       AngleAxisd(rpy[0], Vector3<double>::UnitX()))
          .toRotationMatrix();
  CHECK(relative_error(R, Matrix3<double>(b.pose.rotation)) < tolerance<double>());
  CHECK(relative_error(to_drake.v_to(b.q, b.v), b.world.angular) < tolerance<double>());
}

TEST_CASE("a planar joint is what each neighbour documents", "[interop]") {
  const Alone b(joint::Planar{});
  const double angle = std::atan2(b.pose.rotation(1, 0), b.pose.rotation(0, 0)), rate = b.own.angular[2];
  const interop::Conversion to_pinocchio(b.model, interop::pinocchio);
  CHECK(relative_error(to_pinocchio.q_to(b.q), stacked(b.x.head<2>(), std::cos(angle), std::sin(angle))) < 1e-12);
  CHECK(relative_error(to_pinocchio.v_to(b.q, b.v), stacked(b.own.linear.head<2>(), rate)) < 1e-12);
  for (const Converter& c :
       {Converter(b.model, interop::rbdl), Converter(b.model, interop::drake), Converter(b.model, interop::mujoco)}) {
    CHECK(relative_error(c.q_to(b.q), stacked(b.x.head<2>(), angle)) < 1e-12);
    CHECK(relative_error(c.v_to(b.q, b.v), stacked(b.world.linear.head<2>(), rate)) < 1e-12);
  }
}

TEST_CASE("a revolute joint without limits is a circle for Pinocchio alone", "[interop]") {
  const Alone b(joint::Revolute::y());
  CHECK(relative_error(interop::Conversion(b.model, interop::pinocchio).q_to(b.q),
                       stacked(std::cos(b.q[0]), std::sin(b.q[0]))) < 1e-15);
  CHECK(interop::Conversion(b.model, interop::rbdl).q_to(b.q) == b.q);
  CHECK(interop::Conversion(b.model, interop::drake).q_to(b.q) == b.q);
  CHECK(interop::Conversion(b.model, interop::mujoco).v_to(b.q, b.v) == b.v);
}

TEST_CASE("joints stand in the neighbour's order, and w at the end of q for RBDL", "[interop]") {
  Scene s(1);
  const std::vector<std::string> alphabetical{"root",  "left",  "elbow", "cam",   "cross",
                                              "screw", "slide", "hand",  "right", "cart"},
      ours{"root", "right", "cart", "left", "hand", "elbow", "cam", "cross", "screw", "slide"};
  CHECK(interop::Conversion(s.model, interop::pinocchio).order() == alphabetical);
  CHECK(interop::Conversion(s.model, interop::mujoco).order() == ours);
  const interop::Conversion to_rbdl(s.model, interop::rbdl);
  const Vectord q = to_rbdl.q_to(s.q);
  // The planar joint has three numbers instead of four; the order is root, left, hand.
  REQUIRE(q.size() == s.model.nv() + 3);
  CHECK(q[s.model.nv()] == s.q[s.model.joint("root").q_index() + 6]);
  CHECK(q[s.model.nv() + 1] == s.q[s.model.joint("left").q_index() + 3]);
  CHECK(q[s.model.nv() + 2] == s.q[s.model.joint("hand").q_index() + 3]);
  CHECK(q.segment<3>(6) == s.q.segment<3>(s.model.joint("left").q_index()));

  const interop::Conversion mixed(s.model, interop::mujoco, alphabetical);
  CHECK(mixed.v_to(s.q, s.v)[9] == s.v[s.model.joint("elbow").v_index()]);
}

TEST_CASE("wrong orders and sizes are rejected by name", "[interop][errors]") {
  Scene s(1);
  const auto rejected = [&](std::vector<std::string> order) {
    return message_of<ModelError>([&] { interop::Conversion(s.model, interop::drake, std::move(order)); });
  };
  CHECK(mentions(rejected({"root", "left", "left"}), {"drake", "'left'", "twice"}));
  CHECK(mentions(rejected({"root", "left"}), {"lacks", "'right'"}));
  CHECK(mentions(rejected({"root", "tail"}), {"'tail'"}));
}

TEST_CASE("every argument of every conversion is checked, under its own name and that of the function",
          "[interop][errors]") {
  Scene s(1);
  const int n = s.model.nv();
  const interop::Conversion c(s.model, interop::idyntree);  // its q has as many numbers as ours
  REQUIRE(c.nq() == s.model.nq());
  struct Arguments {
    Vectord q, v, x;
    Matrixd M, X;
  };
  const Arguments right{s.q, s.v, s.a, Matrixd::Identity(n, n), Matrixd::Identity(n, n)};
  using A = const Arguments&;
  using Vectors = std::vector<std::pair<std::string, Vectord Arguments::*>>;
  using Matrices = std::vector<std::pair<std::string, Matrixd Arguments::*>>;
  const Vectors q{{"q", &Arguments::q}}, qv{{"q", &Arguments::q}, {"v", &Arguments::v}};
  const auto rejects = [&](const std::string& function, const Vectors& vectors, const Matrices& matrices, auto&& call) {
    const auto check = [&](A wrong, const std::string& found) {
      CAPTURE(function, found);
      CHECK(message_of<SizeError>([&] { call(wrong); }).rfind(function + ": " + found + ", expected ", 0) == 0);
    };
    for (const int change : {-n, 2 - n, -1, 1}) {
      for (const auto& [name, member] : vectors) {
        Arguments wrong = right;
        (wrong.*member).setOnes((right.*member).size() + change);
        check(wrong, name + " has size " + std::to_string((wrong.*member).size()));
      }
      for (const auto& [name, member] : matrices)
        for (const int rows : {n, n + change})
          for (const int cols : {n, n + change}) {
            if (cols == n && (rows == n || name == "J")) continue;  // a Jacobian has any number of rows
            Arguments wrong = right;
            (wrong.*member).setOnes(rows, cols);
            check(wrong, name + " is " + std::to_string(rows) + " x " + std::to_string(cols));
          }
    }
  };
  const auto both = [](Vectors vectors, const char* x) {
    vectors.push_back({x, &Arguments::x});
    return vectors;
  };
  rejects("q_to", q, {}, [&](A a) { c.q_to(a.q); });
  rejects("q_from", q, {}, [&](A a) { c.q_from(a.q); });
  rejects("v_to", both(q, "v"), {}, [&](A a) { c.v_to(a.q, a.x); });
  rejects("v_from", both(q, "v"), {}, [&](A a) { c.v_from(a.q, a.x); });
  rejects("a_to", both(qv, "a"), {}, [&](A a) { c.a_to(a.q, a.v, a.x); });
  rejects("a_from", both(qv, "a"), {}, [&](A a) { c.a_from(a.q, a.v, a.x); });
  rejects("tau_to", both(q, "tau"), {}, [&](A a) { c.tau_to(a.q, a.x); });
  rejects("tau_from", both(q, "tau"), {}, [&](A a) { c.tau_from(a.q, a.x); });
  rejects("M_to", q, {{"M", &Arguments::X}}, [&](A a) { c.M_to(a.q, a.X); });
  rejects("M_from", q, {{"M", &Arguments::X}}, [&](A a) { c.M_from(a.q, a.X); });
  rejects("jacobian_to", q, {{"J", &Arguments::X}}, [&](A a) { c.jacobian_to(a.q, a.X); });
  rejects("jacobian_from", q, {{"J", &Arguments::X}}, [&](A a) { c.jacobian_from(a.q, a.X); });
  const Matrices M_and_C{{"M", &Arguments::M}, {"C", &Arguments::X}},
      M_and_Mdot{{"M", &Arguments::M}, {"Mdot", &Arguments::X}};
  rejects("C_to", qv, M_and_C, [&](A a) { c.C_to(a.q, a.v, a.M, a.X); });
  rejects("C_from", qv, M_and_C, [&](A a) { c.C_from(a.q, a.v, a.M, a.X); });
  rejects("Mdot_to", qv, M_and_Mdot, [&](A a) { c.Mdot_to(a.q, a.v, a.M, a.X); });
  rejects("Mdot_from", qv, M_and_Mdot, [&](A a) { c.Mdot_from(a.q, a.v, a.M, a.X); });
}
