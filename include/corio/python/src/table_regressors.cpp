#include "corio/mechanism/regressors.hpp"
#include "line.hpp"

namespace corio::python {
using namespace given;

namespace {

constexpr auto columns = [](auto& r) { return 10 * static_cast<int>(r.tree().bodies().size()); };
constexpr auto matrix = [](auto& r) { return std::pair(r.nv(), columns(r)); };

}  // namespace

/// A regressor Y(q, .., x..) with Y pi and Y^T z; further is the text of its further arguments.
#define CORIO_REGRESSOR(pass, f, state, given, ...)                                                                \
  t.into<pass>(#f "(" state ") -> Y[v,10b]", CORIO_FUNCTION(f), matrix __VA_OPT__(, ) __VA_ARGS__);                \
  t.add<pass>(#f "_product(" state ", pi[10b]) -> tau[v]", CORIO_FUNCTION(f##_product) __VA_OPT__(, ) __VA_ARGS__, \
              parameters<given>);                                                                                  \
  t.into<pass>(#f "_transpose_product(" state ", z) -> x[10b]", CORIO_FUNCTION(f##_transpose_product),             \
               columns __VA_OPT__(, ) __VA_ARGS__, vector<given>);

void add_regressors(Table& t) {
  CORIO_REGRESSOR(Pass::acceleration, inverse_dynamics_regressor, "q, v, a", 3)
  CORIO_REGRESSOR(Pass::velocity, slotine_li_regressor, "q, v, v_r, a_r", 4, vector<2>, vector<3>)
  CORIO_REGRESSOR(Pass::velocity, momentum_regressor, "q, v", 2)
  CORIO_REGRESSOR(Pass::velocity, coriolis_transpose_regressor, "q, v", 2)
  CORIO_REGRESSOR(Pass::position, gravity_regressor, "q", 1)
  t.into<Pass::velocity>("kinetic_energy_regressor(q, v) -> y[10b]", CORIO_FUNCTION(kinetic_energy_regressor), columns);
  t.into<Pass::position>("potential_energy_regressor(q) -> y[10b]", CORIO_FUNCTION(potential_energy_regressor),
                         columns);
}

}  // namespace corio::python
