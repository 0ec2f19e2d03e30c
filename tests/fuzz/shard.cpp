#include "corio/identification/shard.hpp"

#include <cstring>

#include "fuzz/entries.hpp"

/// A fuzzer would never find a correct checksum by chance, so the checksum is inserted if the first byte is odd.
void corio::fuzz::shard(Bytes bytes) {
  if (bytes.empty()) return;
  std::vector<char> file(bytes.begin() + 1, bytes.end());
  if (bytes[0] % 2 == 1 && file.size() > sizeof(std::uint64_t)) {
    const std::size_t end = file.size() - sizeof(std::uint64_t);
    const std::uint64_t sum = detail::checksum(file.data(), end);
    std::memcpy(file.data() + end, &sum, sizeof sum);
  }
  try {
    const auto stored = from_bytes(file, "shard");
    require(to_bytes(stored.shard, stored.stream) == file, "a shard is not stored as it was read");
    require(stored.stream.R().allFinite() && stored.stream.z().allFinite(), "a shard holds numbers not finite");
  } catch (const Error&) {
  }
}
