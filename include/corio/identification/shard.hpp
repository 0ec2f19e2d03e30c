#pragma once

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "corio/core/detail/file.hpp"
#include "corio/identification/streaming_least_squares.hpp"

/// Identification from more samples than one process can take: each of several processes, on one machine or many, adds
/// its share of the samples to a stream and stores it in a file, a shard; then the streams are merged. Start the
/// processes by GNU parallel, Slurm or the like.
namespace corio { inline namespace CORIO_ABI {

/// A counter-based random number generator: its numbers depend only on a seed and an index, so that sample i is the
/// same in every process. A uniform random bit generator for the distributions of the standard library.
class CounterRandom {
 public:
  using result_type = std::uint64_t;
  static constexpr result_type(min)() { return 0; }
  static constexpr result_type(max)() { return ~result_type(0); }

  CounterRandom(std::uint64_t seed, std::uint64_t index) : state_(mix(seed) ^ mix(index + odd)) {}
  result_type operator()() { return mix(state_ += odd); }
  /// A number uniform in [0, 1).
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

 private:
  static constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  /// The finaliser of splitmix64 (Steele, Lea and Flood 2014): each bit of x changes half of the bits.
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  std::uint64_t state_;
};

/// One process's part of a job, and its progress.
struct Shard {
  std::uint64_t job = 0;  ///< identifies the job, for instance a hash of its model, samples and seed
  int number = 0, count = 1;
  std::int64_t samples = 0;  ///< number of samples of the whole job
  std::int64_t next = 0;     ///< the first sample that is not in the stream

  /// @throws Error unless 0 <= number < count and samples is not negative, as end and is_done
  std::int64_t begin() const { return share(number); }
  std::int64_t end() const { return share(number + 1); }
  bool is_done() const { return next >= end(); }

 private:
  std::int64_t share(int i) const {
    if (number < 0 || number >= count || samples < 0)
      throw Error(detail::join({"shard ", std::to_string(number), " of ", std::to_string(count), ", of ",
                                std::to_string(samples), " samples: expected 0 <= number < count, and samples >= 0"}));
    return samples / count * i + std::min<std::int64_t>(samples % count, i);
  }
};

/// The contents of a file of a shard.
struct StoredShard {
  Shard shard;
  StreamingLeastSquares<double> stream;
};

namespace detail {

/// The header of a file. R (its upper triangle, row by row), z, the residual and a checksum follow.
struct ShardHeader {
  char magic[16] = "corio shard";
  std::uint64_t version = 1, job = 0;
  std::int64_t number = 0, count = 0, samples = 0, next = 0, columns = 0, rows = 0;
};

/// The largest size of a file, in bytes: that of 46,000 columns.
inline constexpr std::uintmax_t most_shard_bytes = std::uintmax_t(8) << 30;

inline void check_progress(const Shard& shard) {
  if (shard.next < shard.begin() || shard.next > shard.end())
    throw Error(join({"shard ", std::to_string(shard.number), ": its next sample is ", std::to_string(shard.next),
                      ", expected ", std::to_string(shard.begin()), " to ", std::to_string(shard.end())}));
}

/// The FNV-1a hash of all bytes before it.
inline std::uint64_t checksum(const char* bytes, std::size_t size) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < size; ++i) sum = (sum ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3;
  return sum;
}
template <class T>
void append(std::vector<char>& bytes, const T& x) {
  const char* const from = reinterpret_cast<const char*>(&x);
  bytes.insert(bytes.end(), from, from + sizeof x);
}

/// Calls f(part, size) for consecutive parts of the bytes, since sizes of MPI messages are int.
template <class F>
void for_each_message(std::vector<char>& bytes, F&& f, std::size_t most = std::size_t(1) << 30) {
  for (std::size_t at = 0; at < bytes.size(); at += most)
    f(bytes.data() + at, static_cast<int>((std::min)(most, bytes.size() - at)));
}

}  // namespace detail

/// A shard and its stream as bytes, to be sent or stored.
/// @throws Error for an invalid shard (see Shard::begin; next must be in [begin(), end()])
inline std::vector<char> to_bytes(const Shard& shard, const StreamingLeastSquares<double>& stream) {
  detail::check_progress(shard);
  detail::ShardHeader header;
  header.job = shard.job, header.number = shard.number, header.count = shard.count;
  header.samples = shard.samples, header.next = shard.next;
  header.columns = stream.columns(), header.rows = stream.rows();
  std::vector<char> bytes;
  detail::append(bytes, header);
  const auto R = stream.R();
  for (Eigen::Index i = 0; i < R.rows(); ++i)
    for (Eigen::Index j = i; j < R.cols(); ++j) detail::append(bytes, R(i, j));
  const auto z = stream.z();
  for (Eigen::Index i = 0; i < z.size(); ++i) detail::append(bytes, z[i]);
  detail::append(bytes, stream.residual());
  detail::append(bytes, detail::checksum(bytes.data(), bytes.size()));
  return bytes;
}

/// Writes a shard and its stream atomically: writes a file with .part after its name and renames it, so that a process
/// that is killed leaves the old file or the complete new one.
/// @throws Error, naming the file, if it cannot be written; further errors are those of to_bytes
inline void store(const std::filesystem::path& file, const Shard& shard, const StreamingLeastSquares<double>& stream) {
  const std::vector<char> bytes = to_bytes(shard, stream);
  if (bytes.size() > detail::most_shard_bytes)
    throw Error(detail::join({"shard '", file.string(), "' would have ", std::to_string(bytes.size()), " bytes"}));
  detail::write_file<Error>(file, {bytes.data(), bytes.size()}, "shard");
}

/// The inverse of to_bytes, for machines of the same byte order.
/// @param name  the name of the file, for messages
/// @throws Error, naming the file, if the bytes are not a shard, or are damaged, incomplete or of a newer version
inline StoredShard from_bytes(std::span<const char> bytes, const std::string& name) {
  const auto fail = [&](const char* what) { throw Error(detail::join({name, " ", what})); };
  detail::ShardHeader header;
  const detail::ShardHeader expected;
  const std::size_t sum_size = sizeof(std::uint64_t);
  const std::size_t known = (std::min)(bytes.size(), sizeof expected.magic);
  if (known == 0 || std::memcmp(bytes.data(), expected.magic, known) != 0) fail("is not a shard of corio");
  if (bytes.size() < sizeof header + sum_size) fail("is incomplete");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version > expected.version) fail("was written by a newer version of corio");
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - sum_size, sum_size);
  if (sum != detail::checksum(bytes.data(), bytes.size() - sum_size))
    fail("is incomplete or damaged: its checksum is wrong");
  // A right checksum does not prove that corio wrote the file, so the header is checked. The size of the file bounds
  // the number of columns.
  const auto is_index = [](std::int64_t x) { return 0 <= x && x <= (std::numeric_limits<int>::max)(); };
  if (header.version < 1 || !is_index(header.number) || !is_index(header.count) || header.columns < 0 ||
      static_cast<std::uint64_t>(header.columns) > bytes.size())
    fail("is damaged: a number in its header is out of range");
  const auto n = static_cast<Eigen::Index>(header.columns);
  const auto numbers = static_cast<std::size_t>(n * (n + 1) / 2 + n + 1);
  if (bytes.size() != sizeof header + numbers * sizeof(double) + sum_size) fail("is damaged: its size is wrong");

  const char* at = bytes.data() + sizeof header;
  const auto next = [&at] {
    double x = 0;
    std::memcpy(&x, at, sizeof x);
    at += sizeof x;
    return x;
  };
  MatrixX<double> R = MatrixX<double>::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = i; j < n; ++j) R(i, j) = next();
  VectorX<double> z(n);
  for (double& x : z) x = next();
  const double residual = next();
  const Shard shard{header.job, static_cast<int>(header.number), static_cast<int>(header.count), header.samples,
                    header.next};
  try {
    detail::check_progress(shard);
    return {shard, StreamingLeastSquares<double>::restored(R, z, residual, header.rows)};
  } catch (const Error& error) {
    throw Error(detail::join({name, " is damaged: ", error.what()}));
  }
}

