// Identification from more samples than one process can take. Each process makes its share of the samples, adds them to
// a stream, and stores the stream after every few hundred; if it is killed and started again, it continues from there.
// An existing tool starts the processes:
//
//   parallel identify_many --shard {}/8 folder ::: 0 1 2 3 4 5 6 7        GNU parallel
//   sbatch --array=0-7 --wrap "identify_many folder"                      Slurm: from its environment
//   identify_many --merge folder                                          when all are done
//   mpirun -n 8 identify_many --mpi                                       MPI, which merges by itself
//
// identify_many [--shard i/N | --merge | --check | --mpi] [--samples n] [--kill-after k] [folder]. The folder's default
// is identify_many_output. --kill-after: the process kills itself after that number of samples, as a failing machine
// might. --check: runs everything in one process, with a shard that is interrupted and repeated; exit status 1 if a
// result depends on that.

#include <corio/batch/batch.hpp>
#include <corio/corio.hpp>
#include <corio/identification/shard.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "support/arguments.hpp"
#include "support/figures.hpp"
#ifdef CORIO_EXAMPLES_MPI
#include <corio/identification/mpi.hpp>
#endif

namespace {

namespace fs = std::filesystem;
using corio::Shard;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Stream = corio::StreamingLeastSquares<double>;
constexpr std::uint64_t seed = 26;
constexpr std::int64_t at_once = 256;
constexpr double noise = 0.1;  // N m

/// Makes sample i, in the same way in every process.
class Samples {
 public:
  explicit Samples(const corio::Model<double>& model)
      : packed_(model), nq_(model.nq()), nv_(model.nv()), parameters_(corio::num_inertial_parameters(model)) {
    serial_.executor = corio::batch::Serial();  // the engine starts a process for each core
  }

  /// Adds samples [begin, end), some at once.
  void add(std::int64_t begin, std::int64_t end, Stream& stream) {
    for (; begin < end - at_once; begin += at_once) add(begin, begin + at_once, stream);
    const auto n = static_cast<Eigen::Index>(end - begin);
    MatrixXd Q(nq_, n), V(nv_, n), A(nv_, n), Tau(nv_, n), Y(nv_ * parameters_, n);
    MatrixXd error(nv_, n);
    for (Eigen::Index j = 0; j < n; ++j) {
      corio::CounterRandom random(seed, static_cast<std::uint64_t>(begin + j));
      for (double& x : Q.col(j)) x = 6.0 * random.uniform() - 3.0;
      for (double& x : V.col(j)) x = 4.0 * random.uniform() - 2.0;
      for (double& x : A.col(j)) x = 20.0 * random.uniform() - 10.0;
      for (double& x : error.col(j)) x = noise * (2.0 * random.uniform() - 1.0);
    }
    corio::batch::rnea(packed_, Q, V, A, Tau, serial_);
    Tau += error;
    corio::batch::for_each(
        packed_, corio::batch::inputs(Q, V, A), corio::batch::outputs(Y),
        [this](const auto& model, auto& data, const auto& q, const auto& v, const auto& a, auto& y) {
          using S = typename std::decay_t<decltype(model)>::Scalar;
          Eigen::Map<corio::MatrixX<S>> rows(y.data(), nv_, parameters_);
          corio::inverse_dynamics_regressor(model, data, q, v, a, rows);
        },
        serial_);
    for (Eigen::Index j = 0; j < n; ++j)
      stream.add(Eigen::Map<const MatrixXd>(Y.col(j).data(), nv_, parameters_), Tau.col(j));
  }
  int parameters() const { return parameters_; }

 private:
  corio::batch::Packed<corio::batch::FullPack<double>> packed_;
  corio::batch::Options serial_;
  int nq_, nv_, parameters_;
};

fs::path file_of(const fs::path& folder, int number) { return folder / ("shard_" + std::to_string(number) + ".bin"); }

/// Begins or continues a shard. @param most  stops after that number of samples
void work(Samples& samples, const fs::path& folder, Shard shard, std::int64_t most) {
  const fs::path file = file_of(folder, shard.number);
  Stream stream(samples.parameters());
  shard.next = shard.begin();
  if (fs::exists(file)) {
    const corio::StoredShard stored = corio::restore(file);
    const Shard& old = stored.shard;
    if (old.job != shard.job || old.number != shard.number || old.count != shard.count || old.samples != shard.samples)
      throw corio::Error(file.string() + " is of another job; it was not overwritten");
    shard = stored.shard, stream = stored.stream;
  }
  const std::int64_t stop = std::min(shard.end(), shard.next + most);
  while (shard.next < stop) {
    const std::int64_t end = std::min(shard.next + at_once, shard.end());
    samples.add(shard.next, end, stream);
    shard.next = end;
    corio::store(file, shard, stream);
  }
}

VectorXd estimate(const Stream& stream) { return corio::estimate(stream, corio::BaseParameters<double>(stream)).beta; }

bool merge(const corio::Model<double>& model, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".bin") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  const Stream stream = corio::merge_shards(files);
  const corio::BaseParameters<double> base(stream);
  const VectorXd error = estimate(stream) - base.project(corio::inertial_parameters(model));
  std::printf("%zu shards, %lld rows, %d base parameters, largest error %.2e\n", files.size(),
              static_cast<long long>(stream.rows()), base.size(), error.cwiseAbs().maxCoeff());
  return error.cwiseAbs().maxCoeff() < 0.02;
}

