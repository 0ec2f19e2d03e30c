#pragma once

#include "corio/interop/convention.hpp"
#include "corio/kinematics/configuration.hpp"

/// Conversion to the coordinates of other libraries, in their order and definitions. A Conversion converts q, v,
/// accelerations, forces, M, its rate, C and Jacobians of one model to another library's and back, without needing that
/// library.
///
///   const corio::interop::Conversion to_mujoco(model, corio::interop::mujoco);
///
/// The other library's velocity is an orthogonal map of ours, v' = L(q) v: a permutation, and rotations between the
/// axes of a body and of its parent. So tau' = L tau, M' = L M L^T, J' = J L^T, and a' = L a + (dL/dt) v. Numbers of
/// joints with only one convention (revolute, ..), of users' joints, composites, and ball joints and floating bases
/// other than Spherical and FreeFlyer are only reordered.
///
/// DART needs no conversion of v, accelerations, forces, M and Jacobians. Positions of its FreeJoint and BallJoint,
/// exponential coordinates, are given by their convertToPositions.
namespace corio { inline namespace CORIO_ABI { namespace interop {

/// One model in our coordinates and in the coordinates of another library. Functions `.._to` convert our vectors and
/// matrices to the library's, functions `.._from` the reverse; additional arguments q and v are always ours. All throw
/// SizeError and allocate. O(n), matrices O(n^2).
template <class S>
class Conversion {
 public:
  /// @param order  the library's order of all joints that move, by name; empty for its default order, see each library
  /// @throws ModelError for a name that the model does not have, or a joint that is missing or named twice
  Conversion(const Model<S>& model, const Convention& convention, std::vector<std::string> order = {});

  /// Returns the library's order of joints; below, its sizes of q and v.
  const std::vector<std::string>& order() const { return order_; }
  int nq() const { return their_nq_; }
  int nv() const { return nv_; }

  VectorX<S> q_to(VectorIn<S> q) const;
  VectorX<S> q_from(VectorIn<S> theirs) const;

