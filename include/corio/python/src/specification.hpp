#pragma once
#include <string>

#include "corio/model/builder.hpp"

namespace corio::python {

/// A builder as bytes, and back: everything that build() reads, with all digits, so that the model built again is the
/// same bit for bit. URDF would lose closures, gears and digits.
/// @param model  the model built from the builder, for its name, gravity and notes
std::string to_bytes(const ModelBuilder<double>& builder, const Model<double>& model);
/// @throws ModelError for bytes of another version
ModelBuilder<double> from_bytes(const std::string& bytes);

}  // namespace corio::python
