#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "corio/model/model.hpp"

/// The functions that the fuzzers call, each in a file of its own. A corio::Error, which the entry catches, rejects
/// bytes that are not a valid input. Anything else is a defect: another exception escapes, a wrong result aborts.
namespace corio::fuzz {

using Bytes = std::span<const std::uint8_t>;

void urdf(Bytes bytes);   // URDF and URDF+
void mjcf(Bytes bytes);   // MJCF
void log(Bytes bytes);    // a table of a joint log
void shard(Bytes bytes);  // the state file of a shard
void mesh(Bytes bytes);   // OBJ, STL and MSH
void model(Bytes bytes);  // calls of ModelBuilder, loops among them
void edits(Bytes bytes);  // edits of a model, one after the other

struct Entry {
  const char* name;
  void (*run)(Bytes);
};
inline constexpr Entry entries[] = {{"urdf", urdf}, {"mjcf", mjcf},   {"log", log},    {"shard", shard},
                                    {"mesh", mesh}, {"model", model}, {"edits", edits}};

// ---- Common parts of the entries

inline std::string text_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

/// Draws numbers from the bytes of an input, and zeros after the last byte.
class Source {
 public:
  explicit Source(Bytes bytes) : bytes_(bytes) {}
  bool empty() const { return at_ >= bytes_.size(); }
  int byte() { return empty() ? 0 : bytes_[at_++]; }
  int below(int n) { return byte() % n; }
  bool chance(int in) { return byte() % in == 1; }
  /// Returns a number that is mostly of order one, sometimes at or beyond the ends of the range.
  double number();
  Vector3<double> vector();
  Pose<double> pose();
  std::string name(const char* prefix, int count) { return prefix + std::to_string(below(count)); }
  template <class T>
  const T& any_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

/// Aborts with the text unless the condition holds.
void require(bool condition, const char* text);

/// Calls the functions that must work for every accepted model, and aborts if numbers of order one give NaN.
void exercise(const Model<double>& model);

}  // namespace corio::fuzz