  VectorX<S> v_to(VectorIn<S> q, VectorIn<S> v) const {
    check_vectors(q, "v", v);
    return to(q, v);
  }
  VectorX<S> v_from(VectorIn<S> q, VectorIn<S> theirs) const {
    check_vectors(q, "v", theirs);
    return from(q, theirs);
  }
  /// Converts accelerations: a_to returns the rate of the result of v_to, a_from the inverse.
  VectorX<S> a_to(VectorIn<S> q, VectorIn<S> v, VectorIn<S> a) const {
    check_vectors(q, "v", v), check_vectors(q, "a", a);
    return to(q, a + turned(v, v));
  }
  VectorX<S> a_from(VectorIn<S> q, VectorIn<S> v, VectorIn<S> theirs) const {
    check_vectors(q, "v", v), check_vectors(q, "a", theirs);
    return from(q, theirs) - turned(v, v);
  }
  /// Converts generalized forces; their power tau . v does not change.
  VectorX<S> tau_to(VectorIn<S> q, VectorIn<S> tau) const {
    check_vectors(q, "tau", tau);
    return to(q, tau);
  }
  VectorX<S> tau_from(VectorIn<S> q, VectorIn<S> theirs) const {
    check_vectors(q, "tau", theirs);
    return from(q, theirs);
  }
  MatrixX<S> M_to(VectorIn<S> q, MatrixIn<S> M) const {
    check_matrix(q, "M", M, nv());
    return both_to(q, M);
  }
  MatrixX<S> M_from(VectorIn<S> q, MatrixIn<S> theirs) const {
    check_matrix(q, "M", theirs, nv());
    return both_from(q, theirs);
  }
  /// Converts Coriolis matrices, C' = L (C - M W) L^T for dL/dt = L W, with our M of this state: C' v' is the velocity
  /// term of the library's equations of motion, and Mdot' = C' + C'^T if Mdot = C + C^T.
  MatrixX<S> C_to(VectorIn<S> q, VectorIn<S> v, MatrixIn<S> M, MatrixIn<S> C) const {
    check_rates(q, v, M, "C", C);
    return both_to(q, C + turned(v, M).transpose());
  }
  MatrixX<S> C_from(VectorIn<S> q, VectorIn<S> v, MatrixIn<S> M, MatrixIn<S> theirs) const {
    check_rates(q, v, M, "C", theirs);
    return both_from(q, theirs) - turned(v, M).transpose();
  }
  /// Converts the rate of M, given our M of this state.
  MatrixX<S> Mdot_to(VectorIn<S> q, VectorIn<S> v, MatrixIn<S> M, MatrixIn<S> Mdot) const {
    check_rates(q, v, M, "Mdot", Mdot);
    const MatrixX<S> x = turned(v, M);
    return both_to(q, Mdot + x + x.transpose());
  }
  MatrixX<S> Mdot_from(VectorIn<S> q, VectorIn<S> v, MatrixIn<S> M, MatrixIn<S> theirs) const {
    check_rates(q, v, M, "Mdot", theirs);
    const MatrixX<S> x = turned(v, M);
    return both_from(q, theirs) - x - x.transpose();
  }
  /// Converts any matrix that multiplies v. The rows of a matrix with six rows are reordered like a twist.
  MatrixX<S> jacobian_to(VectorIn<S> q, MatrixIn<S> J) const {
    check_matrix(q, "J", J, J.rows());
    return to(q, twists(J).transpose()).transpose();
  }
  MatrixX<S> jacobian_from(VectorIn<S> q, MatrixIn<S> theirs) const {
    check_matrix(q, "J", theirs, theirs.rows());
    return twists(from(q, theirs.transpose()).transpose());
  }
  /// Converts twists and wrenches: only the order of the two parts changes, not axes and point.
  Vector6<S> twist_to(const Motion<S>& V) const { return twists(V.vector()); }
  Motion<S> twist_from(const Vector6<S>& theirs) const { return Motion<S>::from(twists(theirs)); }
  Vector6<S> wrench_to(const Force<S>& F) const { return twists(F.vector()); }
  Force<S> wrench_from(const Vector6<S>& theirs) const { return Force<S>::from(twists(theirs)); }

 private:
  enum class Kind { plain, circle, planar, ball, floating };
  struct Place {
    Kind kind;
    int ours, nq;             // place of the joint in our q
    int q, position, xyz, w;  // the library's index of the joint, and of the parts of a floating base or ball joint
  };
  /// The n numbers of v from index v on are rotated by the rotation of the joint at index q.
  struct Turn {
    Kind kind;
    int v, n, q;
    bool is_linear;
  };

