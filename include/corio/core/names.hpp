#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corio/core/abi.hpp"

namespace corio::inline CORIO_ABI::detail {

/// Different names, numbered from 0 on in the order in which they are added: a hash table with open addressing over
/// plain vectors, which compiles to a fraction of the code of std::unordered_map.
class Names {
 public:
  int size() const { return static_cast<int>(ends_.size()); }
  bool contains(std::string_view name) const { return find(name) >= 0; }
  /// The number of a name, -1 if it was not added. O(1) comparisons.
  [[gnu::cold, gnu::noinline]] int find(std::string_view name) const {
    return slots_.empty() ? -1 : static_cast<int>(slots_[place(name)]) - 1;
  }
  /// Adds a name. Returns false if it was there already.
  [[gnu::cold, gnu::noinline]] bool add(std::string_view name) {
    if (2 * ends_.size() >= slots_.size()) spread();
    std::size_t& slot = slots_[place(name)];
    if (slot > 0) return false;
    text_ += name;
    ends_.push_back(text_.size());
    slot = ends_.size();
    return true;
  }

 private:
  std::string_view at(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }
  /// The slot of a name, or the free one where it belongs. The number of slots is a power of two, and half are free.
  [[gnu::cold, gnu::noinline]] std::size_t place(std::string_view name) const {
    std::size_t i = std::hash<std::string_view>()(name);
    while (i %= slots_.size(), slots_[i] > 0 && at(slots_[i] - 1) != name) ++i;
    return i;
  }
  /// Twice as many slots.
  [[gnu::cold]] void spread() {
    slots_ = std::vector<std::size_t>(slots_.empty() ? 16 : 2 * slots_.size(), 0);
    for (std::size_t i = 0; i < ends_.size(); ++i) slots_[place(at(i))] = i + 1;
  }

  std::string text_;                // all names, one after the other
  std::vector<std::size_t> ends_;   // of each name in it
  std::vector<std::size_t> slots_;  // one plus the number of a name, zero where free
};

}  // namespace corio::detail
