#pragma once

#include "corio/io/mjcf/reference.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/frames.hpp"

namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

/// Converts the children of <equality> to loops of the builder. Frames that the file does not give coincide at qpos0,
/// as in MuJoCo.
class Equalities {
 public:
  Equalities(ModelBuilder<double>& builder, const std::vector<double>& qpos0, const Notes& notes)
      : builder_(builder),
        notes_(notes),
        model_(tree_of(builder, notes.file())),
        data_(model_),
        q_(reference_configuration(model_, qpos0)) {
    forward_kinematics(model_, data_, q_);
  }

  /// Adds a loop to the builder. Returns an empty text, or the reason why the element is not a loop of the model.
  std::string read(const Element& e, const std::string& name) {
    if (e.name == "joint") return couple(e, name);
    if (e.name != "connect" && e.name != "weld")
      return join({"<", e.name, "> is none of connect, weld or a linear joint coupling"});
    // Without torque a weld holds a point alone.
    const bool point = e.name == "connect" || e.number("torquescale", 1) == 0.0;
    LoopSpec loop{.name = name,
                  .conditions = point ? closure::Point{}.conditions() : closure::Weld{}.conditions(),
                  .line = notes_.line(e)};
    if (e.find("site1") || e.find("site2")) {
      for (const char* key : {"body1", "body2", "anchor", "relpose"})
        if (e.find(key))
          e.fail({"joins sites and has ", key, "; keep site1 and site2, or give bodies instead of them"});
      loop.first = site(e, "site1"), loop.second = site(e, "site2");
    } else {
      const std::string first = body(e, "body1"), second = e.get("body2").empty() ? "" : body(e, "body2");
      if (first == second) e.fail({"joins ", first.empty() ? "the world" : first, " with itself"});
      const auto [on_first, on_second] = frames(e, first, second);
      loop.first = unused(name + "_1"), loop.second = unused(name + "_2");
      builder_.add_frame({loop.first, first, on_first, loop.line});
      builder_.add_frame({loop.second, second, on_second, loop.line});
    }
    builder_.add_loop(std::move(loop));
    return {};
  }

 private:
  bool is_body(const std::string& name) const {
    return std::ranges::any_of(builder_.bodies(), [&](const auto& body) { return body.name == name; });
  }
  std::string unused(std::string name) const {
    while (model_.has_frame(name)) name += '_';
    return name;
  }
  std::string body(const Element& e, const char* key) const {
    const std::string name = e.get(key);
    if (name == "world") return "";
    if (!is_body(name)) e.fail({key, "=", xml::excerpt(name), " is not a body"});
    return name;
  }
  std::string site(const Element& e, const char* key) const {
    const std::string name = e.get(key);
    const std::string frame = is_body(name) ? name + "_site" : name;
    if (!model_.has_frame(frame)) e.fail({key, "=", xml::excerpt(name), " is not a site"});
    return frame;
  }
  Pose<double> pose(const std::string& name) const {
    return name.empty() ? Pose<double>::identity() : body_pose(model_, data_, model_.frame(name));
  }

  /// The frames that must coincide, in the first and in the second body. The anchor of a connect is a point of body1,
  /// the anchor of a weld a point of body2; relpose is the place of the anchor and the orientation of body2, both in
  /// body1. A pose that is not given is the pose at qpos0, also if the quaternion of relpose is zero.
  std::pair<Pose<double>, Pose<double>> frames(const Element& e, const std::string& first,
                                               const std::string& second) const {
    const bool connect = e.name == "connect";
    const Pose<double> at{identity3<double>(),
                          connect ? vector3(e.numbers("anchor", 3, 3).data()) : e.vector("anchor", zero3<double>())};
    if (connect) return {at, pose(second).inverse() * pose(first) * at};
    const auto relative = e.find("relpose") ? e.numbers("relpose", 7, 7) : std::vector<double>(7, 0.0);
    const Quaternion<double> turn(relative[4], relative[5], relative[6], relative[3]);
    const double largest = turn.cwiseAbs().maxCoeff();
    if (largest == 0.0) return {pose(first).inverse() * pose(second) * at, at};
    return {{rotation_from_quaternion<double>(turn / largest), vector3(relative.data())}, at};
  }

  /// Adds the coupling q1 - q1_0 = c0 + c1 (q2 - q2_0), or without joint2 q1 - q1_0 = c0.
  std::string couple(const Element& e, const std::string& name) {
    double c[] = {0, 1, 0, 0, 0};
    if (e.find("polycoef")) std::ranges::copy(e.numbers("polycoef", 1, 5), c);
    const bool two = !e.get("joint2").empty();
    const auto degree = std::find_if(std::rbegin(c), std::rend(c), [](double x) { return x != 0.0; }).base() - c - 1;
    if (two && degree > 1)
      return join({"polycoef has degree ", std::to_string(degree), ", but couplings of the model are linear"});
    const auto joint = [&](const char* key) -> const Joint& {
      const std::string found = e.get(key);
      if (!model_.has_joint(found)) e.fail({key, "=", xml::excerpt(found), " is not a joint"});
      return model_.joint(found);
    };
    const Joint& first = joint("joint1");
    LoopSpec loop{.name = name, .terms = {{first.name(), 1.0}}, .dependent = {first.name()}, .line = notes_.line(e)};
    loop.offset = q_[first.q_index()] + c[0];
    if (two && c[1] != 0.0) {
      const Joint& second = joint("joint2");
      loop.terms.push_back({second.name(), -c[1]});
      loop.offset -= c[1] * q_[second.q_index()];
    }
    builder_.add_loop(std::move(loop));
    return {};
  }

  ModelBuilder<double>& builder_;
  const Notes& notes_;
  Model<double> model_;
  Data<double> data_;
  VectorX<double> q_;
};

/// Reads all active equalities, and adds a note for each that is not converted.
inline void read_equalities(const std::vector<Element>& all, Parts& parts, ModelBuilder<double>& builder,
                            const std::vector<double>& qpos0, Notes& notes) {
  if (all.empty()) return;
  Names names;
  for (const Element& e : all)
    if (const std::string* name = e.find("name")) {
      if (name->empty()) e.fail({"its name is empty; leave the attribute out or give one"});
      if (!names.take(*name)) e.fail({"another equality has this name"});
    }
  Equalities equalities(builder, qpos0, notes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Element e = parts.with_defaults(all[i], "equality");
    const std::string* name = e.find("name");
    const std::string unread = e.flag("active", true)
                                   ? equalities.read(e, name ? *name : names.unique("equality" + std::to_string(i)))
                                   : "is not active";
    if (!unread.empty()) notes.add(e, unread, "it is not a loop of the model; File::equalities has it");
  }
}

}}}}  // namespace corio::mjcf::detail
