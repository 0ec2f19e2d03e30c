#pragma once

#include <numbers>

#include "corio/io/mjcf/part.hpp"
#include "corio/model/builder.hpp"
#include "corio/solvers/jacobi.hpp"

/// Inertia of an MJCF body: from <inertial>, or from its geoms as in MuJoCo's compiler.
namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

/// Volume of a primitive shape, and its principal moments of inertia about its centre for unit mass.
struct Shape {
  double volume;
  Vector3<double> moments;
};

/// @param a, b, c  half sizes: the radius of round shapes, and half the length along z of long ones
inline Shape shape(const std::string& type, double a, double b, double c) {
  constexpr double pi = std::numbers::pi;
  const Vector3<double> ellipsoid(b * b + c * c, a * a + c * c, a * a + b * b);
  if (type == "box") return {8 * a * b * c, (1.0 / 3.0) * ellipsoid};
  if (type == "ellipsoid") return {4 * pi / 3 * a * b * c, 0.2 * ellipsoid};
  if (type == "sphere") return {4 * pi / 3 * a * a * a, (0.4 * a * a) * Vector3<double>(1, 1, 1)};
  const double across = a * a / 4 + b * b / 3;  // cylinder of length 2 b
  if (type == "cylinder") return {2 * pi * a * a * b, {across, across, a * a / 2}};
  // A capsule ends in half spheres, whose centres of mass are 3 a / 8 outside of the cylinder.
  const double ends = 2 * a / (2 * a + 3 * b);  // share of the half spheres in the volume
  const double across_ends = 0.4 * a * a + b * (b + 0.75 * a);
  return {2 * pi * a * a * b + 4 * pi / 3 * a * a * a,
          (1 - ends) * Vector3<double>(across, across, a * a / 2) +
              ends * Vector3<double>(across_ends, across_ends, 0.4 * a * a)};
}

/// Shape of a thin shell: its area, and its moments for unit mass, spread evenly over the area. The shell of an
/// ellipsoid is, as in MuJoCo, the layer between it and an ellipsoid whose half axes are all longer by one small
/// length, with Thomsen's area.
inline Shape shell(const std::string& type, double a, double b, double c) {
  constexpr double pi = std::numbers::pi;
  // Moments follow from the mean squares of the coordinates.
  const auto of = [](double area, double x, double y, double z) -> Shape { return {area, {y + z, x + z, x + y}}; };
  if (type == "box") {
    const double x = b * c, y = c * a, z = a * b, all = x + y + z;  // areas of faces
    return of(8 * all, a * a * (x + (y + z) / 3) / all, b * b * (y + (z + x) / 3) / all,
              c * c * (z + (x + y) / 3) / all);
  }
  if (type == "ellipsoid") {
    constexpr double p = 1.6075;
    const double sum = std::pow(a * b, p) + std::pow(b * c, p) + std::pow(c * a, p), growth = 1 / a + 1 / b + 1 / c;
    const auto square = [growth](double r) { return r * r / 5 + 0.4 * r / growth; };
    return of(4 * pi * std::pow(sum / 3, 1 / p), square(a), square(b), square(c));
  }
  if (type == "sphere") return of(4 * pi * a * a, a * a / 3, a * a / 3, a * a / 3);
  // The shell is a side of length 2 b and two ends, discs or half spheres, with their shares of the area.
  const bool capsule = type == "capsule";
  const double end = capsule ? 2 * a : a, ends = end / (end + 2 * b), square_of_ends = capsule ? a * a / 3 : a * a / 4;
  const double across = (1 - ends) * a * a / 2 + ends * square_of_ends;
  const double along_ends = capsule ? b * b + a * b + a * a / 3 : b * b;
  return of(2 * pi * a * (2 * b + end), across, across, (1 - ends) * b * b / 3 + ends * along_ends);
}

/// The pose of a geom or site between two points: its z axis points from the second to the first.
inline Pose<double> pose_between(const Element& e, double* half_length = nullptr) {
  const auto ends = e.numbers("fromto", 6, 6);
  const Vector3<double> from = vector3(ends.data()), to = vector3(ends.data() + 3), along = from - to;
  const Vector3<double> at = e.vector("pos", zero3<double>());
  if (at[0] != 0.0 || at[1] != 0.0 || at[2] != 0.0)
    e.fail({"has both pos and fromto; keep one of them, here or in the default class"});
  if (half_length) *half_length = std::sqrt(dot(along, along)) / 2;
  return {least_rotation_to(unit(along, e, "fromto")), 0.5 * (from + to)};
}

/// An element of a body with all defaults applied, and the pose, in the body, of the <frame> elements around it.
struct PlacedElement {
  Element element;
  Pose<double> frame;
};
inline Pose<double> geom_pose(const PlacedElement& geom, const Compiler& compiler, double* half_length = nullptr) {
  const auto& [e, frame] = geom;
  return frame * (e.find("fromto") ? pose_between(e, half_length) : pose(e, compiler));
}

