#pragma once

#include "corio/simd/pack.hpp"
#include "corio/model/model.hpp"
#include "corio/columns/pair_columns.hpp"
#include "corio/spatial/body_operator.hpp"
#include "corio/spatial/fixed_axes_forces.hpp"
#include "corio/spatial/plain_coriolis.hpp"
#include "corio/spatial/quad_articulated.hpp"
#include "corio/spatial/virtual_sums.hpp"

namespace corio {

/// How far a kinematics pass has gone.
enum class Pass { none, position, velocity, acceleration };

/// What coriolis_matrix returns, each nv x nv.
template <class S>
struct CoriolisMatrices {
  MatrixX<S> C, M, Mdot;
};

/// What coriolis_matrix_dot returns, each nv x nv.
template <class S>
struct CoriolisMatricesDot {
  MatrixX<S> C, M, Mdot, Cdot;
};

/// What inverse_dynamics_derivatives returns, each nv x nv.
template <class S>
struct InverseDynamicsDerivatives {
  MatrixX<S> dtau_dq, dtau_dv, M;
};

/// What inverse_dynamics_hessian returns, each nv x nv.
template <class S>
struct InverseDynamicsHessian {
  MatrixX<S> qq, vq, vv, aq;
};

/// What forward_dynamics_derivatives returns, each nv x nv.
template <class S>
struct ForwardDynamicsDerivatives {
  MatrixX<S> da_dq, da_dv, da_dtau;
};

/// What forward_dynamics_hessian returns, each nv x nv.
template <class S>
struct ForwardDynamicsHessian {
  MatrixX<S> qq, vq, vv, tau_q;
};

namespace detail {

// Not inlined: Data has dozens of these, and compiling them one by one took a second.
template <class T>
CORIO_NOINLINE std::vector<T> filled(int n, const T& value) {
  return std::vector<T>(static_cast<std::size_t>(n), value);
}

}  // namespace detail

/// Columns of numbers, one per degree of freedom, stored by coordinate: row(r)[k] is coordinate r of column k, so that
/// loops over the contiguous degrees of freedom of a subtree read contiguous memory.
template <class S, int rows>
class Columns {
 public:
  /// Loops over blocks of columns may read and write so far past the last one.
  static constexpr int padding = detail::block_padding<S>;

  explicit Columns(int nv) : stride_(nv + padding), data_(detail::filled(static_cast<int>(stride_ * rows), S(0))) {}
  S* row(int r) { return data_.data() + r * stride_; }
  const S* row(int r) const { return data_.data() + r * stride_; }

  /// Three coordinates of column k, from `first` on; of a pack, of as many columns as it has lanes.
  template <class N>
  CORIO_INLINE void set(int k, const Vector3<N>& x, int first = 0) {
    detail::repeat<3>([&](int r) CORIO_INLINE_LAMBDA { detail::store_pack(row(first + r) + k, x[r]); });
  }
  template <class N>
  CORIO_INLINE void set(int k, const Motion<N>& V) {
    set(k, V.angular), set(k, V.linear, 3);
  }
  /// A force, or with three rows its moment.
  template <class N>
  CORIO_INLINE void set(int k, const Force<N>& F) {
    set(k, F.moment);
    if constexpr (rows >= 6) set(k, F.force, 3);
  }
  /// The block tr(P) 1 - P of a Coriolis operator, column by column, and its f.
  template <class N>
  CORIO_INLINE void set(int k, const BodyCoriolis<N>& B) {
    const Matrix3<N> T = B.rotational();
    detail::repeat<9>([&](int r) CORIO_INLINE_LAMBDA { detail::store_pack(row(r) + k, T(r)); });
    set(k, B.f, 9);
  }

