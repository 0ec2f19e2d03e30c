#include <numbers>

#include "corio/io/mjcf.hpp"
#include "io/rejection.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"

// Shells of primitive shapes, and height fields.

namespace shell_test {

using namespace corio;

/// Returns the inertia of a body with one geom.
InertialParameters<double> of_geom(const std::string& attributes, const std::string& assets = "") {
  return mjcf::parse("<mujoco><asset>" + assets + "</asset><worldbody><body name='b'><joint/><geom " + attributes +
                     "/></body></worldbody></mujoco>")
      .inertia("b");
}
std::string size_of(const std::string& type, const Vector3<double>& half) {
  std::string text = "type='" + type + "' size='";
  for (int i = 0; i < 3; ++i) text += detail::number(half[i]) + " ";
  return text + "'";
}

}  // namespace shell_test

TEST_CASE("mjcf: a shell is the layer by which a solid grows") {
  using namespace shell_test;
  const Vector3<double> half(0.1, 0.2, 0.3);
  // h is half the thickness. Differences of solids have an error of h^2, relative to the size.
  constexpr double h = 1e-3, error = 1e-3;
  struct Grown {
    const char* type;
    Vector3<double> by;
  };
  for (const auto& [type, by] : {Grown{"sphere", {h, 0, 0}}, Grown{"box", {h, h, h}}, Grown{"cylinder", {h, h, 0}},
                                 Grown{"capsule", {h, 0, 0}}}) {
    CAPTURE(type);
    const auto outer = of_geom(size_of(type, half + by)), inner = of_geom(size_of(type, half - by));
    const auto shell = of_geom(size_of(type, half) + " shellinertia='true'");  // 1000 kg/m^2
    CHECK(shell.mass == Approx((outer.mass - inner.mass) / (2 * h)).epsilon(error));
    CHECK(test::relative_error(shell.inertia, Matrix3<double>((outer.inertia - inner.inertia) / (2 * h))) < error);
    // A given mass is spread over the area, wherever the geom is placed.
    const auto light = of_geom(size_of(type, half) + " shellinertia='true' mass='2' pos='1 2 3'");
    CHECK(light.mass == Approx(2.0));
    CHECK(test::relative_error(light.com, Vector3<double>(1, 2, 3)) < 1e-14);
    CHECK(test::relative_error(light.inertia, Matrix3<double>(2 / shell.mass * shell.inertia)) < 1e-12);
  }
}

TEST_CASE("mjcf: the shell of an ellipsoid has Thomsen's area, and is thick where its half axes grow alike") {
  using namespace shell_test;
  const Vector3<double> half(0.1, 0.2, 0.3), by(1e-3, 1e-3, 1e-3);
  const auto shell = of_geom(size_of("ellipsoid", half) + " shellinertia='true' density='1'");
  const auto outer = of_geom(size_of("ellipsoid", half + by)), inner = of_geom(size_of("ellipsoid", half - by));
  const double layer = outer.mass - inner.mass;
  CHECK(test::relative_error(Matrix3<double>(shell.inertia / shell.mass),
                             Matrix3<double>((outer.inertia - inner.inertia) / layer)) < 1e-3);
  // Computes the area by triangles on the sphere that are stretched: the formula errs by at most 1.061 %.
  double area = 0;
  const int n = 400;
  const auto at = [&](int i, int j) {
    const double z = std::cos(std::numbers::pi * i / n), s = std::sqrt(std::max(0.0, 1 - z * z));
    const double phi = 2 * std::numbers::pi * j / n;
    return Vector3<double>(half[0] * s * std::cos(phi), half[1] * s * std::sin(phi), half[2] * z);
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const Vector3<double> a = at(i, j), b = at(i + 1, j), c = at(i, j + 1), d = at(i + 1, j + 1);
      area += (cross<double>(b - a, c - a).norm() + cross<double>(b - d, c - d).norm()) / 2;
    }
  CHECK(std::abs(shell.mass / area - 1) < 0.0107);
  // The formula is exact for a sphere.
  const auto round = of_geom(size_of("ellipsoid", {0.2, 0.2, 0.2}) + " shellinertia='true'");
  const auto sphere = of_geom(size_of("sphere", {0.2, 0, 0}) + " shellinertia='true'");
  CHECK(round.mass == Approx(sphere.mass).epsilon(1e-12));
  CHECK(test::relative_error(round.inertia, sphere.inertia) < 1e-12);
}

TEST_CASE("mjcf: a height field has the inertia of a box with its base and half of its elevation") {
  using namespace shell_test;
  const std::string field = "<hfield name='h' size='0.5 0.6 0.4 0.2' nrow='2' ncol='2'/>";
  const auto box = of_geom("type='box' size='0.5 0.6 0.2' pos='1 2 3'");  // (0.4 / 2 + 0.2) / 2
  const auto found = of_geom("type='hfield' hfield='h' pos='1 2 3'", field);
  CHECK(found.mass == Approx(box.mass).epsilon(1e-12));
  CHECK(test::relative_error(found.com, box.com) < 1e-14);
  CHECK(test::relative_error(found.inertia, box.inertia) < 1e-12);
  CHECK(of_geom("type='hfield' hfield='hills' mass='3'", "<hfield file='maps\\hills.png' size='1 1 1 1'/>").mass ==
        3.0);
  const auto second = of_geom("type='hfield' hfield='h'", "<hfield name='flat' size='1 1 1 1'/>" + field);
  CHECK(second.mass == Approx(box.mass).epsilon(1e-12));
  const auto rejected = [](const std::string& assets, std::initializer_list<const char*> parts) {
    return test::rejection_of([&] { of_geom("type='hfield' hfield='h'", assets); }, parts);
  };
  CHECK(rejected("", {"hfield='h' is not an hfield of <asset>"}) == "rejected");
  CHECK(rejected("<hfield name='h' size='1 1 0 1'/>", {"hfield 'h'", "must be positive"}) == "rejected");
  CHECK(rejected("<hfield name='h' size='1 1'/>", {"4 finite numbers"}) == "rejected");
}
