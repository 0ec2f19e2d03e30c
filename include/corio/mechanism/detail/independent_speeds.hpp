#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "corio/mechanism/clusters.hpp"
#include "corio/solvers/least_squares.hpp"

/// Finds which speeds of a tree with closed loops are independent, and why.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Returns K at q with rows of length one, or 0 if the terms of a row cancel.
template <class S>
MatrixX<S> scaled_conditions(const Model<S>& tree, const Loops<S>& loops, VectorIn<S> q) {
  Data<S> data(tree);
  forward_kinematics<S>(tree, data, q);
  MatrixX<S> K = MatrixX<S>::Zero(loops.rows(), tree.nv());
  VectorX<S> scale(loops.rows());
  for (const auto& loop : loops.all())
    LoopAtState<S>(tree, data, loop)
        .for_each_entry(redundancy_tolerance<S>(), scale.data() + loop.begin,
                        [&](int i, int j, const S& x) { K(loop.begin + i, j) = x; });
  return scale.asDiagonal() * K;
}

/// Calls f(joint, speeds) once for each joint that has some of the given degrees of freedom, which are ascending; these
/// are its `speeds`.
template <class S, class F>
void for_each_joint_of(const Model<S>& tree, std::span<const int> dofs, F&& f) {
  while (!dofs.empty()) {
    const Joint& joint = tree.joint_of_node(tree.node_of(dofs[0]));
    std::size_t count = 0;
    while (count < dofs.size() && joint_of_dof(tree, dofs[count]) == joint.name()) ++count;
    f(joint, dofs.first(count));
    dofs = dofs.subspan(count);
  }
}
/// Returns names for Model::v_indices, such as "'crank_joint', 'ball[0]', 'ball[2]'": the name of a joint if all its
/// speeds are given.
template <class S>
std::string name_speeds(const Model<S>& tree, std::span<const int> dofs) {
  std::string names;
  const auto add = [&](const std::string& name) { names += join({names.empty() ? "'" : ", '", name, "'"}); };
  for_each_joint_of(tree, dofs, [&](const Joint& joint, std::span<const int> speeds) {
    if (std::ssize(speeds) == joint.nv()) return add(joint.name());
    for (const int k : speeds) add(name_of_speed(joint, k - joint.v_index()));
  });
  return names;
}

/// Returns for each degree of freedom whether it is independent, which means that it is no pivot of K. Preferred ones
/// are pivots only if the columns of all others are over a thousand times shorter.
template <class S>
PerDof<int> choose_speeds(MatrixX<S> K, const PerDof<int>& preferred) {
  for (int k = 0; k < K.cols(); ++k)
    if (preferred[k]) K.col(k) *= S(1e-3);
  LeastSquares<S> factorization;
  factorization.compute(K, redundancy_tolerance<S>());
  PerDof<int> chosen(static_cast<int>(K.cols()), true);
  for (Eigen::Index i = 0; i < factorization.rank(); ++i) chosen[factorization.pivot(i)] = false;
  return chosen;
}

/// Returns the given degrees of freedom for which `flags` are nonzero, or zero if `wanted` is false.
inline std::vector<int> select_dofs(std::span<const int> dofs, const PerDof<int>& flags, bool wanted = true) {
  std::vector<int> selected;
  std::ranges::copy_if(dofs, std::back_inserter(selected), [&](int k) { return (flags[k] != 0) == wanted; });
  return selected;
}

