#pragma once

namespace corio::joint {

/// Rigid connection. The builder lumps the child into its nearest moving ancestor, where the child stays available as
/// a frame of its own name.
struct Fixed {
  static constexpr const char* type = "fixed";
};

}  // namespace corio::joint
