// The comparison of generated code with the templates.
#include "corio/codegen/check.hpp"

namespace corio {

template double codegen::largest_difference(const std::string&, const Model<double>&, const codegen::Recording&,
                                            const codegen::Schedule&, int, const VectorX<double>&);
template double codegen::largest_difference(const std::string&, const Mechanism<double>&, const codegen::Recording&,
                                            const codegen::Schedule&, int, const VectorX<double>&);

}  // namespace corio
