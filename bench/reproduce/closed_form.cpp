// Repeats the measurements of Garofalo, Ott and Albu-Schaeffer (2013): M, C and g of a humanoid with 25 joints, and
// their rates against a second evaluation at a neighbouring instant. The derivatives along the degrees of freedom
// follow.
//
//   corio_closed_form_bench [folder [rounds]]    writes report.txt into the folder

#include <algorithm>
#include <iostream>
#include <memory>
#include <random>

#include "baselines/jacobian_sums.hpp"
#include "corio/corio.hpp"
#include "reproduce/timing.hpp"
#include "support/counting_scalar.hpp"

namespace {

using namespace corio;
using paper::Report;
using paper::Timer;
using Vector = VectorX<double>;

/// The humanoid of the zoo with the 25 joints of the robot in the paper and its pelvis fixed to the ground: six joints
/// in each leg and arm, one in the waist. The bodies of other joints are welded.
Model<double> humanoid_25() {
  const Model<double> whole = zoo::humanoid();
  const std::vector<std::string> welded{"root_joint", "waist_pitch",     "neck_yaw",
                                        "neck_pitch", "left_wrist_roll", "right_wrist_roll"};
  ModelBuilder<double> builder("humanoid of 25 joints");
  std::vector<Parent> bodies;
  for (int b = 0; b < whole.num_nodes(); ++b) {
    const Node<double>& node = whole.node(b);
    const std::string name = whole.joint_of_node(b).name();
    BodySpec<double> spec{.name = name + "_link"};
    if (node.parent >= 0) spec.parent = bodies[static_cast<std::size_t>(node.parent)];
    if (std::find(welded.begin(), welded.end(), name) == welded.end())
      spec.joint = joint::Revolute(Vector3<double>(0, 0, 1));  // the placements turn its axis to z
    else
      spec.joint = joint::Fixed{};
    spec.placement = node.placement;
    spec.inertia = node.parameters;
    bodies.push_back(builder.add_body(std::move(spec)));
  }
  return builder.build();
}

struct Robot {
  struct State {
    Vector q, v, a, q_next, v_next;
  };
  Robot(std::string name_, const Model<double>& model_)
      : name(std::move(name_)),
        model(model_),
        data(model),
        sums(model),
        dM(model),
        dM_packed(model),
        dC(model),
        dC_packed(model),
        Gamma(model) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int i = 0; i < 20; ++i) {
      State s;
      s.q = random_configuration(model, random);
      s.v = s.a = s.q_next = Vector::Zero(model.nv());
      s.q_next.resize(model.nq());
      for (int k = 0; k < model.nv(); ++k) s.v[k] = uniform(random), s.a[k] = uniform(random);
      integrate<double>(model, s.q, 1e-3 * s.v, s.q_next);
      s.v_next = s.v + 1e-3 * s.a;
      states.push_back(std::move(s));
    }
  }
  std::string name;
  Model<double> model;
  Data<double> data;
  baseline::JacobianSums<> sums;
  MassMatrixDerivativesResult<double> dM;
  PackedMassMatrixDerivativesResult<double> dM_packed;
  CoriolisMatrixDerivativesResult<double> dC;
  PackedCoriolisMatrixDerivativesResult<double> dC_packed;
  ChristoffelTensor<double> Gamma;
  std::vector<State> states;
};

template <class F>
std::size_t add(Timer& timer, const std::shared_ptr<Robot>& robot, F f) {
  return timer.add(static_cast<int>(robot->states.size()), [robot, f] {
    for (const Robot::State& s : robot->states) f(*robot, s);
  });
}

/// Times of M, C and g once, at two instants, and with their rates.
struct Rates {
  std::size_t once, twice, with_rates;
  double ratio(const Timer& t) const { return t.microseconds(with_rates) / t.microseconds(twice); }
};