/// The inertia of a geom, scaled to its mass, which is given or density times volume.
inline Inertia<double> with_mass(const Element& e, double volume, const Matrix3<double>& inertia_per_mass) {
  const double mass =
      e.find("mass") ? (volume > 1e-15 ? e.nonnegative("mass", 0) : 0) : e.nonnegative("density", 1000) * volume;
  return Inertia<double>(InertialParameters<double>(mass, zero3<double>(), mass * inertia_per_mass));
}
inline Inertia<double> with_mass(const Element& e, const Shape& solid) {
  Matrix3<double> inertia = diagonal3(0.0);
  for (int i = 0; i < 3; ++i) inertia(i, i) = solid.moments[i];
  return with_mass(e, solid.volume, inertia);
}

/// Inertia of a primitive geom, with half sizes a, b, c.
inline Inertia<double> with_mass(const Element& e, const std::string& type, double a, double b, double c) {
  return with_mass(e, e.flag("shellinertia", false) ? shell(type, a, b, c) : shape(type, a, b, c));
}

/// The inertia of a geom with a mesh, by the mesh or by a primitive shape fitted to it.
inline Inertia<double> mesh_inertia(const PlacedElement& geom, Part& part) {
  const Element& e = geom.element;
  const std::string type = e.get("type", "sphere");
  if (e.find("fromto")) e.fail({"has both fromto and a mesh; keep one of them"});
  const mesh::Solid& solid = part.meshes->solid(e);
  const Pose<double> at = geom_pose(geom, part.compiler);
  if (type == "mesh" || type == "sdf") {
    const Pose<double> center{identity3<double>(), solid.center};
    return (at * center).act(with_mass(e, solid.volume, (1 / solid.volume) * solid.inertia));
  }
  if (part.compiler.fit_aabb)
    e.fail(
        {"is fitted to a mesh by fitaabb, which is not read: MuJoCo from 3.3.7 on fits another size and place than "
         "before; give the geom a size instead of the mesh, or its body an <inertial>"});
  const InertiaBox box = inertia_box(solid);
  const double scale = e.number("fitscale", 1), radius = (box.half[0] + box.half[1]) / 2;
  double size[] = {box.half[0], box.half[1], box.half[2]};
  if (type == "sphere") size[0] = (box.half[0] + box.half[1] + box.half[2]) / 3;
  if (type == "cylinder") size[0] = radius, size[1] = box.half[2];
  if (type == "capsule") size[0] = radius, size[1] = (std::max)(0.0, box.half[2] - radius / 2);
  return (at * box.pose).act(with_mass(e, type, scale * size[0], scale * size[1], scale * size[2]));
}

/// The half sizes of the box whose inertia a height field has in MuJoCo 3: as wide as the field, and as high as its
/// base with half of its greatest elevation. (In MuJoCo 2 it has no inertia, but belongs to bodies that do not move.)
inline Vector3<double> height_field_box(const Element& geom, const Part& part) {
  const std::string name = geom.get("hfield");
  for (const Element* assets : sections(part.root, "asset"))
    for (const Element& e : assets->children)
      if (e.name == "hfield" && e.get("name", path_in_file(e.get("file")).stem().string()) == name) {
        const auto size = e.numbers("size", 4, 4);
        if (std::ranges::any_of(size, [](double x) { return x <= 0.0; }))
          e.fail({"size=", xml::excerpt(e.get("size")), " must be positive"});
        return {size[0], size[1], size[2] / 4 + size[3] / 2};
      }
  geom.fail({"hfield=", xml::excerpt(name), " is not an hfield of <asset>"});
}

/// The contribution of a geom to the inertia of its body, about the body's origin.
inline Inertia<double> geom_inertia(const PlacedElement& geom, Part& part) {
  const Element& e = geom.element;
  const std::string type = e.get("type", "sphere");
  double half_length = 0;
  const bool between = e.find("fromto");
  if (type == "mesh" || type == "sdf" || e.find("mesh")) return mesh_inertia(geom, part);
  const Pose<double> at = geom_pose(geom, part.compiler, &half_length);
  if (type == "hfield") {
    const Vector3<double> half = height_field_box(e, part);
    return at.act(with_mass(e, "box", half[0], half[1], half[2]));
  }
  if (between && type == "sphere") e.fail({"fromto is for capsule, cylinder, box and ellipsoid"});
  const bool round = type == "capsule" || type == "cylinder";
  const std::size_t needed = between || type == "sphere" ? 1 : round ? 2 : 3;
  const auto size = e.numbers("size", needed, 3);
  const double a = size[0];
  const double b = between ? (round ? half_length : a) : needed > 1 ? size[1] : 0;
  const double c = between ? half_length : needed > 2 ? size[2] : 0;
  for (std::size_t i = 0; i < needed; ++i)
    if (!(size[i] > 0.0)) e.fail({"size=", xml::excerpt(e.get("size")), " must be positive"});
  return at.act(with_mass(e, type, a, b, c));
}

