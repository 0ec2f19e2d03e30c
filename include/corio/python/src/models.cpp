// Model and Mechanism.
#include <random>

#include "class.hpp"
#include "corio/algorithms/geometry/coordinates.hpp"
#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/io/write_urdf.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/loops/inverse_kinematics.hpp"
#include "corio/mechanism/kinematics.hpp"
#include "corio/model/describe.hpp"
#include "corio/model/edit.hpp"
#include "corio/model/edit_maps.hpp"
#include "corio/model/edit_reroot.hpp"
#include "corio/spatial/euler_rates.hpp"

namespace py = pybind11;

namespace corio::python {
namespace {

using Changes = std::map<std::string, V>;

/// The vectors of a model; those without a setter are null.
struct Term {
  const char* name;
  const V& (M::*get)() const;
  void (M::*set)(In);
};
constexpr Term terms[]{{"armature", &M::armature, &M::set_armature},
                       {"damping", &M::damping, &M::set_damping},
                       {"friction", &M::friction, &M::set_friction},
                       {"stiffness", &M::stiffness, nullptr},
                       {"rest_configuration", &M::rest_configuration, nullptr},
                       {"lower_limit", &M::lower_limit, nullptr},
                       {"upper_limit", &M::upper_limit, nullptr},
                       {"velocity_limit", &M::velocity_limit, nullptr},
                       {"effort_limit", &M::effort_limit, nullptr}};

/// Changes a model, and keeps the change for its copies: key is the name of a term, or of what it sets.
void set(ModelHolder& h, const std::string& key, const V& x) {
  M& model = h.robot;
  if (const auto* term = std::ranges::find(terms, key, &Term::name); term != std::end(terms))
    (model.*term->set)(x);
  else if (key == "gravity")
    corio::detail::check_size("gravity", x.size(), 3, "Model"), model.set_gravity({x[0], x[1], x[2]});
  else if (key == "springs")
    model.set_springs(x.head(h.nv), x.tail(x.size() - h.nv));
  else  // the name of a body
    model.set_inertia(key, {x[0], Vec(x.segment(1, 3)), Mat3(Mat3::Map(x.data() + 4))});
  h.changes[key] = x;
  h.changed();
}
void set_inertia(ModelHolder& h, const std::string& body, double mass, const Vec& com, const Mat3& inertia) {
  set(h, h.robot.body(body).name(), (V(13) << mass, com, inertia.reshaped()).finished());
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

/// A property that is a list of names.
template <class List>
auto names(const List& (M::*all)() const&) {
  return [all](const M& model) {
    Names list;
    for (const auto& x : (model.*all)())
      if constexpr (requires { x.name(); })
        list.push_back(x.name());
      else if constexpr (requires { x.name; })
        list.push_back(x.name);
      else
        list.push_back(to_string(x));
    return list;
  };
}
V closed(const auto& found) {
  if (!found.closed)
    throw Error("assemble: loop '" + found.worst + "' stays open by " + std::to_string(found.residual));
  return found.q;
}

/// Copies and pickles by the state of an object, a tuple that makes it anew, and equality by its value; the module copy
/// pickles.
template <class H>
void bind_values(py::class_<H, AnyRobot, std::shared_ptr<H>>& type, auto state, auto make, auto value) {
  type.def("copy", [=](const H& h) { return make(state(h)); });
  type.def("__eq__", [=](const H& a, const py::object& b) {
    return py::isinstance<H>(b) && value(a) == value(b.cast<const H&>());
  });
  type.def("__repr__", [](const py::object& x) {
    const auto& h = x.cast<const H&>();
    return "<corio." + x.get_type().attr("__name__").cast<std::string>() + " '" + h.tree().name() +
           "': " + std::to_string(h.bodies) + " bodies, nq = " + std::to_string(h.nq) +
           ", nv = " + std::to_string(h.nv) + ">";
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
    } catch (const std::exception&) {
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
  model.property("name", &M::name);
  model.property("joints", names(&M::joints), "Names, in the order of q.");
  model.property("bodies", names(&M::bodies), "Names.");
  model.property("frames", names(&M::frames), "Names, bodies first.");
  model.property("loops", names(&M::loops), "Names.");
  model.property("notes", names(&M::notes), "What was questionable in its file, and accepted.");
  model.property("total_mass", &M::total_mass);
  model.property("joint_parameters", joint_parameters<double>);
  for (const auto& [name, get, set] : terms)
    model.def_property(name, plain(get), set ? py::cpp_function(setter(name)) : py::cpp_function());
  model.def_property("gravity", plain(&M::gravity), setter("gravity"), "m/s^2, world axes.");
  model.function("set_gravity(gravity)", setter("gravity"));
  model.def_property(
      "inertial_parameters", inertial_parameters<double>,
      [](ModelHolder& h, const V& pi) {
        set_inertial_parameters<double>(h.robot, pi);
        for (const auto& body : h.robot.bodies()) {
          const auto [mass, com, inertia] = h.robot.inertia(body);
          set_inertia(h, body.name(), mass, com, inertia);
        }
      },
      "pi of the regressors: mass, mass com, inertia (xx, yy, zz, xy, xz, yz) about the body's origin, for all "
      "bodies.");
  model.function("set_springs(stiffness, rest_configuration)", [](ModelHolder& h, const V& stiffness, const V& rest) {
    corio::detail::check_size("stiffness", stiffness.size(), h.nv, "set_springs");
    set(h, "springs", (V(stiffness.size() + rest.size()) << stiffness, rest).finished());
  });
  model.function(
      "set_joint_parameters(p)",
      [](ModelHolder& h, const V& p) {
        set_joint_parameters<double>(h.robot, p);
        for (const auto& [name, get, setter] : terms)
          if (setter) set(h, name, (h.robot.*get)());
      },
      "Armature, damping, friction and an unused offset of each speed, as joint_regressor has them.");
  model.function(
      "inertia(body)",
      [](const M& x, const std::string& body) {
        const auto [mass, com, inertia] = x.inertia(body);
        return std::tuple(mass, Vec(com), Mat3(inertia));
      },
      "mass (kg), com (m), inertia about the com (kg m^2), in the body's frame.");
  model.function("set_inertia(body, mass, com, inertia)", set_inertia);
  model.function("q_indices(names)", &M::q_indices);
  model.function("lock_joints(names, q)", lock_joints<double>);
  model.function("replace_joint(name, joint, axis=(0, 0, 1), pitch=0.0)",
                 [](const M& x, const std::string& name, const std::string& joint, const Vec& axis, double pitch) {
                   return replace_joint(x, name, joint_of(joint, axis, pitch));
                 });
  model.function("attach(frame, other, prefix='')", attach<double>);
  model.function("with_payload(frame, mass, com=(0, 0, 0), inertia=((0, 0, 0),) * 3)",
                 [](const M& x, const std::string& frame, double mass, const Vec& com, const Mat3& inertia) {
                   return with_payload(x, frame, {mass, com, inertia});
                 });
  model.function("submodel(body)", submodel<double>);
  model.function("reroot(body)", reroot<double>);
  model.function("with_base(rotation, translation)", [](const M& x, const Mat3& rotation, const Vec& translation) {
    return with_base(x, {rotation, translation});
  });
  model.function(
      "add_frame(name, body, rotation=((1, 0, 0), (0, 1, 0), (0, 0, 1)), translation=(0, 0, 0))",
      [](const M& x, const std::string& name, const std::string& body, const Mat3& R, const Vec& p) {
        return add_frame(x, name, body, {R, p});
      },
      "A copy with this frame.");
  model.function(
      "index_maps(other, prefix='')",
      [](const M& from, const M& to, const std::string& prefix) {
        const auto [q, v] = index_maps(from, to, prefix);
        return std::tuple(q, v);
      },
      "For each index of q, and of v, of the other model the index in this one, or -1.");
  model.function("joint_placement(joint)", [](const M& x, const std::string& joint) {
    const auto pose = joint_placement(x, x.joint(joint));
    return std::tuple(Mat3(pose.rotation), Vec(pose.translation));
  });
  model.function("joint_axis(joint)",
                 [](const M& x, const std::string& joint) -> Vec { return joint_axis(x, x.joint(joint)); });
  model.function("to_urdf()", [](const M& x) { return write_urdf(x); });
  model.function("describe()", describe<double>);
  model.function("describe_neutral()", describe_neutral<double>);
  model.function("neutral()", neutral<double>);
  model.function(
      "random_configuration(rng=None)",
      [](const M& x, const py::object& rng) {
        const auto made = py::module_::import("numpy").attr("random").attr("default_rng")(rng);
        std::mt19937_64 generator(made.attr("integers")(0, 1ll << 62).cast<std::uint64_t>());
        return random_configuration(x, generator);
      },
      "Within the limits; rng is a Generator of numpy, or a seed.");
  model.function(
      "normalize(q)", [](const M& x, V q) { return normalize(x, q), q; },
      "q with quaternions and unit vectors of length one.");
  model.function("check_configuration(q, tolerance=1e-6)", check_configuration<double>,
                 "Raises an error that names the joint whose numbers are no configuration.");
  model.function(
      "assemble(q)", [](ModelHolder& h, In q) { return closed(assemble<double>(h.robot, h.data, h.loops, q)); },
      "The configuration near q in which the loops are closed.");
  model.function("inverse_kinematics(targets, q, *, restarts=0)", find_configuration,
                 "q, reached, residual, worst; targets are {frame: position} or {frame: (rotation, translation)}.");
  bind_values(
      model, [](const ModelHolder& h) { return py::make_tuple(py::bytes(h.origin), h.changes); },
      [](const py::tuple& t) { return restored(t[0].cast<std::string>(), t[1].cast<Changes>()); },
      [](const ModelHolder& h) { return to_bytes(h.robot); });
}

void bind_mechanism(py::module_& m) {
  using Near = std::optional<V>;
  using Mech = Mechanism<double>;
  const auto make = [](const std::shared_ptr<ModelHolder>& model, const Names& independent, const Near& q) {
    auto held = std::make_shared<MechanismHolder>(q ? Mech(model->robot, model->loops, independent, *q)
                                                  : independent.empty() ? Mech(model->robot)
                                                                        : Mech(model->robot, independent));
    held->model = restored(model->origin, model->changes);  // the model may change later, the mechanism does not
    held->independent = independent, held->near = q;
    return held;
  };
  Class<MechanismHolder, AnyRobot, std::shared_ptr<MechanismHolder>> mechanism(
      m, "Mechanism", "A robot with closed loops, in independent speeds.", py::is_final());
  types.mechanism = reinterpret_cast<PyTypeObject*>(mechanism.ptr());
  mechanism.init("(model, independent=(), q=None)", make);
  mechanism.property(
      "model", [](const MechanismHolder& h) { return restored(h.model->origin, h.model->changes); },
      "A copy of its tree.");
  mechanism.function(
      "assemble(q)", [](MechanismHolder& h, In q) { return closed(assemble<double>(h.robot, h.data, q)); },
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
      [](const MechanismHolder& h) {
        return std::tuple(to_bytes(h.tree()), h.independent, h.near, h.robot.closing_tolerance());
      });
}

}  // namespace

std::shared_ptr<ModelHolder> hold(const M& model) { return restored(to_bytes(model), {}); }

void bind_models(py::module_& m) {
  Class<AnyRobot, std::shared_ptr<AnyRobot>> robot(m, "Robot", "A Model or a Mechanism.");
  robot.def_readonly("nq", &AnyRobot::nq);
  robot.def_readonly("nv", &AnyRobot::nv);
  robot.function("v_indices(names)", [](AnyRobot& any, const Names& names) {
    return with(any, [&](auto& r, auto&) { return r.v_indices(names); });
  });
  Class<PyData> data(m, "Data", "The workspace of one thread, with the state of the last kinematics pass.",
                     py::is_final());
  data.init("(model)", [](std::shared_ptr<AnyRobot> any) { return PyData{any, any->make_data()}; });
  types.data = reinterpret_cast<PyTypeObject*>(data.ptr());
  bind_model(m), bind_builder(m), bind_mechanism(m);
  function(
      m, "change_of_coordinates(M, C, g, A, Adot)",
      [](const Mat& mass, const Mat& C, const V& g, const Mat& A, const Mat& Adot) {
        EquationsOfMotion<double> from{mass, C, g, {}}, to;
        Mat work;
        change_of_coordinates(from, A, Adot, work, to);
        return std::tuple(to.M, to.C, to.g);
      },
      "M, C, g in velocities v' with v = A v', where A may have fewer columns.");
  function(
      m, "euler_rates(axes, angles)",
      [](const std::array<int, 3>& axes, const Vec& angles) {
        const auto [E, Gamma] = euler_rates<double>(axes, angles);
        return std::tuple(Mat3(E), Mat3(Gamma));
      },
      "E and Gamma, w = E dq/dt and dq/dt = Gamma w, for angles about axes 0, 1 or 2.");
}

}  // namespace corio::python
