#pragma once

#include <dlfcn.h>

#include "codegen/compiled_support.hpp"

/// A host for CasADi's C interface, which loads external functions and calls them as CasADi does.
namespace codegen_test {

using Index = long long;  // casadi_int

/// The pattern of a matrix: its entries by columns.
struct Sparsity {
  Index rows, columns;
  std::vector<Index> row{}, column{};
  explicit Sparsity(const Index* p) : rows(p[0]), columns(p[1]) {
    const bool is_dense = p[2] == 1;
    for (Index j = 0; j < columns; ++j)
      for (Index k = is_dense ? 0 : p[2 + j]; k < (is_dense ? rows : p[3 + j]); ++k)
        row.push_back(is_dense ? k : p[3 + columns + k]), column.push_back(j);
    for (std::size_t k = 1; k < row.size(); ++k) REQUIRE((column[k] > column[k - 1] || row[k] > row[k - 1]));
  }
  std::size_t size() const { return row.size(); }
  Index place(std::size_t k) const { return row[k] + rows * column[k]; }
  VectorXd dense(const VectorXd& entries) const {
    VectorXd out = VectorXd::Zero(rows * columns);
    for (std::size_t k = 0; k < size(); ++k) out[place(k)] = entries[Index(k)];
    return out;
  }
};

class External {
 public:
  using Values = std::vector<VectorXd>;
  std::vector<Sparsity> in, out;
  Names in_names, out_names;

  External(void* library, const std::string& name) {
    const auto find = [&](const std::string& ending) {
      void* symbol = dlsym(library, (name + ending).c_str());
      CAPTURE(name + ending);
      REQUIRE(symbol);
      return symbol;
    };
    evaluate_ = reinterpret_cast<Evaluate*>(find(""));
    for (const std::string side : {"_in", "_out"}) {
      const Index count = reinterpret_cast<Index (*)()>(find("_n" + side))();
      const auto pattern = reinterpret_cast<const Index* (*)(Index)>(find("_sparsity" + side));
      const auto name_of = reinterpret_cast<const char* (*)(Index)>(find("_name" + side));
      for (Index i = 0; i < count; ++i)
        (side == "_in" ? in : out).emplace_back(pattern(i)),
            (side == "_in" ? in_names : out_names).push_back(name_of(i));
      CHECK((!pattern(count) && !name_of(count)));
    }
    reinterpret_cast<int (*)(Index*, Index*, Index*, Index*)>(find("_work"))(sizes_, sizes_ + 1, sizes_ + 2,
                                                                             sizes_ + 3);
  }
  /// @param skip   a result for which CasADi gives no array
  /// @param given  inputs beyond those given, and all without it, are null
  Values operator()(const Values& x, int skip = -1, bool given = true) const {
    std::vector<const double*> arguments(static_cast<std::size_t>(sizes_[0]));
    std::vector<double*> results(static_cast<std::size_t>(sizes_[1]));
    std::vector<double> work(std::size_t(sizes_[3]) + 1, NAN);
    Values y;
    for (const Sparsity& s : out) y.push_back(VectorXd::Constant(Index(s.size()), NAN));
    for (std::size_t i = 0; i < in.size(); ++i) arguments[i] = given && i < x.size() ? x[i].data() : nullptr;
    for (std::size_t i = 0; i < out.size(); ++i) results[i] = int(i) == skip ? nullptr : y[i].data();
    if (evaluate_(arguments.data(), results.data(), nullptr, work.data(), 0) != 0) throw Error("failed");
    return y;
  }
  /// Returns the largest error of each block, relative to its largest entry, against differences of f; the blocks'
  /// inputs begin with those of f.
  double error_of_blocks(const External& f, Values x) const {
    const Values blocks = (*this)(x);
    const double h = 1e-6;
    double worst = 0, size = 1e-9;
    for (std::size_t i = 0; i < f.in.size(); ++i)
      for (Index e = 0; e < x[i].size(); ++e) {
        const double keep = x[i][e];
        x[i][e] = keep + h;
        const Values plus = f(x);
        x[i][e] = keep - h;
        const Values minus = f(x);
        x[i][e] = keep;
        for (std::size_t o = 0; o < f.out.size(); ++o) {
          const std::size_t b = o * f.in.size() + i;
          VectorXd column = VectorXd::Zero(out[b].rows);
          for (std::size_t k = 0; k < out[b].size(); ++k)
            if (out[b].column[k] == f.in[i].place(std::size_t(e))) column[out[b].row[k]] = blocks[b][Index(k)];
          const VectorXd exact = f.out[o].dense((plus[o] - minus[o]) / (2 * h));
          worst = std::max(worst, (column - exact).cwiseAbs().maxCoeff());
          size = std::max(size, exact.cwiseAbs().maxCoeff());
        }
      }
    return worst / size;
  }

 private:
  using Evaluate = int(const double**, double**, Index*, double*, int);
  Evaluate* evaluate_;
  Index sizes_[4];
};

}  // namespace codegen_test
