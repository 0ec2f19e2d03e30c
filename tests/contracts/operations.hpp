#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "corio/corio.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/derivatives_support.hpp"

/// One table lists all functions of (model, data); tests/contracts checks the promises of all functions for each of
/// them. To test a new function, add it to the table (table.hpp) and change nothing else here.
namespace corio::test {

/// Tells whether the compiler optimises this test. If it does not, tests of all pairs of operations, and of scalars
/// that are then slow, take only some of them; .ci/run has tests with and without optimisation.
#ifdef __OPTIMIZE__
inline constexpr bool optimised = true;
#else
inline constexpr bool optimised = false;
#endif

/// The arguments of all operations. They are views of one vector of numbers, which exposes an operation that copies or
/// reallocates its arguments. Each argument can be made a view of other numbers.
template <class S>
class Arguments {
 public:
  using View = Eigen::Map<const VectorX<S>>;
  enum Slot { q_slot, v_slot, a_slot, x_slot, y_slot, slots };

  /// Takes the same numbers for every scalar.
  Arguments(const Model<S>& model, const std::vector<Vectord>& numbers, int force_seed = 0);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  View q() const { return at(q_slot); }
  View v() const { return at(v_slot); }
  View a() const { return at(a_slot); }
  /// Further vectors of nv numbers, with a meaning that the operation defines.
  View x() const { return at(x_slot); }
  View y() const { return at(y_slot); }
  View at(Slot slot) const { return {begin_[slot], size_[slot]}; }
  View parameters(int n) const { return {parameters_.data(), n}; }
  /// Makes a part of `inside` that argument.
  void set(Slot slot, const S* begin, Eigen::Index size) { begin_[slot] = begin, size_[slot] = size; }

  std::vector<ExternalForce<S>> forces;
  BodySelection all, some;
  std::vector<int> prescribed;  ///< every other speed

 private:
  VectorX<S> numbers_, parameters_;
  const S* begin_[slots];
  Eigen::Index size_[slots];
};

/// How many bodies Arguments::some names.
template <class S>
int some_bodies(const Model<S>& model) {
  return std::min(3, static_cast<int>(model.bodies().size()));
}

template <class S>
Arguments<S>::Arguments(const Model<S>& model, const std::vector<Vectord>& numbers, int force_seed) {
  Eigen::Index total = 0;
  for (const Vectord& x : numbers) total += x.size();
  numbers_.resize(total + 1);
  // Starts at an address where no vector of Eigen begins.
  Eigen::Index at = 1;
  for (int slot = 0; slot < slots; ++slot) {
    const Vectord& x = numbers[static_cast<std::size_t>(slot)];
    for (Eigen::Index i = 0; i < x.size(); ++i) numbers_[at + i] = S(x[i]);
    set(static_cast<Slot>(slot), numbers_.data() + at, x.size());
    at += x.size();
  }
  const int n = 10 * static_cast<int>(model.bodies().size());
  parameters_.resize(n);
  for (int i = 0; i < n; ++i) parameters_[i] = S(0.2 + 0.01 * i);
  for (int k = 0; k < model.nv(); k += 2) prescribed.push_back(k);
  if (model.bodies().empty()) return;
  std::vector<std::string> names;
  for (int i = 0; i < some_bodies(model); ++i)
    names.insert(names.begin(), model.bodies()[static_cast<std::size_t>(i)].name());
  some = BodySelection(model, names);
  if (force_seed == 0) return;
  Random<double> random(force_seed);
  for (const auto& body : model.bodies())
    for (const auto reference : all_references) {
      const Force<double> F = random.force();
      forces.emplace_back(body, F.cast<S>(), reference, random.vector().template cast<S>());
    }
}

/// Returns random arguments for a model over double; their images serve the other scalars.
std::vector<Vectord> random_numbers(const Model<double>& model, int seed);

/// A view of numbers that an operation left in Data.
template <class S>
struct Memory {
  const S* begin;
  Eigen::Index size;
};

/// An object of any type.
using Object = std::unique_ptr<void, void (*)(void*)>;

/// The object outside of Data that an operation writes to.
template <class S>
struct Target {
  Object object{nullptr, nullptr};
  bool (*intact)(const void*) = nullptr;
  void (*move_away)(void*) = nullptr;
};

/// Holds the place of the last result of an operation, and the function that reads it. This is compiled once for each
/// type of result; only the call itself is compiled for each operation.
template <class S>
struct Result {
  const void* at = nullptr;
  VectorX<S> (*numbers)(const void*) = nullptr;
  std::vector<Memory<S>> (*memory)(const void*) = nullptr;  ///< for what is in Data
  Object value{nullptr, nullptr};                           ///< for functions that return a result
};

/// A lambda with few captures: one function to compile, where std::function needs several.
template <class>
class Small;
template <class R, class... A>
class Small<R(A...)> {
 public:
  Small() = default;
  template <class F>
  Small(F f)  // NOLINT(google-explicit-constructor): as std::function
      : call_([](const void* g, A... a) -> R { return (*static_cast<const F*>(g))(a...); }) {
    static_assert(std::is_trivially_copyable_v<F> && sizeof(F) <= size);
    std::memcpy(closure_, &f, sizeof(F));
  }
  R operator()(A... a) const { return call_(closure_, a...); }
  explicit operator bool() const { return call_; }

