#include "support/bad_input.hpp"
#include <random>

#include "corio/batch/batch.hpp"
#include "corio/batch/rollout.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

// Checks the tables for batches in the page on bad input.

namespace batch_bad_input_test {

using namespace corio;
using namespace corio::test;
using Eigen::MatrixXd;
using In = std::vector<MatrixXd>;
using Function = std::function<void(const In&, MatrixXd& out)>;

/// Three states, the last of which is the given one: the given state must not affect the others.
struct Batch {
  static constexpr int states = 3;
  Given right;
  Eigen::Index rows;  // rows of the output
  Function f;
  MatrixXd sound = {};  // the output for three valid states

  In inputs(const Given& given) const {
    In in;
    for (std::size_t i = 0; i < given.size(); ++i) {
      in.push_back(given[i].replicate(1, states));
      if (given[i].size() == right[i].size()) in[i].leftCols(states - 1).colwise() = right[i];
    }
    return in;
  }
  /// Calls the function with a matrix of that shape, which an error about sizes or names leaves unchanged.
  MatrixXd called(const In& in, Eigen::Index out_rows, Eigen::Index columns) const {
    MatrixXd out = MatrixXd::Constant(out_rows, columns, 5.0);
    try {
      f(in, out);
    } catch (const Error&) {
      if (!(out.array() == 5.0).all()) throw std::logic_error("written before an error");
      throw;
    }
    return out;
  }
  Vectord last(const Given& given) const {
    const MatrixXd out = called(inputs(given), rows, states);
    if (out.leftCols(states - 1) != sound.leftCols(states - 1)) throw std::logic_error("felt in a sound state");
    return out.col(states - 1);
  }
};

/// The kinds of results: a matrix of the caller, or an object that the function sizes.
enum class Result { of_caller, of_function };

void add(BadInput& table, const std::string& name, const Given& arguments, Eigen::Index rows, const Function& f,
         const Function& of_unknown = {}, Result result = Result::of_caller) {
  Batch b{arguments, rows, f};
  b.sound = b.called(b.inputs(arguments), rows, Batch::states);
  const auto always = [](const auto& g) {
    return [g]() -> test::Function { return [g](const Given&) -> Vectord { return g(); }; };
  };
  Subject s{.name = "batch::" + name, .arguments = arguments, .make = [b]() -> test::Function {
              return [b](const Given& given) { return b.last(given); };
            }};
  s.quaternion = 3;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (const int columns : {Batch::states - 1, Batch::states + 1})
      s.others.emplace_back("other numbers of states", always([=] {
                              In in = b.inputs(b.right);
                              in[i] = b.right[i].replicate(1, columns);
                              return b.called(in, b.rows, Batch::states).reshaped().eval();
                            }));
  if (result == Result::of_caller)
    for (const int change : {-1, 1}) {
      s.others.emplace_back("other numbers of states", always([=] {
                              return b.called(b.inputs(b.right), b.rows, Batch::states + change).reshaped().eval();
                            }));
      s.others.emplace_back("wrong rows of the result", always([=] {
                              return b.called(b.inputs(b.right), b.rows + change, Batch::states).reshaped().eval();
                            }));
    }
  s.others.emplace_back("no states", always([=] {
                          In in;
                          for (const Vectord& a : b.right) in.push_back(a.replicate(1, 0));
                          return b.called(in, b.rows, 0).reshaped().eval();
                        }));
  // Puts the result in the place of each argument of its size.
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].size() == rows)
      s.others.emplace_back("aliased", always([=] {
                              In in = b.inputs(b.right);
                              b.f(in, in[i]);
                              if (in[i] != b.sound) throw std::logic_error("aliased");
                              return in[i].reshaped().eval();
                            }));
  if (of_unknown) {
    b.f = of_unknown;
    s.others.emplace_back("unknown name", always([b] { return b.last(b.right); }));
  }
  table.add(s);
}

