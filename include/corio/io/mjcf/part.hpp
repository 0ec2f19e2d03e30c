#pragma once

#include <deque>

#include "corio/io/mjcf/defaults.hpp"
#include "corio/io/mjcf/mesh.hpp"

namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

/// A model of a document, the main model or an attached one, with settings that apply only to its own elements: units
/// and rules of <compiler>, default classes, meshes.
struct Part {
  Part(Element own_root, std::filesystem::path own_folder) : root(std::move(own_root)), folder(std::move(own_folder)) {
    for (const Element* e : sections(root, "compiler")) compiler.read(*e);
    for (const Element* e : sections(root, "default")) defaults.read(*e);
  }
  void read_meshes(Meshes unread, const mesh::SolidOf& solid_of, Notes& notes) {
    meshes.emplace(unread, solid_of, folder, compiler, notes);
    for (const Element& e : entries(root, "asset"))
      if (e.name == "mesh") meshes->add(defaults.applied(e, "mesh", defaults.main()));
  }

  Element root;
  std::filesystem::path folder;  // folder of its files
  std::vector<Element> keys{};   // keys of models that it attaches
  Compiler compiler{};
  Defaults defaults{};
  std::optional<MeshReader> meshes{};  // refers to `compiler`
};

/// The models of a document, by Element::model.
class Parts {
 public:
  Part& add(Element root, const std::filesystem::path& folder) { return all_.emplace_back(std::move(root), folder); }
  std::size_t size() const { return all_.size(); }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }
  Part& main() { return all_.front(); }
  Part& of(const Element& e) { return all_[e.model]; }

  /// The element with the attributes of its class, by default of the outermost class.
  Element with_defaults(const Element& e, const std::string& kind) {
    const Defaults& defaults = of(e).defaults;
    return defaults.applied(e, kind, defaults.main());
  }

 private:
  std::deque<Part> all_;  // a deque, since addresses of parts must not change
};

}}}}  // namespace corio::mjcf::detail
