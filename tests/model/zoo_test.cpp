#include "corio/zoo/random_tree.hpp"

#include <map>
#include <set>

#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

std::string parent_name(const Model<double>& model, const std::string& body) {
  const int parent = model.body(body).parent();
  return parent < 0 ? "ground" : model.bodies()[static_cast<std::size_t>(parent)].name();
}

/// Counts the bodies of the model that move on a joint of each type.
std::map<std::string, int> types_of(const Model<double>& model) {
  std::map<std::string, int> count;
  for (const Joint& joint : model.joints()) ++count[joint.type()];
  return count;
}

/// Returns the world axis of the joint of body b at a configuration of revolute joints.
Vector3<double> axis_of(const Model<double>& model, const std::vector<Pose<double>>& poses, const Body<double>& b) {
  CHECK(model.joints()[static_cast<std::size_t>(b.joint())].type() == "revolute");
  return poses[static_cast<std::size_t>(b.node())].rotation.col(2);
}

/// Computes the mass matrix from its definition: the sum over nodes of J^T I J with columns in world axes about the
/// world's origin.
MatrixX<double> mass_matrix(const Model<double>& model, const VectorX<double>& q) {
  const auto poses = node_poses(model, q);
  MatrixX<double> columns(6, model.nv());
  for (int b = 0; b < model.num_nodes(); ++b) {
    Motion<double> phi[6];
    model.node(b).joint.columns(poses[static_cast<std::size_t>(b)], q.data() + model.node(b).q_begin, phi);
    for (int k = model.node(b).v_begin; k < model.node(b).v_end; ++k)
      columns.col(k) = phi[k - model.node(b).v_begin].vector();
  }
  MatrixX<double> M = model.armature().asDiagonal();
  for (int b = 0; b < model.num_nodes(); ++b) {
    MatrixX<double> J = MatrixX<double>::Zero(6, model.nv());
    for (int a = b; a >= 0; a = model.node(a).parent) {
      const int begin = model.node(a).v_begin, size = model.node(a).v_end - begin;
      J.middleCols(begin, size) = columns.middleCols(begin, size);
    }
    M += J.transpose() * poses[static_cast<std::size_t>(b)].act(model.node(b).inertia).matrix() * J;
  }
  return M;
}

/// Returns the smallest pivot of the symmetric elimination of M over its diagonal entry: it is positive if and only if
/// M is definite.
double smallest_pivot(MatrixX<double> M) {
  const VectorX<double> diagonal = M.diagonal();
  double smallest = 1;
  for (Eigen::Index k = 0; k < M.rows(); ++k) {
    smallest = std::min(smallest, M(k, k) / diagonal[k]);
    if (!(smallest > 0)) return smallest;
    const VectorX<double> column = M.col(k);
    M -= column * column.transpose() / column[k];
  }
  return smallest;
}

/// Tells whether, at the neutral configuration, the axis of every joint is at least 30 degrees from that of the joint
/// before.
bool consecutive_axes_differ(const Model<double>& model) {
  const auto poses = node_poses<double>(model, VectorX<double>::Zero(model.nq()));
  for (const auto& body : model.bodies())
    if (body.parent() >= 0) {
      const auto& parent = model.bodies()[static_cast<std::size_t>(body.parent())];
      if (cross(axis_of(model, poses, body), axis_of(model, poses, parent)).norm() < 0.5) return false;
    }
  return true;
}

}  // namespace

TEST_CASE("serial_chain has n revolute joints in series", "[zoo]") {
  const auto model = zoo::serial_chain(20);
  CHECK(model.nv() == 20);
  CHECK(types_of(model) == std::map<std::string, int>{{"revolute", 20}});
  CHECK(parent_name(model, "link1") == "ground");
  for (int i = 2; i <= 20; ++i) CHECK(parent_name(model, "link" + std::to_string(i)) == "link" + std::to_string(i - 1));
  CHECK(model.joint("joint7").v_index() == 6);
}

TEST_CASE("no two consecutive axes of chains and trees are parallel", "[zoo]") {
  CHECK(consecutive_axes_differ(zoo::serial_chain(12)));
  CHECK(consecutive_axes_differ(zoo::binary_tree(40)));
  CHECK(consecutive_axes_differ(zoo::tree(40, 3)));
}

TEST_CASE("in tree(n, k) body i hangs on body (i - 1) / k", "[zoo]") {
  const int branching = GENERATE(1, 2, 3, 5);
  CAPTURE(branching);
  const auto model = zoo::tree(30, branching);
  CHECK(model.nv() == 30);
  CHECK(parent_name(model, "body0") == "ground");
  for (int i = 1; i < 30; ++i)
    CHECK(parent_name(model, "body" + std::to_string(i)) == "body" + std::to_string((i - 1) / branching));
}

