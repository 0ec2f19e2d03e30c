#pragma once

#include "corio/core/block.hpp"
#include "corio/model/model.hpp"
#include "corio/spatial/articulated_inertia.hpp"
#include "corio/spatial/body_operator.hpp"

namespace corio {

/// How far a kinematics pass has gone.
enum class Pass { none, position, velocity, acceleration };

/// What coriolis_matrix returns, each nv x nv.
template <class S>
struct CoriolisMatrices {
  MatrixX<S> C, M, Mdot;
};

/// What inverse_dynamics_derivatives returns, each nv x nv.
template <class S>
struct InverseDynamicsDerivatives {
  MatrixX<S> dtau_dq, dtau_dv, M;
};

/// Columns of numbers, one per degree of freedom, stored by coordinate: row(r)[k] is coordinate r of column k, so that
/// loops over the contiguous degrees of freedom of a subtree read contiguous memory.
template <class S, int rows>
class Columns {
 public:
  /// Loops over blocks of columns may read so far past the last one.
  static constexpr int padding = detail::Block<S>::width - 1;

  explicit Columns(int nv) : stride_(nv + padding), data_(static_cast<std::size_t>(stride_ * rows), S(0)) {}
  S* row(int r) { return data_.data() + r * stride_; }
  const S* row(int r) const { return data_.data() + r * stride_; }

  /// Three coordinates of column k, from `first` on.
  void set(int k, const Vector3<S>& x, int first = 0) {
    for (int r = 0; r < 3; ++r) row(first + r)[k] = x[r];
  }
  /// The block tr(P) 1 - P of a Coriolis operator, column by column, and its f.
  void set(int k, const BodyCoriolis<S>& B) {
    const Matrix3<S> T = B.rotational();
    for (int r = 0; r < 9; ++r) row(r)[k] = T(r);
    set(k, B.f, 9);
  }
  /// A force, or with three rows its moment.
  void set(int k, const Force<S>& F) {
    set(k, F.moment);
    if constexpr (rows >= 6) set(k, F.force, 3);
  }

 private:
  std::ptrdiff_t stride_;
  std::vector<S> data_;
};

/// Workspace of one thread: everything is sized here, so that no algorithm allocates. Members are grouped by the pass
/// that writes them. Spatial quantities are in world axes about the point `origin`, the position of the root body of
/// the node's tree at this instant (a fixed point: no velocity terms arise), which keeps full accuracy for a base far
/// from the world's origin if its first joint takes it there, as a free flyer does. Indexed by node b or by degree of
/// freedom k of the Model; users' view in frames is kinematics/frames.hpp.
template <class S>
class Data {
 public:
  explicit Data(const Model<S>& model)
      : origin(size(model.num_nodes()), zero3<S>()),
        pose(size(model.num_nodes()), Pose<S>::identity()),
        phi(size(model.nv()), Motion<S>::zero()),
        phi_partial(size(model.num_partials()), Motion<S>::zero()),
        v(VectorX<S>::Zero(model.nv())),
        velocity(pose.size(), Motion<S>::zero()),
        phi_dot(phi.size(), Motion<S>::zero()),
        bias(pose.size(), Motion<S>::zero()),
        dv(VectorX<S>::Zero(model.nv())),
        acceleration(pose.size(), Motion<S>::zero()),
        inertia(pose.size(), Inertia<S>::zero()),
        composite_inertia(pose.size(), Inertia<S>::zero()),
        composite_coriolis(pose.size(), BodyCoriolis<S>::zero()),
        tau(v),
        nonlinear(v),
        gravity(v),
        forward_dynamics(v),
        coriolis_product(v),
        coriolis_transpose_product(v),
        covariant_derivative(v),
        mass_matrix(MatrixX<S>::Zero(model.nv(), model.nv())),
        mass_matrix_dot(mass_matrix),
        coriolis{mass_matrix, mass_matrix, mass_matrix},
        inverse_dynamics_derivatives{mass_matrix, mass_matrix, mass_matrix},
        work(model),
        tree_stamp_(model.tree_stamp()) {}

  // forward_kinematics, position
  std::vector<Vector3<S>> origin;  // node: world coordinates of the reference point of its tree, m
  std::vector<Pose<S>> pose;       // node: axes in world axes, position from its origin
  std::vector<Motion<S>> phi;      // dof: motion-subspace column Phi_k
  /// For joints whose columns move in the body, [partials_begin + k nv + j]: derivative of the joint's column j along
  /// its degree of freedom k, as seen in the body.
  std::vector<Motion<S>> phi_partial;

  // forward_kinematics, velocity
  VectorX<S> v;                     // the generalized velocity it was given
  std::vector<Motion<S>> velocity;  // node: twist V_b
  std::vector<Motion<S>> phi_dot;   // dof: dPhi_k/dt
  std::vector<Motion<S>> bias;      // node: sum of dPhi_k v_k over its joint

