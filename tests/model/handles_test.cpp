#include <algorithm>
#include <functional>
#include <random>

#include "corio/algorithms/derivatives/body_acceleration_derivatives.hpp"
#include "corio/kinematics/joint_conditioning.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/model/edit.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/bad_input.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

// Checks the table of handles in the page on bad input.

namespace handles_test {

using namespace corio;
using namespace corio::test;
using Vectord = Eigen::VectorXd;
using Matrixd = Eigen::MatrixXd;

Model<double> robot() { return zoo::random_tree(9, {.bodies = 10, .floating_base = true, .passive = true}); }

TEST_CASE("handles, names and indices that are not of a model are errors", "[model][bad_input]") {
  Model<double> model = robot();
  const Model<double> other = robot();  // built alike, but another model
  Data<double> data(model);
  const int n = model.nv();
  Matrixd J(6, n), Y(n, 10);
  JacobianDerivatives<double> D_J(model);
  const std::string unknown = "not there";
  const auto& body = other.bodies().back();
  std::mt19937 generator(1);
  const Vectord q = random_configuration(model, generator), v = Vectord::Ones(n), a = v;
  const std::vector<ExternalForce<double>> forces{{body, Force<double>::zero(), ReferenceFrame::world}};
  using Calls = std::vector<std::pair<const char*, std::function<void()>>>;
  const Calls of_another_model{
      {"body_pose", [&] { body_pose(model, data, body); }},
      {"body_velocity", [&] { body_velocity(model, data, body); }},
      {"body_acceleration", [&] { body_acceleration(model, data, body); }},
      {"body_classical_acceleration", [&] { body_classical_acceleration(model, data, body); }},
      {"body_jacobian", [&] { body_jacobian<double>(model, data, body, J); }},
      {"body_jacobian_dot", [&] { body_jacobian_dot<double>(model, data, body, J); }},
      {"body_jacobian_ddot", [&] { body_jacobian_ddot<double>(model, data, body, J); }},
      {"body_velocity_derivatives", [&] { body_velocity_derivatives<double>(model, data, body, J); }},
      {"body_acceleration_derivatives", [&] { body_acceleration_derivatives<double>(model, data, body, J, J); }},
      {"body_jacobian_derivatives", [&] { body_jacobian_derivatives<double>(model, data, body, D_J); }},
      {"joint_reactions", [&] { joint_reactions(model, data, {}, std::vector<FramePoint<double>>{body}); }},
      {"rnea, external forces", [&] { rnea<double>(model, data, q, v, a, forces); }},
      {"aba, external forces", [&] { aba<double>(model, data, q, v, a, forces); }},
      {"inverse_dynamics_regressor",
       [&] { inverse_dynamics_regressor<double>(model, data, q, v, a, Y, BodySelection(other, body)); }},
      {"Model::inertia", [&] { static_cast<void>(model.inertia(body)); }},
      {"Model::set_inertia", [&] { model.set_inertia(body, ball(1.0)); }},
  };
  const Calls not_there{
      {"Model::joint", [&] { static_cast<void>(model.joint(unknown)); }},
      {"Model::body", [&] { static_cast<void>(model.body(unknown)); }},
      {"Model::frame", [&] { static_cast<void>(model.frame(unknown)); }},
      {"Model::set_inertia", [&] { model.set_inertia(unknown, ball(1.0)); }},
      {"BodySelection", [&] { BodySelection(model, {unknown}); }},
      {"joint_conditioning", [&] { static_cast<void>(joint_conditioning(model, data, unknown)); }},
      {"lock_joints", [&] { lock_joints<double>(model, {unknown}, q); }},
      {"replace_joint", [&] { replace_joint(model, unknown, joint::Universal()); }},
      {"submodel", [&] { submodel(model, unknown); }},
      {"attach", [&] { attach(model, unknown, other, "other_"); }},
      {"with_payload", [&] { with_payload(model, unknown, ball(1.0)); }},
      {"assemble", [&] { assemble<double>(model, data, Loops<double>(model), q, {n}); }},
  };
  std::string table = "| | of another model | not there |\n|---|---|---|\n";
  std::vector<std::string> names;
  const auto word = [&](const Calls& calls, const std::string& name) -> std::string {
    forward_kinematics<double>(model, data, q, v, a);  // the call before may have computed less
    for (const auto& call : calls)
      if (call.first == name) return outcome([&] { return call.second(), Vectord(); });
    return "-";
  };
  for (const Calls* calls : {&of_another_model, &not_there})
    for (const auto& [name, call] : *calls)
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
        table += "| `" + names.back() + "` | " + word(of_another_model, name) + " | " + word(not_there, name) + " |\n";
      }
  for (const std::string& name : names) {
    CAPTURE(name);
    for (const Calls* calls : {&of_another_model, &not_there}) CHECK(mentions("ModelError, -", {word(*calls, name)}));
  }
  write_page("Handles, names and indices", table);
  CHECK(table == table_of_page("Handles, names and indices"));
}

}  // namespace handles_test
