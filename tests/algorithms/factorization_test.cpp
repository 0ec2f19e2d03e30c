#include "corio/algorithms/coriolis/factorization.hpp"

#include "corio/algorithms/coriolis/admissibility.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"

using namespace corio;
using namespace corio::test;

namespace {

Matrixd rate_of_mass_matrix(const Sample& s) {
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  return crba(model, data, step(model, s.q, s.v)).imag() / complex_step;
}

/// Returns a copy of C for a factorization.
template <class Factorization>
Matrixd coriolis(Sample& s, const Factorization& B) {
  return coriolis_matrix(s.model, s.data, s.q, s.v, B).C;
}

/// Returns the largest entry of C + C^T - dM/dt, over the largest entry of C if that exceeds one.
double skewness_defect(const Matrixd& C, const Matrixd& M_rate) {
  return max_magnitude(C + C.transpose() - M_rate) / std::max(1.0, max_magnitude(C));
}

}  // namespace

TEST_EACH(Sample& s, "dM/dt - 2 C is skew-symmetric for every admissible factorization",
          "[algorithms][factorization]") {
  const Matrixd expected = rate_of_mass_matrix(s);
  for_each_admissible([&](const char* name, const auto& B) {
    CAPTURE(name);
    CHECK(skewness_defect(coriolis(s, B), expected) < tolerance<double>());
    CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v, B).Mdot, expected) < tolerance<double>());
  });
}

TEST_EACH(Sample& s, "C of every factorization is the sum over bodies of J^T (B J + I Jdot)",
          "[algorithms][factorization]") {
  for_each_valid([&](const char* name, const auto& B) {
    CAPTURE(name);
    CHECK(relative_error(coriolis(s, B), sum_over_bodies(s, B)) < tolerance<double>());
  });
}

TEST_EACH(Sample& s, "Mdot is C + C^T for every factorization, right or not", "[algorithms][factorization]") {
  for_each_valid([&](const char* name, const auto& B) {
    CAPTURE(name);
    const auto& [C, M, Mdot] = coriolis_matrix(s.model, s.data, s.q, s.v, B);
    CHECK(Mdot == C + C.transpose());
  });
}

TEST_EACH(Sample& s, "Plain by name, as an object and as a lambda is one and the same", "[algorithms][factorization]") {
  const Matrixd named = coriolis_matrix<factorization::Plain>(s.model, s.data, s.q, s.v).C;
  const auto lambda = [](const Motion<double>& V, const Inertia<double>& I) -> Matrix6<double> {
    return crf(V) * I.matrix();
  };
  CHECK(coriolis(s, factorization::Plain{}) == named);
  // The expected value has the products of dense matrices that Plain multiplies out.
  CHECK(relative_error(coriolis(s, lambda), named) < tolerance<double>());
  forward_kinematics(s.model, s.data, s.q, s.v);
  CHECK(coriolis_matrix<factorization::Plain>(s.model, s.data).C == named);
  CHECK(relative_error(coriolis_matrix(s.model, s.data, lambda).C, named) < tolerance<double>());
}

TEST_CASE("for one or two degrees of freedom all admissible C are equal", "[algorithms][factorization]") {
  // A skew-symmetric D with D v = 0 that is linear in v is totally antisymmetric: it is zero for n <= 2.
  using enum Kind;
  const std::vector<std::vector<Kind>> mechanisms = {{revolute},
                                                     {prismatic},
                                                     {helical},
                                                     {cylindrical},
                                                     {universal},
                                                     {revolute, revolute},
                                                     {revolute, prismatic},
                                                     {prismatic, helical},
                                                     {helical, revolute}};
  for (const auto& kinds : mechanisms) {
    Sample s(PlanMaker("small", 60).chain(-1, kinds).plan(), 60);
    CAPTURE(name_of(kinds.front()), kinds.size());
    REQUIRE(s.model.nv() <= 2);
    const Matrixd christoffel = coriolis_matrix(s.model, s.data, s.q, s.v).C;
    for_each_admissible([&](const char* name, const auto& B) {
      CAPTURE(name);
      CHECK(relative_error(coriolis(s, B), christoffel) < tolerance<double>());
    });
  }
}

TEST_CASE("from three degrees of freedom on the admissible C differ", "[algorithms][factorization]") {
  using enum Kind;
  const std::vector<std::vector<Kind>> mechanisms = {{revolute, revolute, revolute},
                                                     {revolute, prismatic, helical},
                                                     {spherical},
                                                     {revolute, universal},
                                                     {free_flyer},
                                                     {revolute, revolute, prismatic, revolute, helical}};
  for (const auto& kinds : mechanisms) {
    Sample s(PlanMaker("large", 61).chain(-1, kinds).plan(), 61);
    CAPTURE(name_of(kinds.front()), kinds.size());
    const Matrixd christoffel = coriolis_matrix(s.model, s.data, s.q, s.v).C,
                  plain = coriolis(s, factorization::Plain{}), third = coriolis(s, twisted(0.7, -0.4));
    CHECK(max_magnitude(plain - christoffel) > 1e-3);
    CHECK(max_magnitude(third - christoffel) > 1e-3);
    CHECK(max_magnitude(third - plain) > 1e-3);
  }
}

TEST_CASE("is_admissible tells the admissible factorizations from the valid ones", "[algorithms][factorization]") {
  for_each_admissible([](const char* name, const auto& B) {
    CAPTURE(name);
    CHECK(is_admissible(B));
  });
  for_each_inadmissible([](const char* name, const auto& B) {
    CAPTURE(name);
    CHECK_FALSE(is_admissible(B));
    CHECK(factorization_defects(B).validity < tolerance<double>());
  });
}

TEST_CASE("a user's B is called once per moving body, with its twist and inertia about its origin",
          "[algorithms][factorization]") {
  Sample s(random_plan(3), 3);
  std::vector<Motion<double>> twists;
  double mass = 0;
  const auto B = [&](const Motion<double>& V, const Inertia<double>& I) -> Matrix6<double> {
    twists.push_back(V);
    mass += I.mass;
    return Matrix6<double>::Zero();
  };
  coriolis_matrix(s.model, s.data, s.q, s.v, B);
  REQUIRE(static_cast<int>(twists.size()) == s.model.num_nodes());
  for (std::size_t b = 0; b < twists.size(); ++b)
    CHECK(relative_error(twists[b], about(s.data.velocity[static_cast<int>(b)],
                                          s.data.pose[static_cast<int>(b)].translation)) == 0);
  CHECK(relative_error(mass, s.model.total_mass()) < tolerance<double>());
}
