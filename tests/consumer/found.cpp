#include <corio/spatial/pose.hpp>
#include <corio/version.hpp>

#include <string_view>

#ifdef READS_FILES
#include <corio/io/xml.hpp>
#endif

// The targets lead to the headers and libraries they stand for. A build tree and a subfolder have the same targets as
// an installed package, whose consumer calls the compiled parts of the libraries.
int main() {
#ifdef EXPECTED_VERSION
  static_assert(corio::version() == std::string_view(EXPECTED_VERSION));
#endif
  const corio::Pose<double> X = corio::Pose<double>::identity();
#ifdef READS_FILES
  tinyxml2::XMLDocument file;
  if (file.Parse("<robot name='none'/>") != tinyxml2::XML_SUCCESS) return 1;
#endif
  return (X * X).translation.isZero() ? 0 : 1;
}
