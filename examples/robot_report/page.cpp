#include "page.hpp"

#include <Eigen/Eigenvalues>
#include <corio/core/detail/file.hpp>
#include <corio/corio.hpp>
#include <limits>
#include <random>

#include "../support/file_name.hpp"
#include "json.hpp"

namespace report {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;
using Model = corio::Model<double>;
using Data = corio::Data<double>;

const corio::Joint& joint_of(const Model& model, const corio::Body<double>& body) {
  return model.joints()[static_cast<std::size_t>(body.joint())];
}

/// A degree of freedom that the page can move: k of v, by an angle or a length.
struct Slider {
  std::string name;
  bool turns;
  double lower, upper;
};

/// A column [angular; linear] in words, in the axes of the body: "about x", "along z", or an empty text if it is along
/// none of these axes.
std::string axis_of(const Eigen::Matrix<double, 6, 1>& column, bool turns) {
  const Eigen::Vector3d direction = turns ? column.head<3>() : column.tail<3>();
  for (int i = 0; i < 3; ++i)
    if (std::abs(direction[i]) > 0.999 * direction.norm())
      return std::string(turns ? "about " : "along ") + (direction[i] < 0 ? "-" : "") + "xyz"[i];
  return "";
}

/// Limits as offsets from neutral, or a default range if there are none.
Slider slider(const Model& model, const corio::Joint& joint, int k, const VectorXd& neutral,
              const Eigen::Matrix<double, 6, 1>& column) {
  const bool turns = column.head<3>().norm() > 0.5;
  const bool single = joint.nq() == joint.nv();
  const Index at = joint.q_index() + k;
  const double zero = single ? neutral[at] : 0.0, range = turns ? 3.1416 : 0.5;
  const auto limit = [&](const VectorXd& limits, double otherwise) {
    return single && std::isfinite(limits[at]) ? limits[at] - zero : otherwise;
  };
  std::string name = joint.name();
  if (joint.nv() > 1) {
    const std::string axis = axis_of(column, turns);
    name.append(1, ' ').append(axis.empty() ? std::to_string(k + 1) : axis);
  }
  return {name, turns, limit(model.lower_limit(), -range), limit(model.upper_limit(), range)};
}

/// The poses of the bodies at neutral and the motion of each joint, T(s) = T(0) exp(S_1 s_1) exp(S_2 s_2) ..., with the
/// columns of the joint in the axes of the body. This is exact for joints that are products of hinges and sliders; for
/// other joints it is a choice of coordinates.
class Skeleton {
 public:
  explicit Skeleton(const Model& model) : model_(model), data_(model), neutral_(corio::neutral(model)) {
    corio::forward_kinematics(model, data_, neutral_);
    MatrixXd J(6, model.nv());
    for (const auto& body : model.bodies()) {
      const corio::Joint& joint = joint_of(model, body);
      corio::body_jacobian(model, data_, body, J);
      columns_.push_back(J.middleCols(joint.v_index(), joint.nv()));
      first_.push_back(static_cast<int>(sliders.size()));
      for (int k = 0; k < joint.nv(); ++k) sliders.push_back(slider(model, joint, k, neutral_, columns_.back().col(k)));
      points_.push_back(corio::body_pose(model, data_, body).translation);
    }
    for (const auto& frame : model.frames())
      if (frame.node() >= 0) points_.push_back(corio::body_pose(model, data_, frame).translation);
    find_size();
  }

  std::vector<Slider> sliders;
  Vector3d center = Vector3d::Zero();
  double radius = 0, ground = 0;