 private:
  static constexpr std::size_t size = 32;
  alignas(std::max_align_t) unsigned char closure_[size] = {};
  R (*call_)(const void*, A...) = nullptr;
};

template <class S>
class Call;

/// Tells how the accuracy of a result depends on M^-1: errors grow with this power of the condition of M.
enum class Conditioned { not_at_all = 0, once = 1, twice = 2 };

template <class S>
struct Operation {
  std::string function;              ///< as errors name it; operations of one function share a result
  std::string variant;               ///< factorization, tensor, route, selection
  Pass pass;                         ///< the smallest pass that the second form reuses
  std::vector<std::string> vectors;  ///< the names of x and y in this operation's errors

  using Form = Small<void(const Model<S>&, Data<S>&, const Arguments<S>&, void* target, Result<S>&)>;
  Small<Target<S>(const Model<S>&)> make;  ///< empty if the function returns the result
  Form complete, reuse;                    ///< f(model, data, q, ...), and f(model, data, ...) if there is one
  std::unique_ptr<Call<S>> prepare(const Model<S>& model) const { return std::make_unique<Call<S>>(*this, model); }

  bool has_reuse = true;
  bool takes_forces = false;
  bool needs_body = false;           ///< rejects models without a moving body
  bool needs_floating_base = false;  ///< without armature
  bool of_last_body = false;         ///< moves and reads only the last body and those that carry it
  bool bounded = false;              ///< has finite results for arguments that are not finite
  bool real = false;                 ///< exists for floating-point scalars only
  Conditioned conditioned = Conditioned::not_at_all;
  double float_tolerance = 1e-4;

  // Setters for the lines of the table.
  Operation& of(std::string text) { return variant = std::move(text), *this; }
  Operation& given(std::vector<std::string> names) { return vectors = std::move(names), *this; }
  Operation& of_real_numbers() { return real = true, *this; }
  Operation& under_forces() { return takes_forces = true, *this; }
  Operation& errors_grow(Conditioned power) { return conditioned = power, *this; }

  std::string name() const { return variant.empty() ? function : function + " (" + variant + ")"; }
  bool takes(typename Arguments<S>::Slot slot) const {
    using A = Arguments<S>;
    switch (slot) {
      case A::q_slot: return true;
      case A::v_slot: return pass >= Pass::velocity;
      case A::a_slot: return pass == Pass::acceleration;
      case A::x_slot: return !vectors.empty();
      default: return vectors.size() > 1;
    }
  }
};

/// An operation with the objects that it writes to.
template <class S>
class Call {
 public:
  Call(const Operation<S>& operation, const Model<S>& model) : operation_(operation) {
    if (operation.make) target_ = operation.make(model);
  }
  void complete(const Model<S>& model, Data<S>& data, const Arguments<S>& x) {
    operation_.complete(model, data, x, target_.object.get(), result_);
  }
  void reuse(const Model<S>& model, Data<S>& data, const Arguments<S>& x) {
    if (operation_.has_reuse) operation_.reuse(model, data, x, target_.object.get(), result_);
  }
  /// Returns the present numbers of the last result.
  VectorX<S> numbers() const { return result_.numbers(result_.at); }
  /// Returns the matrices and vectors of the last result that are in Data.
  std::vector<Memory<S>> memory() const {
    return result_.memory ? result_.memory(result_.at) : std::vector<Memory<S>>();
  }
  /// Tells whether the rest of the caller's larger matrices, around the results, is unchanged.
  bool left_neighbours_alone() const { return !target_.intact || target_.intact(target_.object.get()); }
  /// Moves the operation's target objects away.
  void move_away() {
    if (target_.move_away) target_.move_away(target_.object.get());
  }

 private:
  const Operation<S>& operation_;
  Target<S> target_;
  Result<S> result_;
};

/// The table. Over double, operations.cpp compiles it once; over other scalars <scalar>_test.cpp does.
template <class S>
const std::vector<Operation<S>>& operations();

extern template const std::vector<Operation<double>>& operations();

/// Finds an operation by the name that Operation::name gives.
template <class S>
const Operation<S>& operation(const std::string& name) {
  for (const auto& f : operations<S>())
    if (f.name() == name) return f;
  throw Error("no operation '" + name + "' in the table");
}

template <class S>
void run_pass(const Model<S>& model, Data<S>& data, const Arguments<S>& x, Pass pass) {
  if (pass == Pass::position) forward_kinematics(model, data, x.q());
  if (pass == Pass::velocity) forward_kinematics(model, data, x.q(), x.v());
  if (pass == Pass::acceleration) forward_kinematics(model, data, x.q(), x.v(), x.a());
}

/// Tells whether the operation can be called for this model.
template <class S>
bool suits(const Operation<S>& f, const Model<S>& model) {
  if (f.needs_body && model.bodies().empty()) return false;
  if (!f.needs_floating_base) return true;
  if (model.joints().empty() || model.joints().front().type() != joint::FreeFlyer::type) return false;
  for (int k = 0; k < model.nv(); ++k)
    if (value_of(model.armature()[k]) != 0) return false;
  return true;
}

}  // namespace corio::test
