#pragma once

#include <stdexcept>

#include "corio/joints/joint_model.hpp"
#include "corio/spatial/pose.hpp"

/// User code that may throw at any time: a joint and a relation that share one fuse.
namespace corio::test {

/// Does not derive from Error: users' functions may throw anything.
struct Blown : std::runtime_error {
  Blown() : std::runtime_error("the fuse has blown") {}
};

/// The number of evaluations before one throws; if it is negative, none throws.
inline long fuse = -1;
inline void burn() {
  if (fuse >= 0 && fuse-- == 0) throw Blown();
}

/// Calls f with a fuse for k evaluations. @returns whether it blew
template <class F>
bool blows(long k, F&& f) {
  fuse = k;
  try {
    f();
  } catch (const Blown&) {
    fuse = -1;
    return true;
  }
  fuse = -1;
  return false;
}

/// A slider along z.
struct FusedSlider : joint::VectorSpace<1> {
  static constexpr const char* type = "fused slider";
  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    burn();
    return A * Pose<S>{identity3<S>(), {S(0), S(0), q[0]}};
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    burn();
    phi[0] = X.act(Motion<S>{{S(0), S(0), S(0)}, {S(0), S(0), S(1)}});
  }
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    burn();
    out[0] = q[0] + dv[0];
  }
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    burn();
    dv[0] = q1[0] - q0[0];
  }
};

}  // namespace corio::test
