#include <complex>

#include "joints/built_in.hpp"
#include "support/catch.hpp"

using namespace corio;
using namespace corio::test;
using namespace corio::joint;

using ComplexNumber = std::complex<double>;

/// Returns T(q) in the axes in which the joint was specified, by the chain of primitive joints that the builder adds.
template <class S>
Pose<S> chain_pose(const JointSpec<S>& any, const VectorX<S>& q) {
  Pose<S> X = Pose<S>::identity();
  const S* next = q.data();
  for (const auto& link : any.chain) {
    X = X * Pose<S>{link.axes.template cast<S>(), Vector3<S>::Zero()};
    X = link.joint.compose(X, next);
    next += link.joint.nq();
  }
  return X * Pose<S>{any.tail.template cast<S>(), Vector3<S>::Zero()};
}

/// Returns, for each coordinate of a joint along one axis, its twist in the user's axes.
MatrixX<double> axis_twists(const Vector3<double>& axis, const std::string& type) {
  const Vector6<double> turn = (Vector6<double>() << axis, 0, 0, 0).finished();
  const Vector6<double> slide = (Vector6<double>() << 0, 0, 0, axis).finished();
  if (type == "revolute" || type == "continuous") return turn;
  if (type == "prismatic") return slide;
  if (type == "helical") return turn + 0.3 * slide;
  return (MatrixX<double>(6, 2) << turn, slide).finished();
}

TEMPLATE_TEST_CASE("compose is the product of the frame's pose and the joint's transform", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  const int seed = GENERATE(range(1, 6));
  CAPTURE(seed);
  const auto q = random_configuration_of<S>(joint, seed);
  const Pose<S> A = Random<S>(seed).pose();
  CHECK(relative_error(joint.compose(A, q.data()), A * pose_of(joint, q)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("columns are the body's motion subspace carried to where X leads", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  const int seed = GENERATE(range(1, 6));
  CAPTURE(seed);
  const auto q = random_configuration_of<S>(joint, seed);
  const Pose<S> X = Random<S>(seed).pose();
  CHECK(relative_error(columns_of(joint, q, X), X.motion_matrix() * columns_of(joint, q)) < tolerance<S>());
}

TEST_CASE("columns are the derivative of compose along integrate", "[joints]") {
  const int i = GENERATE(range(0, built_in_joints));
  const auto& joint = built_in<double>(i);
  const auto& over_complex = built_in<ComplexNumber>(i);
  INFO(joint.type);
  const int seed = GENERATE(range(1, 6));
  CAPTURE(seed);
  const auto q = random_configuration_of<double>(joint, seed);
  const auto columns = columns_of(joint, q);
  const Matrix4<double> T = homogeneous(pose_of(joint, q));
  constexpr double h = 1e-30;
  for (int k = 0; k < joint.nv; ++k) {
    CAPTURE(k);
    VectorX<ComplexNumber> dv = VectorX<ComplexNumber>::Zero(joint.nv);
    dv[k] = ComplexNumber(0, h);
    const VectorX<ComplexNumber> moved = integrated<ComplexNumber>(over_complex, q.template cast<ComplexNumber>(), dv);
    const Matrix4<double> rate = homogeneous(pose_of(over_complex, moved)).imag() / h;
    const Matrix4<double> twist = hat(Motion<double>::from(columns.col(k)));
    CHECK(relative_error(rate, T * twist) < tolerance<double>());
  }
}

TEST_CASE("only joints without angular columns say that they only translate", "[joints]") {
  const auto& joint = built_in<double>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  const auto columns = columns_of(joint, random_configuration_of<double>(joint, 1));
  CHECK(joint.any().chain[0].joint.only_translates() == columns.topRows(3).isZero(0));
}

TEMPLATE_TEST_CASE("columns of built-in joints are constant in the body", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  const auto q0 = random_configuration_of<S>(joint, 1), q1 = random_configuration_of<S>(joint, 2);
  CHECK(columns_of(joint, q0) == columns_of(joint, q1));
}

TEST_CASE("axes() is a rotation whose z is the joint's axis", "[joints]") {
  const auto& joint = built_in<double>(GENERATE(range(0, axial_joints)));
  INFO(joint.type);
  const Matrix3<double> R = joint.axes();
  CHECK(relative_error(R.transpose() * R, Matrix3<double>::Identity()) < tolerance<double>());
  CHECK(relative_error(cross<double>(R.col(0), R.col(1)), R.col(2)) < tolerance<double>());
  CHECK(relative_error(R.col(2), oblique_axis()) < tolerance<double>());
}

TEST_CASE("axes() of Planar have the plane's normal as z", "[joints]") {
  const Matrix3<double> R = oblique_joint<Planar>().axes();
  CHECK(relative_error(R.transpose() * R, Matrix3<double>::Identity()) < tolerance<double>());
  CHECK(relative_error(R.col(2), oblique_axis()) < tolerance<double>());
}

TEMPLATE_TEST_CASE("in the user's axes a single-axis joint is the exponential of its axis twist", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, axial_joints)));
  INFO(joint.type);
  const int seed = GENERATE(range(1, 6));
  CAPTURE(seed);
  const auto q = random_configuration_of<S>(joint, seed);
  const Matrix3<S> axes = joint.axes().template cast<S>();
  const Pose<S> turn{axes, Vector3<S>::Zero()};
  const Pose<S> T = turn * pose_of(joint, q) * turn.inverse();
  const Vector6<S> twist = axis_twists(oblique_axis(), joint.type).template cast<S>() * q;
  const Matrix4<S> expected = matrix_exponential(hat(Motion<S>::from(twist)));
  CHECK(relative_error(homogeneous(T), expected) < tolerance<S>());
}

