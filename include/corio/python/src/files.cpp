// Files and samples: robots that are read or made, code for one robot, and the page of robot_report.
#include <pybind11/stl/filesystem.h>

#include "class.hpp"
#include "corio/io/mjcf.hpp"
#include "corio/io/urdf.hpp"
#include "corio/model/describe.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "corio/zoo/random_tree.hpp"
#include "page.hpp"

namespace corio::python {

using Path = std::filesystem::path;

void bind_files(pybind11::module_& m) {
  const auto options = [](bool floating, bool wrap_continuous) {
    urdf::Options o;
    if (floating) o.root = joint::FreeFlyer{};
    o.wrap_continuous = wrap_continuous;
    return o;
  };
  auto urdf = m.def_submodule("urdf", "Robots in URDF.");
  function(urdf, "load(path, *, floating=False, wrap_continuous=False)",
           [=](const Path& p, bool floating, bool wrap) { return urdf::load(p, options(floating, wrap)); });
  function(urdf, "parse(text, *, floating=False, wrap_continuous=False)",
           [=](const std::string& t, bool floating, bool wrap) { return urdf::parse(t, options(floating, wrap)); });
  auto mjcf = m.def_submodule("mjcf", "Robots in MJCF.");
  function(mjcf, "load(path)", [](const Path& p) { return mjcf::load(p); });
  function(mjcf, "parse(text)", [](const std::string& t) { return mjcf::parse(t); });
  auto zoo = m.def_submodule("zoo", "Sample robots.");
  function(zoo, "serial_chain(n)", [](int n) { return zoo::serial_chain<double>(n); });
  function(zoo, "binary_tree(n)", [](int n) { return zoo::binary_tree<double>(n); });
  function(zoo, "tree(n, branching)", [](int n, int branching) { return zoo::tree<double>(n, branching); });
  function(zoo, "random_tree(seed, bodies=12)",
           [](std::uint64_t seed, int bodies) { return zoo::random_tree<double>(seed, {.bodies = bodies}); });
#define CORIO_SAMPLE(name) function(zoo, #name "()", [] { return zoo::name<double>(); })
  CORIO_SAMPLE(biped);
  CORIO_SAMPLE(quadruped);
  CORIO_SAMPLE(humanoid);
  CORIO_SAMPLE(geared_arm);
  CORIO_SAMPLE(four_bar_leg);
  CORIO_SAMPLE(differential_wrist);
  CORIO_SAMPLE(parallel_biped);
  CORIO_SAMPLE(delta_robot);
  CORIO_SAMPLE(stewart_platform);
  CORIO_SAMPLE(bricard_loop);
#undef CORIO_SAMPLE
  function(m, "_generate(robot, functions, folder, name, cuda, packed, q)", write_code);
  using Times = std::vector<std::tuple<std::string, double, std::string>>;
  function(m, "_report(model, folder, page, summary, times)",
           [](const M& x, const Path& folder, const Path& page, const std::string& summary, const Times& times) {
             report::Printed printed{summary, describe(x), describe(x.notes()) + describe_neutral(x), {}};
             for (const auto& [name, us, result] : times) printed.times.push_back({name, us, result});
             return report::write_page(x, printed, folder, page);
           });
}

}  // namespace corio::python