TEST_CASE("binary_tree is the tree of branching factor two", "[zoo]") {
  const auto a = zoo::binary_tree(15), b = zoo::tree(15, 2);
  REQUIRE(a.num_nodes() == b.num_nodes());
  for (int k = 0; k < a.num_nodes(); ++k) {
    CHECK(a.node(k).parent == b.node(k).parent);
    CHECK(a.node(k).placement.translation == b.node(k).placement.translation);
  }
}

TEST_CASE("biped has a floating trunk and two legs in series", "[zoo]") {
  const auto model = zoo::biped();
  CHECK(model.nv() == 26);
  CHECK(model.nq() == 27);
  CHECK(model.joint("root_joint").type() == "free_flyer");
  CHECK(parent_name(model, "trunk") == "ground");
  for (const std::string side : {"left", "right"}) {
    CHECK(parent_name(model, side + "_leg1") == "trunk");
    for (int i = 2; i <= 10; ++i)
      CHECK(parent_name(model, side + "_leg" + std::to_string(i)) == side + "_leg" + std::to_string(i - 1));
  }
}

TEST_CASE("quadruped has a floating trunk and four legs in series", "[zoo]") {
  const auto model = zoo::quadruped(12);
  CHECK(model.nv() == 18);
  CHECK(model.joint("root_joint").type() == "free_flyer");
  for (const std::string leg : {"front_left", "front_right", "hind_left", "hind_right"}) {
    CHECK(parent_name(model, leg + "_leg1") == "trunk");
    CHECK(parent_name(model, leg + "_leg2") == leg + "_leg1");
    CHECK(parent_name(model, leg + "_leg3") == leg + "_leg2");
    CHECK_FALSE(model.has_body(leg + "_leg4"));
    // Links of 0.9 m hang below the hip; the joints of the last two are 0.02 m further forward, the sole another 0.01
    // m.
    Data<double> data(model);
    forward_kinematics<double>(model, data, neutral(model));
    const auto foot = body_pose(model, data, model.frame(leg + "_foot")).translation;
    const auto hip = body_pose(model, data, model.frame(leg + "_leg1")).translation;
    CHECK((foot - hip - Eigen::Vector3d(0.05, 0, -0.9)).norm() < 1e-14);
  }
}

TEST_CASE("actuated degrees of freedom that legs cannot share evenly are rejected", "[zoo][errors]") {
  CHECK(mentions(message_of<ModelError>([] { zoo::biped(7); }), {"biped", "7", "multiple of 2"}));
  CHECK(mentions(message_of<ModelError>([] { zoo::biped(0); }), {"biped", "0", "multiple of 2"}));
  CHECK(mentions(message_of<ModelError>([] { zoo::quadruped(10); }), {"quadruped", "10", "multiple of 4"}));
  CHECK(mentions(message_of<ModelError>([] { zoo::quadruped(-4); }), {"quadruped", "-4", "multiple of 4"}));
}

TEST_CASE("models without bodies are rejected", "[zoo][errors]") {
  CHECK(mentions(message_of<ModelError>([] { zoo::serial_chain(0); }), {"serial_chain", "at least one"}));
  CHECK(mentions(message_of<ModelError>([] { zoo::tree(0, 2); }), {"tree", "at least one"}));
  CHECK(mentions(message_of<ModelError>([] { zoo::tree(5, 0); }), {"tree", "branching"}));
  CHECK(mentions(message_of<ModelError>([] { zoo::random_tree(1, {.bodies = 0}); }), {"random_tree", "at least one"}));
}

TEST_CASE("humanoid has 30 revolute joints on a floating pelvis", "[zoo]") {
  const auto model = zoo::humanoid();
  CHECK(model.nv() == 36);
  CHECK(types_of(model) == std::map<std::string, int>{{"free_flyer", 1}, {"revolute", 30}});
  CHECK(parent_name(model, "left_hip_yaw_link") == "pelvis");
  CHECK(parent_name(model, "right_shoulder_pitch_link") == "waist_pitch_link");
  for (const char* frame : {"left_sole", "right_sole", "left_palm", "right_palm", "eyes"})
    CHECK(model.has_frame(frame));
}

TEST_CASE("humanoid is symmetric: at rest its centre of mass is in the sagittal plane", "[zoo]") {
  const auto model = zoo::humanoid();
  VectorX<double> q = VectorX<double>::Zero(model.nq());
  q[6] = 1;
  double moment = 0;
  for (const auto& body : model.bodies()) {
    const auto inertia = model.inertia(body);
    moment += inertia.mass * frame_pose(model, q, body).point(inertia.com)[1];
  }
  CHECK(std::abs(moment) < tolerance<double>() * model.total_mass());
}

