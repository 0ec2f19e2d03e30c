#include <algorithm>
#include <memory>

#include "contracts/operations.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/bad_input.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks the tables for functions of a model in the page on bad input.

namespace {

using M = Model<double>;
using D = Data<double>;
using X = Arguments<double>;
using Op = Operation<double>;

M robot() { return zoo::random_tree(9, {.bodies = 5, .floating_base = true, .passive = true}); }

/// One operation with a model and Data of its own.
class Trial {
 public:
  explicit Trial(const Op& f, M of = robot()) : f_(f), model(std::move(of)), data(model), call_(f.prepare(model)) {}
  Vectord complete(const Given& given) {
    const X x = arguments(given);
    call_->complete(model, data, x);
    return call_->numbers();
  }
  Vectord reuse(const Given& given) {
    const X x = arguments(given);
    call_->reuse(model, data, x);
    return call_->numbers();
  }
  /// Places each argument in turn in the memory of the result.
  Vectord aliased(const Given& given) {
    const Vectord expected = complete(given);
    for (int i = X::v_slot; i < X::slots; ++i) {
      const auto slot = static_cast<X::Slot>(i);
      if (!f_.takes(slot)) continue;
      X x = arguments(given);
      complete(given);
      const auto memory = call_->memory();
      if (memory.empty() || memory.front().size < x.at(slot).size()) continue;
      const Vectord numbers = x.at(slot);
      std::copy(numbers.begin(), numbers.end(), const_cast<double*>(memory.front().begin));
      x.set(slot, memory.front().begin, numbers.size());
      call_->complete(model, data, x);
      if (call_->numbers() != expected) throw std::logic_error("aliased");
    }
    return expected;
  }

  const Op& f_;
  M model;
  D data;

 private:
  X arguments(const Given& given) const {
    auto all = random_numbers(model, 1);
    std::size_t next = 0;
    for (int slot = 0; slot < X::slots; ++slot)
      if (f_.takes(static_cast<X::Slot>(slot))) all[static_cast<std::size_t>(slot)] = given[next++];
    return X(model, all);
  }
  std::unique_ptr<Call<double>> call_;
};

/// Makes a trial, changes it, and returns its function.
std::function<Function()> after(const Op& f, std::function<void(Trial&)> change, bool reuse = true) {
  return [&f, change, reuse]() -> Function {
    const auto trial = std::make_shared<Trial>(f);
    return [trial, change, reuse](const Given& given) {
      trial->complete(given);
      change(*trial);
      return reuse && trial->f_.has_reuse ? trial->reuse(given) : trial->complete(given);
    };
  };
}

Subject subject_of(const Op& f) {
  const M model = robot();
  Subject s{.name = f.function, .make = [&f]() -> Function {
              return [trial = std::make_shared<Trial>(f)](const Given& given) { return trial->complete(given); };
            }};
  const auto numbers = random_numbers(model, 1);
  for (int slot = 0; slot < X::slots; ++slot)
    if (f.takes(static_cast<X::Slot>(slot))) s.arguments.push_back(numbers[static_cast<std::size_t>(slot)]);
  s.quaternion = 3;
  if (f.has_reuse) {
    s.others.emplace_back("no pass", [&f]() -> Function {
      return [trial = std::make_shared<Trial>(f)](const Given& given) { return trial->reuse(given); };
    });
    s.others.emplace_back("inertia changed",
                          after(f, [](Trial& t) { t.model.set_inertia(t.model.bodies().back(), ball(3.0)); }));
  }
  for (const bool same_size : {false, true})
    s.others.emplace_back(
        "other Data", after(
                          f, [same_size](Trial& t) { t.data = D(same_size ? robot() : zoo::serial_chain(3)); }, false));
  s.others.emplace_back("moved from", after(f, [](Trial& t) { const D kept = std::move(t.data); }));
  if (!f.needs_body) s.others.emplace_back("moved from", after(f, [](Trial& t) { const M kept = std::move(t.model); }));
  s.others.emplace_back("aliased", [&f]() -> Function {
    return [trial = std::make_shared<Trial>(f)](const Given& given) { return trial->aliased(given); };
  });
  return s;
}

}  // namespace

TEST_CASE("functions of a model do with bad input what their table says", "[contracts][bad_input]") {
  const std::vector<std::string> others{"no pass",    "inertia changed", "other Data",
                                        "moved from", "aliased",         "no joint"};
  BadInput table(others, true);
  ModelBuilder<double> builder("a plate on the wall");
  builder.add_body({.name = "plate", .joint = joint::Fixed(), .inertia = ball(1.0)});
  const M plate = builder.build();
  CHECK_THROWS_AS(ModelBuilder<double>("no body").build(), ModelError);
  for (const Op& f : operations<double>()) {
    Subject s = subject_of(f);
    if (suits(f, plate))
      s.others.emplace_back("no joint", [&]() -> Function {
        return [&](const Given&) {
          Given numbers = random_numbers(plate, 1);
          numbers.resize(s.arguments.size());
          return Trial(f, plate).complete(numbers);
        };
      });
    // The variants of a function must have the same outcomes, or a row of their own.
    const Outcomes outcomes = table.outcomes(s);
    BadInput alone(others, true);
    alone.add(f.function, outcomes);
    CAPTURE(f.name());
    CHECK(alone.silent(f.function, {f.function, "_kinematics:", "another model"}) == "");
    const auto& known = table.subjects();
    const bool is_known = std::find(known.begin(), known.end(), f.function) != known.end();
    const auto& columns = table.columns();
    if (!is_known || std::any_of(columns.begin(), columns.end(),
                                 [&](auto& c) { return alone.at(f.function, c) != table.at(f.function, c); }))
      table.add(is_known ? f.name() : f.function, outcomes);
  }
  for (const std::string& name : table.subjects()) {
    CAPTURE(name);
    CHECK(table.at(name, "wrong size") == "SizeError");
    for (const char* column : {"NaN, inf", "quaternion 0"}) CHECK(mentions("shows, works", {table.at(name, column)}));
    CHECK(mentions("works or shows", {table.at(name, "1e200")}));
    for (const char* column : {"denormal", "aliased"}) CHECK(table.at(name, column) == "works");
    CHECK(mentions("works, -", {table.at(name, "no joint")}));
    CHECK(table.at(name, "other Data") == "SizeError, StateError");
    CHECK(table.at(name, "moved from") == "SizeError");
    for (const char* column : {"no pass", "inertia changed"})
      CHECK(mentions("StateError, -", {table.at(name, column)}));
  }
  write_page("Functions of a model", table.markdown());
  CHECK(table.markdown() == table_of_page("Functions of a model"));
}
