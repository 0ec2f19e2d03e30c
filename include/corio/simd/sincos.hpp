#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "corio/simd/lanes.hpp"

/// Sines and cosines of many angles, for float and double a register at a time, in a quarter of the time of the C
/// library, whose calls took a third of the kinematics pass.
namespace corio { inline namespace CORIO_ABI { namespace detail {

#if !defined(__FAST_MATH__) && __FLT_EVAL_METHOD__ == 0
#define CORIO_VECTOR_SINCOS 1

/// Sine and cosine of a register of angles |x| <= 1e5, each to within one unit in the last place.
template <int n = group_size<double>>
struct SinCosBlock {
  using Real = typename Lanes<double, n>::Type;
  typedef std::int64_t Bits __attribute__((vector_size(sizeof(Real))));
  static constexpr int width = n;
  static bool in_range(double x) { return std::abs(x) <= 1e5; }  // false for NaN

  Real sine, cosine;

  CORIO_INLINE explicit SinCosBlock(const Real& x) {
    // Reduction of Cody and Waite: x = turns pi/2 + (y + y_low). All parts of pi/2 but the last have 33 bits, so that
    // their products with turns are exact; each subtraction keeps its rounding error, which matters next to a multiple
    // of pi/2. y_low may be a few units in the last place of y: it enters both results to first order.
    constexpr double two_over_pi = 0x1.45f306dc9c883p-1, round = 0x1.8p52;
    constexpr double part[] = {0x1.921fb544p0, 0x1.0b4611a6p-34, 0x1.3198a2e0p-69, 0x1.b839a252049c1p-104};
    const Real shifted = x * two_over_pi + round;
    const Real turns = shifted - round;
    const Real first = x - turns * part[0];
    const Real second = first - turns * part[1], second_low = (first - second) - turns * part[1];
    const Real y = second - turns * part[2];
    const Real y_low = ((second - y) - turns * part[2]) + second_low - turns * part[3];

    // Minimax polynomials on [-pi/4, pi/4] (Sun's fdlibm).
    const Real z = y * y, zz = z * z, half_z = 0.5 * z, w = 1.0 - half_z;
    const Real s = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) +
                   z * zz * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
    const Real c =
        4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05) +
        z * zz * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
    const Real sin_y = y - (y * z * (1.66666666666666324348e-01 - z * s) - y_low * w);
    const Real cos_y = w + (((1.0 - w) - half_z) + (zz * c - y * y_low));

    // The quadrant is in the last bits of turns: odd ones swap sine and cosine, the next bit is the sign.
    const Bits quadrant = bits(shifted);
    const Bits swapped = (bits(sin_y) ^ bits(cos_y)) & -(quadrant & 1);
    sine = real(bits(sin_y) ^ swapped ^ sign(quadrant));
    cosine = real(bits(cos_y) ^ swapped ^ sign(quadrant + 1));
  }

 private:
  CORIO_INLINE static Bits bits(const Real& x) { return __builtin_bit_cast(Bits, x); }
  CORIO_INLINE static Real real(const Bits& x) { return __builtin_bit_cast(Real, x); }
  CORIO_INLINE static Bits sign(const Bits& quadrant) { return (quadrant << 62) & (std::int64_t{1} << 63); }
};
#endif

/// Computes sine[i] = sin(x[i]) and cosine[i] = cos(x[i]) for i < n.
template <class S>
void sincos(int n, const S* x, S* sine, S* cosine) {
  using std::cos, std::sin;
  for (int i = 0; i < n; ++i)
    if constexpr (requires { sincos(x[i], sine[i], cosine[i]); })
      sincos(x[i], sine[i], cosine[i]);
    else
      sine[i] = sin(x[i]), cosine[i] = cos(x[i]);
}

#ifdef CORIO_VECTOR_SINCOS
/// Computes the sine and the cosine of one angle.
template <class S>
CORIO_INLINE void sincos_one(S x, S& sine, S& cosine) {
  const auto angle = static_cast<double>(x);
  if (!SinCosBlock<1>::in_range(angle)) return void((sine = std::sin(x), cosine = std::cos(x)));
  const SinCosBlock<1> block(angle);
  sine = static_cast<S>(block.sine), cosine = static_cast<S>(block.cosine);
}
/// Computes the sines and cosines of SinCosBlock<>::width angles.
template <class S>
CORIO_INLINE void sincos_block(const S* x, S* sine, S* cosine) {
  SinCosBlock<>::Real angles;
  bool in_range = true;
  repeat<SinCosBlock<>::width>([&](int l) CORIO_INLINE_LAMBDA {
    angles[l] = static_cast<double>(x[l]);
    in_range = in_range && SinCosBlock<>::in_range(angles[l]);
  });
  const SinCosBlock<> block(angles);
  repeat<SinCosBlock<>::width>([&](int l) CORIO_INLINE_LAMBDA {
    sine[l] = static_cast<S>(block.sine[l]), cosine[l] = static_cast<S>(block.cosine[l]);
  });
  if (in_range) return;
  // Angles out of range are computed one by one, so that no result depends on neighbouring angles.
  repeat<SinCosBlock<>::width>([&](int l) CORIO_INLINE_LAMBDA {
    if (!SinCosBlock<>::in_range(angles[l])) sine[l] = std::sin(x[l]), cosine[l] = std::cos(x[l]);
  });
}

template <class S>
requires(std::is_same_v<S, double> || std::is_same_v<S, float>) void sincos(int n, const S* x, S* sine, S* cosine) {
  constexpr int width = SinCosBlock<>::width;
  if (n == 1) return sincos_one(*x, *sine, *cosine);
  if (n < width) {
    S block[width] = {}, block_sine[width], block_cosine[width];
    for (int l = 0; l < n; ++l) block[l] = x[l];
    if (n > 0) sincos_block(block, block_sine, block_cosine);
    for (int l = 0; l < n; ++l) sine[l] = block_sine[l], cosine[l] = block_cosine[l];
    return;
  }
  int i = 0;
  for (; i + width <= n; i += width) sincos_block(x + i, sine + i, cosine + i);
  if (i < n) i = n - width, sincos_block(x + i, sine + i, cosine + i);  // computes some angles again
}
#endif

}}}  // namespace corio::detail
