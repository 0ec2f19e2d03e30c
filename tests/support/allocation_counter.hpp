#pragma once

#include <Eigen/Core>
#include <cstdlib>
#include <new>

/// Counts calls of operator new by replacing it, so only one source file of an executable may include this header.
/// Eigen takes its memory from malloc directly: its own guard, Eigen::internal::set_is_malloc_allowed, watches that.
/// Address sanitizer brings its own operator new, which must stay; counting_allocations is false then.
#if defined(__SANITIZE_ADDRESS__)
#define CORIO_TEST_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CORIO_TEST_ADDRESS_SANITIZER 1
#endif
#endif

namespace corio::test {

#ifdef CORIO_TEST_ADDRESS_SANITIZER
inline constexpr bool counting_allocations = false;
#else
inline constexpr bool counting_allocations = true;
#endif

inline long& allocation_count() {
  static long count = 0;
  return count;
}

#if defined(NDEBUG) || !defined(EIGEN_RUNTIME_NO_MALLOC)
#error "Eigen's guard against allocations speaks through assertions: compile with EIGEN_RUNTIME_NO_MALLOC and -UNDEBUG"
#endif

/// Forbids Eigen to allocate during its lifetime; an allocation is then a failed assertion.
class NoEigenAllocation {
 public:
  NoEigenAllocation() { Eigen::internal::set_is_malloc_allowed(false); }
  ~NoEigenAllocation() { Eigen::internal::set_is_malloc_allowed(true); }
};

/// Returns the number of calls of operator new in f, during which Eigen may not allocate either.
template <class F>
long allocations(F&& f) {
  const NoEigenAllocation guard;
  const long before = allocation_count();
  f();
  return allocation_count() - before;
}

}  // namespace corio::test

#ifndef CORIO_TEST_ADDRESS_SANITIZER
// All other forms of operator new and delete call these two. They are not inlined, or GCC sees free() meet operator new
// and warns of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++corio::test::allocation_count();
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  ++corio::test::allocation_count();
  const auto step = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(step, (size + step - 1) / step * step)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
#endif