/// Adds rollouts of two steps under given torques; the final states are the result.
template <class Packed>
void add_rollouts(BadInput& table, const Packed& packed, const Vectord& q, const Vectord& x) {
  Vectord state(q.size() + x.size());
  state << q, x;
  batch::RolloutOptions options;
  options.integrator = Integrator::rk4;
  const auto cost = [](const auto&, auto&, const auto&, const auto& v, const auto&, int) { return v.squaredNorm(); };
  const auto with = [=, &packed](double dt) {
    return [=, &packed](const In& in, MatrixXd& out) {
      batch::Rollouts rollouts;
      rollouts.states = in[0];
      batch::rollout(packed, &in[0] == &out ? rollouts.states : in[0], in[1], dt, cost, rollouts, options);
      out = rollouts.states;
      for (Eigen::Index j = 0; j < out.cols(); ++j)
        if (rollouts.finite[j] != out.col(j).allFinite() || rollouts.finite[j] != std::isfinite(rollouts.cost[j]))
          throw std::logic_error("flagged otherwise");
    };
  };
  add(table, "rollout", {state, x.replicate(2, 1)}, state.size(), with(1e-3), {}, Result::of_function);
  for (const double dt : {0.0, -1e-3, std::nan("")}) {
    const Batch b{{state, x.replicate(2, 1)}, state.size(), with(dt)};
    CHECK(outcome([&] { return Vectord(b.called(b.inputs(b.right), b.rows, Batch::states).col(0)); }) == "Error");
  }
}

/// Adds all functions that both trees and mechanisms have.
template <class Packed>
void add_functions(BadInput& table, const Packed& packed, const Vectord& q, const Vectord& x) {
  const auto n = x.size();
  const auto more = std::make_shared<std::array<MatrixXd, 2>>();  // further results
  const auto sized = [more](Eigen::Index rows, const MatrixXd& out) -> auto& {
    for (auto& further : *more) further.resize(rows, out.cols());
    return *more;
  };
  add(table, "rnea", {q, x, x}, n, [&](auto& in, auto& out) { batch::rnea(packed, in[0], in[1], in[2], out); });
  add(table, "aba", {q, x, x}, n, [&](auto& in, auto& out) { batch::aba(packed, in[0], in[1], in[2], out); });
  add(table, "nonlinear_effects", {q, x}, n,
      [&](auto& in, auto& out) { batch::nonlinear_effects(packed, in[0], in[1], out); });
  add(table, "generalized_gravity", {q}, n,
      [&](auto& in, auto& out) { batch::generalized_gravity(packed, in[0], out); });
  add(table, "passive_forces", {q, x}, n,
      [&](auto& in, auto& out) { batch::passive_forces(packed, in[0], in[1], out); });
  add(table, "crba", {q}, n * n, [&](auto& in, auto& out) { batch::crba(packed, in[0], out); });
  add(table, "mass_matrix_inverse", {q}, n * n,
      [&](auto& in, auto& out) { batch::mass_matrix_inverse(packed, in[0], out); });
  add(table, "coriolis_matrix", {q, x}, n * n, [&](auto& in, auto& out) {
    auto& [a, b] = sized(n * n, out);
    batch::coriolis_matrix(packed, in[0], in[1], out, a, b);
  });
  add(table, "coriolis_product", {q, x, x}, n,
      [&](auto& in, auto& out) { batch::coriolis_product(packed, in[0], in[1], in[2], out); });
  add(table, "inverse_dynamics_derivatives", {q, x, x}, n * n, [&](auto& in, auto& out) {
    auto& [a, b] = sized(n * n, out);
    batch::inverse_dynamics_derivatives(packed, in[0], in[1], in[2], out, a, b);
  });
  add(table, "forward_dynamics_derivatives", {q, x, x}, n * n, [&](auto& in, auto& out) {
    auto& [a, b] = sized(n * n, out);
    batch::forward_dynamics_derivatives(packed, in[0], in[1], in[2], out, a, b);
  });
  add(table, "kinetic_energy", {q, x}, 1,
      [&](auto& in, auto& out) { batch::kinetic_energy(packed, in[0], in[1], out); });
  add(table, "potential_energy", {q}, 1, [&](auto& in, auto& out) { batch::potential_energy(packed, in[0], out); });
  add(table, "generalized_momentum", {q, x}, n,
      [&](auto& in, auto& out) { batch::generalized_momentum(packed, in[0], in[1], out, sized(n, out)[0]); });
  add_rollouts(table, packed, q, x);
}

