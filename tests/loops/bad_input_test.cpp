#include "support/bad_input.hpp"

#include "corio/mechanism/constrained_inverse_dynamics_derivatives.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/quantities.hpp"
#include "loops/mechanism_table.hpp"
#include "support/catch.hpp"

// Checks the table for mechanisms in the page on bad input.

namespace loops_test {
namespace mechanism_bad_input {

using contracts::Arguments;
using test::Given;

Given numbers(const Arguments& x) { return {x.q, x.y, x.ydot, x.x, x.tree, x.forces}; }
VectorXd called(const contracts::Function& f, Closed& s, const Given& x) {
  return f(s, {x[0], x[1], x[2], x[3], x[4], x[5]}).reshaped();
}

/// Returns the arguments that a function takes: those with a checked size, and those that change its result.
std::vector<std::size_t> taken(const contracts::Function& f, const Given& right) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < right.size(); ++i) {
    Closed s(0);
    Given longer = right, other = right;
    longer[i].conservativeResize(right[i].size() + 1);
    other[i].array() += 0.1;
    if (test::outcome([&] { return called(f, s, longer); }) != "works" || called(f, s, right) != called(f, s, other))
      all.push_back(i);
  }
  return all;
}

/// Puts a zero in place of a floating base's quaternion, which must not affect the next call.
VectorXd without_quaternion(const contracts::Function& f) {
  Closed s(3), other(3);
  const Given right = numbers(contracts::arguments(s, 31));
  REQUIRE(s.model.joints()[0].type() == joint::FreeFlyer::type);
  Given bad = right;
  bad[0].segment(3, 4).setZero();
  const auto recovered = [&] {
    if (called(f, s, right) != called(f, other, right)) throw std::logic_error("stays");
  };
  VectorXd result;
  try {
    result = called(f, s, bad);
  } catch (const Error&) {
    recovered();
    throw;
  }
  recovered();
  return result;
}

test::Subject subject_of(const std::string& name, const contracts::Function& complete,
                         const contracts::Function& reuse) {
  const Given right = numbers(contracts::arguments(Closed(0), 31));
  const auto places = taken(complete, right);
  test::Subject subject{.name = name};
  for (const std::size_t i : places) subject.arguments.push_back(right[i]);
  const auto with = [=](const contracts::Function& f, const std::function<void(Closed&)>& change) {
    return [=]() -> test::Function {
      return [=, s = std::make_shared<Closed>(0)](const Given& some) {
        Given x = right;
        for (std::size_t i = 0; i < places.size(); ++i) x[places[i]] = some[i];
        change(*s);
        return called(f, *s, x);
      };
    };
  };
  subject.make = with(complete, [](Closed&) {});
  subject.others = {
      {"other Data", with(complete, [](Closed& s) { s.data = MechanismData<double>(Closed(0).mechanism); })},
      {"moved from", with(complete, [](Closed& s) { const auto kept = std::move(s.data); })},
      {"moved from", with(complete, [](Closed& s) { const auto kept = std::move(s.mechanism); })},
  };
  if (!places.empty() && places.front() == 0)
    subject.others.emplace_back(
        "quaternion 0", [=]() -> test::Function { return [=](const Given&) { return without_quaternion(complete); }; });
  if (reuse)
    subject.others.emplace_back("no pass", with(reuse, [](Closed& s) { s.data = MechanismData<double>(s.mechanism); }));
  return subject;
}

/// Functions that are not in the table of contracts: conversions, and a second form.
const std::vector<std::pair<const char*, contracts::Function>>& further() {
  static const std::vector<std::pair<const char*, contracts::Function>> all{
      {"project_forces",
       [](auto& s, auto& x) {
         MatrixXd out(s.mechanism.nv(), 1);
         project_forces<double>(s.mechanism, s.data, x.tree, out);
         return out;
       }},
      {"project_jacobian",
       [](auto& s, auto& x) {
         MatrixXd out(1, s.mechanism.nv());
         project_jacobian<double>(s.mechanism, s.data, x.tree.transpose(), out);
         return out;
       }},
      {"tree_velocities",
       [](auto& s, auto& x) {
         VectorXd v;
         tree_velocities<double>(s.mechanism, s.data, VectorXd(x.y), v);
         return v;
       }},
      {"tree_accelerations",
       [](auto& s, auto& x) {
         VectorXd a;
         a.setZero(s.model.nv());
         tree_accelerations(s.mechanism, s.data, x.y, x.ydot, a);
         return a;
       }},
  };
  return all;
}

}  // namespace mechanism_bad_input

