#include "support/bad_input.hpp"
#include <random>

#include "corio/batch/batch.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

// The table of batches in the page on bad input.

namespace batch_bad_input_test {

using namespace corio;
using namespace corio::test;
using Eigen::MatrixXd;
using In = std::vector<MatrixXd>;
using Function = std::function<void(const In&, MatrixXd& out)>;

/// Three states, of which the last one is that which is given: the others must not feel it.
struct Batch {
  static constexpr int states = 3;
  Given right;
  Eigen::Index rows;  // of the output
  Function f;

  In inputs(const Given& given) const {
    In in;
    for (std::size_t i = 0; i < given.size(); ++i) {
      in.push_back(given[i].replicate(1, states));
      if (given[i].size() == right[i].size()) in[i].leftCols(states - 1).colwise() = right[i];
    }
    return in;
  }
  /// In a matrix of that shape, which an error of sizes or names leaves as it is.
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
    const MatrixXd out = called(inputs(given), rows, states), sound = called(inputs(right), rows, states);
    if (out.leftCols(states - 1) != sound.leftCols(states - 1)) throw std::logic_error("felt in a sound state");
    return out.col(states - 1);
  }
};

TEST_CASE("batches do with bad input what their table says", "[batch][bad_input]") {
  const auto model = zoo::random_tree(3, {.bodies = 8, .floating_base = true, .passive = true});
  const batch::Packed<batch::FullPack<double>> packed(model);  // used by all, as programs do
  const int nq = model.nq(), n = model.nv();
  std::mt19937 generator(1);
  const Vectord q = random_configuration(model, generator), x = Vectord::LinSpaced(n, -1, 1);
  BadInput table({"other numbers of states", "wrong rows of the result", "no states", "aliased", "unknown name"}, true);
  const auto add = [&](const std::string& name, const Given& arguments, Eigen::Index rows, const Function& f,
                       const Function& of_unknown = {}) {
    const Batch b{arguments, rows, f};
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
    // The result in the place of each argument of its size.
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].size() == rows)
        s.others.emplace_back("aliased", always([=] {
                                In in = b.inputs(b.right);
                                b.f(in, in[i]);
                                if (in[i] != b.called(b.inputs(b.right), b.rows, Batch::states))
                                  throw std::logic_error("aliased");
                                return in[i].reshaped().eval();
                              }));
    if (of_unknown) {
      const Batch unknown{arguments, rows, of_unknown};
      s.others.emplace_back("unknown name", always([=] { return unknown.last(unknown.right); }));
    }
    table.add(s);
  };
  MatrixXd more(n, 3), a(n * n, 3), b(n * n, 3);  // further results
  const std::string body = model.bodies().back().name();
  add("rnea", {q, x, x}, n, [&](auto& in, auto& out) { batch::rnea(packed, in[0], in[1], in[2], out); });
  add("aba", {q, x, x}, n, [&](auto& in, auto& out) { batch::aba(packed, in[0], in[1], in[2], out); });
  add("nonlinear_effects", {q, x}, n,
      [&](auto& in, auto& out) { batch::nonlinear_effects(packed, in[0], in[1], out); });
  add("generalized_gravity", {q}, n, [&](auto& in, auto& out) { batch::generalized_gravity(packed, in[0], out); });
  add("passive_forces", {q, x}, n, [&](auto& in, auto& out) { batch::passive_forces(packed, in[0], in[1], out); });
  add("crba", {q}, n * n, [&](auto& in, auto& out) { batch::crba(packed, in[0], out); });
  add("mass_matrix_inverse", {q}, n * n, [&](auto& in, auto& out) { batch::mass_matrix_inverse(packed, in[0], out); });
  add("coriolis_matrix", {q, x}, n * n, [&](auto& in, auto& out) {
    a.resize(n * n, out.cols()), b.resize(n * n, out.cols());
    batch::coriolis_matrix(packed, in[0], in[1], out, a, b);
  });
  add("coriolis_product", {q, x, x}, n,
      [&](auto& in, auto& out) { batch::coriolis_product(packed, in[0], in[1], in[2], out); });
  add("inverse_dynamics_derivatives", {q, x, x}, n * n, [&](auto& in, auto& out) {
    a.resize(n * n, out.cols()), b.resize(n * n, out.cols());
    batch::inverse_dynamics_derivatives(packed, in[0], in[1], in[2], out, a, b);
  });
  add("forward_dynamics_derivatives", {q, x, x}, n * n, [&](auto& in, auto& out) {
    a.resize(n * n, out.cols()), b.resize(n * n, out.cols());
    batch::forward_dynamics_derivatives(packed, in[0], in[1], in[2], out, a, b);
  });
  add("kinetic_energy", {q, x}, 1, [&](auto& in, auto& out) { batch::kinetic_energy(packed, in[0], in[1], out); });
  add("potential_energy", {q}, 1, [&](auto& in, auto& out) { batch::potential_energy(packed, in[0], out); });
  add("generalized_momentum", {q, x}, n, [&](auto& in, auto& out) {
    more.resize(n, out.cols());
    batch::generalized_momentum(packed, in[0], in[1], out, more);
  });
  add("integrate", {q, x}, nq, [&](auto& in, auto& out) { batch::integrate(packed, in[0], in[1], out); });
  add("difference", {q, q}, n, [&](auto& in, auto& out) { batch::difference(packed, in[0], in[1], out); });
  add(
      "body_pose", {q}, 12, [&](auto& in, auto& out) { batch::body_pose(packed, in[0], body, out); },
      [&](auto& in, auto& out) { batch::body_pose(packed, in[0], "not there", out); });
  add(
      "body_jacobian", {q}, 6 * n, [&](auto& in, auto& out) { batch::body_jacobian(packed, in[0], body, out); },
      [&](auto& in, auto& out) { batch::body_jacobian(packed, in[0], "not there", out); });
  for (const std::string& name : table.subjects()) {
    CAPTURE(name);
    for (const char* column : {"wrong size", "other numbers of states", "wrong rows of the result"})
      CHECK(table.at(name, column) == "SizeError");
    for (const char* column : {"denormal", "no states"}) CHECK(table.at(name, column) == "works");
    for (const char* column : {"NaN, inf", "quaternion 0"}) CHECK(mentions("shows, works", {table.at(name, column)}));
    CHECK(mentions("works or shows", {table.at(name, "1e200")}));
    CHECK(mentions("works, -", {table.at(name, "aliased")}));
    CHECK(mentions("ModelError, -", {table.at(name, "unknown name")}));
    CHECK(table.silent(name, {name, "batch: input", "batch: output", model.name()}) == "");
  }
  write_page("Batches", table.markdown());
  CHECK(table.markdown() == table_of_page("Batches"));
}

}  // namespace batch_bad_input_test
