#pragma once

#include "corio/core/abi.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen { namespace detail {

/// GCC for a machine without vectors has constants of long double, by which vectors cannot be multiplied.
inline constexpr const char* lanes_constants = R"(
#if defined(__GNUC__) && !defined(__clang__) && __FLT_EVAL_METHOD__ == 2
#pragma GCC optimize("excess-precision=fast")
#endif
)";

/// Square roots of all lanes. GCC vectorizes calls that need not set errno; Clang has a function from version 17 on.
inline constexpr const char* lanes_root = R"(
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-math-errno")
#elif defined(__has_builtin)
#if __has_builtin(__builtin_elementwise_sqrt)
#define $ROBOT_root(x) __builtin_elementwise_sqrt(x)
#endif
#endif
#ifndef $ROBOT_root
#define $ROBOT_root(x) (($REAL){$ROOTS})
#endif
)";

/// Sines and cosines of all lanes, by the formulas of simd/sincos.hpp: the reduction of Cody and Waite with pi/2 in
/// four parts, and the polynomials of Sun's fdlibm. Their results do not depend on each other. Over float they are
/// computed in double.
inline constexpr const char* lanes_sincos = R"(
typedef struct {
  $REAL sine, cosine;
} $ROBOT_sincos_of;
static void $ROBOT_sincos(const $REAL* angle, $ROBOT_sincos_of* out) {
#if defined(__FAST_MATH__) || __FLT_EVAL_METHOD__ != 0
  const double largest = -1;  // what is rounded below would be rearranged
#else
  const double largest = 1e5;
#endif
  typedef double number __attribute__((vector_size(8 * $COUNT)));
  typedef unsigned long long bits __attribute__((vector_size(8 * $COUNT)));
  const number x = __builtin_convertvector(*angle, number);
  const number shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, turns = shifted - 0x1.8p52;
  const number first = x - turns * 0x1.921fb544p0;
  const number second = first - turns * 0x1.0b4611a6p-34, second_low = (first - second) - turns * 0x1.0b4611a6p-34;
  const number third = second - turns * 0x1.3198a2e0p-69, third_low = (second - third) - turns * 0x1.3198a2e0p-69;
  const number low = third_low + second_low - turns * 0x1.b839a252049c1p-104;
  const number y = third + low, y_low = (third - y) + low;

  const number z = y * y, zz = z * z, half_z = 0.5 * z;
  const number s = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) +
                   z * zz * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
  const number c =
      z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
      zz * zz * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
  const number yz = y * z, w = 1.0 - half_z;
  const number sin_y = y - ((z * (0.5 * y_low - yz * s) - y_low) + yz * 1.66666666666666324348e-01);
  const number cos_y = w + (((1.0 - w) - half_z) + (z * c - y * y_low));

  const bits quadrant = (bits)shifted, swapped = ((bits)sin_y ^ (bits)cos_y) & -(quadrant & 1);
  out->sine = __builtin_convertvector((number)((bits)sin_y ^ swapped ^ ((quadrant >> 1) << 63)), $REAL);
  out->cosine = __builtin_convertvector((number)((bits)cos_y ^ swapped ^ (((quadrant + 1) >> 1) << 63)), $REAL);
  for (int l = 0; l < $COUNT; ++l)
    if (!(x[l] >= -largest && x[l] <= largest))
      out->sine[l] = sin$F((*angle)[l]), out->cosine[l] = cos$F((*angle)[l]);
}
)";

}}}}  // namespace corio::codegen::detail
