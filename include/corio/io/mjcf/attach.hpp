#pragma once

#include "corio/io/mjcf/keyframe.hpp"

/// The elements that generate other elements: <attach> copies bodies of another model, or of its own model, <replicate>
/// copies its own contents. Elements outside of the tree that name the copied objects (tendons, equalities, actuators)
/// are copied with them.
namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

/// The names of the objects of a copied subtree, as "body torso", and of their copies.
struct Renaming {
  std::set<std::string> inside{};
  std::string prefix{}, suffix{};

  static std::string object(std::string_view kind, std::string_view name) { return join({kind, " ", name}); }
  /// The kind of object that an attribute of a tendon, an equality or an actuator names; empty if the attribute names
  /// no object.
  static std::string_view kind_named_by(std::string_view key) {
    if (key.ends_with('1') || key.ends_with('2')) key.remove_suffix(1);
    if (key.ends_with("site")) return "site";
    if (key == "jointinparent") return "joint";
    return key == "body" || key == "joint" || key == "geom" || key == "tendon" ? key : std::string_view();
  }
  bool has(const std::string& key, const std::string& name) const {
    return inside.contains(object(kind_named_by(key), name));
  }

  /// Adds the objects of a subtree.
  void add(const Element& e) {
    if (const std::string* name = e.find("name"))
      inside.insert(object(e.name == "freejoint" ? "joint" : e.name, *name));
    for (const Element& child : e.children) add(child);
  }
  /// Returns whether an element, with its children, names objects inside the subtree, and whether it names other
  /// objects.
  std::pair<bool, bool> names(const Element& e) const {
    std::pair<bool, bool> found;
    for (const auto& [key, value] : e.attributes)
      if (!kind_named_by(key).empty()) (has(key, value) ? found.first : found.second) = true;
    for (const Element& child : e.children) {
      const auto [in, out] = names(child);
      found.first |= in, found.second |= out;
    }
    return found;
  }
  Element operator()(Element e) const {
    Attributes attributes;
    for (auto& [key, value] : e.attributes) {
      const bool renamed = key == "name" ? !value.empty() : has(key, value);
      // Keys have the prefix, but no suffix.
      attributes[is_key_numbers(key) ? join({key.substr(0, 5), prefix, key.substr(5)}) : key] =
          renamed ? join({prefix, value, suffix}) : std::move(value);
    }
    e.attributes = std::move(attributes);
    for (Element& child : e.children) child = (*this)(std::move(child));
    return e;
  }
};

/// Loads the models that a model attaches, and replaces <attach> and <replicate> by the elements that they generate, in
/// MuJoCo's order: inner elements first, otherwise as in the file.
class Assembler {
 public:
  explicit Assembler(Notes& notes) : notes_(notes) {}

  /// @param path  the path of the main file, empty for a text
  Parts assemble(Element main, const std::filesystem::path& folder, const std::filesystem::path& path) {
    if (!path.empty()) open_.push_back(canonical(path));
    expand(parts_.add(std::move(main), folder));
    return std::move(parts_);
  }

 private:
  using Models = std::map<std::string, const Part*>;
  /// The sections whose elements name objects of the tree; equalities and actuators also name tendons.
  static constexpr const char* referring[] = {"tendon", "equality", "actuator"};

  static std::string canonical(const std::filesystem::path& path) {
    std::error_code ignored;
    const auto found = std::filesystem::weakly_canonical(path, ignored);
    return ignored ? path.string() : found.string();
  }

  /// Returns the model that a <model> names. A file is loaded once.
  const Part* load(const Element& e, const Part& part) {
    if (!e.find("file")) e.fail({"needs the attribute file"});
    if (e.get("content_type", "text/xml") != "text/xml")
      e.fail({"content_type=", xml::excerpt(e.get("content_type")), ", but models are read from text/xml only"});
    const std::filesystem::path path = part.folder / path_in_file(e.get("file"));
    const std::string name = canonical(path);
    if (const auto found = loaded_.find(name); found != loaded_.end()) return found->second;
    if (std::ranges::count(open_, name) > 0) e.fail({"file ", xml::excerpt(e.get("file")), " would contain itself"});
    Part& added = parts_.add(Loader(path.parent_path(), parts_.size()).file(path, &e), path.parent_path());
    open_.push_back(name);
    expand(added);
    open_.pop_back();
    return loaded_[name] = &added;
  }