  Kind kind_of(const Model<S>& model, const Joint& joint) const;
  void sort(const Model<S>& model, int body, const std::vector<std::vector<int>>& children);
  void place(const Joint& joint, Kind kind, int their_v);
  Matrix3<S> rotation(const Turn& turn, VectorIn<S> q) const;
  /// Checks the sizes of all arguments; errors name the calling public function. The private functions that follow rely
  /// on these checks.
  void check_vectors(VectorIn<S> q, const char* what, VectorIn<S> x,
                     const char* function = __builtin_FUNCTION()) const {
    detail::check_size("q", q.size(), nq_, function);
    detail::check_size(what, x.size(), nv(), function);
  }
  void check_matrix(VectorIn<S> q, const char* what, MatrixIn<S> x, Eigen::Index rows,
                    const char* function = __builtin_FUNCTION()) const {
    detail::check_size("q", q.size(), nq_, function);
    detail::check_shape(what, x.rows(), x.cols(), rows, nv(), function);
  }
  void check_rates(VectorIn<S> q, VectorIn<S> v, MatrixIn<S> M, const char* what, MatrixIn<S> rate,
                   const char* function = __builtin_FUNCTION()) const {
    check_vectors(q, "v", v, function);
    check_matrix(q, "M", M, nv(), function), check_matrix(q, what, rate, nv(), function);
  }
  MatrixX<S> to(VectorIn<S> q, MatrixX<S> x) const;
  MatrixX<S> from(VectorIn<S> q, const MatrixX<S>& theirs) const;
  /// Return L x L^T and L^T x L.
  MatrixX<S> both_to(VectorIn<S> q, const MatrixX<S>& x) const { return to(q, to(q, x).transpose()).transpose(); }
  MatrixX<S> both_from(VectorIn<S> q, const MatrixX<S>& theirs) const {
    return from(q, from(q, theirs).transpose()).transpose();
  }
  MatrixX<S> turned(VectorIn<S> v, const MatrixX<S>& x) const;
  MatrixX<S> twists(const MatrixX<S>& x) const {
    if (x.rows() != 6 || !convention_.twist_linear_first) return x;
    MatrixX<S> swapped(6, x.cols());
    swapped << x.bottomRows(3), x.topRows(3);
    return swapped;
  }
  static S angle_of(const S& cosine, const S& sine) {
    const S from[4] = {S(0), S(0), S(1), S(0)}, to[4] = {S(0), S(0), cosine, sine};
    S step[3];
    joint::Planar().difference(from, to, step);
    return step[0];
  }

