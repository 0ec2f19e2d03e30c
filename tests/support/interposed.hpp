#pragma once

#include <Eigen/Core>  // before the definitions below: headers of vector instructions declare posix_memalign otherwise
#include <cstddef>

/// Counts calls of malloc and related functions, of locks and of throw in the whole process, whichever library makes
/// them, by functions of the same names that come before those of the C and C++ libraries. Only one source file of an
/// executable may include this header. It needs glibc; sanitizers have such functions of their own, and interposing is
/// false then.
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CORIO_TEST_OTHER_INTERPOSITION 1
#endif
#endif
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CORIO_TEST_OTHER_INTERPOSITION 1
#endif

namespace corio::test {

struct InterposedCalls {
  long memory = 0, locks = 0, throws = 0;
};
inline InterposedCalls& interposed_calls() {
  static InterposedCalls calls;
  return calls;
}

#ifdef CORIO_TEST_OTHER_INTERPOSITION
inline constexpr bool interposing = false;
#else
inline constexpr bool interposing = true;
#endif

/// Counts the calls that f makes.
template <class F>
InterposedCalls interposed(F&& f) {
  const InterposedCalls before = interposed_calls();
  f();
  const InterposedCalls& after = interposed_calls();
  return {after.memory - before.memory, after.locks - before.locks, after.throws - before.throws};
}

}  // namespace corio::test

#ifndef CORIO_TEST_OTHER_INTERPOSITION

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstdlib>

namespace corio::test {

/// Returns the function of that name in the libraries.
template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace corio::test

extern "C" {

// The names by which glibc keeps its own functions.
void* __libc_malloc(std::size_t);                 // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t, std::size_t);    // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void*, std::size_t);         // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t, std::size_t);  // NOLINT(bugprone-reserved-identifier)
void __libc_free(void*);                          // NOLINT(bugprone-reserved-identifier)

void* malloc(std::size_t size) noexcept {
  ++corio::test::interposed_calls().memory;
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) noexcept {
  ++corio::test::interposed_calls().memory;
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t size) noexcept {
  ++corio::test::interposed_calls().memory;
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++corio::test::interposed_calls().memory;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) noexcept {
  ++corio::test::interposed_calls().memory;
  *p = __libc_memalign(alignment, size);
  return *p ? 0 : ENOMEM;
}
void free(void* p) noexcept {
  if (p) ++corio::test::interposed_calls().memory;
  __libc_free(p);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  ++corio::test::interposed_calls().locks;
  static const auto lock = corio::test::next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  return lock(mutex);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* mutex) noexcept {
  ++corio::test::interposed_calls().locks;
  static const auto lock = corio::test::next<int(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
  return lock(mutex);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* mutex) noexcept {
  ++corio::test::interposed_calls().locks;
  static const auto lock = corio::test::next<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  return lock(mutex);
}

// Declared as compilers declare it.
[[noreturn]] void __cxa_throw(void* object, void* type, void (*destroy)(void*)) {
  ++corio::test::interposed_calls().throws;
  static const auto raise = corio::test::next<void(void*, void*, void (*)(void*))>("__cxa_throw");
  raise(object, type, destroy);
  std::abort();  // not reached
}

}  // extern "C"

#endif