  // forward_kinematics, acceleration
  VectorX<S> dv;                        // the generalized acceleration it was given
  std::vector<Motion<S>> acceleration;  // node: dV_b/dt, without gravity

  // composites.hpp
  std::vector<Inertia<S>> inertia;                  // node: of the node alone
  std::vector<Inertia<S>> composite_inertia;        // node: of its subtree
  std::vector<BodyCoriolis<S>> composite_coriolis;  // node: of its subtree

  // results, each owned by the algorithm of that name
  VectorX<S> tau;               // rnea
  VectorX<S> nonlinear;         // nonlinear_effects
  VectorX<S> gravity;           // generalized_gravity
  VectorX<S> forward_dynamics;  // aba
  VectorX<S> coriolis_product, coriolis_transpose_product;
  VectorX<S> covariant_derivative;
  MatrixX<S> mass_matrix;  // crba
  MatrixX<S> mass_matrix_dot;
  CoriolisMatrices<S> coriolis;  // coriolis_matrix
  InverseDynamicsDerivatives<S> inverse_dynamics_derivatives;

  /// Scratch of the algorithms, meaningless between calls.
  struct Work {
    explicit Work(const Model<S>& model)
        : motion(size(model.num_nodes()), Motion<S>::zero()),
          acceleration(motion),
          force(size(model.num_nodes()), Force<S>::zero()),
          other_force(force),
          articulated(size(model.num_nodes()), ArticulatedInertia<S>::from(Inertia<S>::zero())),
          U(size(model.nv()), Force<S>::zero()),
          reciprocal_d(VectorX<S>::Zero(model.nv())),
          u(reciprocal_d),
          F1(model.nv()),
          F2(model.nv()),
          F3(model.nv()),
          F4(model.nv()),
          composite_operator(force.size(), BodyOperator<S>::zero()),
          operators(model.nv()),
          operator_blocks(9 * size(model.nv() + detail::Block<S>::width), S(0)),
          factor(MatrixX<S>::Zero(model.nv(), model.nv())) {}
    std::vector<Motion<S>> motion, acceleration;
    std::vector<Force<S>> force, other_force;
    std::vector<ArticulatedInertia<S>> articulated;
    std::vector<Force<S>> U;
    VectorX<S> reciprocal_d, u;
    Columns<S, 6> F1, F2;
    Columns<S, 3> F3;
    Columns<S, 6> F4;
    std::vector<BodyOperator<S>> composite_operator;  // of a factorization other than Christoffel's
    Columns<S, 12> operators;                         // christoffel_symbols
    std::vector<S> operator_blocks;
    MatrixX<S> factor;  // of the mass matrix
  } work;

  /// Throws StateError unless a kinematics pass for this very model has gone at least as far as `needed`.
  void require(const Model<S>& model, Pass needed, const char* algorithm) const {
    check_fits(model);
    if (pass_ < needed || stamp_ != model.stamp()) throw_state(model, needed, algorithm);
  }

  // Bookkeeping of the passes.
  /// Throws SizeError for a Data of another model, StateError if that is of the same size by chance: entries of
  /// unrelated degrees of freedom are zero since construction, so another tree will not do.
  void check_fits(const Model<S>& model) const {
    if (tree_stamp_ == model.tree_stamp() && pose.size() == model.nodes().size()) return;
    const std::string text = corio::detail::join({"Data was made for another model than '", model.name(), "'"});
    if (v.size() != model.nv() || pose.size() != model.nodes().size()) throw SizeError(text);
    throw StateError(text);
  }
  void begin_pass() { pass_ = Pass::none; }
  void end_pass(const Model<S>& model, Pass pass) {
    pass_ = pass;
    stamp_ = model.stamp();
    has_inertia = has_composite_inertia = has_composite_coriolis = false;
  }
  bool has_inertia = false, has_composite_inertia = false, has_composite_coriolis = false;

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  [[noreturn]] void throw_state(const Model<S>& model, Pass needed, const char* algorithm) const {
    const char* call[] = {"", "(model, data, q)", "(model, data, q, v)", "(model, data, q, v, a)"};
    std::string text = std::string(algorithm) + "(model, data) reuses the state of forward_kinematics" +
                       call[static_cast<int>(needed)] + ", but ";
    if (pass_ != Pass::none && stamp_ != model.stamp())
      text += "Data holds the state of model '" + model.name() + "' before its inertia was changed";
    else if (pass_ == Pass::none)
      text += "no kinematics pass has been run with this Data";
    else
      text += std::string("Data only holds that of forward_kinematics") + call[static_cast<int>(pass_)];
    throw StateError(text);
  }

  Pass pass_ = Pass::none;
  std::uint64_t tree_stamp_, stamp_ = 0;
};

}  // namespace corio