  void expand(Part& part) {
    Models models;
    for (const Element* section : sections(part.root, "asset"))
      for (const Element& e : section->children) {
        if (e.name != "model") continue;
        const Part* loaded = load(e, part);
        const std::string name = e.get("name", loaded->root.get("model", "MuJoCo Model"));
        if (!models.try_emplace(name, loaded).second) e.fail({"another model is named ", xml::excerpt(name)});
      }
    // One section of each kind, so that copies can be appended to it.
    auto& all = part.root.children;
    for (const char* name : referring) {
      const auto found = sections(part.root, name);
      const Element& first = found.empty() ? part.root : *found.front();
      Element one{name, first.file, first.line, {}, entries(part.root, name), part.root.model};
      std::erase_if(all, [&](const Element& e) { return e.name == name; });
      all.push_back(std::move(one));
    }
    for (Element& e : all)
      if (e.name == "worldbody") expand(e, part, models, 2);
    if (part.root.model > 0) keep_keys(part.root, parts_);
  }
  static Element& section(Part& part, std::string_view name) {
    return *std::ranges::find(part.root.children, name, &Element::name);
  }

  /// Replaces the generating elements below this one.
  void expand(Element& around, Part& part, const Models& models, int depth) {
    for (Element& e : around.children) {
      if (e.name == "attach")
        check_depth(e = attach(e, part, models), depth);
      else if (e.name == "body" || e.name == "frame" || e.name == "replicate")
        expand(e, part, models, depth + 1);
      if (e.name == "replicate") check_depth(e = replicate(e, part), depth);
    }
  }

  Element attach(const Element& e, Part& part, const Models& models) {
    if (!e.find("prefix")) e.fail({"needs the attribute prefix; prefix=\"\" keeps the names"});
    const std::string* body = e.find("body");
    const std::string* frame = e.find("frame");
    if (body && frame) e.fail({"has both body and frame; keep one of them"});
    const Part* from = &part;
    if (const std::string* model = e.find("model")) {
      const auto found = models.find(*model);
      if (found == models.end()) e.fail({"model=", xml::excerpt(*model), " is not a <model> of <asset>"});
      from = found->second;
    } else if (!body && !frame) {
      e.fail({"needs model, or the body or frame of this model that it copies"});
    }
    Element source{body ? "body" : "frame", e.file, e.line, {}, {}, from->root.model};
    if (body ? *body == "world" : !frame) {
      if (body) source.attributes["name"] = *body;
      for (const Element* world : sections(from->root, "worldbody"))
        source.children.insert(source.children.end(), world->children.begin(), world->children.end());
    } else if (!find(from->root, source.name, body ? *body : *frame, "main", source)) {
      e.fail({source.name, "=", xml::excerpt(body ? *body : *frame), " is not a ", source.name,
              from == &part ? " of this model" : join({" of model ", xml::excerpt(e.get("model"))})});
    }
    // The copy keeps the default classes of the model that it comes from.
    source.attributes.try_emplace("childclass", "main");
    if (from == &part && generates(source))
      e.fail({source.name, " ", xml::excerpt(body ? *body : *frame), " holds this element, or comes after it"});
    Renaming renaming{.prefix = e.get("prefix")};
    renaming.add(source);
    limit(source, e, 1);
    copy_references(from->root, part, renaming, e);
    if (from != &part) copy_keys(*from, part, renaming, e);
    return renaming(std::move(source));
  }

  /// Copies a body or frame, with the default class of the elements around it as its own.
  static bool find(const Element& around, const std::string& kind, const std::string& name,
                   const std::string& childclass, Element& to) {
    for (const Element& e : around.children) {
      if (e.name == kind && e.find("name") && *e.find("name") == name) {
        to = e;
        to.attributes.try_emplace("childclass", childclass);
        return true;
      }
      if ((e.name == "worldbody" || e.name == "body" || e.name == "frame") &&
          find(e, kind, name, e.get("childclass", childclass), to))
        return true;
    }
    return false;
  }
  static bool generates(const Element& around) {
    return around.name == "attach" || around.name == "replicate" || std::ranges::any_of(around.children, generates);
  }

  /// Appends copies of the elements that name renamed objects. These elements may name no other objects, except tendons
  /// of the same model.
  void copy_references(const Element& from, Part& to, Renaming& renaming, const Element& by) {
    for (const char* name : referring) {
      const auto& all = sections(from, name).front()->children;
      for (std::size_t i = 0, n = all.size(); i < n; ++i) {
        const Element e = all[i];  // a copy: both models may be the same
        const auto [in, out] = renaming.names(e);
        if (!in) continue;
        if (out && !(name == referring[0] && from.model == to.root.model)) {
          notes_.add(e, "it names copied objects and other objects, such as the world",
                     join({"it is not copied by <", by.name, ">, as in MuJoCo"}));
          continue;
        }
        limit(e, by, 1);
        Element& copies = section(to, name);
        if (copies.children.empty()) copies.file = e.file, copies.line = e.line;
        copies.children.push_back(renaming(e));
        if (name == referring[0] && e.find("name")) renaming.inside.insert(Renaming::object("tendon", *e.find("name")));
      }
    }
  }