TEST_CASE("random_tree of ten bodies has every joint type", "[zoo]") {
  const auto seed = GENERATE(range(1, 21));
  CAPTURE(seed);
  const bool floating_base = seed % 2 == 0;
  const auto model = zoo::random_tree(static_cast<std::uint64_t>(seed), {.bodies = 10, .floating_base = floating_base});
  const std::map<std::string, int> one_of_each{{"revolute", 1},    {"prismatic", 1}, {"helical", 1},
                                               {"cylindrical", 1}, {"planar", 1},    {"translation", 1},
                                               {"universal", 1},   {"spherical", 1}, {"free_flyer", 1}};
  CHECK(types_of(model) == one_of_each);
  CHECK(model.frames().size() == 10);  // the tenth is welded
}

TEST_CASE("random_tree floats if asked to", "[zoo]") {
  const auto seed = GENERATE(range(1, 11));
  CAPTURE(seed);
  const auto model = zoo::random_tree(static_cast<std::uint64_t>(seed), {.bodies = 5, .floating_base = true});
  CHECK(model.joints()[0].name() == "root_joint");
  CHECK(model.joints()[0].type() == "free_flyer");
}

TEST_CASE("random_tree is a chain for chain_bias one and branched for zero", "[zoo]") {
  const auto chain = zoo::random_tree(1, {.bodies = 20, .chain_bias = 1});
  const auto bush = zoo::random_tree(1, {.bodies = 20, .chain_bias = 0});
  const auto leaves = [](const Model<double>& model) {
    std::set<int> parents;
    for (const auto& body : model.bodies()) parents.insert(body.parent());
    parents.erase(-1);
    return model.bodies().size() - parents.size();
  };
  CHECK(leaves(chain) == 1);
  CHECK(leaves(bush) > 4);
}

TEST_CASE("random_tree is the same for the same seed", "[zoo]") {
  const auto a = zoo::random_tree(5), b = zoo::random_tree(5);
  REQUIRE(a.num_nodes() == b.num_nodes());
  for (int i = 0; i < a.num_nodes(); ++i) {
    CHECK(a.node(i).placement.rotation == b.node(i).placement.rotation);
    CHECK(a.node(i).inertia.h == b.node(i).inertia.h);
  }
}

TEST_CASE("random_tree starts as it does on every platform", "[zoo]") {
  // Splitmix64 with seed 0 starts with the published 0xe220a8397b1dcdaf, that is 0.8833 of 2^64.
  CHECK(zoo::detail::Random<double>(0).uniform() == static_cast<double>(0xe220a8397b1dcdafu >> 11) * 0x1p-53);
}

TEST_CASE("random_tree differs for different seeds", "[zoo]") {
  std::set<double> masses;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) masses.insert(zoo::random_tree(seed).total_mass());
  CHECK(masses.size() == 50);
}

TEST_CASE("random_tree has armature on every degree of freedom if asked to, none otherwise", "[zoo]") {
  CHECK(zoo::random_tree(2, {.armature = true}).armature().minCoeff() >= 0.1);
  CHECK(zoo::random_tree(2).armature().isZero(0));
}

TEST_CASE("random_tree has massless bodies if asked to, none otherwise", "[zoo]") {
  const auto massless = [](bool wanted) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto model = zoo::random_tree(seed, {.bodies = 20, .massless = wanted});
      for (const auto& body : model.bodies()) count += model.inertia(body).mass == 0;
    }
    return count;
  };
  CHECK(massless(true) >= 10);
  CHECK(massless(false) == 0);
}

TEST_CASE("every model of the zoo has a positive definite mass matrix", "[zoo]") {
  // A pivot is the share of a diagonal entry that does not depend on other degrees of freedom: 1e-6 is far above
  // rounding.
  const auto check = [](const Model<double>& model) {
    CAPTURE(model.name());
    CHECK(smallest_pivot(mass_matrix(model, random_q(model, 1))) > 1e-6);
  };
  for (const int n : {1, 5, 20}) check(zoo::serial_chain(n));
  for (const int branching : {2, 3}) check(zoo::tree(20, branching));
  check(zoo::biped());
  check(zoo::quadruped());
  check(zoo::humanoid());
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    check(zoo::random_tree(seed, {.bodies = static_cast<int>(seed % 20) + 1,
                                  .floating_base = seed % 2 == 0,
                                  .armature = seed % 3 == 0,
                                  .massless = seed % 5 != 0}));
}

TEST_CASE("zoo models over float are those over double, rounded", "[zoo]") {
  const auto wide = zoo::humanoid();
  const auto narrow = zoo::humanoid<float>();
  CHECK(narrow.nv() == wide.nv());
  CHECK(relative_error(narrow.total_mass(), static_cast<float>(wide.total_mass())) < tolerance<float>());
  CHECK(zoo::serial_chain<float>(20).nv() == 20);
  CHECK(zoo::binary_tree<float>(20).nv() == 20);
  CHECK(zoo::biped<float>().nv() == 26);
  CHECK(zoo::quadruped<float>().nv() == 26);
  CHECK(zoo::random_tree<float>(1).nv() == zoo::random_tree(1).nv());
}
