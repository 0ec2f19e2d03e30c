// Model, ModelBuilder, Mechanism, files and samples.
#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <random>

#include "classes.hpp"
#include "corio/io/mjcf.hpp"
#include "corio/io/urdf.hpp"
#include "corio/io/write_urdf.hpp"
#include "corio/loops/inverse_kinematics.hpp"
#include "corio/model/edit.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "specification.hpp"

namespace py = pybind11;

namespace corio::python {
namespace {

using Changes = std::map<std::string, std::vector<double>>;
using Builder = ModelBuilder<double>;

/// A setter of Model that Python may call, repeated when a model is unpickled: key is its name, after a space the body.
void change(Model<double>& model, const std::string& key, const std::vector<double>& x) {
  const Eigen::Map<const Eigen::VectorXd> all(x.data(), static_cast<Eigen::Index>(x.size()));
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
void set_vector(ModelHolder& h, const std::string& key, const Eigen::VectorXd& x) {
  set(h, key, {x.data(), x.data() + x.size()});
}

std::shared_ptr<ModelHolder> restored(const std::string& bytes, const Changes& changes) {
  auto held = std::make_shared<ModelHolder>(from_bytes(bytes).build());
  held->origin = bytes;
  for (const auto& [key, x] : changes) set(*held, key, x);
  return held;
}
/// The model is built once more from its own specifications, so that a copy made from these is equal bit for bit.
std::shared_ptr<ModelHolder> hold(const Model<double>& model) {
  return restored(to_bytes(to_builder(model), model), {});
}
std::string contents(const Model<double>& model) { return to_bytes(to_builder(model), model); }

InertialParameters<double> inertial(double mass, const Eigen::Vector3d& com, const Eigen::Matrix3d& inertia) {
  return {mass, com, inertia};
}
Pose<double> pose(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& translation) {
  return {rotation, translation};
}

joint::JointSpec<double> joint_of(const std::string& type, const Eigen::Vector3d& axis, double pitch) {
  const Vector3<double> n = axis;
  if (type == "revolute") return joint::Revolute(n);
  if (type == "continuous") return joint::Continuous(n);
  if (type == "prismatic") return joint::Prismatic(n);
  if (type == "helical") return joint::Helical(n, pitch);
  if (type == "cylindrical") return joint::Cylindrical(n);
  if (type == "planar") return joint::Planar(n);
  if (type == "translation") return joint::Translation();
  if (type == "spherical") return joint::Spherical();
  if (type == "free_flyer") return joint::FreeFlyer();
  if (type == "fixed") return joint::Fixed();
  throw ModelError("joint is '" + type +
                   "', expected 'revolute', 'continuous', 'prismatic', 'helical', 'cylindrical', "
                   "'planar', 'translation', 'spherical', 'free_flyer' or 'fixed'");
}

const Eigen::Matrix3d identity = Eigen::Matrix3d::Identity(), zeros33 = Eigen::Matrix3d::Zero();
const Eigen::Vector3d zero = Eigen::Vector3d::Zero(), z_axis = Eigen::Vector3d::UnitZ();

std::vector<std::string> names(const auto& all) {
  std::vector<std::string> list;
  for (const auto& x : all) list.push_back(x.name());
  return list;
}
std::uint64_t seed(const py::object& rng) {
  const py::object numpy = py::module_::import("numpy").attr("random").attr("default_rng");
  return (rng.is_none() ? numpy() : rng).attr("integers")(0, 1ll << 62).cast<std::uint64_t>();
}

void bind_builder(py::module_& m) {
  py::class_<Builder>(m, "ModelBuilder", "Collects bodies in any order and builds a Model from them.")
      .def(py::init<std::string>(), py::arg("name") = "model")
      .def(
          "add_body",
          [](Builder& b, const std::string& name, const std::string& parent, const std::string& joint,
             const Eigen::Vector3d& axis, double pitch, const Eigen::Matrix3d& rotation,
             const Eigen::Vector3d& translation, double mass, const Eigen::Vector3d& com,
             const Eigen::Matrix3d& inertia, const std::string& joint_name, const std::vector<double>& armature,
             const std::vector<double>& damping, const std::vector<double>& friction, const std::vector<double>& lower,
             const std::vector<double>& upper, const std::vector<double>& velocity, const std::vector<double>& effort) {
            BodySpec<double> spec{.name = name, .parent = parent, .joint = joint_of(joint, axis, pitch)};
            spec.placement = pose(rotation, translation);
            spec.inertia = inertial(mass, com, inertia);
            spec.joint_name = joint_name, spec.armature = armature;
            spec.passive.damping = damping, spec.passive.friction = friction;
            spec.limits.lower = lower, spec.limits.upper = upper;
            spec.limits.velocity = velocity, spec.limits.effort = effort;
            b.add_body(spec);
          },
          py::arg("name"), py::kw_only(), py::arg("parent") = "", py::arg("joint") = "fixed", py::arg("axis") = z_axis,
          py::arg("pitch") = 0.0, py::arg("rotation") = identity, py::arg("translation") = zero, py::arg("mass") = 0.0,
          py::arg("com") = zero, py::arg("inertia") = zeros33, py::arg("joint_name") = "",
          py::arg("armature") = std::vector<double>(), py::arg("damping") = std::vector<double>(),
          py::arg("friction") = std::vector<double>(), py::arg("lower") = std::vector<double>(),
          py::arg("upper") = std::vector<double>(), py::arg("velocity") = std::vector<double>(),
          py::arg("effort") = std::vector<double>(),
          "A body and the joint that carries it; rotation and translation are the pose of the joint frame in the "
          "parent's "
          "frame, inertia (kg m^2) is about the com (m), both in the body's frame.")
      .def(
          "add_frame",
          [](Builder& b, const std::string& name, const std::string& body, const Eigen::Matrix3d& R,
             const Eigen::Vector3d& p) { b.add_frame(name, body, pose(R, p)); },
          py::arg("name"), py::arg("body") = "", py::arg("rotation") = identity, py::arg("translation") = zero)
      .def(
          "close_loop",
          [](Builder& b, const std::string& name, const std::string& first, const std::string& second,
             const std::string& closure, const Eigen::Vector3d& axis, double length,
             const std::vector<std::string>& dependent) {
            if (closure == "point") return b.close_loop(name, first, second, closure::Point(), dependent);
            if (closure == "revolute") return b.close_loop(name, first, second, closure::Revolute{axis}, dependent);
            if (closure == "prismatic") return b.close_loop(name, first, second, closure::Prismatic{axis}, dependent);
            if (closure == "weld") return b.close_loop(name, first, second, closure::Weld(), dependent);
            if (closure == "distance") return b.close_loop(name, first, second, closure::Distance{length}, dependent);
            throw ModelError("closure is '" + closure +
                             "', expected 'point', 'revolute', 'prismatic', 'weld' or 'distance'");
          },
          py::arg("name"), py::arg("first"), py::arg("second"), py::arg("closure"), py::kw_only(),
          py::arg("axis") = z_axis, py::arg("length") = 1.0, py::arg("dependent") = std::vector<std::string>())
      .def(
          "couple",
          [](Builder& b, const std::string& name, const std::vector<std::pair<std::string, double>>& terms,
             double offset, const std::vector<std::string>& dependent) {
            std::vector<CouplingTerm> all;
            for (const auto& [joint, factor] : terms) all.push_back({joint, factor});
            b.couple(name, all, offset, dependent);
          },
          py::arg("name"), py::arg("terms"), py::arg("offset") = 0.0, py::arg("dependent") = std::vector<std::string>(),
          "Couples joints by sum factor_i q_i = offset; terms are pairs (joint, factor).")
      .def(
          "add_rotor",
          [](Builder& b, const std::string& joint, double inertia, double ratio) {
            b.add_rotor({.joint = joint, .inertia = inertia, .ratio = ratio});
          },
          py::arg("joint"), py::arg("inertia"), py::arg("ratio") = 1.0)
      .def(
          "set_gravity", [](Builder& b, const Eigen::Vector3d& g) { b.set_gravity(g); }, py::arg("gravity"))
      .def("build", [](const Builder& b) { return hold(b.build()); });
}

void bind_model(py::module_& m) {
  const auto vector = [](const VectorX<double>& (Model<double>::*f)() const) {
    return [f](const ModelHolder& h) -> Eigen::VectorXd { return (h.robot.*f)(); };
  };
  const auto setter = [](const char* key) {
    return [key](ModelHolder& h, const Eigen::VectorXd& x) { set_vector(h, key, x); };
  };
  using M = Model<double>;
  py::class_<ModelHolder, AnyRobot, std::shared_ptr<ModelHolder>> model(
      m, "Model", "A kinematic tree with its inertia.", py::is_final());
  types.model = reinterpret_cast<PyTypeObject*>(model.ptr());
  model.def_property_readonly("name", [](const ModelHolder& h) { return h.robot.name(); })
      .def_property_readonly(
          "joints", [](const ModelHolder& h) { return names(h.robot.joints()); }, "Names, in the order of q.")
      .def_property_readonly(
          "bodies", [](const ModelHolder& h) { return names(h.robot.bodies()); }, "Names.")
      .def_property_readonly(
          "frames", [](const ModelHolder& h) { return names(h.robot.frames()); }, "Names, bodies first.")
      .def_property_readonly("loops",
                             [](const ModelHolder& h) {
                               std::vector<std::string> list;
                               for (const LoopSpec& x : h.robot.loops()) list.push_back(x.name);
                               return list;
                             })
      .def_property_readonly(
          "notes",
          [](const ModelHolder& h) {
            std::vector<std::string> list;
            for (const Note& x : h.robot.notes()) list.push_back(to_string(x));
            return list;
          },
          "What was questionable in its file, and accepted.")
      .def_property_readonly("total_mass", [](const ModelHolder& h) { return h.robot.total_mass(); })
      .def_property_readonly("lower_limit", vector(&M::lower_limit))
      .def_property_readonly("upper_limit", vector(&M::upper_limit))
      .def_property_readonly("velocity_limit", vector(&M::velocity_limit))
      .def_property_readonly("effort_limit", vector(&M::effort_limit))
      .def_property(
          "gravity", [](const ModelHolder& h) -> Eigen::Vector3d { return h.robot.gravity(); },
          [](ModelHolder& h, const Eigen::Vector3d& g) { set_vector(h, "gravity", g); }, "m/s^2, world axes.")
      .def(
          "set_gravity", [](ModelHolder& h, const Eigen::Vector3d& g) { set_vector(h, "gravity", g); },
          py::arg("gravity"))
      .def_property("armature", vector(&M::armature), setter("armature"))
      .def_property("damping", vector(&M::damping), setter("damping"))
      .def_property("friction", vector(&M::friction), setter("friction"))
      .def_property_readonly("stiffness", vector(&M::stiffness))
      .def_property_readonly("rest_configuration", vector(&M::rest_configuration))
      .def(
          "set_springs",
          [](ModelHolder& h, const Eigen::VectorXd& stiffness, const Eigen::VectorXd& rest) {
            Eigen::VectorXd both(stiffness.size() + rest.size());
            both << stiffness, rest;
            if (stiffness.size() != h.nv)
              throw SizeError("set_springs: stiffness must have " + std::to_string(h.nv) + " numbers");
            set_vector(h, "springs", both);
          },
          py::arg("stiffness"), py::arg("rest_configuration"))
      .def(
          "q_indices", [](const ModelHolder& h, const std::vector<std::string>& n) { return h.robot.q_indices(n); },
          py::arg("names"))
      .def(
          "v_indices", [](const ModelHolder& h, const std::vector<std::string>& n) { return h.robot.v_indices(n); },
          py::arg("names"))
      .def(
          "inertia",
          [](const ModelHolder& h, const std::string& body) {
            const auto p = h.robot.inertia(body);
            return py::make_tuple(p.mass, Eigen::Vector3d(p.com), Eigen::Matrix3d(p.inertia));
          },
          py::arg("body"), "mass (kg), com (m), inertia about the com (kg m^2), in the body's frame.")
      .def(
          "set_inertia",
          [](ModelHolder& h, const std::string& body, double mass, const Eigen::Vector3d& com,
             const Eigen::Matrix3d& I) {
            std::vector<double> x{mass, com[0], com[1], com[2]};
            x.insert(x.end(), I.data(), I.data() + 9);
            set(h, "inertia " + body, x);
          },
          py::arg("body"), py::arg("mass"), py::arg("com"), py::arg("inertia"))
      .def(
          "lock_joints",
          [](const ModelHolder& h, const std::vector<std::string>& n, const Eigen::VectorXd& q) {
            return hold(lock_joints(h.robot, n, q));
          },
          py::arg("names"), py::arg("q"))
      .def(
          "replace_joint",
          [](const ModelHolder& h, const std::string& name, const std::string& joint, const Eigen::Vector3d& axis,
             double pitch) { return hold(replace_joint(h.robot, name, joint_of(joint, axis, pitch))); },
          py::arg("name"), py::arg("joint"), py::arg("axis") = z_axis, py::arg("pitch") = 0.0)
      .def(
          "attach",
          [](const ModelHolder& h, const std::string& frame, const ModelHolder& other, const std::string& prefix) {
            return hold(attach(h.robot, frame, other.robot, prefix));
          },
          py::arg("frame"), py::arg("other"), py::arg("prefix") = "")
      .def(
          "with_payload",
          [](const ModelHolder& h, const std::string& frame, double mass, const Eigen::Vector3d& com,
             const Eigen::Matrix3d& I) { return hold(with_payload(h.robot, frame, inertial(mass, com, I))); },
          py::arg("frame"), py::arg("mass"), py::arg("com") = zero, py::arg("inertia") = zeros33)
      .def(
          "submodel", [](const ModelHolder& h, const std::string& body) { return hold(submodel(h.robot, body)); },
          py::arg("body"))
      .def("to_urdf", [](const ModelHolder& h) { return write_urdf(h.robot); })
      .def("describe", [](const ModelHolder& h) { return describe(h.robot); })
      .def("neutral", [](const ModelHolder& h) -> Eigen::VectorXd { return neutral(h.robot); })
      .def(
          "random_configuration",
          [](const ModelHolder& h, const py::object& rng) -> Eigen::VectorXd {
            std::mt19937_64 generator(seed(rng));
            return random_configuration(h.robot, generator);
          },
          py::arg("rng") = py::none(), "Within the limits; rng is a Generator of numpy.")
      .def(
          "assemble",
          [](ModelHolder& h, const Eigen::VectorXd& q) {
            const auto found = assemble<double>(h.robot, h.data, Loops<double>(h.robot), q);
            if (!found.closed)
              throw Error("assemble: loop '" + found.worst + "' stays open by " + std::to_string(found.residual));
            return Eigen::VectorXd(found.q);
          },
          py::arg("q"), "The configuration near q in which the loops are closed.")
      .def(
          "inverse_kinematics",
          [](ModelHolder& h, const std::map<std::string, py::object>& targets, const Eigen::VectorXd& q, int restarts) {
            std::vector<PoseTarget<double>> all;
            for (const auto& [frame, target] : targets) {
              const auto numbers = target.cast<py::sequence>();
              const bool is_pose = numbers.size() == 2;
              all.push_back({h.robot.frame(frame),
                             is_pose ? pose(numbers[0].cast<Eigen::Matrix3d>(), numbers[1].cast<Eigen::Vector3d>())
                                     : pose(identity, target.cast<Eigen::Vector3d>()),
                             is_pose ? PoseTarget<double>::Of::pose : PoseTarget<double>::Of::position});
            }
            InverseKinematicsOptions<double> options;
            options.restarts = restarts;
            const auto found = inverse_kinematics<double>(h.robot, h.data, all, q, options);
            return py::make_tuple(Eigen::VectorXd(found.q), found.reached, found.residual, found.worst);
          },
          py::arg("targets"), py::arg("q"), py::kw_only(), py::arg("restarts") = 0,
          "q, reached, residual, worst; targets are {frame: position} or {frame: (rotation, translation)}.")
      .def("__eq__",
           [](const ModelHolder& a, const py::object& b) {
             return py::isinstance<ModelHolder>(b) && contents(a.robot) == contents(b.cast<const ModelHolder&>().robot);
           })
      .def("copy", [](const ModelHolder& h) { return restored(h.origin, h.changes); })
      .def("__copy__", [](const ModelHolder& h) { return restored(h.origin, h.changes); })
      .def("__deepcopy__", [](const ModelHolder& h, const py::dict&) { return restored(h.origin, h.changes); })
      .def(py::pickle([](const ModelHolder& h) { return py::make_tuple(py::bytes(h.origin), h.changes); },
                      [](const py::tuple& t) { return restored(t[0].cast<std::string>(), t[1].cast<Changes>()); }))
      .def("__repr__", [](const ModelHolder& h) {
        return "<corio.Model '" + h.robot.name() + "': " + std::to_string(h.bodies) +
               " bodies, nq = " + std::to_string(h.nq) + ", nv = " + std::to_string(h.nv) + ">";
      });
  model.attr("__hash__") = py::none();
}

void bind_mechanism(py::module_& m) {
  using Names = std::vector<std::string>;
  const auto make = [](const std::shared_ptr<ModelHolder>& model, const Names& independent,
                       const std::optional<Eigen::VectorXd>& q) {
    auto held = std::make_shared<MechanismHolder>(
        q                     ? Mechanism<double>(model->robot, Loops<double>(model->robot), independent, *q)
        : independent.empty() ? Mechanism<double>(model->robot)
                              : Mechanism<double>(model->robot, independent));
    held->model = restored(model->origin, model->changes);  // the model may change later, the mechanism does not
    held->independent = independent, held->near = q;
    return held;
  };
  const auto copy = [=](const MechanismHolder& h) { return make(h.model, h.independent, h.near); };
  py::class_<MechanismHolder, AnyRobot, std::shared_ptr<MechanismHolder>> mechanism(
      m, "Mechanism", "A robot with closed loops, in independent speeds.", py::is_final());
  types.mechanism = reinterpret_cast<PyTypeObject*>(mechanism.ptr());
  mechanism.def(py::init(make), py::arg("model"), py::arg("independent") = Names(), py::arg("q") = py::none())
      .def_property_readonly(
          "model", [](const MechanismHolder& h) { return restored(h.model->origin, h.model->changes); },
          "A copy of its tree.")
      .def(
          "v_indices", [](const MechanismHolder& h, const Names& n) { return h.robot.v_indices(n); }, py::arg("names"))
      .def(
          "assemble",
          [](MechanismHolder& h, const Eigen::VectorXd& q) {
            const auto found = assemble<double>(h.robot, h.data, q);
            if (!found.closed)
              throw Error("assemble: loop '" + found.worst + "' stays open by " + std::to_string(found.residual));
            return Eigen::VectorXd(found.q);
          },
          py::arg("q"))
      .def("__eq__",
           [](const MechanismHolder& a, const py::object& other) {
             if (!py::isinstance<MechanismHolder>(other)) return false;
             const auto& b = other.cast<const MechanismHolder&>();
             return contents(a.model->robot) == contents(b.model->robot) && a.independent == b.independent &&
                    a.near == b.near;
           })
      .def("copy", copy)
      .def("__copy__", copy)
      .def("__deepcopy__", [=](const MechanismHolder& h, const py::dict&) { return copy(h); })
      .def(py::pickle([](const MechanismHolder& h) { return py::make_tuple(h.model, h.independent, h.near); },
                      [=](const py::tuple& t) {
                        return make(t[0].cast<std::shared_ptr<ModelHolder>>(), t[1].cast<Names>(),
                                    t[2].cast<std::optional<Eigen::VectorXd>>());
                      }))
      .def("__repr__", [](const MechanismHolder& h) {
        return "<corio.Mechanism of '" + h.tree().name() + "': nq = " + std::to_string(h.nq) +
               ", nv = " + std::to_string(h.nv) + ">";
      });
  mechanism.attr("__hash__") = py::none();
}

void bind_files(py::module_& m) {
  const auto options = [](bool floating, bool wrap_continuous) {
    urdf::Options o;
    if (floating) o.root = joint::FreeFlyer{};
    o.wrap_continuous = wrap_continuous;
    return o;
  };
  auto urdf = m.def_submodule("urdf", "Robots in URDF.");
  urdf.def(
      "load",
      [=](const std::filesystem::path& p, bool floating, bool wrap) {
        return hold(urdf::load(p, options(floating, wrap)));
      },
      py::arg("path"), py::kw_only(), py::arg("floating") = false, py::arg("wrap_continuous") = false);
  urdf.def(
      "parse",
      [=](const std::string& t, bool floating, bool wrap) { return hold(urdf::parse(t, options(floating, wrap))); },
      py::arg("text"), py::kw_only(), py::arg("floating") = false, py::arg("wrap_continuous") = false);
  auto mjcf = m.def_submodule("mjcf", "Robots in MJCF.");
  mjcf.def(
      "load", [](const std::filesystem::path& p) { return hold(mjcf::load(p)); }, py::arg("path"));
  mjcf.def(
      "parse", [](const std::string& t) { return hold(mjcf::parse(t)); }, py::arg("text"));
  auto zoo = m.def_submodule("zoo", "Sample robots.");
  zoo.def(
      "serial_chain", [](int n) { return hold(zoo::serial_chain<double>(n)); }, py::arg("n"));
  zoo.def(
      "binary_tree", [](int n) { return hold(zoo::binary_tree<double>(n)); }, py::arg("n"));
  zoo.def(
      "tree", [](int n, int branching) { return hold(zoo::tree<double>(n, branching)); }, py::arg("n"),
      py::arg("branching"));
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

void bind_models(py::module_& m) {
  py::class_<AnyRobot, std::shared_ptr<AnyRobot>>(m, "Robot", "A Model or a Mechanism.")
      .def_readonly("nq", &AnyRobot::nq)
      .def_readonly("nv", &AnyRobot::nv);
  bind_model(m), bind_builder(m), bind_mechanism(m), bind_files(m);
}

}  // namespace corio::python
