#pragma once

#include <algorithm>

#include "corio/model/model.hpp"

namespace corio {

/// The bodies of a model whose inertial parameters matter to a call: all of them, or those named, in that order.
///   const BodySelection payload(model, {"hand", "left_finger", "right_finger"});
///   MatrixXd Y(model.nv(), payload.num_parameters(model));
class BodySelection {
 public:
  /// All, in the order of Model::bodies().
  BodySelection() = default;
  /// Allocates, once.
  /// @throws ModelError for a name that is no moving body's, one given twice, or none at all
  template <class S>
  BodySelection(const Model<S>& model, const std::vector<std::string>& names) : tree_stamp_(model.tree_stamp()) {
    if (names.empty())
      throw ModelError(detail::join({"a selection of bodies of model '", model.name(), "' names none"}));
    for (const std::string& name : names) {
      const int body = static_cast<int>(&model.body(name) - model.bodies().data());
      if (std::find(indices_.begin(), indices_.end(), body) != indices_.end())
        throw ModelError(
            detail::join({"a selection of bodies of model '", model.name(), "' names '", name, "' twice"}));
      indices_.push_back(body);
    }
  }
  /// One of them.
  template <class S>
  BodySelection(const Model<S>& model, const Body<S>& body) : tree_stamp_(model.tree_stamp()) {
    model.check_owns(body);
    indices_.push_back(static_cast<int>(&model.body(body.name()) - model.bodies().data()));
  }

  template <class S>
  int size(const Model<S>& model) const {
    return static_cast<int>(indices_.empty() ? model.bodies().size() : indices_.size());
  }
  /// Ten for each body.
  template <class S>
  int num_parameters(const Model<S>& model) const {
    return 10 * size(model);
  }
  /// Body i of the selection, as an index into Model::bodies().
  int operator[](int i) const { return indices_.empty() ? i : indices_[static_cast<std::size_t>(i)]; }

  /// @throws ModelError for a selection from another model; those from copies are welcome.
  template <class S>
  void check_fits(const Model<S>& model) const {
    if (!indices_.empty() && tree_stamp_ != model.tree_stamp())
      throw ModelError(detail::join({"a selection of bodies was made from another model than '", model.name(), "'"}));
  }

 private:
  std::vector<int> indices_;
  std::uint64_t tree_stamp_ = 0;
};

}  // namespace corio
