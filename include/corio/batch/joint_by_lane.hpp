#pragma once

#include "corio/joints/converted_joint.hpp"
#include "corio/simd/state_pack.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// Reads and writes the number of state l in packs.
template <class P>
class Lane {
 public:
  using Number = typename P::Number;
  template <class F>
  static void each(F&& f) {
    for (int l = 0; l < P::lanes; ++l) f(Lane(l));
  }
  Number get(const P& x) const { return x[l_]; }
  template <class T>
  void put(P& x, T number) const {
    x.set(l_, static_cast<Number>(number));
  }

 private:
  explicit Lane(int l) : l_(l) {}
  int l_;
};

/// A user's joint over packs: its members are called for each state by itself, so that they may branch on values and
/// need not compile for packs.
template <class P>
using CustomByLane = ConvertedJoint<P, Lane<P>>;

template <class P>
requires(states_of<P> > 1) CustomPointer<P> by_lane(const CustomPointer<typename NumberOf<P>::Type>& joint) {
  if (!joint || joint->nq > CustomByLane<P>::max_nq) return nullptr;
  return std::make_shared<const CustomByLane<P>>(joint);
}

}}}  // namespace corio::joint
