// Model, Mechanism, files and samples.
#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <random>

#include "classes.hpp"
#include "corio/algorithms/geometry/coordinates.hpp"
#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/io/mjcf.hpp"
#include "corio/io/urdf.hpp"
#include "corio/io/write_urdf.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/loops/inverse_kinematics.hpp"
#include "corio/model/edit.hpp"
#include "corio/spatial/euler_rates.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "specification.hpp"

namespace py = pybind11;
using namespace py::literals;

namespace corio::python {
namespace {

using Changes = std::map<std::string, std::vector<double>>;
using M = Model<double>;
using Names = std::vector<std::string>;
using Vec = Eigen::Vector3d;
using Mat = Eigen::Matrix3d;
using Vector = Eigen::VectorXd;

/// A setter of Model that Python may call, repeated when a model is unpickled: key is its name, after a space the body.
void change(M& model, const std::string& key, const std::vector<double>& x) {
  const Eigen::Map<const Vector> all(x.data(), std::ssize(x));
  const auto n = static_cast<Eigen::Index>(model.nv());
  if (key == "gravity") return model.set_gravity({all[0], all[1], all[2]});
  if (key == "armature") return model.set_armature(all);
  if (key == "damping") return model.set_damping(all);
  if (key == "friction") return model.set_friction(all);
  if (key == "springs") return model.set_springs(all.head(n), all.tail(all.size() - n));
  Matrix3<double> inertia;
  std::copy_n(x.data() + 4, 9, inertia.data());
  model.set_inertia(key.substr(key.find(' ') + 1), {x[0], {x[1], x[2], x[3]}, inertia});
}
void set(ModelHolder& h, const std::string& key, std::vector<double> x) {
  change(h.robot, key, x);
  h.changes[key] = std::move(x);
  h.changed();
}
auto setter(const char* key) {
  return [key](ModelHolder& h, const Vector& x) { set(h, key, {x.data(), x.data() + x.size()}); };
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
template <class... A>
auto edit(M (*f)(const M&, A...)) {
  return [f](const ModelHolder& h, A... x) { return hold(f(h.robot, x...)); };
}
/// A property that is a list of names.
template <class F>
auto names(F all) {
  return [all](const ModelHolder& h) {
    Names list;
    for (const auto& x : all(h.robot))
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
  return [f](const ModelHolder& h) -> Vector { return (h.robot.*f)(); };
}
std::uint64_t seed(const py::object& rng) {
  const py::object numpy = py::module_::import("numpy").attr("random").attr("default_rng");
  return (rng.is_none() ? numpy() : rng).attr("integers")(0, 1ll << 62).cast<std::uint64_t>();
}
Vector closed(const auto& found) {
  if (!found.closed)
    throw Error("assemble: loop '" + found.worst + "' stays open by " + std::to_string(found.residual));
  return found.q;
}

/// Copies, equality and pickles by the state of an object, a tuple that makes it anew.
template <class H, class State, class Make, class Same, class Text>
void bind_values(py::class_<H, AnyRobot, std::shared_ptr<H>>& type, State state, Make make, Same same, Text text) {
  const auto copy = [=](const H& h) { return make(state(h)); };
  type.def("copy", copy)
      .def("__copy__", copy)
      .def("__deepcopy__", [=](const H& h, const py::dict&) { return copy(h); })
      .def("__eq__",
           [=](const H& a, const py::object& b) { return py::isinstance<H>(b) && same(a, b.cast<const H&>()); })
      .def("__repr__", [=](const H& h) {
        return "<corio." + text(h) + ": nq = " + std::to_string(h.nq) + ", nv = " + std::to_string(h.nv) + ">";
      });
  type.def(py::pickle(state, make));
  type.attr("__hash__") = py::none();
}

py::tuple find_configuration(ModelHolder& h, const std::map<std::string, py::object>& targets, const Vector& q,
                             int restarts) {
  std::vector<PoseTarget<double>> all;
  using Of = PoseTarget<double>::Of;
  for (const auto& [frame, target] : targets)
    if (const auto x = target.cast<py::sequence>(); x.size() == 2)
      all.push_back({h.robot.frame(frame), {x[0].cast<Mat>(), x[1].cast<Vec>()}, Of::pose});
    else
      all.push_back({h.robot.frame(frame), {identity3<double>(), target.cast<Vec>()}, Of::position});
  InverseKinematicsOptions<double> options;
  options.restarts = restarts;
  const auto found = inverse_kinematics<double>(h.robot, h.data, all, q, options);
  return py::make_tuple(Vector(found.q), found.reached, found.residual, found.worst);
}

void bind_model(py::module_& m) {
  const Vec zero = Vec::Zero(), z = Vec::UnitZ();
  const Mat zeros = Mat::Zero();
  py::class_<ModelHolder, AnyRobot, std::shared_ptr<ModelHolder>> model(
      m, "Model", "A kinematic tree with its inertia.", py::is_final());
  types.model = reinterpret_cast<PyTypeObject*>(model.ptr());
  const auto property = [&](const char* name, auto get, const char* doc = "") {
    model.def_property_readonly(name, get, doc);
  };
  property("name", [](const ModelHolder& h) { return h.robot.name(); });
  property("joints", names([](const M& x) -> auto& { return x.joints(); }), "Names, in the order of q.");
  property("bodies", names([](const M& x) -> auto& { return x.bodies(); }), "Names.");
  property("frames", names([](const M& x) -> auto& { return x.frames(); }), "Names, bodies first.");
  property("loops", names([](const M& x) -> auto& { return x.loops(); }), "Names.");
  property("notes", names([](const M& x) -> auto& { return x.notes(); }),
           "What was questionable in its file, and accepted.");
  property("total_mass", [](const ModelHolder& h) { return h.robot.total_mass(); });
  property("lower_limit", vector(&M::lower_limit));
  property("upper_limit", vector(&M::upper_limit));
  property("velocity_limit", vector(&M::velocity_limit));
  property("effort_limit", vector(&M::effort_limit));
  property("stiffness", vector(&M::stiffness));
  property("rest_configuration", vector(&M::rest_configuration));
  const auto gravity = [](ModelHolder& h, const Vec& g) { set(h, "gravity", {g[0], g[1], g[2]}); };
  model
      .def_property(
          "gravity", [](const ModelHolder& h) -> Vec { return h.robot.gravity(); }, gravity, "m/s^2, world axes.")
      .def("set_gravity", gravity, "gravity"_a)
      .def_property("armature", vector(&M::armature), setter("armature"))
      .def_property("damping", vector(&M::damping), setter("damping"))
      .def_property("friction", vector(&M::friction), setter("friction"))
      .def(
          "set_springs",
          [](ModelHolder& h, const Vector& stiffness, const Vector& rest) {
            Vector both(stiffness.size() + rest.size());
            both << stiffness, rest;
            if (stiffness.size() != h.nv)
              throw SizeError("set_springs: stiffness must have " + std::to_string(h.nv) + " numbers");
            setter("springs")(h, both);
          },
          "stiffness"_a, "rest_configuration"_a)
      .def(
          "q_indices", [](const ModelHolder& h, const Names& n) { return h.robot.q_indices(n); }, "names"_a)
      .def(
          "v_indices", [](const ModelHolder& h, const Names& n) { return h.robot.v_indices(n); }, "names"_a)
      .def(
          "inertia",
          [](const ModelHolder& h, const std::string& body) {
            const auto p = h.robot.inertia(body);
            return py::make_tuple(p.mass, Vec(p.com), Mat(p.inertia));
          },
          "body"_a, "mass (kg), com (m), inertia about the com (kg m^2), in the body's frame.")
      .def(
          "set_inertia",
          [](ModelHolder& h, const std::string& body, double mass, const Vec& com, const Mat& I) {
            std::vector<double> x{mass, com[0], com[1], com[2]};
            x.insert(x.end(), I.data(), I.data() + 9);
            set(h, "inertia " + body, x);
          },
          "body"_a, "mass"_a, "com"_a, "inertia"_a)
      .def_property_readonly("joint_parameters", [](const ModelHolder& h) { return joint_parameters(h.robot); })
      .def(
          "set_joint_parameters",
          [](ModelHolder& h, const Vector& p) {
            set_joint_parameters<double>(h.robot, p);
            setter("armature")(h, h.robot.armature());
            setter("damping")(h, h.robot.damping());
            setter("friction")(h, h.robot.friction());
          },
          "p"_a, "Armature, damping, friction and an unused offset of each speed, as joint_regressor has them.")
      .def("lock_joints", edit(+[](const M& x, const Names& n, const Vector& q) { return lock_joints(x, n, q); }),
           "names"_a, "q"_a)
      .def("replace_joint",
           edit(+[](const M& x, const std::string& name, const std::string& joint, const Vec& axis, double pitch) {
             return replace_joint(x, name, joint_of(joint, axis, pitch));
           }),
           "name"_a, "joint"_a, "axis"_a = z, "pitch"_a = 0.0)
      .def("attach",
           edit(+[](const M& x, const std::string& frame, const ModelHolder& other, const std::string& prefix) {
             return attach(x, frame, other.robot, prefix);
           }),
           "frame"_a, "other"_a, "prefix"_a = "")
      .def("with_payload", edit(+[](const M& x, const std::string& frame, double mass, const Vec& com, const Mat& I) {
             return with_payload(x, frame, {mass, com, I});
           }),
           "frame"_a, "mass"_a, "com"_a = zero, "inertia"_a = zeros)
      .def("submodel", edit(+[](const M& x, const std::string& body) { return submodel(x, body); }), "body"_a)
      .def("to_urdf", [](const ModelHolder& h) { return write_urdf(h.robot); })
      .def("describe", [](const ModelHolder& h) { return describe(h.robot); })
      .def("neutral", [](const ModelHolder& h) -> Vector { return neutral(h.robot); })
      .def(
          "random_configuration",
          [](const ModelHolder& h, const py::object& rng) -> Vector {
            std::mt19937_64 generator(seed(rng));
            return random_configuration(h.robot, generator);
          },
          "rng"_a = py::none(), "Within the limits; rng is a Generator of numpy.")
      .def(
          "normalize", [](const ModelHolder& h, Vector q) { return normalize(h.robot, q), q; }, "q"_a,
          "q with quaternions and unit vectors of length one.")
      .def(
          "check_configuration",
          [](const ModelHolder& h, const Vector& q, double tol) { check_configuration(h.robot, q, tol); }, "q"_a,
          "tolerance"_a = 1e-6, "Raises an error that names the joint whose numbers are no configuration.")
      .def(
          "assemble",
          [](ModelHolder& h, const Vector& q) { return closed(assemble<double>(h.robot, h.data, h.loops, q)); }, "q"_a,
          "The configuration near q in which the loops are closed.")
      .def("inverse_kinematics", find_configuration, "targets"_a, "q"_a, py::kw_only(), "restarts"_a = 0,
           "q, reached, residual, worst; targets are {frame: position} or {frame: (rotation, translation)}.");
  bind_values(
      model, [](const ModelHolder& h) { return py::make_tuple(py::bytes(h.origin), h.changes); },
      [](const py::tuple& t) { return restored(t[0].cast<std::string>(), t[1].cast<Changes>()); },
      [](const ModelHolder& a, const ModelHolder& b) { return contents(a.robot) == contents(b.robot); },
      [](const ModelHolder& h) { return "Model '" + h.robot.name() + "', " + std::to_string(h.bodies) + " bodies"; });
}

void bind_mechanism(py::module_& m) {
  using Near = std::optional<Vector>;
  const auto make = [](const std::shared_ptr<ModelHolder>& model, const Names& independent, const Near& q) {
    auto held = std::make_shared<MechanismHolder>(q ? Mechanism<double>(model->robot, model->loops, independent, *q)
                                                  : independent.empty() ? Mechanism<double>(model->robot)
                                                                        : Mechanism<double>(model->robot, independent));
    held->model = restored(*model);  // the model may change later, the mechanism does not
    held->independent = independent, held->near = q;
    return held;
  };
  py::class_<MechanismHolder, AnyRobot, std::shared_ptr<MechanismHolder>> mechanism(
      m, "Mechanism", "A robot with closed loops, in independent speeds.", py::is_final());
  types.mechanism = reinterpret_cast<PyTypeObject*>(mechanism.ptr());
  mechanism.def(py::init(make), "model"_a, "independent"_a = Names(), "q"_a = py::none())
      .def_property_readonly(
          "model", [](const MechanismHolder& h) { return restored(*h.model); }, "A copy of its tree.")
      .def(
          "v_indices", [](const MechanismHolder& h, const Names& n) { return h.robot.v_indices(n); }, "names"_a)
      .def(
          "assemble", [](MechanismHolder& h, const Vector& q) { return closed(assemble<double>(h.robot, h.data, q)); },
          "q"_a, "The configuration near q in which the loops are closed.");
  bind_values(
      mechanism, [](const MechanismHolder& h) { return py::make_tuple(h.model, h.independent, h.near); },
      [=](const py::tuple& t) {
        return make(t[0].cast<std::shared_ptr<ModelHolder>>(), t[1].cast<Names>(), t[2].cast<Near>());
      },
      [](const MechanismHolder& a, const MechanismHolder& b) {
        return contents(a.model->robot) == contents(b.model->robot) && a.independent == b.independent &&
               a.near == b.near;
      },
      [](const MechanismHolder& h) { return "Mechanism of '" + h.tree().name() + "'"; });
}

/// Functions of no robot.
void bind_coordinates(py::module_& m) {
  using Matrix = Eigen::MatrixXd;
  m.def(
      "change_of_coordinates",
      [](const Matrix& M, const Matrix& C, const Vector& g, const Matrix& A, const Matrix& Adot) {
        EquationsOfMotion<double> from{M, C, g, {}}, to;
        Matrix work;
        change_of_coordinates(from, A, Adot, work, to);
        return py::make_tuple(to.M, to.C, to.g);
      },
      "M"_a, "C"_a, "g"_a, "A"_a, "Adot"_a, "M, C, g in velocities v' with v = A v', where A may have fewer columns.");
  m.def(
      "euler_rates",
      [](const std::array<int, 3>& axes, const Vec& angles) {
        const auto rates = euler_rates<double>(axes, angles);
        return py::make_tuple(Mat(rates.E), Mat(rates.Gamma));
      },
      "axes"_a, "angles"_a, "E and Gamma, w = E dq/dt and dq/dt = Gamma w, for angles about axes 0, 1 or 2.");
}

void bind_files(py::module_& m) {
  const auto options = [](bool floating, bool wrap_continuous) {
    urdf::Options o;
    if (floating) o.root = joint::FreeFlyer{};
    o.wrap_continuous = wrap_continuous;
    return o;
  };
  using Path = std::filesystem::path;
  auto urdf = m.def_submodule("urdf", "Robots in URDF.");
  urdf.def(
      "load", [=](const Path& p, bool floating, bool wrap) { return hold(urdf::load(p, options(floating, wrap))); },
      "path"_a, py::kw_only(), "floating"_a = false, "wrap_continuous"_a = false);
  urdf.def(
      "parse",
      [=](const std::string& t, bool floating, bool wrap) { return hold(urdf::parse(t, options(floating, wrap))); },
      "text"_a, py::kw_only(), "floating"_a = false, "wrap_continuous"_a = false);
  auto mjcf = m.def_submodule("mjcf", "Robots in MJCF.");
  mjcf.def(
      "load", [](const Path& p) { return hold(mjcf::load(p)); }, "path"_a);
  mjcf.def(
      "parse", [](const std::string& t) { return hold(mjcf::parse(t)); }, "text"_a);
  auto zoo = m.def_submodule("zoo", "Sample robots.");
  zoo.def(
      "serial_chain", [](int n) { return hold(zoo::serial_chain<double>(n)); }, "n"_a);
  zoo.def(
      "binary_tree", [](int n) { return hold(zoo::binary_tree<double>(n)); }, "n"_a);
  zoo.def(
      "tree", [](int n, int branching) { return hold(zoo::tree<double>(n, branching)); }, "n"_a, "branching"_a);
#define CORIO_SAMPLE(name) zoo.def(#name, [] { return hold(zoo::name<double>()); });
  CORIO_SAMPLE(biped)
  CORIO_SAMPLE(quadruped)
  CORIO_SAMPLE(humanoid)
  CORIO_SAMPLE(geared_arm)
  CORIO_SAMPLE(four_bar_leg)
  CORIO_SAMPLE(differential_wrist)
  CORIO_SAMPLE(parallel_biped)
  CORIO_SAMPLE(delta_robot)
  CORIO_SAMPLE(stewart_platform)
  CORIO_SAMPLE(bricard_loop)
#undef CORIO_SAMPLE
}

}  // namespace

std::shared_ptr<ModelHolder> hold(const M& model) { return restored(contents(model), {}); }

void bind_models(py::module_& m) {
  py::class_<AnyRobot, std::shared_ptr<AnyRobot>>(m, "Robot", "A Model or a Mechanism.")
      .def_readonly("nq", &AnyRobot::nq)
      .def_readonly("nv", &AnyRobot::nv);
  bind_model(m), bind_builder(m), bind_mechanism(m), bind_coordinates(m), bind_files(m);
}

}  // namespace corio::python
