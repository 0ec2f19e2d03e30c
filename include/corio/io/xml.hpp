#pragma once

#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corio/core/detail/file.hpp"
#include "corio/core/detail/number.hpp"
#include "corio/core/table.hpp"

/// Common parts of the readers of XML, by tinyxml2: elements with lines, numbers and messages. Numbers do not depend on
/// the locale. A document nests at most 500 deep (the limit of tinyxml2), and its own entities are not expanded, so
/// time and memory are linear in the text.
namespace corio { inline namespace CORIO_ABI { namespace xml {

using corio::detail::brief;
using corio::detail::excerpt;
using corio::detail::join;
using corio::detail::with_source;

/// Reads numbers between white space; returns nothing if a word is not a finite number, or if their count is not in
/// [least, most].
/// @param infinite  whether inf and -inf, or infinity, are numbers, too
inline std::optional<std::vector<double>> parse_numbers(std::string_view text, std::size_t least, std::size_t most,
                                                        bool infinite = false) {
  constexpr std::string_view space = " \t\r\n";
  std::vector<double> all;
  all.reserve(std::min<std::size_t>(most, 3));
  for (std::size_t at; (at = text.find_first_not_of(space)) != text.npos;) {
    text.remove_prefix(at);
    const std::string_view word = text.substr(0, text.find_first_of(space));
    text.remove_prefix(word.size());
    const auto x = corio::detail::parse_number(word, infinite);
    if (!x || all.size() == most) return std::nullopt;
    all.push_back(*x);
  }
  if (all.size() < least) return std::nullopt;
  return all;
}
/// The expected numbers in words, for messages: "a finite number", "3 finite numbers" or "1 to 3 finite numbers".
inline std::string expected_numbers(std::string_view text, std::size_t least, std::size_t most) {
  if (most == 1) return "a finite number";
  return join({corio::detail::Digits(least), least < most ? join({" to ", corio::detail::Digits(most)}) : "",
               " finite numbers",
               text.find_first_of(",;[") == text.npos ? "" : " between blanks, without commas and brackets"});
}

class ElementView;
/// Elements of a Document, in its order.
using Elements = corio::detail::Table<ElementView, struct OfElements>;

/// A reference to an element of a Document, valid while the Document exists.
class ElementView {
 public:
  explicit ElementView(const tinyxml2::XMLElement* element) : element_(element) {}

  std::string name() const { return element_->Name(); }
  int line() const { return element_->GetLineNum(); }

  /// Throws ModelError("line 12: what").
  [[noreturn, gnu::cold]] void fail(std::initializer_list<std::string_view> what) const {
    throw ModelError(join({"line ", corio::detail::Digits(line()), ": ", join(what)}));
  }

  /// The attribute, nothing if there is none.
  std::optional<std::string> attribute(const char* key) const {
    const char* value = element_->Attribute(key);
    return value ? std::optional<std::string>(value) : std::nullopt;
  }
  /// @param owner  the link, joint or other part to which the element belongs, such as "joint 'elbow'", for messages
  std::string required(const char* key, std::string_view owner) const { return std::string(value(key, owner)); }
  /// The root element of the document.
  ElementView root() const { return ElementView(element_->GetDocument()->RootElement()); }
  /// Calls f(name, value) for each attribute.
  template <class F>
  void for_each_attribute(const F& f) const {
    for (const auto* a = element_->FirstAttribute(); a; a = a->Next())
      f(std::string_view(a->Name()), std::string_view(a->Value()));
  }
  /// The names of all attributes.
  std::vector<std::string> attributes() const {
    std::vector<std::string> names;
    for_each_attribute([&](std::string_view key, std::string_view) { names.emplace_back(key); });
    return names;
  }

  /// The attribute as numbers between white space. ModelError unless all are finite and their count is in [least,
  /// most].
  std::vector<double> numbers(const char* key, std::string_view owner, std::size_t least, std::size_t most) const {
    const std::string_view text = value(key, owner);
    if (auto found = parse_numbers(text, least, most)) return *std::move(found);
    fail({owner, ": <", name(), " ", key, "=", excerpt(text), ">, expected ", expected_numbers(text, least, most)});
  }
  double number(const char* key, std::string_view owner) const { return numbers(key, owner, 1, 1)[0]; }
  double number(const char* key, std::string_view owner, double otherwise) const {
    return element_->Attribute(key) ? number(key, owner) : otherwise;
  }

  /// A limit, which may be inf or -inf.
  double limit(const char* key, std::string_view owner) const {
    const std::string_view text = value(key, owner);
    if (const auto found = parse_numbers(text, 1, 1, true)) return found->front();
    fail({owner, ": <", name(), " ", key, "=", excerpt(text), ">, expected a number, inf or -inf"});
  }

