#pragma once

#include <deque>

#include "corio/io/mjcf_defaults.hpp"
#include "corio/io/mjcf_mesh.hpp"

namespace corio::inline CORIO_ABI::mjcf::detail {

/// What a model says of its own elements alone: units and rules of <compiler>, default classes, meshes.
struct Scope {
  Scope(const Element& root, Meshes unread, const mesh::SolidOf& solid_of, const std::filesystem::path& folder,
        Notes& notes)
      : meshes(unread, solid_of, folder, compiler, notes) {
    for (const Element* e : sections(root, "compiler")) compiler.read(*e);
    for (const Element* e : sections(root, "default")) defaults.read(*e);
    for (const Element& e : entries(root, "asset"))
      if (e.name == "mesh") meshes.add(defaults.applied(e, "mesh", defaults.main()));
  }

  Compiler compiler{};
  Defaults defaults{};
  MeshReader meshes;
};

/// The scopes of a document, by Element::model.
class Scopes {
 public:
  template <class... Args>
  Scope& add(Args&&... args) {
    return all_.emplace_back(std::forward<Args>(args)...);
  }
  Scope& main() { return all_.front(); }
  Scope& of(const Element& e) { return all_[e.model]; }

  /// The element with the attributes of its class, by default of the outermost one.
  Element with_defaults(const Element& e, const std::string& kind) {
    const Defaults& defaults = of(e).defaults;
    return defaults.applied(e, kind, defaults.main());
  }

 private:
  std::deque<Scope> all_;  // whose meshes refer to their compiler
};

}  // namespace corio::mjcf::detail
