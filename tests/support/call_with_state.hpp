#pragma once

#include "corio/kinematics/data.hpp"

/// Common parts of entries of the tables of functions for models and for mechanisms.
namespace corio::test {

/// Calls f(robot, data, q, v, a, rest..), with as many of the arguments' q, v, a as the pass needs.
template <Pass pass, class F, class Robot, class Data, class Arguments, class... Rest>
decltype(auto) call_with_state(const F& f, Robot& robot, Data& d, Arguments& x, Rest&&... rest) {
  if constexpr (pass == Pass::position)
    return f(robot, d, x.q(), rest...);
  else if constexpr (pass == Pass::velocity)
    return f(robot, d, x.q(), x.v(), rest...);
  else
    return f(robot, d, x.q(), x.v(), x.a(), rest...);
}
/// A function as its name and as a callable.
#define CORIO_FUNCTION(f) #f, [](auto&&... all) -> decltype(auto) { return f(all...); }

}  // namespace corio::test