bool check(Samples& samples, const corio::Model<double>& model, const fs::path& folder, Shard job) {
  constexpr std::int64_t all = std::int64_t(1) << 62;
  const fs::path whole = folder / "whole", parts = folder / "parts", again = folder / "again";
  for (const fs::path& x : {whole, parts, again}) fs::remove_all(x), fs::create_directories(x);
  job.number = 0, job.count = 1;
  work(samples, whole, job, all);
  job.count = 3;
  for (job.number = 0; job.number < 3; ++job.number) {
    work(samples, parts, job, all);
    if (job.number == 1) work(samples, again, job, 500);
    work(samples, again, job, all);
  }
  const auto contents = [](const fs::path& file) { return corio::detail::read_file<corio::Error>(file, "shard"); };
  bool good = support::demand("a shard that was given up and repeated is the same to the bit",
                              contents(file_of(parts, 1)) == contents(file_of(again, 1)));
  const VectorXd one = estimate(corio::restore(file_of(whole, 0)).stream);
  const VectorXd three = estimate(corio::merge_shards({file_of(parts, 2), file_of(parts, 0), file_of(parts, 1)}));
  good &= support::small_enough("three shards beside one process", (one - three).norm() / one.norm(), 1e-12,
                                "of the estimate");
  return good & support::demand("the parameters are found", merge(model, parts));
}

#ifdef CORIO_EXAMPLES_MPI
/// Each process computes its share, and the first process merges the shares; to compare, it also computes all samples
/// by itself.
bool over_mpi(Samples& samples, Shard shard) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &shard.number);
  MPI_Comm_size(MPI_COMM_WORLD, &shard.count);
  Stream own(samples.parameters());
  samples.add(shard.begin(), shard.end(), own);
  const Stream sum = corio::merge_over_mpi(own, MPI_COMM_WORLD);
  bool good = true;
  if (shard.number == 0) {
    Stream whole(samples.parameters());
    samples.add(0, shard.samples, whole);
    const VectorXd one = estimate(whole), merged = estimate(sum);
    std::printf("%d processes, %lld rows\n", shard.count, static_cast<long long>(sum.rows()));
    good = support::demand("all rows are there", sum.rows() == whole.rows());
    good &= support::small_enough("merged beside one process", (one - merged).norm() / one.norm(), 1e-12,
                                  "of the estimate");
  }
  MPI_Finalize();
  return good;
}
#endif

/// "2/8"
void read_shard(const std::string& text, Shard& shard) {
  int used = 0;
  if (std::sscanf(text.c_str(), "%d/%d%n", &shard.number, &shard.count, &used) != 2 ||
      used != static_cast<int>(text.size()) || shard.number < 0 || shard.number >= shard.count)
    throw std::invalid_argument("--shard needs i/N with 0 <= i < N, such as 0/8, and has " + text);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Shard shard;
    shard.samples = 20000;
    std::string mode;
    fs::path folder = "identify_many_output";
    std::int64_t kill_after = -1;
    const char *task = std::getenv("SLURM_ARRAY_TASK_ID"), *tasks = std::getenv("SLURM_ARRAY_TASK_COUNT");
    if (task && tasks) read_shard(std::string(task) + "/" + tasks, shard);
    for (support::Arguments arguments(argc, argv); arguments.next();)
      if (arguments.set("--samples", shard.samples, 1) || arguments.set("--kill-after", kill_after, 1))
        continue;
      else if (arguments.is("--shard"))
        read_shard(arguments.text(), shard);
      else if (arguments.is("--merge") || arguments.is("--check") || arguments.is("--mpi"))
        mode = arguments.name();
      else
        folder = arguments.name();
    const auto model = corio::zoo::serial_chain(5);
    shard.job = seed;
    Samples samples(model);
    if (mode == "--mpi") {
#ifdef CORIO_EXAMPLES_MPI
      return over_mpi(samples, shard) ? 0 : 1;
#else
      throw std::invalid_argument("--mpi: built without MPI");
#endif
    }
    fs::create_directories(folder);
    if (mode == "--merge") return merge(model, folder) ? 0 : 1;
    if (mode == "--check") return check(samples, model, folder, shard) ? 0 : 1;
    work(samples, folder, shard, kill_after < 0 ? shard.samples : kill_after);
    if (kill_after >= 0) std::raise(SIGKILL);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "identify_many: " << error.what() << '\n';
    return 2;
  }
}