  Convention convention_;
  int nq_, nv_, their_nq_ = 0;
  std::vector<std::string> order_;
  std::vector<Place> places_;
  std::vector<Turn> turns_;
  std::vector<int> their_v_;  // the other library's index of each speed
};

template <class S>
Conversion<S>::Conversion(const Model<S>& model, const Convention& convention, std::vector<std::string> order)
    : convention_(convention),
      nq_(model.nq()),
      nv_(model.nv()),
      order_(std::move(order)),
      their_v_(static_cast<std::size_t>(nv_)) {
  const std::size_t joints = model.joints().size();
  if (order_.empty()) {
    std::vector<std::vector<int>> children(joints + 1);  // children of the ground, and of each body
    for (const auto& body : model.bodies())
      children[static_cast<std::size_t>(body.parent() + 1)].push_back(body.index());
    sort(model, -1, children);
  }
  std::vector<char> seen(joints, 0);
  int v = 0;
  for (const auto& name : order_) {
    const Joint& joint = model.joint(name);
    const auto i = static_cast<std::size_t>(&joint - model.joints().data());
    if (seen[i]) throw ModelError(detail::join({convention_.name, ": the order names joint '", name, "' twice"}));
    seen[i] = 1;
    place(joint, kind_of(model, joint), v);
    v += joint.nv();
  }
  for (std::size_t i = 0; i < joints; ++i)
    if (!seen[i])
      throw ModelError(detail::join({convention_.name, ": the order lacks joint '", model.joints()[i].name(), "'"}));
  if (convention_.quaternion == Convention::Quaternion::w_at_end_of_q)
    for (Place& at : places_)
      if (at.kind == Kind::floating || at.kind == Kind::ball) at.w = their_nq_++;
}

template <class S>
void Conversion<S>::sort(const Model<S>& model, int body, const std::vector<std::vector<int>>& children) {
  auto below = children[static_cast<std::size_t>(body + 1)];
  const auto name = [&](int i) -> const std::string& { return model.joints()[static_cast<std::size_t>(i)].name(); };
  if (convention_.alphabetical) std::sort(below.begin(), below.end(), [&](int i, int j) { return name(i) < name(j); });
  for (const int child : below) {
    order_.push_back(name(child));
    sort(model, child, children);
  }
}

template <class S>
auto Conversion<S>::kind_of(const Model<S>& model, const Joint& joint) const -> Kind {
  if (model.node(model.node_of(joint.v_index())).joint.custom()) return Kind::plain;
  if (joint.type() == joint::FreeFlyer::type) return Kind::floating;
  if (joint.type() == joint::Spherical::type) return Kind::ball;
  if (joint.type() == joint::Planar::type) return Kind::planar;
  const bool limited =
      std::isfinite(model.lower_limit()[joint.q_index()]) || std::isfinite(model.upper_limit()[joint.q_index()]);
  const bool turns = joint.type() == joint::Revolute::type || joint.type() == joint::Continuous::type;
  return convention_.circle && !limited && turns ? Kind::circle : Kind::plain;
}

/// Places the next joint of the library's order.
template <class S>
void Conversion<S>::place(const Joint& joint, Kind kind, int their_v) {
  using Quaternion = Convention::Quaternion;
  const int v = joint.v_index(), q = their_nq_;
  Place at{kind, joint.q_index(), joint.nq(), q, q, q, -1};
  int nq = joint.nq(), first = 0;  // `first`: our index of the library's first degree of freedom
  if (kind == Kind::circle) nq = 2;
  if (kind == Kind::planar) {
    first = 1;  // all libraries have [vx, vy, w]
    if (convention_.planar_angle) nq = 3, turns_.push_back({kind, v + 1, 2, at.ours + 2, true});
  }
  if (kind == Kind::floating) {
    if (convention_.linear_first) first = 3;
    at.position = convention_.rotation_first ? q + 4 : q;
    at.xyz = convention_.rotation_first ? q : q + 3;
    if (convention_.angular_in_parent) turns_.push_back({kind, v, 3, at.ours + 3, false});
    if (convention_.linear_in_parent) turns_.push_back({kind, v + 3, 3, at.ours + 3, true});
  }
  if (kind == Kind::ball && convention_.ball_rpy) {
    nq = 3, turns_.push_back({kind, v, 3, at.ours, false});
  } else if (kind == Kind::floating || kind == Kind::ball) {
    switch (convention_.quaternion) {
      case Quaternion::xyzw: at.w = at.xyz + 3; break;
      case Quaternion::wxyz: at.w = at.xyz++; break;
      case Quaternion::w_at_end_of_q: --nq; break;
    }
  }
  their_nq_ += nq;
  for (int k = 0; k < joint.nv(); ++k) their_v_[static_cast<std::size_t>(v + (first + k) % joint.nv())] = their_v + k;
  places_.push_back(at);
}

template <class S>
VectorX<S> Conversion<S>::q_to(VectorIn<S> q) const {
  detail::check_size("q", q.size(), nq_);
  VectorX<S> out(their_nq_);
  for (const Place& at : places_) {
    using std::cos, std::sin, std::sqrt;
    const S* const x = q.data() + at.ours;
    const S* const rotation = at.kind == Kind::floating ? x + 3 : x;
    if (at.kind == Kind::floating)
      for (int i = 0; i < 3; ++i) out[at.position + i] = x[i];
    if (at.kind == Kind::circle) {
      out[at.q] = cos(x[0]), out[at.q + 1] = sin(x[0]);
    } else if (at.kind == Kind::planar && convention_.planar_angle) {
      out[at.q] = x[0], out[at.q + 1] = x[1], out[at.q + 2] = angle_of(x[2], x[3]);
    } else if (at.w >= 0) {
      for (int i = 0; i < 3; ++i) out[at.xyz + i] = rotation[i];
      out[at.w] = rotation[3];
    } else if (at.kind == Kind::ball) {
      const Matrix3<S> R = rotation_from_quaternion(Quaternion<S>(x[0], x[1], x[2], x[3]));
      out[at.q] = angle_of(R(2, 2), R(2, 1));
      out[at.q + 1] = angle_of(sqrt(R(2, 2) * R(2, 2) + R(2, 1) * R(2, 1)), -R(2, 0));
      out[at.q + 2] = angle_of(R(0, 0), R(1, 0));
    } else {
      for (int i = 0; i < at.nq; ++i) out[at.q + i] = x[i];
    }
  }
  return out;
}

template <class S>
VectorX<S> Conversion<S>::q_from(VectorIn<S> theirs) const {
  detail::check_size("q", theirs.size(), their_nq_);
  VectorX<S> q(nq_);
  for (const Place& at : places_) {
    using std::cos, std::sin;
    S* const x = q.data() + at.ours;
    S* const rotation = at.kind == Kind::floating ? x + 3 : x;
    if (at.kind == Kind::floating)
      for (int i = 0; i < 3; ++i) x[i] = theirs[at.position + i];
    if (at.kind == Kind::circle) {
      x[0] = angle_of(theirs[at.q], theirs[at.q + 1]);
    } else if (at.kind == Kind::planar && convention_.planar_angle) {
      x[0] = theirs[at.q], x[1] = theirs[at.q + 1];
      x[2] = cos(theirs[at.q + 2]), x[3] = sin(theirs[at.q + 2]);
    } else if (at.w >= 0) {
      for (int i = 0; i < 3; ++i) rotation[i] = theirs[at.xyz + i];
      rotation[3] = theirs[at.w];
    } else if (at.kind == Kind::ball) {
      const auto about = [&](int i) { return exp_quaternion<S>(unit3<S>(i) * theirs[at.q + i]); };
      joint::detail::store(quaternion_product(quaternion_product(about(2), about(1)), about(0)), x);
    } else {
      for (int i = 0; i < at.nq; ++i) x[i] = theirs[at.q + i];
    }
  }
  return q;
}

template <class S>
Matrix3<S> Conversion<S>::rotation(const Turn& turn, VectorIn<S> q) const {
  const S* const x = q.data() + turn.q;
  if (turn.kind != Kind::planar) return rotation_from_quaternion(Quaternion<S>(x[0], x[1], x[2], x[3]));
  const S still[4] = {S(0), S(0), x[0], x[1]};
  return joint::Planar().compose(Pose<S>::identity(), still).rotation;
}

/// Returns L x: rotates x, then reorders it.
template <class S>
MatrixX<S> Conversion<S>::to(VectorIn<S> q, MatrixX<S> x) const {
  for (const Turn& turn : turns_)
    x.middleRows(turn.v, turn.n) =
        (rotation(turn, q).topLeftCorner(turn.n, turn.n) * x.middleRows(turn.v, turn.n)).eval();
  MatrixX<S> out(x.rows(), x.cols());
  for (int k = 0; k < nv(); ++k) out.row(their_v_[static_cast<std::size_t>(k)]) = x.row(k);
  return out;
}

/// Returns L^T x.
template <class S>
MatrixX<S> Conversion<S>::from(VectorIn<S> q, const MatrixX<S>& theirs) const {
  MatrixX<S> x(theirs.rows(), theirs.cols());
  for (int k = 0; k < nv(); ++k) x.row(k) = theirs.row(their_v_[static_cast<std::size_t>(k)]);
  for (const Turn& turn : turns_)
    x.middleRows(turn.v, turn.n) =
        (rotation(turn, q).topLeftCorner(turn.n, turn.n).transpose() * x.middleRows(turn.v, turn.n)).eval();
  return x;
}

/// Returns W x = L^T (dL/dt) x: w x (..) for parts that the library has in the axes of the parent, since R y has the
/// rate R (dy/dt + w x y).
template <class S>
MatrixX<S> Conversion<S>::turned(VectorIn<S> v, const MatrixX<S>& x) const {
  MatrixX<S> out = MatrixX<S>::Zero(x.rows(), x.cols());
  for (const Turn& turn : turns_)
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      const S* const y = &x(turn.v, j);
      if (turn.kind == Kind::planar) {
        out(turn.v, j) = -v[turn.v - 1] * y[1];
        out(turn.v + 1, j) = v[turn.v - 1] * y[0];
      } else {
        out.block(turn.v, j, 3, 1) = cross(vector3(v.data() + turn.v - (turn.is_linear ? 3 : 0)), vector3(y));
      }
    }
  return out;
}

}}}  // namespace corio::interop
