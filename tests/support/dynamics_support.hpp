#pragma once

#include <Eigen/Geometry>
#include <complex>
#include <random>

#include "corio/kinematics/configuration.hpp"
#include "support/compiled.hpp"
#include "support/oracle.hpp"

/// The fixed table of mechanisms for tests of kinematics and dynamics, and random states of these mechanisms.
namespace corio::test {

using Vectord = VectorX<double>;
using Matrixd = MatrixX<double>;
using Complex = std::complex<double>;

enum class Kind {
  revolute,
  prismatic,
  helical,
  cylindrical,
  planar,
  translation,
  universal,
  spherical,
  free_flyer,
  fixed,
  continuous  // like revolute, except for differences
};
/// Joints of the kinds before `fixed` move; some of the trees also have fixed joints.
inline constexpr int moving_kinds = static_cast<int>(Kind::fixed), all_kinds = moving_kinds + 1;

/// Returns the turn about a unit vector.
Matrix3<double> turn(double angle, const Vector3<double>& axis);

/// Returns the type of the joint that make_joint makes.
std::string name_of(Kind kind);

/// Makes a joint with random axes; its transform is written down a second time, from the documentation.
JointPlan make_joint(Kind kind, Random<double>& random);

// ---- Mechanisms

class PlanMaker {
 public:
  PlanMaker(std::string name, int seed) : random_(seed) { plan_.name = std::move(name); }

  /// Adds a body of five point masses; returns its number.
  int add(int parent, Kind kind, double mass_factor = 1);
  PlanMaker& chain(int parent, const std::vector<Kind>& kinds);
  PlanMaker& armature();
  Random<double>& random() { return random_; }
  Plan plan() const { return plan_; }

 private:
  Random<double> random_;
  Plan plan_;
};

/// Twelve bodies with every kind of joint and random parents; seeds 1, 3, .. float, seeds 2, 3 modulo 4 have armature.
Plan random_plan(int seed);

const std::vector<Plan>& topologies();
inline int topology_count() { return static_cast<int>(topologies().size()); }

// ---- States

Vectord random_vector(Random<double>& random, int n);

/// A mechanism of the table in a random state; TEST_EACH(Sample& s, ..) runs over all of them.
struct Sample {
  explicit Sample(int topology) : Sample(topologies()[static_cast<std::size_t>(topology)], topology) {}
  Sample(const Plan& plan, int seed);
  static int count() { return topology_count(); }
  const std::string& name() const { return model.name(); }
  const Frame<double>& frame(int body) const { return model.frame(body_name(body)); }
  int bodies() const { return static_cast<int>(oracle.plan().bodies.size()); }

  Model<double> model;
  Data<double> data;
  Oracle oracle;
  Random<double> random;
  Vectord q, v, a;
};

/// Counts the floating robots without armature on the base: a body alone, with one joint, with joints of most kinds,
/// and with armature on these joints.
inline constexpr int floating_count = 4;
Sample floating(int which);

/// The step of derivatives by complex step: Im f(x + i h) / h is exact to rounding because h is so small.
inline constexpr double complex_step = 1e-40;

/// Returns q (+) i h dv.
VectorX<Complex> step(const Model<Complex>& model, const Vectord& q, const Vectord& dv);

/// Returns the ratio of the extreme eigenvalues of a symmetric positive definite matrix.
double condition(const Matrixd& M);

}  // namespace corio::test
