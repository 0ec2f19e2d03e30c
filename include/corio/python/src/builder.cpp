// ModelBuilder with keywords.
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "classes.hpp"

namespace py = pybind11;
using namespace py::literals;

namespace corio::python {
namespace {

using Builder = ModelBuilder<double>;
using Names = std::vector<std::string>;
using Numbers = std::vector<double>;
using Vec = Eigen::Vector3d;
using Mat = Eigen::Matrix3d;

void add_body(Builder& b, const std::string& name, const std::string& parent, const std::string& joint, const Vec& axis,
              double pitch, const Mat& rotation, const Vec& translation, double mass, const Vec& com,
              const Mat& inertia, const std::string& joint_name, const Numbers& armature, const Numbers& damping,
              const Numbers& friction, const Numbers& lower, const Numbers& upper, const Numbers& velocity,
              const Numbers& effort) {
  BodySpec<double> spec{.name = name, .parent = parent, .joint = joint_of(joint, axis, pitch)};
  spec.placement = {rotation, translation};
  spec.inertia = {mass, com, inertia};
  spec.joint_name = joint_name, spec.armature = armature;
  spec.passive.damping = damping, spec.passive.friction = friction;
  spec.limits.lower = lower, spec.limits.upper = upper;
  spec.limits.velocity = velocity, spec.limits.effort = effort;
  b.add_body(spec);
}

void close_loop(Builder& b, const std::string& name, const std::string& first, const std::string& second,
                const std::string& closure, const Vec& axis, double length, const Names& dependent) {
  if (closure == "point") return b.close_loop(name, first, second, closure::Point(), dependent);
  if (closure == "revolute") return b.close_loop(name, first, second, closure::Revolute{axis}, dependent);
  if (closure == "prismatic") return b.close_loop(name, first, second, closure::Prismatic{axis}, dependent);
  if (closure == "weld") return b.close_loop(name, first, second, closure::Weld(), dependent);
  if (closure == "distance") return b.close_loop(name, first, second, closure::Distance{length}, dependent);
  throw ModelError("closure is '" + closure + "', expected 'point', 'revolute', 'prismatic', 'weld' or 'distance'");
}

}  // namespace

joint::JointSpec<double> joint_of(const std::string& type, const Vec& axis, double pitch) {
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

void bind_builder(py::module_& m) {
  const Mat identity = Mat::Identity(), zeros = Mat::Zero();
  const Vec zero = Vec::Zero(), z = Vec::UnitZ();
  const Numbers none;
  py::class_<Builder>(m, "ModelBuilder", "Collects bodies in any order and builds a Model from them.")
      .def(py::init<std::string>(), "name"_a = "model")
      .def("add_body", add_body, "name"_a, py::kw_only(), "parent"_a = "", "joint"_a = "fixed", "axis"_a = z,
           "pitch"_a = 0.0, "rotation"_a = identity, "translation"_a = zero, "mass"_a = 0.0, "com"_a = zero,
           "inertia"_a = zeros, "joint_name"_a = "", "armature"_a = none, "damping"_a = none, "friction"_a = none,
           "lower"_a = none, "upper"_a = none, "velocity"_a = none, "effort"_a = none,
           "A body and the joint that carries it; rotation and translation are the pose of the joint frame in the "
           "parent's frame, inertia (kg m^2) is about the com (m), both in the body's frame.")
      .def(
          "add_frame",
          [](Builder& b, const std::string& name, const std::string& body, const Mat& R, const Vec& p) {
            b.add_frame(name, body, Pose<double>{R, p});
          },
          "name"_a, "body"_a = "", "rotation"_a = identity, "translation"_a = zero)
      .def("close_loop", close_loop, "name"_a, "first"_a, "second"_a, "closure"_a, py::kw_only(), "axis"_a = z,
           "length"_a = 1.0, "dependent"_a = Names())
      .def(
          "couple",
          [](Builder& b, const std::string& name, const std::vector<std::pair<std::string, double>>& terms,
             double offset, const Names& dependent) {
            std::vector<CouplingTerm> all;
            for (const auto& [joint, factor] : terms) all.push_back({joint, factor});
            b.couple(name, all, offset, dependent);
          },
          "name"_a, "terms"_a, "offset"_a = 0.0, "dependent"_a = Names(),
          "Couples joints by sum factor_i q_i = offset; terms are pairs (joint, factor).")
      .def(
          "add_rotor",
          [](Builder& b, const std::string& joint, double inertia, double ratio) {
            b.add_rotor({.joint = joint, .inertia = inertia, .ratio = ratio});
          },
          "joint"_a, "inertia"_a, "ratio"_a = 1.0)
      .def(
          "set_gravity", [](Builder& b, const Vec& g) { b.set_gravity(g); }, "gravity"_a)
      .def("build", [](const Builder& b) { return hold(b.build()); });
}

}  // namespace corio::python
