#pragma once

#include <string>
#include <string_view>

#include "corio/core/table.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Different names, numbered from 0 on as they are added: a hash table with open addressing,
/// which compiles to a fraction of the code of std::unordered_map.
class Names {
 public:
  int size() const { return ends_.size(); }
  bool contains(std::string_view name) const { return find(name) >= 0; }
  /// Returns the number of a name, or -1 if it was not added. O(1) comparisons.
  [[gnu::noinline]] int find(std::string_view name) const { return slots_.empty() ? -1 : slots_[place(name)] - 1; }
  /// Adds a name. Returns false if the name was there already.
  [[gnu::noinline]] bool add(std::string_view name) {
    if (2 * size() >= slots_.size()) spread();
    int& slot = slots_[place(name)];
    if (slot > 0) return false;
    text_ += name;
    ends_.push_back(text_.size());
    slot = size();
    return true;
  }

 private:
  std::string_view at(int i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }
  /// Returns the slot of a name, or the free slot where the name belongs. Half of the slots are free.
  [[gnu::noinline]] int place(std::string_view name) const {
    int i = static_cast<int>(std::hash<std::string_view>()(name) % static_cast<std::size_t>(slots_.size()));
    while (slots_[i] > 0 && at(slots_[i] - 1) != name) i = i + 1 < slots_.size() ? i + 1 : 0;
    return i;
  }
  /// Doubles the number of slots.
  void spread() {
    slots_ = Table<int, struct OfSlots>(slots_.empty() ? 16 : 2 * slots_.size(), 0);
    for (int i = 0; i < size(); ++i) slots_[place(at(i))] = i + 1;
  }

  std::string text_;                         // all names, one after the other
  Table<std::size_t, struct OfNames> ends_;  // the end of each name in text_
  Table<int, struct OfSlots> slots_;         // one plus the number of a name, zero if free
};

}}}  // namespace corio::detail
