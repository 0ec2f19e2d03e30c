#pragma once

#include <string>
#include <vector>

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/io/mjcf.hpp"

/// Short MJCF texts, and the model and notes that they give.
namespace corio::test {

inline const std::string inertial = R"(<inertial pos=".1 -.2 .3" mass="1.5" diaginertia=".02 .03 .04"/>)";

inline std::string world(const std::string& content, const std::string& before = "") {
  return "<mujoco>" + before + "<worldbody>" + content + "</worldbody></mujoco>";
}
inline std::string hinge_body(const std::string& content = inertial, const std::string& joint = "<joint name=\"j\"/>") {
  return world("<body name=\"b\">" + joint + content + "</body>");
}

/// Returns the entries of M and the velocity-product forces, with coordinates 0.1, 0.2, .. and velocities 1, 2, ..
inline VectorX<double> motion(const Model<double>& model) {
  Data<double> data(model);
  const VectorX<double> q = VectorX<double>::LinSpaced(model.nq(), 0.1, 0.1 * model.nq());
  const VectorX<double> v = VectorX<double>::LinSpaced(model.nv(), 1, model.nv());
  const MatrixX<double> M = crba<double>(model, data, q);
  VectorX<double> all(M.size() + model.nv());
  all << Eigen::Map<const VectorX<double>>(M.data(), M.size()), nonlinear_effects<double>(model, data, q, v);
  return all;
}
inline std::vector<std::string> notes_of(const std::string& text, const mjcf::Options& options = {}) {
  std::vector<std::string> all;
  const Model<double> model = mjcf::parse(text, options);
  for (const Note& note : model.notes()) all.push_back(to_string(note));
  return all;
}

}  // namespace corio::test
