// What corio.generate and Model.report write: code of functions for one robot, and the page of robot_report.
#define CORIO_GENERATE_WITHOUT_MAIN
#include <pybind11/stl/filesystem.h>

#include "class.hpp"
#include "corio/codegen/generate.cpp"
#include "corio/model/describe.hpp"
#include "page.hpp"

namespace corio::python {

void bind_text(pybind11::module_& m) {
  using Path = std::filesystem::path;
  function(m, "_generate(robot, functions, folder, name, cuda, packed, q)",
           [](AnyRobot& robot, const Names& functions, const Path& folder, const std::string& name, bool cuda,
              bool packed, const V& q) {
             codegen::Options options{.robot = {}, .out = folder, .functions = functions, .name = name};
             options.language.cuda = cuda, options.language.python = true, options.packed = packed;
             for (const auto& f : functions) codegen::named_function(f);
             std::ostringstream notes;
             if (const auto* h = dynamic_cast<ModelHolder*>(&robot))
               codegen::detail::write_code<Model>(options, h->robot, {}, notes);
             else if (const auto& closed = dynamic_cast<MechanismHolder&>(robot).robot; true)
               codegen::detail::write_code<Mechanism>(options, closed, closed.varies() ? q : V(), notes);
             return notes.str();
           });
  using Times = std::vector<std::tuple<std::string, double, std::string>>;
  function(
      m, "_report(model, folder, page, summary, times)",
      [](const ModelHolder& h, const Path& folder, const Path& page, const std::string& summary, const Times& t) {
        report::Printed printed{summary, describe(h.robot), describe(h.robot.notes()) + describe_neutral(h.robot), {}};
        for (const auto& [name, us, result] : t) printed.times.push_back({name, us, result});
        return report::write_page(h.robot, printed, folder, page);
      });
}

}  // namespace corio::python
