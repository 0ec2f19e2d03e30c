#include "consumer_arm.h"

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
  return consumer_arm_layout[0] != 'c';
}
