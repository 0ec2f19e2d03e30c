#pragma once

#include "corio/kinematics/configuration.hpp"
#include "corio/simd/sincos.hpp"
#include "corio/spatial/cross.hpp"

namespace corio::baseline {

/// The kinematics for recursions in the axes of the bodies: all quantities of a body are in its own axes about its own
/// origin, except its pose, which is in the axes of its parent. Joints whose columns are not constant in the body are
/// rejected.
struct BodyFrames {
  explicit BodyFrames(const Model<double>& model)
      : sine(static_cast<std::size_t>(model.nq())),
        cosine(sine),
        S(static_cast<std::size_t>(model.nv())),
        body(static_cast<std::size_t>(model.num_nodes())) {
    const auto q = neutral(model);
    for (const auto& node : model.nodes()) {
      if (node.partials_begin >= 0) throw ModelError("corio::baseline: the columns of a joint move in its body");
      node.joint.columns(Pose<double>::identity(), q.data() + node.q_begin, S.data() + node.v_begin);
    }
  }

  struct Body {
    Pose<double> X;                       // pose in the axes of the parent
    Motion<double> V, joint_V;            // S v of the joint
    Motion<double> a;                     // gravity included
    Motion<double> carried_V, carried_a;  // the parent's, in the axes of this body
  };

  /// Leaves accelerations out if there is no dv.
  void update(const Model<double>& model, VectorIn<double> q, VectorIn<double> v, const VectorX<double>* dv) {
    corio::detail::check_size("q", q.size(), model.nq());
    corio::detail::check_size("v", v.size(), model.nv());
    // Sines are computed by corio's function. For short chains the sines of the C library would be most of the
    // difference.
    corio::detail::sincos(model.nq(), q.data(), sine.data(), cosine.data());
    const Motion<double> at_rest = Motion<double>::zero();
    for (std::size_t b = 0; b < body.size(); ++b) {
      const auto& node = model.node(static_cast<int>(b));
      Body& me = body[b];
      const Body* parent = node.parent >= 0 ? &body[static_cast<std::size_t>(node.parent)] : nullptr;
      const auto i = static_cast<std::size_t>(node.q_begin);
      if (node.joint.is_revolute()) {
        const Matrix3<double>& R = node.placement.rotation;
        const Vector3<double> x = column(R, 0), y = column(R, 1);
        me.X.rotation = from_columns<double>(cosine[i] * x + sine[i] * y, cosine[i] * y - sine[i] * x, column(R, 2));
        me.X.translation = node.placement.translation;
      } else {
        me.X = node.joint.compose(node.placement, q.data() + node.q_begin);
      }
      me.carried_V = parent ? me.X.act_inverse(parent->V) : at_rest;
      me.joint_V = at_rest;
      for (int k = node.v_begin; k < node.v_end; ++k) me.joint_V += column_of(k) * v[k];
      me.V = me.carried_V + me.joint_V;
      if (!dv) continue;
      me.carried_a = me.X.act_inverse(parent ? parent->a : Motion<double>{zero3<double>(), -model.gravity()});
      me.a = me.carried_a + cross(me.V, me.joint_V);
      for (int k = node.v_begin; k < node.v_end; ++k) me.a += column_of(k) * (*dv)[k];
    }
  }
  const Motion<double>& column_of(int k) const { return S[static_cast<std::size_t>(k)]; }

  std::vector<double> sine, cosine;
  std::vector<Motion<double>> S;  // for each degree of freedom; constant
  std::vector<Body> body;         // for each node
};

/// Degrees of freedom from the root down to each body, in one list. Quantities of a body have a column for each of
/// these degrees of freedom, columns [begin, begin + count) of a common array. Every range begins at a multiple of the
/// block size, so that loops have no remainder.
///
/// Quantities that only the children of a body need are stored in columns [slot, slot + count) of another, shorter
/// array: the last child of a body overwrites the columns of the body, so that a chain needs one slot.
struct Paths {
  explicit Paths(const Model<double>& model) : slot(static_cast<std::size_t>(model.num_nodes())) {
    constexpr int width = corio::detail::group_size<double>;
    std::vector<bool> has_last(slot.size() + 1, false), is_last(slot.size());
    for (std::size_t b = slot.size(); b-- > 0;) {
      const auto parent = static_cast<std::size_t>(model.node(static_cast<int>(b)).parent + 1);
      is_last[b] = !has_last[parent];
      has_last[parent] = true;
    }
    const int slot_size = model.nv() + width;
    for (std::size_t b = 0; b < slot.size(); ++b) {
      const int parent = model.node(static_cast<int>(b)).parent;
      if (parent >= 0) slot[b] = slot[static_cast<std::size_t>(parent)] + (is_last[b] ? 0 : slot_size);
      slots = std::max(slots, slot[b] + slot_size);
    }
    for (const auto& node : model.nodes()) {
      Path path{static_cast<int>(dof.size()), 0, 0};
      if (node.parent >= 0) {
        const Path& above = of[static_cast<std::size_t>(node.parent)];
        path.above = above.count;
        for (int j = 0; j < above.count; ++j) dof.push_back(dof[static_cast<std::size_t>(above.begin + j)]);
      }
      for (int k = node.v_begin; k < node.v_end; ++k) dof.push_back(k);
      path.count = static_cast<int>(dof.size()) - path.begin;
      while (dof.size() % static_cast<std::size_t>(width) != 0) dof.push_back(-1);
      of.push_back(path);
    }
  }
  struct Path {
    int begin, count;
    int above;  // number of columns shared with the parent, which come first
  };
  int size() const { return static_cast<int>(dof.size()); }
  std::vector<Path> of;  // for each node
  std::vector<int> dof;
  std::vector<int> slot;  // for each node
  int slots = 0;          // number of columns of all slots
};

}  // namespace corio::baseline