  std::string bodies() const {
    return json::list(static_cast<Index>(model_.bodies().size()), [&](Index i) {
      const auto& body = model_.bodies()[static_cast<std::size_t>(i)];
      const auto inertia = model_.inertia(body);
      corio::Pose<double> T = corio::body_pose(model_, data_, body);
      if (body.parent() >= 0)
        T = corio::body_pose(model_, data_, model_.bodies()[static_cast<std::size_t>(body.parent())]).inverse() * T;
      const MatrixXd& S = columns_[static_cast<std::size_t>(i)];
      const Vector3d moments = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia.inertia).eigenvalues();
      const double play = 1e-9 * moments.cwiseAbs().maxCoeff();
      const bool physical = moments[0] >= -play && moments[0] + moments[1] >= moments[2] - play;
      return json::object({{"name", json::text(body.name())},
                           {"parent", json::number(body.parent())},
                           {"mass", json::number(inertia.mass)},
                           {"com", json::numbers(inertia.com)},
                           {"moments", json::numbers(moments)},
                           {"physical", physical ? "true" : "false"},
                           {"R", json::list(3, [&](Index r) { return json::numbers(T.rotation.row(r)); })},
                           {"p", json::numbers(T.translation)},
                           {"first", json::number(first_[static_cast<std::size_t>(i)])},
                           {"columns", json::list(S.cols(), [&](Index k) { return json::numbers(S.col(k)); })},
                           {"ends", ends(body)}});
    });
  }

 private:
  /// The frames on a body, in its axes: hands, feet, links that are welded to it.
  std::string ends(const corio::Body<double>& body) const {
    std::vector<std::string> all;
    const auto inverse = corio::body_pose(model_, data_, body).inverse();
    for (const auto& frame : model_.frames())
      if (frame.node() == body.node())
        all.push_back(json::numbers(inverse.point(corio::body_pose(model_, data_, frame).translation)));
    return json::list(std::ssize(all), [&](Index i) { return all[static_cast<std::size_t>(i)]; });
  }

  void find_size() {
    Vector3d low = Vector3d::Zero(), high = Vector3d::Zero();
    for (const Vector3d& x : points_) low = low.cwiseMin(x), high = high.cwiseMax(x);
    center = 0.5 * (low + high);
    radius = std::max(0.6 * (high - low).norm(), 0.05);
    ground = low.z();
  }

  const Model& model_;
  Data data_;
  VectorXd neutral_;
  std::vector<MatrixXd> columns_;
  std::vector<int> first_;
  std::vector<Vector3d> points_;
};

std::string joints(const Model& model) {
  return json::list(std::ssize(model.joints()), [&](Index i) {
    const corio::Joint& joint = model.joints()[static_cast<std::size_t>(i)];
    std::string on = "ground";
    for (const auto& body : model.bodies())
      if (body.joint() == i && body.parent() >= 0) on = model.bodies()[static_cast<std::size_t>(body.parent())].name();
    // For a joint with several degrees of freedom, the numbers of the first one.
    const auto of = [&](const VectorXd& x, int at) { return at < x.size() ? json::number(x[at]) : "null"; };
    return json::object({{"name", json::text(joint.name())},
                         {"type", json::text(joint.type())},
                         {"on", json::text(on)},
                         {"lower", of(model.lower_limit(), joint.q_index())},
                         {"upper", of(model.upper_limit(), joint.q_index())},
                         {"velocity", of(model.velocity_limit(), joint.v_index())},
                         {"effort", of(model.effort_limit(), joint.v_index())},
                         {"armature", of(model.armature(), joint.v_index())},
                         {"damping", of(model.damping(), joint.v_index())},
                         {"friction", of(model.friction(), joint.v_index())}});
  });
}

/// The torque of gravity on each hinge and slider while only this joint moves.
std::string gravity(const Model& model, const Skeleton& skeleton) {
  constexpr int samples = 49;
  Data data(model);
  const VectorXd neutral = corio::neutral(model);
  std::vector<std::string> curves;
  for (const corio::Joint& joint : model.joints()) {
    if (joint.nq() != 1 || joint.nv() != 1) continue;
    const auto& range = *std::find_if(skeleton.sliders.begin(), skeleton.sliders.end(),
                                      [&](const Slider& slider) { return slider.name == joint.name(); });
    const double lower = neutral[joint.q_index()] + range.lower, upper = neutral[joint.q_index()] + range.upper;
    const auto torque = [&](Index i) {
      VectorXd q = neutral;
      q[joint.q_index()] = lower + (upper - lower) * static_cast<double>(i) / (samples - 1);
      return json::number(corio::generalized_gravity(model, data, q)[joint.v_index()]);
    };
    curves.push_back(json::object({{"name", json::text(joint.name())},
                                   {"unit", json::text(range.turns ? "N m" : "N")},
                                   {"lower", json::number(lower)},
                                   {"upper", json::number(upper)},
                                   {"neutral", json::number(neutral[joint.q_index()])},
                                   {"torque", json::list(samples, torque)}}));
  }
  return json::list(std::ssize(curves), [&](Index i) { return curves[static_cast<std::size_t>(i)]; });
}

