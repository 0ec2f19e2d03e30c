#include <stdexcept>

#include "corio/batch/batch.hpp"
#include "support/catch.hpp"

using namespace corio;

namespace {

using Matrix = Eigen::MatrixXd;
using Wide = batch::FullPack<double>;

}  // namespace

TEST_CASE("what a batch has not computed is NaN, however it ends", "[batch]") {
  const Model<double> model = zoo::serial_chain(3);
  const int states = 100;
  Matrix q = Matrix::Random(3, states);
  q(0, 57) = 1000;
  const Matrix before = q;
  batch::Options options;
  options.packs_per_task = 1;
  // f writes the number of its call into each state; neither an unfinished state nor an earlier one may pass for a
  // result.
  struct NoStandardException {};
  const auto foreign = [](const auto&, auto&, const auto& in, auto& out) {
    if (in_any_state(in[0] > 100.0)) throw NoStandardException();
    out = in + in;
  };
  const auto twice = [](const auto&, auto&, const auto& in, auto& out) { out = in + in; };
  const auto computed_or_nan = [&](const Matrix& out) {
    int computed = 0;
    for (int j = 0; j < states; ++j) {
      const bool is_computed = out.col(j) == 2.0 * before.col(j);
      CHECK((is_computed || out.col(j).array().isNaN().all()));
      computed += is_computed;
    }
    CHECK(computed > 0);
    CHECK(computed < states);
  };
  Matrix out = Matrix::Constant(3, states, 1234.5);
  SECTION("f throws what is no std::exception") {
    options.executor = batch::Serial();
    options.packs_per_task = GENERATE(1, 2, 1000);
    if (options.packs_per_task * Wide::lanes > 57) q(0, 57) = before(0, 57), q(0, 99) = 1000;
    Matrix expected = q;
    CHECK_THROWS_AS(batch::for_each(model, batch::inputs(q), batch::outputs(out), foreign, options),
                    NoStandardException);
    for (int j = 0; j < states; ++j)
      if (q(0, j) == before(0, j) && out(0, j) == 2.0 * q(0, j)) expected(0, j) = 0;
    CHECK((expected.row(0).array() == 0.0).any());
    for (int j = 0; j < states; ++j) CHECK((expected(0, j) == 0 || out.col(j).array().isNaN().all()));
  }
  SECTION("the executor throws, or leaves out tasks") {
    const bool throws = GENERATE(false, true);
    options.executor = [throws](std::ptrdiff_t n, const std::function<void(std::ptrdiff_t)>& f) {
      for (std::ptrdiff_t i = 0; i < n; i += 2) {
        if (throws && i > n / 2) throw std::logic_error("full");
        f(i);
      }
    };
    const auto run = [&] { batch::for_each(model, batch::inputs(q), batch::outputs(out), twice, options); };
    if (throws)
      CHECK_THROWS_AS(run(), std::logic_error);
    else
      run();
    computed_or_nan(out);
  }
  SECTION("progress ends it, and results lie in the place of inputs") {
    options.progress = [](Eigen::Index, Eigen::Index) { return false; };
    out = q;
    batch::for_each(model, batch::inputs(out), batch::outputs(out), twice, options);
    computed_or_nan(out);
  }
}

TEST_CASE("sizes whose products no int holds are told from those that fit", "[batch]") {
  // Matrices without columns or rows take no memory, so their other size may be anything.
  const Eigen::Index large = Eigen::Index(1) << 32;
  CHECK(batch::detail::Sizes(zoo::serial_chain(3)).v * large == 3 * large);
  const Matrix q(3, 0), wrong(9 + large, 0), wrong_jacobian(18 + large, 0);
  Matrix M = wrong, J = wrong_jacobian;
  const Model<double> model = zoo::serial_chain(3);
  CHECK_THROWS_AS(batch::crba(model, q, M), SizeError);
  CHECK_THROWS_AS(batch::body_jacobian(model, q, model.frames().back().name(), J), SizeError);
}
