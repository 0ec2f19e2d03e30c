#include "consumer_arm.h"

// The same for CasADi, which passes arrays of pointers, null for zeros.
int consumer_casadi_rnea(const double** arg, double** res, long long* iw, double* w, int mem);

int main(void) {
  const double q[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, v[7] = {0}, a[7] = {1};
  double tau[7], rest[7], M[49];
  const double zero[7] = {0};
  consumer_arm_rnea(q, v, a, tau);
  consumer_arm_rnea(q, v, zero, rest);
  consumer_arm_crba(q, M);
  for (int i = 0; i < 7; ++i) {
    const double difference = tau[i] - rest[i] - M[i];
    if (!(difference < 1e-12 && difference > -1e-12)) return 1;
  }
  double as_external[7];
  const double* arg[] = {q, 0, a};
  double* res[] = {as_external};
  if (consumer_casadi_rnea(arg, res, 0, 0, 0)) return 2;
  for (int i = 0; i < 7; ++i)
    if (!(as_external[i] - tau[i] < 1e-12 && tau[i] - as_external[i] < 1e-12)) return 3;
  return consumer_arm_layout[0] != 'c';
}
