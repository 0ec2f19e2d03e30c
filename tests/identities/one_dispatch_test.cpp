#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/catch.hpp"

namespace {

/// Returns the headers that ask a joint for its type, by folder under include/corio.
std::vector<std::string> dispatching(const std::filesystem::path& folder, int* seen = nullptr) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hpp") continue;
    if (seen) ++*seen;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    for (const char* word :
         {"visit(", "get_if", "holds_alternative", "node.joint", "node_.joint", ").joint.", "is_revolute", "custom()",
          "joint::Revolute", "joint::PrimitiveJoint", "CustomAdapter", "dynamic_cast", "typeid(", ".type() ", "Kind::"})
      if (text.str().find(word) != std::string::npos) {
        found.push_back(std::filesystem::relative(entry.path(), folder).generic_string());
        break;
      }
  }
  return found;
}

}  // namespace

TEST_CASE("only joints, kinematics and model ask a joint for its type", "[identities][one_dispatch]") {
  const auto include = std::filesystem::path(CORIO_EXAMPLES_DIR).parent_path() / "include" / "corio";
  int seen = 0;
  const auto found = dispatching(include, &seen);
  CHECK(seen > 20);
  REQUIRE_FALSE(found.empty());
  for (const std::string& header : found) {
    CAPTURE(header);
    const std::string folder = header.substr(0, header.find('/'));
    // com_decoupled exists only for models on a free flyer and reports others; io and zoo make joints; the numbering of
    // a joint in other libraries depends on its type; the package of Python asks whether a robot is a mechanism.
    CHECK((folder == "joints" || folder == "kinematics" || folder == "model" || folder == "io" || folder == "zoo" ||
           header == "algorithms/dynamics/com_decoupled.hpp" || header == "interop/conversion.hpp" ||
           header == "python/src/classes.hpp"));
  }
}

TEST_CASE("the kinematics pass and the configuration manifold are the places in kinematics that do",
          "[identities][one_dispatch]") {
  const auto include = std::filesystem::path(CORIO_EXAMPLES_DIR).parent_path() / "include" / "corio";
  const auto found = dispatching(include / "kinematics");
  REQUIRE_FALSE(found.empty());
  for (const std::string& header : found) {
    CAPTURE(header);
    // Data looks for the first angle; variations.hpp calls the derivatives of users' joints.
    CHECK((header == "forward_kinematics.hpp" || header == "configuration.hpp" ||
           header == "configuration_derivatives.hpp" || header == "data.hpp" || header == "detail/variations.hpp"));
  }
}
