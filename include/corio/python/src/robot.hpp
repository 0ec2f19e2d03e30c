#pragma once
// Python's Model and Mechanism: a robot of corio with its workspace and, after the first batch, copies for rows. A call
// for one state holds the lock of the interpreter, so that one workspace serves all threads of Python; rows of
// states release the lock and take other workspaces.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "corio/batch/for_each.hpp"
#include "corio/corio.hpp"
#include "corio/mechanism/dynamics.hpp"

namespace corio::python {

using Pack8 = batch::FullPack<double>;
inline constexpr std::size_t most_inputs = 16, most_outputs = 8;

/// The arguments of a call that are the same for all states.
struct Constants {
  struct Place {
    std::string frame;
    ReferenceFrame reference = ReferenceFrame::body;
    int point = -1;  // input, or the frame's origin
  };
  struct Shape {
    Eigen::Index rows = 1, cols = 1;
    Eigen::Index size() const { return rows * cols; }
  };
  std::vector<Place> places;        // arguments that are frames
  std::vector<int> choices;         // values of enumerations
  std::vector<std::string> joints;  // arguments that are joints
  std::vector<Place> forces;        // places of external forces, which are inputs
  std::size_t first_force = 0;      // input of the first force
  bool reuse = false;               // whether it is the form without a state
  const Loops<double>* loops = nullptr;
  // The numbers of one state: the last dimension in columns, all others in rows.
  std::array<Shape, most_inputs> inputs{};
  std::array<Shape, most_outputs> outputs{};
  std::size_t n_outputs = 0;
};

/// A line of the table for robots of one type.
template <class Robot>
using Body = void (*)(const Robot&, DataOf<Robot>&, const typename Robot::Scalar* const* in,
                      typename Robot::Scalar* const* out, const Constants&);

/// A line for the robots that it takes; the others are null.
using Entry = std::tuple<Body<Model<double>>, Body<Mechanism<double>>, Body<Model<Pack8>>>;

struct Line {
  std::string signature;
  Entry entry;
  std::size_t state = 3;  // the most of the first arguments that are q, v, a of the state
  bool of_robot = true;   // whether the first argument is a robot, which a function of rotations and poses lacks
};
/// The table. Its parts (CORIO_TABLE) add themselves when the module is loaded.
inline std::vector<Line> lines;

/// Numbers of many states, a column of the views for each.
struct Rows {
  std::vector<batch::View<double>> in, out;
  Eigen::Index states = 0;
  int threads = 0;
};

struct AnyRobot : std::enable_shared_from_this<AnyRobot> {
  explicit AnyRobot(const Model<double>& tree) : loops(tree) {}
  virtual ~AnyRobot() = default;
  virtual const Model<double>& tree() const = 0;
  virtual bool takes(const Entry&) const = 0;
  /// Calls a line for one state. @param data  of make_data, or null for the workspace of the robot
  virtual void one(const Entry&, void* data, const double* const* in, double* const* out, const Constants&) = 0;
  virtual void many(const Entry&, const Rows&, const Constants&) = 0;
  virtual std::shared_ptr<void> make_data() const = 0;
  const Loops<double> loops;  // of the tree
  int nq = 0, nv = 0, bodies = 0;
};

template <class R>
struct RobotHolder : AnyRobot {
  explicit RobotHolder(R r) : AnyRobot(r.tree()), robot(std::move(r)), data(robot) {
    nq = robot.tree().nq(), nv = robot.nv(), bodies = static_cast<int>(robot.tree().bodies().size());
  }
  const Model<double>& tree() const override { return robot.tree(); }
  bool takes(const Entry& f) const override { return std::get<Body<R>>(f) != nullptr; }
  std::shared_ptr<void> make_data() const override { return std::make_shared<DataOf<R>>(robot); }
  /// Forgets copies of the robot, after a change of it.
  void changed() { packs.reset(), singles.reset(); }
  void one(const Entry& f, void* own, const double* const* in, double* const* out, const Constants& c) override {
    std::get<Body<R>>(f)(robot, own ? *static_cast<DataOf<R>*>(own) : data, in, out, c);
  }
  void many(const Entry& f, const Rows& rows, const Constants& c) override;

  R robot;
  DataOf<R> data;
  // For a Model the specifications from which it was built (builder.cpp), for a Mechanism its independent joints.
  std::string origin;
  std::map<std::string, Eigen::VectorXd> changes;
  // The robot for rows of one process, shared with calls that still run without the interpreter's lock.
  int process = 0;
  std::shared_ptr<const batch::Packed<Pack8>> packs;
  std::shared_ptr<const batch::Packed<double, R>> singles;
};
// rows.cpp compiles these once.
extern template struct RobotHolder<Model<double>>;
extern template struct RobotHolder<Mechanism<double>>;

}  // namespace corio::python
