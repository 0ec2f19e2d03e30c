#pragma once

#include "corio/interop/conversion.hpp"
#include "corio/io/mjcf/tree.hpp"
#include "corio/model/builder.hpp"

/// The tree of an MJCF document in MuJoCo's reference configuration.
namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

/// The model of a builder, whose inertias are not checked.
inline Model<double> tree_of(ModelBuilder<double> builder, const std::string& file) {
  builder.set_inertias(Inertias::as_given);
  return xml::with_source(file, [&] { return builder.build(); });
}

/// The configuration at MuJoCo's qpos0.
inline VectorX<double> reference_configuration(const Model<double>& model, const std::vector<double>& qpos0) {
  return interop::Conversion<double>(model, interop::mujoco)
      .q_from(Eigen::Map<const VectorX<double>>(qpos0.data(), static_cast<Eigen::Index>(qpos0.size())));
}

}}}}  // namespace corio::mjcf::detail