template <class Factorization>
Rates add_rates(Timer& timer, const std::shared_ptr<Robot>& robot) {
  const auto matrices = [](Robot& r, const Vector& q, const Vector& v) {
    coriolis_matrix<Factorization>(r.model, r.data, q, v);
    generalized_gravity(r.model, r.data);
  };
  return {add(timer, robot, [=](Robot& r, const auto& s) { matrices(r, s.q, s.v); }),
          add(timer, robot,
              [=](Robot& r, const auto& s) {
                matrices(r, s.q, s.v);
                matrices(r, s.q_next, s.v_next);
              }),
          add(timer, robot, [](Robot& r, const auto& s) {
            coriolis_matrix_dot<Factorization>(r.model, r.data, s.q, s.v, s.a);
            generalized_gravity(r.model, r.data);
            gravity_dot(r.model, r.data);
          })};
}
Rates add_sums(Timer& timer, const std::shared_ptr<Robot>& robot) {
  return {add(timer, robot, [](Robot& r, const auto& s) { r.sums.matrices(r.model, s.q, s.v); }),
          add(timer, robot,
              [](Robot& r, const auto& s) {
                r.sums.matrices(r.model, s.q, s.v);
                r.sums.matrices(r.model, s.q_next, s.v_next);
              }),
          add(timer, robot, [](Robot& r, const auto& s) { r.sums.with_rates(r.model, s.q, s.v, s.a); })};
}

struct Case {
  std::shared_ptr<Robot> robot;
  Rates christoffel, plain, sums;
  std::size_t dM, dM_packed, dC, dC_packed, Gamma, dg;
};

/// The shares of arithmetic operations that explain the ratio of times.
struct Shares {
  double state;  // share of the kinematics in M, C and g, which the rates do not repeat
  double rates;  // operations for M, C and g with their rates, over the operations of two evaluations
};

template <class Factorization>
Shares count_operations(const Robot& robot) {
  using test::Counting;
  const Model<Counting> model = robot.model.cast<Counting>();
  Data<Counting> data(model);
  const Robot::State& s = robot.states.front();
  const VectorX<Counting> q = s.q.cast<Counting>(), v = s.v.cast<Counting>(), a = s.a.cast<Counting>();
  const auto count = [](const auto& f) {
    const long before = Counting::operations.total();
    f();
    return static_cast<double>(Counting::operations.total() - before);
  };
  const double state = count([&] { forward_kinematics<Counting>(model, data, q, v); });
  const double once = count([&] {
    coriolis_matrix<Factorization>(model, data, q, v);
    generalized_gravity(model, data);
  });
  const double with_rates = count([&] {
    coriolis_matrix_dot<Factorization>(model, data, q, v, a);
    generalized_gravity(model, data);
    gravity_dot(model, data);
  });
  return {state / once, with_rates / (2 * once)};
}

Case add_case(Timer& timer, std::string name, const Model<double>& model) {
  const auto robot = std::make_shared<Robot>(std::move(name), model);
  return {
      robot,
      add_rates<factorization::Christoffel>(timer, robot),
      add_rates<factorization::Plain>(timer, robot),
      add_sums(timer, robot),
      add(timer, robot, [](Robot& r, const auto& s) { mass_matrix_derivatives(r.model, r.data, s.q, r.dM); }),
      add(timer, robot, [](Robot& r, const auto& s) { mass_matrix_derivatives(r.model, r.data, s.q, r.dM_packed); }),
      add(timer, robot, [](Robot& r, const auto& s) { coriolis_matrix_derivatives(r.model, r.data, s.q, s.v, r.dC); }),
      add(timer, robot,
          [](Robot& r, const auto& s) { coriolis_matrix_derivatives(r.model, r.data, s.q, s.v, r.dC_packed); }),
      add(timer, robot, [](Robot& r, const auto& s) { christoffel_symbols(r.model, r.data, s.q, r.Gamma); }),
      add(timer, robot, [](Robot& r, const auto& s) { gravity_derivatives(r.model, r.data, s.q); })};
}

/// The largest difference from the sums over bodies, relative to the largest entry.
double residual(Robot& r) {
  double worst = 0;
  for (const Robot::State& s : r.states) {
    r.sums.with_rates(r.model, s.q, s.v, s.a);
    const auto& x = coriolis_matrix_dot<factorization::Plain>(r.model, r.data, s.q, s.v, s.a);
    const auto grow = [&worst](const auto& A, const auto& B) {
      worst = std::max(worst, (A - B).cwiseAbs().maxCoeff() / B.cwiseAbs().maxCoeff());
    };
    grow(x.M, r.sums.M), grow(x.C, r.sums.C), grow(x.Mdot, r.sums.Mdot), grow(x.Cdot, r.sums.Cdot);
    grow(gravity_dot(r.model, r.data), r.sums.gdot);
  }
  return worst;
}