/// Reads a file written by store.
/// @throws Error, naming the file, if it cannot be read; further errors are those of from_bytes
inline StoredShard restore(const std::filesystem::path& file) {
  return from_bytes(detail::read_file<Error>(file, "shard", detail::most_shard_bytes), file.string());
}

/// Merges the streams of all shards of a job, in the order of their numbers.
/// @throws Error naming a file that belongs to another job, is not finished, or has the number of another file, or
/// naming a missing number; further errors are those of restore
inline StreamingLeastSquares<double> merge_shards(const std::vector<std::filesystem::path>& files) {
  if (files.empty()) throw Error("there are no shards to merge");
  std::vector<StoredShard> all;
  for (const auto& file : files) all.push_back(restore(file));
  std::map<int, std::size_t> index;  // index into `files`, by the number of the shard
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Shard& x = all[i].shard;
    const std::string name = files[i].string();
    if (x.job != all[0].shard.job || x.count != all[0].shard.count || x.samples != all[0].shard.samples)
      throw Error(detail::join({name, " belongs to another job than ", files[0].string()}));
    if (!x.is_done())
      throw Error(detail::join({name, " is not finished: it has ", std::to_string(x.next - x.begin()), " of ",
                                std::to_string(x.end() - x.begin()), " samples"}));
    const auto [other, is_new] = index.emplace(x.number, i);
    if (!is_new)
      throw Error(
          detail::join({name, " and ", files[other->second].string(), " are both shard ", std::to_string(x.number)}));
  }
  const int count = all[0].shard.count;
  for (int number = 0; number < count; ++number)
    if (!index.contains(number))
      throw Error(detail::join(
          {"shard ", std::to_string(number), " of ", std::to_string(count), " is missing beside ", files[0].string()}));
  StreamingLeastSquares<double> sum = all[index.at(0)].stream;
  for (int number = 1; number < count; ++number) sum.merge(all[index.at(number)].stream);
  return sum;
}

}}  // namespace corio
