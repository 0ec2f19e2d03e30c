#pragma once

#include "corio/model/model.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The bodies whose inertial parameters a call takes or returns: all bodies of a model, or a list of names, in its
/// order.
///   const BodySelection payload(model, {"hand", "left_finger", "right_finger"});
///   MatrixXd Y(model.nv(), payload.num_parameters(model));
class BodySelection {
 public:
  /// All bodies, in the order of Model::bodies().
  BodySelection() = default;
  /// Looks the names up; allocates.
  /// @throws ModelError for a name that no moving body has, a repeated name, or an empty list
  template <class S>
  BodySelection(const Model<S>& model, const std::vector<std::string>& names) : topology_id_(model.topology_id()) {
    if (names.empty())
      throw ModelError(detail::join({"a selection of bodies of model '", model.name(), "' names no body"}));
    PerBody<char> chosen(static_cast<int>(model.bodies().size()), 0);
    for (const std::string& name : names) {
      const int body = model.body(name).index();
      if (chosen[body]++)
        throw ModelError(
            detail::join({"a selection of bodies of model '", model.name(), "' names '", name, "' twice"}));
      indices_.push_back(body);
    }
  }
  /// A single body.
  template <class S>
  BodySelection(const Model<S>& model, const Body<S>& body) : topology_id_(model.topology_id()) {
    model.check_owns(body);
    indices_.push_back(body.index());
  }

  template <class S>
  int size(const Model<S>& model) const {
    return is_all() ? static_cast<int>(model.bodies().size()) : indices_.size();
  }
  /// The number of inertial parameters of these bodies: ten for each body.
  template <class S>
  int num_parameters(const Model<S>& model) const {
    return 10 * size(model);
  }
  /// Body i of the selection, as an index into Model::bodies().
  int operator[](int i) const { return is_all() ? i : indices_[i]; }

  /// @throws ModelError if the selection belongs to another model or was moved from; copies of the model are accepted
  template <class S>
  void check_fits(const Model<S>& model) const {
    if (is_all()) return;
    if (indices_.empty())
      throw ModelError(detail::join({"this BodySelection for model '", model.name(), "' is empty (moved-from)"}));
    if (topology_id_ != model.topology_id())
      throw ModelError(detail::join({"a selection of bodies was made from another model than '", model.name(), "'"}));
  }

 private:
  // No model has this topology_id: next_id() starts at one.
  static constexpr std::uint64_t all = ~std::uint64_t(0);
  bool is_all() const { return topology_id_ == all; }

  detail::Table<int, struct OfSelections> indices_;
  ZeroAfterMove<std::uint64_t> topology_id_ = all;
};

}}  // namespace corio
