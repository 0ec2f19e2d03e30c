#include "corio/identification/shard.hpp"

#include <cstring>
#include <numeric>
#include <random>
#include <set>

#include "support/catch.hpp"
#include "support/no_files.hpp"
#include "support/temporary_file.hpp"

using namespace corio;

namespace {

namespace fs = std::filesystem;
using Stream = StreamingLeastSquares<double>;

Stream some_stream(int seed) {
  std::mt19937 generator(static_cast<unsigned>(seed));
  std::normal_distribution<double> normal;
  Stream stream(5);
  const Eigen::MatrixXd Y = Eigen::MatrixXd::NullaryExpr(40, 5, [&] { return normal(generator); });
  stream.add(Y, Eigen::VectorXd(Eigen::VectorXd::NullaryExpr(40, [&] { return normal(generator); })));
  return stream;
}
Shard shard(int number, int count = 3) {
  Shard x;
  x.job = 7, x.number = number, x.count = count, x.samples = 100, x.next = x.end();
  return x;
}
std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

}  // namespace

TEST_CASE("shards share all samples out", "[identification][shard]") {
  for (const std::int64_t samples : {0, 1, 7, 100, 101})
    for (const int count : {1, 3, 8}) {
      std::int64_t next = 0;
      for (int i = 0; i < count; ++i) {
        Shard x;
        x.samples = samples, x.count = count, x.number = i;
        CHECK(x.begin() == next);
        CHECK(x.end() - x.begin() <= samples / count + 1);
        next = x.end();
      }
      CHECK(next == samples);
    }
}

TEST_CASE("numbers of a sample depend on its index alone", "[identification][shard]") {
  CounterRandom one(3, 5);
  std::vector<std::uint64_t> first;
  for (int i = 0; i < 4; ++i) first.push_back(one());
  CounterRandom again(3, 5);
  for (const auto x : first) CHECK(again() == x);
  // Every version of the library draws the same numbers: from a state of zero, to which this index leads, they are the
  // published numbers of splitmix64 with the seed zero.
  CounterRandom published(0, 0 - 0x9e3779b97f4a7c15u);
  for (const std::uint64_t x : {0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u, 0x06c45d188009454fu}) CHECK(published() == x);
  // Over many samples all numbers differ, and are uniform to five standard deviations.
  std::set<std::uint64_t> all;
  double sum = 0, squares = 0, product = 0, previous = 0.5;
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    CounterRandom random(1, static_cast<std::uint64_t>(i));
    all.insert(random());
    const double x = random.uniform();
    CHECK((x >= 0.0 && x < 1.0));
    sum += x, squares += x * x, product += (x - 0.5) * (previous - 0.5), previous = x;
  }
  CHECK(static_cast<int>(all.size()) == n);
  CHECK(std::abs(sum / n - 0.5) < 5 * std::sqrt(1.0 / 12 / n));
  CHECK(std::abs(squares / n - 1.0 / 3) < 5 * std::sqrt(4.0 / 45 / n));
  CHECK(std::abs(product / n) < 5 * (1.0 / 12) / std::sqrt(n));
}

TEST_CASE("a stored stream is restored to the bit, and goes on as it would have", "[identification][shard]") {
  const test::TemporaryFolder folder;
  Stream stream = some_stream(1);
  store(folder.path() / "a.bin", shard(1), stream);
  StoredShard back = restore(folder.path() / "a.bin");
  CHECK(back.shard.job == 7);
  CHECK(back.shard.number == 1);
  CHECK(back.shard.is_done());
  CHECK(back.stream.rows() == 40);
  CHECK(back.stream.residual() == stream.residual());
  const Stream more = some_stream(2);
  stream.merge(more), back.stream.merge(more);
  CHECK(Eigen::MatrixXd(back.stream.R()) == Eigen::MatrixXd(stream.R()));
  CHECK(Eigen::VectorXd(back.stream.z()) == Eigen::VectorXd(stream.z()));
  CHECK_FALSE(fs::exists(folder.path() / "a.bin.part"));
}

TEST_CASE("what is too long for a message of MPI is sent in parts", "[identification][shard]") {
  std::vector<char> bytes(25);
  std::iota(bytes.begin(), bytes.end(), char(0));
  const std::size_t most = static_cast<std::size_t>(GENERATE(1, 7, 24, 25, 26));
  std::vector<char> joined;
  detail::for_each_message(
      bytes,
      [&](const char* part, int size) {
        CHECK(size > 0);
        CHECK(static_cast<std::size_t>(size) <= most);
        joined.insert(joined.end(), part, part + size);
      },
      most);
  CHECK(joined == bytes);
}