TEST_CASE("functions of mechanisms do with bad input what their table says", "[loops][bad_input]") {
  test::BadInput outcomes({"no pass", "other Data", "moved from"}, true);
  for (const auto& f : contracts::table()) outcomes.add(mechanism_bad_input::subject_of(f.name, f.complete, f.reuse));
  for (const auto& [name, f] : mechanism_bad_input::further())
    outcomes.add(mechanism_bad_input::subject_of(name, f, f));
  for (const std::string& name : outcomes.subjects()) {
    CAPTURE(name);
    CHECK(outcomes.at(name, "wrong size") == "SizeError");
    // With another number in q the linkage is open.
    CHECK(mentions("StateError, works", {outcomes.at(name, "denormal")}));
    for (const std::string& column : outcomes.columns()) {
      CAPTURE(column);
      CHECK(outcomes.at(name, column).find("stays") == std::string::npos);
      CHECK(outcomes.at(name, column).find("another") == std::string::npos);
    }
    CHECK(outcomes.silent(
              name, {name.substr(0, name.find(',')), "forward_kinematics:", "'four-bar'", "another model"}) == "");
  }
  test::write_page("Functions of a mechanism", outcomes.markdown());
  CHECK(outcomes.markdown() == test::table_of_page("Functions of a mechanism"));
}

TEST_CASE("functions of mechanisms take their own results, and the state, as arguments", "[loops][bad_input]") {
  using Call = std::function<const VectorXd&(Closed&, VectorIn<double>)>;
  using std::pair;
  const std::vector<pair<const char*, Call>> calls{
      {"forward_kinematics, y",
       [](auto& s, VectorIn<double> x)
           -> auto& {return forward_kinematics<double>(s.mechanism, s.data, s.data.tree.q, x, s.data.ydot).y;
}
}  // namespace loops_test
, {"forward_kinematics, ydot",
   [](auto& s, VectorIn<double> x)
       -> auto& {return forward_kinematics<double>(s.mechanism, s.data, s.data.tree.q, s.data.y, x).ydot;
}
}
, {"aba", [](auto& s, VectorIn<double> x) -> auto& {return aba<double>(s.mechanism, s.data, s.data.tree.q, s.data.y, x);
}
}
, {"rnea", [](auto& s, VectorIn<double> x) -> auto& {return rnea<double>(s.mechanism, s.data, s.data.tree.q, x, x);
}
}
, {"coriolis_product", [](auto& s, VectorIn<double> x) -> auto& {return coriolis_product(s.mechanism, s.data, x);
}
}
, {"coriolis_transpose_product",
   [](auto& s, VectorIn<double> x) -> auto& {return coriolis_transpose_product(s.mechanism, s.data, x);
}
}
, {"slotine_li_inverse_dynamics",
   [](auto& s, VectorIn<double> x) -> auto& {return slotine_li_inverse_dynamics(s.mechanism, s.data, x, x);
}
}
,
}
;
for (const int seed : {0, 3, 6})
  for (const auto& [name, call] : calls) {
    CAPTURE(seed, name);
    Closed s(seed), other(seed);
    const VectorXd y = s.y;
    const VectorXd& own = call(s, y);
    const VectorXd first = own;
    call(other, y);
    const VectorXd expected = call(other, first);
    CHECK(call(s, own) == expected);
  }
}

TEST_CASE("an external force on a body of another model leaves the result of a mechanism", "[loops][bad_input]") {
  Closed s(0), other(0);
  const VectorXd& tau = rnea<double>(s.mechanism, s.data, s.q, s.y, s.y);
  const VectorXd before = tau;
  const std::vector<ExternalForce<double>> forces{
      {other.model.bodies().back(), Force<double>::zero(), ReferenceFrame::world}};
  CHECK_THROWS_AS(rnea<double>(s.mechanism, s.data, forces), ModelError);
  CHECK(tau == before);
}

}  // namespace loops_test