const std::vector<std::string>& columns() {
  static const std::vector<std::string> all{"other numbers of states", "wrong rows of the result", "no states",
                                            "aliased", "unknown name"};
  return all;
}

/// Checks the common rules of all batches, and the table of the page.
void check(const BadInput& table, const std::string& robot, const std::string& heading) {
  for (const std::string& name : table.subjects()) {
    CAPTURE(name);
    CHECK(table.at(name, "wrong size") == "SizeError");
    CHECK(table.at(name, "other numbers of states") == "SizeError");
    CHECK(mentions("SizeError, -", {table.at(name, "wrong rows of the result")}));
    CHECK(table.at(name, "no states") == "works");
    for (const char* column : {"NaN, inf", "quaternion 0"}) CHECK(mentions("shows, works", {table.at(name, column)}));
    CHECK(mentions("works or shows", {table.at(name, "1e200")}));
    CHECK(mentions("works, -", {table.at(name, "aliased")}));
    CHECK(mentions("ModelError, -", {table.at(name, "unknown name")}));
    CHECK(table.silent(name, {name, "batch: input", "batch: output", robot}) == "");
  }
  write_page(heading, table.markdown());
  CHECK(table.markdown() == table_of_page(heading));
}

TEST_CASE("batches do with bad input what their table says", "[batch][bad_input]") {
  const auto model = zoo::random_tree(3, {.bodies = 5, .floating_base = true, .passive = true});
  const batch::Packed<batch::FullPack<double>> packed(model);  // shared by all, as in programs
  const int nq = model.nq(), n = model.nv();
  std::mt19937 generator(1);
  const Vectord q = random_configuration(model, generator), x = Vectord::LinSpaced(n, -1, 1);
  BadInput table(columns(), true, true);
  add_functions(table, packed, q, x);
  const std::string body = model.bodies().back().name();
  add(table, "integrate", {q, x}, nq, [&](auto& in, auto& out) { batch::integrate(packed, in[0], in[1], out); });
  add(table, "difference", {q, q}, n, [&](auto& in, auto& out) { batch::difference(packed, in[0], in[1], out); });
  add(
      table, "body_pose", {q}, 12, [&](auto& in, auto& out) { batch::body_pose(packed, in[0], body, out); },
      [&](auto& in, auto& out) { batch::body_pose(packed, in[0], "not there", out); });
  add(
      table, "body_jacobian", {q}, 6 * n, [&](auto& in, auto& out) { batch::body_jacobian(packed, in[0], body, out); },
      [&](auto& in, auto& out) { batch::body_jacobian(packed, in[0], "not there", out); });
  for (const std::string& name : table.subjects()) CHECK(table.at(name, "denormal") == "works");
  check(table, model.name(), "Batches");
}

TEST_CASE("batches of mechanisms do with bad input what their table says", "[batch][bad_input]") {
  // Builds a leg with a four-bar linkage on a floating base.
  ModelBuilder<double> builder("base");
  builder.add_body({.name = "base", .joint = joint::FreeFlyer(), .inertia = ball(3.0)});
  const auto model = attach(builder.build(), "base", zoo::four_bar_leg());
  const Mechanism<double> mechanism(model);
  using P = batch::FullPack<double>;
  const batch::Packed<P, Mechanism<P>> packed(mechanism);
  Vectord q = neutral(model);
  q.segment<4>(3) = Eigen::Vector4d(1, 2, -3, 4).normalized();
  BadInput table(columns(), true, true);
  add_functions(table, packed, q, Vectord::LinSpaced(mechanism.nv(), -1, 1));
  // With another number in q the linkage is open, or singular.
  for (const std::string& name : table.subjects()) CHECK(mentions("shows, works", {table.at(name, "denormal")}));
  check(table, model.name(), "Batches of mechanisms");
}

}  // namespace batch_bad_input_test