/// @param chosen  whether a degree of freedom is independent
/// @throws ModelError if loops of the tree that name no dependent joint restrict speeds that are chosen
template <class S>
void require_dependents(const Model<S>& tree, const Loops<S>& loops, const std::vector<LoopCluster>& clusters,
                        const PerDof<int>& chosen) {
  const auto is_silent = [](const LoopSpec& loop) { return loop.dependent.empty(); };
  if (std::ranges::none_of(tree.loops(), is_silent)) return;
  PerDof<int> drives = chosen;  // usually in joints of one degree of freedom
  for (int k = 0; k < tree.nv(); ++k)
    if (tree.joint_of_node(tree.node_of(k)).nv() > 1) drives[k] = false;
  const PerDof<int> suggested = choose_speeds(scaled_conditions<S>(tree, loops, neutral(tree)), drives);
  std::string found;
  for (const LoopCluster& cluster : clusters) {
    std::string names;
    for (const auto& block : cluster.blocks)
      if (const LoopSpec& loop = tree.loops()[static_cast<std::size_t>(block.loop)]; is_silent(loop))
        names += join({names.empty() ? "'" : ", '", loop.name, "'"});
    const std::vector<int> determined = select_dofs(cluster.dofs, suggested, false);
    if (!names.empty() && determined.size() > select_dofs(cluster.dofs, chosen, false).size())
      found += join({found.empty() ? "" : "; ", names, " (", name_speeds<S>(tree, determined), " would do)"});
  }
  if (!found.empty())
    throw ModelError(
        join({"Mechanism of model '", tree.name(), "': these loops do not say which joints they determine: ", found,
              "; name the others as independent, or give a configuration"}));
}

/// Adds notes on the independent speeds of a cluster, for K of scaled_conditions: on preferred joints that are not
/// independent, on other joints that are, and on joints that move no other joint.
/// @param compares  whether joints were preferred at all
template <class S>
void explain_choice(const Model<S>& tree, const MatrixX<S>& K, const LoopCluster& cluster, const PerDof<int>& preferred,
                    bool compares, std::vector<Note>& notes) {
  const std::span<const int> dependent = cluster.dependent(), independent = cluster.independent();
  const std::vector<int> refused = select_dofs(dependent, preferred),
                         added = select_dofs(independent, preferred, false);
  const auto note = [&](const std::string& element, const std::string& found, const std::string& advice) {
    notes.push_back({element, 0, found, advice});
  };
  const auto left = std::to_string(independent.size());
  for_each_joint_of<S>(tree, refused, [&](const Joint& joint, std::span<const int> speeds) {
    note(join({"joint '", joint.name(), "'"}),
         join({"its speed is preferred, but ",
               added.empty() ? join({"loops ", cluster.names, " leave ", left, left == "1" ? " speed" : " speeds",
                                     " independent"})
                             : std::string("others would follow with less than a thousandth of the accuracy in this "
                                           "configuration")}),
         join({name_speeds<S>(tree, speeds), " is determined by ",
               independent.empty() ? cluster.names : name_speeds<S>(tree, independent)}));
  });
  if (compares && !added.empty())
    note(join({"loops ", cluster.names}),
         join({"preferred joints have ", std::to_string(independent.size() - added.size()), " of ", left,
               " independent speeds"}),
         join({"independent, too: ", name_speeds<S>(tree, added)}));
  // Column j of X: the dependent speeds of the cluster at unit speed of the added degree of freedom j.
  LeastSquares<S> factorization;
  MatrixX<S> B = -K(cluster.rows, added), X;
  factorization.compute(K(cluster.rows, dependent), redundancy_tolerance<S>());
  factorization.solve(B, X);
  for (Eigen::Index j = 0; const int k : added) {
    const std::string& name = joint_of_dof(tree, k);
    const auto moves = [&, i = Eigen::Index(0)](int r) mutable {
      using std::abs;
      const bool is_moved = value_of(S(abs(X(i++, j)))) >= redundancy_tolerance<S>();
      return is_moved && joint_of_dof(tree, r) != name;
    };
    if (std::ranges::none_of(dependent, moves))
      note(join({"joint '", name, "'"}),
           join({"its speed ", name_speeds<S>(tree, std::span(&k, 1)), " moves no other joint of loops ", cluster.names,
                 ", as when a rod spins about its axis"}),
           join({"it is independent; to remove it from a rod on a ball joint, call replace_joint(model, \"", name,
                 "\", corio::joint::Universal(..)) with two axes perpendicular to the rod"}));
    ++j;
  }
}

}}}  // namespace corio::detail
