#include "corio/loops/constrained_dynamics.hpp"
#include "corio/mechanism/step.hpp"
#include "line.hpp"

namespace corio::python {
using namespace given;

void add_motion(Table& t) {
  t.add_call<models | packs>("integrate(q, dv) -> q[q]", [](auto& r, auto&, auto& x) {
    Eigen::Map<VectorX<typename std::remove_cvref_t<decltype(r)>::Scalar>> out(x.out[0], r.nq());
    integrate(r, x.q(0), x.v(1), out);
  });
  t.add_call<models | packs>("difference(q0, q1) -> dv[v]", [](auto& r, auto&, auto& x) {
    Eigen::Map<VectorX<typename std::remove_cvref_t<decltype(r)>::Scalar>> out(x.out[0], r.nv());
    difference(r, x.q(0), x.q(1), out);
  });
  t.add_call("step(q, v, tau, dt, integrator='semi_implicit_euler', friction='smooth') -> q[q], v[v]",
             [](auto& r, auto& d, auto& x) {
               Eigen::Map<VectorX<double>> q(x.out[0], r.tree().nq()), v(x.out[1], r.nv());
               q = x.q(0), v = x.v(1);
               step(r, d, q, v, x.v(2), x.c.numbers[0], x.c.integrator, x.c.friction);
             });
  // The loops of the model; a Mechanism has them in its independent speeds.
  t.add_call<models>(
      "constrained_forward_dynamics(q, v, tau, rate=0.0, external={}) -> a[v]", [](auto& r, auto& d, auto& x) {
        const Loops<double> loops(r);
        const auto& motion =
            constrained_forward_dynamics<double>(r, d, loops, x.q(0), x.v(1), x.v(2), x.c.numbers[0], forces(x));
        write(motion.a, x.out[0]);
      });
}

}  // namespace corio::python
