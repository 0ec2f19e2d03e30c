#pragma once

#include <tbb/parallel_for.h>

#include "corio/batch/executor.hpp"

namespace corio { inline namespace CORIO_ABI { namespace batch {

/// The executor of oneTBB (Debian and Ubuntu: libtbb-dev; link TBB::tbb). It shares its threads with other uses of
/// oneTBB in the program.
struct Tbb {
  void operator()(std::ptrdiff_t n, const std::function<void(std::ptrdiff_t)>& f) const {
    tbb::parallel_for(std::ptrdiff_t{0}, n, [&f](std::ptrdiff_t i) { f(i); });
  }
};

}}}  // namespace corio::batch