/// The workspace of the ends of the tree: positions of its last frames or bodies at random configurations of hinges and
/// sliders.
std::string reach(const Model& model) {
  constexpr int points = 1500;
  std::vector<const corio::Frame<double>*> tips;
  for (const auto& body : model.bodies()) {
    const auto [begin, end] = model.subtree(body);
    if (end - begin != joint_of(model, body).nv()) continue;
    tips.push_back(&body);
    for (const auto& frame : model.frames())
      if (frame.node() == body.node()) tips.back() = &frame;
  }
  Data data(model);
  std::mt19937 generator(1);
  const VectorXd neutral = corio::neutral(model);
  const Index configurations = points / std::max<Index>(1, std::ssize(tips));
  std::vector<std::string> all;
  for (Index i = 0; i < configurations; ++i) {
    VectorXd q = corio::random_configuration(model, generator);
    for (const corio::Joint& joint : model.joints())  // bases stay where they are
      if (joint.nv() > 1) q.segment(joint.q_index(), joint.nq()) = neutral.segment(joint.q_index(), joint.nq());
    corio::forward_kinematics(model, data, q);
    for (const auto* tip : tips) all.push_back(json::numbers(corio::body_pose(model, data, *tip).translation));
  }
  return json::list(std::ssize(all), [&](Index i) { return all[static_cast<std::size_t>(i)]; });
}

/// M, C v + g and a of one state.
template <class S>
struct Results {
  corio::MatrixX<S> M, C;
  corio::VectorX<S> tau, a;

  Results(const corio::Model<S>& model, corio::Data<S>& data, const VectorXd& q, const VectorXd& v, const VectorXd& x)
      : M(corio::coriolis_matrix(model, data, q.cast<S>().eval(), v.cast<S>().eval()).M),
        C(corio::coriolis_matrix(model, data).C),
        tau(corio::rnea<S>(model, data, q.cast<S>().eval(), v.cast<S>().eval(), x.cast<S>().eval())),
        a(corio::aba<S>(model, data, q.cast<S>().eval(), v.cast<S>().eval(), x.cast<S>().eval())) {}
};

/// Errors against long double. All inputs are numbers that float represents exactly.
std::string errors(const Model& given) {
  const corio::Model<float> narrow = given.cast<float>();
  const Model model = narrow.cast<double>();
  const corio::Model<long double> wide = model.cast<long double>();
  Data data(model);
  corio::Data<float> narrow_data(narrow);
  corio::Data<long double> wide_data(wide);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const char* const names[] = {"M", "C", "rnea", "aba"};
  double largest[4][2] = {};
  for (int i = 0; i < 20; ++i) {
    const auto rounded = [](const VectorXd& x) -> VectorXd { return x.cast<float>().cast<double>(); };
    const auto random = [&] { return VectorXd::NullaryExpr(model.nv(), [&] { return uniform(generator); }).eval(); };
    const VectorXd q = rounded(corio::random_configuration(model, generator)), v = rounded(random()),
                   x = rounded(random());
    const Results<long double> right(wide, wide_data, q, v, x);
    const auto add = [&](const auto& found, int column) {
      const auto error = [&](const auto& ours, const auto& exact) {
        const auto size = std::max(exact.cwiseAbs().maxCoeff(), std::numeric_limits<long double>::min());
        return static_cast<double>((ours.template cast<long double>() - exact).cwiseAbs().maxCoeff() / size);
      };
      const double all[] = {error(found.M, right.M), error(found.C, right.C), error(found.tau, right.tau),
                            error(found.a, right.a)};
      for (int k = 0; k < 4; ++k) largest[k][column] = std::max(largest[k][column], all[k]);
    };
    add(Results<double>(model, data, q, v, x), 0);
    add(Results<float>(narrow, narrow_data, q, v, x), 1);
  }
  return json::list(4, [&](Index k) {
    return json::array({json::text(names[k]), json::number(largest[k][0]), json::number(largest[k][1])});
  });
}

}  // namespace