TEST_CASE("files that are not whole shards are refused by name", "[identification][shard]") {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "a.bin", other = folder.path() / "b.bin";
  store(file, shard(0), some_stream(1));
  const std::string whole = contents(file);
  const auto refuses = [&](const std::string& text, const std::string& why) {
    write(other, text);
    CHECK_THROWS_WITH(restore(other), Catch::Contains("b.bin") && Catch::Contains(why));
    CHECK(contents(other) == text);
  };
  for (const std::size_t size :
       {whole.size() - 1, whole.size() - 8, whole.size() / 2, std::size_t{80}, std::size_t{20}})
    refuses(whole.substr(0, size), "incomplete");
  refuses("", "not a shard");
  refuses("name,value\n", "not a shard");
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 1);
  refuses(damaged, "checksum");
  std::string newer = whole;
  newer[16] = 2;  // the first byte of the version
  refuses(newer, "newer version");
  // Writes a file with a correct checksum, and with the numbers of the header in its order.
  const auto forge = [&](std::size_t at, auto number) {
    std::string forged = whole;
    std::memcpy(forged.data() + at, &number, sizeof number);
    const std::uint64_t sum = detail::checksum(forged.data(), forged.size() - 8);
    std::memcpy(forged.data() + forged.size() - 8, &sum, sizeof sum);
    return forged;
  };
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::size_t version = 16, number = 32, count = 40, samples = 48, next = 56, columns = 64, rows = 72, R = 80;
  refuses(forge(version, std::int64_t{0}), "out of range");
  for (const std::size_t at : {number, count}) {
    refuses(forge(at, std::int64_t{-1}), "out of range");
    refuses(forge(at, most), "out of range");
  }
  refuses(forge(number, std::int64_t{3}), "shard 3 of 3");
  refuses(forge(count, std::int64_t{0}), "shard 0 of 0");
  refuses(forge(samples, std::int64_t{-1}), "of -1 samples");
  refuses(forge(samples, std::int64_t{0}), "its next sample is 34, expected 0 to 0");
  refuses(forge(next, std::int64_t{35}), "its next sample is 35, expected 0 to 34");
  refuses(forge(next, std::int64_t{-1}), "its next sample is -1");
  refuses(forge(columns, std::int64_t{-1}), "out of range");
  refuses(forge(columns, most), "out of range");
  refuses(forge(columns, std::int64_t{4}), "its size is wrong");
  refuses(forge(rows, std::int64_t{-1}), "not finite, or negative");
  refuses(forge(R, std::numeric_limits<double>::quiet_NaN()), "not finite, or negative");
  refuses(forge(R, std::numeric_limits<double>::max()), "not finite, or negative");
  // No memory holds this count: the first missing number is found at once.
  write(other, forge(count, std::int64_t{std::numeric_limits<int>::max()}));
  CHECK_THROWS_WITH(merge_shards({other}), Catch::Contains("its next sample is 34"));
  std::string many = forge(count, std::int64_t{std::numeric_limits<int>::max()});
  const std::int64_t first = 1;
  std::memcpy(many.data() + next, &first, sizeof first);
  const std::uint64_t many_sum = detail::checksum(many.data(), many.size() - 8);
  std::memcpy(many.data() + many.size() - 8, &many_sum, sizeof many_sum);
  write(other, many);
  CHECK_THROWS_WITH(merge_shards({other}), Catch::Contains("shard 1 of 2147483647 is missing"));
  write(other, forge(rows, most));
  Stream long_stream = restore(other).stream;
  CHECK_THROWS_WITH(long_stream.merge(some_stream(1)), Catch::Contains("more than 2^63 - 1 rows"));
  CHECK(long_stream.rows() == most);
  CHECK_THROWS_WITH(restore(folder.path() / "none.bin"), Catch::Contains("none.bin' does not exist"));
  CHECK_THROWS_AS(store(folder.path() / "no" / "folder.bin", shard(0), some_stream(1)), Error);
  // The file is as large as one with 8,300 columns: its size is no reason to reject it.
  write(other, "other");
  fs::resize_file(other, std::uintmax_t(270) << 20);
  CHECK_THROWS_WITH(restore(other), Catch::Contains("is not a shard of corio"));
  // A user may modify shards.
  Shard mistaken = shard(0);
  mistaken.count = 0;
  CHECK_THROWS_WITH(mistaken.is_done(), Catch::Contains("shard 0 of 0"));
  CHECK_THROWS_AS(store(other, mistaken, some_stream(1)), Error);
}

TEST_CASE("shards are merged in their order, whatever that of the files", "[identification][shard]") {
  const test::TemporaryFolder folder;
  std::vector<fs::path> files;
  for (int i = 0; i < 3; ++i) {
    files.push_back(folder.path() / ("shard" + std::to_string(i)));
    store(files.back(), shard(i), some_stream(i));
  }
  const Stream sum = merge_shards(files);
  Stream expected = some_stream(0);
  expected.merge(some_stream(1)), expected.merge(some_stream(2));
  CHECK(Eigen::MatrixXd(sum.R()) == Eigen::MatrixXd(expected.R()));
  CHECK(sum.rows() == 120);
  std::swap(files[0], files[2]);
  CHECK(Eigen::MatrixXd(merge_shards(files).R()) == Eigen::MatrixXd(sum.R()));

  CHECK_THROWS_WITH(merge_shards({files[0], files[1]}), Catch::Contains("shard 0 of 3 is missing"));
  store(folder.path() / "twice", shard(1), some_stream(4));
  CHECK_THROWS_WITH(merge_shards({files[0], files[1], files[2], folder.path() / "twice"}),
                    Catch::Contains("twice") && Catch::Contains("both shard 1"));
  store(folder.path() / "foreign", shard(1, 4), some_stream(4));
  CHECK_THROWS_WITH(merge_shards({files[0], folder.path() / "foreign"}),
                    Catch::Contains("foreign belongs to another job"));
  Shard half = shard(1);
  half.next = half.begin() + 3;
  store(folder.path() / "half", half, some_stream(4));
  CHECK_THROWS_WITH(merge_shards({files[0], folder.path() / "half", files[2]}),
                    Catch::Contains("half is not finished: it has 3 of 33"));
  CHECK_THROWS_AS(merge_shards({}), Error);
}

TEST_CASE("what is no file is refused as a shard, in a second", "[identification][shard]") {
  const corio::test::NoFiles no_files(".bin");
  for (const auto& given : no_files.all)
    CHECK(corio::test::not_rejected([](const fs::path& path) { restore(path); }, given) == "");
}
