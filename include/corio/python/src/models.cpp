// Model and Mechanism.
#include <random>

#include "class.hpp"
#include "corio/algorithms/geometry/coordinates.hpp"
#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/io/write_urdf.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/loops/inverse_kinematics.hpp"
#include "corio/model/edit.hpp"
#include "corio/model/edit_maps.hpp"
#include "corio/model/edit_reroot.hpp"
#include "corio/spatial/euler_rates.hpp"

namespace py = pybind11;

namespace corio::python {
namespace {

using Changes = std::map<std::string, V>;
using M = Model<double>;
using Vec = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// A setter of Model that Python may call, repeated when a model is unpickled: key is its name, after a space the body.
void change(M& model, const std::string& key, const V& x) {
  if (key == "gravity") {
    corio::detail::check_size("gravity", x.size(), 3, "Model");
    return model.set_gravity({x[0], x[1], x[2]});
  }
  if (key == "armature") return model.set_armature(x);
  if (key == "damping") return model.set_damping(x);
  if (key == "friction") return model.set_friction(x);
  if (key == "springs") return model.set_springs(x.head(model.nv()), x.tail(x.size() - model.nv()));
  model.set_inertia(key.substr(key.find(' ') + 1), {x[0], Vec(x.segment(1, 3)), Mat3(Mat3::Map(x.data() + 4))});
}
void set(ModelHolder& h, const std::string& key, const V& x) {
  change(h.robot, key, x);
  h.changes[key] = x;
  h.changed();
}
void set_inertia(ModelHolder& h, const std::string& body, const InertialParameters<double>& x) {
  set(h, "inertia " + body, (V(13) << x.mass, Vec(x.com), Mat3(x.inertia).reshaped()).finished());
}
auto setter(const char* key) {
  return [key](ModelHolder& h, const V& x) { set(h, key, x); };
}

std::shared_ptr<ModelHolder> restored(const std::string& bytes, const Changes& changes) {
  auto held = std::make_shared<ModelHolder>(from_bytes(bytes).build());
  held->origin = bytes;
  for (const auto& [key, x] : changes) set(*held, key, x);
  return held;
}
std::shared_ptr<ModelHolder> restored(const ModelHolder& h) { return restored(h.origin, h.changes); }
std::string contents(const M& model) { return to_bytes(to_builder(model), model); }

/// f(model, ..) that makes another model.
template <class F, class... A>
auto edit(M (F::*)(const M&, A...) const) {
  return [](const ModelHolder& h, A... x) { return hold(F()(h.robot, x...)); };
}
template <class F>
auto edit(F) {
  return edit(&F::operator());
}
/// A property that is a list of names.
template <class List>
auto names(const List& (M::*all)() const&) {
  return [all](const ModelHolder& h) {
    Names list;
    for (const auto& x : (h.robot.*all)())
      if constexpr (requires { x.name(); })
        list.push_back(x.name());
      else if constexpr (requires { x.name; })
        list.push_back(x.name);
      else
        list.push_back(to_string(x));
    return list;
  };
}
auto vector(const VectorX<double>& (M::*f)() const) {
  return [f](const ModelHolder& h) -> V { return (h.robot.*f)(); };
}
std::uint64_t seed(const py::object& rng) {
  const py::object numpy = py::module_::import("numpy").attr("random").attr("default_rng");
  return (rng.is_none() ? numpy() : rng).attr("integers")(0, 1ll << 62).cast<std::uint64_t>();
}
V closed(const auto& found) {
  if (!found.closed)
    throw Error("assemble: loop '" + found.worst + "' stays open by " + std::to_string(found.residual));
  return found.q;
}

/// Copies, equality and pickles by the state of an object, a tuple that makes it anew; the module copy pickles.
template <class H, class State, class Make, class Same, class Text>
void bind_values(py::class_<H, AnyRobot, std::shared_ptr<H>>& type, State state, Make make, Same same, Text text) {
  type.def("copy", [=](const H& h) { return make(state(h)); })
      .def("__eq__",
           [=](const H& a, const py::object& b) { return py::isinstance<H>(b) && same(a, b.cast<const H&>()); })
      .def("__repr__", [=](const H& h) {
        return "<corio." + text(h) + ": nq = " + std::to_string(h.nq) + ", nv = " + std::to_string(h.nv) + ">";
      });
  type.def(py::pickle(state, make));
  type.attr("__hash__") = py::none();
}

py::tuple find_configuration(ModelHolder& h, const std::map<std::string, py::object>& targets, const V& q,
                             int restarts) {
  std::vector<PoseTarget<double>> all;
  using Of = PoseTarget<double>::Of;
  for (const auto& [name, target] : targets) {
    const auto& frame = h.robot.frame(name);
    try {
      if (const auto x = target.cast<py::sequence>(); x.size() == 2)
        all.push_back({frame, {x[0].cast<Mat3>(), x[1].cast<Vec>()}, Of::pose});
      else
        all.push_back({frame, {identity3<double>(), target.cast<Vec>()}, Of::position});
    } catch (const py::builtin_exception&) {
      throw SizeError("inverse_kinematics: the target of '" + name +
                      "' must be a position (3 numbers) or (rotation, translation)");
    }
  }
  InverseKinematicsOptions<double> options;
  options.restarts = restarts;
  const auto found = inverse_kinematics<double>(h.robot, h.data, all, q, options);
  return py::make_tuple(V(found.q), found.reached, found.residual, found.worst);
}

void bind_model(py::module_& m) {
  Class<ModelHolder, AnyRobot, std::shared_ptr<ModelHolder>> model(m, "Model", "A kinematic tree with its inertia.",
                                                                   py::is_final());
  types.model = reinterpret_cast<PyTypeObject*>(model.ptr());
  model.property("name", [](const ModelHolder& h) { return h.robot.name(); });
  model.property("joints", names(&M::joints), "Names, in the order of q.");
  model.property("bodies", names(&M::bodies), "Names.");
  model.property("frames", names(&M::frames), "Names, bodies first.");
  model.property("loops", names(&M::loops), "Names.");
  model.property("notes", names(&M::notes), "What was questionable in its file, and accepted.");
  model.property("total_mass", [](const ModelHolder& h) { return h.robot.total_mass(); });
  model.property("joint_parameters", [](const ModelHolder& h) { return joint_parameters(h.robot); });
  using Get = const VectorX<double>& (M::*)() const;
  for (const auto& [name, get] : std::map<const char*, Get>{{"lower_limit", &M::lower_limit},
                                                            {"upper_limit", &M::upper_limit},
                                                            {"velocity_limit", &M::velocity_limit},
                                                            {"effort_limit", &M::effort_limit},
                                                            {"stiffness", &M::stiffness},
                                                            {"rest_configuration", &M::rest_configuration}})
    model.property(name, vector(get));
  model.def_property("armature", vector(&M::armature), setter("armature"));
  model.def_property("damping", vector(&M::damping), setter("damping"));
  model.def_property("friction", vector(&M::friction), setter("friction"));
  model.def_property(
      "gravity", [](const ModelHolder& h) -> Vec { return h.robot.gravity(); }, setter("gravity"),
      "m/s^2, world axes.");
  model.function("set_gravity(gravity)", setter("gravity"));
  model.def_property(
      "inertial_parameters", [](const ModelHolder& h) { return inertial_parameters(h.robot); },
      [](ModelHolder& h, const V& pi) {
        set_inertial_parameters<double>(h.robot, pi);
        for (const auto& body : h.robot.bodies()) set_inertia(h, body.name(), h.robot.inertia(body));
      },
      "pi of the regressors: mass, mass com, inertia (xx, yy, zz, xy, xz, yz) about the body's origin, for all "
      "bodies.");
  model.function("set_springs(stiffness, rest_configuration)", [](ModelHolder& h, const V& stiffness, const V& rest) {
    if (stiffness.size() != h.nv)
      throw SizeError("set_springs: stiffness must have " + std::to_string(h.nv) + " numbers");
    set(h, "springs", (V(stiffness.size() + rest.size()) << stiffness, rest).finished());
  });
  model.function("q_indices(names)", [](const ModelHolder& h, const Names& n) { return h.robot.q_indices(n); });
  model.function("v_indices(names)", [](const ModelHolder& h, const Names& n) { return h.robot.v_indices(n); });
  model.function(
      "inertia(body)",
      [](const ModelHolder& h, const std::string& body) {
        const auto p = h.robot.inertia(body);
        return std::tuple(p.mass, Vec(p.com), Mat3(p.inertia));
      },
      "mass (kg), com (m), inertia about the com (kg m^2), in the body's frame.");
  model.function("set_inertia(body, mass, com, inertia)",
                 [](ModelHolder& h, const std::string& body, double mass, const Vec& com, const Mat3& I) {
                   set_inertia(h, body, {mass, com, I});
                 });
  model.function(
      "set_joint_parameters(p)",
      [](ModelHolder& h, const V& p) {
        set_joint_parameters<double>(h.robot, p);
        set(h, "armature", h.robot.armature()), set(h, "damping", h.robot.damping());
        set(h, "friction", h.robot.friction());
      },
      "Armature, damping, friction and an unused offset of each speed, as joint_regressor has them.");
  model.function("lock_joints(names, q)", edit([](const M& x, const Names& n, In q) { return lock_joints(x, n, q); }));
  model.function("replace_joint(name, joint, axis=(0, 0, 1), pitch=0.0)",
                 edit([](const M& x, const std::string& name, const std::string& joint, const Vec& axis, double pitch) {
                   return replace_joint(x, name, joint_of(joint, axis, pitch));
                 }));
  model.function("attach(frame, other, prefix='')",
                 edit([](const M& x, const std::string& frame, const ModelHolder& o, const std::string& p) {
                   return attach(x, frame, o.robot, p);
                 }));
  model.function("with_payload(frame, mass, com=(0, 0, 0), inertia=((0, 0, 0),) * 3)",
                 edit([](const M& x, const std::string& frame, double mass, const Vec& com, const Mat3& I) {
                   return with_payload(x, frame, {mass, com, I});
                 }));
  model.function("submodel(body)", edit([](const M& x, const std::string& body) { return submodel(x, body); }));
  model.function("reroot(body)", edit([](const M& x, const std::string& body) { return reroot(x, body); }));
  model.function("with_base(rotation, translation)", edit([](const M& x, const Mat3& R, const Vec& p) {
                   return with_base(x, {R, p});
                 }));
  model.function("add_frame(name, body, rotation=((1, 0, 0), (0, 1, 0), (0, 0, 1)), translation=(0, 0, 0))",
                 edit([](const M& x, const std::string& name, const std::string& body, const Mat3& R, const Vec& p) {
                   return add_frame(x, name, body, {R, p});
                 }),
                 "A copy with this frame.");
  model.function(
      "index_maps(other, prefix='')",
      [](const ModelHolder& from, const ModelHolder& to, const std::string& prefix) {
        const auto maps = index_maps(from.robot, to.robot, prefix);
        return std::tuple(maps.q, maps.v);
      },
      "For each index of q, and of v, of the other model the index in this one, or -1.");
  model.function("joint_placement(joint)", [](const ModelHolder& h, const std::string& joint) {
    const auto pose = joint_placement(h.robot, h.robot.joint(joint));
    return std::tuple(Mat3(pose.rotation), Vec(pose.translation));
  });
  model.function("joint_axis(joint)", [](const ModelHolder& h, const std::string& joint) -> Vec {
    return joint_axis(h.robot, h.robot.joint(joint));
  });
  model.function("to_urdf()", [](const ModelHolder& h) { return write_urdf(h.robot); });
  model.function("describe()", [](const ModelHolder& h) { return describe(h.robot); });
  model.function("describe_neutral()", [](const ModelHolder& h) { return describe_neutral(h.robot); });
  model.function("neutral()", [](const ModelHolder& h) -> V { return neutral(h.robot); });
  model.function(
      "random_configuration(rng=None)",
      [](const ModelHolder& h, const py::object& rng) -> V {
        std::mt19937_64 generator(seed(rng));
        return random_configuration(h.robot, generator);
      },
      "Within the limits; rng is a Generator of numpy.");
  model.function(
      "normalize(q)", [](const ModelHolder& h, V q) { return normalize(h.robot, q), q; },
      "q with quaternions and unit vectors of length one.");
  model.function(
      "check_configuration(q, tolerance=1e-6)",
      [](const ModelHolder& h, const V& q, double tolerance) { check_configuration(h.robot, q, tolerance); },
      "Raises an error that names the joint whose numbers are no configuration.");
  model.function(
      "assemble(q)", [](ModelHolder& h, const V& q) { return closed(assemble<double>(h.robot, h.data, h.loops, q)); },
      "The configuration near q in which the loops are closed.");
  model.function("inverse_kinematics(targets, q, *, restarts=0)", find_configuration,
                 "q, reached, residual, worst; targets are {frame: position} or {frame: (rotation, translation)}.");
  bind_values(
      model, [](const ModelHolder& h) { return py::make_tuple(py::bytes(h.origin), h.changes); },
      [](const py::tuple& t) { return restored(t[0].cast<std::string>(), t[1].cast<Changes>()); },
      [](const ModelHolder& a, const ModelHolder& b) { return contents(a.robot) == contents(b.robot); },
      [](const ModelHolder& h) { return "Model '" + h.robot.name() + "', " + std::to_string(h.bodies) + " bodies"; });
}

void bind_mechanism(py::module_& m) {
  using Near = std::optional<V>;
  const auto make = [](const std::shared_ptr<ModelHolder>& model, const Names& independent, const Near& q) {
    auto held = std::make_shared<MechanismHolder>(q ? Mechanism<double>(model->robot, model->loops, independent, *q)
                                                  : independent.empty() ? Mechanism<double>(model->robot)
                                                                        : Mechanism<double>(model->robot, independent));
    held->model = restored(*model);  // the model may change later, the mechanism does not
    held->independent = independent, held->near = q;
    return held;
  };
  Class<MechanismHolder, AnyRobot, std::shared_ptr<MechanismHolder>> mechanism(
      m, "Mechanism", "A robot with closed loops, in independent speeds.", py::is_final());
  types.mechanism = reinterpret_cast<PyTypeObject*>(mechanism.ptr());
  mechanism.init("(model, independent=(), q=None)", make);
  mechanism.property(
      "model", [](const MechanismHolder& h) { return restored(*h.model); }, "A copy of its tree.");
  mechanism.function("v_indices(names)", [](const MechanismHolder& h, const Names& n) { return h.robot.v_indices(n); });
  mechanism.function(
      "assemble(q)", [](MechanismHolder& h, const V& q) { return closed(assemble<double>(h.robot, h.data, q)); },
      "The configuration near q in which the loops are closed.");
  const auto set_tolerance = [](MechanismHolder& h, double x) { h.robot.set_closing_tolerance(x); };
  mechanism.property("closing_tolerance", [](const MechanismHolder& h) { return h.robot.closing_tolerance(); });
  mechanism.function("set_closing_tolerance(tolerance)", set_tolerance, "By how much loops may be open, m or rad.");
  bind_values(
      mechanism,
      [](const MechanismHolder& h) {
        return py::make_tuple(h.model, h.independent, h.near, h.robot.closing_tolerance());
      },
      [=](const py::tuple& t) {
        const auto held = make(t[0].cast<std::shared_ptr<ModelHolder>>(), t[1].cast<Names>(), t[2].cast<Near>());
        set_tolerance(*held, t[3].cast<double>());
        return held;
      },
      [](const MechanismHolder& a, const MechanismHolder& b) {
        return contents(a.model->robot) == contents(b.model->robot) && a.independent == b.independent &&
               a.near == b.near && a.robot.closing_tolerance() == b.robot.closing_tolerance();
      },
      [](const MechanismHolder& h) { return "Mechanism of '" + h.tree().name() + "'"; });
}

/// Functions of no robot.
void bind_coordinates(py::module_& m) {
  function(
      m, "change_of_coordinates(M, C, g, A, Adot)",
      [](const Mat& M, const Mat& C, const V& g, const Mat& A, const Mat& Adot) {
        EquationsOfMotion<double> from{M, C, g, {}}, to;
        Mat work;
        change_of_coordinates(from, A, Adot, work, to);
        return std::tuple(to.M, to.C, to.g);
      },
      "M, C, g in velocities v' with v = A v', where A may have fewer columns.");
  function(
      m, "euler_rates(axes, angles)",
      [](const std::array<int, 3>& axes, const Vec& angles) {
        const auto rates = euler_rates<double>(axes, angles);
        return std::tuple(Mat3(rates.E), Mat3(rates.Gamma));
      },
      "E and Gamma, w = E dq/dt and dq/dt = Gamma w, for angles about axes 0, 1 or 2.");
}

}  // namespace

std::shared_ptr<ModelHolder> hold(const M& model) { return restored(contents(model), {}); }

void bind_models(py::module_& m) {
  Class<AnyRobot, std::shared_ptr<AnyRobot>> robot(m, "Robot", "A Model or a Mechanism.");
  robot.def_readonly("nq", &AnyRobot::nq);
  robot.def_readonly("nv", &AnyRobot::nv);
  Class<PyData> data(m, "Data", "The workspace of one thread, with the state of the last kinematics pass.",
                     py::is_final());
  data.init("(model)", [](std::shared_ptr<AnyRobot> any) { return PyData{any, any->make_data()}; });
  types.data = reinterpret_cast<PyTypeObject*>(data.ptr());
  bind_model(m), bind_builder(m), bind_mechanism(m), bind_coordinates(m);
}

}  // namespace corio::python
