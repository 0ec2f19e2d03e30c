// Code of functions for one robot.
#include "classes.hpp"
#include "corio/codegen/check.hpp"
#include "corio/codegen/writer.hpp"
#include "corio/core/detail/file.hpp"

namespace corio::python {

void write_code(const AnyRobot& any, const Names& functions, const std::filesystem::path& folder,
                const std::string& name, bool cuda, bool packed, const VectorX<double>& q) {
  codegen::Language language;
  language.cuda = cuda, language.python = true;
  for (const auto& f : functions) codegen::named_function(f);
  const auto write = [&]<template <class> class Robot>(const Robot<double>& robot, const VectorX<double>& near) {
    codegen::Writer writer(name, codegen::layout(robot), language);
    const auto recorded = robot.template cast<codegen::Recorded>();
    for (const auto& function : functions) {
      const auto f = codegen::record<Robot>(function, recorded, near, packed);
      const auto schedule = f.schedule(cut_for(f, language));
      if (!(codegen::largest_difference(function, robot, f, schedule, 1000, near) < 1e-6))
        throw Error(function + ": the code differs from the templates");
      writer.add(f, schedule);
    }
    for (const auto& file : writer.files())
      corio::detail::write_file<Error>(folder / file.name, file.text, "generated code");
  };
  if (const auto* h = dynamic_cast<const ModelHolder*>(&any))
    write(h->robot, {});
  else if (const auto& closed = dynamic_cast<const MechanismHolder&>(any).robot; true)
    write(closed, closed.varies() ? q : VectorX<double>());
}

}  // namespace corio::python