/// The inertia of the geoms in inertiagrouprange; nothing if that range has no geoms. If they have no mass, a single
/// geom still gives the centre of mass.
inline std::optional<InertialParameters<double>> inertia_of(const Element& body,
                                                            const std::vector<PlacedElement>& geoms, Parts& parts,
                                                            Notes& notes) {
  const Compiler& compiler = parts.of(body).compiler;
  std::vector<const PlacedElement*> counting;
  Inertia<double> sum = Inertia<double>::zero();
  for (const PlacedElement& geom : geoms) {
    const Element& e = geom.element;
    Part& part = parts.of(e);
    const double group = e.number("group", 0);
    const std::string type = e.choice(
        "type", "sphere", {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"});
    const bool massless = e.number(e.find("mass") ? "mass" : "density", 1000) == 0;
    if (group < compiler.groups[0] || group > compiler.groups[1]) continue;
    counting.push_back(&geom);
    if (massless || type == "plane") continue;
    if ((type == "mesh" || type == "sdf" || e.find("mesh")) && !part.meshes->reads()) {
      const std::string found = join({"the inertia of its body comes from a mesh, which is not read",
                                      type == "sdf" ? " (MuJoCo 3.0.0 and newer read type=\"sdf\")" : ""});
      if (part.meshes->others == Meshes::refuse)
        e.fail(
            {found,
             "; load with Options::solid_of_mesh = corio::mesh::solid (corio/io/mesh.hpp, corio::mesh), give the body "
             "an <inertial> (MuJoCo saves it with <compiler saveinertial=\"true\"/>), or load with Options::meshes = "
             "Meshes::massless"});
      notes.add(e, found, "it is treated as massless");
      continue;
    }
    if (compiler.discard_visual && e.number("contype", 1) == 0 && e.number("conaffinity", 1) == 0)
      notes.add(e, "discardvisual discards it", "its inertia is included, as in MuJoCo 3; not in MuJoCo 2");
    sum += geom_inertia(geom, part);
  }
  if (counting.empty()) return std::nullopt;
  InertialParameters<double> all(sum);
  if (all.mass == 0.0 && counting.size() == 1)
    all.com = geom_pose(*counting.front(), parts.of(counting.front()->element).compiler).translation;
  if (all.mass == 0.0 && counting.size() > 1 && compiler.bound_mass > 0.0)
    notes.add(body, "its geoms have no mass", "boundmass gives it a mass at its origin; MuJoCo rejects such a body");
  return all;
}

/// The inertia in an <inertial>.
inline InertialParameters<double> inertia_of(const Element& e, const Compiler& compiler) {
  e.numbers("pos", 3, 3);
  const Pose<double> at = pose(e, compiler);
  e.number("mass");
  Matrix3<double> inertia = diagonal3(0.0);
  if (e.find("fullinertia")) {
    for (const std::string_view one : orientations)
      if (e.find(std::string(one))) e.fail({"has both fullinertia and ", one, "; keep one of them"});
    if (e.find("diaginertia")) e.fail({"has both fullinertia and diaginertia; keep one of them"});
    const auto x = e.numbers("fullinertia", 6, 6);
    inertia = matrix3(x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]);
  } else if (e.find("diaginertia")) {
    const auto x = e.numbers("diaginertia", 3, 3);
    for (int i = 0; i < 3; ++i) inertia(i, i) = x[static_cast<std::size_t>(i)];
    inertia = at.rotation * inertia * transpose(at.rotation);
  }
  return {e.nonnegative("mass", 0), at.translation, inertia};
}

/// The inertia with boundmass, boundinertia and balanceinertia applied.
inline InertialParameters<double> bounded(InertialParameters<double> given, const Compiler& compiler) {
  given.mass = (std::max)(given.mass, compiler.bound_mass);
  if (!(compiler.bound_inertia > 0.0 || compiler.balance_inertia)) return given;
  if (!corio::detail::all_in_range(given.inertia)) return given;  // the builder rejects it later
  const corio::detail::SymmetricEigen<Matrix3<double>> principal(given.inertia);
  Vector3<double> x = principal.values;
  if (x[0] < compiler.bound_inertia) {
    for (int i = 0; i < 3; ++i) x[i] = (std::max)(x[i], compiler.bound_inertia);
    given.inertia = principal.vectors * x.asDiagonal() * principal.vectors.transpose();
  }
  if (compiler.balance_inertia && x[0] + x[1] < x[2]) given.inertia = diagonal3((x[0] + x[1] + x[2]) / 3.0);
  return given;
}

/// Inertia of a body by <inertial> or by its geoms.
inline InertialParameters<double> inertia_of(const Element& body, const Element* inertial,
                                             const std::vector<PlacedElement>& geoms, Parts& parts, Notes& notes) {
  const Compiler& compiler = parts.of(body).compiler;
  InertialParameters<double> inertia;
  // Without both, MuJoCo places the mass of boundmass as far from the body as the body is from its parent.
  inertia.com = pose(body, compiler).translation;
  if (inertial) inertia = inertia_of(*inertial, parts.of(*inertial).compiler);
  if (compiler.inertia_from_geom == "true" || (compiler.inertia_from_geom == "auto" && !inertial))
    inertia = inertia_of(body, geoms, parts, notes).value_or(inertia);
  return bounded(inertia, compiler);
}

}}}}  // namespace corio::mjcf::detail