TEMPLATE_TEST_CASE("Planar moves by x, y in its plane and turns about its normal", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto joint = oblique_joint<Planar>();
  const S angle = S(0.8);
  const VectorX<S> q = (VectorX<S>(4) << S(0.3), S(-0.5), std::cos(angle), std::sin(angle)).finished();
  const Pose<S> T = chain_pose<S>(JointSpec<S>(joint), q);
  const Vector3<S> normal = oblique_axis().cast<S>();
  const Matrix3<S> turn = matrix_exponential(skew<S>(angle * normal));
  CHECK(relative_error(T.rotation, turn) < tolerance<S>());
  const Matrix3<S> axes = joint.axes().cast<S>();
  CHECK(relative_error(T.translation, axes * Vector3<S>(S(0.3), S(-0.5), S(0))) < tolerance<S>());
}

TEMPLATE_TEST_CASE("Translation moves by q", "[joints]", CORIO_TEST_SCALARS(double, float)) {
  const VectorX<TestType> q = random_vector<TestType>(3, 1);
  const Pose<TestType> T = pose_of(Translation(), q);
  CHECK(T.rotation == Matrix3<TestType>::Identity());
  CHECK(T.translation == q);
}

TEMPLATE_TEST_CASE("Spherical turns by its quaternion x, y, z, w", "[joints]", CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const Vector3<S> axis = oblique_axis().cast<S>();
  const S angle = S(2.1);
  VectorX<S> q(4);
  q << axis * std::sin(angle / 2), std::cos(angle / 2);
  const Matrix3<S> expected = matrix_exponential(skew<S>(angle * axis));
  CHECK(relative_error(pose_of(Spherical(), q).rotation, expected) < tolerance<S>());
  CHECK(pose_of(Spherical(), q).translation == Vector3<S>::Zero());
}

TEMPLATE_TEST_CASE("FreeFlyer has its position first and its quaternion second", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto q = random_configuration_of<S>(FreeFlyer(), 3);
  const VectorX<S> orientation = q.tail(4);
  CHECK(pose_of(FreeFlyer(), q).translation == q.head(3));
  CHECK(relative_error(pose_of(FreeFlyer(), q).rotation, pose_of(Spherical(), orientation).rotation) < tolerance<S>());
}

TEMPLATE_TEST_CASE("FreeFlyer's speeds are the body-axes twist, angular first", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  const auto q = random_configuration_of<TestType>(FreeFlyer(), 3);
  CHECK(columns_of(FreeFlyer(), q) == Matrix6<TestType>::Identity());
}

TEMPLATE_TEST_CASE("Universal is the product of the exponentials of its two axes", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const Vector3<double> first(0.3, 0.2, -1.0), second(1.0, 0.5, 0.4);  // not orthogonal
  const VectorX<S> q = (VectorX<S>(2) << S(0.7), S(-1.9)).finished();
  const Pose<S> T = chain_pose<S>(JointSpec<S>(Universal(first, second)), q);
  const Vector3<S> w0 = (first.normalized()).cast<S>() * q[0], w1 = (second.normalized()).cast<S>() * q[1];
  const Matrix3<S> R0 = matrix_exponential(skew(w0)), R1 = matrix_exponential(skew(w1));
  CHECK(relative_error(T.rotation, R0 * R1) < tolerance<S>());
  CHECK(T.translation == Vector3<S>::Zero());
}

TEMPLATE_TEST_CASE("the chain of cells handed to the builder is the joint in the user's axes", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  const auto q = random_configuration_of<S>(joint, 4);
  const Pose<S> axes{joint.axes().template cast<S>(), Vector3<S>::Zero()};
  const JointSpec<S> any = joint.any();
  CHECK(any.type == joint.type);
  CHECK(relative_error(chain_pose(any, q), axes * pose_of(joint, q) * axes.inverse()) < tolerance<S>());
}

TEST_CASE("a fixed joint is a chain without cells", "[joints]") { CHECK(JointSpec<double>(Fixed{}).chain.empty()); }

TEMPLATE_TEST_CASE("the norm of quaternions and of (cos, sin) does not enter the pose", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(plain_joints, built_in_joints)));
  INFO(joint.type);
  const auto q = random_configuration_of<S>(joint, 5);
  const double factor = GENERATE(0.01, 1.7, -3.0);
  CAPTURE(factor);
  VectorX<S> scaled = q;
  // -(cos, sin) is another angle.
  scaled.tail(joint.normed) *= S(joint.normed == 2 ? std::abs(factor) : factor);
  CHECK(relative_error(pose_of(joint, scaled), pose_of(joint, q)) < tolerance<S>());
}