Eigen::Matrix<bool, -1, -1> coupling(const Model& model) {
  Eigen::Matrix<bool, -1, -1> coupled = Eigen::Matrix<bool, -1, -1>::Constant(model.nv(), model.nv(), false);
  for (const auto& body : model.bodies()) {
    const auto [begin, end] = model.subtree(body);
    const int own = model.joints()[static_cast<std::size_t>(body.joint())].nv();
    coupled.block(begin, begin, own, end - begin).setConstant(true);
    coupled.block(begin, begin, end - begin, own).setConstant(true);
  }
  return coupled;
}

std::filesystem::path write_page(const Model& model, const Printed& printed, const std::filesystem::path& folder,
                                 const std::filesystem::path& page) {
  const Skeleton skeleton(model);
  const auto coupled = coupling(model);
  const Index zeros = coupled.size() > 0 ? 100 - 100 * coupled.count() / coupled.size() : 0;
#if defined(__OPTIMIZE__) && defined(NDEBUG)
  const char* const speed = "From q, v, a to the result, on the machine that wrote this page, median of 25 batches.";
#else
  const char* const speed = "Compiled without optimisation or with assertions: these times mean nothing.";
#endif
  const std::string data =
      json::object({{"name", json::text(model.name())},
                    {"summary", json::text(printed.summary)},
                    {"notes", json::text(printed.notes)},
                    {"tree", json::text(printed.tree)},
                    {"speed", json::text(speed)},
                    {"mass", json::number(std::max(model.total_mass(), 1e-9))},
                    {"radius", json::number(skeleton.radius)},
                    {"center", json::numbers(skeleton.center)},
                    {"ground", json::number(skeleton.ground)},
                    {"bodies", skeleton.bodies()},
                    {"joints", joints(model)},
                    {"sliders", json::list(std::ssize(skeleton.sliders),
                                           [&](Index k) {
                                             const Slider& slider = skeleton.sliders[static_cast<std::size_t>(k)];
                                             return json::object({{"name", json::text(slider.name)},
                                                                  {"turns", slider.turns ? "true" : "false"},
                                                                  {"lower", json::number(slider.lower)},
                                                                  {"upper", json::number(slider.upper)}});
                                           })},
                    {"gravity", gravity(model, skeleton)},
                    {"reach", reach(model)},
                    {"pattern", json::list(coupled.rows(),
                                           [&](Index i) {
                                             std::string row;
                                             for (Index j = 0; j < coupled.cols(); ++j)
                                               row += coupled(i, j) ? '1' : '0';
                                             return json::text(row);
                                           })},
                    {"zeros", json::text("Joints on different branches are not coupled: " + std::to_string(zeros) +
                                         " % of the entries are zero.")},
                    {"times", json::list(std::ssize(printed.times),
                                         [&](Index i) {
                                           const Timed& timed = printed.times[static_cast<std::size_t>(i)];
                                           return json::array({json::text(timed.name), json::number(timed.microseconds),
                                                               json::text(timed.result)});
                                         })},
                    {"errors", errors(model)}});

  std::string text = corio::detail::read_text<corio::Error>(page, "page");
  const std::string place = "@DATA@";
  const auto at = text.find(place);
  if (at == std::string::npos) throw corio::Error("there is no " + place + " in " + page.string());
  text.replace(at, place.size(), data);
  std::filesystem::create_directories(folder);
  const auto file = folder / (support::file_name(model.name()) + ".html");
  corio::detail::write_file<corio::Error>(file, text, "page");
  return file;
}

}  // namespace report