void print(Report& report, const Timer& timer, const std::vector<Case>& all, double load) {
  report.print("Garofalo, Ott and Albu-Schaeffer (2013), section VII, repeated\n\n");
  print_machine(report, CORIO_BENCH_COMPILER, CORIO_BENCH_FLAGS, load);
  report.print("\n");
  report.print("M, C and g [us]; the same with their rates, over two evaluations at neighbouring instants\n");
  report.print("  %-22s %4s   %-18s %-18s %-18s\n", "", "nv", "Christoffel", "(V x*) I", "sums over bodies");
  for (const Case& c : all) {
    report.print("  %-22s %4d", c.robot->name.c_str(), c.robot->model.nv());
    for (const Rates& r : {c.christoffel, c.plain, c.sums})
      report.print("   %8.2f  %5.2f  ", timer.microseconds(r.once), r.ratio(timer));
    report.print("\n");
  }
  report.print(
      "\n  In operations instead of time, with (V x*) I: the rates over two evaluations, and the share of the\n");
  report.print("  kinematics in one, which is what the rates need not repeat\n");
  for (const Case& c : all) {
    const Shares shares = count_operations<factorization::Plain>(*c.robot);
    report.print("  %-22s %4d   %5.2f  %5.2f\n", c.robot->name.c_str(), c.robot->model.nv(), shares.rates,
                 shares.state);
  }
  const double ours = timer.microseconds(all.front().plain.once);
  report.print("  The paper: 244 us for its humanoid of 25 joints (Xeon W3530, 2.80 GHz), and 0.71 by sums over\n");
  report.print("  bodies. Here, with its factorization, %.2f us: 244 / %.2f = %.0f.\n\n", ours, ours, 244 / ours);
  report.print(
      "Derivatives along all degrees of freedom [us], beside them how many evaluations of M, C and g that is\n");
  report.print("(central differences take 2 n)\n  %-22s %4s", "", "nv");
  for (const char* title : {"dM/dq", "packed", "dC/dq", "packed", "dC/dv = Gamma", "dg/dq"})
    report.print(" %16s", title);
  report.print("\n");
  for (const Case& c : all) {
    const double once = timer.microseconds(c.christoffel.once);
    report.print("  %-22s %4d", c.robot->name.c_str(), c.robot->model.nv());
    for (const auto at : {c.dM, c.dM_packed, c.dC, c.dC_packed, c.Gamma, c.dg})
      report.print(" %9.2f %6.2f", timer.microseconds(at), timer.microseconds(at) / once);
    report.print("\n");
  }
}

void run(const std::string& folder, int rounds) {
  const double load = paper::load_average();
  Timer timer;
  std::vector<Case> all;
  all.push_back(add_case(timer, "humanoid, 25 joints", humanoid_25()));
  all.push_back(add_case(timer, "humanoid, floating", zoo::humanoid()));
  for (const int n : {7, 20, 50}) all.push_back(add_case(timer, "chain", zoo::serial_chain(n)));
  all.push_back(add_case(timer, "binary tree", zoo::binary_tree(20)));
  if (all.front().robot->model.nv() != 25) throw std::runtime_error("the humanoid has lost its 25 joints");
  timer.run(rounds);
  Report report(folder + "/report.txt");
  print(report, timer, all, load);
  paper::print_noise(report, timer);
  double worst = 0;
  for (const Case& c : all) worst = std::max(worst, residual(*c.robot));
  report.print("\nLargest difference from the sums over bodies, over the largest entry: %.1e\n", worst);
  if (!(worst < 1e-11)) throw std::runtime_error("a residual is larger than rounding explains");
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 41;
  if (rounds < 1) throw std::runtime_error("usage: corio_closed_form_bench [folder [rounds]]");
  run(argc > 1 ? argv[1] : ".", rounds);
} catch (const std::exception& error) {
  std::cerr << "corio_closed_form_bench: " << error.what() << '\n';
  return 1;
}
