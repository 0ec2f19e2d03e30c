#pragma once

#include "corio/kinematics/data.hpp"

/// What entries of the tables of functions, of models and of mechanisms, have in common.
namespace corio::test {

/// f(robot, data, q, v, a, rest..), with as many of q, v, a of the arguments x as the pass has.
template <Pass pass, class F, class Robot, class Data, class Arguments, class... Rest>
decltype(auto) call_with_state(const F& f, Robot& robot, Data& d, Arguments& x, Rest&&... rest) {
  if constexpr (pass == Pass::position)
    return f(robot, d, x.q(), rest...);
  else if constexpr (pass == Pass::velocity)
    return f(robot, d, x.q(), x.v(), rest...);
  else
    return f(robot, d, x.q(), x.v(), x.a(), rest...);
}
/// A function by its name, and called.
#define CORIO_FUNCTION(f) #f, [](auto&&... all) -> decltype(auto) { return f(all...); }

}  // namespace corio::test
