// Code of functions for one robot, see corio.generate.
#define CORIO_GENERATE_WITHOUT_MAIN
#include "corio/codegen/generate.cpp"

#include "class.hpp"

namespace corio::python {

void bind_codegen(pybind11::module_& m) {
  function(m, "_generate(robot, functions, folder, name, cuda, packed, q)",
           [](AnyRobot& robot, const Names& functions, const std::string& folder, const std::string& name, bool cuda,
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
}

}  // namespace corio::python
