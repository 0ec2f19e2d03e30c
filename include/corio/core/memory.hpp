#pragma once

#include <memory>
#include <vector>

#include "corio/core/inline.hpp"

namespace corio::detail {

/// One object of each requested type, made by the first request. References stay valid when further objects are made
/// and when the memory is moved; a copy has copies of all objects.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory& other) {
    for (const Entry& entry : other.entries_) entries_.push_back({entry.type, entry.object->copy()});
  }
  Memory(Memory&&) noexcept = default;
  Memory& operator=(const Memory& other) { return *this = Memory(other); }
  Memory& operator=(Memory&&) noexcept = default;
  ~Memory() = default;

  /// The object of type T, constructed from the argument by the first request, which alone allocates.
  template <class T, class Argument>
  CORIO_INLINE T& of(const Argument& argument) {
    for (const Entry& entry : entries_)
      if (entry.type == &type<T>) return static_cast<Holder<T>*>(entry.object.get())->value;
    return make<T>(argument);
  }

 private:
  struct Object {
    virtual ~Object() = default;
    virtual std::unique_ptr<Object> copy() const = 0;
  };
  template <class T>
  struct Holder final : Object {
    template <class Argument>
    explicit Holder(const Argument& argument) : value(argument) {}
    std::unique_ptr<Object> copy() const override { return std::make_unique<Holder>(*this); }
    T value;
  };
  struct Entry {
    const char* type;
    std::unique_ptr<Object> object;
  };
  template <class T>
  static inline char type = 0;

  template <class T, class Argument>
  CORIO_NOINLINE T& make(const Argument& argument) {
    auto holder = std::make_unique<Holder<T>>(argument);
    T& value = holder->value;
    entries_.push_back({&type<T>, std::move(holder)});
    return value;
  }

  std::vector<Entry> entries_;
};

}  // namespace corio::detail