  /// Appends the keys of an attached model, whose numbers its joints hold (keyframe.hpp).
  void copy_keys(const Part& from, Part& to, const Renaming& renaming, const Element& by) {
    auto keys = entries(from.root, "keyframe");
    keys.insert(keys.end(), from.keys.begin(), from.keys.end());
    for (const Element& key : keys) {
      if (!key.find("name")) {
        notes_.add(key, "has no name", join({"it is not copied by <", by.name, ">"}));
        continue;
      }
      limit(key, by, 1);
      Element copy = key;
      copy.attributes.erase("qpos"), copy.attributes.erase("qvel");
      to.keys.push_back(renaming(std::move(copy)));
    }
  }

  /// A frame with copies of the contents, each in a frame of its own.
  Element replicate(const Element& e, Part& part) {
    // The attributes of <replicate>.
    constexpr double most = 1e6;
    const double count = e.number("count");
    if (!(count >= 1 && count <= most && count == std::floor(count)))
      e.fail({"count=", xml::excerpt(e.get("count")), ", expected a whole number from 1 to 1000000"});
    if (e.find("prefix"))
      notes_.add(e, "prefix has no effect in MuJoCo", "copies have suffixes, by sep and their number");
    limit(e, e, count);
    const Vector3<double> offset = e.vector("offset", zero3<double>()), euler = e.vector("euler", zero3<double>());
    Renaming renaming;
    renaming.add(e);
    // Elements that name replicated objects are removed from the model; each replica gets copies of them.
    Element references{e.name, e.file, e.line, {}, {}, e.model};
    for (const char* name : referring) {
      auto& all = section(part, name).children;
      Element taken{name, e.file, e.line};
      const auto names_inside = [&](const Element& x) { return renaming.names(x).first; };
      std::ranges::copy_if(all, std::back_inserter(taken.children), names_inside);
      std::erase_if(all, names_inside);
      if (name == referring[0])
        for (const Element& tendon : taken.children)
          if (tendon.find("name")) renaming.inside.insert(Renaming::object("tendon", *tendon.find("name")));
      references.children.push_back(std::move(taken));
    }
    // The replicas, each displaced and turned against the one before.
    Element all{"frame", e.file, e.line, {}, {}, e.model};
    if (e.find("childclass")) all.attributes["childclass"] = e.get("childclass");
    Vector3<double> at = zero3<double>();
    const std::size_t digits = std::to_string(static_cast<int>(count)).size();
    for (int i = 0; i < static_cast<int>(count); ++i) {
      Element copy{"frame", e.file, e.line, {}, e.children, e.model};
      copy.attributes["pos"] = text(at);
      copy.attributes["euler"] = text(static_cast<double>(i) * euler);
      if (i > 0) forget_keys(copy);
      at += rotation(copy, part.compiler) * offset;
      std::string number = std::to_string(i);
      number.insert(0, digits - (std::min)(digits, number.size()), '0');
      renaming.suffix = e.get("sep") + number;
      all.children.push_back(renaming(std::move(copy)));
      copy_references(references, part, renaming, e);
    }
    return all;
  }
  /// As in MuJoCo only the first replica is in the pose of a key.
  static void forget_keys(Element& e) {
    std::erase_if(e.attributes, [](const auto& attribute) { return is_key_numbers(attribute.first); });
    std::ranges::for_each(e.children, forget_keys);
  }
  static std::string text(const Vector3<double>& x) {
    std::string all;
    for (int i = 0; i < 3; ++i) {
      char digits[32];
      all += join({i > 0 ? " " : "", std::string_view(digits, std::to_chars(digits, std::end(digits), x[i]).ptr)});
    }
    return all;
  }

  /// Throws ModelError if copies need too much memory: files that copy each other double the memory with each line.
  void limit(const Element& e, const Element& by, double count) {
    constexpr double most = 64 << 20;
    generated_ += count * size(e);
    if (generated_ > most) by.fail({"the elements that the file generates take more than 64 MiB of text"});
  }
  static double size(const Element& e) {
    double sum = 100;
    for (const auto& [key, value] : e.attributes) sum += static_cast<double>(key.size() + value.size());
    for (const Element& child : e.children) sum += size(child);
    return sum;
  }
  static void check_depth(const Element& e, int depth) {
    if (depth > deepest) e.fail({"elements nest more than ", std::to_string(deepest), " deep"});
    for (const Element& child : e.children) check_depth(child, depth + 1);
  }

  Notes& notes_;
  Parts parts_;
  std::map<std::string, const Part*> loaded_;  // parts by the path of their file
  std::vector<std::string> open_;              // files that are being loaded, each attached by the one before
  double generated_ = 0;
};

}}}}  // namespace corio::mjcf::detail
