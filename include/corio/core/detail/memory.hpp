#pragma once

#include <memory>
#include <utility>

#include "corio/core/detail/inline.hpp"
#include "corio/core/table.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Holds at most one object per type, created on first request. References stay valid when further objects are created
/// and when the Memory is moved; a copy has copies of all objects.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory& other) {
    for (const Entry& entry : other.entries_)
      entries_.push_back({entry.type, entry.copy(entry.object.get()), entry.copy});
  }
  Memory(Memory&&) noexcept = default;
  Memory& operator=(const Memory& other) { return *this = Memory(other); }
  Memory& operator=(Memory&&) noexcept = default;
  ~Memory() = default;

  /// Returns the object of type T. The first request constructs it from the argument; only that allocates.
  template <class T, class Argument>
  CORIO_INLINE T& of(const Argument& argument) {
    for (const Entry& entry : entries_)
      if (entry.type == &type<T>) return *static_cast<T*>(entry.object.get());
    return make<T>(argument);
  }

 private:
  // Pointers to functions, not virtual members: if the first use of T is in a generic lambda that becomes a
  // std::function, clang 14 does not emit virtual members of a template on T.
  using Object = std::unique_ptr<void, void (*)(void*)>;
  struct Entry {
    const char* type;
    Object object;
    Object (*copy)(const void*);
  };
  template <class T>
  static inline char type = 0;

  template <class T>
  static void destroy(void* object) {
    delete static_cast<T*>(object);
  }
  template <class T>
  static Object copy(const void* original) {
    return {new T(*static_cast<const T*>(original)), &destroy<T>};
  }
  template <class T, class Argument>
  [[gnu::cold, gnu::noinline]] T& make(const Argument& argument) {
    return *static_cast<T*>(keep({&type<T>, {new T(argument), &destroy<T>}, &copy<T>}));
  }
  [[gnu::cold, gnu::noinline]] void* keep(Entry&& entry) {
    entries_.push_back(std::move(entry));
    return entries_.back().object.get();
  }

  Table<Entry, struct OfTypes> entries_;
};

}}}  // namespace corio::detail