  template <class N = S>
  CORIO_INLINE Vector3<N> vector(int k, int first = 0) const {
    return {detail::load_pack<N>(row(first) + k), detail::load_pack<N>(row(first + 1) + k),
            detail::load_pack<N>(row(first + 2) + k)};
  }
  template <class N = S>
  CORIO_INLINE Force<N> force(int k) const {
    return {vector<N>(k), vector<N>(k, 3)};
  }
  template <class N = S>
  CORIO_INLINE Motion<N> motion(int k) const {
    return {vector<N>(k), vector<N>(k, 3)};
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
  explicit Data(const Model<S>& model);
  Data(const Data&) = default;
  Data(Data&&) = default;
  Data& operator=(const Data&) = default;
  Data& operator=(Data&&) = default;
  // Outside of the class like all that is not small, so that corio/instances.hpp can spare compiling it.
  ~Data();

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
  /// Of such joints, [partials_begin + j]: sum of the column rates in the body times v, derived along j.
  std::vector<Motion<S>> phi_dot_partial;
  /// Of such joints, [partials_begin + j]: second rate of column j as seen in the body, for constant v.
  std::vector<Motion<S>> phi_second_rate;
  std::vector<Motion<S>> bias;  // node: sum of dPhi_k v_k over its joint

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
  VectorX<S> gravity_dot;       // gravity_dot
  VectorX<S> forward_dynamics;  // aba
  VectorX<S> coriolis_product, coriolis_transpose_product;
  VectorX<S> covariant_derivative;
  Matrix3X<S> com_jacobian, com_jacobian_dot;
  Matrix6X<S> centroidal_momentum_matrix, centroidal_momentum_matrix_dot;
  VectorX<S> regressor_product;  // the products of regressor_products.hpp
  MatrixX<S> mass_matrix;        // crba
  MatrixX<S> mass_matrix_dot, mass_matrix_inverse;
  MatrixX<S> gravity_derivatives;       // gravity_derivatives
  CoriolisMatrices<S> coriolis;         // coriolis_matrix
  CoriolisMatricesDot<S> coriolis_dot;  // coriolis_matrix_dot
  InverseDynamicsDerivatives<S> inverse_dynamics_derivatives;
  ForwardDynamicsDerivatives<S> forward_dynamics_derivatives;
  InverseDynamicsHessian<S> inverse_dynamics_hessian;
  ForwardDynamicsHessian<S> forward_dynamics_hessian;

  /// Scratch of the algorithms, meaningless between calls.
  struct Work {
    explicit Work(const Model<S>& model);
    int first_angle;                            // q_begin of the first revolute joint, behind that of a floating base
    std::vector<S> sine, cosine;                // of q from there on, if there are quads
    std::vector<detail::QuadState<S>> outward;  // 0: ground, b + 1: node b
    std::vector<detail::QuadSums<S>> sums;      // node: over the children seen so far
    std::vector<Motion<S>> motion, acceleration, virtual_motion;
    std::vector<Force<S>> force, other_force;
    // aba, or articulate for all but the forces and accelerations; used by forward_dynamics_derivatives.
    std::vector<detail::Articulated<S>> articulated;
    std::vector<detail::ArticulatedForce<S>> articulated_force;
    std::vector<detail::ArticulatedMotion<S>> articulated_acceleration;
    std::vector<detail::ArticulatedForce<S>> gain;
    VectorX<S> reciprocal_d, u;
    VectorX<S> unit;  // contorsion and forward_dynamics_hessian, which call what uses all else
    std::vector<detail::PairColumns<S>> pair_columns;  // by as many degrees of freedom as they hold
    CORIO_INLINE detail::PairColumns<S>& columns(int k) {
      return pair_columns[static_cast<std::size_t>(k / detail::tile_side<S>)];
    }
    CORIO_INLINE const detail::PairColumns<S>& columns(int k) const {
      return pair_columns[static_cast<std::size_t>(k / detail::tile_side<S>)];
    }
    std::vector<detail::VirtualSums<S>> virtual_sums;  // node: over its subtree
    // Of a factorization other than Christoffel's, and its rate.
    std::vector<BodyOperator<S>> composite_operator, composite_operator_dot;
    std::vector<PlainCoriolis<S>> composite_plain, composite_plain_dot;
    std::vector<BodyCoriolis<S>> composite_coriolis_dot;  // coriolis_matrix_dot
    Columns<S, 12> operators;                             // christoffel_symbols
    std::vector<S> operator_blocks;
    MatrixX<S> factor;  // of the mass matrix
    Columns<S, 6> columns_of_regressor;
    // Constant. dof: the first of the contiguous ones that end with it on its way from the ground; the end of the
    // subtrees of it and the next three; the end of its subtree, as a number for blocks. And how many degrees of
    // freedom are related to one, on average.
    std::vector<int> run_begin, end_of_four;
    int mean_related;
    std::vector<S> reach;
    // mass_matrix_inverse, forward_dynamics_derivatives
    std::vector<S> column_sums;
    MatrixX<S> rows;
    std::vector<detail::FixedAxesForces<S>> fixed_axes;
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
  /// For what completes a pass without starting anew.
  void raise_pass(Pass pass) { pass_ = pass; }
  void end_pass(const Model<S>& model, Pass pass) {
    pass_ = pass;
    stamp_ = model.stamp();
    has_inertia = has_composite_inertia = has_composite_coriolis = false;
  }
  bool has_inertia = false, has_composite_inertia = false, has_composite_coriolis = false;

 private:
  CORIO_NOINLINE static VectorX<S> zeros(const Model<S>& model) { return VectorX<S>::Zero(model.nv()); }
  CORIO_NOINLINE static std::vector<int> runs(const Model<S>& model) {
    std::vector<int> begin;
    for (int k = 0; k < model.nv(); ++k) begin.push_back(k > 0 && model.dof_parent(k) == k - 1 ? begin.back() : k);
    return begin;
  }
  CORIO_NOINLINE static std::vector<int> ends_of_four(const Model<S>& model) {
    std::vector<int> end;
    for (int k = 0; k < model.nv(); ++k) {
      end.push_back(k);
      for (int l = k; l < std::min(k + 4, model.nv()); ++l)
        end.back() = std::max(end.back(), model.subtree_end_of_dof(l));
    }
    return end;
  }
  CORIO_NOINLINE static int mean_relatives(const Model<S>& model) {
    std::int64_t pairs = 0;
    for (int k = 0; k < model.nv(); ++k)
      for (int i = k; i >= 0; i = model.dof_parent(i)) pairs += i == k ? 1 : 2;
    return model.nv() == 0 ? 0 : static_cast<int>(pairs / model.nv());
  }
  CORIO_NOINLINE static std::vector<S> reaches(const Model<S>& model) {
    std::vector<S> end(static_cast<std::size_t>(model.nv() + Columns<S, 6>::padding), S(0));
    for (int k = 0; k < model.nv(); ++k)
      end[static_cast<std::size_t>(k)] = static_cast<S>(model.node(model.node_of_dof(k)).subtree_v_end);
    return end;
  }
  CORIO_NOINLINE static int first_angle_of(const Model<S>& model) {
    for (const Node<S>& node : model.nodes())
      if (node.cell.is_revolute()) return node.q_begin;
    return model.nq();
  }
  CORIO_NOINLINE static MatrixX<S> square(const Model<S>& model) { return MatrixX<S>::Zero(model.nv(), model.nv()); }

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

template <class S>
Data<S>::Data(const Model<S>& model)
    : origin(detail::filled(model.num_nodes(), zero3<S>())),
      pose(detail::filled(model.num_nodes(), Pose<S>::identity())),
      phi(detail::filled(model.nv(), Motion<S>::zero())),
      phi_partial(detail::filled(model.num_partials(), Motion<S>::zero())),
      v(zeros(model)),
      velocity(detail::filled(model.num_nodes(), Motion<S>::zero())),
      phi_dot(detail::filled(model.nv(), Motion<S>::zero())),
      phi_dot_partial(detail::filled(model.num_partials(), Motion<S>::zero())),
      phi_second_rate(detail::filled(model.num_partials(), Motion<S>::zero())),
      bias(detail::filled(model.num_nodes(), Motion<S>::zero())),
      dv(zeros(model)),
      acceleration(detail::filled(model.num_nodes(), Motion<S>::zero())),
      inertia(detail::filled(model.num_nodes(), Inertia<S>::zero())),
      composite_inertia(detail::filled(model.num_nodes(), Inertia<S>::zero())),
      composite_coriolis(detail::filled(model.num_nodes(), BodyCoriolis<S>::zero())),
      tau(zeros(model)),
      nonlinear(zeros(model)),
      gravity(zeros(model)),
      gravity_dot(zeros(model)),
      forward_dynamics(zeros(model)),
      coriolis_product(zeros(model)),
      coriolis_transpose_product(zeros(model)),
      covariant_derivative(zeros(model)),
      com_jacobian(Matrix3X<S>::Zero(3, model.nv())),
      com_jacobian_dot(com_jacobian),
      centroidal_momentum_matrix(Matrix6X<S>::Zero(6, model.nv())),
      centroidal_momentum_matrix_dot(centroidal_momentum_matrix),
      regressor_product(zeros(model)),
      mass_matrix(square(model)),
      mass_matrix_dot(square(model)),
      mass_matrix_inverse(square(model)),
      gravity_derivatives(square(model)),
      coriolis{square(model), square(model), square(model)},
      coriolis_dot{square(model), square(model), square(model), square(model)},
      inverse_dynamics_derivatives{square(model), square(model), square(model)},
      forward_dynamics_derivatives{square(model), square(model), square(model)},
      inverse_dynamics_hessian{square(model), square(model), square(model), square(model)},
      forward_dynamics_hessian{square(model), square(model), square(model), square(model)},
      work(model),
      tree_stamp_(model.tree_stamp()) {}

template <class S>
Data<S>::~Data() = default;

template <class S>
Data<S>::Work::Work(const Model<S>& model)
    : first_angle(first_angle_of(model)),
      sine(detail::filled(detail::has_quads<S> ? model.nq() : 0, S(0))),
      cosine(detail::filled(detail::has_quads<S> ? model.nq() : 0, S(0))),
      outward(detail::filled(detail::has_quads<S> ? model.num_nodes() + 1 : 0, detail::QuadState<S>::at_rest())),
      sums(detail::filled(detail::has_quads<S> ? model.num_nodes() : 0, detail::QuadSums<S>())),
      motion(detail::filled(model.num_nodes(), Motion<S>::zero())),
      acceleration(detail::filled(model.num_nodes(), Motion<S>::zero())),
      virtual_motion(detail::filled(model.num_nodes(), Motion<S>::zero())),
      force(detail::filled(model.num_nodes(), Force<S>::zero())),
      other_force(detail::filled(model.num_nodes(), Force<S>::zero())),
      articulated(detail::filled(model.num_nodes(), detail::Articulated<S>::from(Inertia<S>::zero()))),
      articulated_force(detail::filled(model.num_nodes(), detail::in_registers(Force<S>::zero()))),
      articulated_acceleration(detail::filled(model.num_nodes(), detail::in_registers(Motion<S>::zero()))),
      gain(detail::filled(model.nv(), detail::in_registers(Force<S>::zero()))),
      reciprocal_d(zeros(model)),
      u(zeros(model)),
      unit(zeros(model)),
      pair_columns(
          detail::filled((model.nv() + detail::tile_side<S> - 1) / detail::tile_side<S>, detail::PairColumns<S>{})),
      virtual_sums(detail::filled(model.num_nodes(), detail::VirtualSums<S>::zero())),
      composite_operator(detail::filled(model.num_nodes(), BodyOperator<S>::zero())),
      composite_operator_dot(detail::filled(model.num_nodes(), BodyOperator<S>::zero())),
      composite_plain(detail::filled(model.num_nodes(), PlainCoriolis<S>::zero())),
      composite_plain_dot(detail::filled(model.num_nodes(), PlainCoriolis<S>::zero())),
      composite_coriolis_dot(detail::filled(model.num_nodes(), BodyCoriolis<S>::zero())),
      operators(model.nv()),
      operator_blocks(detail::filled(9 * (model.nv() + detail::block_padding<S> + 1), S(0))),
      factor(square(model)),
      columns_of_regressor(model.nv()),
      run_begin(runs(model)),
      end_of_four(ends_of_four(model)),
      mean_related(mean_relatives(model)),
      reach(reaches(model)),
      column_sums(detail::filled(12 * model.num_nodes() * detail::longest_block<S>, S(0))),
      rows(MatrixX<S>::Zero(model.nv() + 2 * detail::longest_block<S> - 1, model.nv() + detail::tile_side<S> - 1)),
      fixed_axes(detail::filled(model.num_nodes(), detail::FixedAxesForces<S>::zero())) {}

}  // namespace corio