  /// The child elements, all of them or the ones with a name, in the order of the file.
  Elements children(const char* of_name = nullptr) const {
    Elements all;
    for (auto* e = element_->FirstChildElement(of_name); e; e = e->NextSiblingElement(of_name))
      all.push_back(ElementView(e));
    return all;
  }
  /// The first child of that name, nothing if there is none.
  std::optional<ElementView> child(const char* of_name) const {
    const auto* const first = element_->FirstChildElement(of_name);
    return first ? std::optional(ElementView(first)) : std::nullopt;
  }
  /// The only child of that name; ModelError if the element has none, or several.
  ElementView required_child(const char* of_name, std::string_view owner) const {
    const auto found = child(of_name);
    if (!found) fail({owner, " has no <", of_name, "> in its <", name(), ">"});
    if (const auto* second = found->element_->NextSiblingElement(of_name))
      ElementView(second).fail({owner, " has two <", of_name, ">, expected one"});
    return *found;
  }
  /// The text of the element, empty if there is none.
  std::string text() const {
    const char* found = element_->GetText();
    return found ? found : "";
  }
  /// The text of the element as a number; ModelError if it is not one.
  double number_in_text(std::string_view owner) const {
    if (const auto found = parse_numbers(text(), 1, 1)) return found->front();
    fail({owner, ": <", name(), "> holds ", excerpt(text()), ", expected a finite number"});
  }

 private:
  std::string_view value(const char* key, std::string_view owner) const {
    if (const char* found = element_->Attribute(key)) return found;
    fail({owner, ": <", name(), "> has no attribute ", key});
  }

  const tinyxml2::XMLElement* element_;
};

/// A document read from text.
class Document {
 public:
  /// @throws ModelError with the line for malformed XML, and as plain_text
  explicit Document(std::string_view bytes) {
    const auto [text, zeros] = corio::detail::plain_text(bytes);
    zeros_ = zeros;
    if (text.find('<') == text.npos)
      throw ModelError(join({"malformed XML: ", text.empty() ? "the text is empty" : "it has no element",
                             "; parse takes the text, load the name of a file"}));
    check_linear(text);
    document_.Parse(text.data(), text.size());
    if (document_.Error()) {
      // XML_ERROR_MISMATCHED_ELEMENT: mismatched element.
      std::string what = tinyxml2::XMLDocument::ErrorIDToName(document_.ErrorID());
      for (const std::string_view prefix : {"XML_", "ERROR_"})
        if (what.starts_with(prefix)) what.erase(0, prefix.size());
      for (char& c : what) c = c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      throw ModelError(
          join({"line ", corio::detail::Digits((std::max)(1, document_.ErrorLineNum())), ": malformed XML: ", what}));
    }
    const auto* root = document_.RootElement();
    if (!root) throw ModelError("malformed XML: has no element");
    if (const auto* second = root->NextSiblingElement())
      ElementView(second).fail({"malformed XML: another root element"});
  }
  ElementView root() const { return ElementView(document_.RootElement()); }
  /// The number of zero bytes after the text, which are ignored.
  std::size_t zeros() const { return zeros_; }

 private:
  /// Rejects input for which tinyxml2 would take quadratic time: it compares each attribute of an element with all
  /// before it, and searches the rest of a value for the end of each character reference (&#65;).
  static void check_linear(std::string_view text) {
    constexpr std::size_t most_attributes = 1000, longest_reference = 12;
    const auto fail = [&](std::size_t at, std::string_view what) {
      const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      throw ModelError(join({"line ", corio::detail::Digits(line), ": malformed XML: ", what}));
    };
    const auto check_references = [&](std::size_t from, std::size_t to) {
      for (std::size_t at = from; (at = text.substr(0, to).find("&#", at)) < to; at += 2)
        if (text.substr(at, longest_reference).find(';') == text.npos)
          fail(at, "a character reference without its ';'");
    };
    const auto end_of = [&](std::string_view end, std::size_t from) {
      return (std::min)(text.find(end, from), text.size());
    };
    constexpr std::pair<std::string_view, std::string_view> others[] = {
        {"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}};
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t tag = end_of("<", at);
      check_references(at, tag);
      at = tag;
      const auto* const other =
          std::ranges::find_if(others, [&](const auto& o) { return text.substr(at).starts_with(o.first); });
      if (other != std::end(others)) {
        at = end_of(other->second, at + other->first.size());
        continue;
      }
      for (std::size_t attributes = 0; at < text.size() && text[at] != '>'; ++at) {
        if (text[at] != '"' && text[at] != '\'') continue;
        if (++attributes > most_attributes) fail(at, "an element with more than 1000 attributes");
        const std::size_t value = at + 1;
        at = end_of(text.substr(at, 1), value);
        check_references(value, at);
      }
      at = (std::min)(at, text.size());
    }
  }

  tinyxml2::XMLDocument document_;
  std::size_t zeros_ = 0;
};

}}}  // namespace corio::xml
